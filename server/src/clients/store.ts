import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import { utc } from '../sites/store.ts'
import type { Context, DatedDb, Db } from '../world.ts'
import type { Picture } from './logo.ts'
import type { Client } from './schema.ts'

const columns = sql`c.id, c.name, c.language, c.time_zone, c.paper, c.colour, c.recipients, c.hidden, c.shows_names,
  json_build_object('mode', c.report_mode, 'day', c.report_day, 'hour', c.report_hour, 'wait_days', c.report_wait,
    'next_at', ${utc('c.report_due_at')}) AS schedule,
  CASE WHEN c.logo IS NOT NULL THEN json_build_object('type', c.logo_type, 'bytes', length(c.logo)) END AS logo,
  (SELECT count(*)::int FROM sites s WHERE (s.workspace_id, s.client) = (c.workspace_id, c.name)) AS sites, c.created_at, c.updated_at`

const matching = ({ workspaceId }: Db, q: string | undefined) =>
  sql`c.workspace_id = ${workspaceId} ${q === undefined ? sql`` : sql`AND strpos(lower(c.name), lower(${q})) > 0`}`

/** By name. */
export async function listClients(context: Db, q: string | undefined, { limit, after }: PageOf): Promise<Client[]> {
  const behind = after === undefined ? sql`true` : sql`(lower(c.name), c.id) > (${after[0]}::text, ${after[1]}::text)`
  const { rows } = await sql<Client>`SELECT ${columns} FROM clients c WHERE ${matching(context, q)} AND ${behind}
    ORDER BY lower(c.name), c.id LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export const countClients = (context: Db, q: string | undefined): Promise<number> =>
  countRows(context.db, sql`clients c WHERE ${matching(context, q)}`)

/** By id, or by its exact name. */
export async function findClient({ db, workspaceId }: Db, named: string): Promise<Client | undefined> {
  const { rows } = await sql<Client>`SELECT ${columns} FROM clients c WHERE c.workspace_id = ${workspaceId}
    AND (c.id = ${named} OR c.name = ${named}) ORDER BY c.id = ${named} DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** False: there is one of that name. */
export async function insertClient({ db, workspaceId, now }: DatedDb, id: string, name: string): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO clients (workspace_id, id, name, created_at, updated_at)
    VALUES (${workspaceId}, ${id}, ${name}, ${now()}, ${now()}) ON CONFLICT (workspace_id, name) DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

export interface Written {
  language?: string
  time_zone?: string
  paper?: string
  colour?: string
  recipients?: string[]
  hidden?: string[]
  shows_names?: boolean
  report_mode?: string
  report_day?: number
  report_hour?: number
  report_wait?: number
  report_due_at?: Date | null
}

export async function writeClient({ db, workspaceId, now }: DatedDb, id: string, written: Written): Promise<void> {
  const changes = Object.entries(written).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`UPDATE clients SET ${sql.join([...changes, sql`updated_at = ${now()}`])}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function writeLogo({ db, workspaceId }: Db, id: string, logo: Picture | null): Promise<void> {
  await sql`UPDATE clients SET logo = ${logo?.bytes ?? null}, logo_type = ${logo?.type ?? null}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function readLogo({ db, workspaceId }: Db, id: string): Promise<Picture | undefined> {
  const { rows } = await sql<Picture>`SELECT logo_type AS type, logo AS bytes FROM clients
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND logo IS NOT NULL`.execute(db)
  return rows[0]
}

export async function hasClientNamed({ db, workspaceId }: Db, name: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM clients WHERE workspace_id = ${workspaceId} AND name = ${name}`.execute(db)
  return rows.length > 0
}

/** With its sites, by their key. */
export async function renameClient({ db, workspaceId }: Db, id: string, to: string): Promise<void> {
  await sql`UPDATE clients SET name = ${to} WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function deleteClient({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`DELETE FROM clients WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** Its sites, oldest first. */
export async function listSiteIds({ db, workspaceId }: Db, name: string): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`SELECT id FROM sites WHERE workspace_id = ${workspaceId} AND client = ${name} ORDER BY id`.execute(db)
  return rows.map(({ id }) => id)
}

/** A client whose next report is due, held until the transaction ends; undefined: nobody's is. */
export async function claimDueClient({ db, now }: Pick<Context, 'db' | 'now'>): Promise<{ workspace_id: string; id: string } | undefined> {
  const { rows } = await sql<{ workspace_id: string; id: string }>`SELECT workspace_id, id FROM clients WHERE report_due_at <= ${now()}
    ORDER BY report_due_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(db)
  return rows[0]
}
