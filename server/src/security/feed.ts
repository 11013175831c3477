import { createHash } from 'node:crypto'
import { matchInventory } from '../vulnerabilities/match.ts'
import type { Installed, Match } from '../vulnerabilities/schema.ts'
import { readFeedBrief } from '../vulnerabilities/service.ts'
import { readVersion } from '../vulnerabilities/store.ts'
import type { Here, World } from '../world.ts'
import { finding } from './checks.ts'
import { type Compared, claimCompared, forgetPlans, type InventoryOf, seeAgain, sitesToCompare, workspacesToCompare } from './feed-store.ts'
import { logChanges } from './log-changes.ts'
import { recordFindings } from './record.ts'
import type { NewFinding } from './schema.ts'

/** Sites whose inventories are in memory together: what they have in common is looked up once. */
const sitesAtOnce = 1000
/** Sites that are recorded in one transaction. */
const recordedAtOnce = 50
/** After so many transactions the database plans anew. */
const replannedAfter = [1, 4]

/**
 * Compares all sites with the feed of known vulnerabilities whose inventory, or the feed, has changed since they were compared last, and
 * records what is found. Any number of processes may; each site is recorded by one. How many sites were compared.
 */
export async function compareWithFeed(world: World): Promise<number> {
  if (!(await readFeedBrief(world))) return 0
  const version = await readVersion(world.db)
  let compared = 0
  for (const workspaceId of await workspacesToCompare(world.db, version))
    for (let more = true; more && !world.stopping.aborted; ) {
      const sites = await sitesToCompare({ db: world.db, workspaceId }, version, { most: sitesAtOnce })
      const recorded = await compareSites(world, workspaceId, version, sites)
      more = sites.length === sitesAtOnce && recorded > 0
      compared += recorded
    }
  return compared
}

/** The same for one site, at once: after its inventory was read anew. */
export async function compareSiteWithFeed(world: Here, siteId: string): Promise<void> {
  if (!(await readFeedBrief(world))) return
  const version = await readVersion(world.db)
  const sites = await sitesToCompare(world, version, { most: 1, siteId })
  await compareSites(world, world.workspaceId, version, sites)
}

async function compareSites(world: World, workspaceId: string, version: number, sites: InventoryOf[]): Promise<number> {
  const at = world.now()
  const matches = await matchInventory(
    world,
    sites.flatMap(({ items }) => items),
  )
  let next = 0
  const findings = new Map(
    sites.map(({ id, items }) => [id, items.flatMap((item) => (matches[next++] ?? []).map((match) => findingOf(item, match)))]),
  )
  let recorded = 0
  for (let from = 0; from < sites.length && !world.stopping.aborted; from += recordedAtOnce) {
    const some = sites.slice(from, from + recordedAtOnce).map((site) => ({ ...site, findings: findings.get(site.id) ?? [] }))
    const ids = await world.db.transaction().execute((db) => recordSome({ ...world, db }, { workspaceId, version, at }, some))
    if (ids.length > 0) world.changed(workspaceId, ids)
    recorded += ids.length
    if (sites.length > recordedAtOnce && replannedAfter.includes(from / recordedAtOnce + 1)) await forgetPlans(world.db)
  }
  return recorded
}

const teller = { by: { type: 'system', id: 'security', name: 'Vulnerability feed' }, what: 'Known vulnerabilities' } as const

async function recordSome(
  { db, now }: Pick<World, 'db' | 'now'>,
  { workspaceId, version, at }: { workspaceId: string; version: number; at: Date },
  sites: (InventoryOf & { findings: NewFinding[] })[],
): Promise<string[]> {
  const findings = new Map(sites.map((site) => [site.id, site.findings]))
  const compared: Compared[] = sites.map((site) => ({ id: site.id, inventory_at: site.inventory_at, digest: digestOf(site.findings) }))
  const claimed = await claimCompared({ db, workspaceId }, version, compared)
  const same = claimed.filter((site) => site.same).map(({ id }) => id)
  await seeAgain({ db, workspaceId }, same, at)
  for (const { id, same: seen } of claimed) {
    if (seen) continue
    const changes = await recordFindings(db, { workspaceId, siteId: id, source: 'feed', at }, findings.get(id) ?? [])
    await logChanges({ db, now, workspaceId }, id, [changes], teller)
  }
  return claimed.map(({ id }) => id)
}

const digestOf = (findings: readonly NewFinding[]) => createHash('sha256').update(JSON.stringify(findings)).digest('base64url')

/** What a vulnerability of something installed is to the site. */
function findingOf(item: Installed & { name: string; active: boolean }, match: Match): NewFinding {
  const type = componentType(item.type)
  const { fixed_in } = match
  return finding('known_vulnerability', {
    key: `${match.id} ${item.type} ${item.slug}`.slice(0, 300),
    severity: match.severity,
    title: match.title,
    description: match.description,
    component: { type, slug: item.slug, name: item.name, version: item.version },
    affected_range: match.affected,
    fixed_in,
    cve: match.cve,
    references: match.references,
    fix: fixed_in === null || item.type === 'mu_plugin' ? null : { update: { type, slug: item.slug, version: fixed_in } },
    evidence: evidenceOf(item, match),
  })
}

const componentType = (type: string) => (type === 'core' || type === 'theme' ? type : 'plugin')

function evidenceOf({ version, active }: { version: string; active: boolean }, { affected, fixed_in }: Match): string[] {
  const state = active ? '' : ', not active (its files can be reached all the same)'
  const fix = fixed_in === null ? 'There is no version with a fix.' : `Fixed in ${fixed_in}.`
  return [`Installed: version ${version || 'unknown'}${state}.`, `Affected: ${affected}.`, fix]
}
