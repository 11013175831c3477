// What a restore would do to a site, worked out from the backup and the site. Nothing is changed.

import { blobReader } from '../backups/blobs.ts'
import { type DatabaseEvent, type Manifest, readManifest } from '../backups/engine/manifest.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Backup } from '../backups/schema.ts'
import { findBackup } from '../backups/store.ts'
import { listTables } from '../connector/call.ts'
import type { Hello, Result } from '../connector/commands.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import type { SiteClient } from '../sites/client.ts'
import type { Here } from '../world.ts'
import { type FilePlan, planFiles } from './plan.ts'
import type { RestoreInput } from './schema.ts'
import { heldBy, namedBy, placesOf, type Scope, scopeOf } from './scope.ts'
import { surveyOf } from './survey.ts'
import { leaveAlone, madeAnew, planTables, type TablePlan, tiedIn, tiesOf, type ViewPlan } from './table-plan.ts'

export type Source = { id: string; backup: Pick<Backup, 'id' | 'type' | 'created_at'>; manifest: Manifest; read: ReadBlob }
export type WholePlan = {
  files: FilePlan | null
  tables: TablePlan[] | null
  views: ViewPlan[]
  events: DatabaseEvent[]
  goneEvents: string[]
  extra: string[]
  kept: string[]
  warnings: string[]
  survey: Result<'restore.survey'>
  bytes: number
}

type Wanted = Pick<RestoreInput, 'backup_id' | 'type' | 'include'>

/** The backup to restore; refused when it is another site's, not complete, or lacks what is wanted. Nothing is read from the store. */
export async function restorable(here: Here, siteId: string, { backup_id, type, include = [] }: Wanted) {
  const backup = await findBackup(here, siteId, backup_id)
  if (!backup) throw new Problem('not_found', 'There is no such backup of this site. list_backups shows those there are.')
  const refuse = (why: string, next?: string) => new Problem('conflict', why, { retryable: false, ...(next && { next }) })
  if (backup.status !== 'completed' || backup.manifest === null)
    throw refuse(`This backup is ${backup.status}; only a completed one can be restored.`)
  const [held, allowed, named] = [heldBy(backup.type), heldBy(type), namedBy(include)]
  if ([...allowed, ...named].some((half) => !held.includes(half)))
    throw refuse(
      `This backup holds only ${backup.type === 'db' ? 'the database' : 'files'}. Choose a ${enoughFor(type, named)} backup.`,
      'list_backups (GET /sites/{site_id}/backups) shows them.',
    )
  if (named.some((half) => !allowed.includes(half))) throw wrongField('type', 'Leaves out what include names. Leave it out, or take full.')
  return { ...backup, manifest: backup.manifest }
}

/** Which type of backup has all that is wanted. */
function enoughFor(type: RestoreInput['type'], named: ReturnType<typeof namedBy>): string {
  return type === 'full' || named.length > 1 ? 'full' : `full or ${named[0] ?? type}`
}

/** The backup to restore, opened; throws `PackDamage` where its beginning cannot be read. */
export async function sourceOf(here: Here, siteId: string, input: Wanted): Promise<Source> {
  const backup = await restorable(here, siteId, input)
  const read = await blobReader(here, here.workspaceId)
  return { id: backup.manifest, backup, manifest: await readManifest(backup.manifest, read), read }
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
export async function planOf(site: SiteClient, hello: Hello, source: Source, input: RestoreInput): Promise<WholePlan> {
  const scope = scopeOf(input.type, input.include, hello.db, placesOf(source.manifest, hello))
  const live = scope.tables ? await listTables((params) => site.ask('db.tables', params)) : null
  const wanted = live ? await planTables(source, live, scope, hello.db) : null
  const asked = wanted ? [...wanted.tables, ...wanted.views].map(({ name }) => name) : []
  const extra = wanted?.extra ?? []
  const tied = wanted ? tiedIn(wanted) : {}
  const question = { files: scope.files, tables: [...asked, ...extra], extra, ...tied, bytes: 0 }
  const creates = wanted && live ? madeAnew(wanted, live) : []
  const survey = await surveyOf(site, question, creates, tiesOf(creates, live))
  const found = wanted && live ? leaveAlone(wanted, live, survey) : null
  const names = found ? [...found.tables, ...found.views].map(({ name }) => name) : []
  const files = scope.files ? await planFiles(site, source, { hello, survey, scope }) : null
  mustMean(scope, files, names)
  const bytes =
    (files?.contents.reduce((sum, { size }) => sum + size, 0) ?? 0) + (found?.tables.reduce((sum, table) => sum + table.bytes, 0) ?? 0)
  const left = survey.leave.map(({ p }) => (typeof p === 'string' ? p : p.b64))
  const kept = [...new Set(left), ...(files?.skipped ?? []), ...(found?.kept ?? [])]
  const warnings = [...(files?.warnings ?? []), ...(found?.warnings ?? [])]
  const { tables = null, views = [], events = [], goneEvents = [] } = found ?? {}
  return { files, tables, views, events, goneEvents, extra: found?.extra ?? [], kept, warnings, survey, bytes }
}

function mustMean(scope: Scope, files: FilePlan | null, tables: string[]): void {
  const nothing = files === null || files.ops.length + files.unchanged === 0
  if (!scope.whole && nothing && tables.length === 0)
    throw new Problem('invalid_payload', 'The backup holds nothing of what was named.', {
      errors: [
        { path: 'include', message: 'Nothing in the backup matches. Name another part, or choose a backup from when it was there.' },
      ],
    })
}
