import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { asFlag, asObject, asText, type JsonObject } from './loose-json.ts'

/**
 * The address before a page's file where its source can be edited, if the project offers that. What docs.json leaves
 * open is read from the checkout that the project lies in: the branch that the remote calls its own, and the folder.
 */
export function readEditBase(raw: JsonObject, root: string): string | undefined {
  if (asFlag(asObject(raw.feedback)?.suggestEdit) !== true) return undefined
  const repo = asObject(raw.repo) ?? asObject(raw.repository) ?? {}
  const written = asText(repo.url) ?? asText(raw.repo) ?? asText(raw.repository)
  const checkout = findCheckout(root)
  const address = webAddress(written ?? checkout?.remote ?? '')
  if (address === undefined) return undefined
  const branch = asText(repo.branch) ?? checkout?.branch ?? 'main'
  const folder = asText(repo.directory) ?? asText(repo.path) ?? checkout?.folder ?? ''
  const action = /(?:^|\.)gitlab\./i.test(new URL(address).host) ? '-/edit' : 'edit'
  return [address, action, encodeURI(branch), ...folder.split('/').map(encodeURIComponent)]
    .filter((part) => part !== '')
    .join('/')
}

/** `git@host:owner/name.git` and its like as the address of a web page. */
function webAddress(written: string): string | undefined {
  const address = written
    .trim()
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/')
    .replace(/^(?=[\w-]+\/[\w.-]+$)/, 'https://github.com/')
    .replace(/(?:\.git)?\/*$/, '')
  if (!URL.canParse(address) || !/^https?:/i.test(address)) return undefined
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href.replace(/\/+$/, '')
}

type Checkout = { folder: string; branch?: string; remote?: string }

function findCheckout(root: string): Checkout | undefined {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    const git = gitFolder(join(folder, '.git'))
    if (git !== undefined) {
      const branch =
        /^ref: refs\/remotes\/origin\/(\S+)/.exec(read(join(git, 'refs/remotes/origin/HEAD')))?.[1] ??
        /^ref: refs\/heads\/(\S+)/.exec(read(join(git, 'HEAD')))?.[1]
      const remote = /\[remote "origin"\][^[]*?\n\s*url\s*=\s*(\S+)/.exec(read(join(git, 'config')))?.[1]
      const inside = relative(folder, resolve(root)).split(sep).join('/')
      return {
        folder: inside,
        ...(branch === undefined ? {} : { branch }),
        ...(remote === undefined ? {} : { remote }),
      }
    }
    if (dirname(folder) === folder) return undefined
  }
}

/** The folder itself, or the one that a worktree's file leads to. */
function gitFolder(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return path
  if (!found?.isFile()) return undefined
  const target = /^gitdir:\s*(.+)$/m.exec(read(path))?.[1]
  if (target === undefined) return undefined
  const own = resolve(dirname(path), target.trim())
  const common = read(join(own, 'commondir')).trim()
  return common === '' ? own : resolve(own, common)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
