import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerSite, Passages } from './passages.ts'
import { quotePassages } from './quote-passages.ts'
import { kilnAnswerSite, kilnSite } from './testing.ts'

const site: AnswerSite = await kilnAnswerSite()

async function quote(question: string) {
  const passages = new Passages(site.siteUrl)
  for (const hit of await site.index.search({ query: question, limit: 5 })) passages.add(hit)
  const quotation = quotePassages({
    question,
    passages: passages.all,
    siteName: kilnSite.name,
    pageCount: kilnSite.pages.length,
    language: undefined,
    supportUrl: null,
  })
  return { ...quotation, text: quotation.pieces.join('') }
}

test('quotes the sentences and the code that match the question, and cites them', async () => {
  const { covered, text, quoted } = await quote('How do I run a bisque firing?')
  assert.equal(covered, true)
  assert.equal(quoted[0]?.path, 'guide/schedules')
  assert.match(text, /> A bisque firing climbs slowly to 1000 degrees/)
  assert.match(text, /```bash\nkiln fire --schedule bisque\n```/)
  assert.match(text, /\[1\]\(https:\/\/kiln\.example\/guide\/schedules#bisque\)/)
  assert.match(text, /^Passages from the documentation of Kiln/)
})

test('answers a bare identifier', async () => {
  const { covered, text } = await quote('ERR_4012')
  assert.equal(covered, true)
  assert.match(text, /thermocouple is disconnected/)
})

test('refuses what the site does not cover and names the nearest pages', async () => {
  for (const question of [
    'How do I bake a chocolate cake on Mars?',
    'What is the difference between a mutex and a semaphore in Rust?',
    'Can I pay my invoice with a credit card from Japan?',
  ]) {
    const { covered, text, quoted } = await quote(question)
    assert.equal(covered, false, question)
    assert.deepEqual(quoted, [])
    assert.match(text, /does not seem to say/)
  }
})

test('lets no markup of a page out of its quotation', () => {
  const passages = new Passages('https://kiln.example')
  passages.add({
    path: 'x',
    title: 'A [title](https://evil.example) <b>',
    description: '',
    heading: 'A [title](https://evil.example) <b>',
    content: 'The thermocouple <img src=x> is [here](https://evil.example), see `<b>`.',
    score: 1,
    coverage: 1,
  })
  const { pieces } = quotePassages({
    question: 'thermocouple',
    passages: passages.all,
    siteName: 'Kiln *docs*',
    pageCount: 1,
    language: undefined,
    supportUrl: null,
  })
  const text = pieces.join('')
  assert.match(text, /\\<img src=x\\>/)
  assert.match(text, /\\\[here\\\]/)
  assert.match(text, /`<b>`/)
  assert.match(text, /Kiln \\\*docs\\\*/)
})
