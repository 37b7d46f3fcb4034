import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type SamplePage = { path: string; title: string; description: string; body: string }

const vocabulary =
  'server client request response token session route handler cache index page bundle export worker queue database migration schema field value option setting default error message stream event retry timeout limit header cookie origin policy deploy release version branch commit build test check lint format plugin module import function return promise async callback socket cluster region bucket object key secret signature digest archive manifest search query filter result score passage heading anchor link image table column row cell note warning step tab card group'.split(
    ' ',
  )
const languages = ['bash', 'typescript', 'python', 'json'] as const

/** Pages of 914 words, six sections and four code blocks each; the same ones every time. */
export function* samplePages(count: number): Generator<SamplePage> {
  for (let index = 0; index < count; index += 1) {
    const random = pseudoRandom(index + 1)
    const word = () => vocabulary[Math.floor(random() * vocabulary.length)]!
    const words = (length: number) => Array.from({ length }, word).join(' ')
    const sentence = (length: number) => {
      const text = words(length)
      return `${text[0]!.toUpperCase()}${text.slice(1)}.`
    }
    const sections = Array.from({ length: 6 }, (_, section) => {
      const paragraphs = Array.from({ length: 5 }, () => [sentence(10), sentence(9), sentence(11)].join(' '))
      const block =
        section < 4 ? `\n\n\`\`\`${languages[section]!}\n${code(languages[section]!, word)}\n\`\`\`` : ''
      return `## ${sentence(2).slice(0, -1)} ${section}\n\n${paragraphs.join('\n\n')}${block}`
    })
    yield {
      path: `section-${Math.floor(index / 50)}/page-${index}`,
      title: `${sentence(3).slice(0, -1)} ${index}`,
      description: sentence(8),
      body: sections.join('\n\n'),
    }
  }
}

/** Writes the pages as a docs.json project. */
export async function writeSampleProject(folder: string, count: number): Promise<void> {
  const groups = new Map<string, string[]>()
  for (const page of samplePages(count)) {
    const group = page.path.split('/')[0]!
    if (!groups.has(group)) await mkdir(join(folder, group), { recursive: true })
    groups.set(group, [...(groups.get(group) ?? []), page.path])
    await writeFile(join(folder, `${page.path}.mdx`), `${frontmatter(page)}\n${page.body}\n`)
  }
  const navigation = { groups: [...groups].map(([group, pages]) => ({ group, pages })) }
  await writeFile(
    join(folder, 'docs.json'),
    JSON.stringify({ name: 'Sample', theme: 'mint', colors: { primary: '#0f6b4f' }, navigation }),
  )
}

export const frontmatter = (page: SamplePage) =>
  `---\ntitle: ${JSON.stringify(page.title)}\ndescription: ${JSON.stringify(page.description)}\n---\n`

function code(language: (typeof languages)[number], word: () => string): string {
  const lines = Array.from({ length: 8 }, () => [word(), word(), word()] as const)
  switch (language) {
    case 'bash':
      return lines.map(([one, two, three]) => `quire ${one} --${two} "$${three.toUpperCase()}"`).join('\n')
    case 'typescript':
      return lines
        .map(([one, two, three]) => `const ${one}_${two} = await ${three}({ ${two}: '${one}', limit: 10 })`)
        .join('\n')
    case 'python':
      return lines
        .map(([one, two, three]) => `def ${one}_${two}(${three}: str) -> int:\n    return len(${three})`)
        .join('\n')
    case 'json':
      return `{\n${lines.map(([one, two, three], line) => `  "${one}_${line}": { "${two}": "${three}" }`).join(',\n')}\n}`
  }
}

/** Mulberry32: small, good enough, and the same on every machine. */
function pseudoRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
