import { randomBytes } from 'node:crypto'

/** An id that says what it names: `rel_4f1c…`. */
export function newId(prefix: 'org' | 'site' | 'key' | 'rel' | 'job' | 'src'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
