import { blobReader } from '../backups/blobs.ts'
import { type Manifest, readManifest } from '../backups/engine/manifest.ts'
import { PackDamage } from '../backups/engine/pack-format.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import { damageOf, instead, type Loss, lossInWords, lossOf } from '../backups/loss.ts'
import { findBackup, holdBackup } from '../backups/store.ts'
import { call } from '../connector/call.ts'
import { siteSaid } from '../connector/clean.ts'
import type { Hello, Result } from '../connector/commands.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { talk, unreached } from '../sites/talk.ts'
import type { Context } from '../world.ts'
import { type FilePlan, planFiles } from './plan.ts'
import type { RestoreInput, RestorePlan } from './schema.ts'
import { type Scope, scopeOf } from './scope.ts'
import { type Here, RestoreSite, type Target } from './site.ts'
import { mayBeUndone } from './store.ts'
import { planTables, type TablePlan } from './table-plan.ts'

export type Source = { id: string; manifest: Manifest; read: ReadBlob }
export type WholePlan = {
  files: FilePlan | null
  tables: TablePlan[] | null
  extra: string[]
  kept: string[]
  warnings: string[]
  survey: Result<'restore.survey'>
  bytes: number
}

const bytesPerSecond = 6_000_000
const fixedSeconds = 6

/** The backup to restore; refused when it is another site's, not complete, or lacks what is wanted. Nothing is read from the store. */
async function restorable(here: Here, siteId: string, { backup_id, type }: Pick<RestoreInput, 'backup_id' | 'type'>) {
  const backup = await findBackup(here, siteId, backup_id)
  if (!backup) throw new Problem('not_found', 'There is no such backup of this site. list_backups shows those there are.')
  const refuse = (why: string) => new Problem('conflict', why, { retryable: false })
  if (backup.status !== 'completed' || backup.manifest === null)
    throw refuse(`This backup is ${backup.status}; only a completed one can be restored.`)
  if (backup.type !== 'full' && backup.type !== type)
    throw refuse(`This backup is of type ${backup.type}; it holds no ${backup.type === 'files' ? 'database' : 'files'}.`)
  return { ...backup, manifest: backup.manifest }
}

/** The backup to restore, opened; throws `PackDamage` where its beginning cannot be read. */
export async function sourceOf(here: Here, siteId: string, input: Pick<RestoreInput, 'backup_id' | 'type'>): Promise<Source> {
  const { manifest: id } = await restorable(here, siteId, input)
  const read = await blobReader(here, here.workspaceId)
  return { id, manifest: await readManifest(id, read), read }
}

/** The type of restore that a backup allows when none is named. */
export async function typeOf(
  here: Here,
  siteId: string,
  { backup_id, type }: { backup_id: string; type: RestoreInput['type'] | undefined },
): Promise<RestoreInput['type']> {
  if (type !== undefined) return type
  return (await findBackup(here, siteId, backup_id))?.type ?? 'full'
}

/** Compares backup and site. Only reads. */
export async function planOf(site: RestoreSite, hello: Hello, { manifest, read }: Source, input: RestoreInput): Promise<WholePlan> {
  const { prefix } = hello.db
  const scope = scopeOf(input.type, input.include, prefix)
  const live = scope.tables ? await site.ask('db.tables', {}) : null
  const found = live ? await planTables(manifest, read, live, scope, prefix) : null
  const names = found?.tables.map(({ name }) => name) ?? []
  const survey = await site.ask('restore.survey', { files: scope.files, tables: [...names, ...(found?.extra ?? [])], bytes: 0 })
  const files = scope.files ? await planFiles(site, hello, manifest, read, scope, survey) : null
  mustMean(scope, files, names)
  const bytes =
    (files?.contents.reduce((sum, { size }) => sum + size, 0) ?? 0) + (found?.tables.reduce((sum, table) => sum + table.bytes, 0) ?? 0)
  const kept = [
    ...survey.leave.map(({ p }) => (typeof p === 'string' ? p : p.b64)),
    ...(files?.skipped ?? []),
    ...(found?.stay.map((table) => `${table} (a table of which the backup lacks rows)`) ?? []),
    ...(found?.absent.map((table) => `${table} (a table of which the backup has no plain definition or rows)`) ?? []),
    ...(found?.views.map((view) => `${view} (a view)`) ?? []),
  ]
  return { files, tables: found?.tables ?? null, extra: found?.extra ?? [], kept, warnings: found?.warnings ?? [], survey, bytes }
}

function mustMean(scope: Scope, files: FilePlan | null, tables: string[]): void {
  const nothing = files === null || files.ops.length + files.unchanged === 0
  if (!scope.whole && nothing && tables.length === 0)
    throw new Problem('invalid_payload', 'The backup holds nothing of what was named.', {
      errors: [{ path: 'include', message: 'Nothing in the backup matches.' }],
    })
}

/** The answer of a dry run. */
export async function planRestore(context: Context, site: Site, input: RestoreInput) {
  try {
    const source = await sourceOf(context, site.id, input)
    mustBePaired(site)
    const { result: hello } = await talk(context, site, (deps, connection, options) => call(deps, connection, 'hello', {}, options))
    const asked = await RestoreSite.open(context, site, context.signal ?? new AbortController().signal)
    const loss = await lossOf(context, source.id, scopeOf(input.type, input.include, hello.db.prefix))
    if (loss) await damageOf(context, input.backup_id, new PackDamage('seen while a restore was planned'))
    const plan = describe(await planOf(asked, hello, source, input), hello, source.manifest, input, loss)
    return { status: 'planned' as const, job_id: null, poll_after_s: null, next: null, dry_run: true, plan }
  } catch (error) {
    throw await unreached(context, site, await damageOf(context, input.backup_id, error))
  }
}

function describe(
  { files, tables, extra, kept, warnings, survey, bytes }: WholePlan,
  hello: Hello,
  manifest: Manifest,
  { type }: RestoreInput,
  loss: Loss | null,
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

export async function startRestore(context: Context, site: Site, input: RestoreInput, kind: { type: string; retries: number }) {
  await holdBackup(context, input.backup_id)
  const backup = await restorable(context, site.id, input)
  // Of parts, and of a part that is whole, nobody knows before it is looked at.
  if (backup.verification === 'damaged' && !input.include && input.type === backup.type)
    throw new Problem(
      'damaged',
      `This backup is damaged: ${backup.lost ? lossInWords({ ...backup.lost, lists: false }) : 'it was read back and does not fit'}. ${instead}`,
    )
  mustBePaired(site)
  const started = await startJob(context, kind, site.id, input)
  return { ...started, dry_run: false, plan: null }
}

export async function startUndo(context: Context, site: Site, kind: { type: string; retries: number }) {
  mustBePaired(site)
  if (!(await mayBeUndone(context, site.id)))
    throw new Problem('conflict', 'There is no restore of the last 24 hours on this site that could be undone.', { retryable: false })
  return startJob(context, kind, site.id, {})
}

function mustBePaired({ status }: Target): void {
  if (status === 'disconnected' || status === 'clone_detected')
    throw new Problem('conflict', `The site is ${status.replace('_', ' ')}, so nothing can be restored there.`, { retryable: false })
}
