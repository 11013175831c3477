import { isGuest } from '../kernel/context.ts'
import { mostCounted, pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { labelsListed, meant, mustBeMeant } from '../sites/labels.ts'
import type { Context, World } from '../world.ts'
import type { Activity, Category } from './schema.ts'
import {
  type ActivityFilter,
  countActivity,
  countByWhom,
  findActivity,
  hasDone,
  insertActivity,
  listActivity,
  listDoers,
  setInReports,
} from './store.ts'

interface NewEntry {
  summary: string
  notes?: string | undefined
  category: Category
  performed_at?: Date | undefined
  performed_by?: string | undefined
  internal: boolean
}

const oldestMs = 180 * 86_400_000
/** A clock that runs a little fast is no reason to refuse. */
const futureMs = 5 * 60_000

/** Records work done outside the service. An approval-only token's entries are always internal until a person shows them. */
export async function logActivity(context: Context, siteId: string, given: NewEntry): Promise<Activity> {
  const { caller } = context
  const now = context.now()
  const performedAt = given.performed_at ?? now
  if (performedAt.getTime() < now.getTime() - oldestMs) throw wrongField('performed_at', 'At most 180 days in the past.')
  if (performedAt.getTime() > now.getTime() + futureMs) throw wrongField('performed_at', 'Must not be in the future.')
  const internal = given.internal || caller.approvalOnly
  const id = newId('act', now)
  await insertActivity(context, {
    id,
    site_id: siteId,
    kind: 'maintenance',
    category: given.category,
    summary: given.summary,
    notes: given.notes ?? null,
    performed_at: performedAt,
    performed_by: given.performed_by ?? caller.name,
    internal,
    in_reports: !internal,
    actor: asker(context),
    source: context.face,
    job_id: null,
    created_at: now,
  })
  const entry = await findActivity(context, id)
  if (!entry) throw new Problem('internal', 'The entry was not written.')
  return entry
}

interface Happened {
  siteId: string | null
  category: Category
  /** In the client's words; at most 200 characters, cut where a site's text made it longer. */
  summary: string
  notes?: string
  jobId?: string
  /** It was not done now, but at some time since. */
  seenAfter?: Date
  by: Activity['actor']
  /** True: colleagues only. */
  internal: boolean
}

/** Records what the service itself did, in the transaction that did it. */
export async function logEvent(
  context: Pick<World, 'db' | 'now'> & { workspaceId: string; face?: Context['face'] },
  event: Happened,
): Promise<void> {
  const now = context.now()
  await insertActivity(context, {
    id: newId('act', now),
    site_id: event.siteId,
    kind: 'event',
    category: event.category,
    summary: [...event.summary].slice(0, 200).join(''),
    notes: event.notes === undefined ? null : [...event.notes].slice(0, 2000).join(''),
    performed_at: now,
    performed_by: event.by.name,
    internal: event.internal,
    in_reports: !event.internal,
    actor: event.by,
    source: context.face ?? 'system',
    job_id: event.jobId ?? null,
    created_at: now,
    seen_after: event.seenAfter,
  })
}

export async function pageOfActivity(context: Context, asked: ActivityFilter, wanted: Wanted) {
  const shownOnly = isGuest(context.caller) && { shownOnly: true as const }
  const [labels, by] = await Promise.all([
    labelsListed(context, asked),
    doerMeant(context, { by: asked.by, siteId: asked.siteId, ...shownOnly }),
  ])
  const filter: ActivityFilter = { ...asked, ...labels, by, ...shownOnly }
  const listing = { list: 'activity', workspaceId: context.workspaceId, filter }
  const { items: activity, ...page } = await pageOf(listing, wanted, {
    items: async (part) =>
      (await listActivity(context, filter, part)).map((entry) => (filter.shownOnly ? { ...entry, notes: null } : entry)),
    total: () => countActivity(context, filter),
    at: ({ performed_at, id }) => [new Date(performed_at).toISOString(), id],
  })
  const counts = wanted.cursor === undefined && page.total < mostCounted ? await countByWhom(context, filter) : undefined
  return { counts: counts ?? null, activity, ...page }
}

/** Whoever is meant, as their entries name them; an id is taken as it is. Throws where nothing was done by anybody of that name. */
async function doerMeant(
  context: Context,
  { by, ...where }: Pick<ActivityFilter, 'by' | 'siteId' | 'shownOnly'>,
): Promise<string | undefined> {
  if (by === undefined || /^[a-z]+_[0-9a-z]{26}$/.test(by) || (await hasDone(context, { by, ...where }))) return by
  const found = meant(await listDoers(context, where), { path: 'by', named: by, none: 'Nothing was done by anybody of this name.' })
  mustBeMeant([found])
  return found.is
}

/** What is shown in reports is internal no more, and the other way round. */
export async function showActivity(context: Context, id: string, inReports: boolean): Promise<Activity> {
  await setInReports(context, id, inReports)
  const entry = await findActivity(context, id)
  if (!entry) throw new Problem('not_found', 'There is no such entry in this workspace.')
  return entry
}
