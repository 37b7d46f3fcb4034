export { type ExportsDependencies, exportsRoutes } from './exports-routes.ts'
export { exportMigrations } from './exports-store.ts'
export { type ExportWork, exportHandler, exportJobKind } from './run-export.ts'
