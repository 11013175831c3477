import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import { domainOf } from '../sites/address.ts'
import type { Severity } from '../vulnerabilities/schema.ts'
import type { Db } from '../world.ts'
import type { Finding, Kind, Source, Status } from './schema.ts'
import { pointsOf, severityOf, weights } from './weights.ts'

export interface Filter {
  siteId?: string | undefined
  severity?: Severity | undefined
  kind?: Kind | undefined
  check?: string | undefined
  status: Status
  component?: string | undefined
  q?: string | undefined
}

const columns =
  sql.raw(`f.id, f.site_id, left(s.name, 100) AS site_name, s.url AS site, f.source, f.kind, f."check", f.severity, f.title, f.description, f.component,
  f.affected_range, f.fixed_in, f.cve, f."references", f.status, f.fix, f.first_seen_at, f.last_seen_at, f.fixed_at, f.ignored,
  f.ignored_until, f.evidence`)
const joined = sql.raw('findings f JOIN sites s ON (s.workspace_id, s.id) = (f.workspace_id, f.site_id)')

function where(workspaceId: string, { siteId, severity, kind, check, status, component, q }: Filter) {
  const all = [
    sql`f.workspace_id = ${workspaceId}`,
    sql`f.status = ${status}`,
    ...(siteId === undefined ? [] : [sql`f.site_id = ${siteId}`]),
    ...(severity === undefined ? [] : [sql`f.rank = ${weights[severity].rank}`]),
    ...(kind === undefined ? [] : [sql`f.kind = ${kind}`]),
    ...(check === undefined ? [] : [sql`f."check" = ${check}`]),
    ...(component === undefined ? [] : [sql`f.slug = ${component}`]),
    ...(q === undefined ? [] : [sql`position(${q.toLowerCase()} in f.words) > 0`]),
  ]
  return sql.join(all, sql` AND `)
}

/** Worst first, of equals the newest. */
export async function listFindings({ db, workspaceId }: Db, filter: Filter, page: PageOf): Promise<Finding[]> {
  const after = page.after === undefined ? sql`true` : sql`(f.rank, f.id) < (${page.after[0]}::smallint, ${page.after[1]}::text)`
  const { rows } = await sql<Finding>`SELECT ${columns} FROM ${joined} WHERE ${where(workspaceId, filter)} AND ${after}
    ORDER BY f.rank DESC, f.id DESC LIMIT ${page.limit ?? null}`.execute(db)
  return rows.map(placed)
}

const placed = (finding: Finding): Finding => ({ ...finding, site: domainOf(finding.site) })

export function countFindings({ db, workspaceId }: Db, filter: Filter): Promise<number> {
  return countRows(db, sql`findings f WHERE ${where(workspaceId, filter)}`)
}

export interface CheckCount {
  check: string
  severity: Severity
  findings: number
  sites: number
}

/** How many findings of each check a filter lets through, and on how many sites; the worst checks first. */
export async function countByCheck({ db, workspaceId }: Db, filter: Filter): Promise<CheckCount[]> {
  const { rows } =
    await sql<CheckCount>`SELECT "check", ${severityOf(sql`max(rank)`)} AS severity, sum(n)::int AS findings, count(*)::int AS sites
    FROM (SELECT f."check", f.site_id, max(f.rank) AS rank, count(*) AS n FROM findings f WHERE ${where(workspaceId, filter)} GROUP BY 1, 2) of_site
    GROUP BY 1 ORDER BY max(rank) DESC, 3 DESC, 1`.execute(db)
  return rows
}

export async function findFinding({ db, workspaceId }: Db, siteId: string, id: string): Promise<Finding | undefined> {
  const { rows } = await sql<Finding>`SELECT ${columns} FROM ${joined}
    WHERE f.workspace_id = ${workspaceId} AND f.site_id = ${siteId} AND f.id = ${id}`.execute(db)
  return rows[0] && placed(rows[0])
}

interface EventRow {
  at: Date
  event: 'opened' | 'fixed' | 'reopened' | 'ignored' | 'unignored' | 'expired'
  actor: { type: string; id: string; name: string } | null
  reason: string | null
}

export async function listEvents({ db, workspaceId }: Db, id: string): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`SELECT at, event, actor, reason FROM finding_events
    WHERE workspace_id = ${workspaceId} AND finding_id = ${id} ORDER BY seq DESC LIMIT 200`.execute(db)
  return rows
}

export interface LookRow {
  source: Source
  checked_at: Date | null
  error: { message: string; at: string } | null
  sites: number
}

/** Of one site; of the fleet the oldest look of each source, with how many sites had one. */
export async function listLooks({ db, workspaceId }: Db, siteId: string | undefined): Promise<LookRow[]> {
  const ofSite = siteId === undefined ? sql`true` : sql`site_id = ${siteId}`
  const error = siteId === undefined ? sql`NULL::jsonb` : sql`(array_agg(error))[1]`
  const { rows } = await sql<LookRow>`SELECT source, min(checked_at) AS checked_at, ${error} AS error, count(checked_at)::int AS sites
    FROM security_looks WHERE workspace_id = ${workspaceId} AND ${ofSite} GROUP BY source`.execute(db)
  return rows
}

export interface Weight {
  check: string
  severity: Severity
  findings: number
  points: number
}

const rank = sql`rank`

/** What the open findings cost, for each check and severity, the dearest first; `but`: without these sites. */
export async function weighFindings({ db, workspaceId }: Db, siteId: string | undefined, { but }: { but: string[] }): Promise<Weight[]> {
  const ofSite = siteId === undefined ? sql`NOT site_id = ANY(${but})` : sql`site_id = ${siteId} AND NOT site_id = ANY(${but})`
  const { rows } = await sql<Weight>`SELECT "check", ${severityOf(rank)} AS severity, n AS findings, n * ${pointsOf(rank)} AS points
    FROM (SELECT "check", rank, count(*)::int AS n FROM findings
      WHERE workspace_id = ${workspaceId} AND status = 'open' AND ${ofSite} GROUP BY 1, 2) each_check
    ORDER BY points DESC, "check"`.execute(db)
  return rows
}

/** The open findings of a site that a tweak would fix: tweak id → ids of findings, worst first. */
export async function openFindingsByTweak({ db, workspaceId }: Db, siteId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<{
    tweak_id: string
    ids: string[]
  }>`SELECT fix ->> 'tweak_id' AS tweak_id, array_agg(id ORDER BY rank DESC, id) AS ids
    FROM findings WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'open' AND fix ? 'tweak_id' GROUP BY 1`.execute(
    db,
  )
  return new Map(rows.map(({ tweak_id, ids }) => [tweak_id, ids]))
}

export async function writeIgnored({ db, workspaceId }: Db, id: string, ignored: object, until: Date | null): Promise<void> {
  await sql`UPDATE findings SET status = 'ignored', ignored = ${JSON.stringify(ignored)}::jsonb, ignored_until = ${until}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function writeUnignored({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`UPDATE findings SET status = 'open', ignored = NULL, ignored_until = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}
