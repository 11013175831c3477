import { setTimeout as sleep } from 'node:timers/promises'
import { logEvent } from '../activity/service.ts'
import { SiteError } from '../connector/site-error.ts'
import { collectInventory } from '../inventory/service.ts'
import { counted, type JobKind, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { type FirstHello, keepFirstHello, sayFirstHello } from '../sites/first-hello.ts'
import { type Target, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'

/** The first signed hello after pairing. */
export const connect: JobKind<World, Record<string, unknown>, Awaited<ReturnType<typeof connectSite>>> = {
  ...{ type: 'connect', retries: 6, changesSite: false },
  work: connectSite,
  summarize: ({ items }) => ({ outcome: 'done', summary: `The site is connected; its inventory has ${counted(items, 'item')}.` }),
}

/** How long a site takes to pin our key after our answer to its enrolment. */
const pinningMs = 250

async function connectSite(world: World, job: Running) {
  const context = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(context, job.siteId)
  await job.phase('hello')
  if (job.fence === 1) await sleep(pinningMs, undefined, { signal: job.signal })
  const answer = await hello(context, site)
  await world.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await keepFirstHello(within, site.id, answer)
    if (site.status !== 'connected')
      await logEvent(within, {
        siteId: site.id,
        category: 'other',
        summary: 'The site was connected',
        notes: `It answered at ${answer.url}; visitors find it at ${answer.home}.`,
        jobId: job.id,
        by: job.requestedBy,
        internal: true,
      })
  })
  world.changed(job.workspaceId, [site.id])
  await job.phase('inventory')
  const inventory = await collectInventory(context, { ...site, status: 'connected' }, { refresh: false })
  return { door: answer.found.door, mode: answer.found.mode, items: inventory.total }
}

async function hello(context: Here, site: Target): Promise<FirstHello> {
  try {
    return await sayFirstHello(context, site)
  } catch (error) {
    const isClone = error instanceof Problem && error.cause instanceof SiteError && error.cause.reason === 'clone'
    // The site may still be busy with the request that paired it, whatever it says.
    if (error instanceof Problem && error.code.startsWith('site_') && !isClone)
      throw new Problem(error.code, error.message, { retryable: true, cause: error })
    throw error
  }
}
