import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'

export async function readPdf({ db, workspaceId }: Db, reportId: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`SELECT bytes FROM report_files
    WHERE workspace_id = ${workspaceId} AND report_id = ${reportId}`.execute(db)
  return rows[0]?.bytes
}

/** The first one that was made is the one that stays; answers that. */
export async function keepPdf({ db, workspaceId, now }: DatedDb, reportId: string, bytes: Buffer): Promise<Buffer> {
  await sql`INSERT INTO report_files (workspace_id, report_id, bytes, made_at) VALUES (${workspaceId}, ${reportId}, ${bytes}, ${now()})
    ON CONFLICT DO NOTHING`.execute(db)
  return (await readPdf({ db, workspaceId }, reportId)) ?? bytes
}
