import { isAbsolute, join, resolve } from 'node:path'
import { assistantMigrations } from '../assistant/index.ts'
import {
  type Database,
  type EmbeddingModel,
  type LanguageModel,
  migrate,
  type ObjectStore,
  openDatabase,
  openEmbeddingModel,
  openLanguageModel,
  openObjectStore,
  openQuestionVectors,
  type QuestionVectors,
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
  embeddings: EmbeddingModel | null
  /** The same model for questions: soon, or not at all. */
  questions: QuestionVectors | null
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
  /** Told when a model that search can do without is given up, and when it is back. */
  warn?: (message: string) => void
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
  const embeddings = openSettingsEmbeddings(settings, input.environment)
  const questions =
    embeddings &&
    openQuestionVectors(embeddings, {
      now: clock,
      onChange: ({ working, reason }) =>
        input.warn?.(working ? reason : `Search goes on with words alone. ${reason}`),
    })
  return {
    database,
    objects,
    embeddings,
    questions,
    model: await openSettingsModel(settings),
    folders,
    published: openPublishedSites({ database, folders, questions }),
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

/** The embedding model that the settings name, null without one. */
export function openSettingsEmbeddings(
  settings: Settings,
  environment: Record<string, string | undefined>,
): EmbeddingModel | null {
  if (!settings.embeddingModel) return null
  return openEmbeddingModel(
    {
      model: settings.embeddingModel,
      url: settings.embeddingModelUrl,
      apiKey: settings.embeddingModelKey,
      dimensions: settings.embeddingDimensions,
      questionPrefix: settings.embeddingQuestionPrefix,
      passagePrefix: settings.embeddingPassagePrefix,
    },
    environment,
  )
}
