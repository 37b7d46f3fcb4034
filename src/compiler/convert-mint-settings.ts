import { asList, asObject, asText, defined, type Json, type JsonObject } from './loose-json.ts'

/** Turns the older mint.json into the shape of docs.json, so that the rest of the compiler knows one format. */
export function convertMintSettings(mint: JsonObject): JsonObject {
  const { navigation, tabs, anchors, topbarLinks, topbarCtaButton, footerSocials, modeToggle, ...rest } = mint
  const colors = asObject(mint.colors)
  const background = asObject(colors?.background)
  const backgroundImage = asText(mint.backgroundImage)
  return {
    ...rest,
    navigation: convertNavigation(mint),
    ...defined({
      api: convertApi(mint),
      navbar:
        mint.navbar ??
        defined({
          links: topbarLinks,
          primary: asObject(topbarCtaButton) && { type: 'button', ...asObject(topbarCtaButton) },
        }),
      footer: mint.footer ?? defined({ socials: footerSocials, links: asObject(mint.footer)?.links }),
      background: asObject(mint.background) ?? defined({ color: background, image: backgroundImage }),
      appearance: mint.appearance ?? convertModeToggle(asObject(modeToggle)),
      seo:
        mint.seo ??
        defined({
          metatags: mint.metadata,
          indexing: asObject(mint.seo)?.indexHiddenPages === true ? 'all' : undefined,
        }),
      search: mint.search,
    }),
  }
}

/**
 * Old tabs and anchors own the pages whose path begins with their address; what nobody owns belongs to the primary one.
 * Anchors and tabs with a foreign address are plain links.
 */
function convertNavigation(mint: JsonObject): JsonObject {
  const groups = asList(mint.navigation)
  const versions = asList(mint.versions).flatMap(
    (version) => asText(version) ?? asText(asObject(version)?.name) ?? [],
  )
  if (versions.length > 0) return convertVersions(mint, groups, versions)
  return divide(mint, groups)
}

function divide(mint: JsonObject, groups: Json[]): JsonObject {
  const tabs = asList(mint.tabs).flatMap(toSection)
  const anchors = asList(mint.anchors).flatMap(toSection)
  const foreign = anchors.filter((section) => section.foreign)
  const owners = [...tabs, ...anchors].filter((section) => !section.foreign)
  const owned = new Map<Section, Json[]>(owners.map((owner) => [owner, []]))
  const primary: Json[] = []
  for (const group of groups) {
    const first = firstPage(group)
    const owner = owners.find((section) => first !== undefined && belongs(first, section.folder))
    if (owner) owned.get(owner)?.push(group)
    else primary.push(group)
  }
  const globalAnchors = foreign.map(({ name, href, icon }) => ({ anchor: name, href, ...defined({ icon }) }))
  const toNodes = (sections: Section[], key: string): JsonObject[] =>
    sections.map((section) => ({
      [key]: section.name,
      ...defined({ icon: section.icon }),
      ...((owned.get(section) ?? []).length > 0
        ? { groups: owned.get(section) ?? [] }
        : { href: section.href }),
    }))
  const ownedTabs = toNodes(tabs, 'tab')
  const ownedAnchors = toNodes(
    anchors.filter((section) => !section.foreign),
    'anchor',
  )
  const global = globalAnchors.length > 0 ? { global: { anchors: globalAnchors } } : {}
  if (ownedTabs.length > 0) {
    const primaryName = asText(asObject(mint.primaryTab)?.name) ?? 'Documentation'
    const first = {
      tab: primaryName,
      ...(ownedAnchors.length > 0 ? withAnchors(mint, primary, ownedAnchors) : { groups: primary }),
    }
    return {
      ...global,
      tabs: primary.length > 0 || ownedAnchors.length > 0 ? [first, ...ownedTabs] : ownedTabs,
    }
  }
  if (ownedAnchors.length > 0) return { ...global, ...withAnchors(mint, primary, ownedAnchors) }
  return { ...global, groups: primary }
}

function withAnchors(mint: JsonObject, primary: Json[], anchors: JsonObject[]): JsonObject {
  const top = asObject(mint.topAnchor)
  const first = {
    anchor: asText(top?.name) ?? 'Documentation',
    icon: asText(top?.icon) ?? 'book-open',
    groups: primary,
  }
  return { anchors: primary.length > 0 ? [first, ...anchors] : anchors }
}

function convertVersions(mint: JsonObject, groups: Json[], versions: string[]): JsonObject {
  const nodes = versions.map((version) => {
    const own = groups.filter((group) => {
      const wanted = asText(asObject(group)?.version)
      return wanted === undefined || wanted === version
    })
    return { version, ...divide(mint, own) }
  })
  return { versions: nodes }
}

type Section = { name: string; href: string; folder: string; icon: string | undefined; foreign: boolean }

function toSection(value: Json): Section[] {
  const object = asObject(value)
  const name = asText(object?.name)
  const href = asText(object?.url)
  if (name === undefined || href === undefined) return []
  const foreign = /^[a-z]+:/i.test(href)
  return [{ name, href, folder: href.replace(/^\/+|\/+$/g, ''), icon: asText(object?.icon), foreign }]
}

function firstPage(value: Json): string | undefined {
  const page = asText(value)
  if (page !== undefined) return page.replace(/^\/+/, '')
  for (const child of asList(asObject(value)?.pages)) {
    const found = firstPage(child)
    if (found !== undefined) return found
  }
  return undefined
}

function belongs(page: string, folder: string): boolean {
  return page === folder || page.startsWith(`${folder}/`)
}

function convertApi(mint: JsonObject): JsonObject | undefined {
  const api = asObject(mint.api)
  const openapi = mint.openapi
  if (api === undefined && openapi === undefined) return undefined
  return { ...api, ...(openapi === undefined ? {} : { openapi }) }
}

function convertModeToggle(toggle: JsonObject | undefined): JsonObject | undefined {
  if (toggle === undefined) return undefined
  return { default: toggle.default ?? 'system', strict: toggle.isHidden ?? false }
}
