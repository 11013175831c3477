import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { Before } from './likeness.ts'

export async function insertBefore(
  { db, workspaceId, now }: DatedDb,
  { id, siteId, picture, drawn, steady }: Before & { id: string; siteId: string; picture: Buffer },
): Promise<void> {
  await sql`INSERT INTO update_pictures (workspace_id, id, site_id, taken_at, before, drawn, steady)
    VALUES (${workspaceId}, ${id}, ${siteId}, ${now()}, ${picture}, ${Buffer.from(drawn)}, ${Buffer.from(steady)})`.execute(db)
}

export async function saveAfter({ db, workspaceId }: Db, id: string, picture: Buffer): Promise<void> {
  await sql`UPDATE update_pictures SET after = ${picture} WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function findBefore({ db, workspaceId }: Db, id: string): Promise<Before | undefined> {
  const { rows } = await sql<Before>`SELECT drawn, steady FROM update_pictures
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]
}

export async function readPicture({ db, workspaceId }: Db, siteId: string, id: string, moment: Moment): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer | null }>`SELECT ${sql.ref(moment)} AS bytes FROM update_pictures
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND id = ${id}`.execute(db)
  return rows[0]?.bytes ?? undefined
}

export type Moment = 'before' | 'after'
