export { freshPostgres, testOnEveryEngine } from './database/testing.ts'
