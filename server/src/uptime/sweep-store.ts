import { type Kysely, sql } from 'kysely'
import type { Site, SiteSecrets } from '../sites/schema.ts'
import { secretColumns } from '../sites/store.ts'
import type { Hastened } from './ailing.ts'
import type { ProbeResult } from './probe.ts'
import { closeHour, hourOf, type Sum, sumOf, unpackSamples } from './samples.ts'

/** Where this service looks from. The column is there so that probes elsewhere can come later. */
export const here = 'here'

type Db = Kysely<unknown>

/** What is told of WordPress itself: nothing while its site is down or not known, or since a look that could not tell. */
export const appUpOf = (states: string) =>
  sql.raw(`CASE WHEN ${states}.up IS NOT FALSE AND ${states}.unproven_since IS NULL AND ${states}.app_known THEN ${states}.app_up END`)

/** Our own trouble has lasted: of a site that was up it is not known any more. */
export const isUnproven = (states: string) => sql.raw(`(${states}.up AND ${states}.unproven_since IS NOT NULL)`)

/** A site whose turn it is, how it is looked at, and what was known of it. */
export interface Due {
  workspace_id: string
  site_id: string
  due_at: Date
  url: string
  home: string
  status: Site['status']
  sealed_access: string | null
  enabled: boolean
  interval_s: number
  path: string
  statuses: number[] | null
  text_wanted: string | null
  text_refused: string | null
  recovery_s: number
  in_window: boolean
  up: boolean | null
  app_up: boolean | null
  app_known: boolean
  connector_silent: boolean | null
  /** A pause, or the end of the connection, ended the watch, and nobody has looked since. */
  interrupted: boolean
  since: Date | null
  good_since: Date | null
  app_misses: number
  connector_misses: number
  addresses: Record<string, string> | null
  /** What it takes to ask WordPress itself; null: that is not due. */
  secrets: SiteSecrets | null
  /** Since when checks tell nothing because the trouble is ours. */
  unproven_since: Date | null
  /** The same, as it is told. */
  unproven_told: Date | null
}

export type Place = Pick<Due, 'workspace_id' | 'site_id'>

/** A maintenance of the site, or of all sites, goes on. */
export const hasWindow = (of: string, site: string, now: Date) => sql`EXISTS (SELECT 1 FROM uptime_windows n
  WHERE n.workspace_id = ${sql.ref(`${of}.workspace_id`)} AND n.ends_at > ${now} AND n.starts_at <= ${now} AND (n.site_id IS NULL OR n.site_id = ${sql.ref(`${of}.${site}`)}))`

/** WordPress itself is asked so seldom. */
const appEveryMs = 5 * 60_000

/** Takes up to `most` turns that are due. Each is moved on by its interval at once, so that those of a worker that dies are due again then. */
export async function claimDue(db: Db, now: Date, most: number): Promise<Due[]> {
  const setting = (name: string, usual: unknown) => sql`coalesce(own.${sql.ref(name)}, house.${sql.ref(name)}, ${usual})`
  const interval = sql`make_interval(secs => p.interval_s)`
  const { rows } = await sql<Due>`WITH due AS MATERIALIZED (
      SELECT workspace_id, site_id, due_at FROM turns WHERE kind = 'uptime' AND due_at <= ${now}
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED),
    picked AS MATERIALIZED (
      SELECT d.*, s.url, s.home, s.status, s.sealed_access, ${setting('enabled', sql`true`)} AS enabled,
        ${setting('interval_s', sql`60`)} AS interval_s, ${setting('path', sql`'/'`)} AS path,
        coalesce(own.statuses, house.statuses) AS statuses, coalesce(own.text_wanted, house.text_wanted) AS text_wanted,
        coalesce(own.text_refused, house.text_refused) AS text_refused, ${setting('recovery_s', sql`60`)} AS recovery_s,
        ${hasWindow('d', 'site_id', now)} AS in_window,
        st.up, st.app_up, coalesce(st.app_known, true) AS app_known, st.connector_silent, coalesce(st.interrupted, false) AS interrupted, st.since, m.good_since, coalesce(m.app_misses, 0) AS app_misses,
        coalesce(m.connector_misses, 0) AS connector_misses, m.addresses, m.unproven_since, st.unproven_since AS unproven_told,
        CASE WHEN m.app_checked_at IS NULL OR m.app_checked_at <= ${new Date(now.getTime() - appEveryMs)}
          THEN (SELECT row_to_json(k) FROM (SELECT ${secretColumns} FROM sites WHERE (workspace_id, id) = (d.workspace_id, d.site_id)) k) END AS secrets
      FROM due d JOIN sites s ON (s.workspace_id, s.id) = (d.workspace_id, d.site_id)
      LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (d.workspace_id, d.site_id)
      LEFT JOIN uptime_settings house ON house.workspace_id = d.workspace_id AND house.site_id IS NULL
      LEFT JOIN uptime_states st ON (st.workspace_id, st.site_id, st.location) = (d.workspace_id, d.site_id, ${here})
      LEFT JOIN uptime_monitors m ON (m.workspace_id, m.site_id, m.location) = (d.workspace_id, d.site_id, ${here})),
    moved AS (
      UPDATE turns t SET due_at = p.due_at + ${interval} * (1 + floor(extract(epoch FROM ${now} - p.due_at) / p.interval_s))
      FROM picked p WHERE (t.workspace_id, t.site_id, t.kind) = (p.workspace_id, p.site_id, 'uptime'))
    SELECT * FROM picked`.execute(db)
  return rows
}

/** Of sites at an address whose turn is still to come, those whose turn comes first are due now; that turn itself stays where it is. */
export async function hasten(db: Db, now: Date, asked: readonly Hastened[]): Promise<void> {
  await sql`UPDATE turns t SET due_at = t.due_at - make_interval(secs => h.interval_s)
    FROM unnest(${asked.map(({ address }) => address)}::text[], ${asked.map(({ since }) => since)}::timestamptz[],
        ${asked.map(({ most }) => most)}::integer[]) AS a (address, since, most)
      CROSS JOIN LATERAL (SELECT m.workspace_id, m.site_id, coalesce(own.interval_s, house.interval_s, 60) AS interval_s
        FROM uptime_monitors m JOIN turns n ON (n.workspace_id, n.site_id, n.kind) = (m.workspace_id, m.site_id, 'uptime')
        LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (m.workspace_id, m.site_id)
        LEFT JOIN uptime_settings house ON house.workspace_id = m.workspace_id AND house.site_id IS NULL
        WHERE m.location = ${here} AND m.addresses ? a.address AND m.checked_at < a.since AND n.due_at > ${now}
        ORDER BY n.due_at LIMIT a.most) h
    WHERE (t.workspace_id, t.site_id, t.kind) = (h.workspace_id, h.site_id, 'uptime') AND t.due_at > ${now}`.execute(db)
}

/** What a check leaves behind. */
export interface Checked {
  due: Due
  at: Date
  sample: Buffer
  probed: ProbeResult
  appAsked: boolean
  goodSince: Date | null
  appMisses: number
  connectorMisses: number
  addresses: Record<string, string> | null
  unprovenSince: Date | null
}

/** Writes the checks of a batch; hours that are over are put away first, and what held until now is kept where it is otherwise. In one transaction. */
export async function saveChecks(db: Db, checks: readonly Checked[]): Promise<void> {
  await putAway(db, checks)
  const rows = checks.map(({ due, at, sample, probed, ...check }) => ({
    workspace_id: due.workspace_id,
    site_id: due.site_id,
    at: at.toISOString(),
    hour: hourOf(at).toISOString(),
    sample: sample.toString('hex'),
    response_ms: probed.timings && Math.round(probed.timings.waitMs),
    http_status: probed.status || null,
    error: probed.error,
    good_since: check.goodSince,
    app_checked_at: check.appAsked ? at.toISOString() : null,
    app_misses: Math.min(check.appMisses, 1000),
    connector_misses: Math.min(check.connectorMisses, 1000),
    addresses: check.addresses,
    unproven_since: check.unprovenSince,
    certificate_ends_at: probed.certificateEndsAt,
  }))
  await sql`WITH r AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (workspace_id text, site_id text,
      at timestamptz, hour timestamptz, sample text, response_ms integer, http_status integer, error jsonb, good_since timestamptz,
      app_checked_at timestamptz, app_misses smallint, connector_misses smallint, addresses jsonb, certificate_ends_at timestamptz,
      unproven_since timestamptz)),
    earlier AS (INSERT INTO uptime_earlier (workspace_id, site_id, location, until, error, certificate_ends_at)
      SELECT m.workspace_id, m.site_id, m.location, date_trunc('second', r.at), m.error, m.certificate_ends_at
      FROM r JOIN uptime_monitors m ON (m.workspace_id, m.site_id, m.location) = (r.workspace_id, r.site_id, ${here})
      WHERE (m.error IS NOT NULL AND m.error IS DISTINCT FROM r.error) OR m.certificate_ends_at <> r.certificate_ends_at
      ON CONFLICT DO NOTHING)
    INSERT INTO uptime_monitors AS m (workspace_id, site_id, location, checked_at, hour, samples, response_ms, http_status, error,
      good_since, app_checked_at, app_misses, connector_misses, addresses, certificate_ends_at, unproven_since)
    SELECT r.workspace_id, r.site_id, ${here}, r.at, r.hour, decode(r.sample, 'hex'), r.response_ms, r.http_status, r.error, r.good_since,
      r.app_checked_at, r.app_misses, r.connector_misses, r.addresses, r.certificate_ends_at, r.unproven_since
    FROM r JOIN sites s ON (s.workspace_id, s.id) = (r.workspace_id, r.site_id)
    ON CONFLICT (workspace_id, site_id, location) DO UPDATE SET checked_at = excluded.checked_at, hour = excluded.hour,
      samples = CASE WHEN m.hour = excluded.hour THEN m.samples || excluded.samples ELSE excluded.samples END,
      response_ms = coalesce(excluded.response_ms, m.response_ms), http_status = excluded.http_status, error = excluded.error,
      good_since = excluded.good_since, app_checked_at = coalesce(excluded.app_checked_at, m.app_checked_at),
      app_misses = excluded.app_misses, connector_misses = excluded.connector_misses, unproven_since = excluded.unproven_since,
      addresses = coalesce(excluded.addresses, m.addresses),
      certificate_ends_at = coalesce(excluded.certificate_ends_at, m.certificate_ends_at)`.execute(db)
}

interface Over {
  workspace_id: string
  site_id: string
  hour: Date
  samples: Buffer
}

async function putAway(db: Db, checks: readonly Checked[]): Promise<void> {
  const { rows: over } = await sql<Over>`SELECT m.workspace_id, m.site_id, m.hour, m.samples FROM uptime_monitors m
    JOIN unnest(${checks.map(({ due }) => due.workspace_id)}::text[], ${checks.map(({ due }) => due.site_id)}::text[],
      ${checks.map(({ at }) => hourOf(at))}::timestamptz[]) AS c (workspace_id, site_id, hour)
      ON (m.workspace_id, m.site_id) = (c.workspace_id, c.site_id) AND m.location = ${here} AND m.hour < c.hour
    ORDER BY m.workspace_id, m.site_id FOR UPDATE OF m`.execute(db)
  if (over.length === 0) return
  const rows = over.map(({ samples, ...row }) => ({
    ...row,
    samples: closeHour(samples).toString('hex'),
    ...sumRow(sumOf(unpackSamples(row.hour, samples))),
  }))
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (workspace_id text, site_id text, hour timestamptz, samples text,
    checks integer, ups integer, excluded integer, ms_sum bigint, ms_histogram integer[])`
  await sql`INSERT INTO uptime_samples (workspace_id, site_id, location, hour, samples)
    SELECT r.workspace_id, r.site_id, ${here}, r.hour, decode(r.samples, 'hex') FROM ${given} ON CONFLICT DO NOTHING`.execute(db)
  await sql`INSERT INTO uptime_hours (workspace_id, site_id, location, hour, checks, ups, excluded, ms_sum, ms_histogram)
    SELECT r.workspace_id, r.site_id, ${here}, r.hour, r.checks, r.ups, r.excluded, r.ms_sum, r.ms_histogram FROM ${given}
    ON CONFLICT DO NOTHING`.execute(db)
  await sql`INSERT INTO uptime_days AS d (workspace_id, site_id, location, day, checks, ups, excluded, ms_sum, ms_histogram)
    SELECT r.workspace_id, r.site_id, ${here}, date_trunc('day', r.hour, 'UTC'), r.checks, r.ups, r.excluded, r.ms_sum, r.ms_histogram
    FROM ${given} ON CONFLICT (workspace_id, site_id, location, day) DO UPDATE SET checks = d.checks + excluded.checks,
      ups = d.ups + excluded.ups, excluded = d.excluded + excluded.excluded, ms_sum = d.ms_sum + excluded.ms_sum,
      ms_histogram = (SELECT array_agg(a + b ORDER BY n) FROM unnest(d.ms_histogram, excluded.ms_histogram) WITH ORDINALITY AS t (a, b, n))`.execute(
    db,
  )
}

const sumRow = ({ msSum, histogram, ...sum }: Sum) => ({ ...sum, ms_sum: msSum, ms_histogram: histogram })

/** What has changed about a site, and what began or ended with it. */
export interface Changed {
  workspace_id: string
  site_id: string
  up: boolean | null
  app_up: boolean | null
  app_known: boolean
  connector_silent: boolean | null
  since: Date
  unproven_since: Date | null
}

export async function saveStates(db: Db, states: readonly Changed[]): Promise<void> {
  if (states.length === 0) return
  await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, app_up, app_known, connector_silent, since, unproven_since)
    SELECT r.workspace_id, r.site_id, ${here}, r.up, r.app_up, r.app_known, r.connector_silent, r.since, r.unproven_since
    FROM jsonb_to_recordset(${JSON.stringify(states)}::jsonb) AS r (workspace_id text, site_id text, up boolean, app_up boolean, app_known boolean,
      connector_silent boolean, since timestamptz, unproven_since timestamptz) JOIN sites s ON (s.workspace_id, s.id) = (r.workspace_id, r.site_id)
    ON CONFLICT (workspace_id, site_id, location) DO UPDATE SET up = excluded.up, app_up = excluded.app_up, app_known = excluded.app_known,
      connector_silent = excluded.connector_silent, interrupted = false, since = excluded.since, unproven_since = excluded.unproven_since`.execute(
    db,
  )
}
