import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import { searchSections } from './search-sections.ts'

test('takes a paragraph that is wrapped in its source as one, and two as two', () => {
  const paragraph = (value: string): ElementContent => ({
    type: 'element',
    tagName: 'p',
    properties: {},
    children: [{ type: 'text', value }],
  })
  const [section] = searchSections([
    paragraph('Readers see one release, the\n  live one.'),
    { type: 'text', value: '\n' },
    paragraph('The others wait.'),
  ])
  assert.equal(section?.text, 'Readers see one release, the live one.\nThe others wait.')
})

test('says under which headings each section stands', () => {
  const heading = (tagName: string, value: string): ElementContent => ({
    type: 'element',
    tagName,
    properties: {},
    children: [{ type: 'text', value }],
  })
  const sections = searchSections([
    heading('h2', 'Windows'),
    heading('h4', 'Steps'),
    heading('h3', 'Remove'),
    heading('h2', 'Linux'),
    heading('h3', 'Steps'),
  ])
  assert.deepEqual(
    sections.map(({ heading: own, parents = [] }) => [...parents, own].join(' › ')),
    ['Windows', 'Windows › Steps', 'Windows › Remove', 'Linux', 'Linux › Steps'],
  )
})
