import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../kernel/context.ts'

/** Milliseconds. What a node keeps in memory is trusted for `fresh` after a renewal began; others wait `lease` for its word. */
const times = { renew: 700, fresh: 2000, lease: 4000, reconnect: 250 }

/**
 * One connection that hears what other nodes say (LISTEN) and proves that it still hears.
 * While `fresh()` holds, nothing was announced that this node has not been told; otherwise memory must not be trusted.
 */
export interface Signals {
  fresh(): boolean
  /** `forget` is called when a message may have been missed, `hear` for each message. */
  on(channel: string, listener: { hear(payload: string): void; forget(): void }): void
  close(): Promise<void>
}

const acknowledged = 'svc_revoking'
/** Any constant that nothing else in the database locks. */
const numbering = 7_236_402

export async function openSignals(connection: pg.ClientConfig, log: Log): Promise<Signals> {
  const id = randomUUID()
  const listeners = new Map<string, { hear(payload: string): void; forget(): void }[]>()
  const closing = new AbortController()
  let freshUntil = 0
  /** The number of the last announcement that this node has heard, or need not hear because it knew nothing yet. */
  let heard = '0'
  let client: pg.Client | undefined

  const forgetAll = () => {
    freshUntil = 0
    for (const listener of [...listeners.values()].flat()) listener.forget()
  }
  /** Says that this node lives, and what it has heard. */
  const renew = async (on: pg.Client) => {
    const began = performance.now()
    await on.query(
      `INSERT INTO nodes (id, lease_until, acked) VALUES ($1, now() + $2::float8 * interval '1 ms', $3)
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, acked = excluded.acked`,
      [id, times.lease, heard],
    )
    freshUntil = began + times.fresh
  }
  const hearOn = (on: pg.Client, { channel, payload = '' }: pg.Notification) => {
    if (on !== client) return
    for (const listener of listeners.get(channel) ?? []) listener.hear(payload)
    if (channel !== acknowledged) return
    heard = (JSON.parse(payload) as { seq: string }).seq
    // Where this fails, the next renewal says it.
    renew(on).catch(() => forgetAll())
  }
  const connect = async () => {
    const next = new pg.Client({ ...connection, keepAlive: true, query_timeout: times.fresh })
    next.on('error', () => forgetAll())
    next.on('notification', (notification) => hearOn(next, notification))
    await next.connect()
    client = next
    await next.query(`DELETE FROM nodes WHERE lease_until < now() - interval '1 day'`)
    for (const channel of new Set([acknowledged, ...listeners.keys()])) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    heard = await lastNumber(next)
    // Only now: what is looked up from here on shows every token that was being revoked when `heard` was given out.
    forgetAll()
    await renew(next)
  }
  const keep = async () => {
    while (await pause(times.renew, closing.signal)) {
      try {
        if (client) await renew(client)
      } catch (error) {
        forgetAll()
        log.warn({ err: error }, 'the connection that hears of revocations broke; every call asks the database until it is back')
        await client?.end().catch(() => undefined)
        if (await pause(times.reconnect, closing.signal)) await connect().catch(() => undefined)
      }
    }
  }
  await connect()
  const keeping = keep()

  return {
    fresh: () => performance.now() < freshUntil,
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      client?.query(`LISTEN ${pg.escapeIdentifier(channel)}`).catch(() => forgetAll())
    },
    async close() {
      closing.abort()
      await keeping
      forgetAll()
      await client?.query('DELETE FROM nodes WHERE id = $1', [id]).catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  }
}

/** False when there is no reason to go on. */
const pause = (ms: number, until: AbortSignal) => sleep(ms, !until.aborted, { signal: until, ref: false }).catch(() => false)

async function lastNumber(client: pg.Client): Promise<string> {
  const { rows } = await client.query('SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS seq FROM revocations')
  return rows[0].seq
}

/**
 * Tells every node to let go of a token and waits until each one has, or its lease has run out. The token's row must say
 * `revoking` already, so that no node takes it up again; only afterwards may the revocation be committed, and then no node honours it.
 */
export async function announceRevocation(db: Kysely<unknown>, tokenId: string): Promise<void> {
  const seq = await announce(db, tokenId)
  for (;;) {
    const waiting = await sql<{ n: number }>`SELECT count(*) AS n FROM nodes WHERE lease_until > now() AND acked < ${seq}::bigint`.execute(
      db,
    )
    if (waiting.rows[0]?.n === 0) return
    await sleep(4)
  }
}

/** Under a lock until the commit, so that nodes hear the numbers in their order: who has heard one has heard all before it. */
function announce(db: Kysely<unknown>, tokenId: string): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(${numbering})`.execute(transaction)
    const { rows } = await sql<{ seq: string }>`SELECT nextval('revocations')::text AS seq`.execute(transaction)
    const seq = rows[0]?.seq ?? '0'
    await sql`SELECT pg_notify(${acknowledged}, ${JSON.stringify({ seq, tokenId })})`.execute(transaction)
    return seq
  })
}
