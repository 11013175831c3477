// A restore as people and agents are shown it, and what of that an approval is given for.
import { type Loss, lossInWords } from '../backups/loss.ts'
import { siteSaid } from '../connector/clean.ts'
import type { Hello } from '../connector/commands.ts'
import type { RestoreInput, RestorePlan } from './schema.ts'
import type { Foreseen } from './versions.ts'
import type { Source, WholePlan } from './whole-plan.ts'

const bytesPerSecond = 6_000_000
const fixedSeconds = 6

/** What something takes on a disk while it is laid ready. */
const withRoom = (bytes: number) => Math.ceil(bytes * 1.2)

/** Why there is no room for a restore, or ''. What goes to another disk lies on both for a while. */
export function shortOfSpace({ files, survey, bytes }: Pick<WholePlan, 'files' | 'survey' | 'bytes'>): string {
  if (survey.free !== null && survey.free < withRoom(bytes)) return 'there is too little disk space on the site'
  const bytesOn = (roots: string[]) =>
    (files?.ops ?? []).reduce((sum, op) => sum + (op.k === 'put' && roots.includes(op.r) ? (op.s ?? 0) : 0), 0)
  const short = survey.disks?.find(({ roots, free }) => free < withRoom(bytesOn(roots)))
  return short ? `there is too little disk space on the site where ${short.roots.join(', ')} lies` : ''
}

type Beside = { hello: Hello; source: Source; input: RestoreInput; loss: Loss | null; foreseen: Foreseen | null }

/** What somebody is shown who would restore it. */
export function describe(
  { files, tables, views, goneEvents, extra, kept, warnings, survey, bytes }: WholePlan,
  { hello, source: { backup, manifest }, input: { type }, loss, foreseen }: Beside,
): RestorePlan {
  const damage = loss ? `the backup is damaged: ${lossInWords(loss)}` : ''
  const needed = withRoom(bytes)
  const coreMoves = files !== null && files.ops.some(({ p }) => p === 'wp-includes/version.php')
  return {
    backup: { id: backup.id, type: backup.type, created_at: new Date(backup.created_at).toISOString() },
    type,
    files: files && { replace: files.replace, add: files.add, remove: files.remove, unchanged: files.unchanged, samples: files.samples },
    tables: tables && [
      ...tables.map(({ name, rows, live }) => ({ name, rows, what: live ? ('replace' as const) : ('add' as const) })),
      ...views.map(({ name, live }) => ({ name, rows: 0, what: live ? ('replace' as const) : ('add' as const) })),
      ...extra.map((name) => ({ name, rows: 0, what: 'remove' as const })),
    ],
    events_removed: goneEvents,
    wordpress: { from: hello.wp_version, to: coreMoves ? String(manifest.facts['wp_version'] ?? '') : hello.wp_version },
    changes: foreseen?.changes ?? null,
    bytes_to_send: bytes,
    space_needed: needed,
    space_free: survey.free,
    seconds: fixedSeconds + Math.ceil(bytes / bytesPerSecond),
    kept,
    warnings: [...(foreseen?.why === undefined ? [] : [foreseen.why]), ...warnings],
    lost: loss && { files: loss.files, tables: loss.tables, sample: loss.sample },
    obstacle:
      survey.obstacle === '' ? damage || shortOfSpace({ files, survey, bytes }) || null : 'The site cannot take a restore; it says why.',
    site_said: siteSaid(survey.obstacle),
  }
}

/** What of a plan an approval is given for: what must still be so when it is approved, and when it runs. */
export const boundPlan = ({ type, wordpress, lost, tables, events_removed }: RestorePlan) => ({
  type,
  wordpress,
  lost,
  tables: tables?.map(({ name, what }) => ({ name, what })),
  ...(events_removed.length > 0 ? { events_removed } : {}),
})
