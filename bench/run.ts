import { spawnSync } from 'node:child_process'

/** `npm run bench`: every benchmark in turn, or those named: `npm run bench -- build serve`. */
const benches: Record<string, { file: string; args: string[]; about: string }> = {
  build: {
    file: 'build.ts',
    args: ['1000'],
    about: 'a cold build, a warm one and one edited page, beside Hugo',
  },
  search: { file: 'search.ts', args: [], about: 'what the search finds, beside SQLite FTS5 and MiniSearch' },
  scale: { file: 'search-scale.ts', args: [], about: 'the search at 50,000 passages' },
  serve: { file: 'serve.ts', args: ['10000'], about: 'serving a bundle, beside nginx' },
  assistant: { file: 'assistant.ts', args: [], about: 'a thousand answers at once' },
  exports: { file: 'exports.ts', args: [], about: 'exports per minute, and the API meanwhile' },
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are ${Object.keys(benches).join(', ')}.`)
  process.exit(1)
}
for (const [name, { file, args, about }] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n== ${name}: ${about}`)
  const { status } = spawnSync(process.execPath, [new URL(file, import.meta.url).pathname, ...args], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
