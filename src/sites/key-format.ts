import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type KeyKind = 'admin' | 'assistant'

const prefixes: Record<KeyKind, string> = { admin: 'quire_', assistant: 'quire_dsc_' }
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^(quire_dsc_|quire_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** A new key: its kind's prefix, 32 random base62 characters, and a checksum that finds out typing errors. */
export function makeKey(kind: KeyKind, random: (size: number) => Buffer = randomBytes): string {
  let secret = ''
  while (secret.length < 32) {
    for (const byte of random(48)) {
      if (byte < 248 && secret.length < 32) secret += base62[byte % 62] // Bytes over 248 would favour some characters.
    }
  }
  return prefixes[kind] + secret + checksum(prefixes[kind] + secret)
}

/** The kind of a well-formed key, or null; needs no database. */
export function readKeyKind(key: string): KeyKind | null {
  const match = shape.exec(key)
  if (!match || checksum(match[1]! + match[2]!) !== match[3]) return null
  return match[1] === prefixes.assistant ? 'assistant' : 'admin'
}

/** What is stored of a key; the key itself is shown once and forgotten. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** What may be shown of a key later: `quire_dsc_Ab3…9xYz`. */
export function keyDisplay(kind: KeyKind, key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, prefixes[kind].length + 3), lastFour: key.slice(-4) }
}

function checksum(text: string): string {
  let value = crc32(text)
  let digits = ''
  for (let index = 0; index < 6; index += 1) {
    digits = base62[value % 62] + digits
    value = Math.floor(value / 62)
  }
  return digits
}
