import { counted, type JobKind, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { FetchError } from '../platform/fetch-error.ts'
import { pagesOf, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { NoPage, type Probed, probePage } from './probe.ts'
import { insertSample } from './store.ts'

export const probe: JobKind<World, Record<string, unknown>, Probed> = {
  ...{ type: 'performance', retries: 1, changesSite: false, apart: true },
  work: measure,
  told: ({ ttfb_ms, requests }) => ({ outcome: 'done', summary: `First byte after ${ttfb_ms} ms; ${counted(requests, 'request')}.` }),
}

async function measure(world: World, job: Running): Promise<Probed> {
  const here: Here = { ...world, workspaceId: job.workspaceId }
  const { id } = await targetOf(here, job.siteId)
  const site = await world.fleet.one(job.workspaceId, id)
  if (!site) throw new Problem('not_found', 'The site was removed.')
  try {
    const probed = await probePage({ fetch: await pagesOf(here, site), signal: job.signal }, site.home)
    await job.progress({ percent: 100, done: 1, total: 1, unit: 'pages' })
    await insertSample(here, job, probed)
    return probed
  } catch (error) {
    if (error instanceof NoPage) throw new Problem('site_failed', error.message, { retryable: false })
    if (error instanceof FetchError) throw new Problem('site_unreachable', error.message, { retryable: true })
    throw error
  }
}
