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

export async function openSignals(connection: pg.ClientConfig, log: Log): Promise<Signals> {
  const id = randomUUID()
  const listeners = new Map<string, { hear(payload: string): void; forget(): void }[]>()
  let freshUntil = 0
  let open = true
  let client: pg.Client | undefined

  const forgetAll = () => {
    freshUntil = 0
    for (const listener of [...listeners.values()].flat()) listener.forget()
  }
  const hear = ({ channel, payload = '' }: pg.Notification) => {
    for (const listener of listeners.get(channel) ?? []) listener.hear(payload)
    if (channel === acknowledged) void acknowledge(client, id, payload).catch(() => forgetAll())
  }
  const renew = async (on: pg.Client) => {
    const began = performance.now()
    await on.query(
      `INSERT INTO nodes (id, lease_until) VALUES ($1, now() + $2::float8 * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      [id, times.lease],
    )
    freshUntil = began + times.fresh
  }
  const connect = async () => {
    const fresh = new pg.Client({ ...connection, keepAlive: true, query_timeout: times.fresh })
    fresh.on('error', () => forgetAll())
    fresh.on('notification', hear)
    await fresh.connect()
    client = fresh
    for (const channel of new Set([acknowledged, ...listeners.keys()])) await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    forgetAll()
    await renew(fresh)
  }
  const keep = async () => {
    while (open) {
      await sleep(times.renew, undefined, { ref: false })
      if (!open || !client) return
      try {
        await renew(client)
      } catch (error) {
        forgetAll()
        log.warn({ err: error }, 'the connection that hears of revocations broke; every call asks the database until it is back')
        await client.end().catch(() => undefined)
        await sleep(times.reconnect)
        if (open) await connect().catch(() => undefined)
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
      open = false
      forgetAll()
      await client?.query('DELETE FROM nodes WHERE id = $1', [id]).catch(() => undefined)
      await client?.end().catch(() => undefined)
      void keeping
    },
  }
}

async function acknowledge(client: pg.Client | undefined, id: string, payload: string): Promise<void> {
  const { seq } = JSON.parse(payload) as { seq: string }
  await client?.query('UPDATE nodes SET acked = greatest(acked, $2::bigint) WHERE id = $1', [id, seq])
}

/**
 * Tells every node that the token is about to be revoked and waits until each one has let go of it or its lease has run out.
 * Only then may the revocation be committed, so that after the commit no node honours the token from memory.
 */
export async function announceRevocation(db: Kysely<unknown>, tokenId: string): Promise<void> {
  const { rows } = await sql<{ seq: string }>`SELECT nextval('revocations')::text AS seq`.execute(db)
  const seq = rows[0]?.seq ?? '0'
  await sql`SELECT pg_notify(${acknowledged}, ${JSON.stringify({ seq, tokenId })})`.execute(db)
  for (;;) {
    const waiting = await sql<{ n: number }>`SELECT count(*) AS n FROM nodes WHERE lease_until > now() AND acked < ${seq}::bigint`.execute(
      db,
    )
    if (waiting.rows[0]?.n === 0) return
    await sleep(4)
  }
}
