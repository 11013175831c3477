import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { policyFields, SiteSchedule, WorkspaceSchedule } from './schema.ts'
import { ownersPart, readSiteSchedule, readWorkspaceSchedule, setSiteSchedule, setWorkspaceSchedule } from './service.ts'

export const getDefault = workspaceOperation({
  name: 'schedules.get_default',
  tool: 'get_default_schedule',
  http: 'GET /schedule',
  title: 'Read the schedule of the workspace',
  summary: 'When sites without a schedule of their own are backed up, how many backups are kept, and which one comes before an update.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({}),
  output: WorkspaceSchedule,
  example: {},
  handle: readWorkspaceSchedule,
})

export const setDefault = workspaceOperation({
  name: 'schedules.set_default',
  tool: 'set_default_schedule',
  unshown: ['keep_daily', 'keep_weekly', 'keep_monthly', 'pre_update', 'reuse_hours'],
  http: 'POST /schedule',
  title: 'Set the schedule of the workspace',
  summary:
    'Change when sites are backed up, how many backups are kept and which one comes before an update; what is left out stays. Keeping fewer is for an owner, and begins a day later.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: z.strictObject(policyFields),
  output: WorkspaceSchedule,
  example: { enabled: true, at: '01:30' },
  ownersOnly: (context, change) => ownersPart(context, null, change),
  handle: setWorkspaceSchedule,
})

export const get = siteOperation({
  name: 'schedules.get',
  tool: 'get_schedule',
  http: 'GET /sites/{site_id}/schedule',
  title: 'Read the schedule of a site',
  summary: 'When one site is backed up next, how many of its backups are kept, and which one comes before an update.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId }),
  output: SiteSchedule,
  example: { site_id: 'example.com' },
  handle: (context) => readSiteSchedule(context, context.site),
})

export const set = siteOperation({
  name: 'schedules.set',
  tool: 'set_schedule',
  unshown: ['keep_daily', 'keep_weekly', 'keep_monthly', 'pre_update', 'reuse_hours'],
  http: 'POST /sites/{site_id}/schedule',
  title: 'Set the schedule of a site',
  summary:
    'Give one site a schedule of its own, or with inherit that of the workspace again; what is left out stays as it is. Keeping fewer backups is for an owner, and begins a day later.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: z.strictObject({
    site_id: SiteId,
    ...policyFields,
    inherit: z.boolean().optional().describe('true: forget its own schedule; the other fields are then not looked at.'),
  }),
  output: SiteSchedule,
  example: { site_id: 'example.com', enabled: true, type: 'full', at: '02:00' },
  ownersOnly: (context, { site_id: _, ...change }) => ownersPart(context, context.site, change),
  handle: (context, { site_id: _, ...change }) => setSiteSchedule(context, context.site, change),
})
