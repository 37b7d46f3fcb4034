import { utilityColor } from './utility-colors.ts'

/**
 * The styles of the utility classes that authors use on a page (`hidden dark:block`, `grid sm:grid-cols-2`, `mt-4`):
 * only those used, so that pages without any carry nothing. A class that is no utility gives nothing.
 */
export function utilityStyles(classNames: Iterable<string>): string {
  const rules: { order: number; text: string }[] = []
  for (const name of classNames) {
    let rule = known.get(name)
    if (rule === undefined) {
      rule = makeRule(name) ?? null
      if (known.size < 20_000) known.set(name, rule)
    }
    if (rule !== null) rules.push(rule)
  }
  return rules
    .sort((one, other) => one.order - other.order || (one.text < other.text ? -1 : 1))
    .map((rule) => rule.text)
    .join('')
}

const known = new Map<string, { order: number; text: string } | null>()

const widths: Record<string, number> = { sm: 640, md: 768, lg: 1024, xl: 1280, '2xl': 1536 }

/** A rule with its place among the others: wider screens, then states, then the dark scheme win. */
function makeRule(name: string): { order: number; text: string } | undefined {
  if (!/^[!a-z-][\w:/.[\]#%(),!-]*$/i.test(name)) return undefined
  if (name.split(/[:/-]/).some((word) => word in Object.prototype)) return undefined // No name of every object is one of ours.
  const parts = name.split(/:(?![^[]*\])/)
  const last = parts.pop() ?? ''
  const important = last.startsWith('!') || last.endsWith('!')
  const body = declarations(last.replace(/^!|!$/g, ''))
  if (body === undefined) return undefined
  const escaped = name.replace(/[^\w-]/g, (character) => `\\${character}`).replace(/^(\d)/, '\\3$1 ')
  let selector = `:is(.prose,.aside) .${escaped}`
  let order = 0
  let media = ''
  for (const variant of parts) {
    const width = widths[variant]
    if (width !== undefined) {
      media = `@media (min-width:${width}px)`
      order += width
    } else if (variant === 'dark') {
      selector = `.dark ${selector}`
      order += 10_000
    } else if (
      variant === 'hover' ||
      variant === 'focus' ||
      variant === 'active' ||
      variant === 'focus-visible'
    ) {
      selector += `:${variant}`
      order += 5000
    } else if (variant === 'group-hover') {
      selector = selector.replace(/\.[^ ]*$/, (own) => `.group:hover ${own}`)
      order += 5000
    } else if (variant === 'first' || variant === 'last') selector += `:${variant}-child`
    else if (variant === 'print') media = '@media print'
    else return undefined
  }
  const text = important ? body.replace(/;|$/g, (end) => `!important${end}`) : body
  const rule = spaced.test(last) ? `${selector}>*+*{${text}}` : `${selector}{${text}}`
  return { order, text: media === '' ? rule : `${media}{${rule}}` }
}

const spaced = /^!?-?(space-[xy]|divide)-/

function declarations(utility: string): string | undefined {
  const fixed = simple[utility]
  if (fixed !== undefined) return fixed
  const negative = utility.startsWith('-')
  const match = /^([a-z]+(?:-[a-z]+)*?)-(\[.+\]|[\w./%-]+)$/.exec(negative ? utility.slice(1) : utility)
  if (match === null) return undefined
  for (let split = utility.length; split > 0; split = utility.lastIndexOf('-', split - 1)) {
    const stem = utility.slice(negative ? 1 : 0, split)
    const value = utility.slice(split + 1)
    const make = Object.hasOwn(families, stem) ? families[stem] : undefined
    const made = value === '' || make === undefined ? undefined : make(value, negative)
    if (made !== undefined) return made
    if (split <= (negative ? 1 : 0)) break
  }
  return undefined
}

type Family = (value: string, negative: boolean) => string | undefined

function arbitrary(value: string): string | undefined {
  const inner = /^\[([\w.%#(),+*/ -]+)\]$/.exec(value)?.[1]?.replaceAll('_', ' ')
  return inner === undefined || /url|expression/i.test(inner) ? undefined : inner
}

/** `4` is 1rem, `1/2` is half, `full` is all, `[3px]` is what it says. */
function length(value: string, negative: boolean): string | undefined {
  const sign = negative ? '-' : ''
  if (/^\d+(\.5)?$/.test(value)) return value === '0' ? '0' : `${sign}${Number(value) / 4}rem`
  if (value === 'px') return `${sign}1px`
  const fraction = /^(\d+)\/(\d+)$/.exec(value)
  if (fraction !== null) return `${sign}${((Number(fraction[1]) / Number(fraction[2])) * 100).toFixed(4)}%`
  if (value === 'full') return `${sign}100%`
  if (value === 'auto') return 'auto'
  const own = arbitrary(value)
  return own === undefined ? undefined : negative ? `calc(-1*${own})` : own
}

const sizes: Record<string, string> = {
  screen: '100vh',
  fit: 'fit-content',
  min: 'min-content',
  max: 'max-content',
  none: 'none',
  prose: '65ch',
}
const named: Record<string, string> = {
  xs: '20rem',
  sm: '24rem',
  md: '28rem',
  lg: '32rem',
  xl: '36rem',
  '2xl': '42rem',
  '3xl': '48rem',
  '4xl': '56rem',
  '5xl': '64rem',
  '6xl': '72rem',
  '7xl': '80rem',
}

const sized =
  (...properties: string[]): Family =>
  (value, negative) => {
    const size =
      properties[0]?.endsWith('width') && value === 'screen'
        ? '100vw'
        : (length(value, negative) ?? sizes[value] ?? named[value])
    return size === undefined ? undefined : properties.map((property) => `${property}:${size}`).join(';')
  }

const spacing =
  (...properties: string[]): Family =>
  (value, negative) => {
    const size = length(value, negative)
    return size === undefined ? undefined : properties.map((property) => `${property}:${size}`).join(';')
  }

const plainValue =
  (property: string, pattern: RegExp): Family =>
  (value) => {
    const own = pattern.test(value) ? value : arbitrary(value)
    return own === undefined ? undefined : `${property}:${own}`
  }

const colored =
  (...properties: string[]): Family =>
  (value) => {
    const own = arbitrary(value)
    const color =
      utilityColor(value) ?? (own !== undefined && /^(#|rgb|hsl|oklch|var)/.test(own) ? own : undefined)
    return color === undefined ? undefined : properties.map((property) => `${property}:${color}`).join(';')
  }

const either =
  (...choices: Family[]): Family =>
  (value, negative) => {
    for (const choice of choices) {
      const made = choice(value, negative)
      if (made !== undefined) return made
    }
    return undefined
  }

const fromTable =
  (table: Record<string, string>, property: string): Family =>
  (value) => {
    const found = Object.hasOwn(table, value) ? table[value] : undefined
    return found === undefined ? undefined : `${property}:${found}`
  }

const textSizes: Record<string, string> = {
  xs: '.75rem;line-height:1rem',
  sm: '.875rem;line-height:1.25rem',
  base: '1rem;line-height:1.5rem',
  lg: '1.125rem;line-height:1.75rem',
  xl: '1.25rem;line-height:1.75rem',
  '2xl': '1.5rem;line-height:2rem',
  '3xl': '1.875rem;line-height:2.25rem',
  '4xl': '2.25rem;line-height:2.5rem',
  '5xl': '3rem;line-height:1.1',
  '6xl': '3.75rem;line-height:1.05',
  '7xl': '4.5rem;line-height:1',
}
const aligns: Record<string, string> = {
  left: 'left',
  center: 'center',
  right: 'right',
  justify: 'justify',
  start: 'start',
  end: 'end',
}
const weights: Record<string, string> = {
  thin: '100',
  light: '300',
  normal: '400',
  medium: '500',
  semibold: '600',
  bold: '700',
  extrabold: '800',
  black: '900',
}
const families_: Record<string, string> = {
  mono: 'var(--q-mono)',
  sans: 'var(--q-font)',
  serif: 'Georgia,serif',
}
const leading: Record<string, string> = {
  none: '1',
  tight: '1.25',
  snug: '1.375',
  normal: '1.5',
  relaxed: '1.625',
  loose: '2',
}
const tracking: Record<string, string> = {
  tighter: '-.05em',
  tight: '-.025em',
  normal: '0',
  wide: '.025em',
  wider: '.05em',
  widest: '.1em',
}
const radii: Record<string, string> = {
  none: '0',
  sm: '.125rem',
  md: '.375rem',
  lg: '.5rem',
  xl: '.75rem',
  '2xl': '1rem',
  '3xl': '1.5rem',
  full: '9999px',
}
const shadows: Record<string, string> = {
  sm: '0 1px 2px rgb(0 0 0/5%)',
  md: '0 4px 8px -2px rgb(0 0 0/12%)',
  lg: '0 10px 18px -4px rgb(0 0 0/14%)',
  xl: '0 20px 28px -6px rgb(0 0 0/16%)',
  '2xl': '0 25px 50px -12px rgb(0 0 0/25%)',
  none: 'none',
}
const itemPlaces: Record<string, string> = {
  start: 'flex-start',
  end: 'flex-end',
  center: 'center',
  baseline: 'baseline',
  stretch: 'stretch',
  between: 'space-between',
  around: 'space-around',
  evenly: 'space-evenly',
  auto: 'auto',
}
const directions: Record<string, string> = {
  t: 'top',
  r: 'right',
  b: 'bottom',
  l: 'left',
  tr: 'top right',
  tl: 'top left',
  br: 'bottom right',
  bl: 'bottom left',
}

const borderSide = (side: string): Family =>
  either(
    (value) =>
      /^\d$/.test(value) ? `border-${side}-width:${value}px;border-${side}-style:solid` : undefined,
    colored(`border-${side}-color`),
  )

const radius =
  (...corners: string[]): Family =>
  (value) => {
    const size = radii[value] ?? arbitrary(value)
    return size === undefined
      ? undefined
      : corners.map((corner) => `border${corner}-radius:${size}`).join(';')
  }

const families: Record<string, Family> = {
  p: spacing('padding'),
  px: spacing('padding-left', 'padding-right'),
  py: spacing('padding-top', 'padding-bottom'),
  pt: spacing('padding-top'),
  pr: spacing('padding-right'),
  pb: spacing('padding-bottom'),
  pl: spacing('padding-left'),
  ps: spacing('padding-inline-start'),
  pe: spacing('padding-inline-end'),
  m: spacing('margin'),
  mx: spacing('margin-left', 'margin-right'),
  my: spacing('margin-top', 'margin-bottom'),
  mt: spacing('margin-top'),
  mr: spacing('margin-right'),
  mb: spacing('margin-bottom'),
  ml: spacing('margin-left'),
  ms: spacing('margin-inline-start'),
  me: spacing('margin-inline-end'),
  gap: spacing('gap'),
  'gap-x': spacing('column-gap'),
  'gap-y': spacing('row-gap'),
  'space-x': spacing('margin-inline-start'),
  'space-y': spacing('margin-top'),
  w: sized('width'),
  h: sized('height'),
  size: sized('width', 'height'),
  'min-w': sized('min-width'),
  'max-w': sized('max-width'),
  'min-h': sized('min-height'),
  'max-h': sized('max-height'),
  inset: spacing('inset'),
  'inset-x': spacing('left', 'right'),
  'inset-y': spacing('top', 'bottom'),
  top: spacing('top'),
  right: spacing('right'),
  bottom: spacing('bottom'),
  left: spacing('left'),
  z: plainValue('z-index', /^\d{1,2}$/),
  order: plainValue('order', /^\d+$/),
  opacity: (value) =>
    /^\d+$/.test(value) ? `opacity:${Number(value) / 100}` : plainValue('opacity', /^$/)(value, false),
  flex: fromTable(
    { row: 'row', col: 'column', 'row-reverse': 'row-reverse', 'col-reverse': 'column-reverse' },
    'flex-direction',
  ),
  basis: sized('flex-basis'),
  grow: plainValue('flex-grow', /^\d$/),
  shrink: plainValue('flex-shrink', /^\d$/),
  items: fromTable(itemPlaces, 'align-items'),
  justify: fromTable(itemPlaces, 'justify-content'),
  self: fromTable(itemPlaces, 'align-self'),
  content: fromTable(itemPlaces, 'align-content'),
  'justify-items': fromTable(itemPlaces, 'justify-items'),
  'place-items': fromTable(itemPlaces, 'place-items'),
  'place-content': fromTable(itemPlaces, 'place-content'),
  'grid-cols': (value) =>
    /^\d+$/.test(value)
      ? `grid-template-columns:repeat(${value},minmax(0,1fr))`
      : plainValue('grid-template-columns', /^none$/)(value, false),
  'grid-rows': (value) =>
    /^\d+$/.test(value) ? `grid-template-rows:repeat(${value},minmax(0,1fr))` : undefined,
  'col-span': (value) =>
    value === 'full'
      ? 'grid-column:1/-1'
      : /^\d+$/.test(value)
        ? `grid-column:span ${value}/span ${value}`
        : undefined,
  'row-span': (value) => (/^\d+$/.test(value) ? `grid-row:span ${value}/span ${value}` : undefined),
  columns: plainValue('columns', /^\d+$/),
  text: either(
    (value) => (textSizes[value] === undefined ? undefined : `font-size:${textSizes[value]}`),
    fromTable(aligns, 'text-align'),
    colored('color'),
    (value) => (/^\[[\d.]+(px|rem|em)\]$/.test(value) ? `font-size:${arbitrary(value)}` : undefined),
  ),
  font: either(fromTable(weights, 'font-weight'), fromTable(families_, 'font-family')),
  leading: either(fromTable(leading, 'line-height'), spacing('line-height')),
  tracking: either(fromTable(tracking, 'letter-spacing'), plainValue('letter-spacing', /^$/)),
  bg: colored('background-color'),
  'bg-gradient-to': (value) =>
    directions[value] === undefined
      ? undefined
      : `background-image:linear-gradient(to ${directions[value]},var(--q-from,transparent),var(--q-via,var(--q-from,transparent)),var(--q-to,transparent))`,
  from: colored('--q-from'),
  via: colored('--q-via'),
  to: colored('--q-to'),
  fill: colored('fill'),
  stroke: colored('stroke'),
  accent: colored('accent-color'),
  decoration: colored('text-decoration-color'),
  border: either(
    (value) => (/^\d$/.test(value) ? `border-width:${value}px;border-style:solid` : undefined),
    colored('border-color'),
  ),
  'border-t': borderSide('top'),
  'border-r': borderSide('right'),
  'border-b': borderSide('bottom'),
  'border-l': borderSide('left'),
  rounded: radius(''),
  'rounded-t': radius('-top-left', '-top-right'),
  'rounded-b': radius('-bottom-left', '-bottom-right'),
  'rounded-l': radius('-top-left', '-bottom-left'),
  'rounded-r': radius('-top-right', '-bottom-right'),
  shadow: fromTable(shadows, 'box-shadow'),
  duration: (value) => (/^\d+$/.test(value) ? `transition-duration:${value}ms` : undefined),
  aspect: fromTable({ video: '16/9', square: '1/1', auto: 'auto' }, 'aspect-ratio'),
  object: fromTable({ cover: 'cover', contain: 'contain', fill: 'fill', none: 'none' }, 'object-fit'),
  overflow: fromTable({ hidden: 'hidden', auto: 'auto', scroll: 'auto', visible: 'visible' }, 'overflow'),
  'overflow-x': fromTable({ hidden: 'hidden', auto: 'auto', scroll: 'auto' }, 'overflow-x'),
  'overflow-y': fromTable({ hidden: 'hidden', auto: 'auto', scroll: 'auto' }, 'overflow-y'),
  cursor: plainValue('cursor', /^(pointer|default|help|not-allowed|zoom-in|grab)$/),
  whitespace: plainValue('white-space', /^(normal|nowrap|pre|pre-wrap|pre-line)$/),
  align: plainValue('vertical-align', /^(top|middle|bottom|baseline)$/),
  list: plainValue('list-style-type', /^(none|disc|decimal)$/),
  scale: (value) => (/^\d+$/.test(value) ? `scale:${Number(value) / 100}` : undefined),
  rotate: (value, negative) => (/^\d+$/.test(value) ? `rotate:${negative ? '-' : ''}${value}deg` : undefined),
  'translate-x': (value, negative) => {
    const size = length(value, negative)
    return size === undefined ? undefined : `transform:translateX(${size})`
  },
  'translate-y': (value, negative) => {
    const size = length(value, negative)
    return size === undefined ? undefined : `transform:translateY(${size})`
  },
  'line-clamp': (value) =>
    /^\d$/.test(value)
      ? `display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${value};overflow:hidden`
      : undefined,
}

const simple: Record<string, string | undefined> = {
  block: 'display:block',
  'inline-block': 'display:inline-block',
  inline: 'display:inline',
  flex: 'display:flex',
  'inline-flex': 'display:inline-flex',
  grid: 'display:grid',
  'inline-grid': 'display:inline-grid',
  hidden: 'display:none',
  contents: 'display:contents',
  'flow-root': 'display:flow-root',
  relative: 'position:relative',
  absolute: 'position:absolute',
  sticky: 'position:sticky',
  static: 'position:static',
  'flex-wrap': 'flex-wrap:wrap',
  'flex-nowrap': 'flex-wrap:nowrap',
  'flex-1': 'flex:1 1 0%',
  'flex-auto': 'flex:1 1 auto',
  'flex-none': 'flex:none',
  grow: 'flex-grow:1',
  'flex-grow': 'flex-grow:1',
  'shrink-0': 'flex-shrink:0',
  'flex-shrink-0': 'flex-shrink:0',
  italic: 'font-style:italic',
  'not-italic': 'font-style:normal',
  underline: 'text-decoration:underline',
  'no-underline': 'text-decoration:none',
  'line-through': 'text-decoration:line-through',
  uppercase: 'text-transform:uppercase',
  lowercase: 'text-transform:lowercase',
  capitalize: 'text-transform:capitalize',
  truncate: 'overflow:hidden;text-overflow:ellipsis;white-space:nowrap',
  'break-words': 'overflow-wrap:break-word',
  'break-all': 'word-break:break-all',
  'text-balance': 'text-wrap:balance',
  'text-pretty': 'text-wrap:pretty',
  border: 'border:1px solid var(--q-line)',
  'border-t': 'border-top:1px solid var(--q-line)',
  'border-r': 'border-right:1px solid var(--q-line)',
  'border-b': 'border-bottom:1px solid var(--q-line)',
  'border-l': 'border-left:1px solid var(--q-line)',
  'border-dashed': 'border-style:dashed',
  'border-none': 'border-style:none',
  rounded: 'border-radius:.25rem',
  shadow: 'box-shadow:0 1px 3px rgb(0 0 0/12%)',
  'pointer-events-none': 'pointer-events:none',
  'pointer-events-auto': 'pointer-events:auto',
  'select-none': 'user-select:none',
  'appearance-none': 'appearance:none',
  'transition-all': 'transition:all 150ms',
  'transition-colors': 'transition:color 150ms,background-color 150ms,border-color 150ms',
  'transition-opacity': 'transition:opacity 150ms',
  'transition-transform': 'transition:transform 150ms,scale 150ms',
  transition: 'transition:all 150ms',
  'mx-auto': 'margin-left:auto;margin-right:auto',
  invisible: 'visibility:hidden',
  visible: 'visibility:visible',
  'bg-clip-text': 'background-clip:text;-webkit-background-clip:text',
  'bg-cover': 'background-size:cover',
  'bg-center': 'background-position:center',
  'bg-none': 'background-image:none',
  'outline-none': 'outline:none',
  'not-sr-only': 'position:static;width:auto;height:auto',
  isolate: 'isolation:isolate',
  antialiased: '-webkit-font-smoothing:antialiased',
  invert: 'filter:invert(1)',
  grayscale: 'filter:grayscale(1)',
}
