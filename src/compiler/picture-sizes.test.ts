import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileSite } from './compile-site.ts'

test('a picture says its size in the page, also when only the picture has changed since the last build', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pictures-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const source = join(folder, 'project')
  await mkdir(join(source, 'guide/my pictures'), { recursive: true })
  const drawing = (width: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"/>`
  await writeFile(
    join(source, 'docs.json'),
    '{"name":"P","colors":{"primary":"#123456"},"navigation":{"pages":["guide/one"]}}',
  )
  await writeFile(
    join(source, 'guide/one.mdx'),
    '---\ntitle: One\n---\n\n![Near](<./my pictures/a.svg>)\n\n<img src="/guide/my pictures/a.svg" alt="Small" width="20" />\n',
  )
  const build = async (name: string, width: number) => {
    await writeFile(join(source, 'guide/my pictures/a.svg'), drawing(width))
    const into = join(folder, name)
    await compileSite({ source, into, cache: join(folder, 'cache'), workers: 0 })
    const html = await readFile(join(into, 'guide/one.html'), 'utf8')
    return [...html.matchAll(/alt="(\w+)"([^>]*)/g)].map(
      ([, alt, rest]) => `${alt} ${(rest ?? '').match(/(width|height)="\d+"/g)?.join(' ')}`,
    )
  }
  assert.deepEqual(await build('first', 80), ['Near width="80" height="40"', 'Small width="20" height="10"'])
  assert.deepEqual(await build('second', 160), [
    'Near width="160" height="40"',
    'Small width="20" height="5"',
  ])
})

test('a picture that is not there is named, not asked for', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pictures-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const source = join(folder, 'project')
  await mkdir(source)
  await writeFile(
    join(source, 'docs.json'),
    '{"name":"P","colors":{"primary":"#123456"},"navigation":{"pages":["one"]}}',
  )
  await writeFile(join(source, 'one.mdx'), '---\ntitle: One\n---\n\n![A lost chart](/lost.png)\n')
  await compileSite({ source, into: join(folder, 'out'), workers: 0 })
  const html = await readFile(join(folder, 'out/one.html'), 'utf8')
  assert.doesNotMatch(html, /<img/)
  assert.match(html, /A lost chart/)
})
