import type { SiteSettings } from './bundle-api.ts'

/** The text of `_quire/settings.js`: a classic script, because a page opened from a folder may load no other kind. */
export function settingsScript(settings: SiteSettings): string {
  const json = JSON.stringify(settings).replace(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `globalThis.quireSettings = ${json}\n`
}
