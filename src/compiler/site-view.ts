import type { SiteView } from '../theme/theme-api.ts'
import { defined } from './loose-json.ts'
import { type ProblemList, placeOfText } from './problems.ts'
import type { Settings } from './read-settings.ts'
import type { Source } from './read-source.ts'

/** Kinds of files that a site publishes beside its pages. */
const assetKinds =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|mp4|webm|mov|m4v|ogv|mp3|wav|ogg|m4a|flac|aac|vtt|srt|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|csv|tsv|txt|xml|json|jsonl|ya?ml|toml|css|docx?|xlsx?|pptx?|ipynb|proto|graphql|gql|wasm|lottie|riv|glb|gltf|pem|crt|asc|sig|sha256|py|sh|ps1|bat|rb|go|rs|java|kt|swift|c|h|cpp|sql|tf|env\.example)$/i

const neverAssets = new Set([
  'docs.json',
  'mint.json',
  'package.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'tsconfig.json',
  'robots.txt.bak',
])

/** The files that are copied into the bundle at their own paths. */
export function publishedAssets(source: Source): string[] {
  return [...source.files.keys()].filter((file) => {
    const name = file.slice(file.lastIndexOf('/') + 1)
    if (neverAssets.has(name) || file.startsWith('_quire/')) return false
    return assetKinds.test(file)
  })
}

/** The project's own stylesheets and scripts: every such file in the folder belongs to every page. */
export function themeFilesOf(source: Source): { stylesheets: string[]; scripts: string[] } {
  const files = [...source.files.keys()]
  return {
    stylesheets: files.filter((file) => file.endsWith('.css')),
    scripts: files.filter((file) => file.endsWith('.js') && !/(?:^|\/)_?snippets\//.test(file)),
  }
}

export function createSiteView(input: {
  settings: Settings
  source: Source
  assets: string[]
  stylesheets: string[]
  scripts: string[]
  customScripts: boolean
  problems: ProblemList
}): SiteView {
  const { settings, problems } = input
  const published = new Set(input.assets)
  const logo = settings.logo && {
    light: asset(settings.logo.light),
    dark: asset(settings.logo.dark),
  }
  const hasLogo = logo?.light !== undefined && logo.dark !== undefined
  return {
    name: settings.name,
    description: settings.description,
    colors: settings.colors,
    background: {
      ...settings.background,
      ...defined({
        imageLight:
          settings.background.imageLight === undefined ? undefined : asset(settings.background.imageLight),
        imageDark:
          settings.background.imageDark === undefined ? undefined : asset(settings.background.imageDark),
      }),
    },
    appearance: settings.appearance,
    fonts: settings.fonts,
    iconLibrary: settings.iconLibrary,
    codeBlockTheme: settings.codeBlockTheme,
    footer: { socials: settings.chrome.socials, columns: [] },
    contextualOptions: settings.contextualOptions,
    feedback: settings.feedback,
    searchPrompt: settings.searchPrompt,
    stylesheets: input.stylesheets,
    scripts: input.customScripts ? input.scripts : [],
    metatags: settings.metatags,
    ...(hasLogo
      ? {
          logo: { light: logo.light ?? '', dark: logo.dark ?? '', ...defined({ href: settings.logo?.href }) },
        }
      : {}),
    ...defined({ favicon: settings.favicon === undefined ? undefined : asset(settings.favicon) }),
  }

  function asset(path: string): string | undefined {
    const plain = path.replace(/^(?:\.?\/)+/, '')
    if (published.has(plain)) return plain
    if (!/^https?:/i.test(path)) {
      problems.add(placeOfText(settings.configFile, settings.configText, JSON.stringify(path)), {
        severity: 'error',
        code: 'missing_file',
        message: `The file "${path}" is not in the project.`,
        hint: 'Add the file, or correct its path in the settings.',
      })
    }
    return undefined
  }
}
