import { indexOf, pageOf } from '../search/testing.ts'
import type { McpSite } from './tools.ts'

/** A site of three pages in two versions, in memory. */
export async function smallSite(siteUrl: string | null = 'https://kiln.example/docs'): Promise<McpSite> {
  const texts: Record<string, string> = {
    index: 'Kiln fires pottery by itself.',
    'guide/fire': 'Fire the kiln with kiln fire --cone 6 and wait for the bell.',
    'old/fire': 'Fire the kiln by hand and watch the cone.',
    long: Array.from({ length: 3000 }, (_, line) => `Line ${line} of a very long page.`).join('\n'),
  }
  const versions: Record<string, string> = { 'old/fire': '1.0' }
  const page = (path: string) => ({ version: versions[path] ?? '2.0', title: `Page ${path}` })
  return {
    siteUrl,
    index: await indexOf(
      Object.entries(texts).map(([path, text]) =>
        pageOf(path, page(path).title, text.slice(0, 200), { version: page(path).version }),
      ),
    ),
    siteIndex: {
      name: 'Kiln',
      description: 'Pottery without watching.',
      home: 'index',
      defaultVersion: '2.0',
      versions: ['2.0', '1.0'],
      languages: [],
      pages: Object.keys(texts).map((path) => ({ path, description: '', searchable: true, ...page(path) })),
      redirects: [],
    },
    readPage: async (path) => texts[path] ?? null,
  }
}
