export { type FetchedSpec, fetchSpec, type SpecCache, specFetcher } from './fetch-spec.ts'
export { endpointFromApiFrontmatter, type ManualApiSettings } from './api-frontmatter.ts'
export { endpointModel } from './endpoint-model.ts'
export { type EndpointSearchSection, endpointMarkdown, endpointSearchSections } from './endpoint-text.ts'
export {
  findChannel,
  findOperation,
  findSchema,
  findSpec,
  parseReference,
  type Reference,
  type ReferenceContext,
} from './find-operation.ts'
export { folderSpecCache } from './folder-spec-cache.ts'
export { listOperations, listSchemas } from './list-operations.ts'
export { loadSpec, looksLikeSpec } from './load-spec.ts'
export { type MissingEndpoint, missingEndpoint } from './missing-endpoint.ts'
export type { EndpointSettings, LoadedSpec, Operation } from './openapi-api.ts'
export { expandSpec, type OperationGroup, type OperationPage, operationPagePath } from './operation-pages.ts'
