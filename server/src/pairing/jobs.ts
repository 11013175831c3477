import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { logEvent } from '../activity/service.ts'
import { probe } from '../connector/ask.ts'
import { collectInventory } from '../inventory/service.ts'
import type { JobKind, Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { updateSite } from '../sites/store.ts'
import { connectionOf, reached, unreached } from '../sites/talk.ts'
import type { World } from '../world.ts'

/** The first signed hello after pairing: it proves that key and address belong together, and finds the door. */
export const connect: JobKind<World> = { type: 'connect', retries: 6, work: connectSite }

/** How long a site takes to pin our key after our answer to its enrolment. */
const pinningMs = 250

async function connectSite(world: World, job: Running) {
  const context = { ...world, workspaceId: job.workspaceId }
  const site = await siteOf(context, job.siteId)
  await job.phase('hello')
  if (job.fence === 1) await sleep(pinningMs, undefined, { signal: job.signal })
  const found = await sayHello(context, site)
  const { hello } = found
  if (hello.clone) await refuseClone(context, site.id)
  await world.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await updateSite(within, site.id, {
      ...reached(world.now(), { status: 'connected' }, found),
      name: hello.name || site.name,
      home: hello.home_url || site.home,
      wp_version: hello.wp_version,
      php_version: hello.php_version,
      connector_version: hello.connector_version,
      server_software: hello.server_software,
      is_multisite: hello.is_multisite,
      is_ssl: hello.is_ssl,
      active_theme: hello.active_theme,
      install_id: hello.install_id,
      hello,
    })
    if (site.status !== 'connected')
      await logEvent(within, {
        siteId: site.id,
        category: 'other',
        summary: 'The site was connected',
        jobId: job.id,
        by: job.requestedBy,
        internal: true,
      })
  })
  world.changed(job.workspaceId, [site.id])
  await job.phase('inventory')
  const inventory = await collectInventory(context, { ...site, status: 'connected' }, false)
  return { door: found.door, mode: found.mode, items: inventory.total }
}

/** The one that was paired is another installation; what this one holds of it must not be managed as if it were the same. */
async function refuseClone(context: World & { workspaceId: string }, siteId: string): Promise<never> {
  const message = 'The site answers as a copy of the one that was paired. Pair it again from its WordPress admin.'
  const last_error = { code: 'site_refused', reason: 'clone', message, at: context.now().toISOString() }
  await updateSite(context, siteId, { status: 'clone_detected', last_error })
  context.changed(context.workspaceId, [siteId])
  throw new Problem('site_refused', message)
}

interface Row {
  id: string
  url: string
  home: string
  name: string
  status: 'pending' | 'connected'
}

async function siteOf({ db, workspaceId }: Pick<World, 'db'> & { workspaceId: string }, id: string | null): Promise<Row> {
  const { rows } = await sql<Row>`SELECT id, url, home, name, status FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(
    db,
  )
  if (!rows[0]) throw new Problem('not_found', 'The site was removed.')
  return rows[0]
}

async function sayHello(context: World & { workspaceId: string }, site: Row) {
  try {
    return await probe(context.wire, await connectionOf(context, site))
  } catch (error) {
    const problem = await unreached(context, site, error)
    // The site may still be busy with the request that paired it, whatever it says.
    if (problem instanceof Problem && problem.code.startsWith('site_'))
      throw new Problem(problem.code, problem.message, { retryable: true, cause: error })
    throw problem
  }
}
