import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { wrongField } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import type { Context } from '../world.ts'
import { ratioOf, ratiosOf } from './ratios.ts'
import { openHour, quantileOf, type Sample, sumOf, unpackSamples } from './samples.ts'
import type { State, Uptime } from './schema.ts'
import * as store from './store.ts'
import { here } from './sweep-store.ts'

const dayMs = 86_400_000

const checksOfAgents = 10

interface WantedSites extends Wanted {
  state?: State | undefined
}

/** `site` is the one of the filter; undefined is the fleet. Of one site also its last checks. */
export async function pageOfUptime(context: Context, site: Site | undefined, { limit, cursor, state }: WantedSites) {
  const filter = { siteId: site?.id, state }
  const [{ items, ...page }, counts] = await Promise.all([
    pageOf(
      { list: 'uptime', workspaceId: context.workspaceId, filter },
      { limit, cursor },
      {
        items: (part) => store.listKnown(context, filter, part),
        total: async () => [...(await store.countRanks(context, filter)).values()].reduce((sum, { n }) => sum + n, 0),
        at: ({ rank, site_id }) => [-rank, site_id],
      },
    ),
    store.countRanks(context, { siteId: site?.id }),
  ])
  const sums = await store.sumSince(
    context,
    items.map(({ site_id }) => site_id),
    context.now(),
    dayOf(context.now()),
  )
  const of = (...ranks: number[]) => ranks.reduce((sum, rank) => sum + (counts.get(rank)?.n ?? 0), 0)
  return {
    sites: items.map((known) => uptimeOf(known, sums.get(known.site_id), context.now())),
    ...page,
    counts: { up: of(1, 3, 4), down: of(5), unknown: of(2), paused: of(0) },
    watch_troubled_since: text(counts.get(2)?.unproven ?? null),
    ...(site && { checks: await lastChecks(context, items[0], checksOfAgents) }),
  }
}

function uptimeOf(known: store.Known, sums: store.SumsOf | undefined, now: Date): Uptime {
  const ratios = ratiosOf(known, sums, now)
  const { site_id, name, app_up, connector_silent, response_ms, error, addresses, unproven_since } = known
  const problem = unproven_since === null ? known.problem : [doubt, known.problem ?? []].flat().join(' What was not well before: ')
  return {
    ...{ site_id, name, state: stateOf(known), since: text(unproven_since ?? known.since), app_up, connector_silent },
    ...{ ratio_24h: ratios['24h'], ratio_30d: ratios['30d'], ratios, response_ms, checked_at: text(known.checked_at), error, problem },
    unproven_since: text(unproven_since),
    ...{ app_checked_at: text(known.app_checked_at), certificate_ends_at: text(known.certificate_ends_at), addresses, location: here },
  }
}

const doubt = 'Since then it does not answer, and whether that is its own trouble or our network’s is not known; before, it was up.'

const text = (at: Date | null) => at?.toISOString() ?? null
const stateOf = ({ enabled, up, unproven_since }: store.Known): State =>
  enabled ? (up === null || unproven_since !== null ? 'unknown' : up ? 'up' : 'down') : 'paused'
const dayOf = (at: Date) => new Date(Math.floor(at.getTime() / dayMs) * dayMs)

/** Newest first: those of the hour at work, then those that were put away. */
async function lastChecks(context: Context, known: store.Known | undefined, most: number) {
  if (!known) return []
  const found = known.hour && known.samples ? unpackSamples(known.hour, known.samples).reverse() : []
  if (found.length < most)
    for (const { hour, samples } of await store.listSamples(context, known.site_id, 48)) found.push(...openHour(hour, samples).reverse())
  const earlier = await store.listEarlier(context, known.site_id)
  return found.slice(0, most).map((sample) => checkOf(sample, earlier.find(({ until }) => sample.at < until) ?? known, known.site_id))
}

export async function readChecks(context: Context, site: Site, most: number) {
  const [known] = await store.listKnown(context, { siteId: site.id }, { limit: 1, after: undefined })
  return lastChecks(context, known, most)
}

/** `held`: what the checks of that time have in common. */
function checkOf(sample: Sample, held: Pick<store.Known, 'error' | 'certificate_ends_at'>, site_id: string) {
  const { at, up, appUp, excluded, status, error: kind, waitMs, totalMs, dnsMs, connectMs, tlsMs } = sample
  const message = held.error?.kind === kind ? held.error.message : null
  return {
    ...{ id: `${site_id.replace(/^site_/, 'check_')}_${at.getTime() / 1000}`, site_id, checked_at: at.toISOString() },
    ...{ up, app_up: appUp, excluded, http_status: status || null, error: kind && { kind, message } },
    response_ms: status === 0 ? null : waitMs,
    timings: { dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, total_ms: totalMs },
    tls_expires_at: tlsMs === null ? null : text(held.certificate_ends_at),
  }
}

export async function pageOfIncidents(context: Context, filter: store.IncidentFilter, wanted: Wanted) {
  const { items, ...page } = await pageOf({ list: 'incidents', workspaceId: context.workspaceId, filter }, wanted, {
    items: (part) => store.listIncidents(context, filter, part),
    total: () => store.countIncidents(context, filter),
    at: ({ started_at, id }) => [started_at.toISOString(), id],
  })
  const incidents = items.map(({ started_at, ended_at, ...incident }) => {
    const lasted = (ended_at ?? context.now()).getTime() - started_at.getTime()
    return {
      ...incident,
      started_at: started_at.toISOString(),
      ended_at: text(ended_at),
      duration_s: Math.max(0, Math.round(lasted / 1000)),
    }
  })
  return { incidents, ...page }
}

interface History {
  step: 'hour' | 'day'
  since?: Date | undefined
  until?: Date | undefined
  time_zone?: string | undefined
}

/** What it was like, hour by hour or day by day, the hour at work with them. */
export async function readHistory(context: Context, site: Site, { step, since, until, time_zone }: History) {
  const to = until ?? context.now()
  const from = since ?? new Date(to.getTime() - (step === 'hour' ? 2 : 90) * dayMs)
  const ofZone = step === 'day' && time_zone !== undefined
  const most = step === 'hour' ? 31 : ofZone ? 92 : 3660
  if (to.getTime() - from.getTime() > most * dayMs) throw wrongField('since', `At most ${most} days by ${step}.`)
  const [rows, [known], moves] = await Promise.all([
    store.listPoints(context, site.id, { step: ofZone ? 'hour' : step, since: from, until: to }),
    store.listKnown(context, { siteId: site.id }, { limit: 1, after: undefined }),
    store.listMoves(context, site.id),
  ])
  const current = atWork(known, step === 'day' && !ofZone).filter(({ at }) => at >= from && at < to)
  const points = together([...rows, ...current], ofZone ? time_zone : undefined).map(
    ({ at, checks, ups, excluded, ms_sum, ms_histogram }) => ({
      ...{ at: at.toISOString(), checks, ratio: ratioOf(checks, ups), excluded },
      mean_ms: ups === 0 ? null : Math.round(Number(ms_sum) / ups),
      p95_ms: quantileOf(ms_histogram, 0.95),
    }),
  )
  return { step, points, moves: moves.map(({ seen_at, ...move }) => ({ seen_at: seen_at.toISOString(), ...move })) }
}

/** The hour that is not put away yet, as the point it will be, or will be added to. */
function atWork(known: store.Known | undefined, asDay: boolean): store.PointRow[] {
  if (!known?.hour || !known.samples) return []
  const { checks, ups, excluded, msSum, histogram } = sumOf(unpackSamples(known.hour, known.samples))
  return [{ at: asDay ? dayOf(known.hour) : known.hour, checks, ups, excluded, ms_sum: String(msSum), ms_histogram: histogram }]
}

/** What begins at one time as one point, or hours as the days of a time zone; an hour is of the day in which it begins. */
function together(points: store.PointRow[], timeZone: string | undefined): store.PointRow[] {
  const day = timeZone === undefined ? undefined : new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' })
  return [...Map.groupBy(points, ({ at }) => day?.format(at) ?? at.getTime()).values()].map((those) =>
    those.reduce((sum, one) => ({
      at: sum.at,
      checks: sum.checks + one.checks,
      ups: sum.ups + one.ups,
      excluded: sum.excluded + one.excluded,
      ms_sum: String(Number(sum.ms_sum) + Number(one.ms_sum)),
      ms_histogram: sum.ms_histogram.map((n, bucket) => n + (one.ms_histogram[bucket] ?? 0)),
    })),
  )
}
