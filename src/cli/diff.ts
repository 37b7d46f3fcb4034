import { type BundleDiff, diffBundles, type Manifest } from '../bundle/index.ts'
import { readArguments, requireWord } from './command.ts'
import { openBundle } from './open-bundle.ts'

const help = `quire diff: what changed between two bundles

  quire diff <old> <new> [--json] [--all]

  --json   print the difference as JSON
  --all    list every page; otherwise the first 20 of each kind

Either may be an archive or a folder; both are tested on the way. Example:

  quire diff bundle-2026-10.tar.gz bundle-2026-11.tar.gz
`

export const diffCommand = { name: 'diff', summary: 'what changed between two bundles', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { json: { type: 'boolean' }, all: { type: 'boolean' } })
  const words = 'two bundles: quire diff old.tar.gz new.tar.gz'
  const before = await openBundle(requireWord(positionals[0], words))
  const after = await openBundle(requireWord(positionals[1], words))
  const difference = diffBundles(before.manifest, after.manifest)
  const text = values.json
    ? `${JSON.stringify({ old: headOf(before.manifest), new: headOf(after.manifest), ...difference }, null, 2)}\n`
    : describe(difference, { before: before.manifest, after: after.manifest, all: values.all ?? false })
  process.stdout.write(text)
  return 0
}

const headOf = ({ name, digest, renderer, pageCount }: Manifest) => ({ name, digest, renderer, pageCount })

function describe(
  { same, pages, assets, derived }: BundleDiff,
  given: { before: Manifest; after: Manifest; all: boolean },
): string {
  const { before, after } = given
  if (same) return `The same: ${after.name}, ${after.pageCount} pages.\n`
  const lines = [`${before.name}, ${before.pageCount} pages → ${after.name}, ${after.pageCount} pages`]
  if (before.renderer !== after.renderer) lines.push(`Made by ${before.renderer} → ${after.renderer}`)
  const list = (title: string, items: string[]) => {
    if (items.length === 0) return
    const shown = given.all ? items : items.slice(0, mostShown)
    lines.push('', `${title} (${items.length})`, ...shown.map((item) => `  ${item}`))
    if (shown.length < items.length) lines.push(`  and ${items.length - shown.length} more; --all lists them`)
  }
  list('Pages added', pages.added)
  list('Pages removed', pages.removed)
  list(
    'Pages moved',
    pages.moved.map(({ from, to }) => `${from} → ${to}`),
  )
  list('Pages changed', pages.changed)
  list('Assets added', assets.added)
  list('Assets removed', assets.removed)
  list('Assets changed', assets.changed)
  const around = [
    ...(pages.reframed.length === 0
      ? []
      : [`${pages.reframed.length} pages changed only around their content (navigation or theme)`]),
    ...(derivedCount(derived) === 0
      ? []
      : [`${derivedCount(derived)} files of theme, search index and lists`]),
  ]
  if (around.length > 0) lines.push('', 'And:', ...around.map((line) => `  ${line}`))
  return `${lines.join('\n')}\n`
}

const derivedCount = ({ added, removed, changed }: BundleDiff['derived']) =>
  added.length + removed.length + changed.length

const mostShown = 20
