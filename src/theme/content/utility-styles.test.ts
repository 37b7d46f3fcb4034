import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utilityStyles } from './utility-styles.ts'

test('pictures for one colour scheme are hidden in the other', () => {
  const styles = utilityStyles(['block', 'dark:hidden', 'hidden', 'dark:block'])
  assert.match(styles, /\.hidden\{display:none\}/)
  assert.match(styles, /\.dark :is\(\.prose,\.aside\) \.dark\\:hidden\{display:none\}/)
  assert.ok(styles.indexOf('.block{') < styles.indexOf('.dark\\:hidden'), 'the dark scheme has the last word')
})

test('scales, fractions, colours and arbitrary values are understood', () => {
  const expected: Record<string, RegExp> = {
    'mt-4': /margin-top:1rem/,
    '-top-14': /top:-3\.5rem/,
    'w-1/2': /width:50\.0000%/,
    'max-w-3xl': /max-width:48rem/,
    'grid-cols-2': /repeat\(2,minmax\(0,1fr\)\)/,
    'text-zinc-950/70': /color:color-mix\(in srgb,oklch/,
    'text-sm': /font-size:\.875rem/,
    'text-center': /text-align:center/,
    'border-white/10': /border-color/,
    'min-w-[4rem]': /min-width:4rem/,
    'space-y-4': />\*\+\*\{margin-top:1rem\}/,
    'sm:grid-cols-2': /@media \(min-width:640px\)/,
    'group-hover:underline': /\.group:hover \.group-hover\\:underline/,
    'bg-primary': /background-color:var\(--q-accent\)/,
    '!mt-0': /margin-top:0!important/,
    'rounded-xl': /border-radius:\.75rem/,
    'flex-col': /flex-direction:column/,
  }
  for (const [name, pattern] of Object.entries(expected)) assert.match(utilityStyles([name]), pattern, name)
})

test('a class that is no utility, or would load or break out of the style, gives nothing', () => {
  for (const name of [
    'card',
    'my-callout',
    'msb-hn',
    'bg-[url(http://x)]',
    'w-[}</style>]',
    'constructor',
    '__proto__',
    'text-[;}]',
    'p-constructor',
  ])
    assert.equal(utilityStyles([name]), '', name)
})
