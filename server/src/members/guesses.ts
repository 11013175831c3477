// How often passwords may be tried. Counted in the database, so that it holds for all nodes together.
import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { Slots } from '../platform/slots.ts'
import type { World } from '../world.ts'

const minuteMs = 60_000
/** Tries in a minute for one account: of strangers together, of the networks its person signed in from before, and of each browser they did it in. */
const perMinute = { strangers: 10, known: 5 }
/** Hashes computed at once in one process, 64 MiB each; how many wait for it, and how long. */
const hashes = { atOnce: 2, waiting: 50, patienceMs: 5000 }

type Here = Pick<World, 'db' | 'now'>

const slots = new Slots(hashes.atOnce, hashes.waiting)

/** Takes one try at a password; throws `rate_limited`. A browser or a network the person is known by has tries of its own, so strangers lock nobody out. */
export async function takeTry(here: Here, email: string, known: 'network' | Buffer | undefined): Promise<void> {
  const account = email.toLowerCase()
  const from = Buffer.isBuffer(known) ? known.toString('hex') : (known ?? '')
  await takeOrWait(here, `${account} ${from}`, { most: known ? perMinute.known : perMinute.strangers, withinMs: minuteMs })
}

/** Takes one of the mails an address may be sent in an hour, whether there is such an account or not; false for one too many. */
export async function takeMailTry(here: Here, email: string): Promise<boolean> {
  return (await take(here, hash('sha256', `mail ${email.toLowerCase()}`, 'buffer'), { most: 3, withinMs: 60 * minuteMs })) === undefined
}

/** Takes one try at a code of six digits, of those who know the password already: so few that trying them all would take centuries. */
export async function takeCodeTry(here: Here, userId: string, device: Buffer | undefined): Promise<void> {
  const key = `code ${userId} ${device?.toString('hex') ?? ''}`
  await takeOrWait(here, key, { most: 5, withinMs: 15 * minuteMs })
  await takeOrWait(here, `${key} in a day`, { most: 50, withinMs: 24 * 60 * minuteMs })
}

interface Within {
  most: number
  withinMs: number
}

async function takeOrWait(here: Here, key: string, within: Within): Promise<void> {
  const waitMs = await take(here, hash('sha256', key, 'buffer'), within)
  if (waitMs === undefined) return
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  throw new Problem('rate_limited', `Too many tries. Wait ${inWords(retryAfter)}.`, { retryAfter })
}

const inWords = (seconds: number) => (seconds <= 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`)

/** Computes hashes a few at a time; throws `unavailable` when too many wait. */
export async function inTurn<Answer>(compute: () => Promise<Answer>): Promise<Answer> {
  const giveBack = await slots.take('', hashes.patienceMs)
  if (!giveBack) throw new Problem('unavailable', 'Too many people sign in right now. Try again in a moment.', { retryAfter: 2 })
  return compute().finally(giveBack)
}

/** Undefined once it is taken; otherwise after how many milliseconds it could be. One statement, so that tries at once do not pass together. */
async function take({ db, now }: Here, sha256: Buffer, { most, withinMs }: Within): Promise<number | undefined> {
  const since = new Date(now().getTime() - withinMs)
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
