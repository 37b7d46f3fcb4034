export { type BundleServer, openBundleServer, type ServeOptions } from './bundle-server.ts'
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
export { plainPage } from './plain-page.ts'
export { securityHeaders } from './security-headers.ts'
