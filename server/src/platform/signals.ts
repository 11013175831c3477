import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../kernel/context.ts'
import { Refusal } from './refusal.ts'

/** Milliseconds. What a node keeps in memory is trusted for `fresh` after a renewal began; others wait `lease` for its word. */
export interface SignalTimes {
  renew: number
  fresh: number
  lease: number
  reconnect: number
}
const usual: SignalTimes = { renew: 700, fresh: 2000, lease: 4000, reconnect: 250 }

/**
 * A connection that hears what other nodes say (LISTEN), and another one that makes sure that it still does.
 * While `fresh()` holds, nothing was announced that this node has not been told; otherwise memory must not be trusted.
 */
export interface Signals {
  fresh(): boolean
  /** `forget` is called when a message may have been missed, `hear` for each message. */
  on(channel: string, listener: { hear(payload: string): void; forget(): void }): void
  close(): Promise<void>
}

/** Milliseconds that a database may take for a question, and for the first beat of a node: one that is busy is not deaf, and a start is not tried again. */
const patience = 10_000
const acknowledged = 'svc_revoking'
/** Any constant that nothing else in the database locks. */
const numbering = 7_236_402

/** What is said on `mouth` must be heard on `ear`: a pooler that lends connections for single transactions passes nothing on. */
interface Line {
  ear: Client
  mouth: Client
}

/** Its driver warns of statements that are sent while another one runs. */
class Client extends pg.Client {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs it after all that were asked before it. */
  ask(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const asked = this.#last.then(() => this.query(text, values))
    this.#last = asked.catch(() => undefined)
    return asked
  }
}

/** Throws `Refusal` where notifications do not arrive. */
export async function openSignals(connection: pg.ClientConfig, log: Log, times = usual): Promise<Signals> {
  const id = randomUUID()
  const beat = `svc_beat_${id}`
  const beats = new Map<string, () => void>()
  const listeners = new Map<string, { hear(payload: string): void; forget(): void }[]>()
  const closing = new AbortController()
  const patienceMs = Math.max(patience, times.fresh)
  let freshUntil = 0
  /** The number of the last announcement that this node has heard, or need not hear because it knew nothing yet. */
  let heard = '0'
  let line: Line | undefined

  const forgetAll = () => {
    freshUntil = 0
    for (const listener of [...listeners.values()].flat()) listener.forget()
  }
  /** Says that this node lives and what it has heard, and hears itself: what was announced before that beat was heard before it. */
  const renew = async ({ ear, mouth }: Line, waitMs = times.fresh) => {
    const began = String(performance.now())
    const heardIt = Promise.withResolvers<void>()
    const late = setTimeout(() => heardIt.reject(new Refusal(deaf)), waitMs)
    beats.set(began, heardIt.resolve)
    const say = async () => {
      await ear.ask(
        `INSERT INTO nodes (id, lease_until, acked) VALUES ($1, now() + $2::float8 * interval '1 ms', $3)
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, acked = excluded.acked`,
        [id, times.lease, heard],
      )
      await mouth.ask('SELECT pg_notify($1, $2)', [beat, began])
    }
    await Promise.all([say(), heardIt.promise]).finally(() => {
      clearTimeout(late)
      beats.delete(began)
    })
  }
  const hearOn = (on: Client, { channel, payload = '' }: pg.Notification) => {
    if (on !== line?.ear) return
    if (channel === beat) {
      freshUntil = Math.max(freshUntil, Number(payload) + times.fresh)
      return beats.get(payload)?.()
    }
    for (const listener of listeners.get(channel) ?? []) listener.hear(payload)
    if (channel !== acknowledged) return
    heard = (JSON.parse(payload) as { seq: string }).seq
    // Where this fails, the next renewal says it.
    renew(line).catch(() => forgetAll())
  }
  const dial = async () => {
    const next = new Client({ ...connection, query_timeout: patienceMs })
    next.on('error', () => forgetAll())
    next.on('notification', (notification) => hearOn(next, notification))
    await next.connect()
    return next
  }
  const connect = async (waitMs?: number) => {
    const mouth = await dial()
    const ear = await dial().catch((error: unknown) => hangUp({ mouth }).then(() => Promise.reject(error)))
    line = { ear, mouth }
    await mouth.ask(`DELETE FROM nodes WHERE lease_until < now() - interval '1 day'`)
    for (const channel of new Set([beat, acknowledged, ...listeners.keys()])) await ear.ask(`LISTEN ${pg.escapeIdentifier(channel)}`)
    heard = await lastNumber(mouth)
    // Only now: what is looked up from here on shows every token that was being revoked when `heard` was given out.
    forgetAll()
    await renew(line, waitMs)
  }
  const keep = async () => {
    while (await pause(times.renew, closing.signal)) {
      try {
        if (line) await renew(line)
      } catch (error) {
        forgetAll()
        log.warn({ err: error }, 'the connection that hears of revocations broke; every call asks the database until it is back')
        void hangUp(line)
        if (await pause(times.reconnect, closing.signal)) await connect().catch(() => undefined)
      }
    }
  }
  await connect(patienceMs).catch((error: unknown) => hangUp(line).then(() => Promise.reject(error)))
  const keeping = keep()

  return {
    fresh: () => performance.now() < freshUntil,
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      line?.ear.ask(`LISTEN ${pg.escapeIdentifier(channel)}`).catch(() => forgetAll())
    },
    async close() {
      closing.abort()
      await keeping
      forgetAll()
      await line?.mouth.ask('DELETE FROM nodes WHERE id = $1', [id]).catch(() => undefined)
      await hangUp(line)
    },
  }
}

const deaf =
  'the database does not pass notifications on (LISTEN, NOTIFY): DATABASE_URL must lead to PostgreSQL itself, or through a pooler in session mode'

async function hangUp(line: Partial<Line> = {}): Promise<void> {
  await Promise.all([line.ear, line.mouth].map((client) => client?.end().catch(() => undefined)))
}

/** False when there is no reason to go on. */
const pause = (ms: number, until: AbortSignal) => sleep(ms, !until.aborted, { signal: until, ref: false }).catch(() => false)

async function lastNumber(client: Client): Promise<string> {
  const { rows } = await client.ask('SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS seq FROM revocations')
  return rows[0].seq
}

/**
 * Tells every node to let go of a token, or of all tokens of a workspace, and waits until each one has, or its lease has run out, and for one that says it lives but does
 * not hear, no longer than a lease: its memory is not fresh by then. The token's row must say `revoking` already, so that no node takes
 * it up again; only afterwards may the revocation be committed, and then no node honours it.
 */
export async function announceRevocation(db: Kysely<unknown>, whose: string): Promise<void> {
  const seq = await announce(db, whose)
  for (const began = performance.now(); performance.now() < began + usual.lease; await sleep(4)) {
    const waiting = await sql<{ n: number }>`SELECT count(*) AS n FROM nodes WHERE lease_until > now() AND acked < ${seq}::bigint`.execute(
      db,
    )
    if (waiting.rows[0]?.n === 0) return
  }
}

const announce = (db: Kysely<unknown>, whose: string) => db.transaction().execute((transaction) => announceWithin(transaction, whose))

/**
 * The same within a transaction, heard when it commits; waits for nobody. Under a lock until the commit, so that nodes hear the numbers
 * in their order: who has heard one has heard all before it.
 */
export async function announceWithin(transaction: Kysely<unknown>, whose: string): Promise<string> {
  await sql`SELECT pg_advisory_xact_lock(${numbering})`.execute(transaction)
  const { rows } = await sql<{ seq: string }>`SELECT nextval('revocations')::text AS seq`.execute(transaction)
  const seq = rows[0]?.seq ?? '0'
  await sql`SELECT pg_notify(${acknowledged}, ${JSON.stringify({ seq, whose })})`.execute(transaction)
  return seq
}
