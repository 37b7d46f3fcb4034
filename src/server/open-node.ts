import { isAbsolute, join, resolve } from 'node:path'
import { assistantMigrations } from '../assistant/index.ts'
import {
  type Database,
  type LanguageModel,
  migrate,
  type ObjectStore,
  openDatabase,
  openLanguageModel,
  openObjectStore,
} from '../backends/index.ts'
import { exportMigrations, webhookMigrations } from '../exports/index.ts'
import { rateLimitMigrations } from '../http/index.ts'
import { jobMigrations } from '../jobs/index.ts'
import {
  bundleKeyMigrations,
  feedbackMigrations,
  openPublishedSites,
  openReleaseFolders,
  type PublishedSites,
  type ReleaseFolders,
  sitesMigrations,
} from '../sites/index.ts'
import type { Settings } from './settings.ts'

/** Everything a node stands on, opened. */
export type Node = {
  database: Database
  objects: ObjectStore
  model: LanguageModel | null
  folders: ReleaseFolders
  published: PublishedSites
  close(): Promise<void>
}

export const allMigrations = [
  ...rateLimitMigrations,
  ...jobMigrations,
  ...sitesMigrations,
  ...bundleKeyMigrations,
  ...feedbackMigrations,
  ...assistantMigrations,
  ...exportMigrations,
  ...webhookMigrations,
]

/** Opens the database that the settings name, with its schema brought up to date. */
export async function openSettingsDatabase(settings: Settings, now: number): Promise<Database> {
  const database = await openDatabase(settings.databaseUrl ?? join(resolve(settings.data), 'quire.sqlite'))
  await migrate(database, allMigrations, now)
  return database
}

export async function openNode(input: {
  settings: Settings
  environment: Record<string, string | undefined>
  publicUrl: () => string
  clock: () => number
}): Promise<Node> {
  const { settings, clock } = input
  const database = await openSettingsDatabase(settings, clock())
  const objects = await openObjectStore({
    address: objectsAddress(settings),
    publicUrl: input.publicUrl,
    environment: input.environment,
    nowMs: clock(),
  })
  await objects.check()
  const folders = await openReleaseFolders({ folder: join(resolve(settings.data), 'cache'), objects })
  return {
    database,
    objects,
    model: await openSettingsModel(settings),
    folders,
    published: openPublishedSites({ database, folders }),
    close: async () => {
      await objects.close()
      await database.close()
    },
  }
}

function objectsAddress({ objects, data }: Settings): string {
  if (objects === undefined) return join(resolve(data), 'objects')
  return objects.startsWith('s3:') || isAbsolute(objects) ? objects : resolve(objects)
}

async function openSettingsModel(settings: Settings): Promise<LanguageModel | null> {
  if (!settings.model) return null
  return openLanguageModel({
    model: settings.model,
    url: settings.modelUrl,
    apiKey: settings.modelKey,
    fallback: settings.fallbackModel
      ? { model: settings.fallbackModel, url: settings.fallbackModelUrl, apiKey: settings.fallbackModelKey }
      : undefined,
  })
}
