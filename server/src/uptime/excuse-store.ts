// What is asked once more when failures are written down: whether they say anything about their sites.
import { type Kysely, sql } from 'kysely'
import { noteHappenings } from '../platform/happenings.ts'
import { hasWindow, isUnproven, type Place } from './sweep-store.ts'

type Db = Kysely<unknown>

const settings = sql`LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (s.workspace_id, s.id)
  LEFT JOIN uptime_settings house ON house.workspace_id = s.workspace_id AND house.site_id IS NULL`
const isEnabled = sql`coalesce(own.enabled, house.enabled, true)`

/** Which of these sites something of ours is at work on, or was a moment ago, that may change them. `site_id`s. */
export async function atWork(db: Db, sites: readonly Place[], types: string[], since: Date) {
  const { rows } = await sql<{ site_id: string }>`WITH w AS (
      SELECT * FROM unnest(${sites.map((each) => each.workspace_id)}::text[], ${sites.map((each) => each.site_id)}::text[]) AS w (workspace_id, site_id))
    SELECT j.site_id FROM w JOIN jobs j ON (j.workspace_id, j.site_id) = (w.workspace_id, w.site_id)
    WHERE j.type = ANY(${types}) AND j.completed_at > ${since}
    UNION ALL SELECT j.site_id FROM w JOIN jobs j ON (j.workspace_id, j.site_id) = (w.workspace_id, w.site_id)
    WHERE j.type = ANY(${types}) AND j.status = 'running'`.execute(db)
  return new Set(rows.map(({ site_id }) => site_id))
}

/** Which of these sites nobody watches by now, or have a maintenance: what was so when their turn came may be half a minute old. `site_id`s. */
export async function letBe(db: Db, sites: readonly Place[], now: Date): Promise<Set<string>> {
  const { rows } = await sql<{ site_id: string }>`SELECT s.id AS site_id
    FROM unnest(${sites.map((each) => each.workspace_id)}::text[], ${sites.map((each) => each.site_id)}::text[]) AS w (workspace_id, site_id)
    JOIN sites s ON (s.workspace_id, s.id) = (w.workspace_id, w.site_id)
    ${settings}
    WHERE NOT ${isEnabled} OR s.status IN ('pending', 'disconnected', 'paused') OR ${hasWindow('s', 'id', now)}`.execute(db)
  return new Set(rows.map(({ site_id }) => site_id))
}

/** Nobody looks at any site any more: what our own trouble left unknown is so like all that nobody looked at. */
export async function endUnproven(db: Db, now: Date): Promise<void> {
  await sql`WITH states AS (
      UPDATE uptime_states u SET up = NULL, app_known = false, interrupted = true, since = ${now}, unproven_since = NULL
      WHERE u.unproven_since IS NOT NULL)
    UPDATE uptime_monitors SET unproven_since = NULL WHERE unproven_since IS NOT NULL`.execute(db)
}

/** Tells people once that of sites that were up it is not known any more: in workspaces in which these are the first. Those workspaces. */
export async function tellUnproven(db: Db, sites: readonly Place[], idOf: () => string): Promise<string[]> {
  const workspaces = [...new Set(sites.map(({ workspace_id }) => workspace_id))].toSorted()
  if (workspaces.length === 0) return []
  // Another worker may have found some of the same workspace in this moment.
  await sql`SELECT 1 FROM workspaces WHERE id = ANY(${workspaces}) ORDER BY id FOR NO KEY UPDATE`.execute(db)
  const { rows } = await sql<{ workspace_id: string }>`SELECT w.workspace_id FROM unnest(${workspaces}::text[]) AS w (workspace_id)
    WHERE NOT EXISTS (SELECT 1 FROM uptime_states st JOIN sites s ON (s.workspace_id, s.id) = (st.workspace_id, st.site_id) ${settings}
      WHERE st.workspace_id = w.workspace_id AND ${isUnproven('st')} AND ${isEnabled} AND st.site_id <> ALL(${sites.map(({ site_id }) => site_id)}))`.execute(
    db,
  )
  const first = rows.map(({ workspace_id }) => workspace_id)
  await noteHappenings(
    db,
    first.map((workspaceId) => ({ workspaceId, kind: 'watch_troubled', subjectId: idOf() })),
  )
  return first
}
