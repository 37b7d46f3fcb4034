/**
 * Porter's stemmer (1980) for lower-case English words: `configured`, `configuring` and `configures` become `configur`.
 * Forms that no ending tells (`sent`, `written`, `indices`) become their word first.
 * Words with anything but a–z are returned as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  let w = irregularForms.get(word) ?? word
  if (w.endsWith('sses')) w = w.slice(0, -2)
  else if (w.endsWith('ies')) w = w.slice(0, w.length > 4 ? -2 : -1)
  else if (w.endsWith('s') && !w.endsWith('ss')) w = w.slice(0, -1)

  if (w.endsWith('eed')) {
    if (measure(w.slice(0, -3)) > 0) w = w.slice(0, -1)
  } else {
    const past = w.endsWith('ed') ? w.slice(0, -2) : w.endsWith('ing') ? w.slice(0, -3) : undefined
    if (past !== undefined && hasVowel(past)) {
      w = past
      if (w.endsWith('at') || w.endsWith('bl') || w.endsWith('iz')) w += 'e'
      else if (endsDoubled(w) && !/[lsz]$/.test(w)) w = w.slice(0, -1)
      else if (measure(w) === 1 && endsShort(w)) w += 'e'
    }
  }
  // Porter's second version: `deploy` keeps its y, so that it meets `deployment`.
  if (w.endsWith('y') && w.length > 2 && !isVowel(w, w.length - 2)) w = `${w.slice(0, -1)}i`

  w = replaceSuffix(w, stemSuffixes2, 0)
  w = replaceSuffix(w, stemSuffixes3, 0)
  w = dropSuffix(w)

  if (w.endsWith('e')) {
    const base = w.slice(0, -1)
    const m = measure(base)
    if (m > 1 || (m === 1 && !endsShort(base))) w = base
  }
  if (w.endsWith('ll') && measure(w) > 1) w = w.slice(0, -1)
  return w
}

/** A word, and its forms that the rules do not find. */
const irregularWords =
  'begin began begun, bind bound, break broke broken, bring brought, build built, buy bought, catch caught, child children, ' +
  'choose chose chosen, come came, criterion criteria, die dying died, draw drew drawn, fall fell fallen, find found, ' +
  'forget forgot forgotten, freeze froze frozen, give gave given, grow grew grown, hide hidden, hold held, index indices, ' +
  'keep kept, lose lost, make made, matrix matrices, override overrode overridden, overwrite overwritten, pay paid, ' +
  'rewrite rewritten, run ran, send sent, show shown, spend spent, steal stolen, take took taken, tell told, ' +
  'throw threw thrown, lie lying lied, tie tying tied, understand understood, vertex vertices, write wrote written'
const irregularForms = new Map<string, string>()
for (const [base = '', ...forms] of irregularWords.split(', ').map((line) => line.split(' '))) {
  for (const form of forms) irregularForms.set(form, base)
}

const stemSuffixes2: [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]
const stemSuffixes3: [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const stemSuffixes4 = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ion',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
]

function replaceSuffix(w: string, suffixes: [string, string][], least: number): string {
  for (const [suffix, replacement] of suffixes) {
    if (!w.endsWith(suffix)) continue
    const base = w.slice(0, -suffix.length)
    return measure(base) > least ? base + replacement : w
  }
  return w
}

function dropSuffix(w: string): string {
  for (const suffix of stemSuffixes4) {
    if (!w.endsWith(suffix)) continue
    const base = w.slice(0, -suffix.length)
    if (measure(base) <= 1) return w
    return suffix === 'ion' && !/[st]$/.test(base) ? w : base
  }
  return w
}

/** The number of vowel–consonant sequences, Porter's m. */
function measure(w: string): number {
  let count = 0
  let vowelBefore = false
  for (let i = 0; i < w.length; i++) {
    const vowel = isVowel(w, i)
    if (vowelBefore && !vowel) count++
    vowelBefore = vowel
  }
  return count
}

function isVowel(w: string, i: number): boolean {
  const c = w[i]
  if (c === 'a' || c === 'e' || c === 'i' || c === 'o' || c === 'u') return true
  return c === 'y' && i > 0 && !isVowel(w, i - 1)
}

function hasVowel(w: string): boolean {
  for (let i = 0; i < w.length; i++) if (isVowel(w, i)) return true
  return false
}

function endsDoubled(w: string): boolean {
  const n = w.length
  return n > 1 && w[n - 1] === w[n - 2] && !isVowel(w, n - 1)
}

/** Consonant, vowel, consonant other than w, x, y: such as `hop`. */
function endsShort(w: string): boolean {
  const n = w.length
  if (n < 3 || /[wxy]$/.test(w)) return false
  return !isVowel(w, n - 1) && isVowel(w, n - 2) && !isVowel(w, n - 3)
}
