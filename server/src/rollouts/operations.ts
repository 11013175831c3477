import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { sitesBeforeAStop } from './plan.ts'
import { Rollout, RolloutAnswer, RolloutId, RolloutInput, RolloutSummary } from './schema.ts'
import { cancelRollout, pageOfRollouts, startRollout, waitForRollout } from './service.ts'

export const start = workspaceOperation({
  name: 'rollouts.start',
  http: 'POST /updates',
  title: 'Update many sites',
  summary: 'Update many sites in waves, a few first; it stops by itself when more than a set share of a wave failed or was rolled back.',
  scope: 'write',
  effect: 'destroy',
  cost: { budget: 'updates', takes: sitesBeforeAStop },
  input: RolloutInput,
  output: RolloutAnswer,
  example: { tag: 'shops', plugins: ['akismet'], first_wave: 2, wave_size: 20, stop_above_percent: 20, dry_run: true },
  handle: startRollout,
})

export const list = workspaceOperation({
  name: 'rollouts.list',
  http: 'GET /rollouts',
  title: 'List rollouts',
  summary: 'Updates of many sites, newest first, with how far each is.',
  scope: 'read',
  effect: 'read',
  list: 'rollouts',
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
  idempotent: true,
  input: z.strictObject({ rollout_id: RolloutId }),
  output: Rollout,
  example: { rollout_id: 'rollout_01k0000000000000000000000a' },
  handle: (context, { rollout_id }) => cancelRollout(context, rollout_id),
})
