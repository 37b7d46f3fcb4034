import { createHash } from 'node:crypto'
import { ModelError } from '../language-model/language-model.ts'
import type { EmbeddingModel, EmbedOptions } from './embedding-model.ts'

export type EmbeddingModelSettings = {
  /** Which model: `openai:text-embedding-3-small`, or, with `url`, the name that an OpenAI-compatible server knows. */
  model: string
  /** The address of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`. */
  url?: string | undefined
  apiKey?: string | undefined
  /** Asks for shorter vectors; longer ones that come all the same are cut. */
  dimensions?: number | undefined
  /** Put before a question and before a passage, for models that were trained so. */
  questionPrefix?: string | undefined
  passagePrefix?: string | undefined
}

const openAiUrl = 'https://api.openai.com/v1'

/** A model behind the embeddings endpoint of OpenAI's protocol. Opening it calls nobody. */
export function openEmbeddingModel(
  settings: EmbeddingModelSettings,
  environment: Record<string, string | undefined>,
): EmbeddingModel {
  const { model, url, dimensions, questionPrefix = '', passagePrefix = '' } = settings
  const ofOpenAi = url === undefined && model.startsWith('openai:') && model.length > 'openai:'.length
  if (url === undefined && !ofOpenAi) {
    throw new Error(
      `The embedding model "${model}" names no provider. Write openai:NAME, or give the URL of an OpenAI-compatible server.`,
    )
  }
  const apiKey = settings.apiKey ?? (ofOpenAi ? environment.OPENAI_API_KEY : undefined)
  const ask = {
    address: `${(url ?? openAiUrl).replace(/\/+$/, '')}/embeddings`,
    model: ofOpenAi ? model.slice('openai:'.length) : model,
    dimensions,
    apiKey,
  }
  const how = [passagePrefix, questionPrefix].some((prefix) => prefix !== '')
    ? `+${createHash('sha256').update(`${questionPrefix}\n${passagePrefix}`).digest('hex').slice(0, 8)}`
    : ''
  return {
    name: `${ofOpenAi ? '' : 'openai-compatible:'}${model}${dimensions === undefined ? '' : `@${dimensions}`}${how}`,
    embed: (texts, options) => {
      const prefix = options.as === 'question' ? questionPrefix : passagePrefix
      return askEndpoint(
        ask,
        texts.map((text) => prefix + text),
        options,
      )
    },
  }
}

type Ask = { address: string; model: string; dimensions: number | undefined; apiKey: string | undefined }

async function askEndpoint(ask: Ask, texts: string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
  if (texts.length === 0) return []
  let response: Response
  let body: string
  try {
    response = await fetch(ask.address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(ask.apiKey === undefined ? {} : { authorization: `Bearer ${ask.apiKey}` }),
      },
      body: JSON.stringify({
        model: ask.model,
        input: texts,
        encoding_format: 'float',
        ...(ask.dimensions === undefined ? {} : { dimensions: ask.dimensions }),
      }),
      redirect: 'error', // The key is for this address and no other.
      signal,
    })
    body = await readBody(response)
  } catch (error) {
    if (error instanceof ModelError) throw error
    const late = signal.aborted
    throw new ModelError(
      late ? 'timeout' : 'unreachable',
      late
        ? 'The embedding model took too long.'
        : `The embedding model cannot be reached: ${reasonOf(error)}`,
      { cause: error },
    )
  }
  if (!response.ok) {
    const retryable = response.status === 408 || response.status === 429 || response.status >= 500
    throw new ModelError(
      retryable ? 'failed' : 'refused',
      `The embedding model's server answered ${response.status}.`,
      { retryable },
    )
  }
  return readVectors(body, texts.length, ask.dimensions)
}

const mostAnswerBytes = 64 * 1024 * 1024

async function readBody(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > mostAnswerBytes) throw new ModelError('failed', 'The embedding model sent too much.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The vectors in the order of the texts, cut to the length asked for, each of length 1. */
function readVectors(body: string, count: number, dimensions: number | undefined): Float32Array[] {
  const vectors: Float32Array[] = []
  for (const [place, entry] of readEntries(body).entries()) {
    const index = isRecord(entry) && typeof entry.index === 'number' ? entry.index : place
    const values = isRecord(entry) ? entry.embedding : undefined
    if (!Array.isArray(values) || values.length === 0 || !values.every(Number.isFinite)) throw notUnderstood()
    vectors[index] = lengthOne(Float32Array.from(values.slice(0, dimensions)))
  }
  const length = vectors[0]?.length
  const whole = vectors.length === count && Array.from(vectors).every((vector) => vector?.length === length)
  if (!whole) throw notUnderstood()
  return vectors
}

function readEntries(body: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(body)
    if (isRecord(parsed) && Array.isArray(parsed.data)) return parsed.data
  } catch {
    // Told below, as any other answer that is not one.
  }
  throw notUnderstood()
}

function notUnderstood(): ModelError {
  return new ModelError('failed', "The embedding model's answer is not one vector for each text.")
}

function lengthOne(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const scale = sum > 0 ? 1 / Math.sqrt(sum) : 0
  return vector.map((value) => value * scale)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
