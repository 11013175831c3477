// npm run bench:links: the scan for broken links beside linkinator on the same site, whose links of every kind are known.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { LinkChecker } from 'linkinator'
import { newId } from '../server/src/kernel/ids.ts'
import type { Running } from '../server/src/kernel/job.ts'
import type { Manners } from '../server/src/links/hosts.ts'
import { linkScan } from '../server/src/links/jobs.ts'
import { createGuardedFetch } from '../server/src/platform/guarded-fetch.ts'
import { type PlantedSite, plantedSite } from '../server/test/planted-links.ts'
import { aWorld } from '../server/test/world.ts'
import { table, verdict } from './report.ts'

const atOnce = 8
const timeoutMs = 400
/** As impolite as linkinator, which knows no pauses. */
const manners: Manners = { own: { atOnce, pauseMs: 0 }, others: { atOnce, pauseMs: 0 }, inAll: atOnce, timeoutMs, scanMs: 120_000 }

interface Answer {
  /** Addresses that are called broken. */
  broken: Set<string>
  pages: number
  /** Of the scan that reads all pages. */
  seconds: number
  cpu: number
}

const planted = plantedSite()
const servers = [createServer((...all) => planted.handle(...all)), createServer((...all) => planted.handleElsewhere(...all))] as const
planted.home = await listen(servers[0], '127.0.0.1')
planted.elsewhere = await listen(servers[1], '127.0.0.2')
try {
  const [ours, theirs] = [await scanned(planted), await linkinated(planted)]
  const truth = new Set(
    Object.entries(planted.expected(2))
      .filter(([, told]) => told.startsWith('broken'))
      .map(([address]) => address),
  )
  const [mine, other] = [judged(ours, truth), judged(theirs, truth)]
  const rows = [
    ['broken links found', mine.right, other.right, truth.size, mine.right >= other.right],
    [
      'called broken, and are not',
      mine.wrong.length,
      other.wrong.length,
      '',
      mine.wrong.length < other.wrong.length || other.wrong.length === 0,
    ],
    ['pages read', ours.pages, theirs.pages, '', true],
    ['pages in a second', mine.pace.toFixed(1), other.pace.toFixed(1), '', true],
    ['CPU of a page, ms', mine.cpu.toFixed(1), other.cpu.toFixed(1), '', true],
  ] as const
  const shown = rows.map(([what, ...figures]) => [what, ...figures.slice(0, 3).map(String), figures[3] === true ? '' : verdict(false)])
  process.stdout.write(table(`${planted.count} planted links, ${atOnce} requests at a time`, ['', 'ours', 'linkinator', 'of', ''], shown))
  process.stdout.write(
    `What linkinator calls broken and is not: ${other.wrong.join(' ')}\nWhat it does not find: ${other.missed.join(' ')}\n`,
  )
  process.exitCode = rows.every((row) => row[4]) && mine.missed.length === 0 && mine.wrong.length === 0 ? 0 : 1
} finally {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
}

/** What is broken is known after the second scan; the first is timed. */
async function scanned(site: PlantedSite): Promise<Answer> {
  const here = await aWorld()
  const guarded = createGuardedFetch({
    allowPrivate: true,
    resolve: async (hostname) => {
      throw Object.assign(new Error(hostname), { code: hostname === 'nowhere.invalid' ? 'ENOTFOUND' : 'EAI_AGAIN' })
    },
  })
  try {
    const { id } = await here.site()
    await sql`UPDATE sites SET home = ${`${site.home}/`} WHERE id = ${id}`.execute(here.world.db)
    here.world.fleet.forget(here.workspaceId, [id])
    const scan = () => {
      const job: Running = {
        ...{ id: newId('job', here.world.now()), type: 'link_scan', siteId: id, workspaceId: here.workspaceId, fence: 1 },
        ...{ signal: new AbortController().signal, approvalId: null, requestedBy: { type: 'user', id: 'user_bench', name: 'Bench' } },
        ...{ phase: async () => {}, progress: async () => {}, stateOf: async () => undefined, saveState: async () => {} },
        finishStep: async () => {},
      }
      return linkScan(manners).work({ ...here.world, wire: { ...here.world.wire, fetch: guarded.fetch } }, job, { max_pages: 500 })
    }
    const spent = await timed(scan)
    const read = (await here.call('links.list', { site_id: id, limit: 1 })) as { scan: { pages: number } }
    await scan()
    const { links } = (await here.call('links.list', { site_id: id, limit: 200 })) as { links: { url: string; confidence: string }[] }
    const broken = links.filter(({ confidence }) => confidence === 'broken').map(({ url }) => site.named(url))
    return { broken: new Set(broken), pages: read.scan.pages, ...spent }
  } finally {
    await guarded.close()
    await here.close()
  }
}

async function linkinated(site: PlantedSite): Promise<Answer> {
  const checker = new LinkChecker()
  let pages = 0
  checker.on('pagestart', () => pages++)
  const broken = new Set<string>()
  checker.on('link', ({ state, url }) => state === 'BROKEN' && broken.add(site.named(url)))
  const options = { recurse: true, concurrency: atOnce, timeout: timeoutMs, checkCss: true, checkFragments: true }
  const spent = await timed(() => checker.check({ path: `${site.home}/`, ...options }))
  return { broken, pages, ...spent }
}

async function timed(work: () => Promise<unknown>): Promise<Pick<Answer, 'seconds' | 'cpu'>> {
  const [began, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1000 }
}

function judged({ broken, pages, seconds, cpu }: Answer, truth: ReadonlySet<string>) {
  const missed = [...truth].filter((address) => !broken.has(address))
  const wrong = [...broken].filter((address) => !truth.has(address))
  return { right: truth.size - missed.length, missed, wrong, pace: pages / seconds, cpu: cpu / pages }
}

async function listen(server: Server, host: string): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, host, ready))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}
