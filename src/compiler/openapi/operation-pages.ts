import { listOperations } from './list-operations.ts'
import type { LoadedSpec, Operation } from './openapi-api.ts'

/** A page that exists because a specification has an operation, not because a file was written. */
export type OperationPage = { operation: Operation; path: string }

export type OperationGroup = { label: string; pages: OperationPage[] }

/** A whole specification as navigation: groups by tag in the order of their first operation. Hidden pages stand apart. */
export function expandSpec(
  spec: LoadedSpec,
  options: { directory?: string } = {},
): { groups: OperationGroup[]; hidden: OperationPage[] } {
  const groups = new Map<string, OperationGroup>()
  const hidden: OperationPage[] = []
  const paths = operationPagePaths(spec, options)
  for (const operation of listOperations(spec)) {
    const path = paths.get(operation)
    if (path === undefined) continue
    if (operation.hidden) {
      hidden.push({ operation, path })
      continue
    }
    const label = operation.group ?? operation.tag ?? defaultGroup(operation)
    const group = groups.get(label) ?? { label, pages: [] }
    groups.set(label, group)
    group.pages.push({ operation, path })
  }
  return { groups: [...groups.values()], hidden }
}

/** The address of the page of one operation; undefined when it is excluded from the documentation. */
export function operationPagePath(
  spec: LoadedSpec,
  operation: Operation,
  options: { directory?: string } = {},
): string | undefined {
  const paths = operationPagePaths(spec, options)
  const direct = paths.get(operation)
  if (direct !== undefined) return direct
  for (const [other, path] of paths) if (isSame(other, operation)) return path
  return undefined
}

const pathsOfSpec = new WeakMap<LoadedSpec, Map<string, Map<Operation, string>>>()

/** As the format has it: `{directory}/{tag}/{summary}`, or method and path where there is no summary. */
function operationPagePaths(spec: LoadedSpec, options: { directory?: string }): Map<Operation, string> {
  const directory = (options.directory ?? 'api-reference').replace(/^\/+|\/+$/g, '')
  const byDirectory = pathsOfSpec.get(spec) ?? new Map<string, Map<Operation, string>>()
  pathsOfSpec.set(spec, byDirectory)
  const known = byDirectory.get(directory)
  if (known !== undefined) return known
  const paths = new Map<Operation, string>()
  const taken = new Set<string>()
  for (const operation of listOperations(spec)) {
    if (operation.excluded) continue
    const path = uniquePath(basePath(operation, directory), taken)
    taken.add(path)
    paths.set(operation, path)
  }
  byDirectory.set(directory, paths)
  return paths
}

function basePath(operation: Operation, directory: string): string {
  if (operation.href !== undefined) return operation.href.replace(/^\/+|\/+$/g, '')
  const folder = slug(operation.tag ?? (operation.kind === 'channel' ? defaultGroup(operation) : ''))
  const parts = [directory, folder, slug(operation.summary ?? '') || fallbackName(operation)]
  return parts.filter((part) => part !== '').join('/')
}

function fallbackName(operation: Operation): string {
  if (operation.kind !== 'operation') return slug(operation.path) || operation.kind
  return `${operation.method.toLowerCase()}-${slug(operation.path)}`.replace(/-$/, '')
}

function defaultGroup(operation: Operation): string {
  return operation.kind === 'channel' ? 'Websockets' : 'API Reference'
}

function slug(text: string): string {
  return text
    .replaceAll(' ', '-')
    .replace(/\{.*?\}/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/[{}(),.'\n/\\?#%:"<>|*]/g, '')
    .replaceAll('--', '-')
    .toLowerCase()
}

function uniquePath(base: string, taken: ReadonlySet<string>): string {
  const lower = base.toLowerCase()
  if (!taken.has(lower)) return lower
  let number = 1
  while (taken.has(`${lower}-${number}`)) number += 1
  return `${lower}-${number}`
}

function isSame(one: Operation, other: Operation): boolean {
  return (
    one.file === other.file &&
    one.kind === other.kind &&
    one.method === other.method &&
    one.path === other.path
  )
}
