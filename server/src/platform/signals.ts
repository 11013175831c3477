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
  on(channel: string, listener: Listener): void
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

interface Listener {
  hear(payload: string): void
  forget(): void
}

/** A process among those that share the database. */
class Node implements Signals {
  readonly #connection: pg.ClientConfig
  readonly #log: Log
  readonly #times: SignalTimes
  readonly #id = randomUUID()
  readonly #beat = `svc_beat_${this.#id}`
  /** Who waits for which beat to be heard. */
  readonly #beats = new Map<string, () => void>()
  readonly #listeners = new Map<string, Listener[]>()
  readonly #closing = new AbortController()
  #freshUntil = 0
  /** The number of the last announcement that this node has heard, or need not hear because it knew nothing yet. */
  #heard = '0'
  #line: Line | undefined
  #keeping = Promise.resolve()

  constructor(connection: pg.ClientConfig, log: Log, times: SignalTimes) {
    this.#connection = { ...connection, query_timeout: Math.max(patience, times.fresh) }
    this.#log = log
    this.#times = times
  }

  async open(): Promise<void> {
    const waitMs = Math.max(patience, this.#times.fresh)
    await this.#connect(waitMs).catch((error: unknown) => hangUp(this.#line).then(() => Promise.reject(error)))
    this.#keeping = this.#keep()
  }

  fresh(): boolean {
    return performance.now() < this.#freshUntil
  }

  on(channel: string, listener: Listener): void {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener])
    this.#line?.ear.ask(`LISTEN ${pg.escapeIdentifier(channel)}`).catch(() => this.#forgetAll())
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#keeping
    this.#forgetAll()
    await this.#line?.mouth.ask('DELETE FROM nodes WHERE id = $1', [this.#id]).catch(() => undefined)
    await hangUp(this.#line)
  }

  #forgetAll(): void {
    this.#freshUntil = 0
    for (const listener of [...this.#listeners.values()].flat()) listener.forget()
  }

  async #keep(): Promise<void> {
    const { renew, reconnect } = this.#times
    while (await pause(renew, this.#closing.signal)) {
      try {
        if (this.#line) await this.#renew(this.#line)
      } catch (error) {
        this.#forgetAll()
        this.#log.warn({ err: error }, 'the connection that hears of revocations broke; every call asks the database until it is back')
        void hangUp(this.#line)
        if (await pause(reconnect, this.#closing.signal)) await this.#connect().catch(() => undefined)
      }
    }
  }

  async #connect(waitMs?: number): Promise<void> {
    const mouth = await this.#dial()
    const ear = await this.#dial().catch((error: unknown) => hangUp({ mouth }).then(() => Promise.reject(error)))
    this.#line = { ear, mouth }
    await mouth.ask(`DELETE FROM nodes WHERE lease_until < now() - interval '1 day'`)
    const channels = new Set([this.#beat, acknowledged, ...this.#listeners.keys()])
    for (const channel of channels) await ear.ask(`LISTEN ${pg.escapeIdentifier(channel)}`)
    this.#heard = await lastNumber(mouth)
    // Only now: what is looked up from here on shows every token that was being revoked when `#heard` was given out.
    this.#forgetAll()
    await this.#renew(this.#line, waitMs)
  }

  async #dial(): Promise<Client> {
    const next = new Client(this.#connection)
    next.on('error', () => this.#forgetAll())
    next.on('notification', (notification) => this.#hearOn(next, notification))
    await next.connect()
    return next
  }

  /** Says that this node lives and what it has heard, and hears itself: what was announced before that beat was heard before it. */
  async #renew(line: Line, waitMs = this.#times.fresh): Promise<void> {
    const began = String(performance.now())
    const heardIt = Promise.withResolvers<void>()
    const late = setTimeout(() => heardIt.reject(new Refusal(deaf)), waitMs)
    this.#beats.set(began, heardIt.resolve)
    await Promise.all([this.#say(line, began), heardIt.promise]).finally(() => {
      clearTimeout(late)
      this.#beats.delete(began)
    })
  }

  async #say({ ear, mouth }: Line, began: string): Promise<void> {
    await ear.ask(
      `INSERT INTO nodes (id, lease_until, acked) VALUES ($1, now() + $2::float8 * interval '1 ms', $3)
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, acked = excluded.acked`,
      [this.#id, this.#times.lease, this.#heard],
    )
    await mouth.ask('SELECT pg_notify($1, $2)', [this.#beat, began])
  }

  #hearOn(on: Client, { channel, payload = '' }: pg.Notification): void {
    if (!this.#line || on !== this.#line.ear) return
    if (channel === this.#beat) {
      this.#freshUntil = Math.max(this.#freshUntil, Number(payload) + this.#times.fresh)
      this.#beats.get(payload)?.()
      return
    }
    for (const listener of this.#listeners.get(channel) ?? []) listener.hear(payload)
    if (channel !== acknowledged) return
    this.#heard = (JSON.parse(payload) as { seq: string }).seq
    // Where this fails, the next renewal says it.
    this.#renew(this.#line).catch(() => this.#forgetAll())
  }
}

/** Throws `Refusal` where notifications do not arrive. */
export async function openSignals(connection: pg.ClientConfig, log: Log, times = usual): Promise<Signals> {
  const node = new Node(connection, log, times)
  await node.open()
  return node
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
