import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileSite } from './index.ts'
import { findDeadLinks, visibleText } from './testing.ts'

const projects = join(import.meta.dirname, '../../../shared/content/projects')
const names = [
  'continue',
  'fastmcp',
  'hoppscotch',
  'microsandbox',
  'mintlify-docs',
  'mintlify-starter',
  'sequin',
  'traceloop',
  'turso',
  'x402',
]

for (const name of names) {
  const source = join(projects, name)
  const skip = existsSync(source) ? false : 'the real projects are not on this machine'
  test(`compiles ${name} with every link alive or told and no raw markup`, { skip }, async () => {
    const into = await mkdtemp(join(tmpdir(), 'quire-real-'))
    const result = await compileSite({ source, into })
    assert.deepEqual(result.failedPages, [])
    assert.ok(
      !result.problems.some((problem) => problem.code === 'missing_page'),
      'a page of the navigation is missing',
    )
    const told = result.problems
      .filter(({ code }) => ['broken_link', 'missing_file', 'broken_anchor'].includes(code))
      .map(({ message }) => decodeURI(message.replace(/%(?![0-9a-f]{2})/gi, '%25')))
    const untold = (await findDeadLinks(into)).filter(({ href, reason }) => {
      const [path = '', hash = ''] = decodeURI(href).split('#')
      const last = reason === 'no anchor' ? `#${hash}` : (path.split('?')[0]?.split('/').at(-1) ?? '')
      return !told.some((message) => message.includes(last))
    })
    assert.deepEqual(untold.slice(0, 20), [])
    const found: string[] = []
    for (const entry of await readdir(into, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.html')) continue
      const html = await readFile(join(entry.parentPath, entry.name), 'utf8')
      if (/>\s*undefined\s*</.test(html.replace(/<(code|pre|script|button)\b[\s\S]*?<\/\1>/g, '')))
        found.push(`${entry.name}: undefined`)
      const text = visibleText(html)
      const raw = /\[object Object\]|<\/?(?:Card|Note|Tabs?|Steps?|Accordion|CodeGroup|Frame|Snippet)\b/.exec(
        text,
      )
      if (raw) found.push(`${entry.name}: ${text.slice(Math.max(0, raw.index - 60), raw.index + 60)}`)
    }
    assert.deepEqual(found, [])
    await rm(into, { recursive: true })
  })
}
