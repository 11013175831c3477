import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { version } from '../version.ts'
import type { World } from '../world.ts'

const patienceMs = 3000
/** Whoever asks again sooner gets the same answer, so that strangers cannot make us ask the database and the store at their pace. */
const keptMs = 3000

/** /healthz: this process lives. /readyz: the database and the storage answer it. */
export function registerHealth(app: FastifyInstance, world: World, db: World['db']): void {
  const ask = async () => {
    const [database, store] = await Promise.all([answers(sql`SELECT 1`.execute(db)), answers(world.storage.stat('readyz'))])
    return { database, store }
  }
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve({ database: false, store: false }) }
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', version }))
  app.get('/readyz', async (_request, reply) => {
    const at = world.now().getTime()
    // A clock that was put back must not keep an answer for longer.
    if (Math.abs(at - last.at) >= keptMs) last = { at, answer: ask() }
    const { database, store } = await last.answer
    const ready = database && store
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'not_ready', database: database ? 'ok' : 'failing', storage: store ? 'ok' : 'failing' })
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
