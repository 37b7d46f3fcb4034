type Report = (problem: { code: string; message: string; hint: string }) => void

/** The props of the components, as authors may write them. Common ones are allowed everywhere. */
const props: Record<string, string> = {
  Note: 'type title icon iconType color',
  Warning: 'type title icon iconType color',
  Tip: 'type title icon iconType color href',
  Info: 'type title icon iconType color',
  Check: 'type title icon iconType color',
  Danger: 'type title icon iconType color',
  Callout: 'type title icon iconType color',
  Card: 'title href icon iconType color horizontal vertical description cta img alt newTab arrow type disabled tag external target rel iconLibrary cols',
  CardGroup: 'cols columns gap title',
  Columns: 'cols columns gap',
  Column: 'cols',
  Tile: 'href title description icon img arrow',
  Tabs: 'group sync defaultTabIndex borderBottom title',
  Tab: 'title icon iconType label name value default',
  Steps: 'titleSize title',
  Step: 'title icon iconType titleSize stepNumber duration optional noAnchor label',
  Accordion: 'title icon iconType description defaultOpen open href type',
  AccordionGroup: 'title cols',
  CodeGroup: 'dropdown title icon sync',
  CodeBlock: 'language lang filename title icon iconType wrap lines expandable highlight focus code',
  Frame: 'caption alt type hint title background',
  ParamField:
    'type path body query header cookie default required deprecated optional name placeholder initialValue enumValues pre post hidden description format example min max',
  ResponseField:
    'type name required default optional body description defaultOpen deprecated pre post hidden',
  Expandable: 'title defaultOpen defaultClosed anyOf type description',
  RequestExample: 'dropdown title',
  ResponseExample: 'dropdown title',
  Update: 'label description tags rss date',
  Icon: 'icon iconType size color name',
  Badge: 'color shape size icon iconType stroke disabled variant text',
  Tooltip: 'tip headline cta href',
  'Tree.Folder': 'name defaultOpen defaultClosed comment highlight openable icon',
  'Tree.File': 'name comment highlight defaultOpen icon',
  Tree: 'title',
  Prompt: 'description actions icon iconType title',
  View: 'title icon iconType',
  Visibility: 'for',
  Color: 'variant',
  'Color.Row': 'title',
  'Color.Item': 'name value',
  'GitHub.Repo': 'repo variant',
  Latex: 'formula math block display',
  Banner: 'content dismissible type color icon',
  Panel: 'title',
  Mermaid: 'chart code placement actions',
}

const common = new Set(['id', 'class', 'className', 'classname', 'style', 'key', 'children', 'noAnchor'])
const allowed = new Map(Object.entries(props).map(([name, list]) => [name, new Set(list.split(' '))]))

/** A prop that the component does not have is usually a slip of the pen. */
export function reportUnknownProps(name: string, given: string[], report: Report): void {
  const known = allowed.get(name)
  if (known === undefined) return
  for (const prop of given) {
    if (known.has(prop) || common.has(prop) || /^(?:data|aria)-/.test(prop)) continue
    const close = [...known].find((candidate) => candidate.toLowerCase() === prop.toLowerCase())
    report({
      code: 'unknown_prop',
      message: `<${name}> has no prop "${prop}".`,
      hint: close === undefined ? `It has: ${[...known].slice(0, 8).join(', ')}.` : `Write "${close}".`,
    })
  }
}
