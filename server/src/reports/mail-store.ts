import { type Kysely, sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { Mailed } from './schema.ts'

export interface NewMail {
  id: string
  reportId: string
  address: string
  sealedLink: string
  /** Of what its return address ends in. */
  returnDigest: Buffer
}

export async function insertMail({ db, workspaceId, now }: DatedDb, mail: NewMail): Promise<void> {
  await sql`INSERT INTO report_mails (workspace_id, id, report_id, address, status, sealed_link, return_sha256, due_at, created_at)
    VALUES (${workspaceId}, ${mail.id}, ${mail.reportId}, ${mail.address}, 'waiting', ${mail.sealedLink}, ${mail.returnDigest}, ${now()}, ${now()})`.execute(
    db,
  )
}

/** Newest first. */
export async function listMails({ db, workspaceId }: Db, reportId: string): Promise<Mailed[]> {
  const { rows } = await sql<Omit<Mailed, 'server_said'> & { server_said: string | null }>`
    SELECT id, address, status, error, server_said, created_at, sent_at, bounced_at FROM report_mails
    WHERE workspace_id = ${workspaceId} AND report_id = ${reportId} ORDER BY id DESC LIMIT 200`.execute(db)
  return rows.map((row) => ({ ...row, server_said: row.server_said === null ? null : { untrusted: true, text: row.server_said } }))
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
  bouncedAt?: Date
}

/** The link goes with the last attempt. */
export async function endMail(
  db: Kysely<unknown>,
  { workspace_id, id, attempts }: Claimed,
  { status, dueAt, error, sentAt, bouncedAt }: Ending,
): Promise<void> {
  await sql`UPDATE report_mails SET status = ${status}, due_at = coalesce(${dueAt ?? null}, due_at), error = ${error ?? null}, sent_at = ${sentAt ?? null}, bounced_at = ${bouncedAt ?? null},
      sealed_link = CASE WHEN ${status} = 'waiting' THEN sealed_link END
    WHERE workspace_id = ${workspace_id} AND id = ${id} AND attempts = ${attempts} AND status = 'waiting'`.execute(db)
}

export interface Returned {
  workspace_id: string
  id: string
  report_id: string
}

/** The mail that one of these return addresses is of. */
export async function findReturned(db: Kysely<unknown>, digests: readonly Buffer[]): Promise<Returned | undefined> {
  const { rows } = await sql<Returned>`SELECT workspace_id, id, report_id FROM report_mails WHERE return_sha256 = ANY(${digests}::bytea[])
    ORDER BY id LIMIT 1`.execute(db)
  return rows[0]
}

/** False: that was known already. */
export async function markReturned(
  { db, workspaceId, now }: DatedDb,
  id: string,
  { error, said }: { error: string; said: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE report_mails SET status = 'bounced', error = ${error}, server_said = ${said},
      bounced_at = ${now()}, sealed_link = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND bounced_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}
