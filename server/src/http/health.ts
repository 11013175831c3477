import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { version } from '../version.ts'
import type { World } from '../world.ts'

const patienceMs = 3000

/** /healthz: this process lives. /readyz: the database and the storage answer it. */
export function registerHealth(app: FastifyInstance, world: World): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', version }))
  app.get('/readyz', async (_request, reply) => {
    const [database, storage] = await Promise.all([answers(sql`SELECT 1`.execute(world.db)), answers(world.storage.stat('readyz'))])
    const ready = database && storage
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'not_ready', database: database ? 'ok' : 'failing', storage: storage ? 'ok' : 'failing' })
  })
}

async function answers(question: Promise<unknown>): Promise<boolean> {
  const tooLate = AbortSignal.timeout(patienceMs)
  const late = new Promise<boolean>((resolve) => tooLate.addEventListener('abort', () => resolve(false), { once: true }))
  return Promise.race([
    question.then(
      () => true,
      () => false,
    ),
    late,
  ])
}
