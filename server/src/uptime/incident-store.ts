// What begins or ends with a site, as its checks are written down.
import { type Kysely, sql } from 'kysely'
import type { Cause, IncidentKind } from './schema.ts'
import { here, type Place } from './sweep-store.ts'

type Db = Kysely<unknown>

export interface NewIncident {
  id: string
  kind: IncidentKind
  cause: Cause
  message: string
  httpStatus: number | null
  startedAt: Date
}

/** One of a kind is open at a time; none of a site that was disconnected while it was looked at. */
export async function openIncident(db: Db, { workspace_id, site_id }: Place, incident: NewIncident): Promise<void> {
  await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, http_status, started_at)
    SELECT ${workspace_id}, ${incident.id}, id, ${here}, ${incident.kind}, ${incident.cause}, ${incident.message}, ${incident.httpStatus},
      ${incident.startedAt} FROM sites WHERE workspace_id = ${workspace_id} AND id = ${site_id} AND status NOT IN ('disconnected', 'paused')
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function endIncident(db: Db, { workspace_id, site_id }: Place, kind: IncidentKind, at: Date): Promise<void> {
  await sql`UPDATE uptime_incidents SET ended_at = greatest(${at}, started_at) WHERE workspace_id = ${workspace_id} AND site_id = ${site_id}
    AND location = ${here} AND kind = ${kind} AND ended_at IS NULL`.execute(db)
}

export async function insertMove(
  db: Db,
  { workspace_id, site_id }: Place,
  move: { id: string; at: Date; before: string[]; after: readonly string[] },
) {
  await sql`INSERT INTO uptime_moves (workspace_id, id, site_id, location, seen_at, before, after) SELECT ${workspace_id}, ${move.id}, id, ${here}, ${move.at},
    ${move.before}, ${move.after} FROM sites WHERE workspace_id = ${workspace_id} AND id = ${site_id}`.execute(db)
}
