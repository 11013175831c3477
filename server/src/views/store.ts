import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { View } from './schema.ts'

const all = sql.raw('id, name, query, columns, created_at, updated_at')

/** By name. */
export async function listViews({ db, workspaceId }: Db, userId: string): Promise<View[]> {
  const { rows } = await sql<View>`SELECT ${all} FROM views
    WHERE (workspace_id, user_id) = (${workspaceId}, ${userId}) ORDER BY lower(name), id`.execute(db)
  return rows
}

/** One of that name is replaced; where it is so already nothing changes. */
export async function upsertView(
  { db, workspaceId, now }: DatedDb,
  userId: string,
  { id, name, query, columns }: Omit<View, 'created_at' | 'updated_at'>,
): Promise<void> {
  await sql`INSERT INTO views (workspace_id, id, user_id, name, query, columns, created_at, updated_at)
    VALUES (${workspaceId}, ${id}, ${userId}, ${name}, ${query}, ${columns}, ${now()}, ${now()})
    ON CONFLICT (workspace_id, user_id, name) DO UPDATE
      SET query = excluded.query, columns = excluded.columns, updated_at = excluded.updated_at
      WHERE (views.query, views.columns) IS DISTINCT FROM (excluded.query, excluded.columns)`.execute(db)
}

/** Undefined: this person has no such view. */
export async function deleteView({ db, workspaceId }: Db, userId: string, id: string): Promise<View | undefined> {
  const { rows } = await sql<View>`DELETE FROM views
    WHERE (workspace_id, user_id, id) = (${workspaceId}, ${userId}, ${id}) RETURNING ${all}`.execute(db)
  return rows[0]
}
