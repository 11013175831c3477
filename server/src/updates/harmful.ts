// Versions that broke a site are remembered, so that the next plan says it, also that of another site.
import { sql } from 'kysely'
import { counted } from '../kernel/job.ts'
import type { Db, Here } from '../world.ts'
import type { ItemResult, Updatable } from './schema.ts'

type Item = Pick<ItemResult, 'type' | 'slug' | 'to_version'>
type Became = Item & Pick<ItemResult, 'status' | 'reason' | 'health'>

/** What became of an item: one that was taken back is remembered, whether that healed the site or not; one that runs after all is forgotten. */
export async function remember(here: Here, siteId: string, { status, reason, health, ...item }: Became) {
  if (item.type === 'translations') return
  if (status === 'rolled_back' || health?.after?.ok === false)
    await write(here, siteId, item, reason ?? 'The site was not as healthy as before.')
  if (status === 'updated') await forget(here, siteId, item)
}

async function write({ db, workspaceId, now }: Here, siteId: string, { type, slug, to_version }: Item, reason: string): Promise<void> {
  await sql`INSERT INTO harmful_versions (workspace_id, site_id, type, slug, version, reason, taken_back_at)
    VALUES (${workspaceId}, ${siteId}, ${type}, ${slug}, ${to_version}, ${reason}, ${now()})
    ON CONFLICT (workspace_id, type, slug, version, site_id) DO UPDATE SET reason = excluded.reason, taken_back_at = excluded.taken_back_at`.execute(
    db,
  )
}

async function forget({ db, workspaceId }: Here, siteId: string, { type, slug, to_version }: Item): Promise<void> {
  await sql`DELETE FROM harmful_versions WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND type = ${type} AND slug = ${slug}
    AND version = ${to_version}`.execute(db)
}

interface Harm extends Version {
  site_id: string
  reason: string
  taken_back_at: Date
}

/** A version on offer. */
interface Version {
  type: string
  slug: string
  version: string
}

/** What is known of a version, in sentences: of this site, and how many others of the workspace it broke; without a site, how many. */
export type Harms = (offered: Version, siteId?: string) => string[]

export async function harmsOf({ db, workspaceId }: Db, offered: readonly Version[]): Promise<Harms> {
  const asked = JSON.stringify(offered.map(({ type, slug, version }) => ({ type, slug, version })))
  const { rows } = await sql<Harm>`SELECT h.type, h.slug, h.version, h.site_id, h.reason, h.taken_back_at FROM harmful_versions h
    WHERE h.workspace_id = ${workspaceId}
      AND (h.type, h.slug, h.version) IN (SELECT type, slug, version FROM json_to_recordset(${asked}::json) AS o (type text, slug text, version text))
    ORDER BY h.taken_back_at DESC, h.site_id`.execute(db)
  const known = Map.groupBy(rows, keyOf)
  return (version, siteId) => {
    const all = known.get(keyOf(version)) ?? []
    const here = all.find(({ site_id }) => site_id === siteId)
    const others = all.filter(({ site_id }) => site_id !== siteId)
    const [last] = others
    const where = counted(others.length, siteId === undefined ? 'site' : 'other site')
    return [
      ...(here ? [`This version was taken back here on ${day(here)}. ${here.reason}`] : []),
      ...(last ? [`It was taken back on ${where} of the workspace, last on ${day(last)}. ${last.reason}`] : []),
    ]
  }
}

const keyOf = ({ type, slug, version }: Version) => JSON.stringify([type, slug, version])

/** What is offered of these; translations are not remembered. */
export const offersOf = (items: readonly Pick<Updatable, 'type' | 'slug' | 'update'>[]): Version[] =>
  items.flatMap(({ type, slug, update }) => (update && type !== 'translations' ? [{ type, slug, version: update.version }] : []))

const day = ({ taken_back_at }: Harm) => new Date(taken_back_at).toISOString().slice(0, 10)
