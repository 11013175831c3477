import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aChromium } from '../../test/fake-chromium.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { duties } from '../capabilities.ts'
import type { Running } from '../kernel/job.ts'
import { perform } from '../platform/clock.ts'
import { machineName, pressureNow, whyDiscarded } from './busy.ts'
import { againToday, measure, wholeOf } from './lab-job.ts'
import { NoLab, whyNoLab } from './lab-run.ts'
import type { Report } from './lab-runner.ts'
import type { SitePerformance, Trend } from './schema.ts'
import { movedOf } from './trend.ts'

const day = 86_400_000
type Read = { sites: SitePerformance[]; trends: Trend[]; lab_unavailable: string | null; lab_points: { discarded: string | null }[] }

const report: Report = {
  ...{
    problem: null,
    scores: { performance: 90 },
    url: 'https://a.example/',
    fcp_ms: 1,
    lcp_ms: 2,
    cls: 0,
    tbt_ms: 0,
    lighthouse: '13',
    chromium: '156',
  },
  ...{ benchmark_index: 1000, faults: [] },
}

describe('lab runs', () => {
  let here: TestWorld
  let site: { id: string }
  before(async () => {
    here = await aWorld({}, undefined, { withoutDuties: ['lab'] })
    site = await here.site()
  })
  after(() => here.close())

  /** Three runs with these scores, with so much going on before the first, between them and behind the last. */
  const measured = (scores: number[], pressures: readonly (number | null)[]) => {
    const left = [...scores]
    const around = [...pressures]
    const run = async () => ({ ...report, scores: { performance: left.shift() ?? assert.fail('a fourth run') } })
    const pressure = async () => around.shift() ?? null
    const job = { progress: async () => undefined, signal: new AbortController().signal } as unknown as Running
    return measure({ ...here.world, workspaceId: here.workspaceId }, job, 'https://a.example/', { run, pressure })
  }
  const read = async (site_id = site.id) => (await here.call('performance.list', { site_id })) as unknown as Read
  const sample = (
    n: number,
    figures: { score: number; lcp_ms?: number; cls?: number; tbt_ms?: number; discarded?: string },
    site_id = site.id,
  ) => {
    const { score, lcp_ms = 1000, cls = 0.01, tbt_ms = 50, discarded = null } = figures
    const at = new Date(here.world.now().getTime() - (100 - 7 * n) * day)
    return sql`INSERT INTO lab_samples (workspace_id, id, site_id, collected_at, url, score, lcp_ms, cls, tbt_ms, runs, lighthouse, chromium, benchmark_index, machine, discarded)
      VALUES (${here.workspaceId}, ${`lab_${n}`}, ${site_id}, ${at}, 'https://a.example/', ${score}, ${lcp_ms}, ${cls}, ${tbt_ms}, '[]', '13.5.0', '156.0.0.1', 1200, 'm',
        ${discarded})`.execute(here.world.db)
  }

  test('without a browser nobody knows, and it is said how to have one', async () => {
    const { sites, trends, lab_unavailable, lab_points } = await read()
    assert.deepEqual([sites[0]?.lab, sites[0]?.score, lab_points], [null, null, []])
    assert.equal(lab_unavailable, 'No Chromium is configured (SERVICE_CHROMIUM).')
    const moved = trends.filter(({ metric }) => metric === 'score').map(({ direction, before, now }) => [direction, before, now])
    assert.deepEqual(moved, [['unknown', null, null]])
    await assert.rejects(here.call('performance.measure', { site_id: site.id, lab: true }), /No Chromium is configured/)
  })

  test('a score that falls for good is a regression, after what was done to the site; discarded runs are told and count for nothing', async () => {
    for (const [n, score] of [90, 92, 91, 90, 93].entries()) await sample(n, { score })
    await sample(5, { score: 20, lcp_ms: 90_000, discarded: 'The machine was busy.' })
    assert.partialDeepStrictEqual(await read(), {
      lab_points: [{}, {}, {}, {}, {}, { discarded: 'The machine was busy.' }],
      sites: [{ score: 93 }],
    })
    const of = async (metric: string) => (await read()).trends.find((each) => each.metric === metric)
    assert.partialDeepStrictEqual(await of('score'), { direction: 'steady', now: 93 })
    for (const [n, score] of [60, 62].entries()) await sample(n + 6, { score, lcp_ms: 4000, cls: 0.31 })
    assert.partialDeepStrictEqual(await of('score'), { direction: 'worse', before: 91, now: 61, because: null })
    assert.partialDeepStrictEqual(await of('lcp_ms'), { direction: 'worse', before: 1000, now: 4000 })
    assert.partialDeepStrictEqual(await of('cls'), { direction: 'worse', before: 0.01, now: 0.31 })
    assert.partialDeepStrictEqual(await of('tbt_ms'), { direction: 'steady' })
  })

  test('of three runs the one in the middle is kept, with all of them, and of a machine that was busy it is discarded', async () => {
    const calm = await measured([90, 40, 70], [5, 8, 6, 5])
    assert.deepEqual([calm.score, calm.discarded, calm.pressure], [70, null, 8])
    assert.deepEqual(
      (calm.runs as { score: number }[]).map(({ score }) => score),
      [90, 40, 70],
    )
    for (const busy of [
      [60, 1, 1, 1],
      [1, 60, 1, 1],
      [1, null, 60, 1],
      [1, 1, 1, 60],
    ])
      assert.match((await measured([1, 2, 3], busy)).discarded ?? '', /60 % of the time/, String(busy))
    assert.equal((await measured([1, 2, 3], [null, null, null, null])).pressure, null)
  })

  test('how fast a machine usually is, is said by runs that count, of late, and by nothing that another container changes', async () => {
    const known = (n: number, index: number, discarded: string | null, days = 1) =>
      sql`INSERT INTO lab_samples (workspace_id, id, site_id, collected_at, url, score, lcp_ms, cls, tbt_ms, runs, lighthouse, chromium, benchmark_index, machine, discarded)
        VALUES (${here.workspaceId}, ${`lab_known_${n}`}, ${other.id}, ${new Date(here.world.now().getTime() - days * day)}, 'https://a.example/', 1, 1, 1, 1, '[]', '13', '156',
          ${index}, ${machineName()}, ${discarded})`.execute(here.world.db)
    const other = await here.site()
    for (const n of [1, 2, 3]) await known(n, 2000, null, 61)
    for (const n of [4, 5, 6, 7, 8]) await known(n, 600, 'The machine was busy.')
    const calm = [1, 1, 1, 1]
    assert.equal((await measured([1, 2, 3], calm)).discarded, null, 'what it was long ago, or while it was busy, says nothing of it')
    for (const n of [9, 10, 11]) await known(n, 1600, null)
    const slow = await measured([1, 2, 3], calm)
    assert.match(slow.discarded ?? '', /was 1000, usually it is 1600/)
    assert.ok(!slow.machine.includes(os.hostname()), slow.machine)
    await sql`DELETE FROM lab_samples WHERE site_id = ${other.id}`.execute(here.world.db)
  })

  test('what was discarded is tried again some hours later, a few times within a day', async () => {
    const { id } = await here.site()
    const inAWeek = new Date(here.world.now().getTime() + 7 * day)
    await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at) VALUES (${here.workspaceId}, ${id}, 'lab', ${inAWeek})`.execute(
      here.world.db,
    )
    const waits = async () => {
      const { rows } = await sql<{ at: Date }>`SELECT due_at AS at FROM turns WHERE site_id = ${id} AND kind = 'lab'`.execute(here.world.db)
      return ((rows[0]?.at.getTime() ?? Number.NaN) - here.world.now().getTime()) / 3_600_000
    }
    const told: number[] = []
    const kept = new Date(here.world.now().getTime() + 30 * day)
    for (let n = 0; n < 4; n++) {
      await sql`UPDATE turns SET due_at = ${kept} WHERE site_id = ${id} AND kind = 'lab'`.execute(here.world.db)
      await sql`INSERT INTO lab_samples (workspace_id, id, site_id, collected_at, url, score, lcp_ms, cls, tbt_ms, runs, lighthouse, chromium, benchmark_index, machine, discarded)
        VALUES (${here.workspaceId}, ${`lab_again_${n}`}, ${id}, ${here.world.now()}, 'https://a.example/', 1, 1, 1, 1, '[]', '13', '156', 100, 'm', 'The machine was busy.')`.execute(
        here.world.db,
      )
      await againToday({ ...here.world, workspaceId: here.workspaceId }, id)
      told.push(Math.round(await waits()))
      here.clock.add(5 * 3_600_000)
    }
    assert.deepEqual(told, [5, 5, 5, 30 * 24 - 15])
  })

  test('another site has none of them', async () => {
    assert.deepEqual((await read((await here.site()).id)).lab_points, [])
  })
})

describe('lab runs where there is a browser', () => {
  let here: TestWorld
  const browser = aChromium('fails')
  before(async () => {
    here = await aWorld({ SERVICE_CHROMIUM: browser.program, SERVICE_LAB_RUNS: 'weekly' })
  })
  after(async () => {
    await here.close()
    browser.stop()
  })

  test('it is said which command installs what is missing; else a browser in trouble fails its run, and leaves no figure', async () => {
    const { id } = await here.site()
    const missing = whyNoLab(here.world.config)
    if (missing !== null) {
      assert.match(missing, /npm run lab:install/)
      await assert.rejects(here.call('performance.measure', { site_id: id, lab: true }), /npm run lab:install/)
      return
    }
    const { job_id } = await here.call('performance.measure', { site_id: id, lab: true })
    await assert.rejects(here.call('performance.measure', { site_id: id, lab: true }), /under way/)
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'failed')
    assert.match(JSON.stringify(job.error), /ended by itself/)
    const { rows } = await sql`SELECT 1 FROM lab_samples`.execute(here.world.db)
    assert.equal(rows.length, 0)
  })

  test('each site has its turn once a week, at a time of its own', async () => {
    await here.site()
    const duty = duties.find(({ name }) => name === 'lab') ?? assert.fail()
    await perform(here.world, duty)
    const { rows } = await sql<{ due_at: Date }>`SELECT due_at FROM turns WHERE kind = 'lab'`.execute(here.world.db)
    const now = here.world.now().getTime()
    assert.ok(rows.length >= 1 && rows.every(({ due_at }) => due_at.getTime() > now && due_at.getTime() <= now + 7 * day))
  })
})

test('a busy machine is told from a slow page', async () => {
  const seen = { benchmarkIndex: 1200, earlier: [1200, 1250, 1190], pressure: 5 }
  assert.equal(whyDiscarded(seen), null)
  assert.equal(whyDiscarded({ ...seen, pressure: null }), null)
  assert.match(whyDiscarded({ ...seen, pressure: 60 }) ?? '', /60 % of the time/)
  assert.match(whyDiscarded({ ...seen, benchmarkIndex: 700 }) ?? '', /700, usually it is 1200/)
  assert.equal(whyDiscarded({ ...seen, benchmarkIndex: 700, earlier: [1200, 1250] }), null, 'nobody knows yet how fast it is')
  assert.match(whyDiscarded({ ...seen, benchmarkIndex: 100, earlier: [] }) ?? '', /too slow/)
})

test('what goes on is seen in a moment in which nothing of ours runs, whatever went on before', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-pressure-'))
  const file = path.join(folder, 'cpu')
  let at = 0
  /** How long something has waited since the machine was started, in microseconds; averages are of minutes before. */
  const say = (total: number) =>
    fs.writeFileSync(file, `some avg10=97.00 avg60=90.00 avg300=80.00 total=${total}\nfull avg10=0.00 total=0\n`)
  const waits = (ms: number) => async () => {
    at += 2000
    say(5_000_000 + 1000 * ms)
  }
  say(5_000_000)
  assert.equal(await pressureNow({ file, now: () => at, wait: waits(0) }), 0)
  say(5_000_000)
  assert.equal(await pressureNow({ file, now: () => at, wait: waits(1000) }), 50)
  fs.rmSync(folder, { recursive: true })
  // Where the system does not say: two processors, of which so much was free.
  const of = (freeMs: number) => {
    let idle = 1000
    const cpus = () => [0, 1].map(() => ({ times: { user: 0, nice: 0, sys: 0, irq: 0, idle } }))
    const wait = async () => {
      at += 2000
      idle += freeMs / 2
    }
    return pressureNow({ file, now: () => at, cpus, wait })
  }
  assert.deepEqual([await of(4000), await of(2000), await of(1000), await of(0)], [0, 0, 50, 100])
})

test('a figure that Lighthouse could not tell makes no sample', () => {
  assert.partialDeepStrictEqual(wholeOf(report), { score: 90, fcp_ms: 1, lcp_ms: 2 })
  for (const less of [
    { fcp_ms: null },
    { lcp_ms: null },
    { cls: null },
    { tbt_ms: null },
    { scores: {} },
    { scores: { performance: null } },
  ])
    assert.throws(() => wholeOf({ ...report, ...less }), NoLab)
})

test('of a score more is better, of a jump a little is a lot', () => {
  assert.equal(movedOf('score', [50, 51, 50, 52, 90, 91]).direction, 'better')
  assert.equal(movedOf('score', [90, 91, 90, 92, 50, 51]).direction, 'worse')
  assert.equal(movedOf('score', [90, 91, 90, 92, 88, 87]).direction, 'steady')
  assert.deepEqual(movedOf('cls', [0.011, 0.012, 0.011, 0.011, 0.2, 0.2]), { direction: 'worse', before: 0.011, now: 0.2, from: 4 })
})
