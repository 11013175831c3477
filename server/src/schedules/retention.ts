import type { KeptBackup } from '../backups/keep-store.ts'
import type { Keep } from './schema.ts'

const dayMs = 86_400_000
/** Copies made before an update or a restore, and suspect ones that turned out to be a mistake. */
export const setAsideMs = 14 * dayMs
/** So many of each type stay, however old. */
const floor = 3

export interface Decision {
  drop: string[]
  /** When each of the others is to be deleted if backups go on day by day; null: not foreseen. */
  expires: Map<string, number | null>
  /** Nothing is deleted until somebody has looked. */
  frozen: boolean
}

const holds = { files: ['full', 'files'], rows: ['full', 'db'] }

/** Whether the latest backup with files, or with a database, is suspect. */
export function isFrozen(newestFirst: Pick<KeptBackup, 'type' | 'suspect'>[]): boolean {
  return Object.values(holds).some((types) => newestFirst.find(({ type }) => types.includes(type))?.suspect ?? false)
}

/** Which backups of one site go and which stay; without `keep` only the safety copies ever go. */
export function decide(backups: KeptBackup[], keep: Keep | null, now: Date): Decision {
  const newest = backups.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
  const frozen = isFrozen(newest)
  const lastVerified = newest.find((backup) => provenBy(backup) && !isAside(backup))?.id
  const expires = new Map<string, number | null>()
  for (const backup of newest.filter(isAside)) expires.set(backup.id, backup.created_at.getTime() + setAsideMs)
  for (const type of ['full', 'db', 'files']) {
    const ofType = newest.filter((backup) => backup.type === type && !isAside(backup))
    for (const [id, end] of keep ? endsOf(ofType, keep, now.getTime()) : ofType.map(({ id }) => [id, null] as const)) expires.set(id, end)
  }
  for (const { id, needed_until } of newest) {
    const end = expires.get(id)
    if (needed_until && typeof end === 'number') expires.set(id, Math.max(end, needed_until.getTime()))
  }
  if (lastVerified !== undefined) expires.set(lastVerified, null)
  const drop = frozen ? [] : [...expires].filter(([, end]) => end !== null && end <= now.getTime()).map(([id]) => id)
  for (const id of drop) expires.delete(id)
  if (frozen) for (const id of expires.keys()) expires.set(id, null)
  return { drop, expires, frozen }
}

/** All of it was read back, at least. */
const provenBy = ({ verification }: KeptBackup) => verification === 'content' || verification === 'restored' || verification === 'imported'

const isAside = ({ trigger, suspect }: KeptBackup) => suspect || trigger === 'pre_update' || trigger === 'pre_restore'

const buckets: { of: (day: number) => number; begin: (bucket: number) => number; keep: keyof Keep }[] = [
  { of: (day) => day, begin: (day) => day, keep: 'daily' },
  // Day 0 was a Thursday; weeks begin on Mondays.
  { of: (day) => Math.floor((day + 3) / 7), begin: (week) => week * 7 - 3, keep: 'weekly' },
  { of: monthOf, begin: (month) => Date.UTC(Math.floor(month / 12), month % 12, 1) / dayMs, keep: 'monthly' },
]

function monthOf(day: number): number {
  const [year, month] = new Date(day * dayMs).toISOString().split('-').map(Number)
  return (year ?? 0) * 12 + (month ?? 1) - 1
}

/** The end of each backup of one type, newest first. The last of its day, week and month counts; days without a backup do not. */
function endsOf(newest: KeptBackup[], keep: Keep, now: number): [string, number | null][] {
  const days = newest.map(({ created_at }) => Math.floor(created_at.getTime() / dayMs))
  const today = Math.floor(now / dayMs)
  // Nothing goes on its first day.
  const ends = newest.map(({ created_at }): number | null => created_at.getTime() + dayMs)
  for (const bucket of buckets) {
    const seen: number[] = []
    for (const [i, day] of days.entries()) {
      const at = bucket.of(day)
      if (seen.includes(at)) continue
      seen.push(at)
      const foreseen = bucket.begin(at + keep[bucket.keep]) * dayMs
      // Where days were missed there are fewer than `keep` newer ones, so it stays although its time is over.
      const stays = seen.length <= keep[bucket.keep] && foreseen <= now
      // A week that goes on may still bring a later one, which then counts.
      const counts = bucket.keep === 'daily' || at < bucket.of(today)
      if (seen.length <= keep[bucket.keep]) ends[i] = stays ? null : later(ends[i], counts ? foreseen : now + 1)
    }
  }
  return newest.map(({ id }, i) => [id, i < floor ? afterNow(ends[i] ?? null, now) : (ends[i] ?? null)])
}

const later = (end: number | null | undefined, other: number) => (end === null ? null : Math.max(end ?? 0, other))
const afterNow = (end: number | null, now: number) => (end !== null && end > now ? end : null)
