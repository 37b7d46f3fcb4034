export { freshPostgres, testOnEveryEngine } from './database/testing.ts'
export { diskStoreWithServer, freshS3Objects, s3TestServer, testOnEveryStore } from './objects/testing.ts'
