import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type QueryId,
  type ValueNode,
} from 'kysely'

/** PostgreSQL takes no NUL character in a text; a caller who sends one gets the text without it, as on no other engine it matters. */
export function withoutNul(): KyselyPlugin {
  const transformer = new NulRemover()
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}

class NulRemover extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode, queryId?: QueryId): ValueNode {
    const value = super.transformValue(node, queryId)
    return { ...value, value: clean(value.value) }
  }

  protected override transformPrimitiveValueList(
    node: PrimitiveValueListNode,
    queryId?: QueryId,
  ): PrimitiveValueListNode {
    const list = super.transformPrimitiveValueList(node, queryId)
    return { ...list, values: list.values.map(clean) }
  }
}

function clean(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\u0000') ? value.replaceAll('\u0000', '') : value
}
