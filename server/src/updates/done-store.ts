// What jobs have updated on sites in a time, as their results tell it.
import { sql } from 'kysely'
import type { SitesWithin } from '../kernel/calendar.ts'
import type { Db } from '../world.ts'

export interface UpdateRow {
  type: string
  name: string
  from_version: string
  to_version: string
  installed: number
  taken_back: number
  failed: number
  sites: number
  last_at: Date
}

const items = ({ workspaceId }: Db, { siteIds, from, to }: SitesWithin) => sql`(SELECT j.site_id, j.completed_at AS at, i->>'type' AS type,
    coalesce(i->>'slug', '') AS slug, coalesce(i->>'name', '') AS name, coalesce(i->>'from_version', '') AS from_version,
    coalesce(i->>'to_version', '') AS to_version, i->>'status' AS status
  FROM jobs j, jsonb_array_elements(CASE WHEN jsonb_typeof(j.result->'items') = 'array' THEN j.result->'items' ELSE '[]' END) i
  WHERE j.workspace_id = ${workspaceId} AND j.site_id = ANY(${siteIds}) AND j.type = 'update' AND j.completed_at >= ${from} AND j.completed_at < ${to}) u`

/** One row for each component, whatever site it is on; those that were updated most often first. */
export async function listUpdated(context: Db, span: SitesWithin): Promise<UpdateRow[]> {
  const done = sql`FILTER (WHERE status = 'updated')`
  const { rows } = await sql<UpdateRow>`SELECT type, (array_agg(name ORDER BY at DESC))[1] AS name,
      coalesce((array_agg(from_version ORDER BY at) ${done})[1], '') AS from_version,
      coalesce((array_agg(to_version ORDER BY at DESC) ${done})[1], '') AS to_version, count(*) ${done}::int AS installed,
      count(*) FILTER (WHERE status = 'rolled_back')::int AS taken_back, count(*) FILTER (WHERE status = 'failed')::int AS failed,
      count(DISTINCT site_id) ${done}::int AS sites, max(at) AS last_at
    FROM ${items(context, span)} WHERE status IN ('updated', 'rolled_back', 'failed') GROUP BY type, slug
    ORDER BY type = 'core' DESC, installed DESC, name, slug`.execute(context.db)
  return rows
}

export interface TakenBackRow {
  at: Date
  site_id: string
  type: string
  name: string
  version: string
}

export async function listTakenBack(context: Db, span: SitesWithin, most: number): Promise<TakenBackRow[]> {
  const { rows } = await sql<TakenBackRow>`SELECT at, site_id, type, name, to_version AS version FROM ${items(context, span)}
    WHERE status = 'rolled_back' ORDER BY at LIMIT ${most}`.execute(context.db)
  return rows
}

/** What the job `j` did to the thing of this SQL, where that was an update of it. */
export const itemOf = (slug: string) =>
  sql.raw(`(SELECT json_build_object('slug', i ->> 'slug', 'from_version', i ->> 'from_version', 'to_version', i ->> 'to_version')
  FROM jsonb_path_query(j.result, '$.items[*]') i WHERE i ->> 'slug' = ${slug} AND i ->> 'status' = 'updated' LIMIT 1)`)
