import { counted, type JobKind, type JobSummary, type Progress, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { pagesOf, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import type { Asker } from './ask.ts'
import { Crawler } from './crawl.ts'
import { Hosts, type Manners, Outside, usualManners } from './hosts.ts'
import { askAgain, askFor, type Judging, judged } from './judge.ts'
import { Notes } from './notes.ts'
import {
  closeScan,
  forgetMet,
  type Known,
  listKnown,
  type Met,
  type NotRead,
  openScan,
  readMet,
  saveJudged,
  saveMet,
} from './scan-store.ts'
import { type Scan, scan, type Unread } from './schema.ts'
import { isUnknown, unreadOf, whyNotAll } from './unread.ts'

interface Input extends Record<string, unknown> {
  max_pages: number
}

interface Result extends Pick<Scan, 'pages' | 'links' | 'limit_reached'> {
  unread: Unread
  broken: number
  suspect: number
  blocked: number
  /** Broken ones that were not known before. */
  found: number
  /** That were, and lead somewhere again. */
  mended: number
}

const mostLinks = 20_000
const saveEvery = 25

/** Where an attempt was killed, the next one goes on. */
export const linkScan = (manners: Manners = usualManners, outside = new Outside(manners)): JobKind<World, Input, Result> => ({
  ...{ ...scan, retries: 2, changesSite: false, apart: true },
  work: (world, job, input) => scanLinks(world, job, input, { manners, outside }),
  summarize,
  ended: (world, job) => forgetMet(world as Here, job.id),
})

function summarize({ broken, suspect, blocked, found, mended, pages, limit_reached, unread }: Result): JobSummary {
  const others = `${suspect} that may be, ${blocked} that nobody lets us look at`
  const sum = `${counted(broken, 'broken link')} on ${counted(pages, 'page')}, ${found} of them new; ${others}; ${mended} mended.`
  return {
    outcome: limit_reached === null && unread.blocked + unread.failed === 0 ? 'done' : 'partly',
    summary: [sum, ...whyNotAll(limit_reached, unread)].join(' '),
  }
}

interface Politeness {
  manners: Manners
  outside: Outside
}

async function scanLinks(world: World, job: Running, { max_pages }: Input, { manners, outside }: Politeness): Promise<Result> {
  const here: Here = { ...world, workspaceId: job.workspaceId }
  const { id: siteId } = await targetOf(here, job.siteId)
  const site = (await world.fleet.one(job.workspaceId, siteId)) ?? gone()
  await openScan(here, job.id, siteId)
  const clock = await spent(job, world.now)
  const hosts = new Hosts(manners, new URL(site.home).host, job.signal, outside)
  const fetch = await pagesOf(here, site)
  const asker: Asker = { fetch, hosts, timeoutMs: manners.timeoutMs, signal: job.signal, mayAsk: (url) => crawler.mayAsk(url) }
  const notes = new Notes(await readMet(here, job.id), mostLinks)
  const ids: Judging['ids'] = new Map()
  const crawler = new Crawler({ home: site.home, asker, notes, mostPages: max_pages, ids: ids as Map<string, ReadonlySet<string>> })
  const judging: Judging = { asker, notes, ids, isOwn: (url) => crawler.isOwn(url) }
  const isLate = () => clock.ms() > manners.scanMs
  const save = async () => {
    await notes.flush((met) => saveMet(here, job.id, met))
    await clock.save()
  }
  const progress = (unit: string) => async () => {
    await save()
    await job.progress(progressOf(notes, unit))
  }

  await job.phase('pages')
  await crawler.begin()
  const home = notes.get(crawler.home)
  if (home && !home.isDone) await crawler.read(home)
  const why = home?.notRead ?? null
  if (why !== null && why !== 'robots') throw noFrontPage(why)
  crawler.expect((await listKnown(here, siteId)).flatMap(({ places }) => places.map(({ page }) => page)))
  await each(() => notes.all().filter(({ isPage, isDone }) => isPage && !isDone), manners.own.atOnce, {
    work: (met) => crawler.read(met),
    sometimes: progress('pages'),
    isOver: isLate,
  })
  await job.phase('links')
  await each(() => notes.all().filter(({ isDone, isPage }) => !isDone && !isPage), manners.inAll, {
    work: (met) => askFor(judging, met),
    sometimes: progress('links'),
    isOver: isLate,
  })
  await job.phase('again')
  const failed = notes.all().filter(({ verdict }) => verdict?.is === 'dead')
  await each(() => failed.splice(0), manners.inAll, { work: (met) => askAgain(judging, met), sometimes: progress('links'), isOver: isLate })
  await save()
  const limit = isLate() ? 'time' : notes.full ? 'links' : crawler.full ? 'pages' : crawler.isShut() ? 'robots' : null
  return finish(here, { siteId, jobId: job.id, notes, isOwn: judging.isOwn, limit })
}

const step = 'scan'
/** An attempt that dies without a word has taken so long, or none would be the last. */
const leastMs = 60_000

/** How long a scan has taken, in all its attempts; while nobody is at it its time stands still. */
async function spent(job: Running, now: () => Date) {
  const { ms: before = 0 } = ((await job.stateOf(step)) ?? {}) as { ms?: number }
  const began = now().getTime()
  const ms = () => before + now().getTime() - began
  await job.saveState(step, { ms: before + leastMs })
  return { ms, save: () => job.saveState(step, { ms: ms() }) }
}

type FrontPage = Exclude<NotRead, 'robots'>
const frontPage: Record<FrontPage, string> = {
  blocked: 'The front page of the site does not let us look',
  failed: 'The front page of the site could not be read',
  shut: 'The front page of the site leads to a sign-in, or to what nobody should ask for',
  elsewhere: 'The front page of the site leads to another site',
  no_page: 'The front page of the site is no HTML',
}

/** Nothing is known of the links of a site that was not let in; what was known stays. */
function noFrontPage(why: FrontPage): Problem {
  const mayPass = why === 'blocked' || why === 'failed'
  const message = `${frontPage[why]}, so its links were not looked at.`
  return new Problem(mayPass ? 'site_unreachable' : 'site_failed', message, { retryable: mayPass })
}

const gone = (): never => {
  throw new Problem('not_found', 'The site was removed.')
}

function progressOf(notes: Notes, unit: string): Progress {
  const all = notes.all()
  const done = all.filter(({ isDone }) => isDone).length
  return { percent: all.length === 0 ? null : Math.floor((100 * done) / all.length), done, total: all.length, unit }
}

interface Working {
  work(met: Met): Promise<void>
  /** Now and then, and at the end. */
  sometimes(): Promise<void>
  isOver(): boolean
}

/** Works through what `next` answers, and what has come up meanwhile, so many at a time. What fails ends all of it: nothing is at work any more when it throws. */
async function each(next: () => Met[], atOnce: number, { work, sometimes, isOver }: Working): Promise<void> {
  for (let queue = next(); queue.length > 0 && !isOver(); queue = next()) {
    let done = 0
    const worker = async () => {
      for (let met = queue.shift(); met && !isOver(); met = queue.shift()) {
        await work(met)
        if (++done % saveEvery === 0) await sometimes()
      }
    }
    const end = (error: unknown) => {
      queue.length = 0
      throw error
    }
    const workers = Array.from({ length: atOnce }, () => worker().catch(end))
    await Promise.allSettled(workers)
    await Promise.all(workers)
    await sometimes()
  }
}

interface Ending {
  siteId: string
  jobId: string
  notes: Notes
  isOwn(url: string): boolean
  limit: Scan['limit_reached']
}

/** All of it, or none. */
function finish(here: Here, { siteId, jobId, notes, isOwn, limit }: Ending): Promise<Result> {
  return here.db.transaction().execute(async (db) => {
    const context = { ...here, db }
    const known = await listKnown(context, siteId)
    const failing = new Map(known.flatMap((link) => (link.isWell ? [] : [[link.url, link]])))
    const met = notes.all()
    const found = met.flatMap((each) => judged(each, isOwn(each.url), failing.get(each.url)) ?? [])
    const again = new Set(found.map(({ url }) => url))
    const fine = new Set(met.flatMap(({ url, verdict }) => (verdict?.is === 'ok' ? [url] : [])))
    // What this scan did not meet is gone only where it has read all that had it.
    const isGone = ({ places }: Known) =>
      (limit === null || limit === 'robots') && !places.some(({ page }) => isOwn(page) && isUnknown(notes.get(page)))
    const gone = known.filter((link) => !again.has(link.url) && (fine.has(link.url) || isGone(link)))
    await saveJudged(
      context,
      siteId,
      found,
      gone.map(({ url }) => url),
    )
    const pages = met.filter(({ isPage, isDone, notRead }) => isPage && isDone && notRead === null).length
    const links = met.filter(({ verdict }) => verdict !== null).length
    const result = { pages, links, limit_reached: limit, unread: unreadOf(met) }
    await closeScan(context, jobId, result)
    const accepted = new Set(known.flatMap(({ url, isIgnored }) => (isIgnored ? [url] : [])))
    const of = (confidence: string) => found.filter((link) => link.confidence === confidence && !accepted.has(link.url))
    const wasBroken = (url: string) => failing.get(url)?.confidence === 'broken'
    return {
      ...result,
      ...{ broken: of('broken').length, suspect: of('suspect').length, blocked: of('blocked').length },
      found: of('broken').filter(({ url }) => !wasBroken(url)).length,
      mended: [...fine].filter((url) => wasBroken(url) && !accepted.has(url)).length,
    }
  })
}
