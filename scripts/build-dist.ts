import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Makes `dist/`, the program of the packed package: Node strips no types below node_modules, so there it must be
 * JavaScript. A checkout runs from `src/` and never needs this.
 */
function buildDist(): void {
  const root = dirname(import.meta.dirname)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const settings = join(root, 'scripts', 'tsconfig.dist.json')
  const { status } = spawnSync(process.execPath, [compiler, '-p', settings], { stdio: 'inherit' })
  if (status !== 0) {
    console.error('dist/ is not complete: the types have errors.')
    process.exitCode = 1
    return
  }
  for (const file of globSync('src/**/*', { cwd: root, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith('.ts')) continue
    const path = relative(join(root, 'src'), join(file.parentPath, file.name))
    cpSync(join(root, 'src', path), join(root, 'dist', path))
  }
}

buildDist()
