import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundleWriter } from '../bundle/index.ts'
import { mapInOrder } from './map-in-order.ts'
import { safeStylesheet } from './passes/sanitize-element.ts'
import type { ProblemList } from './problems.ts'
import type { SitePlan } from './site-plan.ts'

/** Copies the project's files to their own paths. Drawings that would run code are made still. */
export async function copyAssets(plan: SitePlan, bundle: BundleWriter, problems: ProblemList): Promise<void> {
  const pages = new Set(
    plan.pages.flatMap((page) => [`${page.path}.html`.toLowerCase(), `${page.path}.md`.toLowerCase()]),
  )
  await mapInOrder(plan.assets, async (path) => {
    if (pages.has(path.toLowerCase())) return
    const from = join(plan.root, path)
    if (/\.svg$/i.test(path)) {
      const text = await readFile(from, 'utf8')
      const still = withoutCode(text)
      if (still !== text) {
        problems.add(
          { file: path, line: 1, column: 1 },
          {
            code: 'active_content',
            message: 'The drawing holds code, which was left out.',
            hint: 'Export the drawing without scripts and handlers.',
          },
        )
      }
      await bundle.write(path, still)
      return
    }
    if (/\.css$/i.test(path)) {
      const text = await readFile(from, 'utf8')
      const safe = safeStylesheet(text)
      if (safe !== text) {
        problems.add(
          { file: path, line: 1, column: 1 },
          {
            code: 'foreign_style',
            message: 'The stylesheet loads from another site, which was left out.',
            hint: 'Put the fonts and pictures it needs into the project.',
          },
        )
      }
      await bundle.write(path, safe)
      return
    }
    await bundle.copy(path, from)
  })
}

/** A drawing without scripts, handlers and foreign content; others are left byte for byte. */
function withoutCode(svg: string): string {
  if (!/<script|\son[a-z]+\s*=|javascript:|<foreignObject|<!ENTITY/i.test(svg)) return svg
  return svg
    .replace(/<script\b[\s\S]*?(?:<\/script\s*>|\/>)/gi, '')
    .replace(/<foreignObject\b[\s\S]*?<\/foreignObject\s*>/gi, '')
    .replace(/<!ENTITY[^>]*>/gi, '')
    .replace(/\son[a-z]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, '')
    .replace(/javascript:/gi, '')
}
