import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Node } from './open-node.ts'

export type Health = { stopping: boolean }

/** Whether the process lives, whether it should get traffic and why not, and its figures. */
export function healthRoutes(
  app: FastifyInstance,
  node: Pick<Node, 'database' | 'objects' | 'model' | 'questions'>,
  health: Health,
): void {
  const schema = { hide: true }
  app.get('/healthz', { schema }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema }, async (_request, reply) => {
    const checks = {
      database: await reason(() => sql`select 1`.execute(node.database.tables())),
      objects: await reason(() => node.objects.check()),
      accepting: health.stopping ? 'The node is shutting down.' : null,
    }
    const problems = Object.entries(checks).flatMap(([name, problem]) =>
      problem ? [{ check: name, problem }] : [],
    )
    return reply.code(problems.length === 0 ? 200 : 503).send({
      status: problems.length === 0 ? 'ready' : 'not ready',
      problems,
      model: node.model?.name ?? 'none',
      embeddingModel: node.questions?.name ?? 'none',
    })
  })

  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'quire_http_requests_total',
    help: 'Requests by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'quire_http_request_seconds',
    help: 'Time until the answer was sent.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  new Gauge({
    name: 'quire_jobs_waiting',
    help: 'Jobs that nobody works on yet.',
    registers: [registry],
    async collect() {
      const { rows } = await sql<{
        count: number
      }>`select count(*) as count from jobs where worker is null`.execute(node.database.tables())
      this.set(Number(rows[0]?.count ?? 0))
    },
  })
  new Counter({
    name: 'quire_question_vectors_total',
    help: 'Questions by what became of asking for their vectors.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(node.questions?.counts ?? {}))
        this.inc({ outcome }, count)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    seconds.observe({ route }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { schema }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

async function reason(check: () => Promise<unknown>): Promise<string | null> {
  try {
    await check()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
