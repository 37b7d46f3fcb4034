import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildIndex } from './build-index.ts'
import type { IndexedPage } from './search-api.ts'
import { indexOf, pageOf } from './testing.ts'

const garden: IndexedPage[] = [
  pageOf('watering', 'Watering', 'Water the beds in the morning. A drip hose saves water.'),
  pageOf('compost', 'Compost', 'Kitchen scraps become compost in a year. Turn the heap monthly.'),
  {
    path: 'tools/pruner',
    title: 'Pruner settings',
    description: 'All options of the pruner.',
    sections: [
      { heading: '', text: 'The pruner reads its settings at start.', code: [] },
      {
        anchor: 'options',
        heading: 'Options',
        text: 'Pass --dry-run to see what would be cut. The error ERR_4012 says that a blade is missing. '.repeat(
          3,
        ),
        code: [{ language: 'js', text: 'const pruner = usePruner({ blade: server.port, $group: 1 })' }],
      },
    ],
  },
  pageOf('and', 'Joining', 'Conditions are joined with $and in a rule.'),
]

test('finds a page by a word, by another form of it, and by a question around it', async () => {
  const index = await indexOf(garden)
  for (const query of ['compost', 'composting', 'How do I turn the compost heap?']) {
    assert.equal((await index.search({ query, limit: 3 }))[0]?.path, 'compost', query)
  }
})

test('puts the page with an exact identifier first', async () => {
  const index = await indexOf(garden)
  for (const query of [
    '--dry-run',
    'ERR_4012',
    'usePruner',
    'server.port',
    '$group',
    'err_4012',
    'usepruner',
  ]) {
    assert.equal((await index.search({ query, limit: 3 }))[0]?.path, 'tools/pruner', query)
  }
  assert.equal((await index.search({ query: 'and', limit: 3 }))[0]?.path, 'and')
  assert.equal((await index.search({ query: '$and', limit: 3 }))[0]?.path, 'and')
})

test('tells identifiers apart by case, and finds them inside longer ones', async () => {
  const index = await indexOf([
    pageOf('camel', 'Camel', 'Call maxRetries, then response.hasMore, and ipv6Address.'),
    pageOf(
      'snake',
      'Snake',
      'Set max_retries or MAX_RETRIES twice: max_retries. There has_more and ipv6_address.',
    ),
    pageOf('prose', 'Max retries', 'The max retries of a request: how many max retries there are.'),
    pageOf('longer', 'Longer', 'Export GARDEN_MAX_RETRIES_TOTAL before the start.'),
  ])
  const first = async (query: string) => (await index.search({ query, limit: 4 }))[0]?.path
  assert.equal(await first('maxRetries'), 'camel')
  assert.equal(await first('max_retries'), 'snake')
  assert.equal(await first('hasMore'), 'camel')
  assert.equal(await first('ipv6Address'), 'camel')
  assert.equal(await first('GARDEN_MAX'), 'longer')
  assert.equal(await first('RETRIES_TOTAL'), 'longer')
})

test('finds what stands on one page only as written, whatever signs and common words it has', async () => {
  const others = Array.from({ length: 40 }, (_, i) =>
    pageOf(
      `other/${i}`,
      `Rows ${i}`,
      'The rows and path, rows: path, to the path of rows. Rows, path: EIP712. Be to rows. '.repeat(4),
      { linkTexts: ['seed-sorted'] },
    ),
  )
  const index = await indexOf([
    ...others,
    pageOf('colon', 'Colon', `${'rows path '.repeat(12)} rows:path ${'path rows '.repeat(12)}`),
    pageOf('call', 'Call', 'Mutually exclusive with rows(...) of the path.'),
    pageOf('chain', 'Chain', 'We use .toBe() here.'),
    pageOf('address', 'Address', 'Open rows://{path}/to/rows in the path.'),
    pageOf('digits', 'Digits', 'The eip712 object.'),
    pageOf('member', 'Member', 'In a class $this->rows is a path.'),
    pageOf('linked', 'Linked', 'Every bed is seed-sorted.'),
    pageOf('tag', 'Tag', 'Ends in :rows always.'),
    pageOf('mixed', 'Mixed', 'Open rows.example/<你的组织>/<你的部署> for it.'),
    pageOf('mixed-too', 'Mixed too', '你的组织和你的部署: rows.example/<你的部署>, rows.example/<你的组织>.'),
  ])
  for (const [query, path] of [
    ['rows:path', 'colon'],
    ['rows(...)', 'call'],
    ['.toBe()', 'chain'],
    ['rows://{path}/to/rows', 'address'],
    ['eip712', 'digits'],
    ['$this', 'member'],
    ['seed-sorted', 'linked'],
    [':rows', 'tag'],
    ['rows.example/<你的组织>/<你的部署>', 'mixed'],
  ] as const) {
    assert.equal((await index.search({ query, limit: 3 }))[0]?.path, path, query)
  }
})

test('shows the passage with its heading, anchor, prose and code', async () => {
  const index = await indexOf(garden)
  const [hit] = await index.search({ query: 'usePruner blade', limit: 1 })
  assert.equal(hit?.heading, 'Pruner settings › Options')
  assert.equal(hit?.anchor, 'options')
  assert.match(hit?.content ?? '', /Pass --dry-run[\s\S]*```js\nconst pruner/)
  assert.equal(hit?.description, 'All options of the pruner.')
})

test('shows titles and headings without the ids that some dialects write behind them', async () => {
  const index = await indexOf([
    {
      path: 'shed',
      title: 'Shed { #shed }',
      description: '',
      sections: [{ heading: 'Locking the door {#lock-door}', text: 'Turn the key twice.', code: [] }],
    },
  ])
  const [hit] = await index.search({ query: 'key', limit: 1 })
  assert.equal(hit?.title, 'Shed')
  assert.equal(hit?.heading, 'Shed › Locking the door')
})

test('shows each page once and no more pages than asked', async () => {
  const index = await indexOf(garden)
  const hits = await index.search({ query: 'the settings water compost', limit: 2 })
  assert.equal(hits.length, 2)
  assert.equal(new Set(hits.map((hit) => hit.path)).size, 2)
})

test('says how much of the question a passage covers', async () => {
  const index = await indexOf(garden)
  const [whole] = await index.search({ query: 'drip hose', limit: 1 })
  const [half] = await index.search({ query: 'drip xylophone', limit: 1 })
  assert.equal(whole?.coverage, 1)
  assert.ok(half !== undefined && half.coverage > 0.2 && half.coverage < 0.6, String(half?.coverage))
})

test('never mixes versions and languages, and knows no page of an unknown one', async () => {
  const index = await indexOf([
    pageOf('v1/start', 'Start', 'Install the engine.', { version: 'v1', language: 'en' }),
    pageOf('v2/start', 'Start', 'Install the engine.', { version: 'v2', language: 'en' }),
    pageOf('de/v2/start', 'Start', 'Install the engine, auf Deutsch.', { version: 'v2', language: 'de' }),
  ])
  const paths = async (filter: { version?: string; language?: string; tag?: string }) =>
    (await index.search({ query: 'install engine', limit: 9, filter })).map((hit) => hit.path)
  assert.deepEqual(await paths({ version: 'v1' }), ['v1/start'])
  assert.deepEqual(await paths({ version: 'v2', language: 'de' }), ['de/v2/start'])
  assert.deepEqual(await paths({ version: 'v3' }), [])
  assert.deepEqual(await paths({ version: 'v1', language: 'de' }), [])
  assert.deepEqual(await paths({ tag: 'beta' }), [])
})

test('keeps to the pages of a tag', async () => {
  const index = await indexOf([
    pageOf('a', 'A', 'Install the engine.', { tag: 'beta' }),
    pageOf('b', 'B', 'Install the engine.'),
  ])
  const hits = await index.search({ query: 'engine', limit: 9, filter: { tag: 'beta' } })
  assert.deepEqual(
    hits.map((hit) => [hit.path, hit.tag]),
    [['a', 'beta']],
  )
})

test('finds Chinese, Japanese and Korean, and words with and without their diacritics', async () => {
  const index = await indexOf([
    pageOf('zh', '部署', '如何配置自定义域名并部署文档站点。'),
    pageOf('ja', '検索', '全文検索の設定を変更する方法について説明します。'),
    pageOf('ko', '설치', '프로젝트를 설치하고 서버를 시작합니다.'),
    pageOf('fr', 'Déploiement', 'Le déploiement se fait à la fin de l’été, où que vous soyez.'),
    pageOf('de', 'Größe', 'Die Größe der Straße wird geändert.'),
  ])
  const first = async (query: string) => (await index.search({ query, limit: 5 }))[0]?.path
  assert.equal(await first('自定义域名'), 'zh')
  assert.equal(await first('検索の設定'), 'ja')
  assert.equal(await first('서버 시작'), 'ko')
  assert.equal(await first('deploiement'), 'fr')
  assert.equal(await first('DÉPLOIEMENT'), 'fr')
  assert.equal(await first('strasse'), 'de')
  assert.equal(await first('ＡＢＣ größe'), 'de')
})

test('finds the one right page among many in scripts without spaces', async () => {
  const things: Record<string, string[]> = {
    zh: ['缓存', '域名', '证书', '日志', '权限', '队列', '密钥', '备份'],
    ja: ['キャッシュ', 'ドメイン', '証明書', 'ログ', '権限', 'キュー', '鍵', 'バックアップ'],
    ko: ['캐시', '도메인', '인증서', '로그', '권한', '대기열', '비밀키', '백업'],
  }
  const deeds: Record<string, string[]> = {
    zh: ['删除', '创建', '更新', '导出'],
    ja: ['削除', '作成', '更新', '出力'],
    ko: ['삭제', '생성', '갱신', '내보내기'],
  }
  const sentence: Record<string, (thing: string, deed: string) => string> = {
    zh: (thing, deed) => `本页说明如何${deed}${thing}，以及需要注意的事项。`,
    ja: (thing, deed) => `このページでは${thing}を${deed}する方法と注意点を説明します。`,
    ko: (thing, deed) => `이 문서는 ${thing}를 ${deed}하는 방법과 주의할 점을 설명합니다.`,
  }
  const asked: Record<string, (thing: string, deed: string) => string> = {
    zh: (thing, deed) => `怎么${deed}${thing}？`,
    ja: (thing, deed) => `${thing}を${deed}するには？`,
    ko: (thing, deed) => `${thing} ${deed} 방법`,
  }
  const cases = Object.keys(things).flatMap((language) =>
    things[language]!.flatMap((thing, i) =>
      deeds[language]!.map((deed, j) => ({ language, thing, deed, path: `${language}/${i}-${j}` })),
    ),
  )
  const index = await indexOf(
    cases.map(({ language, thing, deed, path }) =>
      pageOf(path, thing, sentence[language]!(thing, deed), { language }),
    ),
  )
  const missed: string[] = []
  for (const { language, thing, deed, path } of cases) {
    const query = asked[language]!(thing, deed)
    const [hit] = await index.search({ query, limit: 1, filter: { language } })
    if (hit?.path !== path) missed.push(`${query}: ${hit?.path} instead of ${path}`)
  }
  assert.deepEqual(missed, [])
})

test('finds words of many languages with and without their marks', async () => {
  const words: [written: string, typed: string][] = [
    ['přihlášení', 'prihlaseni'],
    ['configuración', 'configuracion'],
    ['größe', 'grosse'],
    ['übersicht', 'ubersicht'],
    ['łączenie', 'laczenie'],
    ['sécurité', 'securite'],
    ['geração', 'geracao'],
    ['ändring', 'andring'],
    ['økonomi', 'okonomi'],
    ['żądanie', 'zadanie'],
    ['güncelleme', 'guncelleme'],
    ['časovač', 'casovac'],
    ['настройка', 'настройка'],
    ['ρυθμίσεις', 'ρυθμισεις'],
    ['tiếng', 'tieng'],
    ['şifre', 'sifre'],
    ['naïveté', 'naivete'],
    ['ångström', 'angstrom'],
    ['șablon', 'sablon'],
    ['mjölk', 'mjolk'],
  ]
  const index = await indexOf(
    words.map(([written], i) => pageOf(`${i}`, `Page ${i}`, `Text about ${written} and more.`)),
  )
  for (const [i, [written, typed]] of words.entries()) {
    for (const query of [written, written.normalize('NFD'), written.toUpperCase(), typed]) {
      assert.equal((await index.search({ query, limit: 1 }))[0]?.path, `${i}`, query)
    }
  }
})

test('forgives every single and many double errors in longer words', async () => {
  const words =
    'authentication deployment kubernetes pagination encryption middleware replication rollback'.split(' ')
  const index = await indexOf(words.map((word) => pageOf(word, word, `All about ${word} is said here.`)))
  const missed: string[] = []
  let asked = 0
  const ask = async (query: string, path: string) => {
    asked++
    if ((await index.search({ query, limit: 1 }))[0]?.path !== path) missed.push(query)
  }
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      await ask(word.slice(0, i) + word.slice(i + 1), word)
      await ask(`${word.slice(0, i)}q${word.slice(i + 1)}`, word)
      await ask(`${word.slice(0, i)}q${word.slice(i)}`, word)
      if (i > 0) await ask(word.slice(0, i - 1) + word[i] + word[i - 1] + word.slice(i + 1), word)
      if (i > 3) await ask(`${word.slice(0, 1)}${word.slice(2, i)}q${word.slice(i + 1)}`, word)
    }
  }
  assert.ok(asked > 300)
  assert.deepEqual(missed, [])
})

test('forgives one and two typing errors, and finds what an unfinished word begins', async () => {
  const index = await indexOf(garden)
  for (const query of ['compsot', 'kithcen scarps', 'comost heap', 'xompost', 'usePrunre']) {
    const [hit] = await index.search({ query, limit: 3 })
    assert.equal(hit?.path, query === 'usePrunre' ? 'tools/pruner' : 'compost', query)
  }
  const [hit] = await index.search({ query: 'kitchen scr', limit: 3, asYouType: true })
  assert.equal(hit?.path, 'compost')
  assert.deepEqual(await index.search({ query: 'xylophone', limit: 3 }), [])
})

test('gives the same bytes for the same pages', async () => {
  const one = await buildIndex(garden)
  const two = await buildIndex(garden)
  assert.deepEqual(one, two)
})

test('an empty site has an index that finds nothing', async () => {
  const index = await indexOf([])
  assert.deepEqual(await index.search({ query: 'anything', limit: 5 }), [])
  assert.equal(index.passageCount, 0)
})

test('finds a passage by the headings it stands under, and names them', async () => {
  const text = (words: string) => `${words} `.repeat(30)
  const section = (heading: string, parents: string[], words: string) => ({
    heading,
    parents,
    anchor: [...parents, heading].join('-').toLowerCase(),
    text: text(words),
    code: [],
  })
  const index = await indexOf([
    pageOf('install', 'Install', 'How it gets there.', {
      sections: [
        section('Linux', ['Install'], 'Take the package.'),
        section('Steps', ['Install', 'Linux'], 'Unpack it and run the script.'),
        section('Windows', ['Install'], 'Take the installer.'),
        section('Steps', ['Install', 'Windows'], 'Unpack it and run the script.'),
      ],
    }),
  ])
  const [hit] = await index.search({ query: 'windows steps', limit: 1 })
  assert.equal(hit?.heading, 'Install › Windows › Steps')
  assert.equal(hit?.anchor, 'install-windows-steps')
})

test('puts words that stand close together in the order asked before the same words apart', async () => {
  const between = 'and so on and so forth '.repeat(3)
  const index = await indexOf([
    pageOf('apart', 'One', `The retry is told here ${between} and the policy there.`),
    pageOf('turned', 'Two', `The policy retry is told here ${between} and nothing there.`),
    pageOf('near', 'Three', `The retry policy is told here ${between} and nothing there.`),
  ])
  const hits = await index.search({ query: 'retry policy', limit: 3 })
  assert.deepEqual(
    hits.map((hit) => hit.path),
    ['near', 'turned', 'apart'],
  )
})

test('finds forms of a word that no ending tells', async () => {
  const index = await indexOf([
    pageOf('mail', 'Mail', 'Each message is sent once and written to the log.'),
    pageOf('nodes', 'Nodes', 'A node that dies is replaced.'),
  ])
  const first = async (query: string) => (await index.search({ query, limit: 1 }))[0]?.path
  assert.equal(await first('how do I send'), 'mail')
  assert.equal(await first('writes'), 'mail')
  assert.equal(await first('why is it dying'), 'nodes')
})
