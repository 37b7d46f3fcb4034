import { deflateRawSync, gzipSync } from 'node:zlib'

export type HostileArchive = { kind: string; bytes: Buffer }

/** Archives that must all be refused: each kind of attack in every place and every spelling that tar has for it. */
export function* hostileArchives(): Generator<HostileArchive> {
  yield* hostileNames()
  yield* hostileTypes()
  yield* hostileModes()
  yield* collisions()
  yield* hostileRecords()
  yield* brokenHeaders()
  yield* brokenEnds()
  yield* brokenGzip()
}

function* hostileNames(): Generator<HostileArchive> {
  const names: Record<string, string | Buffer> = {
    parent: '../evil',
    'parent twice': '../../evil',
    'parent inside': 'a/../../evil',
    'parent at the end': 'a/..',
    'parent alone': '..',
    'parent and back': 'a/../evil',
    'dot parent': './../evil',
    'parent with backslash': '..\\evil',
    'parent inside, backslash': 'a\\..\\..\\evil',
    'mixed slashes': 'a/..\\..\\evil',
    'parent after dots': '././../evil',
    'long way up': `${'../'.repeat(20)}tmp/evil`,
    absolute: '/tmp/evil',
    'absolute twice': '//tmp/evil',
    'absolute after dot': './/tmp/evil',
    'absolute backslash': '\\tmp\\evil',
    'drive absolute': 'C:\\evil',
    'drive slash': 'C:/evil',
    'drive relative': 'c:evil',
    'drive after dot': './C:/evil',
    unc: '\\\\server\\share\\evil',
    'unc slash': '//server/share/evil',
    device: '\\\\.\\C:\\evil',
    'long device': '\\\\?\\C:\\evil',
    'stream of a file': 'index.html:evil',
    'default stream': 'index.html::$DATA',
    'stream of a folder': 'a:evil:$INDEX_ALLOCATION/x',
    newline: 'a\nb',
    'carriage return': 'a\rb',
    escape: 'a\u001b[2Jb',
    bell: 'a\u0007',
    delete: 'a\u007f',
    'C1 control': 'a\u0085b',
    'line separator': 'a\u2028b',
    'empty part': 'a//b',
    'dot inside': 'a/./b',
    'dot at the end': 'a/.',
    'trailing dot': 'evil.',
    'trailing space': 'evil ',
    'folder trailing dot': 'a./b',
    'folder trailing space': 'a /b',
    'three dots': '.../evil',
    'dots and space': '.. /evil',
    'slash at the end': 'evil/',
    'dot alone': '.',
    'tilde parent': '~/../evil',
    'not UTF-8': Buffer.from([0x61, 0xff, 0xfe]),
    'overlong slash': Buffer.from([0x2e, 0x2e, 0xc0, 0xaf, 0x65]),
    'overlong dot': Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x65]),
    surrogate: Buffer.from([0xed, 0xa0, 0x80]),
    'cut UTF-8': Buffer.from([0x61, 0xe2, 0x82]),
    'replacement character': 'a\ufffd',
    'very deep': `${'a/'.repeat(200)}b`,
    'very long part': 'x'.repeat(300),
    'very long': `${`${'x'.repeat(200)}/`.repeat(10)}y`,
  }
  for (const [kind, name] of Object.entries(names)) {
    const bytes = Buffer.from(name)
    const target = { data: 'evil' }
    if (bytes.length <= 100) {
      yield { kind: `name: ${kind}`, bytes: pack([...good, entry({ ...target, name: bytes }), ...goodAfter]) }
      yield {
        kind: `name: ${kind}, GNU header`,
        bytes: pack([entry({ ...target, name: bytes, magic: 'gnu' }), ...good]),
      }
    }
    yield {
      kind: `name: ${kind}, PAX`,
      bytes: pack([...good, pax({ path: bytes }), entry({ ...target, name: 'good.html' })]),
    }
    yield {
      kind: `name: ${kind}, long name`,
      bytes: pack([...good, longName(bytes), entry({ ...target, name: 'good.html', magic: 'gnu' })]),
    }
    const slash = bytes.indexOf(0x2f)
    if (slash > 0 && slash < 100 && bytes.length - slash < 100) {
      const split = { name: bytes.subarray(slash + 1), prefix: bytes.subarray(0, slash) }
      yield { kind: `name: ${kind}, prefix`, bytes: pack([...good, entry({ ...target, ...split })]) }
    }
    if (!/[./ ]$/.test(kind === 'parent' ? 'x' : bytes.toString('latin1')) && bytes.length <= 99) {
      const folder = Buffer.concat([bytes, Buffer.from('/')])
      yield {
        kind: `folder: ${kind}`,
        bytes: pack([...good, entry({ name: folder, type: '5' }), ...goodAfter]),
      }
    }
  }
  yield { kind: 'name: none', bytes: pack([...good, entry({ name: '', data: 'x' })]) }
  yield {
    kind: 'name: NUL in PAX',
    bytes: pack([pax({ path: 'good\0/../evil' }), entry({ name: 'x', data: 'x' })]),
  }
  yield {
    kind: 'name: NUL in long name',
    bytes: pack([longName(Buffer.from('good\0evil')), entry({ name: 'x', data: 'x' })]),
  }
  yield { kind: 'name: empty in PAX', bytes: pack([pax({ path: '' }), entry({ name: 'x', data: 'x' })]) }
}

function* hostileTypes(): Generator<HostileArchive> {
  const types: Record<string, string> = {
    'hard link': '1',
    'symbolic link': '2',
    'character device': '3',
    'block device': '4',
    pipe: '6',
    'GNU long link': 'K',
    'GNU dump folder': 'D',
    'GNU many volumes': 'M',
    'GNU old long name': 'N',
    'GNU sparse': 'S',
    'GNU volume name': 'V',
    'Solaris ACL': 'A',
    'Solaris extended': 'E',
    'inode only': 'I',
    'Solaris PAX': 'X',
    'unknown letter': 'Z',
    'unknown digit': '8',
    'unknown byte': '\u00ff',
  }
  const targets = ['../outside', '/etc/passwd', 'index.html', '.', 'a/b', '']
  for (const [kind, type] of Object.entries(types)) {
    for (const link of targets) {
      const hostile = entry({ name: 'evil', type, link })
      yield { kind: `${kind} to "${link}", first`, bytes: pack([hostile, ...good]) }
      yield { kind: `${kind} to "${link}", last`, bytes: pack([...good, hostile]) }
    }
    yield {
      kind: `${kind}, then through it`,
      bytes: pack([entry({ name: 'evil', type, link: '..' }), entry({ name: 'evil/x', data: 'x' })]),
    }
    yield {
      kind: `${kind} with bytes`,
      bytes: pack([entry({ name: 'evil', type, link: 'x', data: 'payload' }), ...good]),
    }
  }
  yield {
    kind: 'chain of links',
    bytes: pack(
      ['b', 'c', 'd', '..'].map((link, index) => entry({ name: 'abcd'[index] ?? '', type: '2', link })),
    ),
  }
  yield {
    kind: 'plain file with a link’s target',
    bytes: pack([entry({ name: 'a', type: '0', link: '/etc/passwd' })]),
  }
  yield {
    kind: 'PAX link target on a plain file',
    bytes: pack([pax({ linkpath: '/etc/passwd' }), entry({ name: 'a' })]),
  }
  yield {
    kind: 'PAX link target on a link',
    bytes: pack([pax({ linkpath: '../x' }), entry({ name: 'a', type: '2', link: 'y' })]),
  }
  yield {
    kind: 'GNU long link, then a link',
    bytes: pack([
      entry({ name: '././@LongLink', type: 'K', data: '../x\0' }),
      entry({ name: 'a', type: '2' }),
    ]),
  }
  for (const key of [
    'GNU.sparse.major',
    'GNU.sparse.name',
    'GNU.sparse.map',
    'GNU.sparse.size',
    'GNU.sparse.realsize',
  ]) {
    yield { kind: `sparse by ${key}`, bytes: pack([pax({ [key]: '1' }), entry({ name: 'a', data: 'x' })]) }
    yield {
      kind: `sparse by ${key}, for all`,
      bytes: pack([pax({ [key]: '1' }, 'g'), entry({ name: 'a', data: 'x' })]),
    }
  }
  yield { kind: 'folder with bytes', bytes: pack([entry({ name: 'a/', type: '5', data: 'payload' })]) }
}

function* hostileModes(): Generator<HostileArchive> {
  for (const mode of [0o4755, 0o2755, 0o6755, 0o4000, 0o7777]) {
    for (const magic of ['ustar', 'gnu', 'v7'] as const) {
      yield {
        kind: `mode ${mode.toString(8)}, ${magic}`,
        bytes: pack([...good, entry({ name: 'run', mode, magic, data: 'x' })]),
      }
    }
  }
  yield {
    kind: 'folder that runs as its owner',
    bytes: pack([entry({ name: 'a/', type: '5', mode: 0o4755 })]),
  }
}

function* collisions(): Generator<HostileArchive> {
  const pairs: [string, string, string][] = [
    ['duplicate', 'a.html', 'a.html'],
    ['duplicate by dot', 'a.html', './a.html'],
    ['case', 'a.html', 'A.html'],
    ['case of the extension', 'a.html', 'a.HTML'],
    ['case of a folder', 'x/a.html', 'X/a.html'],
    ['composed and not', 'caf\u00e9', 'cafe\u0301'],
    ['composed, other case', 'CAF\u00c9', 'cafe\u0301'],
    ['sharp s', 'stra\u00dfe', 'strasse'],
    ['capital sharp s', 'STRA\u1e9eE', 'strasse'],
    ['ligature', '\ufb01le', 'file'],
    ['dotless i', '\u0130x', 'i\u0307x'],
    ['final sigma', '\u03c3', '\u03c2'],
    ['Kelvin', '\u212a', 'k'],
    ['angstrom', '\u212b', '\u00e5'],
    ['full width', '\uff41', 'a'],
    ['file then folder', 'a', 'a/b'],
    ['folder then file', 'a/b', 'a'],
    ['file then folder, other case', 'A', 'a/b'],
    ['deep file then folder', 'x/a', 'x/a/b/c'],
    ['the manifest’s twin', '_quire/manifest.json', '_QUIRE/MANIFEST.JSON'],
  ]
  for (const [kind, first, second] of pairs) {
    for (const carrier of ['plain', 'PAX', 'long'] as const) {
      yield {
        kind: `collision: ${kind}, ${carrier}`,
        bytes: pack([...named(first, carrier), ...named(second, carrier)]),
      }
      yield {
        kind: `collision: ${kind}, turned round, ${carrier}`,
        bytes: pack([...named(second, carrier), ...good, ...named(first, carrier)]),
      }
    }
  }
  yield {
    kind: 'collision: file and folder entry',
    bytes: pack([entry({ name: 'a', data: 'x' }), entry({ name: 'a/', type: '5' })]),
  }
  yield {
    kind: 'collision: folder entry and file',
    bytes: pack([entry({ name: 'a/', type: '5' }), entry({ name: 'a', data: 'x' })]),
  }
}

function* hostileRecords(): Generator<HostileArchive> {
  const file = entry({ name: 'a', data: 'x'.repeat(600) })
  const sizes = {
    larger: '5000',
    smaller: '3',
    zero: '0',
    huge: '999999999999999',
    negative: '-1',
    hexadecimal: '0x10',
    fraction: '600.5',
    empty: '',
    exponent: '6e2',
  }
  for (const [kind, size] of Object.entries(sizes)) {
    yield { kind: `PAX size: ${kind}`, bytes: pack([pax({ size }), file, ...good]) }
    yield { kind: `PAX size for all: ${kind}`, bytes: pack([pax({ size }, 'g'), file, ...good]) }
  }
  // A size that hides the next header inside the body, where a trusting reader would see other entries.
  yield {
    kind: 'PAX size hides an entry',
    bytes: pack([
      pax({ size: '1024' }),
      entry({ name: 'a', data: '' }),
      entry({ name: '../evil', data: 'x' }),
    ]),
  }
  const bodies: Record<string, string> = {
    'length too long': '99 path=a\n',
    'length too short': '5 path=abc\n',
    'no length': 'path=a\n',
    'length zero': '0 path=a\n',
    'negative length': '-5 path=a\n',
    'length with a zero in front': '010 path=a\n',
    'no equals sign': '8 pathx\n',
    'no name': '6 =ab\n',
    'no newline': '10 path=ab',
    'huge length': '99999999999999999999 path=a\n',
    'letters as length': 'ab path=a\n',
    spaces: '   ',
    NULs: '\0\0\0\0',
    'second record broken': '9 path=a\n77 x=y\n',
  }
  for (const [kind, body] of Object.entries(bodies)) {
    yield {
      kind: `PAX record: ${kind}`,
      bytes: pack([entry({ name: 'PaxHeader', type: 'x', data: body }), file]),
    }
    yield {
      kind: `PAX record for all: ${kind}`,
      bytes: pack([entry({ name: 'PaxHeader', type: 'g', data: body }), file]),
    }
  }
  yield {
    kind: 'PAX: two names in one',
    bytes: pack([entry({ name: 'p', type: 'x', data: '9 path=b\n9 path=c\n' }), file]),
  }
  yield {
    kind: 'PAX: two sizes in one',
    bytes: pack([entry({ name: 'p', type: 'x', data: '12 size=600\n10 size=1\n' }), file]),
  }
  yield { kind: 'PAX: two in a row', bytes: pack([pax({ path: 'b' }), pax({ path: '../c' }), file]) }
  yield {
    kind: 'PAX name and long name',
    bytes: pack([pax({ path: 'b' }), longName(Buffer.from('c')), file]),
  }
  yield {
    kind: 'long name and PAX name',
    bytes: pack([longName(Buffer.from('c')), pax({ path: 'b' }), file]),
  }
  yield {
    kind: 'two long names',
    bytes: pack([longName(Buffer.from('c')), longName(Buffer.from('b')), file]),
  }
  yield { kind: 'PAX name for all', bytes: pack([pax({ path: 'x' }, 'g'), file]) }
  yield { kind: 'PAX link for all', bytes: pack([pax({ linkpath: 'x' }, 'g'), file]) }
  yield { kind: 'PAX without an entry', bytes: pack([...good, pax({ path: 'x' })]) }
  yield { kind: 'long name without an entry', bytes: pack([...good, longName(Buffer.from('x'))]) }
  yield { kind: 'PAX without records', bytes: pack([entry({ name: 'p', type: 'x' }), file]) }
  yield { kind: 'PAX too long', bytes: pack([pax({ comment: 'x'.repeat(100_000) }), file]) }
  yield { kind: 'long name too long', bytes: pack([longName(Buffer.from('x/'.repeat(50_000))), file]) }
}

function* brokenHeaders(): Generator<HostileArchive> {
  const plain = entry({ name: 'a', data: 'hello' })
  const change = (kind: string, offset: number, text: string | Buffer, mend = true): HostileArchive => {
    const block = Buffer.from(plain)
    Buffer.from(text).copy(block, offset)
    if (mend) writeChecksum(block)
    return { kind: `header: ${kind}`, bytes: pack([...good, block]) }
  }
  yield change('wrong checksum', 148, '0000000', false)
  yield change('checksum that is no number', 148, 'abcdefg', false)
  yield change('name changed behind the checksum', 0, 'b', false)
  yield change('size that is no number', 124, 'zzzzzzzzzzz')
  yield change('size with a minus', 124, '-0000000001')
  yield change('size in binary', 124, Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]))
  yield change('size negative in binary', 124, Buffer.alloc(12, 0xff))
  yield change('size with an eight', 124, '00000000008')
  yield change('size of 8 GiB', 124, '77777777777')
  yield change('size beyond the end', 124, '00000077777')
  yield change('mode that is no number', 100, 'rwxr-xr')
  yield change('unknown magic', 257, 'other ')
  yield { kind: 'header: noise', bytes: pack([...good, Buffer.alloc(512, 0x41)]) }
  for (let length = 1; length < 512; length += 73) {
    yield {
      kind: `header: cut after ${length} bytes`,
      bytes: gzipSync(Buffer.concat([...good, plain.subarray(0, length)])),
    }
  }
}

function* brokenEnds(): Generator<HostileArchive> {
  const files = Buffer.concat(good)
  yield { kind: 'end: none', bytes: gzipSync(files) }
  yield { kind: 'end: one zero block', bytes: gzipSync(Buffer.concat([files, Buffer.alloc(512)])) }
  yield {
    kind: 'end: one zero block, then an entry',
    bytes: gzipSync(
      Buffer.concat([files, Buffer.alloc(512), entry({ name: '../x', data: 'x' }), Buffer.alloc(1024)]),
    ),
  }
  yield {
    kind: 'end: then another archive',
    bytes: gzipSync(
      Buffer.concat([files, Buffer.alloc(1024), entry({ name: '../x', data: 'x' }), Buffer.alloc(1024)]),
    ),
  }
  yield {
    kind: 'end: then bytes',
    bytes: gzipSync(Buffer.concat([files, Buffer.alloc(1024), Buffer.from('x')])),
  }
  yield {
    kind: 'end: then megabytes of zeros',
    bytes: gzipSync(Buffer.concat([files, Buffer.alloc(8 * 1024 * 1024)])),
  }
  yield {
    kind: 'end: file cut in its body',
    bytes: gzipSync(entry({ name: 'a', data: 'x'.repeat(5000) }).subarray(0, 3000)),
  }
  yield { kind: 'end: nothing at all', bytes: Buffer.alloc(0) }
  yield { kind: 'end: an empty tar cut short', bytes: gzipSync(Buffer.alloc(512)) }
  yield { kind: 'end: gzip of nothing', bytes: gzipSync(Buffer.alloc(0)) }
}

function* brokenGzip(): Generator<HostileArchive> {
  const whole = pack([...good])
  yield { kind: 'gzip: not compressed', bytes: Buffer.concat([...good, Buffer.alloc(1024)]) }
  yield { kind: 'gzip: a ZIP', bytes: Buffer.from('PK\u0003\u0004 and so on') }
  yield { kind: 'gzip: twice', bytes: gzipSync(whole) }
  yield { kind: 'gzip: wrong magic', bytes: altered(whole, 0) }
  yield { kind: 'gzip: unknown method', bytes: altered(whole, 2) }
  yield {
    kind: 'gzip: reserved flags',
    bytes: Buffer.concat([whole.subarray(0, 3), Buffer.from([0xe0]), whole.subarray(4)]),
  }
  yield { kind: 'gzip: wrong checksum', bytes: altered(whole, whole.length - 6) }
  yield { kind: 'gzip: wrong length', bytes: altered(whole, whole.length - 2) }
  yield { kind: 'gzip: no trailer', bytes: whole.subarray(0, -8) }
  yield {
    kind: 'gzip: noise inside',
    bytes: Buffer.concat([whole.subarray(0, 20), Buffer.alloc(50, 0x5a), whole.subarray(70)]),
  }
  yield { kind: 'gzip: zeros behind', bytes: Buffer.concat([whole, Buffer.alloc(300)]) }
  yield { kind: 'gzip: bytes behind', bytes: Buffer.concat([whole, Buffer.from('hello')]) }
  yield {
    kind: 'gzip: another member behind',
    bytes: Buffer.concat([whole, pack([entry({ name: 'late', data: 'x' })])]),
  }
  yield { kind: 'gzip: raw deflate', bytes: deflateRawSync(Buffer.concat([...good, Buffer.alloc(1024)])) }
  for (let part = 1; part < 20; part++) {
    yield {
      kind: `gzip: cut at ${part}/20`,
      bytes: whole.subarray(0, Math.floor((whole.length * part) / 20)),
    }
  }
}

/** One entry as raw bytes, as wrong as it is asked to be. */
export function entry(input: {
  name: string | Buffer
  type?: string
  mode?: number
  data?: string | Buffer
  link?: string
  prefix?: Buffer
  magic?: 'ustar' | 'gnu' | 'v7'
}): Buffer {
  const data = Buffer.from(input.data ?? '')
  const block = Buffer.alloc(512)
  Buffer.from(input.name).copy(block, 0, 0, 100)
  block.write(`${(input.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100)
  block.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write(input.type ?? '0', 156, 'latin1')
  block.write(input.link ?? '', 157)
  if (input.magic === 'gnu') block.write('ustar  \0', 257)
  else if (input.magic !== 'v7') block.write('ustar\x0000', 257)
  input.prefix?.copy(block, 345, 0, 155)
  writeChecksum(block)
  return Buffer.concat([block, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}

export function pack(entries: Buffer[]): Buffer {
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]))
}

function pax(records: Record<string, string | Buffer>, type: 'x' | 'g' = 'x'): Buffer {
  const parts = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
    let length = rest.length + 1
    while (String(length).length + rest.length !== length) length++
    return Buffer.concat([Buffer.from(String(length)), rest])
  })
  return entry({ name: 'PaxHeader', type, data: Buffer.concat(parts) })
}

function longName(name: Buffer): Buffer {
  return entry({
    name: '././@LongLink',
    type: 'L',
    magic: 'gnu',
    data: Buffer.concat([name, Buffer.alloc(1)]),
  })
}

function named(name: string, carrier: 'plain' | 'PAX' | 'long'): Buffer[] {
  if (carrier === 'plain') return [entry({ name, data: name })]
  const hint = carrier === 'PAX' ? pax({ path: name }) : longName(Buffer.from(name))
  return [hint, entry({ name: 'short', data: name })]
}

function writeChecksum(block: Buffer): void {
  block.fill(' ', 148, 156)
  let sum = 0
  for (const byte of block.subarray(0, 512)) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}

function altered(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[offset] = (copy[offset] as number) ^ 0x15
  return copy
}

const good = [
  entry({ name: 'index.html', data: '<h1>Hello</h1>' }),
  entry({ name: 'guide/', type: '5' }),
  entry({ name: 'guide/one.html', data: 'one' }),
]
const goodAfter = [entry({ name: 'zz-last.html', data: 'last' })]
