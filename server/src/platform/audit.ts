import { type Kysely, sql } from 'kysely'
import type { AuditEntry, Kernel, Log } from '../kernel/context.ts'
import { scrub } from './log.ts'

/** How many reads wait for a batch, at most; beyond it a read waits for the batch to be written. */
const most = 5000
const everyMs = 500

/** The audit record: writes at once in their own transaction, reads in batches twice a second. */
export function openAudit(db: Kysely<unknown>, now: () => Date, log: Log): { audit: Kernel['audit']; close(): Promise<void> } {
  let waiting: string[] = []
  let writing: Promise<void> = Promise.resolve()
  const flush = () => {
    if (waiting.length === 0) return writing
    const batch = waiting
    waiting = []
    writing = writing
      .then(() => insert(db, batch))
      .catch((error: unknown) => {
        log.error({ err: error, entries: batch.length }, 'audit entries of reads could not be written; they will be tried again')
        waiting = [...batch, ...waiting].slice(0, 2 * most)
      })
    return writing
  }
  const timer = setInterval(flush, everyMs)
  timer.unref()

  return {
    audit(entry, transaction) {
      const row = rowOf(entry, now())
      if (transaction) return insert(transaction, [row])
      waiting.push(row)
      return waiting.length > most ? flush() : undefined
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

/** A site that was not found was named by the caller: it may be anything, even a secret in the wrong place. */
const harmless = (site: string | null) => (site === null || /^site_[0-9a-z]{26}$/.test(site) ? site : scrub(site))

/** The columns of a row, as JSON at once: objects that wait half a second are moved by each garbage collection meanwhile. */
const rowOf = (entry: AuditEntry, at: Date): string =>
  JSON.stringify([
    entry.workspace_id,
    at.getTime() / 1000,
    entry.caller_type,
    entry.caller_id,
    entry.operation,
    entry.face,
    entry.outcome,
    entry.request_id,
    harmless(entry.site_id),
  ])

async function insert(db: Kysely<unknown>, rows: readonly string[]): Promise<void> {
  await sql`INSERT INTO audit (workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id, site_id)
    SELECT r ->> 0, to_timestamp((r ->> 1)::float8), r ->> 2, r ->> 3, r ->> 4, r ->> 5, r ->> 6, r ->> 7, r ->> 8
    FROM json_array_elements(${`[${rows.join(',')}]`}::json) AS r`.execute(db)
}
