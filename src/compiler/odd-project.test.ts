import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { type CompileResult, compileSite } from './index.ts'

/** Habits of real teams that a parser does not love: each page holds some, and reads as its author meant it. */
const pages: Record<string, string> = {
  'windows.mdx':
    '\uFEFF---\r\ntitle: "Windows"\r\n---\r\n\r\nimport Shared from "/shared.mdx"\r\n\r\n<Steps>\r\n  <Step title="One">\r\n    ```bash\r\n    npm install\r\n      deeper\r\n    ```\r\n  </Step>\r\n</Steps>\r\n\r\n<Shared />\r\n',
  'shared.mdx': '---\ntitle: Shared\n---\n\nThis is **shared**.\n',
  'UPPER.MDX': '---\ntitle: Upper\n---\n\nIn capitals.\n',
  'Mixed/Case.mdx': '---\ntitle: Mixed\n---\n\nMixed letters.\n',
  'our guides/first page.mdx':
    '---\ntitle: First\n---\n\n[a](../deep/er/page.mdx#some-anchor) [b](/deep/er/page/) [c](/🚀%20launch/über) ![d](</images/a b.png?raw=true>)\n',
  'deep/er/page.mdx': '---\ntitle: Deep\n---\n\n## Some anchor\n\n[up](../../our%20guides/first%20page)\n',
  '🚀 launch/über.mdx': '---\ntitle: "🚀 Über"\n---\n\n## Same 🎉\n\n## Same 🎉\n',
  'numbers.mdx': '---\ntitle: 2.10\nsidebarTitle: 1.0\n---\n\nUse {} and 2 < 3, <3, a <-> b, List<string>.\n',
  'colon.mdx': '---\ntitle: Colons: a story\ndescription: Use "it": so\n---\n\nText.\n',
  'money.mdx':
    '---\ntitle: Money\n---\n\nFrom $5-$10, US$20 and $HOME/bin:$PATH, but $x^2$.\n\n```bash\necho $5 a\n```\n',
  'html.mdx':
    '---\ntitle: Html\n---\n\nOne<br>two <!-- gone -->\n\n<p>With <img src=/images/a%20b.png alt="in it"> inside</p>\n\n<style>\n.a { color: red }\n\n.b { color: blue }\n</style>\n\n&copy; &#169; <me@example.com>\n',
  'alerts.mdx':
    '---\ntitle: Alerts\n---\n\n> [!NOTE]\n> Take **note**.\n\n> [!CAUTION] Mind this\n>\n> - hot\n\n> [!quote] said\n',
  'directives.mdx':
    '---\ntitle: Directives\n---\n\n:::tip[Do "this"]\nWith **words**\n\n- and a list\n:::\n\n:::unknown\nas it is\n:::\n\n```md\n:::note\nshown\n:::\n```\n',
  'audiences.mdx':
    '---\ntitle: Audiences\n---\n\n<Visibility for="humans">\n\nPress the button.\n\n</Visibility>\n\n<Visibility for="agents">\n\nCall **POST /x**.\n\n</Visibility>\n\n<Visibility for="humans">bare words</Visibility>\n\n<Card>no title</Card>\n',
  'components.md':
    '# Components\n\n<Note>\nIn **Markdown**, with {braces}.\n</Note>\n\n<Tabs>\n  <Tab title="One">Text one</Tab>\n</Tabs>\n',
  'mixed.md':
    '# Mixed\n\n<Card title="Still a card" href="/money">Text</Card>\n\nSize < 3 <br> and {not code\n',
  'spoken-of.md': '# Spoken of\n\nUse <Note> for notes.\n\nStill outside.\n',
  'code-only.md': '# Code\n\n`<Note>` and a < b <br> {x}\n',
  'plain-alerts.md': '# Plain\n\n> [!TIP]\n> In Markdown too.\n',
  'forgotten.mdx':
    '---\ntitle: Forgotten\n---\n\n<Steps>\n<Step title="One">\nFirst.\n<Step title="Two">\nSecond.\n</Step>\n</Steps>\n\n## After\n',
  'lists.mdx':
    '---\ntitle: Lists\n---\n\n1. One\n\t<Tip>tabs</Tip>\n\n- two\n<!-- between -->\n- three\n\n<Tabs>\n\t<Tab title="T">\n\t\tText\n\n\t\t```js\n\t\tif (x)\n\t\t\ty()\n\t\t```\n\t</Tab>\n</Tabs>\n',
  'expressions.mdx':
    "---\ntitle: Expressions\n---\n\nexport const items = [{ title: 'One', href: '/money' }, { title: `Two $MARK{1 + 1}` }]\n\n{items.map((item) => <Card key={item.title} title={item.title} href={item.href} />)}\n\n| `{id}` | {'x'} |\n|---|---|\n| <Badge>new</Badge> | a \\| b |\n\n## GET /v1/{id}\n",
}

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let folder = ''
let site: CompileResult

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-odd-'))
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, 'docs', path)), { recursive: true })
    writeFileSync(join(folder, 'docs', path), content)
  }
  for (const [path, text] of Object.entries(pages)) write(path, text.replace('$MARK', '$'))
  write('images/a b.png', picture)
  const names = Object.keys(pages).map((path) => (path === 'Mixed/Case.mdx' ? 'mixed/case' : path))
  const settings = {
    name: 'Odd',
    colors: { primary: '#146c5c' },
    navigation: { pages: names.map((path) => path.replace(/\.mdx?$/i, '')) },
  }
  write('docs.json', `\uFEFF${JSON.stringify(settings, null, 2).replaceAll('\n', '\r\n')}`)
  site = await compileSite({ source: join(folder, 'docs'), into: join(folder, 'bundle'), workers: 0 })
})
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(folder, 'bundle', path), 'utf8')
const article = (path: string) =>
  /<article class="prose">([\s\S]*)<\/article>/
    .exec(read(`${path}.html`))?.[1]
    ?.replace(/<svg[\s\S]*?<\/svg>/g, '') ?? ''

test('every page is there, whatever its name, and only real mistakes are errors', () => {
  assert.deepEqual(site.failedPages, [])
  assert.equal(site.pageCount, Object.keys(pages).length)
  const errors = site.problems.filter(({ severity }) => severity === 'error')
  assert.deepEqual(
    errors.map(({ code, file }) => [code, file]),
    [['broken_frontmatter', 'colon.mdx']],
  )
  assert.match(read('UPPER.html'), /In capitals/)
  assert.match(read('Mixed/Case.html'), /Mixed letters/)
})

test('line ends of Windows and a byte order mark change nothing', () => {
  assert.match(article('windows'), /npm<\/span>[\s\S]*install[\s\S]*\n {2}deeper/)
  assert.match(article('windows'), /This is <strong>shared<\/strong>/)
})

test('links with extensions, slashes, spaces and signs lead to their pages', () => {
  const first = article('our guides/first page')
  assert.match(first, /href="\.\.\/deep\/er\/page\.html#some-anchor"/)
  assert.match(first, /href="\.\.\/deep\/er\/page\.html">b/)
  assert.match(first, /href="\.\.\/%F0%9F%9A%80%20launch\/%C3%BCber\.html"/)
  assert.match(first, /src="\.\.\/images\/a%20b\.png\?raw=true"/)
  assert.match(article('deep/er/page'), /href="\.\.\/\.\.\/our%20guides\/first%20page\.html"/)
})

test('titles are what their authors wrote', () => {
  assert.match(read('numbers.html'), /<h1[^>]*>2\.10</)
  assert.match(read('numbers.html'), /aria-current="page"[^>]*><span class="nav-label">1\.0</)
  assert.match(read('colon.html'), /<h1[^>]*>Colons: a story</)
  const ids = [...article('🚀 launch/über').matchAll(/<h2 id="([^"]*)"/g)].map((match) => match[1])
  assert.equal(new Set(ids).size, 2)
})

test('signs that are no markup stay signs', () => {
  assert.match(article('numbers'), /Use \{\} and 2 &lt; 3, &lt;3, a &lt;-&gt; b, List&lt;string&gt;\./)
  assert.match(article('money'), /From \$5-\$10, US\$20 and \$HOME\/bin:\$PATH, but <span class="math"/)
  assert.match(article('money'), /\$5/)
  assert.doesNotMatch(article('money'), /\\\$|katex-error/)
})

test('HTML that MDX refuses is shown as it was meant', () => {
  const html = article('html')
  assert.match(html, /<p>One<br>two\s*<\/p>/)
  assert.match(html, /<p>With <img src="images\/a%20b\.png" alt="in it"[^>]*> inside<\/p>/)
  assert.match(html, /\.a \{ color: red \}[\s\S]*\.b \{ color: blue \}/)
  assert.match(html, /© © <a href="mailto:me@example\.com">/)
  assert.doesNotMatch(html, /gone/)
})

test('quotations with a mark are callouts', () => {
  const html = article('alerts')
  assert.match(html, /callout-note[\s\S]*<p>Take <strong>note<\/strong>\.<\/p>/)
  assert.match(html, /callout-danger[\s\S]*<p class="callout-title">Mind this<\/p>[\s\S]*<li>hot<\/li>/)
  assert.match(html, /<blockquote>\s*<p>\[!quote\] said/)
  assert.match(article('plain-alerts'), /callout-tip[\s\S]*In Markdown too/)
})

test('blocks of colons are callouts, and code shows them as they are', () => {
  const html = article('directives')
  assert.match(
    html,
    /callout-tip[\s\S]*callout-title">Do "this"<[\s\S]*With <strong>words<\/strong>[\s\S]*and a list/,
  )
  assert.match(html, /:::unknown\s*as it is/)
  assert.match(html, /:::note\s*shown\s*:::/)
})

test('people and agents each read what is meant for them', () => {
  assert.match(article('audiences'), /Press the button[\s\S]*bare words/)
  assert.doesNotMatch(article('audiences'), /POST/)
  const markdown = read('audiences.md')
  assert.match(markdown, /Call \*\*POST \/x\*\*\./)
  assert.doesNotMatch(markdown, /Press|bare words|\*\*\*\*/)
})

test('Markdown may hold components, and braces stay text in it', () => {
  assert.match(
    article('components'),
    /callout-note[\s\S]*<p>In <strong>Markdown<\/strong>, with \{braces\}\.<\/p>/,
  )
  assert.match(article('components'), /role="tab"[\s\S]*Text one/)
  assert.match(article('mixed'), /card-link" href="money\.html"[\s\S]*Still a card/)
  assert.match(article('mixed'), /Size &lt; 3 <br> and \{not code/)
  assert.doesNotMatch(article('spoken-of'), /callout/)
  assert.match(article('spoken-of'), /Still outside/)
  assert.match(article('code-only'), /<code>&lt;Note&gt;<\/code> and a &lt; b <br> \{x\}/)
})

test('a tag that was forgotten ends with the one around it', () => {
  assert.match(
    article('forgotten'),
    /<ol class="steps">[\s\S]*One[\s\S]*First\.[\s\S]*Two[\s\S]*Second\.[\s\S]*<h2 id="after"/,
  )
})

test('tabs indent as spaces do', () => {
  assert.match(article('lists'), /callout-tip[\s\S]*tabs/)
  assert.match(article('lists'), /<li>\s*(?:<p>)?two[\s\S]*three/)
  assert.match(article('lists'), /\n\ty|\n\t<span/)
})

test('lists of cards, braces and cells come out whole', () => {
  const html = article('expressions')
  assert.match(html, /href="money\.html"[^>]*>One</)
  assert.match(html, /Two 2/)
  assert.match(html, /<th><code>\{id\}<\/code><\/th>\s*<th>x<\/th>/)
  assert.match(html, /GET \/v1\/\{id\}/)
  assert.match(read('expressions.md'), /\[One\]\(money\.md\)/)
})
