import { type Kysely, sql } from 'kysely'
import type { Context } from '../world.ts'
import type { Mailed } from './schema.ts'

type Db = Pick<Context, 'db' | 'workspaceId'>

export interface NewMail {
  id: string
  reportId: string
  address: string
  sealedLink: string
}

export async function insertMail({ db, workspaceId, now }: Db & Pick<Context, 'now'>, mail: NewMail): Promise<void> {
  await sql`INSERT INTO report_mails (workspace_id, id, report_id, address, status, sealed_link, due_at, created_at)
    VALUES (${workspaceId}, ${mail.id}, ${mail.reportId}, ${mail.address}, 'waiting', ${mail.sealedLink}, ${now()}, ${now()})`.execute(db)
}

/** Newest first. */
export async function listMails({ db, workspaceId }: Db, reportId: string): Promise<Mailed[]> {
  const { rows } = await sql<Mailed>`SELECT id, address, status, error, created_at, sent_at FROM report_mails
    WHERE workspace_id = ${workspaceId} AND report_id = ${reportId} ORDER BY id DESC LIMIT 200`.execute(db)
  return rows
}

export interface Claimed {
  workspace_id: string
  id: string
  report_id: string
  address: string
  sealed_link: string
  attempts: number
}

/** Takes mails that are due, each for so long; should its worker die, another takes it after that. */
export async function claimMails(db: Kysely<unknown>, now: Date, until: Date, most: number): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`UPDATE report_mails SET due_at = ${until}, attempts = attempts + 1
    WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM report_mails WHERE status = 'waiting' AND due_at <= ${now}
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED) RETURNING workspace_id, id, report_id, address, sealed_link, attempts`.execute(
    db,
  )
  return rows
}

export interface Ending {
  status: Mailed['status']
  dueAt?: Date
  error?: string
  sentAt?: Date
}

/** The link goes with the last attempt. */
export async function endMail(
  db: Kysely<unknown>,
  { workspace_id, id, attempts }: Claimed,
  { status, dueAt, error, sentAt }: Ending,
): Promise<void> {
  await sql`UPDATE report_mails SET status = ${status}, due_at = coalesce(${dueAt ?? null}, due_at), error = ${error ?? null}, sent_at = ${sentAt ?? null},
      sealed_link = CASE WHEN ${status} = 'waiting' THEN sealed_link END
    WHERE workspace_id = ${workspace_id} AND id = ${id} AND attempts = ${attempts} AND status = 'waiting'`.execute(db)
}
