/**
 * The id of a heading as this format makes it: lower case, whitespace and periods become hyphens, parentheses and other
 * marks go, slashes and ampersands stay, a straight apostrophe becomes a curly one.
 */
export function headingId(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[\s.]+/g, '-')
    .replace(/[()[\]{}<>"“”`?!,;:*=+^~|\\#%@]/g, '')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** Ids that occur once in a page: the second `overview` is `overview-2`. */
export class IdRegistry {
  readonly #used = new Set<string>()

  unique(base: string): string {
    const wanted = base === '' ? 'section' : base
    let id = wanted
    for (let number = 2; this.#used.has(id); number += 1) id = `${wanted}-${number}`
    this.#used.add(id)
    return id
  }

  has(id: string): boolean {
    return this.#used.has(id)
  }

  /** An id that an author wrote: it is kept as it is. */
  claim(id: string): string {
    this.#used.add(id)
    return id
  }

  all(): string[] {
    return [...this.#used]
  }
}
