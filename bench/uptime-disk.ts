// npm run bench:uptime-disk [sites] [sites with years]: what a day of checks takes on disk, and how fast 90 days of a site are read where years lie in the tables.
import { sql } from 'kysely'
import { connectPool, type Database, databaseOn } from '../server/src/platform/database.ts'
import { prepareDatabase } from '../server/src/service.ts'
import { hourOf, packSample } from '../server/src/uptime/samples.ts'
import { listPoints, sumSince } from '../server/src/uptime/store.ts'
import { type Checked, here, saveChecks } from '../server/src/uptime/sweep-store.ts'
import { startTestServer } from '../server/test/database.ts'
import { table, verdict } from './report.ts'
import { fill, idOf, workspaceId } from './uptime-house.ts'

const [sites = 10_000, sitesWithYears = 40] = process.argv.slice(2).map(Number)
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const batch = 250
const reads = 7
const barMb = 250
const barMs = 10
const silent = { info() {}, warn() {}, error() {} }

const server = await startTestServer()
const address = { ...server.address, database: 'postgres' }
const pool = connectPool(address, silent)
try {
  await prepareDatabase({ address, log: silent })
  await fill(
    pool,
    Array.from({ length: sites }, (_, n) => `https://${n}.example`),
    60,
  )
  process.exitCode = (await measure(databaseOn(pool))) ? 0 : 1
} finally {
  await pool.end()
  await server.stop()
}

async function measure(db: Database): Promise<boolean> {
  const midnight = Math.floor(Date.now() / dayMs) * dayMs
  await aDay(db, midnight)
  const [samples, monitors] = [await megabytes(db, 'uptime_samples'), await megabytes(db, 'uptime_monitors')]
  await threeYears(db, midnight)
  const [days, ratios, hours] = await readTimes(db, midnight)
  // What is measured on fewer sites is told for ten thousand.
  const raw = (samples + monitors) * (10_000 / sites)
  const figures = [
    ['a day of checks of 10,000 sites, put away', `${(samples * (10_000 / sites)).toFixed(0)} MB`, '', true],
    ['their hour at work', `${(monitors * (10_000 / sites)).toFixed(0)} MB`, '', true],
    ['both, with indexes', `${raw.toFixed(0)} MB`, `${barMb} MB`, raw <= barMb],
    ['90 days of a site, by day', `${days.toFixed(1)} ms`, `${barMs} ms`, days <= barMs],
    ['its ratios of 90 days', `${ratios.toFixed(1)} ms`, `${barMs} ms`, ratios <= barMs],
    ['31 days of it, by hour', `${hours.toFixed(1)} ms`, '', true],
    [
      'rows of three years there',
      `${((await rowsIn(db, 'uptime_hours')) + (await rowsIn(db, 'uptime_days'))).toLocaleString('en')}`,
      '',
      true,
    ],
  ] as const
  const shown = figures.map(([what, measured, bar, kept]) => [what, measured, bar, bar === '' ? '' : verdict(kept)])
  process.stdout.write(
    table(
      `Uptime on disk: ${sites} sites, every 60 s; reads are of the slowest site, the least of ${reads}`,
      ['', 'measured', 'bar', ''],
      shown,
    ),
  )
  for (const [what, measured, bar, kept] of figures) if (!kept) process.stderr.write(`Missed: ${what}: ${measured}, bar ${bar}\n`)
  return figures.every(([, , , kept]) => kept)
}

/** Through the service's own writing. What lies in an hour that is over is the same when it is given whole; the last minutes come one by one, vacuumed as often as they would be. */
async function aDay(db: Database, midnight: number): Promise<void> {
  for (let hour = midnight - dayMs; hour < midnight; hour += hourMs) await save(db, hour, 60)
  await save(db, midnight, 50)
  for (let minute = 50; minute < 60; minute++) {
    await save(db, midnight + minute * minuteMs, 1)
    await sql`VACUUM uptime_monitors`.execute(db)
  }
}

/** So many checks of each site, from this moment on. */
async function save(db: Database, from: number, checks: number): Promise<void> {
  for (let first = 0; first < sites; first += batch) {
    const some = Array.from({ length: Math.min(batch, sites - first) }, (_, n) => checkOf(first + n, from, checks))
    await db.transaction().execute((within) => saveChecks(within, some))
  }
}

function checkOf(site: number, from: number, checks: number): Checked {
  const at = (n: number) => new Date(from + n * minuteMs + ((site * 7919) % minuteMs))
  const waitMs = () => (60 + (site % 400)) * (0.8 + Math.random() ** 4 * 3)
  const samples = Array.from({ length: checks }, (_, n) => {
    const wait = waitMs()
    const appUp = (n + site) % 5 === 0 ? true : null
    const parts = { dnsMs: 1 + Math.random() * 20, connectMs: 10 + Math.random() * 10, tlsMs: 20 + Math.random() * 20 }
    return packSample({
      at: at(n),
      up: true,
      appUp,
      excluded: false,
      error: null,
      status: 200,
      waitMs: wait,
      totalMs: wait + 15 * Math.random(),
      ...parts,
    })
  })
  const timings = { dnsMs: 5, connectMs: 15, tlsMs: 30, waitMs: waitMs(), totalMs: 300 }
  const address = `192.0.2.${site % 256}`
  return {
    due: { workspace_id: workspaceId, site_id: idOf(site + 1) } as Checked['due'],
    at: at(checks - 1),
    sample: Buffer.concat(samples),
    probed: {
      status: 200,
      error: null,
      timings,
      addresses: [address],
      certificateEndsAt: new Date(from + 60 * dayMs),
      unsent: false,
    },
    ...{ appAsked: true, goodSince: null, appMisses: 0, connectorMisses: 0, unprovenSince: null },
    addresses: { [address]: hourOf(at(0)).toISOString() },
  }
}

/** Rows lie in the order in which they came, hour by hour, so that those of a site lie far apart. */
async function threeYears(db: Database, midnight: number): Promise<void> {
  for (let day = midnight - 1096 * dayMs; day < midnight - dayMs; day += dayMs) {
    await addRows(db, { name: 'uptime_hours', column: 'hour', of: sitesWithYears }, [day, 24, hourMs])
    await addRows(db, { name: 'uptime_days', column: 'day', of: Math.min(sites, 25 * sitesWithYears) }, [day, 1, dayMs])
  }
  await sql`ANALYZE`.execute(db)
}

async function addRows(
  db: Database,
  { name, column, of }: { name: string; column: string; of: number },
  [from, rows, everyMs]: [from: number, rows: number, everyMs: number],
): Promise<void> {
  const times = Array.from({ length: rows }, (_, n) => new Date(from + n * everyMs))
  await sql`INSERT INTO ${sql.table(name)} (workspace_id, site_id, location, ${sql.ref(column)}, checks, ups, excluded, ms_sum, ms_histogram)
    SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), ${here}, at, 60, 59, 0, 12345 + n, '{1,2,3,4,5,6,7,8,9,3,4,5,3,0,0,0}'
    FROM unnest(${times}::timestamptz[]) at, generate_series(1, ${of}::int) n ORDER BY at, n`.execute(db)
}

/** In ms: 90 days by day, their ratios, 31 days by hour. */
async function readTimes(db: Database, midnight: number): Promise<[number, number, number]> {
  const [context, until] = [{ db, workspaceId }, new Date(midnight)]
  const points = (step: 'day' | 'hour', days: number) => (siteId: string) =>
    listPoints(context, siteId, { step, since: new Date(midnight - days * dayMs), until })
  return [
    await slowest(async (siteId) => atLeast(90, (await points('day', 90)(siteId)).length)),
    await slowest(async (siteId) => atLeast(1, (await sumSince(context, [siteId], until, until)).size)),
    await slowest(async (siteId) => atLeast(31 * 24, (await points('hour', 31)(siteId)).length)),
  ]
}

/** Of the site that takes longest; the least of its reads is what it takes with the processor to itself. */
async function slowest(read: (siteId: string) => Promise<void>): Promise<number> {
  const leasts: number[] = Array.from({ length: sitesWithYears }, () => Number.POSITIVE_INFINITY)
  for (let again = 0; again < reads; again++)
    for (const [n, least] of leasts.entries()) {
      const begun = performance.now()
      await read(idOf(n + 1))
      leasts[n] = Math.min(least, performance.now() - begun)
    }
  return Math.max(...leasts)
}

function atLeast(most: number, found: number): void {
  if (found < most) throw new Error(`${found} rows were read where ${most} lie.`)
}

async function megabytes(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`SELECT pg_total_relation_size(${name}::regclass) AS bytes`.execute(db)
  return Number(rows[0]?.bytes) / 1e6
}

async function rowsIn(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(name)}`.execute(db)
  return rows[0]?.n ?? 0
}
