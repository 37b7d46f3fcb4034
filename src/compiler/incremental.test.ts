import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { ArchiveWriter } from '../bundle/index.ts'
import { compileSite } from './index.ts'

/** What an author does between two builds. */
const edits: [string, (project: string) => Promise<void>][] = [
  ['nothing', async () => {}],
  [
    'a sentence more',
    (project) => page(project, 'guide/one', 'One', 'The first page, and one more word: halyard.'),
  ],
  ['another title', (project) => page(project, 'guide/two', 'Two renamed', 'The second page.')],
  ['another snippet', (project) => writeFile(join(project, 'snippets/note.mdx'), 'A changed note.\n')],
  [
    'a page renamed',
    async (project) => {
      await rename(join(project, 'guide/three.mdx'), join(project, 'guide/third.mdx'))
      await settings(project, ['guide/one', 'guide/two', 'guide/third'])
    },
  ],
  [
    'a page deleted',
    async (project) => {
      await rm(join(project, 'guide/third.mdx'))
      await settings(project, ['guide/one', 'guide/two'])
    },
  ],
  [
    'a link to another page',
    (project) => page(project, 'guide/two', 'Two', 'See [the mooring lines](/guide/one#rope).'),
  ],
  ['a new page', (project) => page(project, 'guide/four', 'Four', 'The fourth page, not in the navigation.')],
]

test('a build over a cache gives the same bundle as one without, whatever was edited before', async () => {
  const work = await mkdtemp(join(tmpdir(), 'quire-incremental-'))
  try {
    const project = join(work, 'project')
    await mkdir(join(project, 'guide'), { recursive: true })
    await mkdir(join(project, 'snippets'))
    await writeFile(join(project, 'snippets/note.mdx'), 'A note.\n')
    await settings(project, ['guide/one', 'guide/two', 'guide/three'])
    await page(project, 'guide/one', 'One', 'The first page.')
    await page(project, 'guide/two', 'Two', 'The second page.')
    await page(project, 'guide/three', 'Three', "import Note from '/snippets/note.mdx'\n\n<Note />\n")
    for (const [index, [what, edit]] of edits.entries()) {
      await edit(project)
      const [warm, cold] = [join(work, `warm-${index}`), join(work, `cold-${index}`)]
      const options = { source: project, workers: 0 }
      const fromCache = await compileSite({ ...options, into: warm, cache: join(work, 'cache') })
      const anew = await compileSite({ ...options, into: cold })
      assert.deepEqual(await filesOf(warm), await filesOf(cold), what)
      assert.deepEqual(fromCache, anew, what)
    }
  } finally {
    await rm(work, { recursive: true })
  }
})

test('an archive over a cache is the one without, and the second time nothing is made anew', async () => {
  const work = await mkdtemp(join(tmpdir(), 'quire-incremental-'))
  try {
    const project = join(work, 'project')
    await mkdir(join(project, 'guide'), { recursive: true })
    await settings(project, ['guide/one', 'guide/two'])
    await page(project, 'guide/one', 'One', 'The first page.')
    await page(project, 'guide/two', 'Two', 'See [the mooring lines](/guide/one#rope).')
    let built = 0
    const build = async (kept: string, cache?: string) => {
      built += 1
      const into = new ArchiveWriter({ members: join(work, kept), scratch: join(work, `scratch-${built}`) })
      const before = (await readdir(join(work, kept)).catch(() => [])).filter((name) =>
        name.endsWith('.pack'),
      )
      await compileSite({ source: project, workers: 0, into, ...(cache ? { cache: join(work, cache) } : {}) })
      const archive = await buffer(into.archive())
      into.close()
      const packs = (await readdir(join(work, kept))).length - before.length
      return { archive, packs }
    }
    const plain = await build('members-0')
    const first = await build('members-1', 'cache')
    const second = await build('members-1', 'cache')
    assert.ok(first.archive.equals(plain.archive))
    assert.ok(second.archive.equals(plain.archive))
    assert.deepEqual([first.packs, second.packs], [1, 0])
    await page(project, 'guide/two', 'Two', 'See [the anchor chain](/guide/one#rope).')
    const third = await build('members-1', 'cache')
    assert.ok(third.archive.equals((await build('members-2')).archive))
  } finally {
    await rm(work, { recursive: true })
  }
})

async function page(project: string, path: string, title: string, text: string): Promise<void> {
  await writeFile(
    join(project, `${path}.mdx`),
    `---\ntitle: ${title}\n---\n\n${text}\n\n## Rope\n\nMore text.\n`,
  )
}

async function settings(project: string, pages: string[]): Promise<void> {
  const navigation = { groups: [{ group: 'Guide', pages }] }
  await writeFile(join(project, 'docs.json'), JSON.stringify({ name: 'Harbour', theme: 'mint', navigation }))
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(folder.length)] = (await readFile(path)).toString('base64')
  }
  return files
}
