import { z } from 'zod'
import { BackupType } from '../backups/schema.ts'
import { Time } from '../kernel/shapes.ts'

/** When a site is backed up by itself, and how many of its backups are kept. */
export const Policy = z.object({
  enabled: z.boolean(),
  type: BackupType,
  at: z.string().describe('HH:MM, UTC: from then on.'),
  spread_minutes: z.int().describe('The sites begin spread over so many minutes; each keeps its place.'),
  keep_daily: z.int().nullable().describe('null, as the other two: all are kept.'),
  keep_weekly: z.int().nullable(),
  keep_monthly: z.int().nullable(),
})
export type Policy = z.infer<typeof Policy>

/** How many backups are kept; null in all three: all of them. */
export const keptFields = ['keep_daily', 'keep_weekly', 'keep_monthly'] as const
export type Kept = Pick<Policy, (typeof keptFields)[number]>

const KeptBefore = Policy.pick({ keep_daily: true, keep_weekly: true, keep_monthly: true })
  .extend({ until: Time })
  .nullable()
  .describe(
    'Kept until then, because an owner lowered the numbers within the last day; set back before that, nothing is deleted. null: no change.',
  )

/** What is backed up before an update. */
export const UpdatePolicy = z.object({
  pre_update: z.enum(['none', 'db', 'files', 'full']).describe('What is backed up before an update; when that fails, nothing is updated.'),
  reuse_hours: z
    .int()
    .describe('A backup that is so many hours old at most counts, if nothing was changed from here since; 0: of five minutes.'),
})
export type UpdatePolicy = z.infer<typeof UpdatePolicy>

export const usualUpdatePolicy: UpdatePolicy = { pre_update: 'db', reuse_hours: 0 }

export interface Keep {
  daily: number
  weekly: number
  monthly: number
}

/** Until somebody says otherwise nothing is backed up by itself, and nothing deleted. */
export const usualPolicy: Policy = {
  enabled: false,
  type: 'full',
  at: '01:00',
  spread_minutes: 240,
  keep_daily: null,
  keep_weekly: null,
  keep_monthly: null,
}

/** What may be set; what is left out stays as it is. */
export const policyFields = {
  enabled: z.boolean().optional().describe('Whether sites are backed up by themselves, once a day.'),
  type: BackupType.optional().describe('What is backed up.'),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 01:30.')
    .optional()
    .describe('HH:MM, UTC: when the window begins.'),
  spread_minutes: z.int().min(0).max(1440).optional().describe('How long the window is in which the sites begin.'),
  keep_daily: z.int().min(1).max(366).optional().describe('The last backup of so many days is kept; to lower it is for an owner.'),
  keep_weekly: z.int().min(0).max(520).optional().describe('… of so many weeks.'),
  keep_monthly: z.int().min(0).max(240).optional().describe('… of so many months.'),
  pre_update: UpdatePolicy.shape.pre_update.optional().describe('What is backed up before an update.'),
  reuse_hours: z
    .int()
    .min(0)
    .max(168)
    .optional()
    .describe(
      'A backup that is so many hours old at most counts; 0: of five minutes. Tables come back by themselves only from one of a quarter of an hour.',
    ),
}

const Whole = Policy.extend(UpdatePolicy.shape)

export const WorkspaceSchedule = Whole.extend({
  kept_before: KeptBefore,
  set: z.boolean().describe('false: nobody has set it yet, so nothing is deleted.'),
})

export type WorkspaceSchedule = z.infer<typeof WorkspaceSchedule>

export const SiteSchedule = Whole.extend({
  site_id: z.string(),
  kept_before: KeptBefore,
  inherited: z.boolean().describe('true: as the workspace has it.'),
  pre_update_inherited: z.boolean().describe('true: what comes before an update is as the workspace has it.'),
  next_run_at: Time.nullable(),
  retention_frozen: z.boolean().describe('true: the latest backup is suspect, and nothing is deleted until it was looked at.'),
})
