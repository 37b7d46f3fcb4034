import type { OpenAPIV3_1 } from 'openapi-types'

/** Says what every answer means, where its schema does not: in words of its own for what a call gives, by status for errors. */
export function describeResponses(document: OpenAPIV3_1.Document): void {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      for (const [status, response] of Object.entries(item?.[method]?.responses ?? {})) {
        if (!('description' in response) || response.description !== unsaid) continue
        response.description =
          answers[`${method.toUpperCase()} ${path} ${status}`] ?? failures[status] ?? undescribed
      }
    }
  }
}

/** What stands where nobody has said anything better; a test asks for better. */
export const undescribed = 'The answer.'

/** What the describing plugin writes where it knows nothing. */
const unsaid = 'Default Response'

const answers: Record<string, string> = {
  'GET /v1/sites 200': 'The sites of the key’s organization.',
  'POST /v1/sites 201': 'The site, with nothing published yet.',
  'GET /v1/sites/{domain} 200': 'The site and the release that is live.',
  'PUT /v1/sites/{domain}/hosts 200': 'The site with its new host names.',
  'PUT /v1/sites/{domain}/scripts 200': 'The site as it is set now.',
  'GET /v1/sites/{domain}/releases 200': 'One page of releases, and the cursor of the next.',
  'GET /v1/sites/{domain}/releases/{releaseId} 200': 'The release with all its problems.',
  'POST /v1/sites/{domain}/rollback 200': 'The site with the release that is live now.',
  'PUT /v1/sites/{domain}/content 200': 'The project is what is published already; nothing was built.',
  'PUT /v1/sites/{domain}/content 202': 'The project is stored and a release is being built.',
  'GET /v1/keys 200': 'The keys without their secrets.',
  'POST /v1/keys 201': 'The key with its secret, which is shown this once.',
  'POST /v1/keys/{keyId}/rotate 201': 'The new key with its secret, which is shown this once.',
  'DELETE /v1/keys/{keyId} 204': 'The key is revoked.',
  'POST /discovery/v1/search/{domain} 200': 'The passages found, the best first.',
  'POST /discovery/v1/page/{domain} 200': 'The page as Markdown.',
  'POST /v1/feedback/{domain} 204': 'The answer is counted.',
  'GET /v1/sites/{domain}/feedback 200': 'Votes by page.',
  'POST /v1/static-export/jobs 202': 'The export is queued.',
  'GET /v1/static-export/jobs 200': 'One page of exports, and the cursor of the next.',
  'GET /v1/static-export/jobs/{jobId} 200': 'The export as it stands.',
  'GET /v1/static-export/jobs/{jobId} 304': 'Nothing changed since the answer with this ETag.',
  'DELETE /v1/static-export/jobs/{jobId} 200': 'The export, cancelled.',
  'POST /v1/static-export/jobs/{jobId}/bundle 200': 'A link to the bundle, and until when it works.',
  'DELETE /v1/static-export/jobs/{jobId}/bundle 200': 'The export, whose bundle is revoked.',
  'GET /v1/webhooks 200': 'The addresses.',
  'POST /v1/webhooks 201': 'The address with the secret that signs what it is told, shown this once.',
  'DELETE /v1/webhooks/{webhookId} 204': 'The address is told nothing more.',
  'POST /discovery/v1/assistant/{domain}/feedback 204': 'The opinion is stored with the answer.',
  'GET /discovery/v1/assistant/{domain} 200': 'Questions to begin with, and where readers find help.',
  'GET /v1/sites/{domain}/threads 200': 'One page of threads, and the cursor of the next.',
  'DELETE /v1/sites/{domain}/threads 200': 'How much was erased.',
  'GET /v1/sites/{domain}/threads/{threadId} 200': 'The thread with its questions, answers and sources.',
}

const failures: Record<string, string> = {
  400: 'The request breaks the schema; every fault is in details.',
  401: 'The key is missing, unknown, expired or revoked.',
  403: 'The key is of the wrong kind, or the plan does not include this.',
  404: 'There is no such thing, or not for this key.',
  409: 'It is not in a state that allows this; the message says which.',
  410: 'It was there and is gone.',
  413: 'The body is too large; the message says how large it may be.',
  415: 'The body is of a type that is not read here.',
  422: 'The request is well formed and cannot be carried out; the message says why.',
  429: 'A limit is used up; Retry-After says for how long.',
}
