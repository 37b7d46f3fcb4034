/** The colour of a utility class: `gray-500`, `white/70`, `primary`, as CSS. */
export function utilityColor(value: string): string | undefined {
  const [name = '', share] = value.split('/')
  const color = colorNamed(name)
  if (color === undefined) return undefined
  if (share === undefined) return color
  const percent = /^\d{1,3}$/.test(share)
    ? Number(share)
    : /^\[0?\.\d+\]$/.test(share)
      ? Number(share.slice(1, -1)) * 100
      : undefined
  return percent === undefined ? undefined : `color-mix(in srgb,${color} ${percent}%,transparent)`
}

function colorNamed(name: string): string | undefined {
  const fixed = fixedColors[name]
  if (fixed !== undefined) return fixed
  const match = /^([a-z]+)-(\d{2,3})$/.exec(name)
  const hue = hues[match?.[1] ?? '']
  const shade = shades[match?.[2] ?? '']
  if (hue === undefined || shade === undefined) return undefined
  const chroma = (hue.chroma * shade.strength).toFixed(3)
  return `oklch(${(shade.lightness + hue.lift * shade.strength).toFixed(3)} ${chroma} ${hue.angle})`
}

const fixedColors: Record<string, string | undefined> = {
  white: '#fff',
  black: '#000',
  transparent: 'transparent',
  current: 'currentColor',
  inherit: 'inherit',
  primary: 'var(--q-accent)',
  'primary-light': 'var(--q-accent-dark)',
  'primary-dark': 'var(--q-button-light)',
  'background-light': 'var(--q-ground-light)',
  'background-dark': 'var(--q-ground-dark)',
  foreground: 'var(--q-text-strong)',
  'muted-foreground': 'var(--q-text-muted)',
}

/** How light and how strong a shade is; the hue decides the rest. */
const shades: Record<string, { lightness: number; strength: number } | undefined> = {
  '50': { lightness: 0.975, strength: 0.08 },
  '100': { lightness: 0.945, strength: 0.18 },
  '200': { lightness: 0.895, strength: 0.35 },
  '300': { lightness: 0.82, strength: 0.6 },
  '400': { lightness: 0.72, strength: 0.88 },
  '500': { lightness: 0.635, strength: 1 },
  '600': { lightness: 0.55, strength: 1 },
  '700': { lightness: 0.48, strength: 0.88 },
  '800': { lightness: 0.41, strength: 0.72 },
  '900': { lightness: 0.36, strength: 0.58 },
  '950': { lightness: 0.25, strength: 0.4 },
}

/** `lift` makes yellow as light as people expect it. */
const hues: Record<string, { angle: number; chroma: number; lift: number } | undefined> = {
  slate: { angle: 257, chroma: 0.042, lift: -0.06 },
  gray: { angle: 264, chroma: 0.028, lift: -0.06 },
  zinc: { angle: 286, chroma: 0.014, lift: -0.07 },
  neutral: { angle: 0, chroma: 0, lift: -0.07 },
  stone: { angle: 58, chroma: 0.012, lift: -0.07 },
  red: { angle: 26, chroma: 0.23, lift: 0.01 },
  orange: { angle: 48, chroma: 0.2, lift: 0.07 },
  amber: { angle: 70, chroma: 0.18, lift: 0.13 },
  yellow: { angle: 90, chroma: 0.18, lift: 0.15 },
  lime: { angle: 131, chroma: 0.22, lift: 0.12 },
  green: { angle: 149, chroma: 0.2, lift: 0.08 },
  emerald: { angle: 162, chroma: 0.16, lift: 0.06 },
  teal: { angle: 182, chroma: 0.12, lift: 0.06 },
  cyan: { angle: 215, chroma: 0.13, lift: 0.07 },
  sky: { angle: 237, chroma: 0.16, lift: 0.05 },
  blue: { angle: 260, chroma: 0.22, lift: -0.01 },
  indigo: { angle: 277, chroma: 0.23, lift: -0.05 },
  violet: { angle: 293, chroma: 0.25, lift: -0.03 },
  purple: { angle: 304, chroma: 0.26, lift: -0.01 },
  fuchsia: { angle: 322, chroma: 0.28, lift: 0.02 },
  pink: { angle: 354, chroma: 0.24, lift: 0.02 },
  rose: { angle: 16, chroma: 0.24, lift: 0.01 },
}
