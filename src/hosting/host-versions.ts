import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { manifestFile } from '../bundle/index.ts'
import { isHashed } from './bundle-server.ts'

/*
 * The data folder of a self-hosted deployment:
 *
 *   incoming/<random>/      an archive being unpacked; whatever lies here at start is thrown away
 *   versions/<id>/bundle/   a whole, verified bundle, moved here in one step
 *   versions/<id>/version.json
 *   versions/<id>/bundle.sig  its signature, where one is asked for
 *   state.json              which version is live; replaced in one step
 *   compressed/             files as br and gzip, by content
 */

export type Version = {
  id: string
  /** The bundle's name by content. */
  digest: string
  sha256: string
  label: string | undefined
  name: string
  pageCount: number
  fetchedAt: number
  /** Where it came from, without the query. */
  source: string
}

export type HostState = {
  live: string | undefined
  /** Versions that were live, newest first, and when they ceased to be. */
  earlier: { id: string; until: number }[]
  /** The version that a rollback left: it does not come back by itself. */
  heldBack: string | undefined
  /** What the last fetch said of the archive, so that the same one is not sent again. */
  fetched: { address: string; tag: string; id: string } | undefined
}

export const emptyState: HostState = { live: undefined, earlier: [], heldBack: undefined, fetched: undefined }

/** Versions on disk. Every change is one rename, so that a crash leaves the state before or after it. */
export class HostVersions {
  #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async prepare(): Promise<void> {
    await rm(join(this.#folder, 'incoming'), { recursive: true, force: true })
    await mkdir(join(this.#folder, 'incoming'), { recursive: true })
    await mkdir(join(this.#folder, 'versions'), { recursive: true })
  }

  newIncomingFolder(): string {
    return join(this.#folder, 'incoming', randomUUID())
  }

  bundleFolder(id: string): string {
    return join(this.#folder, 'versions', id, 'bundle')
  }

  get compressedFolder(): string {
    return join(this.#folder, 'compressed')
  }

  /** Takes in an unpacked and verified bundle under the folder `bundle` of `incoming`. */
  async add(incoming: string, version: Version, signature?: string): Promise<void> {
    const target = join(this.#folder, 'versions', version.id)
    if (signature !== undefined) await writeText(join(incoming, signatureFile), signature)
    await writeWhole(join(incoming, 'version.json'), version)
    await rm(target, { recursive: true, force: true }) // What is left there is a trimmed or damaged copy.
    await rename(incoming, target)
  }

  readSignature(id: string): Promise<string | undefined> {
    return readFile(join(this.#folder, 'versions', id, signatureFile), 'utf8').catch(() => undefined)
  }

  async writeSignature(id: string, signature: string): Promise<void> {
    await writeText(join(this.#folder, 'versions', id, signatureFile), signature)
  }

  /** The same content under a new name. */
  async relabel(version: Version, label: string): Promise<Version> {
    const named = { ...version, label }
    await writeWhole(join(this.#folder, 'versions', version.id, 'version.json'), named)
    return named
  }

  /** From now on this version counts as gone; what is left of it is taken away by the next prune. */
  async forget(id: string): Promise<void> {
    await rm(join(this.#folder, 'versions', id, 'version.json'), { force: true })
  }

  async read(id: string): Promise<Version | undefined> {
    const text = await readFile(join(this.#folder, 'versions', id, 'version.json'), 'utf8').catch(
      () => undefined,
    )
    if (text === undefined) return undefined
    const parsed = versionSchema.safeParse(parseJson(text))
    return parsed.success ? { ...parsed.data, label: parsed.data.label } : undefined
  }

  /** Whole versions, newest first. */
  async list(): Promise<Version[]> {
    const ids = await readdir(join(this.#folder, 'versions')).catch(() => [])
    const versions = await Promise.all(ids.map((id) => this.read(id)))
    return versions
      .filter((version) => version !== undefined)
      .sort((left, right) => right.fetchedAt - left.fetchedAt || left.id.localeCompare(right.id))
  }

  async readState(): Promise<HostState> {
    const text = await readFile(join(this.#folder, 'state.json'), 'utf8').catch(() => undefined)
    const parsed = stateSchema.safeParse(text === undefined ? {} : parseJson(text))
    const state = parsed.success ? parsed.data : {}
    return { ...emptyState, ...state }
  }

  async writeState(state: HostState): Promise<void> {
    await writeWhole(join(this.#folder, 'state.json'), state)
  }

  /** Keeps the newest versions whole, and of younger others the hashed files that open pages may still ask for. */
  async prune(input: { state: HostState; keep: number; now: number; graceMs: number }): Promise<void> {
    const whole = new Set([input.state.live])
    for (const { id, until } of input.state.earlier) {
      if (whole.size < input.keep || input.now - until < answeringMs) whole.add(id)
    }
    for (const { id } of await this.list()) if (whole.size < input.keep) whole.add(id)
    const graced = new Set(
      input.state.earlier.filter(({ until }) => input.now - until < input.graceMs).map(({ id }) => id),
    )
    for (const id of await readdir(join(this.#folder, 'versions'))) {
      if (whole.has(id)) continue
      const folder = join(this.#folder, 'versions', id)
      if (graced.has(id)) await trim(folder)
      else await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Without its version.json a folder no longer counts as a version; only then are its files taken away. */
async function trim(folder: string): Promise<void> {
  await rm(join(folder, 'version.json'), { force: true })
  const bundle = join(folder, 'bundle')
  for (const entry of await readdir(bundle, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(bundle.length + 1).replaceAll('\\', '/')
    if (!isHashed(path) && path !== manifestFile) await rm(file, { force: true })
  }
}

const writeWhole = (file: string, value: unknown): Promise<void> =>
  writeText(file, `${JSON.stringify(value, null, 2)}\n`)

async function writeText(file: string, text: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`
  const handle = await open(partial, 'w')
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(partial, file)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const signatureFile = 'bundle.sig'

/** Answers that began before a switch may still be read from the version they began with. */
const answeringMs = 60_000

const versionSchema = z.object({
  id: z.string(),
  digest: z.string(),
  sha256: z.string(),
  label: z.string().optional(),
  name: z.string(),
  pageCount: z.number(),
  fetchedAt: z.number(),
  source: z.string(),
})
const stateSchema = z.object({
  live: z.string().optional(),
  earlier: z.array(z.object({ id: z.string(), until: z.number() })).default([]),
  heldBack: z.string().optional(),
  fetched: z.object({ address: z.string(), tag: z.string(), id: z.string() }).optional(),
})
