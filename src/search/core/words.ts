import { ByteReader } from './bytes.ts'
import { readShared } from './layout.ts'

/** Words the site has that were probably meant, nearest and most frequent first. */
export type Mended = { word: string; distance: number; frequency: number }

/**
 * Words of a shard within the typing errors that a word of this length is forgiven: one for 3 to 5 letters, two for
 * more. A swap of neighbours is one error.
 */
export function nearestWords(shard: Uint8Array, word: string, most: number): Mended[] {
  const allowed = allowedErrors(word)
  if (allowed === 0) return []
  const input = new ByteReader(shard)
  const found: Mended[] = []
  const rows = new EditRows(word)
  let candidate = ''
  for (let count = input.varint(); count > 0; count--) {
    candidate = readShared(input, candidate)
    const frequency = input.byte()
    if (Math.abs(candidate.length - word.length) > allowed) continue
    const distance = rows.distance(candidate, allowed)
    if (distance <= allowed && distance > 0) found.push({ word: candidate, distance, frequency })
  }
  return found.sort(byNearness).slice(0, most)
}

/** Words of a shard that begin as given, most frequent first. */
export function wordsWithPrefix(shard: Uint8Array, prefix: string, most: number): Mended[] {
  const input = new ByteReader(shard)
  const found: Mended[] = []
  let candidate = ''
  for (let count = input.varint(); count > 0; count--) {
    candidate = readShared(input, candidate)
    const frequency = input.byte()
    if (candidate.length > prefix.length && candidate.startsWith(prefix)) {
      found.push({ word: candidate, distance: 0, frequency })
    }
  }
  return found.sort(byNearness).slice(0, most)
}

export function allowedErrors(word: string): number {
  if (!/^\p{L}+$/u.test(word)) return 0
  return word.length < 3 ? 0 : word.length < 6 ? 1 : 2
}

function byNearness(a: Mended, b: Mended): number {
  return a.distance - b.distance || b.frequency - a.frequency || (a.word < b.word ? -1 : 1)
}

/** Optimal string alignment with one word fixed, so that its rows are allocated once. */
class EditRows {
  private readonly word: string
  private before: Uint8Array
  private last: Uint8Array
  private current: Uint8Array

  constructor(word: string) {
    this.word = word
    this.before = new Uint8Array(word.length + 1)
    this.last = new Uint8Array(word.length + 1)
    this.current = new Uint8Array(word.length + 1)
  }

  distance(other: string, allowed: number): number {
    const { word } = this
    for (let j = 0; j <= word.length; j++) this.last[j] = j
    for (let i = 1; i <= other.length; i++) {
      const code = other.charCodeAt(i - 1)
      this.current[0] = i
      let least = i
      for (let j = 1; j <= word.length; j++) {
        const same = code === word.charCodeAt(j - 1)
        let cost = Math.min(this.last[j - 1]! + (same ? 0 : 1), this.last[j]! + 1, this.current[j - 1]! + 1)
        if (
          i > 1 &&
          j > 1 &&
          code === word.charCodeAt(j - 2) &&
          other.charCodeAt(i - 2) === word.charCodeAt(j - 1)
        ) {
          cost = Math.min(cost, this.before[j - 2]! + 1)
        }
        this.current[j] = cost
        if (cost < least) least = cost
      }
      if (least > allowed) return least
      const spare = this.before
      this.before = this.last
      this.last = this.current
      this.current = spare
    }
    return this.last[word.length]!
  }
}
