export type ImageSize = { width: number; height: number }

/** The size of a picture from the first bytes of its file: PNG, JPEG, GIF, WebP, AVIF and SVG; undefined for others. */
export function readImageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size =
    readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view) ?? readAvif(view) ?? readSvg(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function tag(view: DataView, offset: number, length: number): string {
  let text = ''
  for (let index = offset; index < Math.min(offset + length, view.byteLength); index++)
    text += String.fromCharCode(view.getUint8(index))
  return text
}

function readPng(view: DataView): ImageSize | undefined {
  if (view.byteLength < 24 || tag(view, 1, 3) !== 'PNG') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function readGif(view: DataView): ImageSize | undefined {
  if (view.byteLength < 10 || tag(view, 0, 3) !== 'GIF') return undefined
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function readWebp(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30 || tag(view, 0, 4) !== 'RIFF' || tag(view, 8, 4) !== 'WEBP') return undefined
  const kind = tag(view, 12, 4)
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8X') return undefined
  const three = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536
  return { width: three(24) + 1, height: three(27) + 1 }
}

/** Walks the segments to the frame's header; turned pictures (EXIF 5 to 8) are left to the browser. */
function readJpeg(view: DataView): ImageSize | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  let offset = 2
  while (offset + 9 < view.byteLength) {
    if (view.getUint8(offset) !== 0xff) return undefined
    const marker = view.getUint8(offset + 1)
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) }
    }
    if (marker === 0xe1 && tag(view, offset + 4, 4) === 'Exif' && isTurned(view, offset + 10))
      return undefined
    offset += 2 + view.getUint16(offset + 2)
  }
  return undefined
}

function isTurned(view: DataView, start: number): boolean {
  const little = tag(view, start, 2) === 'II'
  if (start + 8 > view.byteLength) return false
  const directory = start + view.getUint32(start + 4, little)
  if (directory + 2 > view.byteLength) return false
  const count = view.getUint16(directory, little)
  for (let entry = 0; entry < count; entry++) {
    const place = directory + 2 + entry * 12
    if (place + 12 > view.byteLength) return false
    if (view.getUint16(place, little) === 0x0112) return view.getUint16(place + 8, little) >= 5
  }
  return false
}

function readAvif(view: DataView): ImageSize | undefined {
  if (view.byteLength < 32 || tag(view, 4, 8) !== 'ftypavif') return undefined
  const head = tag(view, 0, Math.min(view.byteLength, 4096))
  const place = head.indexOf('ispe')
  return place === -1 || place + 16 > view.byteLength
    ? undefined
    : { width: view.getUint32(place + 8), height: view.getUint32(place + 12) }
}

function readSvg(bytes: Uint8Array): ImageSize | undefined {
  const head = new TextDecoder().decode(bytes.subarray(0, 4096))
  const start = /<svg\b[^>]*>/i.exec(head)?.[0]
  if (start === undefined) return undefined
  const length = (name: string) =>
    Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`).exec(start)?.[1])
  const [width, height] = [length('width'), length('height')]
  if (width > 0 && height > 0) return { width, height }
  const box = /\sviewBox\s*=\s*["']\s*[\d.eE+-]+[\s,]+[\d.eE+-]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(start)
  return box === null ? undefined : { width: Number(box[1]), height: Number(box[2]) }
}
