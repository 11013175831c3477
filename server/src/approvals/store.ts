import { type Kysely, sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { RequestedBy } from '../kernel/job.ts'
import type { DecidedBy } from '../policies/schema.ts'
import { domainIn } from '../sites/store.ts'
import type { Context, DatedDb, Db } from '../world.ts'
import type { ApprovalStatus } from './schema.ts'

/** A row as it stands. */
export interface Row {
  id: string
  status: ApprovalStatus
  operation: string
  title: string
  face: 'dashboard' | 'api' | 'mcp' | 'system'
  requested_by: RequestedBy
  request_id: string
  reason: string | null
  sealed_input: string
  input_digest: string
  shown_input: Record<string, unknown>
  plan: Record<string, unknown> | null
  plan_digest: string
  bound: unknown
  site_ids: string[]
  /** The domain of the only one. */
  site: string | null
  created_at: Date
  expires_at: Date
  decided_by: RequestedBy | null
  decided_at: Date | null
  note: string | null
  dispatched_at: Date | null
  job_id: string | null
  answer: Record<string, unknown> | null
  ended_reason: string | null
  /** By which policy it was done, or a person asked. */
  policy: DecidedBy | null
  /** A person let all waves of an update go. */
  all_waves: boolean
}

/** The one site that it is about; null: none, or several. */
export const onlySite = ({ site_ids }: Pick<Row, 'site_ids'>): string | null => (site_ids.length === 1 ? (site_ids[0] ?? null) : null)

export type NewRow = Pick<
  Row,
  | 'id'
  | 'operation'
  | 'title'
  | 'face'
  | 'requested_by'
  | 'request_id'
  | 'reason'
  | 'sealed_input'
  | 'input_digest'
  | 'shown_input'
  | 'plan'
  | 'plan_digest'
  | 'bound'
  | 'site_ids'
  | 'policy'
> & {
  key: string | null
  /** By whom where a policy lets it be done: at once, or when its caller comes for it. */
  allowed: { by: RequestedBy; status: 'approved' | 'dispatched' } | undefined
}

/** The later of the database's clock and ours: neither alone keeps a window open. */
const clock = ({ now }: Pick<Context, 'now'>) => sql`greatest(clock_timestamp(), ${now()}::timestamptz)`

const undecided = 'Nobody decided in time.'
const overdue = (at: Pick<Context, 'now'>) => sql`a.status = 'pending' AND a.expires_at <= ${clock(at)}`
const status = (at: Pick<Context, 'now'>) => sql`CASE WHEN ${overdue(at)} THEN 'expired' ELSE a.status END`

/** As it is by now: what nobody decided in time is expired, and says why, whether that was written down or not. */
const columns = (at: Pick<Context, 'now'>) =>
  sql`${status(at)} AS status, CASE WHEN ${overdue(at)} THEN ${undecided} ELSE a.ended_reason END AS ended_reason, ${rest}`

const rest =
  sql.raw(`a.id, a.operation, a.title, a.face, a.requested_by, a.request_id, a.reason, a.sealed_input, a.input_digest, a.shown_input,
  a.plan, a.plan_digest, a.bound, a.site_ids, a.created_at, a.expires_at, a.decided_by, a.decided_at, a.note, a.dispatched_at, a.job_id,
  a.answer, a.policy, a.all_waves,
  (SELECT ${domainIn('s.url')} FROM sites s WHERE s.workspace_id = a.workspace_id AND s.id = a.site_ids[1] AND cardinality(a.site_ids) = 1) AS site`)

export async function insertApproval({ db, workspaceId, now }: DatedDb, row: NewRow): Promise<void> {
  const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`
  const at = sql`${now()}::timestamptz`
  const done = row.allowed?.status === 'dispatched'
  await sql`INSERT INTO approvals (workspace_id, id, status, operation, title, face, requested_by, request_id, key, reason, sealed_input, input_digest,
      shown_input, plan, plan_digest, bound, site_ids, policy, created_at, expires_at, decided_by, decided_at, dispatched_at, ended_at)
    VALUES (${workspaceId}, ${row.id}, ${row.allowed?.status ?? 'pending'}, ${row.operation}, ${row.title}, ${row.face}, ${json(row.requested_by)}, ${row.request_id}, ${row.key},
      ${row.reason}, ${row.sealed_input}, ${row.input_digest}, ${json(row.shown_input)}, ${row.plan === null ? null : json(row.plan)},
      ${row.plan_digest}, ${json(row.bound)}, ${row.site_ids}, ${json(row.policy)}, ${at}, ${at} + interval '24 hours',
      ${row.allowed ? json(row.allowed.by) : null}, ${row.allowed ? at : null}, ${done ? at : null}, ${done ? at : null})`.execute(db)
}

export async function findApproval(at: DatedDb, id: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`SELECT ${columns(at)} FROM approvals a
    WHERE a.workspace_id = ${at.workspaceId} AND a.id = ${id}`.execute(at.db)
  return rows[0]
}

/** Until the transaction ends nobody else decides or dispatches it. */
export async function holdApproval(at: DatedDb, id: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`SELECT ${columns(at)} FROM approvals a
    WHERE a.workspace_id = ${at.workspaceId} AND a.id = ${id} FOR UPDATE`.execute(at.db)
  return rows[0]
}

/** What this caller asked for with this idempotency key within a day. */
export async function findByKey(at: DatedDb, callerId: string, operation: string, key: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`SELECT ${columns(at)} FROM approvals a
    WHERE a.workspace_id = ${at.workspaceId} AND a.requested_by->>'id' = ${callerId} AND a.operation = ${operation} AND a.key = ${key}
      AND a.created_at > ${at.now()}::timestamptz - interval '24 hours' ORDER BY a.id DESC LIMIT 1`.execute(at.db)
  return rows[0]
}

/** The same request of the same caller that waits to be decided or to be called again. */
export async function findWaiting(at: DatedDb, callerId: string, inputDigest: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`SELECT ${columns(at)} FROM approvals a
    WHERE a.workspace_id = ${at.workspaceId} AND a.requested_by->>'id' = ${callerId} AND a.input_digest = ${inputDigest}
      AND (a.status = 'approved' OR (a.status = 'pending' AND a.expires_at > ${clock(at)}))`.execute(at.db)
  return rows[0]
}

/** Writes down that the same request of the same caller was not decided in time, so that it can be made anew. */
export async function endOverdueOf(at: DatedDb, callerId: string, inputDigest: string): Promise<void> {
  await sql`UPDATE approvals SET status = 'expired', ended_at = expires_at, ended_reason = ${undecided}
    WHERE workspace_id = ${at.workspaceId} AND requested_by->>'id' = ${callerId} AND input_digest = ${inputDigest}
      AND status = 'pending' AND expires_at <= ${clock(at)}`.execute(at.db)
}

/** Which of these somebody asked for. */
export async function askedFor({ db, workspaceId }: Db, callerId: string, ids: string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM approvals
    WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}) AND requested_by->>'id' = ${callerId}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export interface Load {
  /** Of this caller, and of the whole workspace. */
  waiting: number
  waiting_in_all: number
  /** Of this caller, within the last hour: asked for, and done as a policy says. */
  lately: number
  automatic: number
}

/** How much waits already. */
export async function countWaiting({ db, workspaceId, now }: DatedDb, callerId: string): Promise<Load> {
  const { rows } =
    await sql<Load>`SELECT count(*) FILTER (WHERE waits AND his)::int AS waiting, count(*) FILTER (WHERE waits)::int AS waiting_in_all,
      count(*) FILTER (WHERE his AND NOT auto AND created_at > ${now()}::timestamptz - interval '1 hour')::int AS lately,
      count(*) FILTER (WHERE his AND auto AND created_at > ${now()}::timestamptz - interval '1 hour')::int AS automatic
    FROM (SELECT created_at, requested_by->>'id' = ${callerId} AS his, coalesce(decided_by->>'type' = 'system', false) AS auto, status = 'pending' AND expires_at > ${clock({ now })} AS waits FROM approvals
      WHERE workspace_id = ${workspaceId} AND created_at > ${now()}::timestamptz - interval '24 hours') AS recent`.execute(db)
  return rows[0] ?? { waiting: 0, waiting_in_all: 0, lately: 0, automatic: 0 }
}

export interface Decision {
  status: 'approved' | 'dispatched' | 'rejected'
  by: RequestedBy
  note: string | null
  job_id?: string | null
  answer?: Record<string, unknown> | null
  all_waves?: boolean
}

/** Of one that is held and pending. The database refuses a decision that comes too late by its own clock. */
export async function writeDecision(
  at: DatedDb,
  id: string,
  { status, by, note, job_id = null, answer = null, all_waves = false }: Decision,
): Promise<void> {
  const begun = status === 'dispatched'
  await sql`UPDATE approvals SET status = ${status}, decided_by = ${JSON.stringify(by)}::jsonb, decided_at = ${clock(at)}, note = ${note}, all_waves = ${all_waves},
      dispatched_at = ${begun ? at.now() : null}, ended_at = ${status === 'approved' ? null : at.now()}, job_id = ${job_id},
      answer = ${answer === null ? null : JSON.stringify(answer)}::jsonb
    WHERE workspace_id = ${at.workspaceId} AND id = ${id} AND status = 'pending'`.execute(at.db)
}

/** Of one that a policy let be done: what came of it. */
export async function writeDone(at: Db, id: string, { job_id, answer }: Pick<Row, 'job_id' | 'answer'>): Promise<void> {
  await sql`UPDATE approvals SET job_id = ${job_id}, answer = ${JSON.stringify(answer)}::jsonb
    WHERE workspace_id = ${at.workspaceId} AND id = ${id}`.execute(at.db)
}

/** Of one that was approved: its caller has it done now. */
export async function writeDispatched(at: DatedDb, id: string): Promise<void> {
  await sql`UPDATE approvals SET status = 'dispatched', dispatched_at = ${at.now()}, ended_at = ${at.now()}
    WHERE workspace_id = ${at.workspaceId} AND id = ${id} AND status = 'approved'`.execute(at.db)
}

/** Nothing will come of it. Of one that is over already nothing changes. */
export async function writeEnd(
  at: DatedDb,
  id: string,
  { status, reason }: { status: 'void' | 'canceled'; reason: string },
): Promise<void> {
  await sql`UPDATE approvals SET status = ${status}, ended_at = ${at.now()}, ended_reason = ${reason}
    WHERE workspace_id = ${at.workspaceId} AND id = ${id} AND status IN ('pending', 'approved')`.execute(at.db)
}

/** Of one whose work has begun: not all of it was done, and why. */
export async function writeUnlike(at: Db, id: string, reason: string): Promise<void> {
  await sql`UPDATE approvals SET ended_reason = ${reason}
    WHERE workspace_id = ${at.workspaceId} AND id = ${id} AND status = 'dispatched'`.execute(at.db)
}

/** Writes down what time did. */
export async function endOverdue(db: Kysely<unknown>, now: Date): Promise<void> {
  await sql`UPDATE approvals SET status = 'expired', ended_at = expires_at, ended_reason = ${undecided}
    WHERE status = 'pending' AND expires_at <= ${clock({ now: () => now })}`.execute(db)
  await sql`UPDATE approvals SET status = 'void', ended_at = ${now}, ended_reason = 'It was approved, but not called again in time.'
    WHERE status = 'approved' AND decided_at <= ${clock({ now: () => now })} - interval '1 hour'`.execute(db)
}

export interface ApprovalFilter {
  status?: ApprovalStatus | undefined
  /** The id or the name of the token that asked. */
  by?: string | undefined
  siteId?: string | undefined
  /** Only what this one asked for. */
  own?: string | undefined
}

const matching = (at: DatedDb, filter: ApprovalFilter) => {
  const { status: wanted = null, by = null, siteId = null, own = null } = filter
  return sql`a.workspace_id = ${at.workspaceId} AND (${wanted}::text IS NULL OR ${status(at)} = ${wanted})
    AND (${by}::text IS NULL OR ${by} IN (a.requested_by->>'id', a.requested_by->>'name'))
    AND (${siteId}::text IS NULL OR ${siteId} = ANY(a.site_ids)) AND (${own}::text IS NULL OR a.requested_by->>'id' = ${own})`
}

/** Newest first; ids sort by creation. */
export async function listApprovals(at: DatedDb, filter: ApprovalFilter, page: PageOf): Promise<Row[]> {
  const before = page.after === undefined ? sql`true` : sql`a.id < ${page.after[0]}`
  const { rows } = await sql<Row>`SELECT ${columns(at)} FROM approvals a WHERE ${matching(at, filter)} AND ${before}
    ORDER BY a.id DESC LIMIT ${page.limit ?? null}`.execute(at.db)
  return rows
}

export const countApprovals = (at: DatedDb, filter: ApprovalFilter): Promise<number> =>
  countRows(at.db, sql`approvals a WHERE ${matching(at, filter)}`)
