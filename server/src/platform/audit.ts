import { type Kysely, sql } from 'kysely'
import type { AuditEntry, Kernel, Log } from '../kernel/context.ts'
import { scrub } from './log.ts'

interface Row extends AuditEntry {
  at: Date
}

/** How many reads wait for a batch, at most; beyond it a read waits for the batch to be written. */
const most = 5000
const everyMs = 500

/** The audit record: writes at once in their own transaction, reads in batches twice a second. */
export function openAudit(db: Kysely<unknown>, now: () => Date, log: Log): { audit: Kernel['audit']; close(): Promise<void> } {
  let waiting: Row[] = []
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
      const row = { ...entry, site_id: harmless(entry.site_id), at: now() }
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

async function insert(db: Kysely<unknown>, rows: Row[]): Promise<void> {
  await sql`INSERT INTO audit (workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id, site_id)
    SELECT workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id, site_id
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (workspace_id text, at timestamptz, caller_type text, caller_id text,
      operation text, face text, outcome text, request_id text, site_id text)`.execute(db)
}
