export {
  type BundleServer,
  isHashed,
  openBundleServer,
  type PreviousBundle,
  previousBundle,
  type ServeOptions,
} from './bundle-server.ts'
export { ContentCache } from './content-cache.ts'
export {
  type Availability,
  availability,
  DeploymentError,
  deploymentTypes,
  type Feature,
  features,
  isFeatureOn,
} from './deployment-api.ts'
export { FetchError, fetchBundle } from './fetch-bundle.ts'
export { openControl, requestRollback } from './host-control.ts'
export { HostDeployment, type HostStatus, rollbackOffline } from './host-deployment.ts'
export { type HostRoute, type RunningHost, startHost } from './host-server.ts'
export {
  answeredHere,
  type HostSettings,
  isEndpointSetting,
  ownAssistantPath,
  ownSearchPath,
  ownSiteName,
  readHostSettings,
  SettingsError,
  siteSettingsOf,
} from './host-settings.ts'
export { HostVersions, type Version } from './host-versions.ts'
export { plainPage } from './plain-page.ts'
export { securityHeaders } from './security-headers.ts'
