// Makes the figures of a report of what is in the database.
import { lastGoodBackups, tellBackups } from '../backups/told.ts'
import type { Client } from '../clients/schema.ts'
import { dayOf } from '../kernel/calendar.ts'
import { sumScans } from '../links/store.ts'
import { movedOf } from '../performance/trend.ts'
import { listRestored } from '../restores/store.ts'
import { listTakenBack, listUpdated, type UpdateRow } from '../updates/done-store.ts'
import { ratioOf } from '../uptime/ratios.ts'
import type { DatedDb } from '../world.ts'
import type { Facts, SecurityFacts, SiteFacts, UpdateFacts, UptimeFacts } from './facts.ts'
import * as store from './facts-store.ts'
import { plainText } from './plain.ts'

type Names = (siteId: string) => string

/** Rows of one table; what is beyond is counted. */
const most = 120
const mostWork = 500
/** Risks that are named; what is beyond is counted. */
const mostRisks = 10
const dayMs = 86_400_000
const mostDays = 62

/** All of the client's sites, within this time. */
export async function gatherFacts(context: DatedDb, client: Client, { from, to }: { from: Date; to: Date }): Promise<Facts> {
  const looked = await store.listSitesOf(context, client.name)
  const siteIds = looked.map(({ id }) => id)
  const step = to.getTime() - from.getTime() > mostDays * dayMs ? 'week' : 'day'
  const span: store.Span = { siteIds, from, to, timeZone: client.time_zone, step }
  const names = new Map(looked.map(({ id, name }) => [id, plainText(name, 100)]))
  const nameOf: Names = (id) => names.get(id) ?? ''
  const uptimeRows = await store.sumUptime(context, span)
  const outages = outagesOf(await store.listOutages(context, span), { from, to, now: context.now() })
  const work = await store.listWork(context, span, mostWork)
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    made_at: context.now().toISOString(),
    time_zone: client.time_zone,
    sites: await sitesOf(context, span, looked, { uptimeRows, outages }),
    work: work.map(({ site_id, at, summary, by, ...entry }) => ({
      ...entry,
      at: at.toISOString(),
      site: nameOf(site_id),
      summary: plainText(summary),
      by: client.shows_names && by !== null ? plainText(by, 100) : null,
    })),
    work_more: work.length < mostWork ? 0 : (await store.countWork(context, span)) - work.length,
    updates: await updatesOf(context, span, nameOf),
    restores: (await listRestored(context, span)).map(({ at, site_id, undone }) => ({
      at: at.toISOString(),
      site: nameOf(site_id),
      undone,
    })),
    uptime: uptimeOf(uptimeRows, outages, span, { nameOf, now: context.now() }),
    performance: await speedsOf(context, span, nameOf),
    security: await securityOf(context, span, nameOf),
    links: await sumScans(context, span),
  }
}

type Outage = store.IncidentRow & { seconds: number }

/** With how long each lasted within the time; one that goes on has lasted until now. */
function outagesOf(rows: store.IncidentRow[], { from, to, now }: { from: Date; to: Date; now: Date }): Outage[] {
  return rows.map((row) => {
    const end = Math.min((row.ended_at ?? now).getTime(), to.getTime())
    return { ...row, seconds: Math.max(0, Math.round((end - Math.max(row.started_at.getTime(), from.getTime())) / 1000)) }
  })
}

async function sitesOf(
  context: DatedDb,
  span: store.Span,
  looked: store.LookedAt[],
  { uptimeRows, outages }: { uptimeRows: store.UptimeRow[]; outages: Outage[] },
): Promise<SiteFacts[]> {
  const backups = new Map((await tellBackups(context, span.siteIds, span)).map((row) => [row.site_id, row]))
  const good = await lastGoodBackups(context, span.siteIds)
  const uptime = new Map(uptimeRows.map((row) => [row.site_id, row]))
  return looked.map(({ id, name, url, up, synced, waiting, examined, critical, high, medium, low }) => {
    const { completed = 0, failed = 0, suspect = 0, level = 'none', checked_at = null } = backups.get(id) ?? {}
    const { checks = 0, ups = 0 } = uptime.get(id) ?? {}
    const own = outages.filter(({ site_id }) => site_id === id)
    return {
      ...{ id, name: plainText(name, 100), url: plainText(url, 300), up, updates_waiting: synced ? waiting : null },
      open: examined ? { critical, high, medium, low } : null,
      last_backup_at: good.get(id)?.toISOString() ?? null,
      backups: { completed, failed, suspect, level, checked_at: checked_at?.toISOString() ?? null },
      uptime: { ratio: ratioOf(checks, ups), outages: own.length, down_s: own.reduce((sum, { seconds }) => sum + seconds, 0) },
    }
  })
}

async function updatesOf(context: DatedDb, span: store.Span, nameOf: Names): Promise<UpdateFacts> {
  const rows = await listUpdated(context, span)
  const back = await listTakenBack(context, span, most)
  const sum = (count: (row: UpdateRow) => number) => rows.reduce((all, row) => all + count(row), 0)
  const installed = rows.filter((row) => row.installed > 0)
  return {
    installed: sum((row) => row.installed),
    taken_back: sum((row) => row.taken_back),
    failed: sum((row) => row.failed),
    items: installed.slice(0, most).map((row) => ({
      type: row.type,
      name: row.type === 'core' ? 'WordPress' : plainText(row.name, 100),
      from: plainText(row.from_version, 30),
      to: plainText(row.to_version, 30),
      times: row.installed,
      sites: row.sites,
      last_at: row.last_at.toISOString(),
    })),
    back: back.map(({ at, site_id, type, name, version }) => ({
      at: at.toISOString(),
      site: nameOf(site_id),
      name: type === 'core' ? 'WordPress' : plainText(name, 100),
      version: plainText(version, 30),
    })),
    more: Math.max(0, installed.length - most),
  }
}

/** Each day of the time, or each week by its Monday, as the client has them: those too on which nobody looked. */
function stepsOf({ from, to, timeZone, step }: Pick<store.Span, 'from' | 'to' | 'timeZone' | 'step'>): string[] {
  const at = new Date(`${dayOf(from, timeZone)}T00:00:00Z`)
  if (step === 'week') at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
  const last = dayOf(new Date(to.getTime() - 1), timeZone)
  const steps: string[] = []
  for (; ; at.setUTCDate(at.getUTCDate() + (step === 'week' ? 7 : 1))) {
    const day = at.toISOString().slice(0, 'YYYY-MM-DD'.length)
    if (day > last) return steps
    steps.push(day)
  }
}

function uptimeOf(
  rows: store.UptimeRow[],
  outages: Outage[],
  { from, to, timeZone, step }: store.Span,
  { nameOf, now }: { nameOf: Names; now: Date },
): UptimeFacts {
  const ofSites = rows.filter(({ site_id }) => site_id !== null)
  const sum = (count: (row: store.UptimeRow) => number) => ofSites.reduce((all, row) => all + count(row), 0)
  return {
    ratio: ratioOf(
      sum(({ checks }) => checks),
      sum(({ ups }) => ups),
    ),
    points: stepsOf({ from, to: to < now ? to : now, timeZone, step }).map((at) => {
      const { checks = 0, ups = 0 } = rows.find((row) => row.at === at) ?? {}
      return { at, ratio: ratioOf(checks, ups) }
    }),
    step,
    incidents: outages
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, most)
      .toSorted((a, b) => a.started_at.getTime() - b.started_at.getTime())
      .map(({ site_id, kind, cause, started_at, ended_at, seconds }) => ({
        ...{ site: nameOf(site_id), kind, cause, at: started_at.toISOString(), ended_at: ended_at?.toISOString() ?? null, seconds },
      })),
    outages: outages.length,
    down_s: outages.reduce((all, { seconds }) => all + seconds, 0),
    more: Math.max(0, outages.length - most),
  }
}

async function speedsOf(context: DatedDb, span: store.Span, nameOf: Names): Promise<Facts['performance']> {
  const points = Map.groupBy(await store.listSpeeds(context, span), ({ site_id }) => site_id)
  return [...points].map(([id, rows]) => {
    const values = rows.map(({ ms }) => ms)
    const { direction, before, now } = movedOf('ttfb_ms', values)
    return { site: nameOf(id), direction, before, now, points: values }
  })
}

async function securityOf(context: DatedDb, span: store.Span, nameOf: Names): Promise<SecurityFacts> {
  const rows = await store.listFindings(context, span)
  const risks = await store.listRisks(context, span, mostRisks)
  const findingFacts = ({ site_id, kind, severity, component, found_at }: Omit<store.FindingRow, 'fixed_at'>) => ({
    ...{ site: nameOf(site_id), kind, severity, component: component === null ? null : plainText(component, 100) },
    found_at: found_at.toISOString(),
  })
  const within = (at: Date | null) => at !== null && at >= span.from && at < span.to
  return {
    found: rows.filter(({ found_at }) => within(found_at)).length,
    fixed: rows.filter(({ fixed_at }) => within(fixed_at)).length,
    open: risks.map(findingFacts),
    items: rows.slice(0, most).map(({ fixed_at, ...row }) => ({ ...findingFacts(row), fixed_at: fixed_at?.toISOString() ?? null })),
    more: Math.max(0, rows.length - most),
  }
}
