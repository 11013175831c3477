// Tests wait for what happens, not for time to pass.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'

const mostLooks = 6000

/** Looks until there is something, and answers that. What never comes is told after 6,000 looks, a minute at least; fewer where one takes long. */
export async function until<Value>(look: () => Value | Promise<Value>, most = mostLooks): Promise<NonNullable<Exclude<Value, false>>> {
  for (let looks = 0; looks < most; looks++) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<Value, false>>
    await sleep(10)
  }
  throw new Error(`it never came true: ${look}`)
}

/** Until a statement with these words (a regular expression of PostgreSQL's) waits for a lock in this database: what else waits there, as duties of the service do, is another's. */
export const untilLocked = (db: Kysely<never> | Kysely<unknown>, words: string): Promise<boolean> =>
  until(async () => {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ ${words}`.execute(db as Kysely<unknown>)
    return rows.length > 0
  })

/** Lets the event loop turn, so that whatever is ready without waiting for anybody has happened: more than enough for a chain of promises. */
export async function settle(turns = 200): Promise<void> {
  for (let n = 0; n < turns; n++) await turn()
}
