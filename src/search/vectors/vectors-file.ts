/**
 * The vectors of a partition's passages, in their order, as one file that is read whole:
 *
 *   4 bytes   the length of the header
 *   header    JSON: VectorsHeader
 *   8 × n     the beginning of the digest of what each vector was made from
 *   4 × n     the scale of each vector as a float; 0 where there is no vector
 *   d × n     the vectors, each number in one signed byte
 */
export type VectorsHeader = {
  format: 1
  /** Who made them; vectors of another model cannot be compared. */
  model: string
  dimensions: number
  count: number
  /** False where some are missing: such a file is not searched, but the next publication takes from it what it has. */
  complete: boolean
}

export type Vectors = {
  header: VectorsHeader
  digests: Uint8Array
  scales: Float32Array
  values: Int8Array
}

export const vectorsFile = (partition: number) => `${partition}/vectors.bin`
export const digestBytes = 8

export function writeVectors({ header, digests, scales, values }: Vectors): Uint8Array {
  const head = Buffer.from(JSON.stringify(header))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(head.length)
  const bytes = (array: Uint8Array | Float32Array | Int8Array) =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength)
  return Buffer.concat([size, head, bytes(digests), bytes(scales), bytes(values)])
}

/** Undefined for what is no such file, or not a whole one. */
export function readVectors(bytes: Uint8Array): Vectors | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = file.length < 4 ? Number.POSITIVE_INFINITY : 4 + file.readUInt32LE(0)
  if (start > file.length) return undefined
  const header = readHeader(file.toString('utf8', 4, start))
  if (header === undefined) return undefined
  const { count, dimensions } = header
  if (file.length !== start + count * (digestBytes + 4 + dimensions)) return undefined
  const scalesAt = start + count * digestBytes
  const valuesAt = scalesAt + count * 4
  return {
    header,
    digests: Uint8Array.from(file.subarray(start, scalesAt)),
    scales: new Float32Array(Uint8Array.from(file.subarray(scalesAt, valuesAt)).buffer),
    values: new Int8Array(Uint8Array.from(file.subarray(valuesAt)).buffer),
  }
}

function readHeader(text: string): VectorsHeader | undefined {
  try {
    const header = JSON.parse(text) as Partial<VectorsHeader>
    const { format, model, dimensions, count, complete } = header
    const whole = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
    if (format !== 1 || typeof model !== 'string' || !whole(dimensions) || !whole(count)) return undefined
    return {
      format,
      model,
      dimensions: Number(dimensions),
      count: Number(count),
      complete: complete === true,
    }
  } catch {
    return undefined
  }
}

/** A vector in signed bytes and the scale that gives it back, to within a hundredth of its largest number. */
export function packVector(vector: Float32Array, into: Int8Array, at: number): number {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  if (largest === 0) return 0
  for (let i = 0; i < vector.length; i++) into[at + i] = Math.round((vector[i]! / largest) * 127)
  return largest / 127
}
