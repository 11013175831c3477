import { z } from 'zod'
import { BackupType } from '../backups/schema.ts'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { which } from '../sites/schema.ts'
import { boundFix } from '../tweaks/plan.ts'
import { effectsOfFix } from '../tweaks/service.ts'
import { effectsOfUpdate } from '../updates/approved.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { beginNextWave, ownersPart, planNextWave } from './next-wave.ts'
import { boundOf, sitesBeforeAStop } from './plan.ts'
import { BackupsStarted, FixAnswer, FixInput, NextWave, Rollout, RolloutAnswer, RolloutId, RolloutInput, RolloutSummary } from './schema.ts'
import { cancelRollout, pageOfRollouts, sitesWithNewSalts, startBackups, startFixes, startUpdates, waitForRollout } from './service.ts'

export const start = workspaceOperation({
  name: 'rollouts.start',
  tool: 'update_site',
  http: 'POST /updates',
  title: 'Update sites',
  summary: 'Update one site, or many in waves, a rollout: all that waits, or what is named. What breaks a site is taken back.',
  guidance: 'dry_run first: versions, risks. get_job follows it.',
  seesOwn: true,
  scope: 'write',
  effect: 'destroy',
  policy: effectsOfUpdate,
  status: 202,
  rows: 'sites',
  brief: ['url', 'wave', 'reason'],
  briefWhere: ['note'],
  unshown: ['first_wave', 'wave_size', 'wave_percent', 'stop_above_percent'],
  waits: ({ dry_run, site_id }) => dry_run && site_id !== undefined,
  cost: { budget: 'updates', takes: sitesBeforeAStop },
  input: RolloutInput,
  output: RolloutAnswer,
  binds: boundOf,
  example: { tag: 'shops', plugins: ['akismet'], first_wave: 2, wave_size: 20, stop_above_percent: 20, dry_run: true },
  handle: startUpdates,
})

export const backup = workspaceOperation({
  name: 'backups.create',
  tool: 'create_backup',
  http: ['POST /backups', 'POST /sites/{site_id}/backups'],
  title: 'Start a backup',
  summary: 'Back up one site or many: everything, only the database or only the files.',
  guidance: 'get_job follows it. Safe at any time: it only reads from the site.',
  seesOwn: true,
  scope: 'write',
  effect: 'create',
  policy: 'backups',
  status: 202,
  input: z.strictObject({
    ...which,
    type: BackupType.default('full').describe('full: files and database.'),
  }),
  output: BackupsStarted,
  example: { site_id: 'example.com', type: 'db' },
  handle: startBackups,
})

export const fix = workspaceOperation({
  name: 'tweaks.apply',
  tool: 'apply_security_fix',
  http: ['POST /tweaks', 'POST /sites/{site_id}/tweaks'],
  title: 'Apply security fixes',
  summary: 'Switch Site Tweaks on or take them back, on one site or many; undone where a site suffers.',
  guidance: 'Show the dry_run and have a person agree: salts_rotated ends all sessions, others edit .htaccess or wp-config.php.',
  seesOwn: true,
  scope: 'write',
  effect: 'change',
  policy: effectsOfFix,
  status: 202,
  rows: 'plan',
  unshown: ['again'],
  waits: ({ dry_run }) => dry_run,
  cost: { budget: 'new_salts', takes: sitesWithNewSalts },
  input: FixInput,
  output: FixAnswer,
  binds: ({ plan }) => plan && boundFix(plan),
  example: { site_id: 'example.com', tweak_ids: ['xmlrpc_off'], action: 'apply' },
  handle: startFixes,
})

export const goOn = workspaceOperation({
  name: 'rollouts.continue',
  http: 'POST /rollouts/{rollout_id}/continue',
  title: 'Begin the next wave',
  summary: 'Begin the next wave of an update that an agent asked for; it is asked for by itself, and begins when somebody approves it.',
  seesOwn: true,
  scope: 'write',
  effect: 'destroy',
  policy: effectsOfUpdate,
  status: 202,
  rows: 'sites',
  input: z.strictObject({
    rollout_id: RolloutId,
    wave: z.int().min(2).max(10_000).describe('Its number.'),
    dry_run: z.boolean().default(false).describe('Only the plan.'),
  }),
  output: NextWave,
  binds: ({ sites }) => sites && boundOf({ items: null, sites }),
  example: { rollout_id: 'rollout_01k0000000000000000000000a', wave: 2, dry_run: true },
  ownersOnly: async (context, { dry_run }) => (dry_run ? undefined : ownersPart(context)),
  handle: (context, { rollout_id, wave, dry_run }) => (dry_run ? planNextWave : beginNextWave)(context, rollout_id, wave),
})

export const list = workspaceOperation({
  name: 'rollouts.list',
  http: 'GET /rollouts',
  title: 'List rollouts',
  summary:
    'Rollouts, newest first, with how far each is: updates of many sites, as rollouts.start (POST /updates) begins them, and backups and Site Tweaks of many.',
  scope: 'read',
  effect: 'read',
  list: 'rollouts',
  columns: ['created_at', 'kind', 'status', 'progress', 'counts', 'reason', 'id'],
  input: z.strictObject({ limit: limit(200, 50), cursor: Cursor }),
  output: page('rollouts', RolloutSummary),
  example: {},
  handle: pageOfRollouts,
})

export const get = workspaceOperation({
  name: 'rollouts.get',
  http: 'GET /rollouts/{rollout_id}',
  title: 'Read one rollout',
  summary: 'How an update of many sites is doing, and what became of each site.',
  scope: 'read',
  effect: 'read',
  lingers: true,
  input: z.strictObject({
    rollout_id: RolloutId,
    wait_seconds: z.int().min(0).max(25).default(0).describe('Answer when it has ended, or after this many seconds (0 to 25).'),
  }),
  output: Rollout,
  example: { rollout_id: 'rollout_01k0000000000000000000000a' },
  handle: (context, { rollout_id, wait_seconds }) => waitForRollout(context, rollout_id, wait_seconds),
})

export const cancel = workspaceOperation({
  name: 'rollouts.cancel',
  http: 'POST /rollouts/{rollout_id}/cancel',
  title: 'Cancel a rollout',
  summary: 'Begin no further site; those that are being updated are brought to their end.',
  scope: 'write',
  effect: 'change',
  policy: 'cancellations',
  idempotent: true,
  input: z.strictObject({ rollout_id: RolloutId }),
  output: Rollout,
  example: { rollout_id: 'rollout_01k0000000000000000000000a' },
  handle: (context, { rollout_id }) => cancelRollout(context, rollout_id),
})
