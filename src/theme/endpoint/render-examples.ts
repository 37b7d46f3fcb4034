import type { ElementContent } from 'hast'
import { renderCodeBlock } from '../code/code-block.ts'
import { RequestExample, ResponseExample } from '../components/media.ts'
import { CodeGroup } from '../components/tabs.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { ExampleView, OperationModel } from './endpoint-api.ts'

const longestExample = 24_000
const mostExamples = 16

/** Samples of the request, one tab for each language; for a webhook, the examples of what is received. */
export function requestExamples(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.type === 'webhook') {
    const examples = model.body?.contents.flatMap((content) => content.examples) ?? []
    const blocks = blocksOf(examples, page)
    return blocks.length === 0
      ? []
      : RequestExample({ name: 'RequestExample', props: {}, children: group(blocks, page), page })
  }
  const blocks = model.samples.map(({ code, language, label }) =>
    block({ code, language, title: label, page }),
  )
  if (blocks.length === 0) return []
  return RequestExample({ name: 'RequestExample', props: {}, children: group(blocks, page), page })
}

/** Examples of the responses, one tab for each status, or more where an author gave several. */
export function responseExamples(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.type === 'webhook') return []
  const examples: ExampleView[] = []
  for (const response of model.responses) {
    const content = response.contents.find((entry) => entry.examples.length > 0)
    content?.examples.forEach((example, index) => {
      const named = index > 0 || (content.examples.length > 1 && example.label !== '')
      examples.push({ ...example, label: named ? `${response.status} · ${example.label}` : response.status })
    })
  }
  const blocks = blocksOf(examples, page)
  if (blocks.length === 0) return []
  return ResponseExample({ name: 'ResponseExample', props: {}, children: group(blocks, page), page })
}

export function exampleTabs(examples: ExampleView[], page: ComponentContext): ElementContent[] {
  const blocks = blocksOf(examples, page)
  if (blocks.length === 0) return []
  return ResponseExample({ name: 'ResponseExample', props: {}, children: group(blocks, page), page })
}

function blocksOf(examples: ExampleView[], page: ComponentContext): ElementContent[][] {
  return examples
    .slice(0, mostExamples)
    .map((example) =>
      block({ code: shortened(example.text), language: example.language, title: example.label, page }),
    )
}

function block(input: {
  code: string
  language: string
  title: string
  page: ComponentContext
}): ElementContent[] {
  const { code, language, page } = input
  const meta = `title="${input.title.replaceAll('"', "'")}"`
  return renderCodeBlock({ code, language, meta, page })
}

function group(blocks: ElementContent[][], page: ComponentContext): ElementContent[] {
  if (blocks.length === 1) return blocks.flat()
  return CodeGroup({ name: 'CodeGroup', props: {}, children: blocks.flat(), page })
}

/** An example of megabytes helps nobody: its beginning does. */
function shortened(text: string): string {
  if (text.length <= longestExample) return text
  const cut = text.lastIndexOf('\n', longestExample)
  const end = cut > longestExample / 2 ? cut : longestExample
  return `${text.slice(0, end)}\n…`
}
