import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { asOperator, openCommandWorld } from '../server/src/admin/world.ts'
import { readConfig } from '../server/src/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { openDatabase } from '../server/src/platform/open-database.ts'
import { compareWithFeed } from '../server/src/security/feed.ts'
import { prepareDatabase } from '../server/src/service.ts'
import { matchInventory } from '../server/src/vulnerabilities/match.ts'
import { readFeed } from '../server/src/vulnerabilities/read-feed.ts'
import { refreshFeed } from '../server/src/vulnerabilities/refresh.ts'
import type { World } from '../server/src/world.ts'
import { median } from './cpu.ts'
import { table, verdict } from './report.ts'
import { seed } from './seed.ts'
import { environment } from './service.ts'
import { dice, popular, records, versionFrom, writeFeed } from './synthetic-feed.ts'

const size = 1000
const plugins = 25
/** Seconds of processor time, Node and PostgreSQL together; milliseconds for one query. */
const bars = { matchSeconds: 20, queryMs: 50 }

interface Spent {
  seconds: number
  node: number
  postgres: number
}

const folder = mkdtempSync(join(tmpdir(), 'svc-security-'))
try {
  await writeFeed(join(folder, 'feed.json'))
  process.exitCode = (await measure(folder)) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(at: string): Promise<boolean> {
  const place = { dataDir: join(at, 'data'), port: 0 }
  const config = readConfig({ ...environment(place), SERVICE_VULNERABILITY_FEED: join(at, 'feed.json') })
  const log = createLog({ level: 'error', to: 'stderr' })
  const database = await openDatabase({ url: undefined, dataDir: config.dataDir, role: 'service', log })
  await prepareDatabase({ address: database.address, log })
  await seed(place, 'thousand', size)
  const { world, close } = await openCommandWorld(config, log, database.address)
  try {
    const kept = [await measureLoad(world, join(at, 'feed.json')), await measureMatching(world), await measureQueries(world)]
    return kept.every(Boolean)
  } finally {
    await close()
    await database.close()
  }
}

async function measureLoad(world: World, file: string): Promise<boolean> {
  const postgres = postgresPid(world)
  const megabytes = statSync(file).size / 1e6
  const before = process.resourceUsage().maxRSS / 1024
  const read = await spend(postgres, () => drain(file))
  const first = await spend(postgres, () => load(world))
  const again = await spend(postgres, () => load(world))
  const peak = process.resourceUsage().maxRSS / 1024
  const parse = await spend(postgres, async () => void JSON.parse(readFileSync(file, 'utf8')))
  const whole = process.resourceUsage().maxRSS / 1024
  const row = (what: string, { seconds, node, postgres: sql }: Spent) => [
    what,
    seconds.toFixed(2),
    node.toFixed(2),
    sql.toFixed(2),
    (megabytes / seconds).toFixed(0),
  ]
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
  process.stdout.write(
    `Memory at its highest: ${peak.toFixed(0)} MB with the feed loaded three times, ${before.toFixed(0)} before; with JSON.parse ${whole.toFixed(0)}\n\n`,
  )
  return true
}

async function drain(file: string): Promise<void> {
  for await (const _ of readFeed(file, 'plugin'));
}

async function load(world: World): Promise<void> {
  // Another time of the file would be needed to have it read again.
  await sql`UPDATE feed_sources SET etag = NULL`.execute(world.db)
  const [outcome] = await refreshFeed(world, { force: true })
  if (outcome?.status === 'failed') throw new Error(outcome.message ?? '')
}

async function measureMatching(world: World): Promise<boolean> {
  await installPlugins(world)
  const postgres = postgresPid(world)
  const items = await allItems(world)
  const matched = await spend(postgres, async () => void (await matchInventory(world, items)))
  const first = await spend(postgres, () => compareWithFeed(world))
  await sql`UPDATE feed_version SET version = version + 1`.execute(world.db)
  const again = await spend(postgres, () => compareWithFeed(world))
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM findings`.execute(world.db)
  const kept = [matched, first, again].every(({ node, postgres: sql }) => node + sql <= bars.matchSeconds)
  const row = (what: string, { seconds, node, postgres: sql }: Spent) => [
    what,
    seconds.toFixed(2),
    node.toFixed(2),
    sql.toFixed(2),
    `${bars.matchSeconds} s CPU`,
    verdict(node + sql <= bars.matchSeconds),
  ]
  process.stdout.write(
    table(
      `${size} sites with ${plugins} plugins each, ${rows[0]?.count} findings`,
      ['', 'seconds', 'CPU Node', 'CPU PostgreSQL', 'bar', ''],
      [
        row('all matched', matched),
        row('all matched and recorded, all findings new', first),
        row('all matched and recorded, as they were', again),
      ],
    ),
  )
  return kept
}

async function measureQueries(world: World): Promise<boolean> {
  const items = (await allItems(world)).slice(0, plugins + 1)
  const { rows } = await sql<{ workspace_id: string; id: string }>`SELECT workspace_id, id FROM sites LIMIT 1`.execute(world.db)
  const { workspace_id: workspaceId = '', id: site_id = '' } = rows[0] ?? {}
  const asked: [string, () => Promise<unknown>, number?][] = [
    ['get_security, the fleet', () => asOperator(world, workspaceId, 'security.list', {}), bars.queryMs],
    ['get_security, one site', () => asOperator(world, workspaceId, 'security.list', { site_id }), bars.queryMs],
    ['the inventory’s vulnerabilities of one site', () => matchInventory(world, items), bars.queryMs],
    ['yardstick: SELECT 1', () => sql`SELECT 1`.execute(world.db)],
  ]
  const figures: { what: string; times: number[]; bar: number | undefined }[] = []
  for (const [what, ask, bar] of asked) figures.push({ what, times: await timed(ask, 300), bar })
  const at = (times: number[], share: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
  const kept = (times: number[], bar?: number) => bar === undefined || at(times, 0.99) <= bar
  process.stdout.write(
    table(
      'Queries, milliseconds',
      ['', 'p50', 'p99', 'bar', ''],
      figures.map(({ what, times, bar }) => [
        what,
        median(times).toFixed(2),
        at(times, 0.99).toFixed(2),
        bar ? `${bar} ms` : '',
        bar ? verdict(kept(times, bar)) : '',
      ]),
    ),
  )
  return figures.every(({ times, bar }) => kept(times, bar))
}

async function timed(ask: () => Promise<unknown>, times: number): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    await ask()
    found.push(performance.now() - began)
  }
  return found
}

/** What agencies have: the same popular plugins everywhere, in versions of all ages. */
async function installPlugins({ db, now }: World): Promise<void> {
  const roll = dice(23)
  const { rows } = await sql<{ id: string }>`SELECT id FROM sites ORDER BY id`.execute(db)
  const of = rows.map(({ id }) => ({ id, inventory: { collected_at: 0, updates_checked_at: null, items: itemsOf(roll) } }))
  await sql`UPDATE sites s SET inventory = r.inventory, inventory_at = ${now()}
    FROM jsonb_to_recordset(${JSON.stringify(of)}::jsonb) AS r (id text, inventory jsonb) WHERE s.id = r.id`.execute(db)
}

function itemsOf(roll: () => number) {
  const item = (type: string, slug: string, version: string) => ({
    type,
    slug,
    file: slug,
    name: slug,
    version,
    active: true,
    auto_update: false,
    update: null,
    author: '',
    uri: '',
  })
  const slugs = new Set<string>()
  while (slugs.size < plugins) slugs.add(`plugin-${popular(roll, 2000)}`)
  return [
    item('core', 'wordpress', `6.${roll() < 0.8 ? 9 : Math.floor(roll() * 10)}.${Math.floor(roll() * 6)}`),
    ...[...slugs].map((slug) => item('plugin', slug, `4.${versionFrom(roll).slice(2)}`)),
  ]
}

async function allItems({ db }: World) {
  const { rows } = await sql<{
    items: { type: string; slug: string; version: string }[]
  }>`SELECT inventory -> 'items' AS items FROM sites ORDER BY id`.execute(db)
  return rows.flatMap(({ items }) => items)
}

async function spend(postgres: number, work: () => Promise<unknown>): Promise<Spent> {
  const [began, node, database] = [performance.now(), process.cpuUsage(), familyCpu(postgres)]
  await work()
  const { user, system } = process.cpuUsage(node)
  return { seconds: (performance.now() - began) / 1000, node: (user + system) / 1e6, postgres: familyCpu(postgres) - database }
}

function postgresPid({ config }: World): number {
  const [file = ''] = readdirSync(config.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('postmaster.pid'))
  return Number(readFileSync(join(config.dataDir, file), 'utf8').split('\n')[0])
}

/** Seconds of a process and of its children, those that have ended too. */
function familyCpu(pid: number): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(name))
    .filter(({ id, parent }) => id === pid || parent === pid)
    .reduce((sum, { id, own, ended }) => sum + own + (id === pid ? ended : 0), 0)
  return ticks / 100
}

function statOf(name: string): { id: number; parent: number; own: number; ended: number } {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
    return { id: Number(name), parent: fields[1] ?? 0, own: utime + stime, ended: cutime + cstime }
  } catch {
    return { id: 0, parent: 0, own: 0, ended: 0 } // it has ended meanwhile
  }
}
