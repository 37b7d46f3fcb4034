import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where rendered pages and fetched specifications are kept between calls; all of it can be made again. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? tmpdir(), '.cache')
  return join(base, 'quire')
}
