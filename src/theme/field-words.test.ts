import assert from 'node:assert/strict'
import { test } from 'node:test'
import { components } from './components/index.ts'
import { renderHtml } from './content/render-html.ts'
import { testContext } from './testing.ts'

test('fields speak the language of their page, and English where it is not known', () => {
  const say = (language: string) => {
    const props = { path: 'id', required: true, default: '7' }
    const page = testContext({ language })
    const field = components.ParamField?.({ name: 'ParamField', props, children: [], page }) ?? []
    return renderHtml(field, { decorate: true })
  }
  assert.match(say('fr'), /requis/)
  assert.match(say('pt-BR'), /obrigatório/)
  assert.match(say('zh-Hans'), /默认值/)
  assert.match(say('tlh'), /required/)
})
