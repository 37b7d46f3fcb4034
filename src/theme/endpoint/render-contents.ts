import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { fieldWords } from '../field-words.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { ContentView, OperationModel } from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { section } from './endpoint-pieces.ts'
import { renderSchemaFields, renderText } from './render-schema.ts'

/** The body of a request. */
export function bodySection(model: OperationModel, page: ComponentContext): ElementContent[] {
  const { body } = model
  if (body === undefined || (body.contents.length === 0 && body.description === '')) return []
  const children = [
    ...renderText(body.description, page),
    ...renderContents({
      contents: body.contents,
      page,
      prefix: 'body',
      said: body.description,
      expanded: model.display.expanded,
    }),
  ]
  const note = body.contents.length === 1 ? (body.contents[0]?.mediaType ?? '') : ''
  return section({
    id: endpointAnchors.body,
    title: fieldWords(page).body,
    note,
    required: body.required,
    page,
    children,
  })
}

/** Contents with the same fields are told once, under all their types. */
export function renderContents(input: {
  contents: ContentView[]
  page: ComponentContext
  prefix: string
  expanded: boolean
  said: string
}): ElementContent[] {
  const groups = new Map<unknown, { types: string[]; content: ContentView }>()
  for (const content of input.contents) {
    const key = content.schema ?? content
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { types: [content.mediaType], content })
    else known.types.push(content.mediaType)
  }
  const several = input.contents.length > 1
  return [...groups.values()].flatMap(({ types, content }) => {
    const fields =
      content.schema === undefined
        ? []
        : renderSchemaFields({
            schema: content.schema,
            page: input.page,
            prefix: input.prefix,
            expanded: input.expanded,
            said: input.said,
          })
    if (!several) return fields
    const label = h(
      'div',
      { className: ['endpoint-types'] },
      types.flatMap((type) => [h('code', null, type), ' ']),
    )
    return [label, ...fields]
  })
}
