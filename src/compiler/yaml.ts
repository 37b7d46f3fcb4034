import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let loaded: typeof import('yaml') | undefined

/** The YAML library, loaded when the first file needs it: most builds, and the threads that render, never do. */
export function yaml(): typeof import('yaml') {
  loaded ??= require('yaml') as typeof import('yaml')
  return loaded
}
