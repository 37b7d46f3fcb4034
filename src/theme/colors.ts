/** A site's colours made readable: each pair of text and ground reaches the contrast that WCAG AA asks for. */
export function siteColors(
  colors: { primary: string; light?: string; dark?: string },
  background: { light: string; dark: string },
) {
  const primary = parseColor(colors.primary) ?? fallback
  const light = parseColor(colors.light ?? '') ?? primary
  const button = parseColor(colors.dark ?? '') ?? primary
  const lightGround = parseColor(background.light) ?? white
  const darkGround = parseColor(background.dark) ?? nearBlack
  return {
    /** Links and marks on the light and on the dark ground; measured against their tinted ground too. */
    accentLight: formatColor(readable(primary, lightGround, 0.12)),
    accentDark: formatColor(readable(light, darkGround, 0.14)),
    /** The ground of a filled button and the text on it. */
    buttonLight: formatColor(button),
    buttonLightText: formatColor(textOn(button)),
    buttonDark: formatColor(light),
    buttonDarkText: formatColor(textOn(light)),
  }
}

type Rgb = { red: number; green: number; blue: number }

const white: Rgb = { red: 255, green: 255, blue: 255 }
const nearBlack: Rgb = { red: 12, green: 13, blue: 16 }
const ink: Rgb = { red: 10, green: 12, blue: 16 }
const fallback: Rgb = { red: 67, green: 56, blue: 202 }

export function parseColor(text: string): Rgb | undefined {
  const hex = /^#?([0-9a-f]{3,8})$/i.exec(text.trim())?.[1]
  if (hex !== undefined && (hex.length === 3 || hex.length === 4)) {
    const [red, green, blue] = [...hex].map((digit) => Number.parseInt(digit + digit, 16))
    return { red: red ?? 0, green: green ?? 0, blue: blue ?? 0 }
  }
  if (hex !== undefined && (hex.length === 6 || hex.length === 8)) {
    const part = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16)
    return { red: part(0), green: part(2), blue: part(4) }
  }
  const rgb = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/i.exec(text)
  return rgb === null ? undefined : { red: Number(rgb[1]), green: Number(rgb[2]), blue: Number(rgb[3]) }
}

export function formatColor(color: Rgb): string {
  const part = (value: number) =>
    Math.round(Math.min(Math.max(value, 0), 255))
      .toString(16)
      .padStart(2, '0')
  return `#${part(color.red)}${part(color.green)}${part(color.blue)}`
}

export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(color: Rgb): number {
  const linear = (value: number) =>
    value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
}

/**
 * Moves a colour towards black or white, whichever lies away from the ground, until it can be read there: also on a wash
 * of itself over the slightly darker or lighter ground of code and menus.
 */
function readable(color: Rgb, ground: Rgb, wash: number): Rgb {
  const isLight = luminance(ground) > 0.35
  const goal = isLight ? { red: 0, green: 0, blue: 0 } : white
  const raised = tint(isLight ? { red: 30, green: 41, blue: 59 } : white, ground, 0.035)
  for (let share = 0; share <= 1; share += 0.03) {
    const candidate = tint(goal, color, share)
    if (contrast(candidate, tint(candidate, raised, wash)) >= readableContrast) return candidate
  }
  return goal
}

/** A little more than WCAG AA asks for, because browsers round mixed colours. */
const readableContrast = 4.7

function textOn(ground: Rgb): Rgb {
  return contrast(white, ground) >= 4.5
    ? white
    : contrast(ink, ground) > contrast(white, ground)
      ? ink
      : white
}

/** `share` of one colour laid over another. */
export function tint(color: Rgb, ground: Rgb, share: number): Rgb {
  const mix = (over: number, under: number) => over * share + under * (1 - share)
  return {
    red: mix(color.red, ground.red),
    green: mix(color.green, ground.green),
    blue: mix(color.blue, ground.blue),
  }
}
