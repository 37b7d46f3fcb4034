export type { Database, Engine, Migration } from './database/database.ts'
export { migrate } from './database/migrate.ts'
export { openDatabase } from './database/open-database.ts'
