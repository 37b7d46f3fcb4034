import type { Vectors } from './vectors-file.ts'

/**
 * The signs of all vectors, 32 to a word. How many signs two vectors share tells nearly as well as their product whether
 * they are near, in a fraction of the time.
 */
export type Signs = { words: number; bits: Uint32Array }

export function signsOf({ header: { count, dimensions }, values }: Vectors): Signs {
  const words = Math.ceil(dimensions / 32)
  const bits = new Uint32Array(count * words)
  for (let passage = 0; passage < count; passage++) {
    const start = passage * dimensions
    for (let i = 0; i < dimensions; i++) {
      if (values[start + i]! > 0) bits[passage * words + (i >> 5)]! |= 1 << (i & 31)
    }
  }
  return { words, bits }
}

/** The passages that share most signs with the question, so many and those that share as many as the last of them. */
export function likelyPassages({ words, bits }: Signs, question: Float32Array, most: number): Uint8Array {
  const asked = new Uint32Array(words)
  question.forEach((value, i) => {
    if (value > 0) asked[i >> 5]! |= 1 << (i & 31)
  })
  const count = bits.length / words
  const distances = new Uint16Array(count)
  const histogram = new Uint32Array(words * 32 + 1)
  for (let passage = 0, at = 0; passage < count; passage++) {
    let distance = 0
    for (let word = 0; word < words; word++) distance += countBits(bits[at++]! ^ asked[word]!)
    distances[passage] = distance
    histogram[distance]! += 1
  }
  let farthest = 0
  for (let taken = histogram[0]!; taken < Math.min(most, count); ) taken += histogram[++farthest]!
  const likely = new Uint8Array(count)
  for (let passage = 0; passage < count; passage++) likely[passage] = distances[passage]! <= farthest ? 1 : 0
  return likely
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f
  return Math.imul(bits, 0x01010101) >>> 24
}
