import type { Nodes } from 'hast'

/** The words of a tree, without its markup. */
export function plainText(nodes: readonly Nodes[]): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'text') text += node.value
    else if (node.type === 'trustedHtml') text += node.text
    else if (node.type === 'mdxTextExpression' || node.type === 'mdxFlowExpression') text += ''
    else if ('children' in node) text += plainText(node.children)
  }
  return text
}
