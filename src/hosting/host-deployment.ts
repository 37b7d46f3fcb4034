import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BundleError, type Manifest, readManifest, unpackBundle, verifyBundle } from '../bundle/index.ts'
import { type BundleServer, openBundleServer, type PreviousBundle, previousBundle } from './bundle-server.ts'
import { checkSignature, fetchSignature, refuseDowngrade } from './bundle-signature.ts'
import { ContentCache } from './content-cache.ts'
import { FetchError, fetchBundle, requestFreshLink, shown } from './fetch-bundle.ts'
import type { HostSettings } from './host-settings.ts'
import { emptyState, type HostState, HostVersions, type Version } from './host-versions.ts'

export type HostStatus = {
  live: Version | undefined
  /** True once the newest fetch succeeded; false while what is served is the copy we had. */
  fresh: boolean
  /** Why what is served is not fresh, in a sentence. */
  reason: string | undefined
  checkedAt: number | undefined
}

export type HostEvent =
  | { type: 'switched'; version: Version; from: string | undefined }
  | { type: 'unchanged'; version: Version }
  | { type: 'fetch-failed'; reason: string }
  | { type: 'damaged'; version: Version; reason: string }
  | { type: 'refused'; version: Version; reason: string }

/** One bundle live, earlier ones kept, and new ones taken in when they are verified. */
export class HostDeployment {
  #settings: HostSettings['staticExport']
  #versions: HostVersions
  #cache = new ContentCache({ maxBytes: 16 * 1024 * 1024 })
  #now: () => number
  #onEvent: (event: HostEvent) => void
  #live: { version: Version; server: BundleServer; previous: PreviousBundle[] } | undefined
  /** The version that what is live was signed as. */
  #signedAs: string | undefined
  #state: HostState = emptyState
  #status: Omit<HostStatus, 'live'> = {
    fresh: false,
    reason: 'No bundle was fetched yet.',
    checkedAt: undefined,
  }
  #previousBundles = new Map<string, PreviousBundle>()
  #queue: Promise<unknown> = Promise.resolve()
  #isFirstCheck = true

  constructor(input: {
    settings: HostSettings['staticExport']
    data: string
    now: () => number
    onEvent: (event: HostEvent) => void
  }) {
    this.#settings = input.settings
    this.#versions = new HostVersions(input.data)
    this.#now = input.now
    this.#onEvent = input.onEvent
  }

  /** Puts the copy that is already here in service, if there is one. */
  async start(): Promise<void> {
    await this.#versions.prepare()
    this.#state = await this.#versions.readState()
    const candidates = [this.#state.live, ...(await this.#versions.list()).map((version) => version.id)]
    for (const id of candidates) {
      const version = id === undefined ? undefined : await this.#versions.read(id)
      if (version === undefined) continue
      try {
        await this.#serve(version)
        return
      } catch (error) {
        const type = error instanceof BundleError && isRefusal(error) ? 'refused' : 'damaged'
        this.#onEvent({ type, version, reason: sentenceOf(error) })
      }
    }
  }

  /** What answers requests now; a request keeps what it got when it began. */
  get live(): { server: BundleServer; previous: PreviousBundle[]; version: Version } | undefined {
    return this.#live
  }

  get status(): HostStatus {
    return { live: this.#live?.version, ...this.#status }
  }

  /** Fetches, verifies, unpacks and switches; a failure leaves what is live as it is. */
  async check(signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#checkNow(signal)
        this.#status = { fresh: true, reason: undefined, checkedAt: this.#now() }
      } catch (error) {
        if (signal.aborted) return
        const had = this.#live === undefined ? '' : ' The verified copy from before is being served.'
        this.#status = { fresh: false, reason: `${sentenceOf(error)}${had}`, checkedAt: this.#now() }
        this.#onEvent({ type: 'fetch-failed', reason: sentenceOf(error) })
      } finally {
        this.#isFirstCheck = false
      }
    })
  }

  /** Digests every file of the live version again; a damaged one gives way to the one before. */
  async verifyLive(): Promise<boolean> {
    const live = this.#live
    if (live === undefined) return true
    try {
      await verifyBundle(live.server.folder)
      return true
    } catch (error) {
      if (!(error instanceof BundleError) || this.#live !== live) return true
      return this.#inTurn(async () => {
        this.#onEvent({ type: 'damaged', version: live.version, reason: sentenceOf(error) })
        this.#state = { ...this.#state, fetched: undefined }
        await this.#versions.forget(live.version.id)
        const older = (await this.#versions.list()).find((version) => version.id !== live.version.id)
        if (older !== undefined) await this.#switchTo(older, undefined)
        return false
      })
    }
  }

  /** Goes back to the version before, or to the one that is named, and holds back the one that is left. */
  async rollback(to?: string): Promise<Version> {
    return this.#inTurn(async () => {
      const state = await this.#versions.readState()
      const target = await chooseRollback(this.#versions, state, to)
      await this.#switchTo(target, state.live)
      return target
    })
  }

  async #checkNow(signal: AbortSignal): Promise<void> {
    const { bundleUrl, refresh } = this.#settings
    const mayUseLink = bundleUrl !== undefined && (this.#isFirstCheck || refresh === undefined)
    if (!mayUseLink) return this.#takeFresh(signal)
    try {
      await this.#take(
        { address: bundleUrl, sha256: this.#settings.sha256, label: this.#settings.version },
        signal,
      )
    } catch (error) {
      if (refresh === undefined || !(error instanceof FetchError)) throw error
      await this.#takeFresh(signal)
    }
  }

  async #takeFresh(signal: AbortSignal): Promise<void> {
    const { refresh, sha256, version } = this.#settings
    if (refresh === undefined) throw new FetchError('not_found', 'There is no link to fetch from.')
    const link = await requestFreshLink(refresh, signal)
    if (version !== undefined && link.version !== undefined && link.version !== version) {
      throw new FetchError(
        'bad_answer',
        `The export is version ${link.version}, and staticExport.version is ${version}.`,
      )
    }
    const label = version ?? link.version
    await this.#take(
      { address: link.bundleUrl, sha256: sha256 ?? link.sha256, label, isMinted: true },
      signal,
    )
  }

  async #take(
    link: { address: string; sha256: string | undefined; label: string | undefined; isMinted?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const signature = await this.#fetchSignature(link.address, signal)
    const known = await this.#findWhole(link.sha256)
    if (known !== undefined) return this.#offer(known, link.label, signature)
    const address = hash('sha256', link.address) // A link may hold a signature, which has no place on the disk.
    const last = this.#state.fetched?.address === address ? this.#state.fetched : undefined
    const lastVersion = last === undefined ? undefined : await this.#versions.read(last.id)
    const fetched = await fetchBundle({
      address: link.address,
      knownTag: lastVersion === undefined ? undefined : last?.tag,
      allowHttp: this.#settings.insecureHttp || link.sha256 !== undefined,
      signal,
    })
    if (fetched.type === 'unchanged') {
      if (lastVersion !== undefined) await this.#offer(lastVersion, link.label, signature)
      return
    }
    const incoming = this.#versions.newIncomingFolder()
    try {
      const { manifest, sha256 } = await unpackBundle({
        archive: fetched.stream,
        into: join(incoming, 'bundle'),
        limits: definedLimits(this.#settings.limits),
      })
      if (link.sha256 !== undefined && sha256 !== link.sha256) {
        throw new BundleError(
          'file_changed',
          `The archive has the sha256 ${sha256} instead of ${link.sha256}.`,
        )
      }
      this.#checkSignature(manifest, signature)
      signal.throwIfAborted()
      const version: Version = {
        id: sha256.slice(0, 24),
        digest: manifest.digest,
        sha256,
        label: link.label,
        name: manifest.name,
        pageCount: manifest.pageCount,
        fetchedAt: this.#now(),
        source: shown(link.address),
      }
      if ((await this.#versions.read(version.id)) === undefined) {
        await this.#versions.add(incoming, version, signature)
      }
      const { tag } = fetched
      this.#state = {
        ...this.#state,
        fetched: tag === undefined ? undefined : { address, tag, id: version.id },
      }
      await this.#versions.writeState(this.#state)
      await this.#offer(version, link.label, signature)
    } finally {
      fetched.stream.destroy()
      await rm(incoming, { recursive: true, force: true })
    }
  }

  /** Undefined where no signature is asked for. */
  async #fetchSignature(bundleAddress: string, signal: AbortSignal): Promise<string | undefined> {
    const settings = this.#settings.signature
    return settings && fetchSignature({ settings, bundleAddress, signal })
  }

  /** The version that the bundle was signed as; throws where what the settings ask for is not given. */
  #checkSignature(manifest: Manifest, signature: string | undefined): string | undefined {
    const settings = this.#settings.signature
    return settings && checkSignature(manifest, signature, settings).version
  }

  async #findWhole(sha256: string | undefined): Promise<Version | undefined> {
    return sha256 === undefined ? undefined : this.#versions.read(sha256.slice(0, 24))
  }

  /** A version that was fetched goes live unless it is live already or was left by a rollback. */
  async #offer(found: Version, label: string | undefined, signature: string | undefined): Promise<void> {
    if (signature !== undefined) await this.#acceptSignature(found, signature)
    const version =
      label === undefined || label === found.label ? found : await this.#versions.relabel(found, label)
    if (this.#live === undefined || ![this.#live.version.id, this.#state.heldBack].includes(version.id)) {
      return this.#switchTo(version, undefined)
    }
    if (version.id === this.#live.version.id) this.#live = { ...this.#live, version }
    this.#onEvent({ type: 'unchanged', version: this.#live.version })
    await this.#prune()
  }

  /** The signature that came with a version is kept with it, once it holds and is of no older version than the one that is live. */
  async #acceptSignature({ id }: Version, signature: string): Promise<void> {
    if ((await this.#versions.readSignature(id)) === signature && this.#live?.version.id === id) return
    const signedAs = this.#checkSignature(await readManifest(this.#versions.bundleFolder(id)), signature)
    if (this.#state.heldBack !== id) refuseDowngrade(signedAs, this.#signedAs)
    await this.#versions.writeSignature(id, signature)
    if (this.#live?.version.id === id) this.#signedAs = signedAs
  }

  /** The one step: after the state is written the next request is answered from the new version, whole. */
  async #switchTo(version: Version, heldBack: string | undefined): Promise<void> {
    const from = this.#state.live
    const { server, signedAs } = await this.#open(version)
    this.#state = nextState(this.#state, { version, heldBack, now: this.#now() })
    await this.#versions.writeState(this.#state)
    this.#live = { version, server, previous: await this.#previous() }
    this.#signedAs = signedAs
    this.#onEvent({ type: 'switched', version, from })
    await this.#prune()
  }

  async #serve(version: Version): Promise<void> {
    const { server, signedAs } = await this.#open(version)
    if (this.#state.live !== version.id) {
      this.#state = nextState(this.#state, { version, heldBack: this.#state.heldBack, now: this.#now() })
      await this.#versions.writeState(this.#state)
    }
    this.#live = { version, server, previous: await this.#previous() }
    this.#signedAs = signedAs
  }

  async #prune(): Promise<void> {
    const { keepVersions: keep } = this.#settings
    await this.#versions.prune({ state: this.#state, keep, now: this.#now(), graceMs })
  }

  /** Every version on its way to the readers passes here, and with it what the settings ask of its signature. */
  async #open(version: Version): Promise<{ server: BundleServer; signedAs: string | undefined }> {
    const folder = this.#versions.bundleFolder(version.id)
    const signedAs =
      this.#settings.signature &&
      this.#checkSignature(await readManifest(folder), await this.#versions.readSignature(version.id))
    const server = await openBundleServer({
      folder,
      cache: this.#cache,
      compressedFolder: this.#versions.compressedFolder,
    })
    return { server, signedAs }
  }

  async #previous(): Promise<PreviousBundle[]> {
    const kept = new Map<string, PreviousBundle>()
    for (const { id, until } of this.#state.earlier) {
      if (this.#now() - until >= graceMs) continue
      const folder = this.#versions.bundleFolder(id)
      const known = this.#previousBundles.get(id)
      const manifest = known === undefined ? await readManifest(folder).catch(() => undefined) : undefined
      if (known !== undefined) kept.set(id, known)
      else if (manifest !== undefined) kept.set(id, previousBundle(folder, manifest))
    }
    this.#previousBundles = kept
    return [...kept.values()]
  }

  /** Changes follow one another, whoever asks for them. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }
}

/** A rollback while no process serves: the next start finds it. */
export async function rollbackOffline(input: { data: string; to?: string; now: number }): Promise<Version> {
  const versions = new HostVersions(input.data)
  const state = await versions.readState()
  const version = await chooseRollback(versions, state, input.to)
  await versions.writeState(nextState(state, { version, heldBack: state.live, now: input.now }))
  return version
}

async function chooseRollback(
  versions: HostVersions,
  state: HostState,
  to: string | undefined,
): Promise<Version> {
  const all = await versions.list()
  if (to !== undefined) {
    const named = all.find((version) => version.label === to || version.id.startsWith(to.slice(0, 24)))
    if (named !== undefined) return named
    const known = all.map((version) => version.label ?? version.id).join(', ')
    throw new Error(`There is no version ${to} here. Kept versions: ${known || 'none'}.`)
  }
  for (const { id } of state.earlier) {
    const earlier = all.find((version) => version.id === id && version.id !== state.live)
    if (earlier !== undefined) return earlier
  }
  throw new Error('There is no earlier version to go back to.')
}

function nextState(
  state: HostState,
  input: { version: Version; heldBack: string | undefined; now: number },
): HostState {
  const left =
    state.live !== undefined && state.live !== input.version.id ? [{ id: state.live, until: input.now }] : []
  const earlier = [...left, ...state.earlier.filter(({ id }) => id !== state.live && id !== input.version.id)]
  return { ...state, live: input.version.id, earlier: earlier.slice(0, 1000), heldBack: input.heldBack }
}

function definedLimits(limits: HostSettings['staticExport']['limits']): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined),
  )
}

const isRefusal = ({ code }: BundleError) => /^(signature|version|key)_/.test(code)

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Readers with an old page open still find its styles and scripts for a day. */
const graceMs = 24 * 3600 * 1000
