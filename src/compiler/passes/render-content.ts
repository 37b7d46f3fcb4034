import type { Element, ElementContent, Nodes, RootContent } from 'hast'
import { markdownToHast } from 'satteri'
import { components, renderCodeBlock, renderMath } from '../../theme/index.ts'
import type { ComponentContext, IconLibrary } from '../../theme/theme-api.ts'
import type { AddressBook } from '../address-book.ts'
import { Evaluator, renderJsx, toNodes } from '../evaluator/evaluate.ts'
import { isOnlyComments, parseExpression } from '../evaluator/syntax.ts'
import {
  createObject,
  EvaluationError,
  isValueObject,
  Markup,
  type PageComponent,
  type Scope,
  type Value,
  type ValueObject,
} from '../evaluator/values.ts'
import { headingId, IdRegistry } from '../heading-id.ts'
import { type Place, type ProblemList, placeOfOffset } from '../problems.ts'
import { type ComponentRecord, carriers, recordCall, toPlainProps } from './component-calls.ts'
import { reportUnknownProps } from './component-props.ts'
import { dropTitle, takeCustomId } from './heading-content.ts'
import { isHtmlElement } from './html-names.ts'
import { PageLinks } from './page-links.ts'
import type { PageModule, PageModules } from './page-modules.ts'
import { headingText, plainText } from './plain-text.ts'
import { type Alert, readAlert } from './read-alert.ts'
import { parseHtml, safeStylesheet, sanitizeElement } from './sanitize-element.ts'

declare module 'hast' {
  interface ElementData {
    call?: ComponentRecord
    code?: { language: string; text: string; meta: string }
    math?: { tex: string; display: boolean }
    /** Already said by the record of a component before it. */
    covered?: boolean
  }
}

export type ContentInput = {
  pagePath: string
  title: string
  module: PageModule
  modules: PageModules
  addressBook: AddressBook
  iconLibrary: IconLibrary
  language: string
  problems: ProblemList
  /** Absolute address of pages that are not in this bundle. */
  siteUrl: string | undefined
}

/** Evaluates a page's tree: expressions, components, links, headings and raw HTML become plain, safe hast. */
export class ContentRenderer {
  readonly ids = new IdRegistry()
  readonly links: PageLinks
  readonly needs = { mermaid: false, math: false }
  readonly evaluator: Evaluator
  readonly #input: ContentInput
  readonly #problems: ProblemList
  #module: PageModule
  #place: Place
  #isHtml: boolean
  readonly #includes: string[] = []
  readonly context: ComponentContext

  constructor(input: ContentInput) {
    this.#input = input
    this.#problems = input.problems
    this.#module = input.module
    this.#isHtml = input.module.isHtml
    this.#place = { file: input.module.file, line: 1, column: 1 }
    this.links = new PageLinks({
      page: { path: input.pagePath, siteUrl: input.siteUrl },
      book: input.addressBook,
      here: () => this.#place,
      report: (problem) => this.#report(problem),
    })
    this.evaluator = new Evaluator({
      element: (name, props, children) => this.#renderElement(name, props, children),
      page: (component, props, children) => this.#renderInclude(component, props, children),
      interactive: (name) =>
        this.#report({
          code: 'browser_component',
          message: `A component uses "${name}"; it is shown as it looks before a browser runs it.`,
          hint: 'Pages are rendered without running their code. Write what readers need to see into the first state.',
        }),
    })
    this.context = {
      uniqueId: (base) => this.ids.unique(base),
      resolveHref: (href) => this.links.resolveHref(href),
      resolveAsset: (source) => this.links.resolveAsset(source),
      renderMarkdown: (markdown) => this.renderMarkdown(markdown),
      report: (problem) => this.#report(problem),
      iconLibrary: input.iconLibrary,
      language: input.language,
    }
  }

  render(): ElementContent[] {
    const scope = this.#input.modules.scopeOf(this.#module, this.evaluator, this.#includeContext())
    const nodes = dropTitle(this.#module.tree.children, this.#input.title)
    return this.#expandAll(nodes, scope)
  }

  /** Markdown of a prop or a specification: its own small document inside the page. */
  renderMarkdown(markdown: string): ElementContent[] {
    if (!/[`*_[\]<>\\~&$#|\n!-]|https?:|^\d/.test(markdown)) {
      return markdown === '' ? [] : [element('p', [{ type: 'text', value: markdown }])]
    }
    const root = markdownToHast(markdown, {
      features: { frontmatter: false, rawHtml: true },
      position: false,
    })
    const wasHtml = this.#isHtml
    this.#isHtml = true
    try {
      return root.type === 'root' ? this.#expandAll(root.children, this.evaluator.globals) : []
    } finally {
      this.#isHtml = wasHtml
    }
  }

  /** Renders MDX that is not a file, such as the text before a generated API page. */
  renderModule(module: PageModule): ElementContent[] {
    return this.#within(module, () =>
      this.#expandAll(
        module.tree.children,
        this.#input.modules.scopeOf(module, this.evaluator, this.#includeContext()),
      ),
    )
  }

  #includeContext() {
    return {
      report: (place: Place, problem: Parameters<ProblemList['add']>[1]) =>
        this.#problems.add(place, problem),
      resolveAsset: (source: string) => this.links.resolveAsset(source),
    }
  }

  #report(problem: { severity?: 'error' | 'warning'; code: string; message: string; hint: string }): void {
    this.#problems.add(this.#place, problem)
  }

  #expandAll(nodes: readonly RootContent[], scope: Scope): ElementContent[] {
    const result: ElementContent[] = []
    for (const node of nodes) {
      for (const made of this.#expand(node, scope)) result.push(made)
    }
    return result
  }

  #expand(node: RootContent, scope: Scope): ElementContent[] {
    this.#moveTo(node)
    switch (node.type) {
      case 'text':
        return [{ type: 'text', value: node.value }]
      case 'element':
        return this.#isHtml ? this.#expandHtml(node, scope) : this.#expandMarkdown(node, scope)
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        return this.#expandJsx(node, scope)
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#expandExpression(node.value, scope, node.type === 'mdxFlowExpression')
      case 'raw':
        return this.#expandAll(parseHtml(node.value), scope)
      default:
        return []
    }
  }

  /** An element that Markdown itself made; its name needs no check. */
  #expandMarkdown(node: Element, scope: Scope): ElementContent[] {
    const { tagName, properties } = node
    if (tagName === 'pre') {
      const code = this.#codeBlock(node)
      if (code !== undefined) return code
    }
    if (tagName === 'code' && isMath(node)) return this.#math(plainText(node.children), false)
    const alert = tagName === 'blockquote' ? readAlert(node) : undefined
    if (alert !== undefined) return this.#alert(alert, scope)
    if (/^h[1-6]$/.test(tagName)) return this.#heading(node, node.children, {}, scope)
    if (tagName === 'a' && typeof properties.href === 'string') {
      if (properties.dataFootnoteRef !== undefined || properties.dataFootnoteBackref !== undefined) {
        return [{ ...withoutPosition(node), children: this.#expandAll(node.children, scope) }]
      }
      const href = this.links.resolveHref(decodeEntities(properties.href))
      const children = this.#expandAll(node.children, scope)
      this.links.noteText(properties.href, children)
      return [{ type: 'element', tagName, properties: { ...properties, href }, children }]
    }
    if (tagName === 'img' && typeof properties.src === 'string') {
      return [
        {
          type: 'element',
          tagName,
          properties: { ...properties, src: this.links.resolveAsset(properties.src) },
          children: [],
        },
      ]
    }
    if (typeof properties.id === 'string') this.ids.claim(properties.id)
    return [{ type: 'element', tagName, properties, children: this.#expandAll(node.children, scope) }]
  }

  #alert({ component, title, children }: Alert, scope: Scope): ElementContent[] {
    const props = createObject(title === '' ? [] : [['title', title]])
    return this.#renderComponent(component, props, this.#expandAll(children, scope))
  }

  /** An element of a page whose tags are HTML: everything passes the sanitizer. */
  #expandHtml(node: Element, scope: Scope): ElementContent[] {
    const { tagName } = node
    if (tagName === 'pre') {
      const code = this.#codeBlock(node)
      if (code !== undefined) return code
    }
    if (tagName === 'code' && isMath(node)) return this.#math(plainText(node.children), false)
    const alert = tagName === 'blockquote' ? readAlert(node) : undefined
    if (alert !== undefined) return this.#alert(alert, scope)
    const footnote =
      node.properties.dataFootnoteRef !== undefined || node.properties.dataFootnoteBackref !== undefined
    if (footnote && tagName === 'a')
      return [{ ...withoutPosition(node), children: this.#expandAll(node.children, scope) }]
    const props = createObject(
      Object.entries(node.properties).map(([key, value]): [string, Value] => [
        key,
        Array.isArray(value) ? value.join(' ') : value === null ? undefined : value,
      ]),
    )
    if (tagName === 'style') return this.#renderElement('style', props, node.children)
    const component = this.#module.componentOf(tagName)
    if (component !== undefined) {
      return renderJsx(this.evaluator, component, props, this.#expandAll(node.children, scope), scope).nodes
    }
    if (/^h[1-6]$/.test(tagName)) return this.#heading(node, node.children, props, scope)
    return this.#renderElement(tagName, props, this.#expandAll(node.children, scope))
  }

  #expandJsx(
    node: Extract<RootContent, { type: 'mdxJsxFlowElement' | 'mdxJsxTextElement' }>,
    scope: Scope,
  ): ElementContent[] {
    const place = this.#place
    if (node.name === null) return this.#expandAll(node.children, scope)
    const props = createObject()
    for (const attribute of node.attributes) {
      if (attribute.type === 'mdxJsxExpressionAttribute') {
        const spread = this.#value(`{${attribute.value}}`, scope)
        if (isValueObject(spread)) for (const [key, value] of Object.entries(spread)) props[key] = value
      } else if (attribute.value === null || attribute.value === undefined) props[attribute.name] = true
      else if (typeof attribute.value === 'string') props[attribute.name] = attribute.value
      else props[attribute.name] = this.#value(attribute.value.value, scope)
    }
    if (node.name === 'style') return this.#renderElement('style', props, styleChildren(node.children))
    const isHeading = /^h[1-6]$/.test(node.name)
    if (isHeading) {
      return this.#heading(
        { type: 'element', tagName: node.name, properties: {}, children: [] },
        node.children,
        props,
        scope,
      )
    }
    const children = this.#expandAll(node.children, scope)
    this.#place = place
    try {
      return renderJsx(this.evaluator, node.name, props, children, scope).nodes
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      this.#place = place
      this.#report({
        code: error.reason === 'browser' ? 'browser_component' : 'evaluation_failed',
        message: `<${node.name}> cannot be shown: ${error.message}`,
        hint:
          error.reason === 'limit'
            ? 'Make the component smaller; pages have limits of steps, depth and size.'
            : 'Pages are rendered without running their code; use literals, constants and pure functions.',
      })
      return children
    }
  }

  /** The value of an attribute; what cannot be evaluated is left out and told. */
  #value(source: string, scope: Scope): Value {
    try {
      const node = parseExpression(source)
      return node === undefined ? undefined : this.evaluator.evaluate(node, scope)
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      this.#report({
        code: error.reason === 'unknown-name' ? 'undefined_name' : 'evaluation_failed',
        message: `{${shorten(source)}} cannot be evaluated: ${error.message}`,
        hint: 'Define it with "export const", import it, or write the value itself.',
      })
      return undefined
    }
  }

  /** An expression in the text. What nobody defines is printed as the author wrote it. */
  #expandExpression(source: string, scope: Scope, isFlow: boolean): ElementContent[] {
    if (!isFlow && source.trim() === '') return [{ type: 'text', value: `{${source}}` }] // Nobody says nothing.
    if (isOnlyComments(source)) return []
    const asWritten = (): ElementContent[] => {
      const text: ElementContent = { type: 'text', value: `{${source}}` }
      return isFlow ? [element('p', [text])] : [text]
    }
    try {
      const node = parseExpression(source)
      if (node === undefined) return []
      if (node.type === 'SequenceExpression')
        throw new EvaluationError('unknown-name', 'It is a list of values.')
      const value = this.evaluator.evaluate(node, scope)
      if (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        !(value instanceof Markup)
      ) {
        throw new EvaluationError('wrong-type', 'It is an object or a function.')
      }
      const nodes = toNodes(value)
      return isFlow && nodes.length > 0 && nodes.every((made) => made.type === 'text')
        ? [element('p', nodes)]
        : nodes
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      const browser = error.reason === 'browser' || error.reason === 'limit'
      this.#report({
        code:
          error.reason === 'unknown-name'
            ? 'undefined_name'
            : browser
              ? 'browser_component'
              : 'evaluation_failed',
        message: `{${shorten(source)}} is printed as written: ${error.message}`,
        hint: 'Define the name with "export const", or write \\{ or backticks where braces are meant as text.',
      })
      return browser ? [] : asWritten()
    }
  }

  #codeBlock(node: Element): ElementContent[] | undefined {
    const [code] = node.children
    if (node.children.length !== 1 || code?.type !== 'element' || code.tagName !== 'code') return undefined
    const only = code.children.every((child) => child.type === 'text')
    if (!only) return undefined
    const text = plainText(code.children)
    if (isMath(code)) return this.#math(text, true)
    const fence = code.data as { lang?: string; meta?: string } | undefined
    const className = code.properties.className
    const fromClass = Array.isArray(className) ? String(className[0] ?? '').replace(/^language-/, '') : ''
    return this.#renderCode(text, fence?.lang ?? fromClass, fence?.meta ?? '')
  }

  #renderCode(text: string, language: string, meta: string): ElementContent[] {
    if (language.toLowerCase() === 'mermaid') this.needs.mermaid = true
    const nodes = renderCodeBlock({ code: text, language, meta, page: this.context })
    const [first] = nodes
    if (first?.type === 'element')
      first.data = { ...first.data, code: { language, text: text.replace(/\n$/, ''), meta } }
    return nodes
  }

  #math(tex: string, display: boolean): ElementContent[] {
    this.needs.math = true
    const nodes = renderMath({ tex, display })
    const [first] = nodes
    if (first?.type === 'element') first.data = { ...first.data, math: { tex, display } }
    return nodes
  }

  #heading(
    node: Element,
    written: readonly RootContent[],
    props: ValueObject,
    scope: Scope,
  ): ElementContent[] {
    const { id: custom, children: withoutId } = takeCustomId(written)
    const children = unwrapParagraph(this.#expandAll(withoutId, scope))
    const ownId = custom ?? (typeof props.id === 'string' ? props.id : undefined)
    const ready = this.#renderElement(node.tagName, props, children)
    const [heading] = ready
    if (heading?.type !== 'element') return ready
    const generated = typeof node.properties.id === 'string' ? node.properties.id : undefined
    heading.properties.id =
      ownId !== undefined
        ? this.ids.claim(ownId)
        : (generated ?? this.ids.unique(headingId(headingText(children))))
    return ready
  }

  #renderElement(name: string, props: ValueObject, children: ElementContent[]): ElementContent[] {
    if (name === 'Fragment' || name === 'React.Fragment') return children
    if (name === 'Snippet') return this.#renderSnippet(props, children)
    if (name === 'Heading') {
      const level = Math.min(6, Math.max(1, Number(props.level ?? 2) || 2))
      return this.#heading(
        { type: 'element', tagName: `h${level}`, properties: {}, children: [] },
        children,
        createObject(),
        this.evaluator.globals,
      )
    }
    const component = Object.hasOwn(components, name) ? components[name] : undefined
    if (component !== undefined) return this.#renderComponent(name, props, children)
    if (!/^[a-z]/.test(name)) return this.#renderUnknown(name, children)
    const sanitized = sanitizeElement(name, props, this.context)
    if (sanitized.type === 'dropped') return []
    if (sanitized.type === 'unknown') return this.#renderUnknown(name, children)
    const { tagName, properties } = sanitized
    if (typeof properties.id === 'string') this.ids.claim(properties.id)
    if (tagName === 'style') return [styleElement(children)]
    if (tagName === 'a' && typeof props.href === 'string') this.links.noteText(props.href, children)
    const inner =
      sanitized.innerHtml === undefined
        ? children
        : this.#withHtml(() => this.#expandAll(parseHtml(sanitized.innerHtml ?? ''), this.evaluator.globals))
    return [
      {
        type: 'element',
        tagName,
        properties,
        children: flattens.has(tagName) ? unwrapParagraph(inner) : inner,
      },
    ]
  }

  #withHtml<T>(run: () => T): T {
    const before = this.#isHtml
    this.#isHtml = true
    try {
      return run()
    } finally {
      this.#isHtml = before
    }
  }

  #renderComponent(name: string, props: ValueObject, children: ElementContent[]): ElementContent[] {
    const component = components[name]
    if (component === undefined) return children
    const { children: _children, ...own } = props
    reportUnknownProps(name, Object.keys(own), (problem) => this.#report(problem))
    const plain = toPlainProps(own)
    if (name === 'Latex') this.needs.math = true
    if (name === 'Mermaid') this.needs.mermaid = true
    const made = component({ name, props: plain, children, page: this.context })
    const nodes = name === 'Visibility' ? carriers(made) : made
    return recordCall(nodes, { name, props: plain, children })
  }

  #renderUnknown(name: string, children: ElementContent[]): ElementContent[] {
    this.#report({
      code: 'unknown_component',
      message: `Nothing defines <${name}>; only what stands inside it is shown.`,
      hint: isHtmlElement(name.toLowerCase())
        ? `Write <${name.toLowerCase()}>, import the component, or correct its name.`
        : 'Import the component, define it with "export const", or correct its name.',
    })
    return children
  }

  #renderSnippet(props: ValueObject, children: ElementContent[]): ElementContent[] {
    const file = typeof props.file === 'string' ? props.file : typeof props.src === 'string' ? props.src : ''
    const component = this.#input.modules.findSnippet(file)
    if (component === undefined) {
      this.#report({
        severity: 'error',
        code: 'missing_include',
        message: `The snippet "${file}" is not in the project.`,
        hint: 'Put the file into the folder snippets/, or correct its name.',
      })
      return children
    }
    return this.#renderInclude(component, props, children)
  }

  #renderInclude(component: PageComponent, props: ValueObject, children: ElementContent[]): ElementContent[] {
    const { modules } = this.#input
    if (component.file === '') return []
    if (this.#includes.includes(component.file) || this.#includes.length > 30) {
      this.#report({
        severity: 'error',
        code: 'circular_include',
        message: `${component.file} includes itself.`,
        hint: 'Remove the import that leads back to it.',
      })
      return []
    }
    const module = modules.load(component.file, this.#problems)
    if (module === undefined) return []
    const given = createObject(Object.entries(props))
    if (given.children === undefined) given.children = new Markup(children)
    this.#includes.push(component.file)
    try {
      return this.#within(module, () => {
        const scope = modules.scopeOf(module, this.evaluator, this.#includeContext(), given)
        return this.#expandAll(module.tree.children, scope)
      })
    } finally {
      this.#includes.pop()
    }
  }

  #within<T>(module: PageModule, run: () => T): T {
    const before = { module: this.#module, place: this.#place, isHtml: this.#isHtml }
    this.#module = module
    this.#isHtml = module.isHtml
    try {
      return run()
    } finally {
      this.#module = before.module
      this.#place = before.place
      this.#isHtml = before.isHtml
    }
  }

  #moveTo(node: RootContent): void {
    const start = 'position' in node ? node.position?.start : undefined
    if (start !== undefined) {
      this.#place = { file: this.#module.file, line: start.line, column: start.column }
    } else if (this.#isHtml && node.type === 'element') {
      const mark =
        typeof node.properties.href === 'string'
          ? node.properties.href
          : typeof node.properties.src === 'string'
            ? node.properties.src
            : undefined
      const offset = mark === undefined ? -1 : this.#module.text.indexOf(mark)
      if (offset >= 0) this.#place = placeOfOffset(this.#module.file, this.#module.text, offset)
    }
  }
}

/** Elements that hold a line of text: a paragraph that Markdown made inside them is taken away. */
const flattens = new Set([
  'p',
  'summary',
  'button',
  'label',
  'dt',
  'figcaption',
  'span',
  'strong',
  'em',
  'b',
  'i',
  'u',
  'small',
  'sup',
  'sub',
  'kbd',
])

function unwrapParagraph(children: ElementContent[]): ElementContent[] {
  if (!children.some((child) => child.type === 'element' && child.tagName === 'p')) return children
  return children
    .filter((child) => child.type !== 'text' || child.value.trim() !== '')
    .flatMap((child, index): ElementContent[] => {
      if (child.type !== 'element' || child.tagName !== 'p') return [child]
      return index === 0 ? child.children : [element('br', []), ...child.children]
    })
}

function styleElement(children: ElementContent[]): Element {
  return element('style', [{ type: 'text', value: safeStylesheet(plainText(children)) }])
}

/** CSS stands in a page as a template string or as text. */
function styleChildren(children: readonly ElementContent[]): ElementContent[] {
  const text = children.map((child) => sourceOf(child)).join('\n')
  return [{ type: 'text', value: text }]
}

function sourceOf(node: Nodes): string {
  if (node.type === 'mdxFlowExpression' || node.type === 'mdxTextExpression') {
    return /^\s*`([\s\S]*)`\s*$/.exec(node.value)?.[1] ?? `{${node.value}}`
  }
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map((child) => sourceOf(child)).join('') : ''
}

function isMath(node: Element): boolean {
  const { className } = node.properties
  return (
    Array.isArray(className) &&
    className.includes('language-math') &&
    (className.includes('math-inline') || className.includes('math-display'))
  )
}

function withoutPosition(node: Element): Element {
  const { position: _position, ...rest } = node
  return rest
}

function element(tagName: string, children: ElementContent[]): Element {
  return { type: 'element', tagName, properties: {}, children }
}

function shorten(source: string): string {
  const line = source.trim().replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}

function decodeEntities(href: string): string {
  return href.replaceAll('&amp;', '&')
}
