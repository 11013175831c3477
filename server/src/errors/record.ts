// An answer of a site becomes rows: each kind of error once, counted once.
import type { Result } from '../connector/commands.ts'
import type { Logged } from '../connector/error-commands.ts'
import { newId } from '../kernel/ids.ts'
import { changing } from '../kernel/job.ts'
import type { Here } from '../world.ts'
import { type Place, takePlace } from './collect-store.ts'
import { fingerprintOf, fingerprintVersion } from './fingerprint.ts'
import {
  type Counted,
  holdErrors,
  insertErrors,
  type Known,
  letGo,
  readCounted,
  saveCounted,
  updateErrors,
  type Written,
} from './record-store.ts'

export type Answer = Result<'errors.collect'>

/** Of one site. */
const mostErrors = 1000
const dayMs = 86_400_000
/** A log may be older than the connection; what stands in it as older than this was made up, or is of no use. */
const longestMs = 400 * dayMs

/** How an answer is to be read. */
interface Reading {
  now: Date
  /** The site's clock minus ours. */
  skewMs: number
}

/** Writes down what a site has told, in one transaction; false: somebody else was faster. */
export async function record(here: Here, siteId: string, place: Place, answer: Answer): Promise<boolean> {
  const now = here.now()
  // As it is at this moment: what was measured once may be off by a second, and that is the difference between before and again.
  const skewMs = answer.time * 1000 - now.getTime()
  const { capturing, full, whole } = answer
  const log = answer.log && { inode: answer.log.inode, offset: answer.log.offset }
  const drop = answer.errors.map(({ id, count }) => `${id}:${count}`)
  if (!(await takePlace(here, siteId, place, { at: now, capturing, full, log, drop }))) return false
  const news = newsOf(answer, await readCounted(here, siteId))
  const known = await holdErrors(here, siteId, fingerprintVersion, [...new Set(news.map(({ fingerprint }) => fingerprint))])
  const rows = merged(news, known, { now, skewMs })
  const fresh = rows.filter(({ fingerprint }) => !known.has(fingerprint))
  await insertErrors(here, siteId, fresh, { version: fingerprintVersion, changing: changing(here.jobKinds), since: place.since })
  await updateErrors(
    here,
    rows.filter(({ fingerprint }) => known.has(fingerprint)),
    now,
  )
  const ids = new Map([...known, ...rows.map((row) => [row.fingerprint, row] as const)].map(([fingerprint, { id }]) => [fingerprint, id]))
  await saveCounted(here, siteId, countedOf(news, ids), whole)
  if (fresh.length > 0) await letGo(here, siteId, mostErrors)
  return true
}

/** One line of an answer, and how much of it is new. */
interface News {
  each: Logged
  fingerprint: string
  /** The file on the site; undefined: a line of its log. */
  source: string | undefined
  captured: number
  logged: number
}

function newsOf({ errors, logged }: Answer, counted: ReadonlyMap<string, number>): News[] {
  return [
    ...errors.map((each) => ({
      ...{ each, fingerprint: fingerprintOf(each), source: each.id, logged: 0 },
      captured: Math.max(0, each.count - (counted.get(each.id) ?? 0)),
    })),
    ...logged.map((each) => ({ each, fingerprint: fingerprintOf(each), source: undefined, captured: 0, logged: each.count })),
  ]
}

/** What is new of each kind, told as it was last. */
function merged(news: readonly News[], known: ReadonlyMap<string, Known>, { now, skewMs }: Reading): Written[] {
  const rows = new Map<string, Written>()
  for (const { each, fingerprint, captured, logged } of news) {
    if (captured + logged === 0) continue
    const [first, last] = timesOf(each, skewMs, now)
    const id = known.get(fingerprint)?.id ?? newId('phperror', now)
    const base = rows.get(fingerprint) ?? beginning(id, fingerprint, each, [first, last])
    const isLater = last.getTime() >= base.last.getTime()
    const lines = isLater ? [each.line, ...base.lines] : [...base.lines, each.line]
    rows.set(fingerprint, {
      ...(isLater ? { ...base, ...worded(each), last } : base),
      lines: [...new Set(lines)].slice(0, 10),
      captured: base.captured + captured,
      logged: base.logged + logged,
      first: new Date(Math.min(first.getTime(), base.first.getTime())),
    })
  }
  return [...rows.values()].map((row) => judged(row, known.get(row.fingerprint), now))
}

function countedOf(news: readonly News[], ids: ReadonlyMap<string, string>): Counted[] {
  return news.flatMap(({ each, fingerprint, source }) => {
    const error_id = ids.get(fingerprint)
    return source === undefined || error_id === undefined ? [] : [{ source, error_id, counted: each.count }]
  })
}

const worded = ({ message, component, frames, path = null, php }: Logged) => ({
  ...{ message, component, frames, path },
  php_version: php ?? null,
})

function beginning(id: string, fingerprint: string, each: Logged, [first, last]: readonly [Date, Date]): Written {
  const { level, file, line } = each
  return {
    ...{ id, fingerprint, level, file, lines: [line], ...worded(each) },
    ...{ captured: 0, logged: 0, first, last, again: false, alarm: false },
  }
}

/** Whether it came again, and whether people are to be told: of what is new, or again, and happened within a day. */
function judged(row: Written, known: Known | undefined, now: Date): Written {
  const again = known?.status === 'resolved' && (known.resolved_at === null || row.last > known.resolved_at)
  const isNews = (known === undefined || again) && row.level === 'fatal' && row.last.getTime() > now.getTime() - dayMs
  return { ...row, again, alarm: isNews }
}

/** By our clock, and never in the future. */
function timesOf({ first, last }: Logged, skewMs: number, now: Date): [Date, Date] {
  const at = (unix: number) => Math.max(now.getTime() - longestMs, Math.min(now.getTime(), unix * 1000 - skewMs))
  return [new Date(Math.min(at(first), at(last))), new Date(at(last))]
}
