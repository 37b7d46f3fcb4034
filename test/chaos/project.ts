import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { archiveBundle, packFolder } from '../../src/bundle/index.ts'
import { compileSite } from '../../src/compiler/index.ts'

/** A docs project that tells what an undisturbed export of it must be. */
export type Project = {
  pages: string[]
  /** Changes the first page, so that the next publication is another one. */
  change(marker: string): Promise<void>
  /** The project as an upload. */
  pack(): Promise<Buffer>
  /** What an export of these pages must be, to the byte; of all pages where none are named. */
  expected(paths?: string[]): Promise<{ sha256: string; digest: string; pageCount: number }>
  remove(): Promise<void>
}

export async function writeProject(pageCount: number): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-chaos-project-'))
  const source = join(folder, 'source')
  await mkdir(join(source, 'pages'), { recursive: true })
  const pages = Array.from({ length: pageCount }, (_, index) => `pages/page-${index}`)
  const settings = {
    name: 'Chaos',
    theme: 'mint',
    colors: { primary: '#335577' },
    navigation: { groups: [{ group: 'All', pages }] },
  }
  await writeFile(join(source, 'docs.json'), JSON.stringify(settings))
  const write = (index: number, marker: string) =>
    writeFile(join(source, `${pages[index]}.mdx`), pageText(index, pageCount, marker))
  for (const index of pages.keys()) await write(index, 'first')
  let built = 0
  return {
    pages,
    change: (marker) => write(0, marker),
    pack: () => buffer(packFolder({ folder: source })),
    expected: async (paths) => {
      built += 1
      const into = join(folder, `expected-${built}`)
      await mkdir(into)
      const cache = join(folder, 'cache')
      const result = await compileSite({ source, into, cache, workers: 1, ...(paths ? { paths } : {}) })
      const archive = await buffer(archiveBundle({ folder: into, members: join(folder, 'members') }))
      await rm(into, { recursive: true })
      const sha256 = createHash('sha256').update(archive).digest('hex')
      return { sha256, digest: result.digest, pageCount: result.pageCount }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function pageText(index: number, pageCount: number, marker: string): string {
  const words = Array.from({ length: 200 }, (_, word) => `word${(index * 7 + word * 13) % 997}`).join(' ')
  const next = `/pages/page-${(index + 1) % pageCount}`
  return `---
title: Page ${index}
description: Marker ${marker}
---

## Part one

${words} [the next page](${next}).

<Note>Marker ${marker}.</Note>

\`\`\`ts
export const page = ${index}
\`\`\`
`
}
