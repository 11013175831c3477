// Jobs, and among them what is followed as a job is, as one list.
import { sql } from 'kysely'
import type { PageOf } from '../kernel/cursor.ts'
import type { Followed } from '../kernel/job.ts'
import type { Context } from '../world.ts'
import { type JobFilter, listJobs } from './list-store.ts'

type Listed = NonNullable<Followed<Context>['listed']>

/** Ids of every kind sort by creation behind what they begin with. */
export const placeOf = (id: string) => id.slice(id.indexOf('_') + 1)

/** A page of all that is asked for, newest first, as `listJobs` writes one. */
export async function listTogether(context: Context, listed: readonly Listed[], filter: JobFilter, page: PageOf): Promise<string> {
  const { type, ...wanted } = filter
  const others = listed.filter((each) => type === undefined || each.type === type)
  const counts = others.map((each) => each.count(context, wanted))
  const jobs = await listJobs(context, filter, page, counts.length > 0 ? sql`(${sql.join(counts, sql` + `)})::int` : undefined)
  if (jobs.others === 0) return jobs.text
  const between = { olderThan: page.after?.[0]?.toString(), newerThan: jobs.last ? placeOf(jobs.last) : undefined, limit: page.limit }
  const among = (await Promise.all(others.map((each) => each.items(context, wanted, between)))).flat()
  return among.length === 0 ? jobs.text : withThem(jobs.text, among, page.limit)
}

function withThem(text: string, among: readonly { id: string }[], limit: number | undefined): string {
  const { total, items } = JSON.parse(text) as { total: number; items: { id: string }[] }
  const all = [...items, ...among].sort((a, b) => (placeOf(a.id) < placeOf(b.id) ? 1 : -1))
  return JSON.stringify({ total, items: all.slice(0, limit) })
}
