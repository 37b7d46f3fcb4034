export { buildIndex, type IndexFile, writeIndex } from './build-index.ts'
export { openIndex, type SearchIndex } from './open-index.ts'
export { type Passage, splitPassages } from './split-passages.ts'
