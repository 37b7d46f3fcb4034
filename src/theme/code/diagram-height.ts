/**
 * About how high a Mermaid drawing will be, in pixels, so that its place is kept until it is drawn. A guess from the
 * source: nodes on the longest way for a chart that runs down, nodes side by side for one that runs across.
 */
export function diagramHeight(source: string): number {
  const lines = source
    .split(/[\n;]/)
    .map((line) => line.replace(/%%.*/, '').trim())
    .filter((line) => line !== '')
  const kind = lines.find((line) => !/^(---|title:|config:)/.test(line)) ?? ''
  if (/^sequenceDiagram/.test(kind)) return sequenceHeight(lines)
  const flow = /^(?:flowchart|graph)(?:-elk)?\s*(TB|TD|BT|LR|RL)?/.exec(kind)
  if (flow !== null) return flowHeight(lines, flow[1] === 'LR' || flow[1] === 'RL')
  if (/^(pie|quadrantChart|xychart|radar)/.test(kind)) return 420
  if (/^gantt/.test(kind)) return 90 + 24 * (lines.length - 1)
  return Math.min(120 + 40 * lines.length, 560)
}

function sequenceHeight(lines: readonly string[]): number {
  const messages = lines.filter((line) => /-?->|--?[x)]|->>/.test(line)).length
  const others = lines.filter((line) =>
    /^(note|loop|alt|else|opt|par|and|rect|critical)\b/i.test(line),
  ).length
  return 220 + 48 * messages + 45 * others
}

const node = /([\p{L}\p{N}_]+)\s*(?:\[\[?[^\]]*\]\]?|\(+[^)]*\)+|\{+[^}]*\}+|>[^\]]*\])?/u
const arrow = /\s*(?:<?[-=.~]{2,}[^>\s]*(?:\s[^>|]*?\s?[-=.]{2,})?[>xo]?|[-=.]{2,})(?:\|[^|]*\|)?\s*/u

function flowHeight(lines: readonly string[], isAcross: boolean): number {
  const level = new Map<string, number>()
  for (const line of lines.slice(1, 400)) {
    if (/^(subgraph|end|style|classDef|class|click|linkStyle|direction)\b/.test(line)) continue
    let before: string | undefined
    for (const part of line.split(arrow)) {
      const name = node.exec(part)?.[1]
      if (name === undefined) continue
      const known = level.get(name)
      if (known === undefined) level.set(name, before === undefined ? 0 : (level.get(before) ?? 0) + 1)
      before = name
    }
  }
  const sizes = new Map<number, number>()
  for (const place of level.values()) sizes.set(place, (sizes.get(place) ?? 0) + 1)
  const groups = lines.filter((line) => line.startsWith('subgraph')).length
  if (isAcross) {
    const shrunk = Math.min(1, 5 / Math.max(sizes.size, 1)) // A long row is drawn smaller, to fit the page.
    return Math.round((70 * Math.max(1, ...sizes.values()) + 40 * groups) * shrunk)
  }
  return 100 * Math.max(1, sizes.size) + 40 * groups
}
