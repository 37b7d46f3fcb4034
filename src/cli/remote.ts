import { UsageError } from './command.ts'

/** A Quire server and the admin key to it, from flags or the environment. */
export type Remote = { url: string; key: string }

export const remoteFlags = { url: { type: 'string' }, key: { type: 'string' } } as const

export function readRemote(values: { url?: string | undefined; key?: string | undefined }): Remote {
  const key = values.key ?? process.env.QUIRE_ADMIN_KEY
  if (!key) throw new UsageError('Give the admin key with --key, or in the environment as QUIRE_ADMIN_KEY.')
  return { url: (values.url ?? process.env.QUIRE_URL ?? 'http://127.0.0.1:4000').replace(/\/+$/, ''), key }
}

type ErrorBody = { error?: string; code?: string; details?: { path: string; message: string }[] }

/** Calls the server and gives its JSON; an error of its is told in its own words. */
export async function callRemote<Answer>(remote: Remote, path: string, init: RequestInit): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(remote.url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${remote.key}` },
    })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new UsageError(`The server at ${remote.url} cannot be reached: ${cause}. Check --url (QUIRE_URL).`)
  }
  if (response.ok) return (await response.json()) as Answer
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const details = (body.details ?? []).map(({ path, message }) => `\n  ${path}  ${message}`).join('')
  throw new UsageError(`${body.error ?? `The server answered with status ${response.status}.`}${details}`)
}
