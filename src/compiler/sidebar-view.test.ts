import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NavigationNode } from '../theme/theme-api.ts'
import type { Division, Entry } from './plan-navigation.ts'
import type { PlannedPage } from './plan-pages.ts'
import { createSidebars } from './sidebar-view.ts'

/** A section of so many groups, each with so many pages. */
function section(groups: number, pagesEach: number) {
  const pages = new Map<string, PlannedPage>()
  const entries: Entry[] = Array.from({ length: groups }, (_, group) => ({
    type: 'group',
    label: `Group ${group}`,
    hidden: false,
    expanded: false,
    entries: Array.from({ length: pagesEach }, (__, number): Entry => {
      const path = `g${group}/p${number}`
      pages.set(path, page(path))
      return { type: 'page', page: path }
    }),
  }))
  const sidebars = createSidebars({
    pages,
    divisions: [division(entries)],
    linkView: (link) => ({ label: link.label, href: link.href, external: true }),
  })
  const sidebarOf = (path: string) => sidebars.sidebarOf(0, page(path), `${path}.html`)
  return Object.assign(sidebarOf, sidebars)
}

function division(entries: Entry[]): Division {
  return {
    kind: 'root',
    label: '',
    parent: -1,
    children: [],
    entries,
    hidden: false,
    isDefault: true,
    isGlobal: false,
  }
}

function page(path: string): PlannedPage {
  return {
    path,
    from: { type: 'file', file: `${path}.mdx`, format: 'mdx', digest: '' },
    meta: {
      description: '',
      mode: 'default',
      deprecated: false,
      noindex: false,
      keywords: [],
      rss: false,
      metatags: [],
    },
    title: path,
    sidebarTitle: path,
    listed: true,
    searchable: true,
    indexed: true,
    groups: [],
    division: 0,
  }
}

const shape = (nodes: NavigationNode[]) =>
  nodes.map((node) =>
    node.type === 'page'
      ? node.label
      : `${node.label}${node.closed ? ` → ${node.href}` : `: ${node.children.length}`}`,
  )

test('a small section is shown whole', () => {
  assert.deepEqual(shape(section(3, 4)('g1/p0')), ['Group 0: 4', 'Group 1: 4', 'Group 2: 4'])
})

test('in a large section the groups without the page are closed and lead to their first page', () => {
  assert.deepEqual(shape(section(4, 80)('g1/p3')), [
    'Group 0 → ../g0/p0.html',
    'Group 1: 80',
    'Group 2 → ../g2/p0.html',
    'Group 3 → ../g3/p0.html',
  ])
})

test('pages of one group share their sidebar', () => {
  const sidebarOf = section(4, 80)
  assert.equal(sidebarOf('g1/p3'), sidebarOf('g1/p40'))
  assert.notEqual(sidebarOf('g1/p3'), sidebarOf('g2/p3'))
})

test('a page’s sidebar stays short however many groups there are', () => {
  const nodes = shape(section(1000, 3)('g500/p0'))
  assert.equal(nodes.length, 83)
  assert.equal(nodes[0], 'Group 0 … Group 459 → ../g459/p0.html')
  assert.equal(nodes[1], 'Group 460 → ../g460/p0.html')
  assert.equal(nodes.at(-1), 'Group 541 … Group 999 → ../g541/p0.html')
})

test('a page’s sidebar stays short however many pages its group has', () => {
  const [group] = section(1, 1000)('g0/p500')
  assert.ok(group?.type === 'group')
  assert.equal(group.children.length, 83)
  assert.equal(group.children[0]?.label, 'g0/p0 … g0/p459')
})

test('a large section is also given whole, once, and a closed group says where in it its pages are', () => {
  const { largeSections, sectionName, sidebarOf } = section(4, 80)
  const [whole, ...others] = largeSections()
  assert.deepEqual(others, [])
  assert.equal(sectionName(0), whole?.name)
  assert.equal(whole?.entries.length, 4)
  const [closed] = sidebarOf(0, page('g1/p3'), 'g1/p3.html')
  assert.ok(closed?.type === 'group' && closed.place === '0')
  assert.deepEqual(whole?.entries[0]?.[3]?.[79], ['g0/p79', 'g0/p79.html'])
  assert.deepEqual(section(3, 4).largeSections(), [])
})
