import type { AnswerEvent } from './answer-event.ts'

/**
 * Waits for the answer's first words, or for `limitMs`, before anything is sent: a model that fails at once can then
 * still be told by an HTTP status. Rejects when the answer does.
 */
export async function holdBack(
  events: AsyncGenerator<AnswerEvent>,
  limitMs: number,
): Promise<AsyncGenerator<AnswerEvent>> {
  const held: AnswerEvent[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs)
  })
  try {
    for (;;) {
      const next = events.next()
      const result = await Promise.race([next, late])
      if (result === 'late') return resume(held, next, events)
      if (result.done) return resume(held, null, events)
      held.push(result.value)
      if (result.value.type === 'text-delta') return resume(held, null, events)
    }
  } finally {
    clearTimeout(timer)
  }
}

async function* resume(
  held: AnswerEvent[],
  next: Promise<IteratorResult<AnswerEvent>> | null,
  events: AsyncGenerator<AnswerEvent>,
): AsyncGenerator<AnswerEvent> {
  next?.catch(() => {}) // It is awaited below, perhaps only after it has rejected.
  try {
    yield* held
    if (next) {
      const result = await next
      if (result.done) return
      yield result.value
    }
    yield* events
  } finally {
    await events.return(undefined)
  }
}
