export { freshPostgres, testOnEveryEngine } from './database/testing.ts'
export { diskStoreWithServer, freshS3Objects, s3TestServer, testOnEveryStore } from './objects/testing.ts'
export { modelFrom, type ScriptedModel, type ScriptedStep, scriptedModel } from './language-model/testing.ts'
export { type FakeAnswer, type FakeOpenAi, fakeOpenAi } from './language-model/fake-openai.ts'
