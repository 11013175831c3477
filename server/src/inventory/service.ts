import { sql } from 'kysely'
import { call } from '../connector/call.ts'
import type { Result } from '../connector/commands.ts'
import { Problem } from '../kernel/problem.ts'
import { liveLook } from '../sites/live-look.ts'
import type { Site } from '../sites/schema.ts'
import { type SiteFacts, updateSite } from '../sites/store.ts'
import { type Talker, talk } from '../sites/talk.ts'
import { matchInventory } from '../vulnerabilities/match.ts'
import { readFeedBrief } from '../vulnerabilities/service.ts'
import type { Context, Db, World } from '../world.ts'
import { changesBetween, recordChanges } from './changes.ts'
import { noteOffered } from './offered.ts'
import type { Installed, Inventory, InventoryItem } from './schema.ts'
import { choicesBetween } from './settings.ts'

type Report = Result<'inventory'>

/** Vulnerabilities of one item; an old WordPress has some hundred. */
const mostShown = 10

type Collector = Talker & Pick<World, 'jobKinds'>
/** `refresh`: the site looks for new updates first, which may take 15 s. `ours`: what of that which differs from before is the caller's doing. */
interface Collecting {
  refresh: boolean
  ours?: 'code' | 'everything'
}

/** Asks the site what is installed and keeps the answer; what somebody else changed since the last one becomes activity. */
export async function collectInventory(here: Collector, site: Pick<Site, 'id' | 'url' | 'status'>, how: Collecting): Promise<Inventory> {
  return (await collectWithChanges(here, site, how)).inventory
}

/** The same, with what is installed otherwise than before, in words. */
export async function collectWithChanges(here: Collector, site: Pick<Site, 'id' | 'url' | 'status'>, { refresh, ours }: Collecting) {
  const { result } = await talk(here, site, (deps, connection, options) =>
    call(deps, connection, { verb: 'inventory', params: { refresh } }, { ...options, timeoutMs: 30_000 }),
  )
  const changes = await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    const before = await holdInventory(within, site.id)
    await updateSite(within, site.id, factsOf(result, here.now()))
    await noteOffered(within, site.id, installed(result).items)
    if (!before) return []
    const choices = choicesBetween(before.inventory, result)
    const code = changesBetween(installed(before.inventory).items, installed(result).items)
    const theirs = ours === 'everything' ? [] : ours === 'code' ? choices : [...choices, ...code]
    await recordChanges(within, site.id, before.at, theirs)
    return code
  })
  here.changed(here.workspaceId, [site.id])
  const inventory: Inventory = { ...(await shape(here, site.id, result)), live: true, live_error: null, site_said: null }
  return { inventory, changes: changes.map(({ words }) => words) }
}

/** What the site said last, kept as it is until the transaction ends. */
async function holdInventory({ db, workspaceId }: Db, id: string) {
  const { rows } = await sql<{ inventory: Report | null; at: Date | null }>`SELECT inventory, inventory_at AS at FROM sites
    WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`.execute(db)
  const { inventory = null, at = null } = rows[0] ?? {}
  return inventory && at && { inventory, at }
}

/** What is installed: asked now, or within the last minute, where the site answers; else what it said last, marked so. */
export async function readInventory(context: Context, site: Site, wanted: { refresh: boolean; cached: boolean }): Promise<Inventory> {
  if (wanted.cached) return { ...(await lastInventory(context, site)), live: false, live_error: null, site_said: null }
  try {
    await liveLook(context, site.id, wanted.refresh ? 'updates' : 'inventory', async () => {
      await collectInventory(context, site, wanted)
      return null
    })
    return { ...(await lastInventory(context, site)), live: true, live_error: null, site_said: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const last = await lastInventory(context, site).catch(() => undefined)
    if (!last) throw error
    return { ...last, live: false, live_error: error.message, site_said: error.siteSaid }
  }
}

async function lastInventory({ db, workspaceId }: Context, site: Site) {
  const { rows } = await sql<{
    inventory: Report | null
  }>`SELECT inventory FROM sites WHERE workspace_id = ${workspaceId} AND id = ${site.id}`.execute(db)
  const report = rows[0]?.inventory
  if (!report)
    throw new Problem('conflict', 'The inventory of this site was never collected. Call again without cached while the site is reachable.')
  return shape({ db }, site.id, report)
}

/** What each of these sites said last; a site that was never asked is left out. */
export async function lastInventories({ db, workspaceId }: Context, siteIds: string[]): Promise<Map<string, Installed>> {
  const { rows } = await sql<{ id: string; inventory: Report }>`SELECT id, inventory FROM sites
    WHERE workspace_id = ${workspaceId} AND id = ANY(${siteIds}) AND inventory IS NOT NULL`.execute(db)
  return new Map(rows.map(({ id, inventory }) => [id, installed(inventory)]))
}

function factsOf(report: Report, now: Date): SiteFacts {
  const heard = report.updates_checked_at !== null
  const waiting = (type: InventoryItem['type']) => (heard ? report.items.filter((item) => item.type === type && item.update).length : null)
  const core = report.items.find((item) => item.type === 'core')
  return {
    inventory: report,
    inventory_at: now,
    synced_at: now,
    updates_core: waiting('core'),
    updates_plugins: waiting('plugin'),
    updates_themes: waiting('theme'),
    ...(core && { wp_version: core.version }),
    ...(report.name && { name: report.name }),
  }
}

function installed(report: Report): Installed {
  const items = report.items.map((item) => ({ ...item, update: item.update && { ...item.update, url: item.update.url ?? '' } }))
  return { items, translations: report.translations ?? 0 }
}

async function shape({ db }: Pick<Context, 'db'>, siteId: string, report: Report) {
  const { items: plain, translations } = installed(report)
  const items = await withVulnerabilities({ db }, plain)
  const time = (unix: number) => new Date(unix * 1000).toISOString()
  return {
    site_id: siteId,
    collected_at: time(report.collected_at),
    updates_checked_at: report.updates_checked_at === null ? null : time(report.updates_checked_at),
    vulnerability_feed: await readFeedBrief({ db }),
    translations,
    total: items.length,
    items,
  }
}

/** With what the feed knows of each; null where there is none, so nobody looked. */
export async function withVulnerabilities<Item extends Installed['items'][number]>({ db }: Pick<Context, 'db'>, items: readonly Item[]) {
  if ((await readFeedBrief({ db })) === null) return items.map((item) => ({ ...item, vulnerabilities: null, vulnerabilities_total: null }))
  const matches = await matchInventory({ db }, items)
  return items.map((item, at) => {
    const found = matches[at] ?? []
    return { ...item, vulnerabilities: found.slice(0, mostShown), vulnerabilities_total: found.length }
  })
}
