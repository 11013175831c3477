import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeptBackup } from '../backups/keep-store.ts'
import { firstTurn, nextRun } from '../kernel/recurrence.ts'
import { decide } from './retention.ts'

const dayMs = 86_400_000
const start = Date.parse('2026-01-01T02:00:00Z')
const at = (day: number, hours = 0) => new Date(start + day * dayMs + hours * 3_600_000)
const backup = (day: number, over: Partial<KeptBackup> = {}): KeptBackup => ({
  id: `backup_${String(day).padStart(6, '0')}`,
  type: 'full',
  trigger: 'schedule',
  verification: null,
  verified_at: null,
  suspect: false,
  needed_until: null,
  created_at: at(day),
  ...over,
})
const usual = { daily: 7, weekly: 5, monthly: 12 }
const daysOf = (backups: KeptBackup[]) => backups.map(({ created_at }) => created_at.toISOString().slice(0, 10))

/** A nightly backup for so many days, with what is no longer kept deleted each day; every promised end is checked on the way. */
function live(days: number, keep = usual): KeptBackup[] {
  let backups: KeptBackup[] = []
  const promised = new Map<string, number>()
  for (let day = 0; day < days; day++) {
    backups.push(backup(day))
    const now = at(day, 1)
    const { drop, expires } = decide(backups, keep, now)
    for (const id of drop) assert.ok((promised.get(id) ?? Number.POSITIVE_INFINITY) <= now.getTime(), `${id} goes before its time`)
    for (const [id, end] of expires) {
      assert.ok(end === null || end > now.getTime(), `${id} has its time in the past and is there`)
      if (end !== null) promised.set(id, Math.max(end, 0))
    }
    backups = backups.filter(({ id }) => !drop.includes(id))
  }
  return backups
}

test('of a nightly backup seven days, five weeks and twelve months are kept', () => {
  const kept = daysOf(live(500))
  assert.deepEqual(kept, [
    ...['2026-05-31', '2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31'].slice(1),
    ...['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-18', '2027-04-25', '2027-04-30', '2027-05-02'],
    ...['2027-05-09', '2027-05-10', '2027-05-11', '2027-05-12', '2027-05-13', '2027-05-14', '2027-05-15'],
  ])
})

test('a site that is not backed up any more loses nothing it had', () => {
  const before = live(60)
  const { drop } = decide(before, usual, at(400))
  assert.deepEqual(drop, [])
})

test('three of each type stay, whatever the policy says', () => {
  const many = ['full', 'db'].flatMap((type) =>
    Array.from({ length: 6 }, (_, n) => backup(0, { id: `${type}_${n}`, type: type as 'db', created_at: at(0, n) })),
  )
  const { expires } = decide(many, { daily: 1, weekly: 0, monthly: 0 }, at(90))
  assert.deepEqual([...expires.keys()].sort(), ['db_3', 'db_4', 'db_5', 'full_3', 'full_4', 'full_5'])
})

test('nothing goes in its first day, and the last verified one never does', () => {
  const hourly = Array.from({ length: 30 }, (_, n) => backup(0, { id: `h_${n}`, created_at: at(0, n) }))
  const { expires } = decide(hourly, { daily: 1, weekly: 0, monthly: 0 }, at(0, 30))
  assert.equal(expires.size, 23, 'those of the last 24 hours')
  const verified = backup(0, { verification: 'content', verified_at: at(1) })
  const rest = Array.from({ length: 40 }, (_, n) => backup(n + 1))
  const later = decide([verified, ...rest], { daily: 2, weekly: 0, monthly: 0 }, at(41, 5))
  assert.ok(later.expires.has(verified.id) && later.expires.get(verified.id) === null)
  assert.equal(later.drop.includes(verified.id), false)
})

test('while the latest backup is suspect nothing is deleted; afterwards a suspect one takes nobody’s place', () => {
  const good = Array.from({ length: 20 }, (_, n) => backup(n))
  const bad = Array.from({ length: 90 }, (_, n) => backup(20 + n, { suspect: true }))
  const frozen = decide([...good, ...bad], usual, at(110))
  assert.deepEqual([frozen.frozen, frozen.drop, [...frozen.expires.values()].every((end) => end === null)], [true, [], true])
  const healed = decide([...good, ...bad, backup(110)], usual, at(110, 1))
  assert.equal(healed.frozen, false)
  assert.equal(healed.drop.includes(good.at(-1)?.id ?? ''), false)
  assert.ok(healed.drop.includes(bad[0]?.id ?? ''))
  const files = [backup(0, { type: 'files', suspect: true }), backup(1, { type: 'db' })]
  assert.equal(decide(files, usual, at(2)).frozen, true, 'a database backup says nothing about files')
})

test('safety copies live fourteen days beside the count, also where nothing else is ever deleted', () => {
  const copies = [backup(0, { trigger: 'pre_update' }), backup(1, { trigger: 'pre_restore' }), backup(2)]
  assert.deepEqual(decide(copies, null, at(13)).drop, [])
  assert.equal(decide(copies, null, at(13)).expires.get(copies[0]?.id ?? ''), at(14).getTime())
  assert.deepEqual(decide(copies, null, at(15, 1)).drop.sort(), [copies[0]?.id, copies[1]?.id])
  assert.deepEqual(
    decide(
      [...Array(9).keys()].map((n) => backup(n)),
      null,
      at(900),
    ).drop,
    [],
  )
})

test('a fleet begins spread over its window, each site always at its own time', () => {
  const slot = { at: '23:30', spread_minutes: 120 }
  const after = new Date('2026-03-10T12:00:00Z')
  const runs = Array.from({ length: 1000 }, (_, n) => nextRun(slot, `site_${n}`, after).getTime())
  const quarter = (run: number) => Math.floor((run - Date.parse('2026-03-10T23:30:00Z')) / (15 * 60_000))
  const perQuarter = Map.groupBy(runs, quarter)
  assert.deepEqual([...perQuarter.keys()].sort(), [0, 1, 2, 3, 4, 5, 6, 7])
  for (const some of perQuarter.values()) assert.ok(some.length > 80 && some.length < 180, `${some.length} in a quarter of an hour`)
  for (let n = 0; n < 50; n++) {
    const first = nextRun(slot, `site_${n}`, after)
    assert.equal(nextRun(slot, `site_${n}`, first).getTime() - first.getTime(), dayMs)
    assert.equal(nextRun(slot, `site_${n}`, new Date(first.getTime() - 1)).getTime(), first.getTime())
  }
})

test('a new site has its first turn soon where it is one of few; of a thousand that come together each hour has its share', () => {
  const now = new Date('2026-03-10T12:00:00Z')
  const hour = 3_600_000
  const waits = (sites: number) =>
    Array.from({ length: sites }, (_, n) => firstTurn(`links site_${n}`, { soonMs: hour, sites }, now).getTime() - now.getTime() - hour)
  const perHour = Map.groupBy(waits(1000), (ms) => Math.floor(ms / hour))
  assert.deepEqual(
    [...perHour.keys()].sort((a, b) => a - b),
    Array.from({ length: 24 }, (_, n) => n),
  )
  for (const some of perHour.values()) assert.ok(some.length > 20 && some.length < 70, `${some.length} in an hour`)
  for (const few of [1, 5]) assert.ok(waits(few).every((ms) => ms >= 0 && ms < few * 90_000))
})

test('a backup that something relies on stays until then, and goes after', () => {
  const backups = [0, 1, 2, 3, 4, 5].map((day) => backup(day, day === 0 ? { needed_until: at(14) } : {}))
  const keep = { daily: 1, weekly: 0, monthly: 0 }
  const { drop, expires } = decide(backups, keep, at(10))
  assert.deepEqual([drop.includes('backup_000000'), expires.get('backup_000000')], [false, at(14).getTime()])
  assert.ok(drop.includes('backup_000001'))
  assert.ok(decide(backups, keep, at(14, 1)).drop.includes('backup_000000'))
})
