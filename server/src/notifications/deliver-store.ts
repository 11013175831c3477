import { type Kysely, sql } from 'kysely'
import { utc } from '../sites/store.ts'
import type { ChannelType, Notice } from './schema.ts'

type Db = Kysely<unknown>

export interface Claimed {
  workspace_id: string
  id: string
  channel_id: string
  notice_ids: string[]
  attempts: number
}

/** Takes messages that are due, each for so long; should its worker die, another takes it after that. */
export async function claimDeliveries(db: Db, now: Date, until: Date, most: number): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`UPDATE deliveries SET due_at = ${until}, begun = true, attempts = attempts + 1
    WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM deliveries WHERE status = 'waiting' AND due_at <= ${now}
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED) RETURNING workspace_id, id, channel_id, notice_ids, attempts`.execute(db)
  return rows
}

export interface Outgoing {
  type: ChannelType
  sealed: string
  workspace: string
}

export async function findOutgoing(db: Db, workspaceId: string, channelId: string): Promise<Outgoing | undefined> {
  const { rows } =
    await sql<Outgoing>`SELECT c.type, c.sealed, w.name AS workspace FROM channels c JOIN workspaces w ON w.id = c.workspace_id
    WHERE c.workspace_id = ${workspaceId} AND c.id = ${channelId} AND w.deleted_at IS NULL`.execute(db)
  return rows[0]
}

/** In the order in which they happened; of sites that are still there. */
export async function readNotices(db: Db, workspaceId: string, ids: string[]): Promise<Notice[]> {
  const { rows } = await sql<Notice>`SELECT n.id, n.kind, n.site_id, left(s.name, 100) AS site_name, s.url AS site_url, n.subject_id,
      ${utc('n.happened_at')} AS happened_at, n.message FROM notices n LEFT JOIN sites s ON (s.workspace_id, s.id) = (n.workspace_id, n.site_id)
    WHERE n.workspace_id = ${workspaceId} AND n.id = ANY(${ids}) ORDER BY n.happened_at, n.id`.execute(db)
  return rows
}

export interface Ending {
  status: 'waiting' | 'sent' | 'dead'
  dueAt?: Date
  error?: string
  sentAt?: Date
}

/** False: it is another attempt's by now. */
export async function endAttempt(
  db: Db,
  { workspace_id, id, attempts }: Claimed,
  { status, dueAt, error, sentAt }: Ending,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`UPDATE deliveries SET status = ${status}, due_at = coalesce(${dueAt ?? null}, due_at), error = ${error ?? null}, sent_at = ${sentAt ?? null}
    WHERE workspace_id = ${workspace_id} AND id = ${id} AND attempts = ${attempts} AND status = 'waiting'`.execute(db)
  return numAffectedRows === 1n
}

/** The name of a channel where this is the first message that was given up since one arrived. */
export async function findNewlyDeaf(db: Db, { workspace_id, id, channel_id }: Claimed): Promise<string | undefined> {
  // Of two that are given up at once one is the first.
  const { rows } = await sql<{ name: string }>`SELECT name FROM channels
    WHERE workspace_id = ${workspace_id} AND id = ${channel_id} FOR NO KEY UPDATE`.execute(db)
  const { rows: others } = await sql`SELECT 1 FROM deliveries d WHERE d.workspace_id = ${workspace_id} AND d.channel_id = ${channel_id}
    AND d.status = 'dead' AND d.id <> ${id} AND d.created_at > coalesce(
      (SELECT max(sent_at) FROM deliveries s WHERE s.workspace_id = ${workspace_id} AND s.channel_id = ${channel_id}), '-infinity') LIMIT 1`.execute(
    db,
  )
  return others.length === 0 ? rows[0]?.name : undefined
}
