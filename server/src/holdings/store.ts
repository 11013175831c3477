import { type Kysely, sql } from 'kysely'
import type { RequestedBy } from '../kernel/job.ts'
import { lookElsewhere } from '../members/session-store.ts'
import type { DatedDb, Db } from '../world.ts'
import type { Held, UnderWay } from './schema.ts'

/** Of pictures and reports; the length of what is kept beside a row is read without it. */
export async function bytesBeside({ db, workspaceId }: Db): Promise<{ pictures_bytes: number; reports_bytes: number }> {
  const { rows } = await sql<{ pictures_bytes: number; reports_bytes: number }>`SELECT
    (SELECT coalesce(sum(octet_length(before) + coalesce(octet_length(after), 0)), 0)::float8 FROM update_pictures
      WHERE workspace_id = ${workspaceId}) AS pictures_bytes,
    ((SELECT coalesce(sum(octet_length(html)), 0) FROM reports WHERE workspace_id = ${workspaceId})
      + (SELECT coalesce(sum(octet_length(bytes)), 0) FROM report_files WHERE workspace_id = ${workspaceId}))::float8 AS reports_bytes`.execute(
    db,
  )
  return rows[0] ?? { pictures_bytes: 0, reports_bytes: 0 }
}

/** How much there is beside the backups. */
export async function countHeld({ db, workspaceId, now }: DatedDb): Promise<Omit<Held, 'backups' | 'stored_bytes'>> {
  const of = (rest: ReturnType<typeof sql>) => sql`(SELECT count(*)::int FROM ${rest})`
  const mine = sql`workspace_id = ${workspaceId}`
  const { rows } = await sql<Omit<Held, 'backups' | 'stored_bytes'>>`SELECT ${of(sql`sites WHERE ${mine}`)} AS sites,
    ${of(sql`reports WHERE ${mine}`)} AS reports,
    ${of(sql`report_links WHERE ${mine} AND revoked_at IS NULL AND expires_at > ${now()}`)} AS report_links,
    ${of(sql`tokens WHERE ${mine} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now()})`)} AS tokens,
    ${of(sql`members WHERE ${mine}`)} AS members,
    ${of(sql`invitations WHERE ${mine} AND expires_at > ${now()}`)} AS invitations`.execute(db)
  return rows[0] ?? { sites: 0, reports: 0, report_links: 0, tokens: 0, members: 0, invitations: 0 }
}

type Busy = Omit<UnderWay, 'site'> & { url: string | null }

/** Jobs and rollouts that have not ended, the oldest first. */
export async function listUnderWay({ db, workspaceId }: Db, most: number): Promise<Busy[]> {
  const { rows } = await sql<Busy>`SELECT o.id, o.type, s.url FROM (
      SELECT id, type, site_id FROM jobs WHERE workspace_id = ${workspaceId} AND status IN ('queued', 'running')
      UNION ALL SELECT id, 'rollout', NULL FROM rollouts WHERE workspace_id = ${workspaceId} AND status IN ('running', 'stopping')) o
    LEFT JOIN sites s ON s.workspace_id = ${workspaceId} AND s.id = o.site_id ORDER BY o.id LIMIT ${most}`.execute(db)
  return rows
}

/** Until the transaction ends nothing is made in the workspace; false: it is there no more, or being deleted already. */
export async function holdWorkspace({ db, workspaceId }: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM workspaces WHERE id = ${workspaceId} AND deleted_at IS NULL FOR UPDATE`.execute(db)
  return rows.length > 0
}

/** Its name is free from now on, and it is no workspace any more for whoever looks for one. */
export async function markDeleted(
  { db, workspaceId }: Db,
  { at, by, name, held }: { at: Date; by: RequestedBy; name: string; held: Held },
): Promise<void> {
  await sql`UPDATE workspaces SET deleted_at = ${at}, name = id WHERE id = ${workspaceId}`.execute(db)
  await sql`INSERT INTO workspace_deletions (workspace_id, name, deleted_at, deleted_by, held, due_at)
    VALUES (${workspaceId}, ${name}, ${at}, ${JSON.stringify(by)}::jsonb, ${JSON.stringify(held)}::jsonb, ${at})`.execute(db)
}

/** By which somebody comes in beside members: tokens, invitations, codes for sites, links to reports. */
const doors = ['tokens', 'invitations', 'enrolment_codes', 'report_links']
/** By which something happens by itself. */
const clocks = ['turns', 'update_windows', 'notice_rules']

/** Takes away whatever lets somebody in, and whatever would go on by itself. Sessions show another workspace of their people. */
export async function shutDoors({ db, workspaceId }: Db): Promise<void> {
  const { rows } = await sql<{ user_id: string }>`DELETE FROM members WHERE workspace_id = ${workspaceId} RETURNING user_id`.execute(db)
  await lookElsewhere(
    db,
    workspaceId,
    rows.map(({ user_id }) => user_id),
  )
  for (const table of [...doors, ...clocks]) await sql`DELETE FROM ${sql.table(table)} WHERE workspace_id = ${workspaceId}`.execute(db)
  for (const table of ['deliveries', 'report_mails'])
    await sql`DELETE FROM ${sql.table(table)} WHERE workspace_id = ${workspaceId} AND status = 'waiting'`.execute(db)
  await sql`UPDATE clients SET report_due_at = NULL WHERE workspace_id = ${workspaceId} AND report_due_at IS NOT NULL`.execute(db)
  await sql`UPDATE reports SET send_at = NULL WHERE workspace_id = ${workspaceId} AND status = 'draft' AND send_at IS NOT NULL`.execute(db)
}

export interface DeletedWorkspace {
  workspace_id: string
  name: string
  deleted_at: Date
  deleted_by: RequestedBy
  held: Held
  step: string
  sites_told: number
  objects_deleted: number
  finished_at: Date | null
}

/** What was ever deleted, the latest first. */
export async function listDeletions(db: Kysely<unknown>): Promise<DeletedWorkspace[]> {
  const { rows } = await sql<DeletedWorkspace>`SELECT workspace_id, name, deleted_at, deleted_by, held, step, sites_told,
    objects_deleted::float8 AS objects_deleted, finished_at FROM workspace_deletions ORDER BY deleted_at DESC`.execute(db)
  return rows
}
