/**
 * Less than zero where the first is older. Numbers count as numbers (`1.10` is newer than `1.9`, `2026-11-02` than
 * `2026-11-01`), and a word after a version stands before it (`2.0-rc.1` is older than `2.0`). A `v` in front says nothing.
 */
export function compareVersions(first: string, second: string): number {
  const left = partsOf(first)
  const right = partsOf(second)
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = rank(left[index]) - rank(right[index]) || compareParts(left[index], right[index])
    if (difference !== 0) return difference
  }
  return 0
}

const partsOf = (version: string): (bigint | string)[] =>
  [
    ...version
      .toLowerCase()
      .replace(/^v(?=\d)/, '')
      .matchAll(/\d+|[a-z]+/g),
  ].map(([part]) => (/^\d/.test(part) ? BigInt(part) : part))

/** A word is before the end, and the end before a number. */
const rank = (part: bigint | string | undefined) =>
  typeof part === 'string' ? 0 : part === undefined ? 1 : 2

function compareParts(left: bigint | string | undefined, right: bigint | string | undefined): number {
  if (left === undefined || right === undefined || left === right) return 0
  return left < right ? -1 : 1
}
