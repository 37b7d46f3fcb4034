import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import { tableOfContents } from './table-of-contents.ts'

const heading = (id: string, ...children: ElementContent[]): ElementContent => ({
  type: 'element',
  tagName: 'h2',
  properties: { id },
  children: [{ type: 'text', value: id }, ...children],
})

const update = (label: string): ElementContent => ({
  type: 'element',
  tagName: 'section',
  properties: { className: ['update'], id: label.toLowerCase(), ariaLabel: label },
  children: [heading('bug-fixes')],
})

test('a changelog is listed by its updates', () => {
  const labels = tableOfContents([update('May'), update('April')]).map(({ id, label }) => [id, label])
  assert.deepEqual(labels, [
    ['may', 'May'],
    ['april', 'April'],
  ])
})

test('one update on a page is read through', () => {
  assert.deepEqual(
    tableOfContents([heading('first'), update('May')]).map(({ id }) => id),
    ['first', 'bug-fixes'],
  )
})

test('a dash before a badge is not part of a heading’s name', () => {
  const badge: ElementContent = {
    type: 'element',
    tagName: 'span',
    properties: {},
    data: { call: { name: 'Badge', props: {}, children: [] } },
    children: [{ type: 'text', value: 'required' }],
  }
  const [entry] = tableOfContents([heading('theme', { type: 'text', value: ' - ' }, badge)])
  assert.equal(entry?.label, 'theme')
})
