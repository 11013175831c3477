import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Config, FeedAddress } from '../config.ts'
import { newId } from '../kernel/ids.ts'
import { asProblem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import { FeedTrouble } from './feed-trouble.ts'
import { type Fetched, fetchFeed } from './fetch-feed.ts'
import type { SoftwareType } from './record.ts'
import { stageFeed } from './stage-feed.ts'
import {
  claimSource,
  clearStaging,
  deleteOtherSources,
  listSources,
  raiseVersion,
  releaseSource,
  type SourceRow,
  takeOver,
  upsertSource,
} from './store.ts'

export type FeedWorld = Pick<World, 'db' | 'now' | 'log' | 'config' | 'wire' | 'stopping'>

const minuteMs = 60_000
/** A new look at a URL after 6 to 12 hours, so that not all the world asks at once; at a file soon, for that costs nothing. */
const usualMs = 6 * 60 * minuteMs
const fileMs = 15 * minuteMs
/** After a failure, twice as long after each further one. Feeds allow one request in half an hour. */
const afterErrorMs = 30 * minuteMs
const mostAfterErrorMs = 12 * 60 * minuteMs
const leaseMs = 30 * minuteMs
/** A feed that has less than this share of what it had is not believed. */
const leastShare = 0.5
const mostUnreadable = 0.05

export interface Outcome {
  kind: 'url' | 'file'
  status: 'unchanged' | 'changed' | 'failed' | 'busy'
  records: number
  changed: number
  message: string | null
}

interface Options {
  /** Also what is not due yet. */
  force?: boolean
  /** A feed that has shrunk is believed. */
  acceptSmaller?: boolean
}

/** The sources of the setting, each under an id that does not tell its address. */
function sourcesOf({ vulnerabilityFeed }: Config): (FeedAddress & { id: string })[] {
  return vulnerabilityFeed.sources.map((source) => ({
    ...source,
    id: createHash('sha256').update(source.address).digest('hex').slice(0, 16),
  }))
}

/** Makes what is known to the database what the setting says. Only for the service: a command may run without the setting. */
export async function followSetting({ db, config, now }: FeedWorld): Promise<void> {
  const sources = sourcesOf(config)
  const known = await listSources(db)
  if (sources.length === known.length && sources.every(({ id }, at) => known[at]?.id === id)) return
  await db.transaction().execute(async (tx) => {
    for (const [position, source] of sources.entries()) await upsertSource(tx, source, position, now())
    if (
      await deleteOtherSources(
        tx,
        sources.map(({ id }) => id),
      )
    )
      await raiseVersion(tx)
  })
}

/** Reads the sources that are due, or all. What a source told before stays in force until a new reading of it is complete. */
export async function refreshFeed(world: FeedWorld, options: Options = {}): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [position, source] of sourcesOf(world.config).entries()) {
    if (world.stopping.aborted) break
    await upsertSource(world.db, source, position, world.now())
    const outcome = await refreshSource(world, source, options)
    if (outcome) outcomes.push(outcome)
  }
  return outcomes
}

/** Reads what is due of the sources that the setting names. */
export async function refreshDue(world: FeedWorld): Promise<void> {
  await followSetting(world)
  for (const { message, ...outcome } of await refreshFeed(world))
    if (outcome.status !== 'failed') world.log.info(outcome, 'the vulnerability feed was looked at')
}

async function refreshSource(world: FeedWorld, source: FeedAddress & { id: string }, options: Options): Promise<Outcome | undefined> {
  const load = newId('load', world.now())
  const now = world.now()
  const dueAt = options.force ? undefined : now
  const claimed = await claimSource(world.db, source.id, load, { now, until: after(now, leaseMs), dueAt })
  if (!claimed) return options.force ? { ...nothing(source), status: 'busy', message: 'Somebody else is reading it just now.' } : undefined
  const to = join(world.config.dataDir, `feed-${source.id}-${load}.part`)
  try {
    await removeParts(world.config.dataDir, source.id)
    const known = options.acceptSmaller ? { etag: null, last_modified: null } : claimed
    const wire = { fetch: world.wire.fetch, header: world.config.vulnerabilityFeed.header, signal: world.stopping }
    const fetched = await fetchFeed(wire, source, known, to)
    return fetched ? await readAnew(world, { source, load, claimed, fetched, options }) : await leaveAsIs(world, { source, load, claimed })
  } catch (error) {
    return await putOff(world, { source, load, claimed }, error)
  } finally {
    await rm(to, { force: true })
    await clearStaging(world.db, load)
  }
}

/** A source that is this process's to read until it is released. */
interface Claim {
  source: FeedAddress & { id: string }
  load: string
  claimed: SourceRow
}

interface Reading extends Claim {
  fetched: Fetched
  options: Options
}

async function readAnew(world: FeedWorld, reading: Reading): Promise<Outcome> {
  const { source, load, claimed, fetched, options } = reading
  const read = await stageFeed(world, load, fetched.file, namedType(source))
  if (read.records === 0) throw new FeedTrouble('The feed is empty.')
  if (read.unreadable > Math.max(10, (read.records + read.unreadable) * mostUnreadable))
    throw new FeedTrouble(`${read.unreadable} records of the feed are not as its format has them; it is not used.`)
  return world.db.transaction().execute(async (db) => {
    const { records, changed } = await takeOver(db, source.id, load)
    if (records < claimed.records * leastShare && !options.acceptSmaller)
      throw new FeedTrouble(
        `The feed has ${records} records and had ${claimed.records}; it is not believed. feed refresh --accept-smaller takes it.`,
      )
    const at = world.now()
    const kept = await releaseSource(db, source.id, load, {
      ...fetched.validators,
      ...seen(at, source.kind),
      format: read.format ?? null,
      records,
      unreadable: read.unreadable,
      notices: read.notices,
      ...(changed > 0 && { changed_at: at }),
    })
    if (!kept) throw new FeedTrouble('It took too long, and somebody else reads it by now.')
    if (changed > 0) await raiseVersion(db)
    return { kind: source.kind, status: changed > 0 ? 'changed' : 'unchanged', records, changed, message: null }
  })
}

async function leaveAsIs(world: FeedWorld, { source, load, claimed: { records } }: Claim): Promise<Outcome> {
  await releaseSource(world.db, source.id, load, seen(world.now(), source.kind))
  return { kind: source.kind, status: 'unchanged', records, changed: 0, message: null }
}

const seen = (at: Date, kind: 'url' | 'file') => ({
  refreshed_at: at,
  error: null,
  failures: 0,
  next_at: after(at, kind === 'file' ? fileMs : usualMs * (1 + Math.random())),
})

async function putOff(world: FeedWorld, { source, load, claimed }: Claim, error: unknown): Promise<Outcome> {
  const at = world.now()
  if (world.stopping.aborted) {
    await releaseSource(world.db, source.id, load, {})
    return { ...nothing(source), status: 'failed', message: 'The service is stopping.' }
  }
  const failures = claimed.failures + 1
  const trouble = error instanceof FeedTrouble ? error : undefined
  const message = trouble?.message ?? asProblem(error).message
  const pauseMs = Math.max(
    Math.min(afterErrorMs * 2 ** (failures - 1), mostAfterErrorMs),
    Math.min((trouble?.retryAfter ?? 0) * 1000, 2 * mostAfterErrorMs),
  )
  world.log.warn(
    { err: error, kind: source.kind, failures },
    'the vulnerability feed could not be read; what was read before stays in force',
  )
  await releaseSource(world.db, source.id, load, { error: { message, at: at.toISOString() }, failures, next_at: after(at, pauseMs) })
  return { ...nothing(source), records: claimed.records, status: 'failed', message }
}

const nothing = ({ kind }: FeedAddress) => ({ kind, records: 0, changed: 0 })
const after = (at: Date, ms: number) => new Date(at.getTime() + ms)

/** A file of themes is told from one of plugins by its name. */
function namedType({ kind, address }: FeedAddress): SoftwareType {
  const name = basename(kind === 'url' ? new URL(address).pathname : address)
  return /theme/i.test(name) ? 'theme' : 'plugin'
}

async function removeParts(folder: string, id: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith(`feed-${id}-`)) await rm(join(folder, name), { force: true })
}
