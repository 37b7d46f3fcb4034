import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileSite } from '../index.ts'

/** Ways to run code in a reader's browser, as authors could write them in MDX and in Markdown. */
const attacks = [
  '<img src="x" onerror="alert(1)" />',
  '<img src="javascript:alert(1)" />',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java&#x0A;script:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="vbscript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '[x](javascript:alert(1))',
  '![x](javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '<script>alert(1)</script>',
  '<script src="https://evil.example/x.js"></script>',
  '<svg onload="alert(1)"></svg>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate attributeName="href" values="javascript:alert(1)" /></svg>',
  '<svg><set attributeName="onmouseover" to="alert(1)" /></svg>',
  '<svg><foreignObject><img src="x" onerror="alert(1)" /></foreignObject></svg>',
  '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><use href="data:image/svg+xml,<svg onload=alert(1)>" /></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)" />',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<base href="https://evil.example/" />',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)" />',
  '<link rel="stylesheet" href="https://evil.example/x.css" />',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<div style="width:expression(alert(1))">x</div>',
  '<style>{`@import "https://evil.example/x.css"; a { background: url(https://evil.example/x.png) }`}</style>',
  '<style>{`</style><script>alert(1)</script>`}</style>',
  '<div dangerouslySetInnerHTML={{ __html: "<img src=x onerror=alert(1)>" }} />',
  '<div dangerouslySetInnerHTML={{ __html: "<script>alert(1)</script>" }} />',
  '<Card title="x" href="javascript:alert(1)">x</Card>',
  '<Card title="<img src=x onerror=alert(1)>">x</Card>',
  '<Card title={{ type: "root", children: [{ type: "trustedHtml", value: "<script>alert(1)</script>", text: "" }] }}>x</Card>',
  '<Card icon={{ type: "root", children: [{ type: "raw", value: "<script>alert(1)</script>" }] }}>x</Card>',
  '<Frame caption="<svg onload=alert(1)>">x</Frame>',
  '<Tooltip tip={"<img src=x onerror=alert(1)>"}>x</Tooltip>',
  '<Icon icon="javascript:alert(1)" />',
  '<Icon icon="<svg onload=alert(1)>" />',
  '<div {...{ onclick: "alert(1)", onMouseOver: "alert(1)" }}>x</div>',
  '<video src="x" onplay="alert(1)"><source src="javascript:alert(1)" /></video>',
  '<math><mtext><img src="x" onerror="alert(1)" /></mtext></math>',
  '<details open ontoggle="alert(1)">x</details>',
  '<input autofocus onfocus="alert(1)" />',
  '<img srcSet="javascript:alert(1) 1x" />',
  '<Update label="<script>alert(1)</script>" description="<img src=x onerror=alert(1)>">x</Update>',
  '```js title="<script>alert(1)</script>"\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '## <img src="x" onerror="alert(1)" />',
  '## x {#"><script>alert(1)</script>}',
  '| <img src="x" onerror="alert(1)" /> |\n|---|\n| x |',
  '$$\\href{javascript:alert(1)}{x}$$',
]

test('no attack reaches the page, neither in MDX nor in Markdown', async () => {
  const source = await mkdtemp(join(tmpdir(), 'quire-attacks-'))
  const into = await mkdtemp(join(tmpdir(), 'quire-attacks-out-'))
  const names: string[] = []
  for (const [index, attack] of attacks.entries()) {
    for (const kind of ['mdx', 'md']) {
      const name = `attack-${index}-${kind}`
      names.push(name)
      await writeFile(
        join(source, `${name}.${kind}`),
        `---\ntitle: '<script>alert(1)</script>'\ndescription: '"><img src=x onerror=alert(1)>'\n---\nBefore.\n\n${attack}\n\nAfter.\n`,
      )
    }
  }
  const settings = {
    name: '<script>alert(1)</script>',
    navigation: { pages: names },
    navbar: { links: [{ label: '<b onclick=alert(1)>', href: 'javascript:alert(1)' }] },
    banner: { content: '<img src=x onerror=alert(1)> [x](javascript:alert(1))' },
  }
  await writeFile(join(source, 'docs.json'), JSON.stringify(settings))
  const result = await compileSite({ source, into, workers: 0 })
  assert.deepEqual(result.failedPages, [])
  for (const name of names) {
    const html = await readFile(join(into, `${name}.html`), 'utf8')
    const attack = attacks[Number(name.split('-')[1])]
    const live = findLive(html)
    assert.equal(live, undefined, `${name}: ${attack}\n${live}`)
    assert.match(html, /After\./)
  }
  await rm(source, { recursive: true })
  await rm(into, { recursive: true })
})

/** Anything in the tags of a page that would run the attack; its text may say what it likes. */
function findLive(html: string): string | undefined {
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)]
  for (const [whole, attributes = '', body = ''] of scripts) {
    const ours = /type="application\/ld\+json"/.test(attributes)
      ? !/<\/?script/i.test(body)
      : /src="[./]*_quire\//.test(attributes)
    if (!ours) return whole
  }
  for (const [tag] of html.matchAll(
    /<[a-z][^\s>]*(?:\s+[^\s=>"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*\s*\/?>/gi,
  )) {
    for (const [, name = '', quoted = ''] of tag.matchAll(/\s([^\s=>"']+)\s*=\s*"([^"]*)"/g)) {
      const value = quoted.replace(/&#?\w+;|\s/g, '').toLowerCase()
      if (/^on/i.test(name)) return tag
      if (
        /^(?:href|src|action|formaction|data|poster|srcset|xlink:href)$/i.test(name) &&
        /^(?:javascript|vbscript|data:text)/.test(value)
      )
        return tag
      if (name === 'style' && /javascript:|expression\(/.test(value)) return tag
      if (name === 'srcdoc') return tag
    }
    if (
      /^<(?:object|embed|base|foreignobject|animate|set)\b/i.test(tag) ||
      /^<meta[^>]*http-equiv/i.test(tag)
    )
      return tag
    if (/^<link[^>]*evil/.test(tag)) return tag
  }
  const styles = html.match(/<style\b[\s\S]*?<\/style>/g)?.join('') ?? ''
  return /evil\.example|<script/.test(styles) ? styles : undefined
}
