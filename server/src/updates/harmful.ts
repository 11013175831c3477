// Versions that broke a site are remembered, so that the next plan says it, also that of another site.
import { sql } from 'kysely'
import { counted } from '../kernel/job.ts'
import type { Here } from '../world.ts'
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

interface Harm {
  site_id: string
  reason: string
  taken_back_at: Date
}

/** What is known of the version that is offered, in sentences: of this site, and how many others of the workspace it broke. */
export async function harmOf(
  { db, workspaceId }: Pick<Here, 'db' | 'workspaceId'>,
  siteId: string,
  { type, slug, update }: Pick<Updatable, 'type' | 'slug' | 'update'>,
): Promise<string[]> {
  if (!update || type === 'translations') return []
  const { rows } = await sql<Harm>`SELECT site_id, reason, taken_back_at FROM harmful_versions
    WHERE workspace_id = ${workspaceId} AND type = ${type} AND slug = ${slug} AND version = ${update.version}
    ORDER BY taken_back_at DESC, site_id`.execute(db)
  const here = rows.find(({ site_id }) => site_id === siteId)
  const others = rows.filter(({ site_id }) => site_id !== siteId)
  const [last] = others
  return [
    ...(here ? [`This version was taken back here on ${day(here)}. ${here.reason}`] : []),
    ...(last
      ? [`It was taken back on ${counted(others.length, 'other site')} of the workspace, last on ${day(last)}. ${last.reason}`]
      : []),
  ]
}

const day = ({ taken_back_at }: Harm) => new Date(taken_back_at).toISOString().slice(0, 10)
