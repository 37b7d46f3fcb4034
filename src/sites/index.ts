export { authorizeAdmin, authorizeAssistant, type Caller, findOwnSite } from './authorize.ts'
export {
  bundleKey,
  bundleKeyMigrations,
  isBundleRevoked,
  moveReleasesToKey,
  releasesNeedKey,
  revokeBundleKey,
} from './bundle-keys.ts'
export { contentRoutes, openContentRoutes, pageUrl, type SiteContent } from './content-routes.ts'
export { feedbackEndpoint, feedbackRoutes } from './feedback-routes.ts'
export { feedbackMigrations } from './feedback-store.ts'
export { findProject } from './find-project.ts'
export { forgetReleases, releaseObjectKeys } from './forget-releases.ts'
export { issueKey } from './issue-key.ts'
export { type KeyKind, makeKey, readKeyKind } from './key-format.ts'
export { keysRoutes } from './keys-routes.ts'
export { keyView, listKeys, readKey, revokeKey } from './keys-store.ts'
export { newId } from './new-id.ts'
export {
  createOrganization,
  listOrganizations,
  type Organization,
  readOrganization,
  setPlan,
} from './organizations-store.ts'
export { acceptSource, publishJobKind, waitForRelease } from './publish.ts'
export { publishRoutes } from './publish-routes.ts'
export { openPublishedSites, type PublishedSite, type PublishedSites, pagePath } from './published-sites.ts'
export { openReleaseFolders, type ReleaseFolders } from './release-folders.ts'
export {
  activateRelease,
  listLeftReleases,
  listReleases,
  type Release,
  readRelease,
  releaseView,
} from './releases-store.ts'
export {
  adminSecurity,
  callerOf,
  errorResponses,
  requireAdmin,
  type SitesDependencies,
  typed,
} from './routes-support.ts'
export { publishHandler } from './run-publish.ts'
export { sitesMigrations } from './sites-migrations.ts'
export { sitesRoutes, viewSite } from './sites-routes.ts'
export {
  createSite,
  findSite,
  listSites,
  readSite,
  type Site,
  setCustomScripts,
  setHosts,
} from './sites-store.ts'
