export type { Database, Engine, Migration } from './database/database.ts'
export { migrate } from './database/migrate.ts'
export { openDatabase } from './database/open-database.ts'
export type { EmbeddingModel, EmbedOptions } from './embedding-model/embedding-model.ts'
export { type EmbeddingModelSettings, openEmbeddingModel } from './embedding-model/open-embedding-model.ts'
export {
  openQuestionVectors,
  type QuestionOutcome,
  type QuestionVectors,
} from './embedding-model/question-vectors.ts'
export {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
} from './language-model/language-model.ts'
export { type LanguageModelSettings, openLanguageModel } from './language-model/open-language-model.ts'
export { signingKeysFile } from './objects/disk-object-store.ts'
export { hideSignature, rewriteObjectUrl } from './objects/download-link.ts'
export { objectRoutes } from './objects/object-routes.ts'
export type { ByteRange, ListedObject, ObjectInfo, ObjectStore, OpenObject } from './objects/object-store.ts'
export {
  checkObjectKey,
  linkExpiresAtMs,
  ObjectDigestError,
  ObjectRangeError,
} from './objects/object-store.ts'
export { openObjectStore } from './objects/open-object-store.ts'
export { revokeSigningKey, rotateSigningKey } from './objects/signing-keys.ts'
