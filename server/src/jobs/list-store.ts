// Jobs as they are told, one or a page of them.
import { type RawBuilder, sql } from 'kysely'
import { counted, mostCounted, type PageOf } from '../kernel/cursor.ts'
import type { Outcome } from '../kernel/job.ts'
import { domainIn, utcOf } from '../sites/store.ts'
import type { Context, Db } from '../world.ts'
import type { Job, JobStatus } from './schema.ts'

const steps = `coalesce((SELECT json_agg(json_build_object('name', s.name,
    'finished_at', to_char(s.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) ORDER BY s.finished_at NULLS LAST, s.name)
  FROM job_steps s WHERE (s.workspace_id, s.job_id) = (j.workspace_id, j.id)), '[]')`

/** What is told of a job, and where it is found. */
const fields: Record<keyof Job, string> = {
  ...{ id: 'j.id', job_id: 'j.id', type: 'j.type', site_id: 'j.site_id', status: 'j.status', outcome: 'j.outcome', summary: 'j.summary' },
  site: `(SELECT ${domainIn('s.url')} FROM sites s WHERE (s.workspace_id, s.id) = (j.workspace_id, j.site_id))`,
  ...{ phase: 'j.phase', progress: 'j.progress', attempt: 'j.attempt' },
  ...{ created_at: utcOf('j.created_at'), started_at: utcOf('j.started_at'), completed_at: utcOf('j.completed_at') },
  ...{ requested_by: 'j.requested_by', approved_by: 'j.approved_by', input: 'j.input', result: 'j.result', error: 'j.error' },
  ...{ next_steps: 'NULL', steps },
}

const everything: readonly string[] = Object.keys(fields)
const shapes = new WeakMap<readonly string[], RawBuilder<unknown>>()

/** Made by the database, so that a page is one text. `id` is in it whatever is shown: a page ends at one. */
function shape(shows = everything): RawBuilder<unknown> {
  const known = shapes.get(shows)
  if (known) return known
  const shown = Object.entries(fields).filter(([name]) => name === 'id' || shows.includes(name))
  const made = sql.raw(`json_build_object(${shown.map(([name, value]) => `'${name}', ${value}`).join()})`)
  shapes.set(shows, made)
  return made
}

export interface JobFilter {
  type?: string | undefined
  status?: JobStatus | undefined
  outcome?: Outcome | undefined
  siteId?: string | undefined
}

const columnOf = { type: sql`j.type`, status: sql`j.status`, outcome: sql`j.outcome`, siteId: sql`j.site_id` }

const matching = ({ workspaceId }: Db, filter: JobFilter) => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const each = given.map(([name, value]) => sql`${columnOf[name as keyof JobFilter]} = ${value}`)
  return sql.join([sql`j.workspace_id = ${workspaceId}`, ...each], sql` AND `)
}

interface Written {
  /** `{"total": number, "items": Job[]}` */
  text: string
  /** How many of the total are others than jobs. */
  others: number
  /** The id that ends a page; null where it is not full. */
  last: string | null
}

/** A page, newest first (ids sort by creation), and how many there are in all, with as many others as that asks for. */
export async function listJobs(context: Db & Pick<Context, 'shows'>, filter: JobFilter, page: PageOf, others = sql`0`): Promise<Written> {
  const before = page.after === undefined ? sql`true` : sql`j.id < ${`job_${page.after[0]}`}`
  const all = sql`jobs j WHERE ${matching(context, filter)}`
  const items = sql`SELECT j.id, ${shape(context.shows)} AS job FROM ${all} AND ${before} ORDER BY j.id DESC LIMIT ${page.limit ?? null}`
  const { rows } = await sql<Written>`WITH page AS MATERIALIZED (${items}), besides AS MATERIALIZED (SELECT ${others} AS n)
    SELECT json_build_object('total', least(${counted(all)} + (SELECT n FROM besides), ${mostCounted}::int),
      'items', (SELECT coalesce(json_agg(page.job), '[]') FROM page))::text AS text, (SELECT n FROM besides) AS others,
      (SELECT min(id) FROM page HAVING count(*) >= ${page.limit ?? null}::int) AS last`.execute(context.db)
  return rows[0] ?? { text: '', others: 0, last: null }
}

export async function findJob({ db, workspaceId }: Db, id: string): Promise<Job | undefined> {
  const { rows } = await sql<{
    job: Job
  }>`SELECT ${shape()} AS job FROM jobs j WHERE j.workspace_id = ${workspaceId} AND j.id = ${id}`.execute(db)
  return rows[0]?.job
}
