/** The header of one plain file, with a PAX record before it where the name or the size does not fit. */
export function tarHeader(file: { path: string; sizeBytes: number; sha256: string }): Buffer {
  const modifiedAt = timeOfContent(file.sha256)
  const isPlainName = file.path.length <= 100 && /^[\x20-\x7e]*$/.test(file.path)
  if (isPlainName && file.sizeBytes < octalLimit) {
    return header({ name: file.path, sizeBytes: file.sizeBytes, type: '0', modifiedAt })
  }
  const records = Buffer.concat([
    isPlainName ? Buffer.alloc(0) : paxRecord('path', file.path),
    file.sizeBytes < octalLimit ? Buffer.alloc(0) : paxRecord('size', String(file.sizeBytes)),
  ])
  return Buffer.concat([
    header({ name: 'PaxHeader', sizeBytes: records.length, type: 'x', modifiedAt }),
    records,
    tarPadding(records.length),
    header({
      name: isPlainName ? file.path : `PaxName/${file.sha256.slice(0, 32)}`,
      sizeBytes: file.sizeBytes < octalLimit ? file.sizeBytes : 0,
      type: '0',
      modifiedAt,
    }),
  ])
}

export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
}

export const blockBytes = 512

/**
 * A file's time follows from its content: the same bytes have the same time, and other bytes of the same length another,
 * so that the ETag a plain web server makes of time and length is never stale after an update.
 */
function timeOfContent(sha256: string): number {
  const year2000 = 946_684_800
  return year2000 + (Number.parseInt(sha256.slice(0, 8), 16) >>> 4)
}

function header(entry: { name: string; sizeBytes: number; type: '0' | 'x'; modifiedAt: number }): Buffer {
  const block = Buffer.alloc(blockBytes)
  block.write(entry.name, 0, 100, 'latin1')
  block.write('0000644\0', 100, 'latin1')
  block.write('0000000\0', 108, 'latin1')
  block.write('0000000\0', 116, 'latin1')
  block.write(`${entry.sizeBytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  block.write(`${entry.modifiedAt.toString(8).padStart(11, '0')}\0`, 136, 'latin1')
  block.write('        ', 148, 'latin1')
  block.write(entry.type, 156, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

/** A record says its own length, its digits included. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}

const octalLimit = 8 ** 11
