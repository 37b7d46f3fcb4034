import type { ElementContent } from 'hast'
import type { IndexedSection } from '../../search/search-api.ts'
import { plainText } from './plain-text.ts'
import { componentWords, recordOf } from './text-of-components.ts'

/** The page as the search index takes it: prose and code under each heading, without the theme's own words. */
export function searchSections(nodes: readonly ElementContent[]): IndexedSection[] {
  const sections: IndexedSection[] = [{ heading: '', text: '', code: [] }]
  const above: { level: number; heading: string }[] = []
  let text = ''
  const current = () => sections.at(-1) as IndexedSection
  const flush = () => {
    current().text = text
      .replace(/[ \t]+/g, ' ')
      .replace(/\s*\n\s*/g, '\n')
      .trim()
    text = ''
  }
  const visitAll = (children: readonly ElementContent[]) => {
    for (const child of children) visit(child)
  }
  const visit = (node: ElementContent): void => {
    if (node.type === 'text') {
      text += node.value.replace(/\s*\n\s*/g, ' ') // Where a source breaks its lines says nothing of paragraphs.
      return
    }
    if (node.type === 'trustedHtml') {
      text += node.text
      return
    }
    if (node.type !== 'element' || node.data?.covered) return
    if (node.data?.code !== undefined) {
      const { language, text: code } = node.data.code
      current().code.push({ language, text: code })
      return
    }
    if (node.data?.math !== undefined) {
      text += ` ${node.data.math.tex} `
      return
    }
    const record = recordOf(node)
    if (record !== undefined) {
      if (record.name === 'Visibility' && record.props.for === 'agents') return
      const words = componentWords(record)
      if (words !== '') text += `\n${words}\n`
      visitAll(record.children)
      text += '\n'
      return
    }
    if (/^h[1-6]$/.test(node.tagName)) {
      flush()
      const id = node.properties.id
      const level = Number(node.tagName[1])
      const heading = plainText(node.children).replace(/\s+/g, ' ').trim()
      while ((above.at(-1)?.level ?? 0) >= level) above.pop()
      const parents = above.map((one) => one.heading).filter((one) => one !== '')
      above.push({ level, heading })
      sections.push({
        heading,
        ...(parents.length > 0 ? { parents } : {}),
        text: '',
        code: [],
        ...(typeof id === 'string' ? { anchor: id } : {}),
      })
      return
    }
    if (silent.has(node.tagName)) return
    if (node.tagName === 'img' && typeof node.properties.alt === 'string') text += ` ${node.properties.alt} `
    visitAll(node.children)
    if (blocks.has(node.tagName)) text += '\n'
    else if (node.tagName === 'td' || node.tagName === 'th') text += ' '
  }
  visitAll(nodes)
  flush()
  return sections.filter(
    (section) => section.heading !== '' || section.text !== '' || section.code.length > 0,
  )
}

const silent = new Set(['style', 'script', 'svg', 'button', 'template', 'iframe'])
const blocks = new Set(
  'p div li ul ol table tr blockquote section article aside dl dt dd details summary figure figcaption br hr pre'.split(
    ' ',
  ),
)
