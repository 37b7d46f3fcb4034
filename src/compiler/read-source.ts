import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parseIgnorePatterns } from './ignore-patterns.ts'
import { compareText, type ProblemList } from './problems.ts'

/** What the project's folder holds and may publish; paths are relative with forward slashes. */
export type Source = {
  root: string
  /** Sorted, so that nothing depends on the order of a disk. */
  files: Map<string, SourceFile>
  /** Files such as README.md that are pages only where the navigation names them. */
  unlistedFiles: Map<string, SourceFile>
}

export type SourceFile = { sizeBytes: number; modifiedMs: number }

const ignoredAnywhere = new Set(['node_modules'])
const ignoredAtRoot = new Set(['build', 'dist', 'coverage', 'tmp', 'temp'])
const unlistedNames = new Set(['readme.md', 'license.md', 'changelog.md', 'contributing.md'])

/** Lists the files of a project. Hidden folders, ignored files and whatever lies outside the root are never seen. */
export async function readSource(folder: string, problems: ProblemList): Promise<Source> {
  const root = await realpath(folder)
  const isIgnored = await readIgnoreFile(root)
  const found: [string, SourceFile][] = []
  await walk('')
  found.sort((a, b) => compareText(a[0], b[0]))
  const unlisted = (path: string) => unlistedNames.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase())
  return {
    root,
    files: new Map(found.filter(([path]) => !unlisted(path))),
    unlistedFiles: new Map(found.filter(([path]) => unlisted(path))),
  }

  async function walk(prefix: string): Promise<void> {
    const entries = await readdir(join(root, prefix), { withFileTypes: true })
    await Promise.all(
      entries.map(async (entry) => {
        const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
        if (entry.name.startsWith('.') || ignoredAnywhere.has(entry.name)) return
        if (prefix === '' && ignoredAtRoot.has(entry.name)) return
        if (entry.isDirectory()) {
          if (!isIgnored(`${path}/`)) await walk(path)
          return
        }
        if (isIgnored(path)) return
        if (entry.isSymbolicLink()) await addLinkedFile(path)
        else if (entry.isFile()) await addFile(path)
      }),
    )
  }

  async function addFile(path: string): Promise<void> {
    const { size, mtimeMs } = await stat(join(root, path))
    found.push([path, { sizeBytes: size, modifiedMs: mtimeMs }])
  }

  async function addLinkedFile(path: string): Promise<void> {
    const target = await realpath(join(root, path)).catch(() => undefined)
    const inside = target?.startsWith(root + sep) === true
    const relative = inside
      ? target
          .slice(root.length + 1)
          .split(sep)
          .join('/')
      : ''
    const hidden = relative.split('/').some((part) => part.startsWith('.') || ignoredAnywhere.has(part))
    const isFile = inside && (await stat(target)).isFile()
    if (isFile && !hidden && !isIgnored(relative)) return addFile(path)
    problems.add(
      { file: path, line: 1, column: 1 },
      {
        code: 'link_left_out',
        message: `The link ${path} leads out of the project, into a hidden folder or to a folder, and is left out.`,
        hint: 'Put the file itself into the project.',
      },
    )
  }
}

async function readIgnoreFile(root: string): Promise<(path: string) => boolean> {
  const text = await readFile(join(root, '.mintignore'), 'utf8').catch(() => '')
  return parseIgnorePatterns(text)
}

/** Reads a file of the project as text, without a byte order mark and with plain line ends. */
export async function readProjectText(source: Source, path: string): Promise<string> {
  return normalizeText(await readFile(join(source.root, path), 'utf8'))
}

export function normalizeText(text: string): string {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain
}
