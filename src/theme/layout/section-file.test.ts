import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import type { NavigationNode } from '../theme-api.ts'
import { renderIconString } from './layout-icons.ts'
import { renderNodes } from './navigation-markup.ts'
import { type Section, sectionFiles, sectionsFile } from './section-file.ts'
import type { SectionEntry } from './section-list.ts'

type Asked = { place: string; depth: number; root: string; page: string }

/** What a browser gets from the files of one section. */
function open(section: Section): (asked: Asked) => string {
  const window: { quireSection?: (asked: Asked) => string; quireSectionFiles?: Record<string, string> } = {}
  const files = sectionFiles([section], 'lucide')
  const text = (path: string | undefined) =>
    new TextDecoder().decode(files.find((file) => file.path === path)?.content)
  runInNewContext(text(sectionsFile), { window })
  runInNewContext(text(window.quireSectionFiles?.[section.name]), { window, decodeURIComponent })
  return (asked) => window.quireSection?.(asked) ?? ''
}

const marks = {
  icon: () => '',
  chevron: renderIconString('chevron-right'),
  away: renderIconString('arrow-up-right'),
}

test('the shared file draws what the page would have drawn', () => {
  const entries: SectionEntry[] = [
    ['Start', 'start.html'],
    [
      'Guides & </script>',
      'guides/one.html',
      { tag: 'New' },
      [
        ['One', 'guides/one.html', { method: 'DELETE', deprecated: true }],
        ['Two “b”', 'guides/two.html'],
        ['Away', 'https://example.com', { external: true }],
        ['Deeper', 'guides/deep/x.html', {}, [['X', 'guides/deep/x.html']]],
      ],
    ],
  ]
  const nodes: NavigationNode[] = [
    {
      type: 'page',
      label: 'One',
      href: '../guides/one.html',
      active: false,
      external: false,
      method: 'DELETE',
      deprecated: true,
    },
    { type: 'page', label: 'Two “b”', href: '../guides/two.html', active: true, external: false },
    { type: 'page', label: 'Away', href: 'https://example.com', active: false, external: true },
    {
      type: 'group',
      label: 'Deeper',
      href: '../guides/deep/x.html',
      place: '1.3',
      active: false,
      expanded: false,
      closed: true,
      children: [],
    },
  ]
  const items = open({ name: '0', entries })({ place: '1', depth: 1, root: '../', page: 'guides/two' })
  assert.equal(`<ul class="nav-list nav-depth-1">${items}</ul>`, renderNodes(nodes, 1, marks))
})

test('a long list comes in parts, from the page outwards', () => {
  const entries: SectionEntry[] = Array.from({ length: 900 }, (_, index) => [`P${index}`, `p${index}.html`])
  const draw = open({ name: '7', entries })
  const labels = (html: string) => [...html.matchAll(/nav-label">([^<]*)/g)].map((match) => match[1])
  const before = draw({ place: ':0-460', depth: 0, root: '', page: 'p500' })
  assert.equal(labels(before)[0], 'P0 … P259')
  assert.equal(labels(before)[1], 'P260')
  assert.equal(labels(before).at(-1), 'P459')
  assert.match(before, /href="p259\.html" data-place=":0-260"/)
  const after = draw({ place: ':541-900', depth: 0, root: '', page: 'p500' })
  assert.equal(labels(after)[0], 'P541')
  assert.equal(labels(after).at(-1), 'P741 … P899')
  assert.equal(labels(draw({ place: ':741-900', depth: 0, root: '', page: 'p500' })).length, 159)
})

test('the page of a group itself stands first in it', () => {
  const entries: SectionEntry[] = [['Group', 'g.html', { own: 'Overview' }, [['One', 'one.html']]]]
  const html = open({ name: '0', entries })({ place: '0', depth: 1, root: '', page: '' })
  assert.match(html, /href="g\.html"><span class="nav-label">Overview<.*One/s)
})

test('icons are in the file once, and pictures are found from every page', () => {
  const entries: SectionEntry[] = [
    ['G', 'a.html', {}, Array.from({ length: 9 }, () => ['A', 'a.html', { icon: 'rocket' }] as SectionEntry)],
    ['H', 'a.html', {}, [['B', 'b.html', { icon: '/i/b.svg' }]]],
  ]
  const [file] = sectionFiles([{ name: '0', entries }], 'lucide')
  assert.equal(new TextDecoder().decode(file?.content).split('<svg').length - 1, 0) // `<` is written as an escape.
  const draw = open({ name: '0', entries })
  assert.equal(draw({ place: '0', depth: 1, root: '', page: '' }).split('<svg').length - 1, 9)
  assert.match(draw({ place: '1', depth: 1, root: '../../', page: '' }), /src="\.\.\/\.\.\/i\/b\.svg"/)
  assert.deepEqual(
    sectionFiles([{ name: '0', entries }], 'lucide'),
    sectionFiles([{ name: '0', entries }], 'lucide'),
  )
})
