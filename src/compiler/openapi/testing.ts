import { readFileSync } from 'node:fs'
import type { OperationModel, SchemaView } from '../../theme/endpoint/endpoint-api.ts'
import { endpointModel, findOperation, type LoadedSpec, loadSpec } from './index.ts'

/** A specification from `test/fixtures/openapi`. */
export function fixtureSpec(name: string): LoadedSpec {
  const url = new URL(`../../../test/fixtures/openapi/${name}`, import.meta.url)
  return specFrom(name, readFileSync(url, 'utf8'))
}

export function specFrom(file: string, text: string): LoadedSpec {
  const spec = loadSpec({ file, text })
  if (!('document' in spec)) throw new Error(spec.problems.map((problem) => problem.message).join('\n'))
  return spec
}

export function operationModelOf(spec: LoadedSpec, reference: string): OperationModel {
  const operation = findOperation([spec], reference)
  if (operation === undefined) throw new Error(`No ${reference}`)
  const model = endpointModel(spec, operation)
  if (model.type !== 'operation' && model.type !== 'webhook') throw new Error(`${reference} is no operation`)
  return model
}

/** A small specification around one schema. */
export function schemaSpec(schema: unknown, schemas: unknown = {}): LoadedSpec {
  const content = { 'application/json': { schema } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { '/x': { post: { summary: 'X', requestBody: { content }, responses: { 200: { content } } } } },
    components: { schemas },
  }
  return specFrom('test.json', JSON.stringify(document))
}

export function property(view: SchemaView | undefined, name: string): SchemaView {
  const found = view?.properties.find((entry) => entry.name === name)
  if (found === undefined) throw new Error(`No property ${name}`)
  return found.schema
}
