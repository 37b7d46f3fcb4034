import type { GuardedFetchOptions } from '../../http/index.ts'
import type { Problem } from '../compiler-api.ts'

/** Keeps what was fetched between builds, so that a build survives a host that is away. */
export type SpecCache = {
  read(address: string): Promise<string | undefined>
  write(address: string, text: string): Promise<void>
}

export type FetchedSpec = { text?: string; problems: Problem[] }

const maximumBytes = 32 * 1024 * 1024

/**
 * Fetches a specification that a project names by its address. Only public hosts are reached. A failure is a problem at
 * the place that names the address; the last copy stands in where there is one.
 */
export async function fetchSpec(input: {
  address: string
  /** Where the project names it. */
  file: string
  line?: number
  column?: number
  cache?: SpecCache
  fetchOptions?: GuardedFetchOptions
}): Promise<FetchedSpec> {
  const place = { file: input.file, line: input.line ?? 1, column: input.column ?? 1 }
  const failure = (message: string, hint: string): Problem => ({
    severity: 'error',
    code: 'spec_fetch_failed',
    ...place,
    message: `The specification ${input.address} could not be fetched: ${message}`,
    hint,
  })
  const result = await attempt(input.address, input.fetchOptions ?? {})
  if ('text' in result) {
    await input.cache?.write(input.address, result.text)
    return { text: result.text, problems: [] }
  }
  const problem = failure(result.message, result.hint)
  const kept = await input.cache?.read(input.address)
  if (kept === undefined) return { problems: [problem] }
  return {
    text: kept,
    problems: [{ ...problem, severity: 'warning', hint: `${problem.hint} The last copy is used.` }],
  }
}

/** The same for `compileSite`, which reports a failure itself. */
export function specFetcher(options: {
  cache?: SpecCache
  fetchOptions?: GuardedFetchOptions
}): (address: string) => Promise<string> {
  return async (address) => {
    const result = await attempt(address, options.fetchOptions ?? {})
    if ('text' in result) {
      await options.cache?.write(address, result.text)
      return result.text
    }
    const kept = await options.cache?.read(address)
    if (kept === undefined) throw new Error(`${result.message} ${result.hint}`)
    return kept
  }
}

async function attempt(
  address: string,
  options: GuardedFetchOptions,
): Promise<{ text: string } | { message: string; hint: string }> {
  const hint = 'Check that the address opens without signing in, or put the file into the project.'
  // Loaded here, because few projects name an address and every thread that renders would load it.
  const { GuardedFetchError, guardedFetch } = await import('../../http/index.ts')
  try {
    const response = await guardedFetch(rawAddress(address), {
      headers: { accept: 'application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.5' },
      maximumBytes,
      acceptType: (type) => !/^(text\/html|image\/|audio\/|video\/|application\/pdf)/.test(type),
      ...options,
    })
    if (response.status < 200 || response.status > 299) {
      return { message: `The host answered ${response.status}.`, hint }
    }
    return { text: response.body.toString('utf8') }
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error
    if (error.code === 'wrong_type') {
      return {
        message: error.message,
        hint: 'Give the address of the JSON or YAML file itself, not of a page that shows it.',
      }
    }
    if (error.code === 'forbidden_address') {
      return {
        message: error.message,
        hint: 'Put the file into the project: internal hosts are never asked.',
      }
    }
    return { message: error.message, hint }
  }
}

/** A file as GitHub shows it in a page has the raw file at another address. */
function rawAddress(address: string): string {
  const match = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\/([^?#]+)/.exec(address)
  return match === null ? address : `https://raw.githubusercontent.com/${match[1]}/${match[2]}`
}
