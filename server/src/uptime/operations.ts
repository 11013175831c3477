import { z } from 'zod'
import { Cursor, limit, Moment, page, Since, Time, TimeZone, Until } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Check, Counts, Incident, IncidentKind, Move, Point, Settings, State, settingsFields, Uptime, Window } from './schema.ts'
import { pageOfIncidents, pageOfUptime, readChecks, readHistory } from './service.ts'
import { addWindow, changeSettings, closeWindow, readSettings } from './settings.ts'

export const list = siteFilterOperation({
  name: 'uptime.list',
  tool: 'get_uptime',
  http: ['GET /uptime', 'GET /sites/{site_id}/uptime'],
  title: 'Uptime',
  summary: 'Whether sites answer, worst first; of one site also its last checks.',
  guidance: 'state is about pages, app_up about WordPress behind a cache, connector_silent about the plugin.',
  scope: 'read',
  effect: 'read',
  list: 'sites',
  columns: ['name', 'state', 'problem', 'since', 'ratio_24h', 'ratio_30d', 'response_ms', 'app_up', 'connector_silent', 'site_id'],
  brief: ['site_id', 'name', 'state', 'since', 'app_up', 'connector_silent', 'ratio_24h', 'ratio_30d', 'response_ms', 'problem'],
  briefLimit: 10,
  isShort: true,
  input: z.strictObject({
    site_id: SiteId.optional(),
    state: State.optional().describe('Only these.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: z.object({
    ...page('sites', Uptime).shape,
    counts: Counts,
    watch_troubled_since: Time.nullable().describe(
      'Since then it is not known of some of these sites whether they are up, because our own network may be in trouble. null: no such trouble for seven minutes.',
    ),
    checks: z.array(Check).optional().describe('Newest first; of one site.'),
  }),
  example: { state: 'down' },
  handle: (context, { site_id: _, ...wanted }) => pageOfUptime(context, context.site, wanted),
})

export const checks = siteOperation({
  name: 'uptime.checks',
  http: 'GET /sites/{site_id}/uptime/checks',
  title: 'Checks of a site',
  summary: 'Each check of one site in the last two days, newest first, with what its parts took.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId, limit: limit(6000, 100) }),
  output: z.object({ checks: z.array(Check) }),
  example: { site_id: 'example.com', limit: 60 },
  handle: async (context, { limit: most }) => ({ checks: await readChecks(context, context.site, most) }),
})

export const incidents = siteFilterOperation({
  name: 'uptime.incidents',
  http: ['GET /uptime/incidents', 'GET /sites/{site_id}/uptime/incidents'],
  title: 'Incidents',
  summary: 'When sites, WordPress in them or their connectors did not answer, newest first, with cause and duration.',
  scope: 'read',
  effect: 'read',
  list: 'incidents',
  columns: ['started_at', 'site_name', 'kind', 'message', 'duration_s', 'ended_at', 'cause', 'id'],
  input: z.strictObject({
    site_id: SiteId.optional(),
    open: z.boolean().optional().describe('true: only those that last; false: only those that are over.'),
    kind: IncidentKind.optional().describe('Only of this kind.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('incidents', Incident),
  example: { open: true },
  handle: (context, { site_id: _, limit: most, cursor, ...filter }) =>
    pageOfIncidents(context, { ...filter, siteId: context.site?.id }, { limit: most, cursor }),
})

export const history = siteOperation({
  name: 'uptime.history',
  http: 'GET /sites/{site_id}/uptime/history',
  title: 'History of the uptime',
  summary: 'How a site answered hour by hour or day by day, for years, and when its addresses in DNS changed.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({
    site_id: SiteId,
    step: z.enum(['hour', 'day']).default('day').describe('Of what a point is the sum.'),
    time_zone: TimeZone.optional().describe(
      'Whose days those are, like Europe/Berlin, of 92 days at most; without it days are those of UTC.',
    ),
    since: Since,
    until: Until,
  }),
  output: z.object({ step: z.enum(['hour', 'day']), points: z.array(Point), moves: z.array(Move) }),
  example: { site_id: 'example.com', step: 'day' },
  handle: (context, { site_id: _, ...wanted }) => readHistory(context, context.site, wanted),
})

const Held = Settings.extend({
  own: z.array(z.string()).describe('Which of these were set here and not taken over.'),
  windows: z.array(Window).describe('Those that are not over.'),
})

export const getDefault = workspaceOperation({
  name: 'uptime.get_default',
  http: 'GET /uptime/settings',
  title: 'Read how sites are watched',
  summary: 'How often sites are asked whether they answer, what is expected of them, and when failures are meant.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({}),
  output: Held,
  example: {},
  handle: (context) => readSettings(context, null),
})

export const setDefault = workspaceOperation({
  name: 'uptime.set_default',
  http: 'POST /uptime/settings',
  title: 'Set how sites are watched',
  summary: 'Change how often all sites are asked and what is expected of them; what is left out stays, null is as usual.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: z.strictObject(settingsFields),
  output: Held,
  example: { interval_s: 120 },
  handle: (context, change) => changeSettings(context, null, change),
})

export const get = siteOperation({
  name: 'uptime.get',
  http: 'GET /sites/{site_id}/uptime/settings',
  title: 'Read how a site is watched',
  summary: 'How often one site is asked whether it answers, what is expected of it, and when failures are meant.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId }),
  output: Held,
  example: { site_id: 'example.com' },
  handle: (context) => readSettings(context, context.site.id),
})

export const set = siteOperation({
  name: 'uptime.set',
  http: 'POST /sites/{site_id}/uptime/settings',
  title: 'Set how a site is watched',
  summary:
    'Change how often one site is asked and what is expected of it, or pause it; what is left out stays, null is as the workspace has it.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: z.strictObject({ site_id: SiteId, ...settingsFields }),
  output: Held,
  example: { site_id: 'example.com', text_wanted: 'Opening hours' },
  handle: (context, { site_id: _, ...change }) => changeSettings(context, context.site.id, change),
})

const windowFields = {
  starts_at: Moment.optional().describe('A day or time; now if not given.'),
  ends_at: Moment.describe('A day or time, at most 30 days later.'),
  reason: z.string().trim().min(1).max(200).describe('Why; colleagues read it.'),
}

export const addForAll = workspaceOperation({
  name: 'uptime.maintain_all',
  http: 'POST /uptime/windows',
  title: 'Announce maintenance of all sites',
  summary: 'Say when failures of any site are meant: they are no incidents then and count in no ratio.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 201,
  input: z.strictObject(windowFields),
  output: Window,
  example: { ends_at: '2030-01-01T04:00:00Z', reason: 'The host moves to another building' },
  handle: (context, given) => addWindow(context, null, given),
})

export const add = siteOperation({
  name: 'uptime.maintain',
  http: 'POST /sites/{site_id}/uptime/windows',
  title: 'Announce maintenance of a site',
  summary: 'Say when failures of one site are meant: they are no incidents then and count in no ratio.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 201,
  input: z.strictObject({ site_id: SiteId, ...windowFields }),
  output: Window,
  example: { site_id: 'example.com', ends_at: '2030-01-01T04:00:00Z', reason: 'The shop moves to another host' },
  handle: (context, { site_id: _, ...given }) => addWindow(context, context.site.id, given),
})

export const end = workspaceOperation({
  name: 'uptime.end_maintenance',
  http: 'POST /uptime/windows/{window_id}/end',
  title: 'End a maintenance',
  summary: 'End an announced maintenance now, or take back one that has not begun.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: z.strictObject({
    window_id: z
      .string()
      .regex(/^window_[0-9a-z]{26}$/, 'Not the id of a window; they look like window_….')
      .describe('The window, from the settings.'),
  }),
  output: z.object({ id: z.string(), ended: z.boolean() }),
  example: { window_id: 'window_01k0000000000000000000000a' },
  handle: (context, { window_id }) => closeWindow(context, window_id),
})
