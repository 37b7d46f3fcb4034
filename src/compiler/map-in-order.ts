/** Maps with a few at a time and keeps the order, so that reading overlaps while memory stays flat. */
export async function mapInOrder<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result>,
  width = 16,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  let next = 0
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await map(items[index] as Item, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work))
  return results
}
