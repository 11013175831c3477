import { startJob } from '../jobs/service.ts'
import { isUnderWay } from '../jobs/store.ts'
import { pageOf, type Wanted as WantedPage } from '../kernel/cursor.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Severity } from '../vulnerabilities/schema.ts'
import { readFeedBrief } from '../vulnerabilities/service.ts'
import type { Context } from '../world.ts'
import { sourcesOf } from './checks.ts'
import { gapsOf } from './gaps.ts'
import { check } from './jobs.ts'
import { Source } from './schema.ts'
import { type Counts, readScore, readSum } from './score.ts'
import { countByCheck, countFindings, type Filter, findFinding, listEvents, listFindings, listLooks } from './store.ts'
import { weights } from './weights.ts'

type Wanted = Omit<Filter, 'siteId'> & WantedPage

/** `site` is the one of the filter; undefined is the fleet. */
export async function pageOfFindings(context: Context, site: Site | undefined, wanted: Wanted) {
  const { limit, cursor, ...rest } = wanted
  const filter = { ...rest, siteId: site?.id }
  const summed = readSum(context, site)
  const listing = { list: 'findings', workspaceId: context.workspaceId, filter }
  const [{ items, ...page }, { score, counts }, checks, { gaps, looks, feed }] = await Promise.all([
    pageOf(
      listing,
      { limit, cursor },
      {
        items: (part) => listFindings(context, filter, part),
        total: async () => (isSummed(filter) ? sumOf((await summed).counts, filter.severity) : countFindings(context, filter)),
        at: ({ severity, id }) => [weights[severity].rank, id],
      },
    ),
    summed,
    countByCheck(context, filter),
    gapsAndLooks(context, site, sourcesOf(filter)),
  ])
  const findings = items.map((finding) => ({ ...finding, seen: finding.evidence[0]?.slice(0, 120) ?? '' }))
  return { score, counts, checks, gaps, looks, feed, ...page, findings }
}

function sumOf(counts: Counts | null, severity: Severity | undefined): number {
  if (counts === null) return 0
  return severity === undefined ? Object.values(counts).reduce((sum, n) => sum + n, 0) : counts[severity]
}

/** What such a filter lets through is counted with the score. */
const isSummed = ({ status, kind, check, component, q }: Filter) =>
  status === 'open' && [kind, check, component, q].every((each) => each === undefined)

export async function scoreWithGaps(context: Context, site: Site | undefined) {
  const [score, { gaps, looks }] = await Promise.all([readScore(context, site), gapsAndLooks(context, site, sourcesOf({}))])
  return { ...score, gaps, looks }
}

/** When each source last looked, and what of those that are meant nobody looked at. */
async function gapsAndLooks(context: Context, site: Site | undefined, meant: ReadonlySet<Source>) {
  const [looks, feed] = await Promise.all([readLooks(context, site?.id), readFeedBrief(context)])
  const sites = site ? 1 : (await context.fleet.all(context.workspaceId)).length
  return { gaps: gapsOf({ looks: looks.filter(({ source }) => meant.has(source)), feed, sites }), looks, feed }
}

/** Every source has its line, looked or not. */
async function readLooks(context: Context, siteId: string | undefined) {
  const rows = await listLooks(context, siteId)
  return Source.options.map((source) => {
    const row = rows.find((each) => each.source === source)
    const base = { source, checked_at: row?.checked_at ?? null, error: row?.error ?? null }
    return siteId === undefined ? { ...base, sites: row?.sites ?? 0 } : base
  })
}

export async function readFinding(context: Context, site: Site, id: string) {
  const finding = await findFinding(context, site.id, id)
  if (!finding) throw new Problem('not_found', 'There is no such finding on this site. get_security (GET /security) shows those there are.')
  return { ...finding, history: await listEvents(context, id) }
}

/** Starts a check of one site; one that waits or runs already is answered instead. */
export async function startCheck(context: Context, site: Pick<Site, 'id' | 'status'>) {
  mustBePaired(site, 'it cannot be checked', ['pending'])
  return startJob(context, check, site.id, {})
}

/** The scheduled check: nothing where one is on its way or the site cannot be asked. */
export async function startDailyCheck(context: Context, site: Pick<Site, 'id' | 'status'>): Promise<void> {
  if (site.status !== 'connected' && site.status !== 'unreachable') return
  if (!(await isUnderWay(context, site.id, check))) await startCheck(context, site)
}
