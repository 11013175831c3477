import { findAtWork } from '../jobs/store.ts'
import { counted, inLine, type JobKind, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { Site } from '../sites/schema.ts'
import { pagesOf, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { lookIfMoved } from './moved.ts'
import { NoPage, probePage } from './probe.ts'
import { probeMetrics } from './schema.ts'
import { insertSample, listSamples, type Measured } from './store.ts'
import { countingOf, daysBefore, probeDays } from './trend.ts'

export const probe: JobKind<World, Record<string, unknown>, Measured> = {
  ...{ type: 'performance', retries: 1, changesSite: false, apart: true },
  work: measure,
  summarize: ({ ttfb_ms, requests, during = null }) => {
    const beside = during === null ? '' : ` It does not count in the trend: a job of this service (${during}) was at work on the site.`
    return { outcome: 'done', summary: `First byte after ${ttfb_ms} ms; ${counted(requests, 'request')}.${beside}` }
  },
}

function measure(world: World, job: Running): Promise<Measured> {
  return ofSite(world, job, async (here, site) => {
    const since = here.now()
    const probed = await probePage({ fetch: await pagesOf(here, site), signal: job.signal }, site.home)
    await job.progress({ percent: 100, done: 1, total: 1, unit: 'pages' })
    const during = (await findAtWork(here, site.id, { since, types: inLine(here.jobKinds) })) ?? null
    const measured = { ...probed, during }
    await insertSample(here, job, measured)
    const samples = await listSamples(here, [site.id], daysBefore(here.now(), probeDays))
    if (during === null) await lookIfMoved(here, site, probeMetrics, countingOf(samples.get(site.id) ?? []))
    return measured
  })
}

/** Measures the site of a job; why there is nothing to measure is the job's problem. */
export async function ofSite<Value>(world: World, job: Running, measure: (here: Here, site: Site) => Promise<Value>): Promise<Value> {
  const here: Here = { ...world, workspaceId: job.workspaceId }
  const { id } = await targetOf(here, job.siteId)
  const site = await world.fleet.one(job.workspaceId, id)
  if (!site) throw new Problem('not_found', 'The site was removed.')
  try {
    return await measure(here, site)
  } catch (error) {
    if (error instanceof NoPage) throw new Problem('site_failed', error.message, { retryable: false })
    if (error instanceof FetchError) throw new Problem('site_unreachable', error.message, { retryable: true })
    throw error
  }
}
