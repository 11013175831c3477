import { type Kysely, sql } from 'kysely'
import type { Approved } from '../kernel/context.ts'
import { countRows, type PageOf, counted as rowsCounted } from '../kernel/cursor.ts'
import type { Outcome, RequestedBy } from '../kernel/job.ts'
import type { DatedDb, Db } from '../world.ts'
import { type Kind, type Rollout, type RolloutStatus, type RolloutSummary, type SiteOutcome, siteOutcomes, type Wanted } from './schema.ts'

export interface NewRollout {
  id: string
  kind: Kind
  input: Wanted
  waves: number
  requestedBy: RequestedBy
  approved: Approved | undefined
}
export interface NewSite {
  site_id: string
  wave: number | null
  reason: string | null
}

export async function insertRollout({ db, workspaceId, now }: DatedDb, rollout: NewRollout, sites: NewSite[]): Promise<void> {
  await sql`INSERT INTO rollouts (workspace_id, id, kind, status, input, waves, requested_by, approved_by, approval_id, all_waves, created_at)
    VALUES (${workspaceId}, ${rollout.id}, ${rollout.kind}, 'running', ${JSON.stringify(rollout.input)}::jsonb, ${rollout.waves},
      ${JSON.stringify(rollout.requestedBy)}::jsonb, ${rollout.approved === undefined ? null : JSON.stringify(rollout.approved.by)}::jsonb,
      ${rollout.approved?.id ?? null}, ${rollout.approved?.allWaves ?? false}, ${now()})`.execute(db)
  const rows = sites.map((site, place) => ({ ...site, place, status: site.wave === null ? 'skipped' : 'waiting' }))
  await sql`INSERT INTO rollout_sites (workspace_id, rollout_id, site_id, wave, place, status, reason)
    SELECT ${workspaceId}, ${rollout.id}, r.site_id, r.wave, r.place, r.status, r.reason
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (site_id text, wave integer, place integer, status text, reason text)
    JOIN sites s ON s.workspace_id = ${workspaceId} AND s.id = r.site_id`.execute(db)
}

/** Every rollout that goes on, of all workspaces. */
export async function listOpen(db: Kysely<unknown>): Promise<{ workspace_id: string; id: string }[]> {
  const { rows } = await sql<{ workspace_id: string; id: string }>`SELECT workspace_id, id FROM rollouts
    WHERE status IN ('running', 'stopping') ORDER BY created_at`.execute(db)
  return rows
}

export interface HeldRollout {
  id: string
  kind: Kind
  status: RolloutStatus
  input: Wanted
  wave: number
  waves: number
  ending: 'stopped' | 'canceled' | null
  requested_by: RequestedBy
  approved_by: RequestedBy | null
  approval_id: string | null
  /** A person let all waves go. */
  all_waves: boolean
  /** The wave that is to be asked for before it begins, and the approval that was asked for it. */
  asks_wave: number | null
  waits_for: string | null
}

/** Takes an open rollout until the transaction ends. Undefined when it is over, or with `skip` when somebody else has it. */
export async function holdOpen({ db, workspaceId }: Db, id: string, skip = false): Promise<HeldRollout | undefined> {
  const { rows } =
    await sql<HeldRollout>`SELECT id, kind, status, input, wave, waves, ending, requested_by, approved_by, approval_id, all_waves, asks_wave, waits_for FROM rollouts
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status IN ('running', 'stopping')
    FOR UPDATE ${sql.raw(skip ? 'SKIP LOCKED' : '')}`.execute(db)
  return rows[0]
}

export interface WaveSite {
  site_id: string
  status: SiteOutcome
  job_id: string | null
  /** Null when the job is gone. */
  job_status: string | null
  items: { status: string; reason: string | null }[] | null
  /** What went wrong with its items tells nothing of their versions, and the site is well. */
  unjudged: boolean
  outcome: Outcome | null
  summary: string | null
  error: string | null
}

/** The sites of one wave, in their order, with what their jobs say. */
export async function listWave({ db, workspaceId }: Db, rolloutId: string, wave: number): Promise<WaveSite[]> {
  const { rows } = await sql<WaveSite>`SELECT r.site_id, r.status, r.job_id, j.status AS job_status,
      CASE WHEN r.status = 'running' THEN j.result->'items' END AS items,
      (SELECT coalesce(bool_and(i->'unjudged' = 'true' AND i #> '{health,after,ok}' IS DISTINCT FROM 'false'), false)
        FROM jsonb_array_elements(j.result->'items') i WHERE i->>'status' IN ('failed', 'rolled_back')) AS unjudged, j.outcome, j.summary, j.error->>'message' AS error
    FROM rollout_sites r LEFT JOIN jobs j ON (j.workspace_id, j.id) = (r.workspace_id, r.job_id)
    WHERE (r.workspace_id, r.rollout_id) = (${workspaceId}, ${rolloutId}) AND r.wave = ${wave} ORDER BY r.place`.execute(db)
  return rows
}

export async function writeSite(
  { db, workspaceId }: Db,
  rolloutId: string,
  {
    site_id,
    status,
    job_id = null,
    reason = null,
  }: { site_id: string; status: SiteOutcome; job_id?: string | null; reason?: string | null },
): Promise<void> {
  await sql`UPDATE rollout_sites SET status = ${status}, reason = ${reason}, job_id = coalesce(${job_id}, job_id)
    WHERE (workspace_id, rollout_id, site_id) = (${workspaceId}, ${rolloutId}, ${site_id})`.execute(db)
}

export async function writeWave({ db, workspaceId }: Db, id: string, wave: number): Promise<void> {
  await sql`UPDATE rollouts SET wave = ${wave} WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

interface Asked {
  asks_wave: number | null
  waits_for: string | null
  /** By what it goes on, once that is decided. */
  approved?: Approved | undefined
}

/** What the rollout waits for before its next wave. */
export async function writeAsked({ db, workspaceId }: Db, id: string, { asks_wave, waits_for, approved }: Asked): Promise<void> {
  const by = approved ? JSON.stringify(approved.by) : null
  await sql`UPDATE rollouts SET asks_wave = ${asks_wave}, waits_for = ${waits_for}, approved_by = coalesce(${by}::jsonb, approved_by),
      approval_id = coalesce(${approved?.id ?? null}, approval_id), all_waves = all_waves OR ${approved?.allWaves ?? false}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** No further site begins; what waited is called not started. */
export async function writeStopping({ db, workspaceId }: Db, id: string, ending: 'stopped' | 'canceled', reason: string): Promise<void> {
  await sql`UPDATE rollouts SET status = 'stopping', ending = ${ending}, reason = ${reason}, asks_wave = NULL, waits_for = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  await sql`UPDATE rollout_sites SET status = 'not_started'
    WHERE (workspace_id, rollout_id) = (${workspaceId}, ${id}) AND status = 'waiting'`.execute(db)
}

export async function writeEnd({ db, workspaceId, now }: DatedDb, id: string): Promise<void> {
  await sql`UPDATE rollouts SET status = coalesce(ending, 'completed'), completed_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

const counted = sql.raw(siteOutcomes.map((status) => `'${status}', count(*) FILTER (WHERE s.status = '${status}')`).join(', '))
const done = sql.raw(`count(*) FILTER (WHERE s.wave IS NOT NULL AND s.status NOT IN ('waiting', 'running'))`)
const total = sql.raw('count(*) FILTER (WHERE s.wave IS NOT NULL)')
const well = sql`count(*) FILTER (WHERE s.status IN ('updated', 'done', 'already_current'))`
/** What came of it. Of sites that were removed since nothing is counted; one that had none from the start has no waves. */
const outcomeOf = sql`CASE WHEN r.status IN ('completed', 'stopped') THEN (SELECT
    CASE WHEN r.waves > 0 AND count(*) = ${well} THEN 'done' WHEN ${well} > 0 OR count(*) FILTER (WHERE s.status = 'partly') > 0 THEN 'partly'
      WHEN count(*) FILTER (WHERE s.status = 'rolled_back') > 0 AND count(*) FILTER (WHERE s.status = 'failed') = 0 THEN 'taken_back' ELSE 'failed' END
    FROM rollout_sites s WHERE (s.workspace_id, s.rollout_id) = (r.workspace_id, r.id)) END`
const shown = sql`r.id, r.id AS rollout_id, r.kind, r.status, r.reason, r.wave, r.waves, r.input, r.requested_by, r.approved_by, r.all_waves, r.asks_wave, r.waits_for, r.created_at, r.completed_at,
  (SELECT json_build_object(${counted}) FROM rollout_sites s WHERE (s.workspace_id, s.rollout_id) = (r.workspace_id, r.id)) AS counts,
  (SELECT json_build_object('percent', CASE WHEN ${total} = 0 THEN 100 ELSE 100 * ${done} / ${total} END, 'done', ${done}, 'total', ${total},
    'unit', 'sites') FROM rollout_sites s WHERE (s.workspace_id, s.rollout_id) = (r.workspace_id, r.id)) AS progress, ${outcomeOf} AS outcome`

/** As it is told of a job. */
export interface EndedAs {
  outcome: Outcome | null
}

export interface RolloutFilter {
  statuses?: readonly RolloutSummary['status'][]
  outcome?: Outcome | undefined
  siteId?: string | undefined
  /** Only those after this id. */
  newerThan?: string | undefined
  /** Only what this one asked for. */
  own?: string
}

const matching = ({ workspaceId }: Db, filter: RolloutFilter) => {
  const { statuses = null, outcome = null, siteId = null, newerThan = null, own = null } = filter
  return sql`r.workspace_id = ${workspaceId} AND (${statuses}::text[] IS NULL OR r.status = ANY(${statuses}))
    AND (${newerThan}::text IS NULL OR r.id > ${newerThan}) AND (${outcome}::text IS NULL OR ${outcomeOf} = ${outcome})
    AND (${own}::text IS NULL OR r.requested_by ->> 'id' = ${own})
    AND (${siteId}::text IS NULL OR EXISTS (SELECT 1 FROM rollout_sites s
      WHERE (s.workspace_id, s.rollout_id, s.site_id) = (r.workspace_id, r.id, ${siteId})))`
}

/** Newest first. */
export async function listRollouts(context: Db, filter: RolloutFilter, page: PageOf): Promise<(RolloutSummary & EndedAs)[]> {
  const before = page.after === undefined ? sql`true` : sql`r.id < ${page.after[0]}`
  const { rows } = await sql<RolloutSummary & EndedAs>`SELECT ${shown} FROM rollouts r WHERE ${matching(context, filter)} AND ${before}
    ORDER BY r.id DESC LIMIT ${page.limit ?? null}`.execute(context.db)
  return rows
}

export const countRollouts = (context: Db, filter: RolloutFilter): Promise<number> => countRows(context.db, those(context, filter))

/** The same, within a statement that asks for more. */
export const rolloutsCounted = (context: Db, filter: RolloutFilter) => rowsCounted(those(context, filter))

const those = (context: Db, filter: RolloutFilter) => sql`rollouts r WHERE ${matching(context, filter)}`

export async function findRollout({ db, workspaceId }: Db, id: string): Promise<(RolloutSummary & EndedAs) | undefined> {
  const { rows } = await sql<RolloutSummary & EndedAs>`SELECT ${shown} FROM rollouts r
    WHERE r.workspace_id = ${workspaceId} AND r.id = ${id}`.execute(db)
  return rows[0]
}

export async function listSitesOf({ db, workspaceId }: Db, id: string): Promise<Rollout['sites']> {
  const { rows } = await sql<Rollout['sites'][number]>`SELECT r.site_id, s.name, s.url, r.wave, r.status, r.reason, r.job_id,
      CASE WHEN o.kind = 'update' THEN j.result->'items' END AS items
    FROM rollout_sites r JOIN rollouts o ON (o.workspace_id, o.id) = (r.workspace_id, r.rollout_id) JOIN sites s ON (s.workspace_id, s.id) = (r.workspace_id, r.site_id)
    LEFT JOIN jobs j ON (j.workspace_id, j.id) = (r.workspace_id, r.job_id)
    WHERE (r.workspace_id, r.rollout_id) = (${workspaceId}, ${id}) ORDER BY r.place`.execute(db)
  return rows
}

/** Those of these that one caller asked for. */
export async function askedBy({ db, workspaceId }: Db, callerId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM rollouts
    WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}) AND requested_by ->> 'id' = ${callerId}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
