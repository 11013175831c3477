import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCommandWorld } from '../server/src/admin/world.ts'
import { type Config, readConfig } from '../server/src/config.ts'
import { connectPool } from '../server/src/platform/database.ts'
import { createLog } from '../server/src/platform/log.ts'
import { type DatabaseAddress, openDatabase } from '../server/src/platform/open-database.ts'
import { compareWithFeed } from '../server/src/security/feed.ts'
import { prepareDatabase } from '../server/src/service.ts'
import { matchInventory } from '../server/src/vulnerabilities/match.ts'
import { readFeed } from '../server/src/vulnerabilities/read-feed.ts'
import { refreshFeed } from '../server/src/vulnerabilities/refresh.ts'
import type { Installed } from '../server/src/vulnerabilities/schema.ts'
import type { World } from '../server/src/world.ts'
import { familyCpu, median } from '../server/test/cpu.ts'
import { ask } from './ask.ts'
import { table, verdict } from './report.ts'
import { type Seeded, seed } from './seed.ts'
import { environment, freePort, type Place, startService } from './service.ts'
import { inventories, plugins, records, writeFeed } from './synthetic-feed.ts'

const size = 1000
const asked = 300
const warmUp = 30
/** Seconds of processor time, Node and PostgreSQL together; milliseconds for one query. */
const bars = { seconds: 20, queryMs: 50 }

interface Here {
  world: World
  pool: ReturnType<typeof connectPool>
  feed: string
  /** Of PostgreSQL. */
  pid: number
}

interface Spent {
  seconds: number
  node: number
  postgres: number
}

const folder = mkdtempSync(join(tmpdir(), 'svc-security-'))
try {
  await writeFeed(join(folder, 'feed.json'))
  const missed = await measure(folder)
  for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(at: string): Promise<string[]> {
  const place = { dataDir: join(at, 'data'), port: await freePort() }
  const feed = join(at, 'feed.json')
  // The service that is asked at the end keeps the feed only if it is told of it.
  process.env.SERVICE_VULNERABILITY_FEED = feed
  const config = readConfig({ ...environment(place), SERVICE_VULNERABILITY_FEED: feed })
  const log = createLog({ level: 'error', to: 'stderr' })
  const database = await openDatabase({ url: undefined, dataDir: config.dataDir, role: 'service', log })
  await prepareDatabase({ address: database.address, log })
  const seeded = await seed(place, 'thousand', size)
  const missed = await measureWork(config, feed, database.address)
  await database.close()
  return [...missed, ...(await measureService(place, seeded))]
}

async function measureWork(config: Config, feed: string, address: DatabaseAddress): Promise<string[]> {
  const log = createLog({ level: 'error', to: 'stderr' })
  const { world, close } = await openCommandWorld(config, log, address)
  const pool = connectPool(address, { warn: (words) => log.warn({}, words) })
  try {
    const here = { world, pool, feed, pid: postgresPid(config.dataDir) }
    await measureLoad(here)
    return [...(await measureMatching(here)), ...(await measureQueries(here))]
  } finally {
    await Promise.all([close(), pool.end()])
  }
}

/** Over REST, as a client sees it, of a service whose memory is warm. */
async function measureService(place: Place, { token, siteIds }: Seeded): Promise<string[]> {
  const service = await startService(place)
  const agent = new Agent({ keepAlive: true })
  const get = (path: string) => async () => {
    const answer = await ask(agent, `${service.url}${path}`, { authorization: `Bearer ${token}` })
    answer.text()
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  }
  try {
    return await tellTimes('get_security over REST', [
      ['the fleet, 50 worst', get('/api/v1/security'), bars.queryMs],
      ['the critical ones of the fleet', get('/api/v1/security?severity=critical'), bars.queryMs],
      ['one site', get(`/api/v1/sites/${siteIds[0]}/security`), bars.queryMs],
      ['yardstick: /healthz', get('/healthz')],
    ])
  } finally {
    agent.destroy()
    await service.stop()
  }
}

async function measureLoad(here: Here): Promise<void> {
  const megabytes = statSync(here.feed).size / 1e6
  const peak = () => process.resourceUsage().maxRSS / 1024
  const before = peak()
  const read = await spend(here, () => drain(here.feed))
  const first = await spend(here, () => load(here))
  const again = await spend(here, () => load(here))
  const loaded = peak()
  const parse = await spend(here, async () => void JSON.parse(readFileSync(here.feed, 'utf8')))
  const row = (what: string, spent: Spent) => [what, ...figures(spent), (megabytes / spent.seconds).toFixed(0)]
  process.stdout.write(
    table(
      `A feed of ${records} records, ${megabytes.toFixed(0)} MB`,
      ['', 'seconds', 'CPU Node', 'CPU PostgreSQL', 'MB/s'],
      [
        row('read and understood', read),
        row('loaded, all of it new', first),
        row('loaded again, nothing new', again),
        row('yardstick: JSON.parse of it all', parse),
      ],
    ),
  )
  const words = `${before.toFixed(0)} MB before, ${loaded.toFixed(0)} MB after reading it three times, ${peak().toFixed(0)} MB after JSON.parse`
  process.stdout.write(`  memory at its highest: ${words}\n\n`)
}

async function drain(file: string): Promise<void> {
  for await (const _ of readFeed(file, 'plugin'));
}

async function load({ world, pool }: Here): Promise<void> {
  // So that the same file is read again.
  await pool.query('UPDATE feed_sources SET etag = NULL')
  const [outcome] = await refreshFeed(world, { force: true })
  if (outcome?.status === 'failed') throw new Error(outcome.message ?? '')
}

async function measureMatching(here: Here): Promise<string[]> {
  const { world, pool } = here
  await installPlugins(here)
  const items = await allItems(here)
  const matched = await spend(here, () => matchInventory(world, items))
  const first = await spend(here, () => compareWithFeed(world))
  await pool.query('UPDATE feed_version SET version = version + 1')
  const again = await spend(here, () => compareWithFeed(world))
  const { rows } = await pool.query('SELECT count(*) AS count FROM findings')
  const spent: [string, Spent][] = [
    ['all matched', matched],
    ['all matched and recorded, all findings new', first],
    ['all matched and recorded, as they were', again],
  ]
  const kept = ({ node, postgres }: Spent) => node + postgres <= bars.seconds
  process.stdout.write(
    table(
      `${size} sites with ${plugins} plugins each, ${rows[0].count} findings`,
      ['', 'seconds', 'CPU Node', 'CPU PostgreSQL', 'bar', ''],
      spent.map(([what, each]) => [what, ...figures(each), `${bars.seconds} s CPU`, verdict(kept(each))]),
    ),
  )
  return spent.filter(([, each]) => !kept(each)).map(([what]) => what)
}

async function measureQueries(here: Here): Promise<string[]> {
  const items = (await allItems(here)).slice(0, plugins + 1)
  return tellTimes('The vulnerabilities of one site’s inventory', [
    [`${plugins} plugins and WordPress`, () => matchInventory(here.world, items), bars.queryMs],
    ['yardstick: SELECT 1', () => here.pool.query('SELECT 1')],
  ])
}

async function tellTimes(title: string, asks: [string, () => Promise<unknown>, number?][]): Promise<string[]> {
  const missed: string[] = []
  const lines: string[][] = []
  for (const [what, ask, bar] of asks) {
    const times = (await timed(ask)).toSorted((a, b) => a - b)
    const p99 = times[Math.floor(asked * 0.99)] ?? 0
    const kept = bar === undefined || p99 <= bar
    if (!kept) missed.push(`${title}, ${what}: ${p99.toFixed(0)} ms`)
    lines.push([
      what,
      median(times).toFixed(2),
      p99.toFixed(2),
      bar === undefined ? '' : `${bar} ms`,
      bar === undefined ? '' : verdict(kept),
    ])
  }
  process.stdout.write(table(`${title}, milliseconds, ${asked} one after another`, ['', 'p50', 'p99', 'bar', ''], lines))
  return missed
}

async function timed(ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < warmUp; i++) await ask()
  for (let i = 0; i < asked; i++) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  return times
}

async function installPlugins({ pool, world }: Here): Promise<void> {
  const { rows } = await pool.query('SELECT id FROM sites ORDER BY id')
  const all = inventories(rows.length).map((items, i) => ({
    id: rows[i].id,
    inventory: { collected_at: 0, updates_checked_at: null, items },
  }))
  await pool.query(
    `UPDATE sites s SET inventory = r.inventory, inventory_at = $2
     FROM jsonb_to_recordset($1::jsonb) AS r (id text, inventory jsonb) WHERE s.id = r.id`,
    [JSON.stringify(all), world.now()],
  )
}

async function allItems({ pool }: Here): Promise<Installed[]> {
  const { rows } = await pool.query("SELECT inventory -> 'items' AS items FROM sites ORDER BY id")
  return rows.flatMap(({ items }) => items as Installed[])
}

async function spend({ pid }: Here, work: () => Promise<unknown>): Promise<Spent> {
  const [began, node, database] = [performance.now(), process.cpuUsage(), familyCpu(pid)]
  await work()
  const { user, system } = process.cpuUsage(node)
  return { seconds: (performance.now() - began) / 1000, node: (user + system) / 1e6, postgres: familyCpu(pid) - database }
}

function figures({ seconds, node, postgres }: Spent): string[] {
  return [seconds, node, postgres].map((each) => each.toFixed(2))
}

function postgresPid(dataDir: string): number {
  const [file = ''] = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('postmaster.pid'))
  return Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0])
}
