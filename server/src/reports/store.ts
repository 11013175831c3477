import { type Kysely, sql } from 'kysely'
import type { Section } from '../clients/schema.ts'
import { dayOf } from '../kernel/calendar.ts'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { RequestedBy } from '../kernel/job.ts'
import type { DatedDb, Db } from '../world.ts'
import type { Facts } from './facts.ts'
import type { ReportSummary } from './page.ts'
import type { Note, Place, Report } from './schema.ts'

const columns =
  sql.raw(`r.id, r.client_id, coalesce(r.told->'look'->>'client', c.name) AS client_name, r.status, r.version, r.root_id, r.correction, r.period_from, r.period_to, r.digest,
  r.send_at, r.held_back, r.created_at, r.updated_at, r.published_at, coalesce(r.told->'look'->>'time_zone', r.facts->>'time_zone') AS time_zone`)
const joined = sql.raw('reports r JOIN clients c ON (c.workspace_id, c.id) = (r.workspace_id, r.client_id)')

export interface ReportFilter {
  clientId?: string | undefined
  status?: Report['status'] | undefined
}

const matching = ({ workspaceId }: Db, { clientId, status }: ReportFilter) => sql`r.workspace_id = ${workspaceId}
  ${clientId === undefined ? sql`` : sql`AND r.client_id = ${clientId}`} ${status === undefined ? sql`` : sql`AND r.status = ${status}`}`

/** Newest first. */
export async function listReports(context: Db, filter: ReportFilter, { limit, after }: PageOf): Promise<Report[]> {
  const before = after === undefined ? sql`true` : sql`r.id < ${after[0]}`
  const { rows } = await sql<Listed>`SELECT ${columns} FROM ${joined} WHERE ${matching(context, filter)} AND ${before}
    ORDER BY r.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows.map(({ time_zone, ...row }) => ({ ...row, ...periodOf({ ...row, time_zone }) }))
}

interface Listed extends Omit<Report, 'first_day' | 'last_day' | 'period_from' | 'period_to'> {
  period_from: Date
  period_to: Date
  /** That it was drafted in. */
  time_zone: string
}

/** As it is told: with its first and its last day, as the client has them. */
export const periodOf = ({ period_from, period_to, time_zone }: Pick<Listed, 'period_from' | 'period_to' | 'time_zone'>) => ({
  first_day: dayOf(period_from, time_zone),
  last_day: dayOf(new Date(period_to.getTime() - 1), time_zone),
  period_from: period_from.toISOString(),
  period_to: period_to.toISOString(),
})

export const countReports = (context: Db, filter: ReportFilter): Promise<number> =>
  countRows(context.db, sql`reports r WHERE ${matching(context, filter)}`)

export interface Row extends Omit<Listed, 'send_at' | 'published_at'> {
  send_at: Date | null
  published_at: Date | null
  facts: Facts
  notes: Partial<Record<Place, Omit<Note, 'section'>>>
  hidden: Section[]
  /** Of what was published, as it was then. */
  told: ReportSummary | null
}

/** `held`: nobody else changes it until the transaction ends. */
export async function findReport({ db, workspaceId }: Db, id: string, { held = false } = {}): Promise<Row | undefined> {
  const { rows } = await sql<Row>`SELECT ${columns}, r.facts, r.notes, r.hidden, r.told FROM ${joined}
    WHERE r.workspace_id = ${workspaceId} AND r.id = ${id} ${held ? sql`FOR UPDATE OF r` : sql``}`.execute(db)
  return rows[0]
}

export async function findDraft({ db, workspaceId }: Db, clientId: string, from: Date, to: Date): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM reports WHERE workspace_id = ${workspaceId} AND client_id = ${clientId}
    AND status = 'draft' AND version = 1 AND (period_from, period_to) = (${from}, ${to}) ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]?.id
}

/** Whether this client's report of exactly this time is published. */
export async function isPublished({ db, workspaceId }: Db, clientId: string, from: Date, to: Date): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM reports WHERE workspace_id = ${workspaceId} AND client_id = ${clientId}
    AND status = 'published' AND (period_from, period_to) = (${from}, ${to}) LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The newest version of a report, published or not. */
export async function newestVersion(
  { db, workspaceId }: Db,
  rootId: string,
): Promise<Pick<Report, 'id' | 'version' | 'status'> | undefined> {
  const { rows } = await sql<Pick<Report, 'id' | 'version' | 'status'>>`SELECT id, version, status FROM reports
    WHERE workspace_id = ${workspaceId} AND root_id = ${rootId} ORDER BY version DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** The newest version that is published: what links lead to. */
export async function newestPublished(context: Db, { id, root_id }: Pick<Report, 'id' | 'root_id'>): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM reports WHERE workspace_id = ${context.workspaceId} AND root_id = ${root_id}
    AND status = 'published' ORDER BY version DESC LIMIT 1`.execute(context.db)
  return rows[0]?.id ?? id
}

export interface NewReport extends Pick<Row, 'id' | 'client_id' | 'root_id' | 'version' | 'correction' | 'facts' | 'notes' | 'hidden'> {
  from: Date
  to: Date
  by: RequestedBy
}

export async function insertReport({ db, workspaceId, now }: DatedDb, made: NewReport): Promise<void> {
  await sql`INSERT INTO reports (workspace_id, id, client_id, root_id, version, correction, status, period_from, period_to, facts, notes, hidden,
      created_by, created_at, updated_at)
    VALUES (${workspaceId}, ${made.id}, ${made.client_id}, ${made.root_id}, ${made.version}, ${made.correction}, 'draft', ${made.from}, ${made.to},
      ${JSON.stringify(made.facts)}::jsonb, ${JSON.stringify(made.notes)}::jsonb, ${made.hidden}, ${JSON.stringify(made.by)}::jsonb,
      ${now()}, ${now()})`.execute(db)
}

/** What of a draft may change; what is left out stays. */
export async function writeDraft(
  { db, workspaceId, now }: DatedDb,
  id: string,
  { facts, notes, hidden, held_back = false }: Partial<Pick<Row, 'facts' | 'notes' | 'hidden' | 'held_back'>>,
): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  await sql`UPDATE reports SET facts = coalesce(${json(facts)}::jsonb, facts), notes = coalesce(${json(notes)}::jsonb, notes),
      hidden = coalesce(${hidden ?? null}::text[], hidden), updated_at = ${now()},
      held_back = held_back OR ${held_back}, send_at = CASE WHEN ${held_back} THEN NULL ELSE send_at END
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'draft'`.execute(db)
}

export async function markPublished(
  { db, workspaceId, now }: DatedDb,
  id: string,
  { html, digest, told, by }: { html: Buffer; digest: string; told: ReportSummary; by: RequestedBy },
): Promise<void> {
  await sql`UPDATE reports SET status = 'published', html = ${html}, digest = ${digest}, told = ${JSON.stringify(told)}::jsonb,
      published_by = ${JSON.stringify(by)}::jsonb, published_at = ${now()}, updated_at = ${now()}, send_at = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'draft'`.execute(db)
}

export async function readHtml({ db, workspaceId }: Db, id: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ html: Buffer }>`SELECT html FROM reports
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'published'`.execute(db)
  return rows[0]?.html
}

/** False: there is no such draft. */
export async function deleteDraft({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM reports
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'draft'`.execute(db)
  return numAffectedRows === 1n
}

/** Who has said nothing is called as the workspace is. */
export async function readSettings({ db, workspaceId }: Db): Promise<{
  workspace: string
  sender: string | null
  reply_to: string | null
  link_base: string | null
  mentions_product: boolean
}> {
  const { rows } = await sql<Awaited<ReturnType<typeof readSettings>>>`SELECT w.name AS workspace, s.sender, s.reply_to, s.link_base,
      coalesce(s.mentions_product, false) AS mentions_product
    FROM workspaces w LEFT JOIN report_settings s ON s.workspace_id = w.id WHERE w.id = ${workspaceId}`.execute(db)
  return rows[0] ?? { workspace: '', sender: null, reply_to: null, link_base: null, mentions_product: false }
}

export async function writeSettings(
  { db, workspaceId }: Db,
  set: { sender: string | null; reply_to: string | null; link_base: string | null; mentions_product: boolean },
): Promise<void> {
  await sql`INSERT INTO report_settings (workspace_id, sender, reply_to, link_base, mentions_product)
    VALUES (${workspaceId}, ${set.sender}, ${set.reply_to}, ${set.link_base}, ${set.mentions_product})
    ON CONFLICT (workspace_id) DO UPDATE SET sender = excluded.sender, reply_to = excluded.reply_to, link_base = excluded.link_base,
      mentions_product = excluded.mentions_product`.execute(db)
}

/** Null: it is not sent by itself, as one that is held back never is. */
export async function writeSendAt({ db, workspaceId }: Db, id: string, at: Date | null): Promise<void> {
  await sql`UPDATE reports SET send_at = ${at}
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'draft' AND NOT (held_back AND ${at}::timestamptz IS NOT NULL)`.execute(
    db,
  )
}

/** A draft that is to be sent by itself now, held until the transaction ends; undefined: there is none. */
export async function claimDueDraft(db: Kysely<unknown>, now: Date): Promise<{ workspace_id: string; id: string } | undefined> {
  const { rows } = await sql<{
    workspace_id: string
    id: string
  }>`SELECT workspace_id, id FROM reports WHERE status = 'draft' AND send_at <= ${now}
    ORDER BY send_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(db)
  return rows[0]
}
