import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../backends/testing.ts'
import type { SiteIndex } from '../bundle/bundle-api.ts'
import type { AnswerSite } from './passages.ts'
import { askV2, kilnSite, startTestAssistant, textV2 } from './testing.ts'

const withAssistant = (assistant: NonNullable<SiteIndex['assistant']>) => ({
  site: { ...kilnSite, assistant },
})
const site = withAssistant({
  starterQuestions: ['How do I install it?'],
  supportUrl: 'https://kiln.example/help(desk)',
})
const elsewhere = 'How do I bake a chocolate cake on Mars?'
const hint = '[ask for support](https://kiln.example/help%28desk%29)'

test('tells a chat what it may begin with and where readers find help', async (context) => {
  for (const [given, expected] of [
    [site, { starterQuestions: ['How do I install it?'], supportUrl: 'https://kiln.example/help(desk)' }],
    [
      withAssistant({ starterQuestions: [], supportUrl: '/help' }),
      { starterQuestions: [], supportUrl: 'https://kiln.example/help' },
    ],
    [{}, { starterQuestions: [], supportUrl: null }],
  ] as [Partial<AnswerSite>, unknown][]) {
    const { origin, key } = await startTestAssistant(context, { site: given })
    const url = `${origin}/discovery/v1/assistant/kiln`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    assert.deepEqual(await answer.json(), expected)
    assert.equal((await fetch(url)).status, 401)
  }
})

test('names the place for help only where the documentation has no answer', async (context) => {
  const quoting = await startTestAssistant(context, { site })
  assert.ok(textV2(await (await quoting.post(2, askV2(elsewhere))).text()).endsWith(`${hint}.`))
  const covered = textV2(await (await quoting.post(2, askV2('What does ERR_4012 mean?'))).text())
  assert.match(covered, /thermocouple/)
  assert.ok(!covered.includes('ask for support'))

  const model = scriptedModel(['The documentation does not say.'], ['Check the plug [1].'])
  const asking = await startTestAssistant(context, { site, model })
  const honest = textV2(await (await asking.post(2, askV2(elsewhere))).text())
  assert.equal(honest, `The documentation does not say.\n\nIf you need more help, ${hint}.`)
  const cited = textV2(await (await asking.post(2, askV2('What does ERR_4012 mean?'))).text())
  assert.match(cited, /Check the plug/)
  assert.ok(!cited.includes('ask for support'))
})
