import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes `dist/`, the program of the packed package: Node strips no types below node_modules, so there it must be
 * JavaScript. A checkout runs from `src/` and never needs this.
 */
function buildDist(): void {
  const root = dirname(import.meta.dirname)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  execFileSync(
    process.execPath,
    [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      '-p',
      join(root, 'scripts', 'tsconfig.dist.json'),
    ],
    { stdio: 'inherit' },
  )
  for (const file of globSync(['src/**/browser/**/*', 'src/**/*.!(ts)'], { cwd: root })) {
    if (!file.endsWith('.test.ts') && !file.endsWith('testing.ts')) {
      cpSync(join(root, file), join(root, file.replace(/^src/, 'dist')), { recursive: true })
    }
  }
}

buildDist()
