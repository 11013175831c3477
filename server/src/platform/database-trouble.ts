// What it means that the database did not answer: no fault of who asked, and over when it is back.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem } from '../kernel/problem.ts'

/** The database restarts, another has taken over, the way to it is broken, or it has no connection left. */
export class DatabaseAway extends Problem {
  constructor(cause: unknown) {
    const next = 'Try again in a moment, a write with the same Idempotency-Key as before: then it is done once.'
    super('unavailable', `The database does not answer just now. ${next}`, { retryAfter: 2, cause })
  }
}

const patienceMs = 20_000

/** For what must not stop half-way, such as a file that is being sent: asks again until the database is back, or patience ends. */
export async function outlast<T>(ask: () => Promise<T>): Promise<T> {
  for (const began = performance.now(); ; await sleep(250)) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DatabaseAway) || performance.now() > began + patienceMs) throw error
    }
  }
}

/** Connection exceptions; ended by the operator, by a crash, by one that starts or stops; too many connections; no primary any more. */
const away = /^(08...|57P0[1-5]|53300|25006)$/
/** What `pg` and its pool say themselves, which has no code. */
const said = /^(Connection terminated|Client has encountered|Client was closed|timeout e|Query read timeout)/
const socket = /^(E(?!RR_)[A-Z_]+|ERR_(STREAM|SOCKET)_.+)$/

const isAway = (error: unknown) => {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return error instanceof pg.DatabaseError ? away.test(code) : said.test(message) || socket.test(code)
}

/** The same pool: what fails in it because the database is away is a `DatabaseAway`, and such a connection is never used again. */
export function reportingPool(pool: PostgresPool): PostgresPool {
  const known = new WeakMap<PostgresPoolClient, PostgresPoolClient>()
  const connect = async () => {
    const client = await pool.connect().catch(fail)
    const reporting = known.get(client) ?? reportingClient(client)
    known.set(client, reporting)
    return reporting
  }
  return { options: pool.options, connect, end: () => pool.end() }
}

function reportingClient(client: PostgresPoolClient): PostgresPoolClient {
  let lost = false
  const query = (sql: string, parameters: readonly unknown[]) =>
    client.query(sql, parameters).catch((error: unknown) => {
      lost ||= isAway(error)
      return fail(error)
    })
  return { query: query as PostgresPoolClient['query'], release: () => client.release(lost) }
}

/** What a trigger says where a workspace was deleted while somebody was about to make something in it. */
const isOfDeleted = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === '23503' && /^the workspace \S+ was deleted$/.test(error.message)

function fail(error: unknown): never {
  if (isOfDeleted(error)) throw new Problem('not_found', 'This workspace was deleted meanwhile.', { cause: error })
  throw isAway(error) ? new DatabaseAway(error) : error
}
