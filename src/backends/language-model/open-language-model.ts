import type { LanguageModelV4 } from '@ai-sdk/provider'
import { chatCompletionsModel } from './chat-completions.ts'
import type { LanguageModel } from './language-model.ts'
import { Pace } from './pace.ts'
import { steadyModel } from './steady-model.ts'

export type LanguageModelSettings = {
  /**
   * Which model: `openai:gpt-5-mini`, `anthropic:claude-sonnet-4-5`, `google:gemini-2.5-flash`, or, with `url`,
   * the name that an OpenAI-compatible server knows.
   */
  model: string
  /** The address of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`. */
  url?: string | undefined
  apiKey?: string | undefined
  /** Asked when the first cannot answer. */
  fallback?: Omit<LanguageModelSettings, 'fallback'> | undefined
  firstEventTimeoutMs?: number | undefined
  idleTimeoutMs?: number | undefined
  totalTimeoutMs?: number | undefined
}

const providers = ['openai', 'anthropic', 'google'] as const
type Provider = (typeof providers)[number]

/** The configured model with its retry, timeouts and fallback; a provider's package is loaded only when it is named. */
export async function openLanguageModel(settings: LanguageModelSettings): Promise<LanguageModel> {
  const pace = new Pace()
  const first = await openOne(settings, pace)
  return steadyModel(first, {
    fallback: settings.fallback ? await openOne(settings.fallback, pace) : null,
    firstEventTimeoutMs: settings.firstEventTimeoutMs ?? 30_000,
    idleTimeoutMs: settings.idleTimeoutMs ?? 30_000,
    totalTimeoutMs: settings.totalTimeoutMs ?? 120_000,
  })
}

async function openOne({ model, url, apiKey }: LanguageModelSettings, pace: Pace): Promise<LanguageModel> {
  if (url) return chatCompletionsModel({ name: `openai-compatible:${model}`, model, url, apiKey, pace })
  const [provider, name] = splitName(model)
  const { sdkModel } = await import('./sdk-model.ts')
  return sdkModel({ name: model, model: await openProvider(provider, name, apiKey), pace })
}

async function openProvider(
  provider: Provider,
  name: string,
  apiKey: string | undefined,
): Promise<LanguageModelV4> {
  const key = apiKey ? { apiKey } : {}
  switch (provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(key)(name)
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(key)(name)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(key)(name)
  }
}

function splitName(model: string): [Provider, string] {
  const colon = model.indexOf(':')
  const provider = providers.find((one) => one === model.slice(0, colon))
  const name = model.slice(colon + 1)
  if (provider && name !== '') return [provider, name]
  throw new Error(
    `The model "${model}" names no provider. Write openai:NAME, anthropic:NAME or google:NAME, or give the URL of an OpenAI-compatible server.`,
  )
}
