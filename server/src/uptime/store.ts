import { type RawBuilder, sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { Db } from '../world.ts'
import type { ErrorKind, Incident, IncidentKind } from './schema.ts'
import { appUpOf, here, isUnproven } from './sweep-store.ts'

/** A site with what is known of it; `rank`: the worse, the higher. */
export interface Known {
  site_id: string
  name: string
  rank: number
  enabled: boolean
  up: boolean | null
  app_up: boolean | null
  app_checked_at: Date | null
  connector_silent: boolean | null
  since: Date | null
  checked_at: Date | null
  response_ms: number | null
  error: { kind: ErrorKind; message: string } | null
  certificate_ends_at: Date | null
  addresses: string[]
  hour: Date | null
  samples: Buffer | null
  problem: string | null
  /** Since when it is not known whether it is up, because the trouble is ours. */
  unproven_since: Date | null
}

const rank = sql`CASE WHEN NOT coalesce(own.enabled, house.enabled, true) THEN 0 WHEN st.up IS NULL OR ${isUnproven('st')} THEN 2
  WHEN NOT st.up THEN 5 WHEN st.app_up = false THEN 4 WHEN st.connector_silent THEN 3 ELSE 1 END`
const joined = sql`sites s LEFT JOIN uptime_states st ON (st.workspace_id, st.site_id, st.location) = (s.workspace_id, s.id, ${here})
  LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (s.workspace_id, s.id)
  LEFT JOIN uptime_settings house ON house.workspace_id = s.workspace_id AND house.site_id IS NULL`

export interface Filter {
  siteId?: string | undefined
  state?: 'up' | 'down' | 'unknown' | 'paused' | undefined
}

const inState = { paused: sql`= 0`, unknown: sql`= 2`, down: sql`= 5`, up: sql`IN (1, 3, 4)` }

const where = ({ workspaceId }: Db, { siteId, state }: Filter) => sql`s.workspace_id = ${workspaceId}
  ${siteId === undefined ? sql`` : sql`AND s.id = ${siteId}`} ${state === undefined ? sql`` : sql`AND ${rank} ${inState[state]}`}`

/** Worst first; of equals the oldest. */
export async function listKnown(context: Db, filter: Filter, { limit, after }: PageOf): Promise<Known[]> {
  const behind = after === undefined ? sql`true` : sql`(-${rank}, s.id) > (${after[0]}::int, ${after[1]}::text)`
  const { rows } = await sql<Known>`SELECT s.id AS site_id, left(s.name, 100) AS name, ${rank} AS rank,
      coalesce(own.enabled, house.enabled, true) AS enabled, st.up, ${appUpOf('st')} AS app_up, m.app_checked_at, CASE WHEN NOT st.interrupted THEN st.connector_silent END AS connector_silent, st.since, CASE WHEN ${isUnproven('st')} THEN st.unproven_since END AS unproven_since, m.checked_at, m.response_ms,
      m.error, m.certificate_ends_at, m.hour, m.samples,
      ARRAY(SELECT key FROM jsonb_each_text(m.addresses) WHERE value = (SELECT max(value) FROM jsonb_each_text(m.addresses))) AS addresses,
      (SELECT i.message FROM uptime_incidents i WHERE (i.workspace_id, i.site_id) = (s.workspace_id, s.id) AND i.ended_at IS NULL
        ORDER BY array_position(ARRAY['down', 'app_down', 'connector_silent'], i.kind) LIMIT 1) AS problem
    FROM ${joined} LEFT JOIN uptime_monitors m ON (m.workspace_id, m.site_id, m.location) = (s.workspace_id, s.id, ${here})
    WHERE ${where(context, filter)} AND ${behind} ORDER BY -${rank}, s.id LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

/** `n`: of each rank; `unproven`: since when it is not known of some of these whether they are up, because the trouble is ours. */
export async function countRanks(context: Db, filter: Filter): Promise<Map<number, { n: number; unproven: Date | null }>> {
  const { rows } = await sql<{ rank: number; n: number; unproven: Date | null }>`SELECT ${rank} AS rank, count(*)::int AS n,
      min(st.unproven_since) FILTER (WHERE ${isUnproven('st')}) AS unproven
    FROM ${joined} WHERE ${where(context, filter)} GROUP BY 1`.execute(context.db)
  return new Map(rows.map(({ rank: of, ...counted }) => [of, counted]))
}

/** What the hours and days that were put away come to since each of these times, by site. */
export async function sumSince({ db, workspaceId }: Db, siteIds: string[], hours: Date, days: Date): Promise<Map<string, SumsOf>> {
  const since = (name: string, from: RawBuilder<unknown>) => sql`coalesce(sum(${sql.ref(name)}) FILTER (WHERE ${from}), 0)::int`
  const ofHours = (day: Date) => sql`hour >= ${day}`
  const ofDays = (day: Date) => sql`day >= ${day}`
  const ago = (from: Date, days: number) => new Date(from.getTime() - days * 86_400_000)
  const { rows } = await sql<SumsRow>`SELECT h.site_id, h.c1, h.u1, h.c7, h.u7, d.c30, d.u30, d.c90, d.u90 FROM (
      SELECT site_id, ${since('checks', ofHours(ago(hours, 1)))} AS c1, ${since('ups', ofHours(ago(hours, 1)))} AS u1,
        ${since('checks', ofHours(ago(hours, 7)))} AS c7, ${since('ups', ofHours(ago(hours, 7)))} AS u7 FROM uptime_hours
      WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND location = ${here} AND hour >= ${ago(hours, 7)} GROUP BY site_id) h
    FULL JOIN (SELECT site_id, ${since('checks', ofDays(ago(days, 29)))} AS c30, ${since('ups', ofDays(ago(days, 29)))} AS u30,
        ${since('checks', ofDays(ago(days, 89)))} AS c90, ${since('ups', ofDays(ago(days, 89)))} AS u90 FROM uptime_days
      WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND location = ${here} AND day >= ${ago(days, 89)} GROUP BY site_id) d
    USING (site_id)`.execute(db)
  return new Map(rows.map(({ site_id, ...sums }) => [site_id, sums]))
}

export interface SumsOf {
  c1: number | null
  u1: number | null
  c7: number | null
  u7: number | null
  c30: number | null
  u30: number | null
  c90: number | null
  u90: number | null
}
type SumsRow = SumsOf & { site_id: string }

/** The last hours of samples that were put away, newest first. */
export async function listSamples({ db, workspaceId }: Db, siteId: string, hours: number): Promise<{ hour: Date; samples: Buffer }[]> {
  const { rows } = await sql<{ hour: Date; samples: Buffer }>`SELECT hour, samples FROM uptime_samples
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND location = ${here} ORDER BY hour DESC LIMIT ${hours}`.execute(db)
  return rows
}

/** What held of a site's checks until a time. */
export interface Earlier extends Pick<Known, 'error' | 'certificate_ends_at'> {
  until: Date
}

/** Oldest first. */
export async function listEarlier({ db, workspaceId }: Db, siteId: string): Promise<Earlier[]> {
  const { rows } = await sql<Earlier>`SELECT until, error, certificate_ends_at FROM uptime_earlier
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND location = ${here} ORDER BY until`.execute(db)
  return rows
}

export interface PointRow {
  at: Date
  checks: number
  ups: number
  excluded: number
  ms_sum: string
  ms_histogram: number[]
}

interface Stretch {
  step: 'hour' | 'day'
  since: Date
  until: Date
}

/** Oldest first. */
export async function listPoints({ db, workspaceId }: Db, siteId: string, { step, since, until }: Stretch): Promise<PointRow[]> {
  const { rows } = await sql<PointRow>`SELECT ${sql.ref(step)} AS at, checks, ups, excluded, ms_sum, ms_histogram
    FROM ${sql.table(step === 'hour' ? 'uptime_hours' : 'uptime_days')} WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}
    AND location = ${here} AND ${sql.ref(step)} >= ${since} AND ${sql.ref(step)} < ${until} ORDER BY 1`.execute(db)
  return rows
}

export interface IncidentFilter {
  siteId?: string | undefined
  open?: boolean | undefined
  kind?: IncidentKind | undefined
}

const incidents = ({ workspaceId }: Db, { siteId, open, kind }: IncidentFilter) => sql`i.workspace_id = ${workspaceId}
  ${siteId === undefined ? sql`` : sql`AND i.site_id = ${siteId}`} ${kind === undefined ? sql`` : sql`AND i.kind = ${kind}`}
  ${open === undefined ? sql`` : open ? sql`AND i.ended_at IS NULL` : sql`AND i.ended_at IS NOT NULL`}`

type IncidentRow = Omit<Incident, 'duration_s' | 'started_at' | 'ended_at'> & { started_at: Date; ended_at: Date | null }

/** Newest first. */
export async function listIncidents(context: Db, filter: IncidentFilter, { limit, after }: PageOf): Promise<IncidentRow[]> {
  const before = after === undefined ? sql`true` : sql`(i.started_at, i.id) < (${after[0]}::timestamptz, ${after[1]}::text)`
  const { rows } = await sql<IncidentRow>`SELECT i.id, i.site_id, left(s.name, 100) AS site_name, i.kind, i.cause, i.message, i.http_status,
      i.location, i.started_at, i.ended_at, i.ended_by_pause FROM uptime_incidents i JOIN sites s ON (s.workspace_id, s.id) = (i.workspace_id, i.site_id)
    WHERE ${incidents(context, filter)} AND ${before} ORDER BY i.started_at DESC, i.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export function countIncidents(context: Db, filter: IncidentFilter): Promise<number> {
  return countRows(context.db, sql`uptime_incidents i WHERE ${incidents(context, filter)}`)
}

interface MoveRow {
  location: string
  seen_at: Date
  before: string[]
  after: string[]
}

/** Newest first. */
export async function listMoves({ db, workspaceId }: Db, siteId: string): Promise<MoveRow[]> {
  const { rows } = await sql<MoveRow>`SELECT location, seen_at, before, after FROM uptime_moves
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} ORDER BY seen_at DESC LIMIT 10`.execute(db)
  return rows
}
