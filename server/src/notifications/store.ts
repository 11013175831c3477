import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import { utc } from '../sites/store.ts'
import type { Context, Db } from '../world.ts'
import type { Channel, Delivery, Kind, Notice, Rule } from './schema.ts'

export async function insertChannel(
  { db, workspaceId, now }: Context,
  channel: Omit<Channel, 'created_at'>,
  sealed: string,
): Promise<void> {
  await sql`INSERT INTO channels (workspace_id, id, name, type, shown, sealed, created_at)
    VALUES (${workspaceId}, ${channel.id}, ${channel.name}, ${channel.type}, ${channel.shown}, ${sealed}, ${now()})`.execute(db)
}

export async function listChannels({ db, workspaceId }: Db): Promise<Channel[]> {
  const { rows } = await sql<Channel>`SELECT id, name, type, shown, ${utc('created_at')} AS created_at FROM channels
    WHERE workspace_id = ${workspaceId} ORDER BY id`.execute(db)
  return rows
}

/** False: there is none. */
export async function deleteChannel({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM channels WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

export async function insertRule({ db, workspaceId, now }: Context, rule: Omit<Rule, 'created_at'>): Promise<void> {
  await sql`INSERT INTO notice_rules (workspace_id, id, channel_id, kinds, site_id, tag, client, quiet, created_at)
    VALUES (${workspaceId}, ${rule.id}, ${rule.channel_id}, ${rule.kinds}, ${rule.site_id}, ${rule.tag}, ${rule.client},
      ${rule.quiet === null ? null : JSON.stringify(rule.quiet)}::jsonb, ${now()})`.execute(db)
}

export async function listRules({ db, workspaceId }: Db): Promise<Rule[]> {
  const { rows } = await sql<Rule>`SELECT id, channel_id, kinds, site_id, tag, client, ${quiet}, ${utc('created_at')} AS created_at
    FROM notice_rules WHERE workspace_id = ${workspaceId} ORDER BY id`.execute(db)
  return rows
}

/** Of a rule of table `notice_rules`. One of the time when all were in UTC names no zone. */
export const quiet = sql`'{"time_zone": "UTC"}' || quiet AS quiet`

/** False: there is none. */
export async function deleteRule({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM notice_rules WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

export interface NoticeFilter {
  siteId?: string | undefined
  kind?: Kind | undefined
}

const notices = ({ workspaceId }: Db, { siteId, kind }: NoticeFilter) => sql`n.workspace_id = ${workspaceId}
  ${siteId === undefined ? sql`` : sql`AND n.site_id = ${siteId}`} ${kind === undefined ? sql`` : sql`AND n.kind = ${kind}`}`

/** Newest first. */
export async function listNotices(context: Db, filter: NoticeFilter, { limit, after }: PageOf): Promise<Notice[]> {
  const before = after === undefined ? sql`true` : sql`n.id < ${after[0]}::text`
  const { rows } = await sql<Notice>`SELECT n.id, n.kind, n.site_id, left(s.name, 100) AS site_name, s.url AS site_url, n.subject_id,
      ${utc('n.happened_at')} AS happened_at, n.message FROM notices n LEFT JOIN sites s ON (s.workspace_id, s.id) = (n.workspace_id, n.site_id)
    WHERE ${notices(context, filter)} AND ${before} ORDER BY n.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export function countNotices(context: Db, filter: NoticeFilter): Promise<number> {
  return countRows(context.db, sql`notices n WHERE ${notices(context, filter)}`)
}

const deliveries = ({ workspaceId }: Db, status: Delivery['status'] | undefined) =>
  sql`d.workspace_id = ${workspaceId} ${status === undefined ? sql`` : sql`AND d.status = ${status}`}`

/** Newest first. */
export async function listDeliveries(context: Db, status: Delivery['status'] | undefined, { limit, after }: PageOf): Promise<Delivery[]> {
  const before = after === undefined ? sql`true` : sql`d.id < ${after[0]}::text`
  const { rows } = await sql<Delivery>`SELECT d.id, d.channel_id, c.name AS channel_name, d.status, cardinality(d.notice_ids) AS notices,
      d.attempts, ${utc('d.due_at')} AS due_at, d.error, ${utc('d.created_at')} AS created_at, ${utc('d.sent_at')} AS sent_at
    FROM deliveries d JOIN channels c ON (c.workspace_id, c.id) = (d.workspace_id, d.channel_id)
    WHERE ${deliveries(context, status)} AND ${before} ORDER BY d.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export function countDeliveries(context: Db, status: Delivery['status'] | undefined): Promise<number> {
  return countRows(context.db, sql`deliveries d WHERE ${deliveries(context, status)}`)
}

/** A dead message is tried again from the beginning. False: there is none that is dead. */
export async function reviveDelivery({ db, workspaceId, now }: Context, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE deliveries SET status = 'waiting', attempts = 0, due_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'dead'`.execute(db)
  return numAffectedRows === 1n
}

/** Rules that name a client that has another name now go on naming it. */
export async function renameRuledClient({ db, workspaceId }: Db, from: string, to: string): Promise<void> {
  await sql`UPDATE notice_rules SET client = ${to} WHERE workspace_id = ${workspaceId} AND client = ${from}`.execute(db)
}
