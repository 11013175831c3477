import { startJob } from '../jobs/service.ts'
import { countUnderWay, isUnderWay, listOpenJobsOf } from '../jobs/store.ts'
import type { SiteDuty } from '../kernel/capability.ts'
import { isGuest } from '../kernel/context.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { changing, inLine } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { dateOf, firstTurn, nextOfDays } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import type { Site } from '../sites/schema.ts'
import { countSites, holdSite } from '../sites/store.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context, World } from '../world.ts'
import { probe } from './jobs.ts'
import { lab } from './lab-job.ts'
import { whyNoLab } from './lab-run.ts'
import { listLabs } from './lab-store.ts'
import { type LabSample, labMetrics, type Metric, probeMetrics, type Sample, type SitePerformance, type Trend } from './schema.ts'
import { listChanges, listSamples, type Ranked, rankSites } from './store.ts'
import { countingOf, daysBefore, labDays, movedOf, probeDays } from './trend.ts'

/** So many wait for the browser; it is one. */
const mostOpen = 3
const labEveryDays = 7
const soonMs = 10 * 60_000
const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const

/** `site` is the one of the filter; undefined is the fleet. Of one site also how its figures have moved. */
export async function pageOfPerformance(
  context: Context,
  site: Site | undefined,
  { days = probeDays, ...wanted }: Wanted & { days?: number },
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
  const ids = items.map(({ site_id }) => site_id)
  const since = daysBefore(context.now(), days)
  const samples = await listSamples(context, ids, since)
  const labs = await listLabs(context, ids, daysBefore(context.now(), labDays))
  const own = site ? (samples.get(site.id) ?? []) : []
  const ownLabs = site ? (labs.get(site.id) ?? []) : []
  const counting = ownLabs.filter(({ discarded }) => discarded === null)
  return {
    sites: items.map((each) => performanceOf(each, samples.get(each.site_id) ?? [], labs.get(each.site_id) ?? [])),
    ...page,
    ...(site && {
      window_days: days,
      lab_window_days: labDays,
      lab_unavailable: whyNoLab(context.config),
      trends: [
        ...(await Promise.all(probeMetrics.map((metric) => trendOf(context, site.id, metric, countingOf(own))))),
        ...(await Promise.all(labMetrics.map((metric) => trendOf(context, site.id, metric, counting)))),
      ],
      lab_points: ownLabs.map(({ url: _, runs: __, lighthouse: ___, chromium: ____, ...point }) => point),
      points: own.map(({ collected_at, ttfb_ms, total_ms, page_bytes, requests, during }) => ({
        collected_at,
        ttfb_ms,
        total_ms,
        page_bytes,
        requests,
        during,
      })),
    }),
  }
}

const isBehind = ({ rank, site_id }: Pick<Ranked, 'rank' | 'site_id'>, [last = 0, id = '']: readonly (string | number)[]) =>
  rank < Number(last) || (rank === Number(last) && site_id > String(id))

function performanceOf({ site_id, name }: Ranked, samples: readonly Sample[], labs: readonly LabSample[]): SitePerformance {
  const seen = labs.findLast(({ discarded }) => discarded === null) ?? null
  const last = samples.at(-1) ?? null
  const { direction, before, now } = movedOf(
    'ttfb_ms',
    countingOf(samples).map(({ ttfb_ms }) => ttfb_ms),
  )
  return {
    ...{ site_id, name, direction, change_percent: percent(before, now) },
    ...{ ttfb_ms: last?.ttfb_ms ?? null, page_bytes: last?.page_bytes ?? null, requests: last?.requests ?? null },
    ...{ collected_at: last?.collected_at ?? null, sample: last, score: seen?.score ?? null, lab: seen },
  }
}

const percent = (before: number | null, now: number | null) =>
  before === null || now === null || before === 0 ? null : Math.round((1000 * (now - before)) / before) / 10

/** "After" is what lies in between, or may; "because" only where that is one thing, and for certain. */
async function trendOf<Of extends Metric>(
  context: Context,
  siteId: string,
  metric: Of,
  all: readonly ({ collected_at: string } & Record<Of, number | null>)[],
): Promise<Trend> {
  const samples = all.flatMap((sample) => (sample[metric] === null ? [] : { at: sample.collected_at, value: sample[metric] as number }))
  const { direction, before, now, from } = movedOf(
    metric,
    samples.map(({ value }) => value),
  )
  const trend = { metric, direction, before, now, change_percent: percent(before, now), since: null, after: [], because: null }
  const [last, first] = from === null ? [] : [samples[from - 1], samples[from]]
  if (!last || !first) return trend
  const after = await listChanges(context, siteId, changing(context.jobKinds), [last.at, first.at])
  const [only] = after.length === 1 && after[0]?.is_within ? after : []
  const changes = after.map(({ is_within: _, internal, ...change }) =>
    internal && isGuest(context.caller) ? { ...change, activity_id: null, summary: null } : change,
  )
  return { ...trend, since: first.at, after: changes, because: only ? (changes[0]?.job_id ?? changes[0]?.activity_id ?? null) : null }
}

export async function startProbe(context: Context, site: Pick<Site, 'id' | 'status'>) {
  mustBePaired(site, 'it cannot be measured', ['pending'])
  if (await isUnderWay(context, site.id, probe))
    throw new Problem('conflict', 'This site is being measured. list_jobs (GET /jobs) shows it.', { retryable: true })
  return startJob(context, probe, site.id, {})
}

export async function startLab(context: Context, site: Pick<Site, 'id' | 'status'>) {
  mustBePaired(site, 'it cannot be looked at', ['pending'])
  const missing = whyNoLab(context.config)
  if (missing !== null) throw new Problem('conflict', missing, { retryable: false })
  if (await isUnderWay(context, site.id, lab))
    throw new Problem('conflict', 'A lab run of this site is under way. list_jobs (GET /jobs) shows it.', { retryable: true })
  if ((await countUnderWay(context, lab)) >= mostOpen)
    throw new Problem('conflict', `${mostOpen} sites wait for the browser already. Ask again in some minutes.`, { retryable: true })
  return startJob(context, lab, site.id, {})
}

/** Each site once a week, at its own time; while others wait for the browser, a little later. */
export const weeklyLab: SiteDuty<World>['ofSite'] = {
  first: async (here, siteId) => nextOfDays(labEveryDays, `lab ${siteId}`, here.now()),
  async run(here, siteId) {
    const isOn = here.config.labRuns !== 'off' && whyNoLab(here.config) === null
    const site = isOn ? await holdSite(here, siteId) : undefined
    const isThere = site?.status === 'connected' || site?.status === 'unreachable'
    if (isThere && !(await isUnderWay(here, siteId, lab))) {
      if ((await countUnderWay(here, lab)) >= mostOpen) return dateOf(here.now().getTime() + soonMs)
      await startLab(systemCall(here, by), site)
    }
    return nextOfDays(labEveryDays, `lab ${siteId}`, here.now())
  },
}

/** Each site once a day, at its own time; a new one soon, or one of many in the course of the day; while a job of ours is open that works on it, a little later. */
export const dailyProbe: SiteDuty<World>['ofSite'] = {
  first: async (here, siteId) => firstTurn(`performance ${siteId}`, { soonMs, sites: await countSites(here) }, here.now()),
  async run(here, siteId) {
    const site = here.config.performanceProbes === 'off' ? undefined : await holdSite(here, siteId)
    const isThere = site?.status === 'connected' || site?.status === 'unreachable'
    if (isThere && !(await isUnderWay(here, siteId, probe))) {
      const types = inLine(here.jobKinds)
      const isAtWork = (await listOpenJobsOf(here, siteId)).some(({ type }) => types.includes(type))
      if (isAtWork) return dateOf(here.now().getTime() + soonMs)
      await startProbe(systemCall(here, by), site)
    }
    return nextOfDays(1, `performance ${siteId}`, here.now())
  },
}
