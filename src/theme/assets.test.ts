import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { mathFiles, mermaidFiles, themeAssets } from './assets.ts'
import { contrast, parseColor, siteColors } from './colors.ts'
import { testSite } from './testing.ts'

const size = (content: Uint8Array | undefined) =>
  content === undefined ? Number.NaN : gzipSync(content).length
const find = (path: string, files: { path: string; content: Uint8Array }[]) =>
  files.find((file) => file.path === path)?.content

test('a page loads at most 25 KB of styles and 30 KB of scripts, search included', () => {
  const assets = themeAssets(testSite())
  assert.ok(size(find(assets.stylesheet, assets.files)) <= 25_000)
  const scripts = [assets.headScript, assets.script, assets.searchScript].reduce(
    (sum, path) => sum + size(find(path, assets.files)),
    0,
  )
  assert.ok(scripts <= 30_000, `${scripts} bytes`)
})

test('names follow from content, so the same site has the same files', () => {
  assert.deepEqual(
    themeAssets(testSite()).files.map((file) => file.path),
    themeAssets(testSite()).files.map((file) => file.path),
  )
  assert.notEqual(
    themeAssets(testSite()).stylesheet,
    themeAssets(testSite({ colors: { primary: '#ff0000' } })).stylesheet,
  )
})

test('styles name no other origin and no file that is not there', () => {
  const assets = themeAssets(testSite())
  const names = new Set(assets.files.map((file) => file.path.split('/').pop()))
  const styles = new TextDecoder().decode(find(assets.stylesheet, assets.files))
  for (const [, name] of styles.matchAll(/url\(([^)]+)\)/g)) assert.ok(names.has(name), name)
  const math = mathFiles()
  const mathNames = new Set(math.map((file) => file.path.split('/').pop()))
  for (const [, name] of new TextDecoder().decode(math[0]?.content).matchAll(/url\(([^)]+)\)/g))
    assert.ok(mathNames.has(name), name)
  assert.equal(mermaidFiles().length, 1)
})

test('scripts stay scripts after they are made small', () => {
  const assets = themeAssets(testSite())
  for (const path of [assets.headScript, assets.script]) {
    assert.doesNotThrow(() => new Function(new TextDecoder().decode(find(path, assets.files))), path)
  }
})

test('every brand colour gives readable links and buttons on both grounds', () => {
  const ground = { light: '#ffffff', dark: '#0c0d10' }
  for (const primary of [
    '#ffff00',
    '#000000',
    '#ffffff',
    '#16a34a',
    '#7c3aed',
    '#f72585',
    '#888888',
    'nonsense',
    '#0af',
  ]) {
    const colors = siteColors({ primary }, ground)
    const ratio = (one: string, other: string) =>
      contrast(parseColor(one) ?? assert.fail(), parseColor(other) ?? assert.fail())
    assert.ok(ratio(colors.accentLight, ground.light) >= 4.5, primary)
    assert.ok(ratio(colors.accentDark, ground.dark) >= 4.5, primary)
    assert.ok(ratio(colors.buttonLightText, colors.buttonLight) >= 4.5, primary)
    assert.ok(ratio(colors.buttonDarkText, colors.buttonDark) >= 4.5, primary)
  }
})
