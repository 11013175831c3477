import { asOperator, openCommandWorld } from '../server/src/admin/world.ts'
import { readConfig } from '../server/src/config.ts'
import { createKeyPair } from '../server/src/connector/keys.ts'
import { endJob, insertJob } from '../server/src/jobs/store.ts'
import { newId } from '../server/src/kernel/ids.ts'
import { createLog } from '../server/src/platform/log.ts'
import { seal } from '../server/src/platform/master-key.ts'
import { openDatabase } from '../server/src/platform/open-database.ts'
import { insertSite, markProven, updateSite } from '../server/src/sites/store.ts'
import { sealContext } from '../server/src/sites/talk.ts'
import { workspaceKey } from '../server/src/workspaces/keys.ts'
import { createWorkspace } from '../server/src/workspaces/service.ts'
import { environment, type Place } from './service.ts'

/** A site to be: where it is, and what was agreed on when it was paired. */
export interface Planned {
  url: string
  /** Raw, base64. */
  servicePrivate: string
  servicePublic: string
  sitePublic: string
}

export interface Seeded {
  token: string
  siteIds: string[]
}

/** A workspace with these sites and a token, put straight into the database; the service need not run. */
export async function seed(place: Place, name: string, size: number, plan: (id: string, i: number) => Planned = nowhere): Promise<Seeded> {
  const config = readConfig(environment(place))
  const log = createLog({ level: 'error', to: 'stderr' })
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, role: 'command', log })
  const { world, close } = await openCommandWorld(config, log, database.address)
  try {
    const workspace = await createWorkspace(world, name)
    const { token } = await asOperator(world, workspace.id, 'tokens.create', { name: 'bench', scope: 'write' })
    const siteIds = await world.db.transaction().execute((db) => insertSites({ ...world, db, workspaceId: workspace.id }, size, plan))
    return { token: String(token), siteIds }
  } finally {
    await close()
    await database.close()
  }
}

async function insertSites(
  context: Parameters<typeof insertSite>[0] & Parameters<typeof workspaceKey>[0],
  size: number,
  plan: (id: string, i: number) => Planned,
) {
  const key = await workspaceKey(context, context.workspaceId)
  const ids: string[] = []
  for (let i = 0; i < size; i++) {
    const id = newId('site', context.now())
    const { url, servicePrivate, servicePublic, sitePublic } = plan(id, i)
    const sealed = seal(key, Buffer.from(servicePrivate), sealContext(id)).toString('base64')
    const keys = { keyid: 'k1', service_public: servicePublic, sealed_service_key: sealed, site_public: sitePublic }
    await insertSite(context, { id, name: `Garden shop ${i}`, url, home: url, ...keys })
    await markProven(context, id, servicePublic)
    await updateSite(context, id, factsOf(context.now()))
    ids.push(id)
  }
  for (const siteId of ids.slice(0, someJobs)) await insertJobOf(context, siteId)
  return ids
}

/** More than a list shows at once. */
const someJobs = 100

async function insertJobOf(context: Parameters<typeof insertJob>[0], siteId: string): Promise<void> {
  const id = newId('job', context.now())
  const requestedBy = { type: 'token' as const, id: 'tok_bench', name: 'bench' }
  await insertJob(context, { id, type: 'backup', siteId, changesSite: false, requestedBy, approved: undefined, input: { type: 'full' } })
  await endJob(context, id, null, {
    status: 'completed',
    result: {},
    summary: { outcome: 'done', summary: 'Backed up the site: 2,301 files.' },
  })
}

/** What a site that was asked once looks like. */
const factsOf = (now: Date) => ({
  wp_version: '7.1',
  php_version: '8.3.14',
  connector_version: '0.1.0',
  server_software: 'nginx/1.26.2',
  is_multisite: false,
  is_ssl: true,
  active_theme: 'twentytwentyfive',
  door: 'front',
  mode: 'headers',
  latency_ms: 84,
  last_seen_at: now,
  synced_at: now,
  updates_core: 0,
  updates_plugins: 3,
  updates_themes: 1,
})

function nowhere(_id: string, i: number): Planned {
  const { seed: servicePrivate, public: servicePublic } = createKeyPair()
  return { url: `https://site-${i}.example`, servicePrivate, servicePublic, sitePublic: createKeyPair().public }
}
