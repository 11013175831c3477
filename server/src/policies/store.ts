import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { RequestedBy } from '../kernel/job.ts'
import type { DatedDb, Db } from '../world.ts'
import type { Change, Rule } from './schema.ts'

export interface Version {
  version: number
  rules: Rule[]
  set_by: RequestedBy | null
  set_at: Date | null
}

/** Before anybody has set anything. */
const first: Version = { version: 0, rules: [], set_by: null, set_at: null }

/** What holds now. */
export async function findPolicies({ db, workspaceId }: Db): Promise<Version> {
  const { rows } = await sql<Version>`SELECT version, rules, set_by, set_at FROM approval_policies
    WHERE workspace_id = ${workspaceId} ORDER BY version DESC LIMIT 1`.execute(db)
  return rows[0] ?? first
}

/** Nobody decides by the policies or changes them meanwhile, until the transaction ends. */
export async function holdPolicies({ db, workspaceId }: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`approvals ${workspaceId}`}, 0))`.execute(db)
}

export async function insertVersion(
  { db, workspaceId, now }: DatedDb,
  { version, rules, change, by }: { version: number; rules: Rule[]; change: Change; by: RequestedBy },
): Promise<void> {
  const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`
  await sql`INSERT INTO approval_policies (workspace_id, version, rules, change, set_by, set_at)
    VALUES (${workspaceId}, ${version}, ${json(rules)}, ${json(change)}, ${json(by)}, ${now()})`.execute(db)
}

type Row = Omit<Version, 'rules' | 'set_by' | 'set_at'> & { change: Change; set_by: RequestedBy; set_at: Date }

/** Newest first. */
export async function listVersions({ db, workspaceId }: Db, page: PageOf): Promise<Row[]> {
  const before = page.after === undefined ? sql`true` : sql`version < ${Number(page.after[0])}`
  const { rows } = await sql<Row>`SELECT version, change, set_by, set_at FROM approval_policies
    WHERE workspace_id = ${workspaceId} AND ${before} ORDER BY version DESC LIMIT ${page.limit ?? null}`.execute(db)
  return rows
}

export const countVersions = ({ db, workspaceId }: Db): Promise<number> =>
  countRows(db, sql`approval_policies WHERE workspace_id = ${workspaceId}`)
