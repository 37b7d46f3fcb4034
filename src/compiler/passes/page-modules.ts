import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Root, RootContent } from 'hast'
import { components } from '../../theme/index.ts'
import type { Problem } from '../compiler-api.ts'
import type { Evaluator } from '../evaluator/evaluate.ts'
import { closureOf } from '../evaluator/evaluate.ts'
import { declareVariables } from '../evaluator/run-statements.ts'
import { childOf, childrenOf, type Node, parseProgram, textOf } from '../evaluator/syntax.ts'
import {
  createObject,
  EvaluationError,
  isValueObject,
  PageComponent,
  Scope,
  type Value,
  type ValueObject,
} from '../evaluator/values.ts'
import { splitFrontmatter } from '../frontmatter.ts'
import type { Json } from '../loose-json.ts'
import { resolveImport } from '../plan-pages.ts'
import { type Place, ProblemList, placeOfOffset } from '../problems.ts'
import { normalizeText } from '../read-source.ts'
import { guardNesting } from './guard-nesting.ts'
import { holdsComponents, parsePage } from './parse-page.ts'
import { readDirectives } from './read-directives.ts'

/** A file of the project as the renderer works with it. */
export type PageModule = {
  file: string
  text: string
  tree: Root
  isHtml: boolean
  /** What is wrong with the file itself, told on every page that uses it. */
  problems: Problem[]
  /** The component that a tag of broken MDX means, which HTML has written in small letters. */
  componentOf(tagName: string): string | undefined
}

export type IncludeContext = {
  report(place: Place, problem: Parameters<ProblemList['add']>[1]): void
  resolveAsset(source: string): string
}

const componentsByLowerCase = new Map(Object.keys(components).map((name) => [name.toLowerCase(), name]))

/** Loads pages, snippets and components of the project, each once. Only files the project may publish are ever read. */
export class PageModules {
  readonly #root: string
  readonly #files: ReadonlySet<string>
  readonly #variables: Record<string, string>
  readonly #modules = new Map<string, PageModule | undefined>()
  readonly #programs = new Map<string, Node | undefined>()
  /** What the page in work has read, for its key in the cache. */
  readonly used = new Map<string, string>()
  readonly #texts = new Map<string, string>()

  constructor(input: { root: string; files: ReadonlySet<string>; variables: Record<string, string> }) {
    this.#root = input.root
    this.#files = input.files
    this.#variables = input.variables
  }

  has(file: string): boolean {
    return this.#files.has(file)
  }

  readText(file: string): string {
    const known = this.#texts.get(file)
    if (known !== undefined) {
      this.used.set(file, known)
      return known
    }
    const text = normalizeText(readFileSync(join(this.#root, file), 'utf8'))
    if (/(?:^|\/)_?snippets\//.test(file) || !/\.mdx?$/.test(file)) this.#texts.set(file, text)
    this.used.set(file, text)
    return text
  }

  /** A page or snippet as a tree; snippets are kept, because many pages include the same ones. */
  load(file: string, problems: ProblemList): PageModule | undefined {
    const known = this.#modules.get(file)
    if (known !== undefined) {
      this.used.set(file, known.text)
      problems.addAll(known.problems)
      return known
    }
    if (!this.#files.has(file)) return undefined
    const module = this.parse(file, this.readText(file))
    problems.addAll(module.problems)
    if (this.#modules.size > 500) this.#modules.clear()
    this.#modules.set(file, module)
    return module
  }

  parse(file: string, text: string): PageModule {
    const problems = new ProblemList()
    const frontmatter = splitFrontmatter(text)
    const blank = '\n'.repeat(Math.max(0, frontmatter.bodyLine - 1))
    const body = substitute(blank + text.slice(frontmatter.bodyOffset), this.#variables)
    const format = /\.md$/i.test(file) ? 'md' : 'mdx'
    guardNesting(body)
    const { tree, isHtml } = parsePage({ file, text: body, format, problems })
    const mayCall = isHtml && (format === 'mdx' || holdsComponents(readDirectives(body)))
    return {
      file,
      text: body,
      tree,
      isHtml,
      problems: problems.sorted(),
      componentOf: (tagName) => (mayCall ? componentsByLowerCase.get(tagName) : undefined),
    }
  }

  /** `<Snippet file="…">` looks in the folders of snippets first. */
  findSnippet(name: string): PageComponent | undefined {
    const plain = name.replace(/^\/+/, '')
    const candidates = [plain, `snippets/${plain}`, `_snippets/${plain}`]
    const found = candidates
      .flatMap((path) => [path, `${path}.mdx`, `${path}.md`])
      .find((path) => /\.mdx?$/.test(path) && this.#files.has(path))
    return found === undefined ? undefined : new PageComponent(found)
  }

  /** The names that a module sees: the globals, its props, its imports and its exports. */
  scopeOf(module: PageModule, evaluator: Evaluator, context: IncludeContext, props?: ValueObject): Scope {
    const scope = new Scope(evaluator.globals)
    if (props !== undefined) {
      for (const [name, value] of Object.entries(props)) scope.declare(name, value)
    }
    scope.declare('props', props ?? createObject())
    for (const node of module.tree.children) {
      if (node.type === 'mdxjsEsm') this.#declareModule(module, node, scope, evaluator, context)
    }
    return scope
  }

  #declareModule(
    module: PageModule,
    node: RootContent & { type: 'mdxjsEsm' },
    scope: Scope,
    evaluator: Evaluator,
    context: IncludeContext,
  ): void {
    const place: Place = {
      file: module.file,
      line: node.position?.start.line ?? 1,
      column: node.position?.start.column ?? 1,
    }
    try {
      this.#declareProgram(module.file, parseProgram(node.value), scope, evaluator, context, (offset) => {
        const inside = placeOfOffset(module.file, node.value, offset)
        return { ...inside, line: place.line + inside.line - 1 }
      })
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      context.report(place, {
        severity: 'error',
        code: 'broken_code',
        message: `The code cannot be read: ${error.message}`,
        hint: 'Imports and exports of a page are plain JavaScript with JSX.',
      })
    }
  }

  #declareProgram(
    file: string,
    program: Node,
    scope: Scope,
    evaluator: Evaluator,
    context: IncludeContext,
    placeAt: (offset: number) => Place,
  ): void {
    for (const statement of childrenOf(program, 'body')) {
      if (statement.type === 'ImportDeclaration') {
        this.#declareImport(file, statement, scope, evaluator, context, placeAt(statement.start))
        continue
      }
      const declaration = statement.type.startsWith('Export') ? childOf(statement, 'declaration') : statement
      if (declaration === undefined) {
        if (statement.type === 'ExportNamedDeclaration' && childOf(statement, 'source') !== undefined) {
          this.#declareImport(file, statement, scope, evaluator, context, placeAt(statement.start))
        }
        continue
      }
      if (statement.type === 'ExportDefaultDeclaration') {
        const isFunction = declaration.type === 'FunctionDeclaration'
        if (isFunction) declareFunctionIn(declaration, scope)
        scope.declareLazy(defaultName, () =>
          isFunction ? closureOf(declaration, scope) : evaluator.evaluate(declaration, scope),
        )
      } else if (declaration.type === 'FunctionDeclaration') declareFunctionIn(declaration, scope)
      else if (declaration.type === 'VariableDeclaration') declareLazily(declaration, scope, evaluator)
    }
  }

  #declareImport(
    file: string,
    statement: Node,
    scope: Scope,
    evaluator: Evaluator,
    context: IncludeContext,
    place: Place,
  ): void {
    const source = childOf(statement, 'source')
    const address = source === undefined ? '' : String(source.value)
    const specifiers = childrenOf(statement, 'specifiers')
    if (!/^[./]/.test(address)) {
      if (/^react(?:$|\/)/.test(address)) return
      const asPath = this.#resolve(file, address)
      if (asPath === undefined) {
        context.report(place, {
          code: 'package_import',
          message: `The package "${address}" is not available to pages.`,
          hint: 'Pages import files of the project only.',
        })
        return
      }
    }
    const path = this.#resolve(file, address)
    if (path === undefined) {
      context.report(place, {
        severity: 'error',
        code: 'missing_include',
        message: `The imported file "${address}" is not in the project.`,
        hint: 'Add the file, or correct the path; one that begins with / counts from the project’s root.',
      })
      for (const specifier of specifiers) {
        const local = childOf(specifier, 'local')
        if (local !== undefined) scope.declare(textOf(local, 'name'), new PageComponent(''))
      }
      return
    }
    for (const specifier of specifiers) {
      const local = childOf(specifier, 'local') ?? childOf(specifier, 'exported')
      if (local === undefined) continue
      const wanted = importedName(specifier)
      scope.declareLazy(textOf(local, 'name'), () => this.#exportOf(path, wanted, evaluator, context))
    }
  }

  #resolve(file: string, address: string): string | undefined {
    const path = resolveImport(file, address)
    const atRoot = posix.normalize(address.replace(/^(?:\.?\/)+/, ''))
    const candidates = [path, atRoot].flatMap((base) => [
      base,
      `${base}.mdx`,
      `${base}.jsx`,
      `${base}.md`,
      `${base}.js`,
      `${base}.tsx`,
      `${base}/index.jsx`,
    ])
    return candidates.find((candidate) => this.#files.has(candidate))
  }

  #exportOf(file: string, name: string, evaluator: Evaluator, context: IncludeContext): Value {
    if (/\.mdx?$/.test(file)) {
      if (name === 'default') return new PageComponent(file)
      const module = this.load(file, new ProblemList())
      if (module === undefined) return undefined
      const scope = this.scopeOf(module, evaluator, context)
      return name === '*' ? createObject() : scope.has(name) ? scope.get(name) : undefined
    }
    if (/\.json$/.test(file)) {
      const value = toValue(JSON.parse(this.readText(file)) as Json)
      return name === 'default' || name === '*' ? value : isValueObject(value) ? value[name] : undefined
    }
    if (!/\.[jt]sx?$/.test(file)) return context.resolveAsset(`/${file}`)
    const program = this.#program(file, context)
    if (program === undefined) return undefined
    const scope = new Scope(evaluator.globals)
    const text = this.readText(file)
    this.#declareProgram(file, program, scope, evaluator, context, (offset) =>
      placeOfOffset(file, text, offset),
    )
    if (name === 'default' && !scope.has(defaultName)) return undefined
    return scope.get(name === 'default' ? defaultName : name)
  }

  #program(file: string, context: IncludeContext): Node | undefined {
    const text = this.readText(file)
    if (this.#programs.has(file)) return this.#programs.get(file)
    let program: Node | undefined
    try {
      program = parseProgram(text)
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      context.report(
        { file, line: 1, column: 1 },
        {
          severity: 'error',
          code: 'broken_code',
          message: `The file cannot be read: ${error.message}`,
          hint: 'Components are plain JavaScript with JSX; types are not supported.',
        },
      )
    }
    this.#programs.set(file, program)
    return program
  }
}

/** No name that a page can write. */
const defaultName = '*default*'

function declareFunctionIn(node: Node, scope: Scope): void {
  const id = childOf(node, 'id')
  if (id !== undefined) scope.declareLazy(textOf(id, 'name'), () => closureOf(node, scope))
}

/** A constant is computed when it is first used, so that one with an error costs nothing to pages that leave it alone. */
function declareLazily(node: Node, scope: Scope, evaluator: Evaluator): void {
  for (const declaration of childrenOf(node, 'declarations')) {
    const id = childOf(declaration, 'id')
    const init = childOf(declaration, 'init')
    if (id?.type === 'Identifier' && init !== undefined) {
      scope.declareLazy(textOf(id, 'name'), () => evaluator.evaluate(init, scope))
    } else {
      try {
        declareVariables(evaluator, { ...node, declarations: [declaration] }, scope)
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error
      }
    }
  }
}

function importedName(specifier: Node): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default'
  if (specifier.type === 'ImportNamespaceSpecifier') return '*'
  const imported = childOf(specifier, 'imported') ?? childOf(specifier, 'local')
  return imported === undefined ? 'default' : textOf(imported, 'name') || String(imported.value ?? 'default')
}

function toValue(json: Json): Value {
  if (Array.isArray(json)) return json.map(toValue)
  if (typeof json === 'object' && json !== null)
    return createObject(Object.entries(json).map(([key, item]) => [key, toValue(item)]))
  return json
}

/** `{{name}}` of a variable that docs.json defines. */
function substitute(text: string, variables: Record<string, string>): string {
  if (Object.keys(variables).length === 0 || !text.includes('{{')) return text
  return text.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (written, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? '') : written,
  )
}
