import { z } from 'zod'
import { BackupId, BackupType } from '../backups/schema.ts'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { boundPlan } from './describe.ts'
import { Include, RestoreAnswer, UndoAnswer } from './schema.ts'
import { planRestore, startRestore, startUndo } from './service.ts'
import { typeOf } from './whole-plan.ts'

export const create = siteOperation({
  name: 'restores.create',
  tool: 'restore_backup',
  http: 'POST /sites/{site_id}/backups/{backup_id}/restore',
  title: 'Restore a backup',
  summary: 'Put a backup back onto the site it was made of, all of it or named parts; if the site then fails, it is put back as it was.',
  guidance: 'dry_run first. Replaces what changed since. get_job follows it.',
  scope: 'write',
  effect: 'destroy',
  policy: 'restores',
  status: 202,
  waits: ({ dry_run }) => dry_run,
  // With a safety backup there is a way back.
  cost: { budget: 'bare_restores', takes: (_, { safety_backup, dry_run }) => (safety_backup || dry_run ? 0 : 1) },
  input: z.strictObject({
    site_id: SiteId,
    backup_id: BackupId,
    type: BackupType.optional().describe('All it holds if not given.'),
    include: Include.optional().describe('plugin:akismet, theme:…, table:options, folder:wp-content/uploads, subsite:3.'),
    safety_backup: z.boolean().default(true).describe('Back the site up first.'),
    dry_run: z.boolean().default(false).describe('Only the plan.'),
  }),
  output: RestoreAnswer,
  binds: ({ plan }) => plan && boundPlan(plan),
  example: { site_id: 'example.com', backup_id: 'backup_01k0000000000000000000000a', include: ['plugin:akismet'], dry_run: true },
  async handle(context, { backup_id, type, include, safety_backup, dry_run }) {
    const { site } = context
    const input = { backup_id, type: await typeOf(context, site.id, { backup_id, type }), ...(include && { include }), safety_backup }
    return dry_run ? planRestore(context, site, input) : startRestore(context, site, input)
  },
})

export const undo = siteOperation({
  name: 'restores.undo',
  tool: 'undo_restore',
  http: 'POST /sites/{site_id}/restores/undo',
  title: 'Undo a restore',
  summary: 'Bring back the state before the last restore, within 24 hours of it; what changed on the site since is lost.',
  guidance: 'An update is undone by restore_backup with include plugin:SLUG of a backup from before it.',
  scope: 'write',
  effect: 'destroy',
  policy: 'restores',
  status: 202,
  input: z.strictObject({ site_id: SiteId }),
  output: UndoAnswer,
  binds: ({ undoes }) => ({ undoes }),
  example: { site_id: 'example.com' },
  handle: (context) => startUndo(context, context.site),
})
