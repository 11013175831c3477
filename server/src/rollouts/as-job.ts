// A rollout as get_job tells of it: how many sites are how, and those that need somebody first.
import { type RawBuilder, sql } from 'kysely'
import type { Job } from '../jobs/schema.ts'
import type { Between, ListedFilter, NextStep } from '../kernel/job.ts'
import { domainOf } from '../sites/address.ts'
import type { Context, Db } from '../world.ts'
import { type Rollout, type RolloutSummary, type SiteOutcome, siteOutcomes } from './schema.ts'
import { type EndedAs, findRollout, listRollouts, listSitesOf, type RolloutFilter, rolloutsCounted } from './store.ts'

const mostSites = 25
/** Of more sites only these are told: the counts say the rest. */
const needsSomebody: readonly SiteOutcome[] = ['failed', 'rolled_back', 'partly', 'not_started', 'skipped']

export async function asJob(context: Db, id: string): Promise<Job | undefined> {
  const rollout = await findRollout(context, id)
  if (!rollout) return undefined
  const job = jobOf(rollout)
  const all = await listSitesOf(context, id)
  const sites = all.length > mostSites ? all.filter((site) => needsSomebody.includes(site.status)) : all
  return {
    ...job,
    next_steps: job.status === 'running' ? [] : stepsAfter(all),
    result: {
      ...job.result,
      sites: sites
        .toSorted((a, b) => siteOutcomes.indexOf(a.status) - siteOutcomes.indexOf(b.status))
        .slice(0, mostSites)
        .map(({ site_id, url, status, reason, job_id }) => ({ site_id, site: domainOf(url), status, reason, job_id })),
      sites_left_out: all.length - Math.min(sites.length, mostSites),
    },
  }
}

const statusesAs: Partial<Record<string, readonly Rollout['status'][]>> = {
  running: ['running', 'stopping'],
  completed: ['completed', 'stopped'],
  canceled: ['canceled'],
}

/** Those of the workspace; who sees some sites only is told of his own. Undefined: of jobs in such a state there are none among them. */
function filterOf({ caller }: Context, { siteId, status, outcome }: ListedFilter): RolloutFilter | undefined {
  const statuses = status === undefined ? undefined : statusesAs[status]
  if (status !== undefined && !statuses) return undefined
  return { siteId, outcome, ...(statuses && { statuses }), ...(caller.sees && { own: caller.id }) }
}

export function countAsJobs(context: Context, wanted: ListedFilter): RawBuilder<unknown> {
  const filter = filterOf(context, wanted)
  return filter ? rolloutsCounted(context, filter) : sql`0`
}

/** Without their sites. */
export async function listAsJobs(context: Context, wanted: ListedFilter, { olderThan, newerThan, limit }: Between): Promise<Job[]> {
  const filter = filterOf(context, wanted)
  if (!filter) return []
  const after = olderThan === undefined ? undefined : [`rollout_${olderThan}`]
  const from = newerThan === undefined ? {} : { newerThan: `rollout_${newerThan}` }
  return (await listRollouts(context, { ...filter, ...from }, { limit, after })).map(jobOf)
}

/** As in a list. */
function jobOf(rollout: RolloutSummary & EndedAs): Job {
  const { id, kind, status, reason, wave, waves, progress, counts, created_at, completed_at, requested_by, approved_by, input } = rollout
  const { asks_wave, waits_for, outcome } = rollout
  const goesOn = status === 'running' || status === 'stopping'
  const waits = asks_wave === null ? '' : ' waits for approval'
  return {
    ...{
      id,
      job_id: id,
      type: 'rollout',
      site_id: null,
      site: null,
      status: goesOn ? 'running' : status === 'canceled' ? 'canceled' : 'completed',
    },
    ...{ outcome, summary: goesOn ? null : [inWords(counts), reason ?? ''].join(' ').trim() },
    ...{ phase: status === 'stopping' ? 'stopping' : `wave ${asks_wave ?? wave} of ${waves}${waits}`, progress, attempt: 1 },
    ...{ created_at, started_at: created_at, completed_at, requested_by, approved_by },
    ...{ input: { kind, ...input }, error: null, next_steps: null, steps: [] },
    result: {
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      reason,
      ...(waits_for !== null && { approval_id: waits_for }),
    },
  }
}

/** The one site that is worst off; its job tells why. */
function stepsAfter(sites: readonly Rollout['sites'][number][]): NextStep[] {
  const bad = sites.find(({ status, job_id }) => job_id !== null && ['failed', 'rolled_back', 'partly'].includes(status))
  return bad ? [{ why: `See what became of ${domainOf(bad.url)}.`, tool: 'get_job', input: { job_id: bad.job_id } }] : []
}

type Counts = Rollout['counts']

const words: Record<SiteOutcome, string> = {
  failed: 'failed',
  rolled_back: 'taken back',
  partly: 'done in part',
  not_started: 'not started',
  skipped: 'left out',
  running: 'running',
  waiting: 'waiting',
  updated: 'updated',
  done: 'done',
  already_current: 'already current',
}

/** `3 updated, 1 taken back.` */
function inWords(counts: Counts): string {
  const parts = siteOutcomes.toReversed().flatMap((status) => (counts[status] > 0 ? [`${counts[status]} ${words[status]}`] : []))
  return parts.length === 0 ? 'There was no site to do it on.' : `${parts.join(', ')}.`
}
