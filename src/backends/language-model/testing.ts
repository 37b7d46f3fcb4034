import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts'

export type ScriptedStep =
  | string
  | { toolName: string; input: unknown }
  | { fail: Error }
  /** Waits for the promise, which may be made only then, or for the abort. */
  | { wait: Promise<void> | (() => Promise<void>) }

export type ScriptedModel = LanguageModel & { requests: ModelRequest[]; aborted: number }

/** Plays one list of steps per call, the last one again and again; remembers what it was asked. */
export function scriptedModel(...calls: ScriptedStep[][]): ScriptedModel {
  return modelFrom((_request, call) => calls[Math.min(call, calls.length - 1)] ?? [])
}

/** A model whose answer follows from the request, to play one that tries to obey what it reads. */
export function modelFrom(script: (request: ModelRequest, call: number) => ScriptedStep[]): ScriptedModel {
  const model: ScriptedModel = {
    name: 'scripted',
    requests: [],
    aborted: 0,
    stream: (request) => {
      model.requests.push(request)
      request.signal.addEventListener('abort', () => {
        model.aborted += 1
      })
      return play(script(request, model.requests.length - 1), request)
    },
  }
  return model
}

async function* play(steps: ScriptedStep[], { signal }: ModelRequest): AsyncGenerator<ModelEvent> {
  let words = 0
  let calls = 0
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  for (const step of steps) {
    if (signal.aborted) return
    if (typeof step === 'string') {
      words += 1
      yield { type: 'text-delta', text: step }
    } else if ('toolName' in step) {
      calls += 1
      yield {
        type: 'tool-call',
        call: { callId: `scripted-${calls}`, toolName: step.toolName, input: step.input },
      }
    } else if ('fail' in step) {
      throw step.fail
    } else {
      await Promise.race([typeof step.wait === 'function' ? step.wait() : step.wait, aborted])
    }
  }
  if (signal.aborted) return
  yield {
    type: 'step-end',
    reason: calls > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 10, outputTokens: words },
  }
}
