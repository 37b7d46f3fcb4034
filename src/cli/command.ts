import { parseArgs } from 'node:util'

/** One command of `quire`. `run` gives the exit code. */
export type Command = { name: string; summary: string; help: string; run(args: string[]): Promise<number> }

/** A mistake in how a command was called: told in one sentence, without a stack. */
export class UsageError extends Error {
  override name = 'UsageError'
}

type Options = Record<string, { type: 'string' | 'boolean'; short?: string }>

/** Flags and words of a command; an unknown flag is named together with the ones there are. */
export function readArguments<Names extends Options>(args: string[], options: Names) {
  try {
    return parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    const known = Object.keys(options)
      .map((name) => `--${name}`)
      .join(', ')
    const sentence = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new UsageError(
      `${sentence}. ${known ? `This command takes ${known}.` : 'This command takes no flags.'}`,
    )
  }
}

/** A word that must be there. */
export function requireWord(word: string | undefined, what: string): string {
  if (word !== undefined && word !== '') return word
  throw new UsageError(`Say ${what}.`)
}
