import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { archiveBundle } from './archive-bundle.ts'
import type { Manifest } from './bundle-api.ts'
import { writeManifest } from './manifest.ts'

/** A folder that is gone when the test is over. */
export async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-test-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes files and a manifest over them: the smallest real bundle. */
export async function writeTestBundle(
  folder: string,
  files: Record<string, string | Uint8Array>,
  name = 'Test site',
): Promise<Manifest> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return writeManifest({
    folder,
    name,
    renderer: 'quire test',
    pageCount: Object.keys(files).filter((path) => path.endsWith('.html')).length,
  })
}

export async function testArchive(folder: string): Promise<Buffer> {
  return collect(archiveBundle({ folder }))
}

export async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
