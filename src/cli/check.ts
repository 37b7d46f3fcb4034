import { resolve } from 'node:path'
import { checkSite } from '../compiler/index.ts'
import { readArguments, requireWord } from './command.ts'
import { describeProblems } from './describe-problems.ts'

const help = `quire check: report a docs folder's problems, each at its file, line and column

  quire check <folder> [--json]

  --json   the problems as JSON

The exit code is 1 where there is an error; warnings alone leave it at 0. Example:

  quire check ./my-docs
`

export const checkCommand = { name: 'check', summary: "report a docs folder's problems", help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { json: { type: 'boolean' } })
  const folder = requireWord(positionals[0], 'which folder: quire check ./my-docs')
  const problems = await checkSite({ source: resolve(folder) })
  if (values.json) process.stdout.write(`${JSON.stringify(problems, null, 2)}\n`)
  else
    process.stdout.write(
      describeProblems(problems, { color: process.stdout.isTTY }) || 'No problems found.\n',
    )
  return problems.some((problem) => problem.severity === 'error') ? 1 : 0
}
