import { PackDamage } from '../backups/engine/pack-format.ts'
import { damageOf, instead, type Loss, lossInWords, lossOf } from '../backups/loss.ts'
import { holdBackup } from '../backups/store.ts'
import { siteSaid } from '../connector/clean.ts'
import type { Hello } from '../connector/commands.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired, unreached } from '../sites/talk.ts'
import type { Context } from '../world.ts'
import { restore, undo } from './jobs.ts'
import type { RestoreInput, RestorePlan } from './schema.ts'
import { placesOf, scopeOf } from './scope.ts'
import { mayBeUndone } from './store.ts'
import { enter, RestoreSite } from './way-in.ts'
import { planOf, restorable, type Source, sourceOf, type WholePlan } from './whole-plan.ts'

const bytesPerSecond = 6_000_000
const fixedSeconds = 6

/** The answer of a dry run. */
export async function planRestore(context: Context, site: Site, input: RestoreInput) {
  try {
    const source = await sourceOf(context, site.id, input)
    mustBePaired(site, 'nothing can be restored there')
    const asked = await RestoreSite.open(context, site, context.signal ?? new AbortController().signal)
    const { hello } = await enter(context, site, asked)
    const loss = await lossOf(context, source.id, scopeOf(input.type, input.include, hello.db, placesOf(source.manifest, hello)))
    if (loss) await damageOf(context, input.backup_id, new PackDamage('seen while a restore was planned'))
    const plan = describe(await planOf(asked, hello, source, input), { hello, source, input, loss })
    return { status: 'planned' as const, job_id: null, poll_after_s: null, next: null, dry_run: true, plan }
  } catch (error) {
    throw await unreached(context, site, await damageOf(context, input.backup_id, error))
  }
}

function describe(
  { files, tables, views, extra, kept, warnings, survey, bytes }: WholePlan,
  { hello, source: { manifest }, input: { type }, loss }: { hello: Hello; source: Source; input: RestoreInput; loss: Loss | null },
): RestorePlan {
  const damage = loss ? `the backup is damaged: ${lossInWords(loss)}` : ''
  const needed = Math.ceil(bytes * 1.2)
  const space = survey.free !== null && survey.free < needed ? 'there is too little disk space on the site' : ''
  const coreMoves = files !== null && files.ops.some(({ p }) => p === 'wp-includes/version.php')
  return {
    type,
    files: files && { replace: files.replace, add: files.add, remove: files.remove, unchanged: files.unchanged, samples: files.samples },
    tables: tables && [
      ...tables.map(({ name, rows, live }) => ({ name, rows, what: live ? ('replace' as const) : ('add' as const) })),
      ...views.map(({ name, live }) => ({ name, rows: 0, what: live ? ('replace' as const) : ('add' as const) })),
      ...extra.map((name) => ({ name, rows: 0, what: 'remove' as const })),
    ],
    wordpress: { from: hello.wp_version, to: coreMoves ? String(manifest.facts['wp_version'] ?? '') : hello.wp_version },
    bytes_to_send: bytes,
    space_needed: needed,
    space_free: survey.free,
    seconds: fixedSeconds + Math.ceil(bytes / bytesPerSecond),
    kept,
    warnings,
    lost: loss && { files: loss.files, tables: loss.tables, sample: loss.sample },
    obstacle: survey.obstacle === '' ? damage || space || null : 'The site cannot take a restore; it says why.',
    site_said: siteSaid(survey.obstacle),
  }
}

export async function startRestore(context: Context, site: Site, input: RestoreInput) {
  await holdBackup(context, input.backup_id)
  const backup = await restorable(context, site.id, input)
  // Of parts, and of a part that is whole, nobody knows before it is looked at.
  if (backup.verification === 'damaged' && !input.include && input.type === backup.type)
    throw new Problem(
      'damaged',
      `This backup is damaged: ${backup.lost ? lossInWords({ ...backup.lost, lists: false }) : 'it was read back and does not fit'}. ${instead}`,
    )
  mustBePaired(site, 'nothing can be restored there')
  const started = await startJob(context, restore, site.id, input)
  return { ...started, dry_run: false, plan: null }
}

export async function startUndo(context: Context, site: Site) {
  mustBePaired(site, 'nothing can be restored there')
  if (!(await mayBeUndone(context, site.id, { restore: restore.type, undo: undo.type })))
    throw new Problem('conflict', 'There is no restore of the last 24 hours on this site that could be undone.', { retryable: false })
  return startJob(context, undo, site.id, {})
}
