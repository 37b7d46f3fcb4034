export { lockDataFolder } from './data-lock.ts'
export { moveInstallation } from './move-installation.ts'
export { allMigrations, openSettingsDatabase, openSettingsEmbeddings } from './open-node.ts'
export { type Build, type Preview, previewFolder } from './preview-folder.ts'
export {
  describeSettings,
  flagOf,
  readSettings,
  type Settings,
  SettingsError,
  settingsSchema,
  variableOf,
} from './settings.ts'
export { type RunningServer, type StartOptions, startServer } from './start-server.ts'
