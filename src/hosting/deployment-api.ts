import type { DeploymentType } from '../bundle/bundle-api.ts'

export type Feature = 'search' | 'assistant' | 'analytics' | 'playground' | 'staticExport'

/** `yes`: always there. `configurable`: a setting. `no`: setting it is a start-up error. */
export type Availability = 'yes' | 'configurable' | 'no'

/** The one table of what each deployment type offers; `search` is search answered by a server. */
export const features: Record<Feature, { label: string } & Record<DeploymentType, Availability>> = {
  search: { label: 'Site search', cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  assistant: { label: 'AI assistant', cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  analytics: { label: 'Web analytics', cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  playground: { label: 'API playground', cloud: 'yes', 'client-hosted': 'yes', 'air-gapped': 'configurable' },
  staticExport: { label: 'Static export bundle', cloud: 'yes', 'client-hosted': 'yes', 'air-gapped': 'yes' },
}

export const deploymentTypes: readonly DeploymentType[] = ['cloud', 'client-hosted', 'air-gapped']

export function availability(feature: Feature, deployment: DeploymentType): Availability {
  return features[feature][deployment]
}

/** Whether the feature is on, given what was asked for. Throws a DeploymentError for what the type does not allow. */
export function isFeatureOn(
  feature: Feature,
  deployment: DeploymentType,
  asked: boolean | undefined,
): boolean {
  const allowed = availability(feature, deployment)
  const { label } = features[feature]
  if (allowed === 'no' && asked === true) {
    throw new DeploymentError(
      feature,
      `${label} cannot be switched on in a deployment of type ${deployment}. Remove features.${feature}, or use ${offering(feature)}.`,
    )
  }
  if (allowed === 'yes' && asked === false) {
    throw new DeploymentError(
      feature,
      `${label} cannot be switched off in a deployment of type ${deployment}. Remove features.${feature}, or use ${offering(feature, 'configurable')}.`,
    )
  }
  if (allowed === 'configurable') return asked ?? feature === 'playground'
  return allowed === 'yes'
}

export class DeploymentError extends Error {
  readonly feature: Feature

  constructor(feature: Feature, message: string) {
    super(message)
    this.name = 'DeploymentError'
    this.feature = feature
  }
}

function offering(feature: Feature, ...wanted: Availability[]): string {
  const accepted: Availability[] = wanted.length > 0 ? wanted : ['yes', 'configurable']
  const types = deploymentTypes.filter((type) => accepted.includes(availability(feature, type)))
  return types.length === 0
    ? 'no deployment type, because every one has it'
    : `the type ${types.join(' or ')}`
}
