import { type Kysely, sql } from 'kysely'
import type { Kind, Quiet } from './schema.ts'
import { quiet } from './store.ts'

type Db = Kysely<unknown>

/** What happened, with what a message says of it. */
export interface Happening {
  workspace_id: string
  seq: string
  kind: Kind
  /** null: of several sites, or none. */
  site_id: string | null
  subject_id: string
  happened_at: Date
  message: string | null
  /** Tells the times apart at which one thing happened; null: it happens once. */
  episode: number | null
  tags: string[]
  client: string | null
}

/** Takes out what triggers have noted, oldest first; others pass it by until the transaction ends. */
export async function takeHappenings(db: Db, now: Date, most: number): Promise<Happening[]> {
  const { rows } = await sql<Happening>`WITH taken AS (
      DELETE FROM happenings WHERE (workspace_id, seq) IN
        (SELECT workspace_id, seq FROM happenings ORDER BY seq LIMIT ${most} FOR UPDATE SKIP LOCKED) RETURNING *)
    SELECT t.workspace_id, t.seq, t.kind, t.site_id, t.subject_id, coalesce(s.tags, '{}') AS tags, coalesce(s.client, c.name) AS client,
      coalesce(CASE WHEN t.kind LIKE '%\\_back' THEN i.ended_at ELSE i.started_at END, j.completed_at, m.seen_at, e.last_seen_at, a.created_at, p.bounced_at,
        r.created_at, ${now}) AS happened_at, coalesce(e.alarms, f.alarms) AS episode,
      CASE WHEN i.id IS NOT NULL THEN CASE WHEN t.kind LIKE '%\\_back'
            THEN 'It answers again after ' || round(extract(epoch FROM i.ended_at - i.started_at) / 60) || ' min.' ELSE i.message END
        WHEN m.id IS NOT NULL THEN 'Its addresses in DNS are now ' || array_to_string(m.after[1:10], ', ') || '; before: ' || array_to_string(m.before[1:10], ', ') || '.'
        WHEN f.id IS NOT NULL THEN f.title
        WHEN e.id IS NOT NULL THEN 'A fatal PHP error' || CASE WHEN e.component ->> 'slug' ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$' AND e.component ->> 'type' IN ('plugin', 'theme')
            THEN ' in the ' || (e.component ->> 'type') || ' ' || (e.component ->> 'slug') ELSE '' END || ', met ' || greatest(e.captured, e.logged) || ' times so far.'
        WHEN a.id IS NOT NULL THEN a.title || CASE cardinality(a.site_ids) WHEN 0 THEN '' WHEN 1 THEN '' ELSE ' on ' || cardinality(a.site_ids) || ' sites' END
          || ', asked for by ' || (a.requested_by->>'name') || ' as ' || a.id || '.'
        WHEN p.id IS NOT NULL THEN 'The mail with a report for ' || c.name || ' to ' || p.address || ' did not arrive. ' || coalesce(p.error, '')
        WHEN t.kind = 'report_to_send' THEN 'The report for ' || c.name || ' is published and sent on ' ||
          to_char(r.send_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC, unless somebody discards it: ' || r.id || '.'
        WHEN r.id IS NOT NULL THEN 'A report for ' || c.name || ' is drafted, and is sent by nobody before somebody reads and publishes it: ' || r.id || '.'
        WHEN t.kind = 'watch_troubled' THEN (SELECT 'Since ' || coalesce(to_char(min(u.unproven_since) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC', 'a while ago')
          || ' sites that were up do not answer, and it may be the network of this service: too many fail at once, or what it asks to know better does not answer either.'
          FROM uptime_states u WHERE u.workspace_id = t.workspace_id AND u.up)
        ELSE coalesce(j.summary, j.error ->> 'message') END AS message
    FROM taken t LEFT JOIN sites s ON (s.workspace_id, s.id) = (t.workspace_id, t.site_id)
    LEFT JOIN uptime_incidents i ON (i.workspace_id, i.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN uptime_moves m ON (m.workspace_id, m.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN findings f ON (f.workspace_id, f.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN jobs j ON (j.workspace_id, j.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN php_errors e ON (e.workspace_id, e.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN approvals a ON (a.workspace_id, a.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN report_mails p ON (p.workspace_id, p.id) = (t.workspace_id, t.subject_id)
    LEFT JOIN reports r ON (r.workspace_id, r.id) = (t.workspace_id, coalesce(p.report_id, t.subject_id))
    LEFT JOIN clients c ON (c.workspace_id, c.id) = (r.workspace_id, r.client_id)
    WHERE (a.id IS NULL OR a.status = 'pending')
      AND CASE t.kind WHEN 'report_waiting' THEN r.status = 'draft' AND r.send_at IS NULL WHEN 'report_to_send' THEN r.send_at IS NOT NULL
        WHEN 'report_returned' THEN p.id IS NOT NULL ELSE true END
    ORDER BY t.seq`.execute(db)
  return rows
}

/** Certificates that end within so many days, or have ended, of sites that are watched. */
export async function listEndingCertificates(
  db: Db,
  now: Date,
  days: number,
): Promise<(Omit<Happening, 'seq' | 'kind' | 'episode'> & { ends_at: Date })[]> {
  const { rows } = await sql<
    Omit<Happening, 'seq' | 'kind' | 'episode'> & { ends_at: Date }
  >`SELECT m.workspace_id, m.site_id, m.site_id AS subject_id,
      m.certificate_ends_at AS ends_at, ${now}::timestamptz AS happened_at, NULL AS message, s.tags, s.client
    FROM uptime_monitors m JOIN sites s ON (s.workspace_id, s.id) = (m.workspace_id, m.site_id)
    WHERE m.certificate_ends_at < ${now}::timestamptz + make_interval(days => ${days}) AND m.checked_at > ${now}::timestamptz - interval '1 day'`.execute(
    db,
  )
  return rows
}

export interface NewNotice extends Pick<Happening, 'workspace_id' | 'kind' | 'site_id' | 'subject_id' | 'happened_at'> {
  id: string
  key: string
  message: string
}

/** The ids of those that are new: an episode is told once. */
export async function insertNotices(db: Db, notices: readonly NewNotice[]): Promise<Set<string>> {
  if (notices.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`INSERT INTO notices (workspace_id, id, key, kind, site_id, subject_id, happened_at, message)
    SELECT r.* FROM jsonb_to_recordset(${JSON.stringify(notices)}::jsonb) AS r (workspace_id text, id text, key text, kind text, site_id text,
      subject_id text, happened_at timestamptz, message text) ON CONFLICT DO NOTHING RETURNING id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export interface RuleOf {
  workspace_id: string
  channel_id: string
  kinds: Kind[] | null
  site_id: string | null
  tag: string | null
  client: string | null
  quiet: Quiet | null
}

export async function listRulesOf(db: Db, workspaceIds: string[]): Promise<RuleOf[]> {
  const { rows } = await sql<RuleOf>`SELECT workspace_id, channel_id, kinds, site_id, tag, client, ${quiet} FROM notice_rules
    WHERE workspace_id = ANY(${workspaceIds}) ORDER BY workspace_id, id`.execute(db)
  return rows
}

export interface Line {
  workspaceId: string
  channelId: string
  noticeIds: string[]
  dueAt: Date
  /** A message that would go soon waits until then, because more may belong to it. */
  waits: boolean
  /** For a message of its own, where none waits already. */
  newId: string
}

const mostOfOne = 500
/** So long after its beginning a message waits for nothing. */
const longestS = 120

/** Adds to the message that waits for this channel, or begins one. */
export async function addToDelivery(db: Db, { workspaceId, channelId, noticeIds, dueAt, waits, newId }: Line, now: Date): Promise<void> {
  const soonest = sql`least(due_at, ${dueAt})`
  const due = waits ? sql`greatest(${soonest}, least(${dueAt}, created_at + make_interval(secs => ${longestS})))` : soonest
  const { numAffectedRows } = await sql`UPDATE deliveries SET notice_ids = notice_ids || ${noticeIds}::text[], due_at = ${due}
    WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM deliveries WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId}
      AND status = 'waiting' AND NOT begun AND cardinality(notice_ids) < ${mostOfOne} ORDER BY id LIMIT 1 FOR UPDATE)`.execute(db)
  if (numAffectedRows === 0n)
    await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
      VALUES (${workspaceId}, ${newId}, ${channelId}, 'waiting', ${noticeIds}, ${dueAt}, ${now})`.execute(db)
}
