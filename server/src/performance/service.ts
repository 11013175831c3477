import { startJob } from '../jobs/service.ts'
import { isUnderWay } from '../jobs/store.ts'
import type { SiteDuty } from '../kernel/capability.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { harmless } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { dateOf, nextOfDays } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import type { Site } from '../sites/schema.ts'
import { holdSite } from '../sites/store.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context, World } from '../world.ts'
import { probe } from './jobs.ts'
import { type Metric, metrics, type Sample, type SitePerformance, type Trend } from './schema.ts'
import { listChanges, listSamples, type Ranked, rankSites } from './store.ts'
import { movedOf } from './trend.ts'

const dayMs = 86_400_000
const usualDays = 30
const firstMs = 10 * 60_000
const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const

/** `site` is the one of the filter; undefined is the fleet. Of one site also how its figures have moved. */
export async function pageOfPerformance(
  context: Context,
  site: Site | undefined,
  { days = usualDays, ...wanted }: Wanted & { days?: number },
) {
  const ranked = await rankSites(context, site?.id)
  const { items, ...page } = await pageOf(
    { list: 'performance', workspaceId: context.workspaceId, filter: { siteId: site?.id, days } },
    wanted,
    {
      items: async ({ limit, after }) => {
        const from = after === undefined ? 0 : ranked.findIndex(({ rank, site_id }) => isBehind({ rank, site_id }, after))
        return from === -1 ? [] : ranked.slice(from, limit === undefined ? undefined : from + limit)
      },
      total: () => ranked.length,
      at: ({ rank, site_id }) => [rank, site_id],
    },
  )
  const samples = await listSamples(
    context,
    items.map(({ site_id }) => site_id),
    new Date(context.now().getTime() - days * dayMs),
  )
  const own = site ? (samples.get(site.id) ?? []) : []
  return {
    sites: items.map((each) => performanceOf(each, samples.get(each.site_id) ?? [])),
    ...page,
    ...(site && {
      window_days: days,
      trends: await Promise.all(metrics.map((metric) => trendOf(context, site.id, metric, own))),
      points: own.map(({ collected_at, ttfb_ms, total_ms, page_bytes, requests }) => ({
        collected_at,
        ttfb_ms,
        total_ms,
        page_bytes,
        requests,
      })),
    }),
  }
}

const isBehind = ({ rank, site_id }: Pick<Ranked, 'rank' | 'site_id'>, [last = 0, id = '']: readonly (string | number)[]) =>
  rank < Number(last) || (rank === Number(last) && site_id > String(id))

function performanceOf({ site_id, name }: Ranked, samples: readonly Sample[]): SitePerformance {
  const last = samples.at(-1) ?? null
  const { direction, before, now } = movedOf(
    'ttfb_ms',
    samples.map(({ ttfb_ms }) => ttfb_ms),
  )
  return {
    ...{ site_id, name, direction, change_percent: percent(before, now) },
    ...{ ttfb_ms: last?.ttfb_ms ?? null, page_bytes: last?.page_bytes ?? null, requests: last?.requests ?? null },
    ...{ collected_at: last?.collected_at ?? null, sample: last },
  }
}

const percent = (before: number | null, now: number | null) =>
  before === null || now === null || before === 0 ? null : Math.round((1000 * (now - before)) / before) / 10

/** "After" is what lies in between; "because" only where that is one thing. */
async function trendOf(context: Context, siteId: string, metric: Metric, all: readonly Sample[]): Promise<Trend> {
  const samples = all.flatMap((sample) => (sample[metric] === null ? [] : { at: sample.collected_at, value: sample[metric] }))
  const { direction, before, now, from } = movedOf(
    metric,
    samples.map(({ value }) => value),
  )
  const trend = { metric, direction, before, now, change_percent: percent(before, now), since: null, after: [], because: null }
  const [last, first] = from === null ? [] : [samples[from - 1], samples[from]]
  if (!last || !first) return trend
  const looking = harmless(context.jobKinds)
  const changing = [...context.jobKinds.keys()].filter((type) => !looking.includes(type))
  const after = await listChanges(context, siteId, changing, [last.at, first.at])
  return { ...trend, since: first.at, after, because: after.length === 1 ? (after[0]?.job_id ?? null) : null }
}

export async function startProbe(context: Context, site: Pick<Site, 'id' | 'status'>) {
  mustBePaired(site, 'it cannot be measured', ['pending'])
  if (await isUnderWay(context, site.id, probe))
    throw new Problem('conflict', 'This site is being measured. list_jobs (GET /jobs) shows it.', { retryable: true })
  return startJob(context, probe, site.id, {})
}

/** Each site once a day, at its own time; a new one soon. */
export const dailyProbe: SiteDuty<World>['ofSite'] = {
  first: async (here) => dateOf(here.now().getTime() + firstMs),
  async run(here, siteId) {
    const site = here.config.performanceProbes === 'off' ? undefined : await holdSite(here, siteId)
    const isThere = site?.status === 'connected' || site?.status === 'unreachable'
    if (isThere && !(await isUnderWay(here, siteId, probe))) await startProbe(systemCall(here, by), site)
    return nextOfDays(1, `performance ${siteId}`, here.now())
  },
}
