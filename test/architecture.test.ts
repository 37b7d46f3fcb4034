import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const root = dirname(import.meta.dirname)
const madeForTests = /(\.test|\/testing|\/fake-[\w-]+)\.ts$/
const folders = readFolderList()
const sources = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], { cwd: root })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => !/(^|\/)(node_modules|fixtures|clients)\//.test(file))
  .map((file) => ({ file, imports: readImports(file) }))

test('ARCHITECTURE.md lists every folder of src, and no other', () => {
  const found = globSync('src/*/', { cwd: root }).map((folder) =>
    folder.replaceAll(sep, '/').replace(/\/$/, ''),
  )
  assert.deepEqual(folders.toSorted(), found.toSorted())
})

test('imports point down the list of folders', () => {
  expectNoFaults(({ file, target }) => {
    const from = folders.indexOf(folderOf(file))
    const to = folders.indexOf(folderOf(target))
    if (from === -1) return null
    if (to === -1) return `${file} imports ${target}, which is outside src.`
    return to < from ? `${file} imports ${target}, which stands above it in ARCHITECTURE.md.` : null
  })
})

test('a folder is entered by its index.ts, its shapes or, from tests, its testing.ts', () => {
  expectNoFaults(({ file, target }) => {
    const folder = folderOf(target)
    if (folder === folderOf(file) || !folders.includes(folder)) return null
    const isTest =
      /(\.test|\/testing)\.ts$/.test(file) || file.startsWith('test/') || file.startsWith('bench/')
    const isDoor =
      target === `${folder}/index.ts` ||
      target.endsWith('-api.ts') ||
      (isTest && target === `${folder}/testing.ts`)
    return isDoor ? null : `${file} enters ${folder} by the side door ${target}.`
  })
})

test('only tests import what is made for tests', () => {
  expectNoFaults(({ file, target }) => {
    const isTest = madeForTests.test(file) || !file.startsWith('src/')
    return madeForTests.test(target) && !isTest ? `${file} imports ${target}.` : null
  })
})

test('shapes are safe in a browser: beside types they import shapes and zod alone', () => {
  const faults = sources
    .filter(({ file }) => file.endsWith('-api.ts'))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ specifier, isType }) => !isShape(specifier) && !(isType && !/^(node:|\.)/.test(specifier)))
        .map(({ specifier }) => `${file} imports ${specifier}.`),
    )
  assert.deepEqual(faults, [])
})

test('what runs in a browser stays in its own folder and needs no package and no Node', () => {
  const faults = sources
    .filter(({ file }) => /^src\/\w+\/browser\//.test(file) && !file.endsWith('.test.ts'))
    .flatMap(({ file }) => browserFaults(file, folderOf(file), new Set()))
  assert.deepEqual(faults, [])
})

test('the repository names no path of one machine and no private registry', () => {
  const files = existsSync(join(root, '.git'))
    ? execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
    : sources.map(({ file }) => file)
  const own = relative(root, import.meta.filename)
  const faults = files
    .filter((file) => file !== '' && file !== own && existsSync(join(root, file)))
    .flatMap((file) => forbiddenWords(file))
  assert.deepEqual(faults, [])
})

/** The folders of ARCHITECTURE.md's table, from the top down. */
function readFolderList(): string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  return [...text.matchAll(/^\| *\d+ *\| *`(src\/[\w-]+)` *\|/gm)].map(([, folder]) => folder!)
}

function isShape(specifier: string): boolean {
  return specifier === 'zod' || specifier.endsWith('-api.ts')
}

interface Import {
  specifier: string
  isType: boolean
}

function readImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{][^'"`;]*?\sfrom\s+)?'([^']+)'/gm)
  const calls = text.matchAll(/\bimport\('([^']+)'\)/g)
  return [
    ...[...statements].map(([, type, specifier]) => ({ specifier: specifier!, isType: type !== undefined })),
    ...[...calls].map(([, specifier]) => ({ specifier: specifier!, isType: false })),
  ]
}

function expectNoFaults(judge: (edge: { file: string; target: string }) => string | null): void {
  const faults = sources.flatMap(({ file, imports }) =>
    imports
      .filter(({ specifier }) => /^\.\.?\/.*\.ts$/.test(specifier))
      .map(({ specifier }) => judge({ file, target: resolveFrom(file, specifier) }))
      .filter((fault) => fault !== null),
  )
  assert.deepEqual(faults, [])
}

function resolveFrom(file: string, specifier: string): string {
  return relative(root, resolve(root, dirname(file), specifier)).replaceAll(sep, '/')
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

/** Follows the imports that remain when the types are gone. */
function browserFaults(file: string, folder: string, seen: Set<string>): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return (sources.find((source) => source.file === file)?.imports ?? []).flatMap(({ specifier, isType }) => {
    if (isType) return []
    if (!specifier.startsWith('.')) {
      const what =
        specifier.startsWith('node:') || builtinModules.includes(specifier) ? 'Node' : 'the package'
      return [`${file} needs ${what} ${specifier}.`]
    }
    const target = resolveFrom(file, specifier)
    if (folderOf(target) !== folder) return [`${file} leaves ${folder} for ${target}.`]
    return browserFaults(target, folder, seen)
  })
}

function forbiddenWords(file: string): string[] {
  const bytes = readFileSync(join(root, file))
  if (bytes.subarray(0, 8000).includes(0)) return [] // A binary file holds no words.
  const text = bytes.toString('utf8')
  const faults = [
    ...text.matchAll(/\/work\/(?:main|shared)\b|\/(?:home|Users)\/\w+\/|"resolved": *"https?:/g),
  ]
  return faults.map(([word]) => `${file} holds ${word}.`)
}
