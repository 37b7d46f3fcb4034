import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../backends/index.ts'
import { type SiteSettings, standaloneSettings } from '../bundle/index.ts'
import { type BundleServer, ContentCache, isHashed, openBundleServer, plainPage } from '../hosting/index.ts'
import { isMcpGet, noMcpStream } from '../mcp/index.ts'
import {
  feedbackEndpoint,
  findSite,
  listLeftReleases,
  type PublishedSites,
  type ReleaseFolders,
  type Site,
} from '../sites/index.ts'

const serversKept = 200
/** Readers with an old page open still find its styles, scripts and search for a day. */
const graceMs = 86_400_000
const previousOpened = 20

export type ServeSitesDependencies = {
  database: Database
  published: PublishedSites
  folders: ReleaseFolders
  clock: () => number
  compressedFolder: string
  publicUrl: () => string
}

/** Serves each site's live release: at `/sites/{domain}/`, at `{domain}.<this server>` and at the site's own host names. */
export function serveSites(app: FastifyInstance, dependencies: ServeSitesDependencies): void {
  const { database, published } = dependencies
  const cache = new ContentCache({ maxBytes: 48 * 1024 * 1024 })
  const servers = new Map<string, Promise<BundleServer>>()

  const openServer = (digest: string, folder: string): Promise<BundleServer> => {
    const known =
      servers.get(digest) ??
      openBundleServer({ folder, cache, compressedFolder: dependencies.compressedFolder })
    servers.delete(digest)
    servers.set(digest, known)
    known.catch(() => servers.delete(digest))
    if (servers.size > serversKept) servers.delete(servers.keys().next().value!)
    return known
  }

  /** Asked only where the live release lacks a hashed file, which a page of a release before it may want. */
  const openPrevious = async (site: Site): Promise<BundleServer[]> => {
    const left = await listLeftReleases(database, site.id, dependencies.clock() - graceMs)
    const bundles = left.flatMap(({ bundle }) => (bundle === null ? [] : [bundle]))
    const opened = bundles.slice(0, previousOpened).map(async (bundle) => {
      const folder = await dependencies.folders.open(bundle).catch(() => undefined) // Its archive may be cleaned up.
      return folder === undefined ? [] : [await openServer(bundle.digest, folder)]
    })
    return (await Promise.all(opened)).flat()
  }

  const serve = async (
    request: FastifyRequest,
    reply: FastifyReply,
    place: { site: Site; path: string; basePath: string; sharedOrigin: boolean },
  ): Promise<void> => {
    const live = await published.open(place.site)
    if (live && place.path === '/mcp' && isMcpGet(request, live.siteIndex.pages)) throw noMcpStream()
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    if (!live) {
      reply.raw.writeHead(404, { 'content-type': 'text/html; charset=utf-8' })
      reply.raw.end(
        plainPage({
          title: 'Nothing is published yet',
          text: `The site ${place.site.domain} has no release. Publish one with quire publish.`,
        }),
      )
      return
    }
    const server = await openServer(live.release.bundle!.digest, live.folder)
    const file = place.path.slice(1)
    const mayBeEarlier = isHashed(file) && server.find(file) === undefined
    await server.handle(request.raw, reply.raw, {
      path: place.path,
      basePath: place.basePath,
      settings: { ...siteSettings, feedback: { endpoint: feedbackEndpoint(place.site.domain) } },
      sharedOrigin: place.sharedOrigin,
      customScripts: place.site.customScripts,
      secure: request.protocol === 'https',
      previous: mayBeEarlier ? await openPrevious(place.site) : [],
    })
  }

  app.addHook('onRequest', async (request, reply) => {
    const site = await siteOfHost(database, request.host, dependencies.publicUrl())
    if (!site || isReserved(request.url) || isMcpMessage(request)) return
    await serve(request, reply, { site, path: request.url.split('?')[0]!, basePath: '', sharedOrigin: false })
  })

  const handler = async (request: FastifyRequest<{ Params: { domain: string } }>, reply: FastifyReply) => {
    const { domain } = request.params
    const site = await findSite(database, domain)
    if (!site || site.domain !== domain) return reply.callNotFound()
    const path = request.url.split('?')[0]!.slice(`/sites/${domain}`.length)
    if (site.customScripts) return reply.redirect(`https://${site.hosts[0]}${path || '/'}`, 302) // Its scripts stay on its own origin.
    if (path === '') return reply.redirect(`/sites/${domain}/`, 308)
    await serve(request, reply, { site, path, basePath: `/sites/${domain}`, sharedOrigin: true })
    return reply
  }
  const options = { schema: { hide: true } }
  app.get('/sites/:domain', options, handler)
  app.get('/sites/:domain/*', options, handler)
}

/** Search works inside the pages; the assistant panel is switched on here once there is one. */
const siteSettings: SiteSettings = { ...standaloneSettings, deployment: 'cloud' }

/** The API answers at every host name, so that a site's own address can be used for it. */
const isReserved = (url: string) =>
  /^\/(v1|v2|discovery|objects|healthz|readyz|metrics|openapi\.json)(\/|$|\?)/.test(url)

/** A page may be called `mcp` too, and is read with GET. */
const isMcpMessage = ({ method, url }: FastifyRequest) =>
  method !== 'GET' && method !== 'HEAD' && url.split('?')[0] === '/mcp'

/** The site that a host name means; none for the server's own name and for bare addresses. */
export async function siteOfHost(
  database: Database,
  host: string,
  publicUrl: string,
): Promise<Site | undefined> {
  const own = new URL(publicUrl).hostname
  const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
  if (name === '' || name === own || /^[\d.]+$|^\[|^localhost$/.test(name)) return undefined
  return findSite(database, siteNameOf(name, publicUrl))
}

/** `acme.quire.example.com` on a server at `quire.example.com` is the site `acme`; `acme.localhost` is too. */
export function siteNameOf(domainOrHost: string, publicUrl: string): string {
  const name = domainOrHost.toLowerCase().replace(/:\d+$/, '')
  const own = new URL(publicUrl).hostname
  for (const suffix of [`.${own}`, '.localhost']) {
    const first = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
    if (first !== '' && !first.includes('.')) return first
  }
  return name
}
