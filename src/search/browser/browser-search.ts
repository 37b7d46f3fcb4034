import { unpackBytes } from '../core/bytes.ts'
import { type IndexFiles, SearchEngine } from '../core/engine.ts'
import type { Root, TextShard } from '../core/layout.ts'
import { cutSnippet, markMatches } from '../core/snippet.ts'
import type { BrowserSearch, QuireSearch } from '../search-api.ts'

/**
 * The engine in a reader's browser. Files of the index are scripts that call `quireSearch(name, content)`: a script
 * element can load them from disk and under `script-src 'self'`, where fetch cannot.
 */
const waiting = new Map<string, (content: unknown) => void>()

const deliver = (name: string, content: unknown): void => {
  waiting.get(name)?.(content)
  waiting.delete(name)
}

const openBrowserSearch = (input: { folder: string }): BrowserSearch => {
  const folder = input.folder.endsWith('/') ? input.folder : `${input.folder}/`
  const loaded = new Map<string, Promise<unknown>>()
  let release = ''
  const load = <Content>(name: string, convert: (content: unknown) => Content): Promise<Content> => {
    const known = loaded.get(name)
    if (known !== undefined) return known as Promise<Content>
    const content = new Promise<unknown>((resolve, reject) => {
      waiting.set(name, resolve)
      const script = document.createElement('script')
      script.src = `${folder}${name}.js${release}`
      script.async = true
      script.onload = () => {
        script.remove()
        reject(new Error(`The search file ${name} is empty.`)) // Does nothing once the file has called.
      }
      script.onerror = () => {
        script.remove()
        loaded.delete(name) // The reader may be back online the next time.
        reject(new Error(`The search file ${name} could not be loaded.`))
      }
      document.head.append(script)
    }).then(convert)
    loaded.set(name, content)
    return content
  }
  const files: IndexFiles = {
    root: () =>
      load('root', (content) => {
        const root = content as Root
        release = `?v=${root.digest}` // Files of two releases never meet in one cache.
        return root
      }),
    bytes: (name) => load(name, (content) => unpackBytes(content as string)),
    texts: (name) => load(name, (content) => content as TextShard),
  }
  const engine = new SearchEngine(files)
  return { warm: (filter) => engine.warm(filter), search: (request) => engine.search(request) }
}

type ScriptElement = {
  src: string
  async: boolean
  onload: () => void
  onerror: () => void
  remove(): void
}
declare const document: {
  createElement(name: 'script'): ScriptElement
  head: { append(element: ScriptElement): void }
}
declare const window: { quireSearch?: QuireSearch }

window.quireSearch = Object.assign(deliver, {
  open: openBrowserSearch,
  mark: markMatches,
  snippet: cutSnippet,
})
