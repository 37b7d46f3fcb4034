import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { z } from 'zod'

/** The secrets behind download links: the newest signs, every one that is still here verifies. */
export interface SigningKeys {
  newest(): Promise<SigningKey>
  find(id: string): Promise<SigningKey | null>
}

export interface SigningKey {
  id: string
  secret: string
}

/** Keys in a file that is read again whenever it changed, so that a revoked key dies with the next request. */
export async function openSigningKeys(file: string): Promise<SigningKeys> {
  if ((await readKeys(file)) === null) await writeKeys(file, [newSigningKey()], 'unless-there')
  let known: { stamp: string; keys: SigningKey[] } | null = null

  async function keys(): Promise<SigningKey[]> {
    const { mtimeNs, ino, size } = await stat(file, { bigint: true })
    const stamp = `${mtimeNs} ${ino} ${size}`
    if (known?.stamp !== stamp) known = { stamp, keys: (await readKeys(file)) ?? [] }
    return known.keys
  }

  return {
    async newest() {
      const newest = (await keys()).at(-1)
      if (newest === undefined)
        throw new Error(`${file} holds no signing key; delete it to get a new one at the next start.`)
      return newest
    },
    async find(id) {
      return (await keys()).find((key) => key.id === id) ?? null
    },
  }
}

/** New links use a new key; links under the old ones live to their expiry. */
export async function rotateSigningKey(file: string): Promise<SigningKey> {
  const added = newSigningKey()
  await writeKeys(file, [...((await readKeys(file)) ?? []), added])
  return added
}

/** Every link signed with this key is dead from now on. */
export async function revokeSigningKey(file: string, id: string): Promise<void> {
  const left = ((await readKeys(file)) ?? []).filter((key) => key.id !== id)
  await writeKeys(file, left.length === 0 ? [newSigningKey()] : left)
}

const keysSchema = z.object({
  keys: z.array(z.object({ id: z.string().regex(/^[a-z0-9]{8}$/), secret: z.string().min(32) })),
})

async function readKeys(file: string): Promise<SigningKey[] | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : keysSchema.parse(JSON.parse(text)).keys
}

async function writeKeys(
  file: string,
  keys: SigningKey[],
  when: 'always' | 'unless-there' = 'always',
): Promise<void> {
  const partial = `${file}.${randomUUID()}`
  const handle = await open(partial, 'wx', 0o600) // The secrets are for the server's own user alone.
  try {
    await handle.writeFile(`${JSON.stringify({ keys }, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (when === 'always') return rename(partial, file)
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error // Another node on the same folder was first: its keys count.
  })
  await unlink(partial)
}

function newSigningKey(): SigningKey {
  return { id: randomBytes(4).toString('hex'), secret: randomBytes(32).toString('base64url') }
}
