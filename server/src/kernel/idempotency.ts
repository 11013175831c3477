import { type Kysely, sql } from 'kysely'
import type { Caller, Kernel, Outcome } from './context.ts'
import type { AnyOperation } from './operation.ts'
import { Problem } from './problem.ts'

interface Key {
  name: string
  digest: string
}

/** What a key is bound to. */
interface Bound {
  operation: AnyOperation
  caller: Caller
  key: Key
}

/** A call that may be done once only. */
interface Once extends Omit<Bound, 'key'> {
  key: Key | undefined
  /** It holds no transaction. */
  waits: boolean
}

interface Remembered {
  digest: string
  response: string | null
  finished: boolean
}

/**
 * Does the work in one transaction, at most once per idempotency key (caller × operation × key, 24 h).
 * A second call with the key waits for nothing: while the first runs it is a conflict, afterwards it gets the same answer.
 */
export async function once(
  world: Kernel,
  { operation, caller, key, waits }: Once,
  work: (db: Kernel['db']) => Promise<unknown>,
): Promise<Outcome> {
  const bound = key && { operation, caller, key }
  if (waits) return outsideTransaction(world, bound, work)

  return world.db.transaction().execute(async (db) => {
    const earlier = bound && (await claim(db, world.now(), bound))
    if (earlier) return { output: earlier.response, replayed: true }
    const output = await work(db)
    if (bound) await remember(db, bound, output)
    return { output, replayed: false }
  })
}

/** The key is spent before anybody is asked; where it was not done, the key is free again. */
async function outsideTransaction(world: Kernel, bound: Bound | undefined, work: (db: Kernel['db']) => Promise<unknown>): Promise<Outcome> {
  if (!bound) return { output: await work(world.db), replayed: false }
  const earlier = await world.db.transaction().execute((db) => claim(db, world.now(), bound))
  if (earlier) return { output: earlier.response, replayed: true }
  try {
    const output = await work(world.db)
    await remember(world.db, bound, output)
    return { output, replayed: false }
  } catch (error) {
    await release(world.db, bound)
    throw error
  }
}

/** Takes the key; returns the finished earlier call, if there is one. */
async function claim(db: Kysely<unknown>, now: Date, bound: Bound): Promise<Remembered | undefined> {
  const { operation, caller, key } = bound
  await takeTurn(db, bound)
  const at = sql`(workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`
  await sql`DELETE FROM idempotency_keys WHERE ${at} AND (created_at < ${ago(now, 24 * 60)} OR (response IS NULL AND NOT finished AND created_at < ${ago(now, 2)}))`.execute(
    db,
  )
  const { rows } = await sql<Remembered>`SELECT digest, response, finished FROM idempotency_keys WHERE ${at}`.execute(db)
  const earlier = rows[0]
  if (earlier) return answerOf(earlier, key)
  await sql`INSERT INTO idempotency_keys (workspace_id, caller_id, operation, key, digest, created_at)
    VALUES (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name}, ${key.digest}, ${now})`.execute(db)
  await sweep(db, now)
  return undefined
}

/** Whoever adds a key takes some of the old ones away, so that they do not pile up. */
async function sweep(db: Kysely<unknown>, now: Date): Promise<void> {
  await sql`DELETE FROM idempotency_keys WHERE ctid IN
    (SELECT ctid FROM idempotency_keys WHERE created_at < ${ago(now, 24 * 60)} LIMIT 10 FOR UPDATE SKIP LOCKED)`.execute(db)
}

function answerOf(earlier: Remembered, key: Key): Remembered {
  if (earlier.digest !== key.digest)
    throw new Problem('idempotency_mismatch', 'This Idempotency-Key was used for a request with another payload. Send a new key.')
  if (!earlier.finished) throw inFlight()
  if (earlier.response === null)
    throw new Problem('conflict', 'This Idempotency-Key was used and its answer, a secret, is not kept. Send a new key.', {
      retryable: false,
    })
  return { ...earlier, response: JSON.parse(earlier.response) }
}

/** Lets one call with this key through at a time, until its transaction ends. */
async function takeTurn(db: Kysely<unknown>, { operation, caller, key }: Bound): Promise<void> {
  const name = `${caller.workspaceId} ${caller.id} ${operation.name} ${key.name}`
  const { rows } = await sql<{ mine: boolean }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS mine`.execute(db)
  if (!rows[0]?.mine) throw inFlight()
}

const inFlight = () =>
  new Problem('conflict', 'A call with this Idempotency-Key is still running. Try again in a moment.', { retryAfter: 1 })

async function remember(db: Kysely<unknown>, { operation, caller, key }: Bound, output: unknown): Promise<void> {
  const response = operation.secret || output === null ? null : JSON.stringify(output)
  await sql`UPDATE idempotency_keys SET response = ${response}, finished = true
    WHERE (workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`.execute(db)
}

async function release(db: Kysely<unknown>, { operation, caller, key }: Bound): Promise<void> {
  await sql`DELETE FROM idempotency_keys
    WHERE (workspace_id, caller_id, operation, key) = (${caller.workspaceId}, ${caller.id}, ${operation.name}, ${key.name})`.execute(db)
}

const ago = (now: Date, minutes: number) => new Date(now.getTime() - minutes * 60_000)
