// How often passwords may be tried. Counted in the database, so that it holds for all nodes together.
import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { Slots } from '../platform/slots.ts'
import type { World } from '../world.ts'

const minuteMs = 60_000
/** Tries in a minute for one account, of strangers together, and of each browser in which its person signed in before. */
const perMinute = { strangers: 10, known: 5 }
/** Hashes computed at once in one process, 64 MiB each; how many wait for it, and how long. */
const hashes = { atOnce: 2, waiting: 50, patienceMs: 5000 }

const slots = new Slots(hashes.atOnce, hashes.waiting)

/** Takes one try; throws `rate_limited`. A browser the person is known by has tries of its own, so strangers lock nobody out. */
export async function takeTry(world: Pick<World, 'db' | 'now'>, email: string, device: Buffer | undefined): Promise<void> {
  const account = email.toLowerCase()
  const [key, most] = device ? [`${account} ${device.toString('hex')}`, perMinute.known] : [account, perMinute.strangers]
  const waitMs = await take(world, hash('sha256', key, 'buffer'), most)
  if (waitMs === undefined) return
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  throw new Problem('rate_limited', `Too many tries. Wait ${retryAfter} seconds.`, { retryAfter })
}

/** Computes hashes a few at a time; throws `unavailable` when too many wait. */
export async function inTurn<Answer>(compute: () => Promise<Answer>): Promise<Answer> {
  const giveBack = await slots.take('', hashes.patienceMs)
  if (!giveBack) throw new Problem('unavailable', 'Too many people sign in right now. Try again in a moment.', { retryAfter: 2 })
  return compute().finally(giveBack)
}

/** Undefined once it is taken; otherwise after how many milliseconds it could be. One statement, so that tries at once do not pass together. */
async function take({ db, now }: Pick<World, 'db' | 'now'>, sha256: Buffer, most: number): Promise<number | undefined> {
  const since = new Date(now().getTime() - minuteMs)
  const recent = sql`(SELECT coalesce(array_agg(used), '{}') FROM unnest(g.uses) AS used WHERE used > ${since})`
  const { numAffectedRows } =
    await sql`INSERT INTO guesses AS g (sha256, uses, at) VALUES (${sha256}, ARRAY[${now()}::timestamptz], ${now()})
    ON CONFLICT (sha256) DO UPDATE SET uses = ${recent} || excluded.uses, at = excluded.at
    WHERE cardinality(${recent}) < ${most}::integer`.execute(db)
  if (numAffectedRows === 1n) return undefined
  return (await oldest(db, sha256, since)).getTime() - since.getTime()
}

async function oldest(db: Kysely<unknown>, sha256: Buffer, since: Date): Promise<Date> {
  const { rows } = await sql<{ used: Date }>`SELECT used FROM guesses g, unnest(g.uses) AS used
    WHERE g.sha256 = ${sha256} AND used > ${since} ORDER BY used LIMIT 1`.execute(db)
  return rows[0]?.used ?? since
}
