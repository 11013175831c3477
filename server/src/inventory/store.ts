import { sql } from 'kysely'
import type { PageOf } from '../kernel/cursor.ts'
import type { Db } from '../world.ts'
import type { Installed } from './schema.ts'

type Item = Installed['items'][number]

/** By what a thing can be named. */
export type Named = Pick<Item, 'slug' | 'file' | 'name'>

export const namedLike = ({ slug, file, name }: Named, wanted: string) =>
  [slug, file, name].some((each) => each.toLowerCase() === wanted.toLowerCase())

const items = sql.raw(`sites s CROSS JOIN LATERAL jsonb_array_elements(s.inventory -> 'items') AS i`)
const isNamed = (slug: string | undefined) =>
  slug === undefined ? sql`true` : sql`${slug.toLowerCase()} IN (lower(i ->> 'slug'), lower(i ->> 'file'), lower(i ->> 'name'))`
/** JSON's null, as an answer of a site has it. */
const waits = sql.raw(`jsonb_typeof(i -> 'update') = 'object'`)

/** One version of one thing, and on how many sites it is. */
export type Kind = Pick<Item, 'type' | 'slug' | 'file' | 'name' | 'version'> & { sites: number; with_update: number }

/** Of a site that never heard what is on offer nobody knows whether an update waits. */
const heard = sql.raw(`jsonb_typeof(s.inventory -> 'updates_checked_at') = 'number'`)
const isKnown = (has_update: boolean | undefined) => (has_update === undefined ? sql`true` : sql`(${heard} OR ${waits})`)

export async function readKinds({ db, workspaceId }: Db, slug: string | undefined, has_update: boolean | undefined): Promise<Kind[]> {
  const { rows } = await sql<Kind>`SELECT i ->> 'type' AS type, i ->> 'slug' AS slug, min(i ->> 'file') AS file, min(i ->> 'name') AS name,
      i ->> 'version' AS version, count(*)::int AS sites, count(*) FILTER (WHERE ${waits})::int AS with_update
    FROM ${items} WHERE s.workspace_id = ${workspaceId} AND s.inventory IS NOT NULL AND ${isNamed(slug)} AND ${isKnown(has_update)}
    GROUP BY 1, 2, 5`.execute(db)
  return rows
}

export interface Row extends Item {
  site_id: string
  url: string
}

/** By kind and name, then by site. `versions`: only these. */
export async function readRows(
  { db, workspaceId }: Db,
  { slug, versions, has_update }: { slug: string | undefined; versions: string[] | undefined; has_update: boolean | undefined },
  { limit, after }: PageOf,
): Promise<Row[]> {
  const place = sql.raw(`i ->> 'type' COLLATE "C", i ->> 'slug' COLLATE "C", s.id COLLATE "C", i ->> 'file' COLLATE "C"`)
  const { rows } = await sql<{ site_id: string; url: string; item: Item }>`SELECT s.id AS site_id, s.url, i AS item
    FROM ${items} WHERE s.workspace_id = ${workspaceId} AND s.inventory IS NOT NULL AND ${isNamed(slug)}
      AND ${versions ? sql`i ->> 'version' = ANY(${versions})` : sql`true`}
      AND ${has_update === undefined ? sql`true` : sql`(${waits}) = ${has_update}`} AND ${isKnown(has_update)}
      AND ${after ? sql`(${place}) > (${sql.join(after)})` : sql`true`}
    ORDER BY ${place} LIMIT ${limit ?? null}`.execute(db)
  return rows.map(({ site_id, url, item }) => ({
    ...item,
    update: item.update && { ...item.update, url: item.update.url ?? '' },
    site_id,
    url,
  }))
}

interface Read {
  /** How many sites have an inventory, how many of them never heard what is on offer, and how many sites have none. */
  sites: number
  unheard: number
  none: number
  /** Since when the oldest is as it is, and when the first of them heard last. */
  collected: string | null
  heard: string | null
}

export async function whenCollected({ db, workspaceId }: Db): Promise<Read> {
  const time = (name: string) => sql`to_timestamp(min((s.inventory ->> ${sql.lit(name)})::float8))`
  const { rows } = await sql<Omit<Read, 'collected' | 'heard'> & { collected: Date | null; heard: Date | null }>`SELECT
      count(s.inventory)::int AS sites, (count(*) FILTER (WHERE s.inventory IS NOT NULL AND NOT coalesce(${heard}, false)))::int AS unheard,
      (count(*) - count(s.inventory))::int AS none, ${time('collected_at')} AS collected, ${time('updates_checked_at')} AS heard
    FROM sites s WHERE s.workspace_id = ${workspaceId}`.execute(db)
  const { sites = 0, unheard = 0, none = 0, collected = null, heard: last = null } = rows[0] ?? {}
  return { sites, unheard, none, collected: collected?.toISOString() ?? null, heard: last?.toISOString() ?? null }
}
