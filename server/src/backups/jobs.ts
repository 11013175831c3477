import { logEvent } from '../activity/service.ts'
import type { Deps, SiteConnection } from '../connector/ask.ts'
import { call, listFiles, readFiles, readRows } from '../connector/call.ts'
import type { Hello } from '../connector/commands.ts'
import { type Ended, type JobKind, LostJob, type Running } from '../kernel/job.ts'
import { updateSite } from '../sites/store.ts'
import { connectionOf, type Target, talk, targetOf, unreached } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { blobReader } from './blobs.ts'
import { countsOf } from './counts.ts'
import { type DatabasePart, type FilesPart, MANIFEST_FORMAT, type Manifest, writeManifest } from './engine/manifest.ts'
import { openPacker, type Packer } from './engine/packer.ts'
import { pullDatabase } from './engine/pull-database.ts'
import { pullFiles } from './engine/pull-files.ts'
import type { Report } from './engine/saver.ts'
import type { Backup } from './schema.ts'
import { completeBackup, endBackup, findBackup, knownBlobs, markRunning, recordPack } from './store.ts'

interface Input {
  type: Backup['type']
  backup_id: string
}
type Here = World & { workspaceId: string }

/** A killed attempt is continued from its last checkpoint; whatever was packed by then is not read again. */
export const backup: JobKind<World, Input> = { type: 'backup', retries: 5, work: backUp, ended: recordEnd }

const firstSliceBytes = 1024 * 1024

async function backUp(world: World, job: Running, input: Input) {
  const here = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(here, job.siteId)
  const before = await findBackup(here, site.id, input.backup_id)
  // An attempt that was killed after its last step left nothing to do but to say so.
  if (before?.status === 'completed') return resultOf(before)
  await markRunning(here, input.backup_id)
  world.changed(job.workspaceId)
  const packer = openPacker({
    workspace: job.workspaceId,
    workspaceKey: (await workspaceKey(here, job.workspaceId)).bytes,
    storage: world.storage,
    index: { has: (ids) => knownBlobs(here, ids), record: (pack, blobs) => recordPack(here, pack, blobs) },
  })
  try {
    return await new BackupRun(here, job, site, input, packer).run()
  } catch (error) {
    throw await unreached(here, site, error)
  } finally {
    await packer.close()
  }
}

/** What an earlier attempt left: a finished part, or the state to go on from. */
interface PartState<Part> {
  part?: Part
  resume?: unknown
}

class BackupRun {
  readonly #here: Here
  readonly #job: Running
  readonly #site: Target
  readonly #input: Input
  readonly #packer: Packer

  constructor(here: Here, job: Running, site: Target, input: Input, packer: Packer) {
    this.#here = here
    this.#job = job
    this.#site = site
    this.#input = input
    this.#packer = packer
  }

  async run() {
    const { type } = this.#input
    const started_at = this.#here.now().toISOString()
    await this.#job.phase('hello')
    const { result: hello } = await talk(this.#here, this.#site, (deps, connection, options) =>
      call(deps, connection, 'hello', {}, options),
    )
    const connection = await connectionOf(this.#here, this.#site)
    const database =
      type === 'files' ? null : await this.#part<DatabasePart>('database', connection, (resume) => this.#pullDatabase(connection, resume))
    const files =
      type === 'db' ? null : await this.#part<FilesPart>('files', connection, (resume) => this.#pullFiles(connection, hello, resume))
    await this.#job.phase('finish')
    return this.#finish({ hello, files, database, started_at })
  }

  async #part<Part>(
    name: string,
    connection: SiteConnection,
    pull: (resume: unknown) => Promise<{ part: Part; sliceBytes: number }>,
  ): Promise<Part> {
    const before = (await this.#job.stateOf(name)) as PartState<Part> | undefined
    if (before?.part) return before.part
    // Before the phase changes: the next one must not be shown with the numbers of the last.
    await this.#job.progress({ percent: null, done: 0, total: 0, unit: name === 'files' ? 'files' : 'rows' })
    await this.#job.phase(name)
    const { part, sliceBytes } = await pull(before?.resume ?? null)
    await this.#job.saveState(name, { part })
    await this.#job.finishStep(name)
    if (sliceBytes !== connection.sliceBytes) await updateSite(this.#here, this.#site.id, { slice_bytes: sliceBytes })
    return part
  }

  #pullDatabase(connection: SiteConnection, resumeFrom: unknown) {
    const deps = this.#here.wire
    const tables = async () => (await call(deps, connection, 'db.tables', {})).result
    const rows = async (params: Parameters<typeof readRows>[2]) => (await readRows(deps, connection, params)).result
    return pullDatabase({ site: { tables, rows }, ...this.#common(connection, 'database', resumeFrom) })
  }

  async #pullFiles(connection: SiteConnection, hello: Hello, resumeFrom: unknown) {
    const site = sliceVerbs(this.#here.wire, connection)
    const roots = hello.roots.map((root) => root.id)
    return pullFiles({
      site,
      roots,
      readBlob: await blobReader(this.#here, this.#job.workspaceId),
      ...this.#common(connection, 'files', resumeFrom),
    })
  }

  #common(connection: SiteConnection, step: string, resumeFrom: unknown) {
    const report: Report = async ({ done, total, unit, bytes }) => {
      const percent = total > 0 ? Math.min(99, Math.floor((100 * done) / total)) : null
      await this.#job.progress({ percent, done, total, unit, bytes })
    }
    return {
      packer: this.#packer,
      report,
      checkpoint: (resume: unknown) => this.#job.saveState(step, { resume }),
      resumeFrom,
      signal: this.#job.signal,
      now: this.#here.now,
      sliceBytes: connection.sliceBytes ?? firstSliceBytes,
    }
  }

  async #finish({
    hello,
    files,
    database,
    started_at,
  }: {
    hello: Hello
    files: FilesPart | null
    database: DatabasePart | null
    started_at: string
  }) {
    const { backup_id, type } = this.#input
    const row = await findBackup(this.#here, this.#site.id, backup_id)
    const manifest: Manifest = {
      format: MANIFEST_FORMAT,
      workspace: this.#job.workspaceId,
      site: this.#site.id,
      backup: backup_id,
      parent: null,
      type,
      started_at,
      finished_at: this.#here.now().toISOString(),
      facts: {
        url: this.#site.url,
        home: hello.home_url,
        wp_version: hello.wp_version,
        php_version: hello.php_version,
        connector_version: hello.connector_version,
        // So that the row can be made again from the store alone.
        trigger: row?.trigger ?? 'manual',
        job_id: this.#job.id,
      },
      files,
      database,
    }
    const id = await writeManifest(manifest, (bytes) => this.#packer.add('manifest', bytes))
    await this.#packer.flush()
    const read = await blobReader(this.#here, this.#job.workspaceId)
    const facts = { manifest: id, stored_bytes: this.#packer.totals.storedBytes, ...(await countsOf(manifest, read)) }
    await this.#here.db.transaction().execute(async (db) => {
      const within = { ...this.#here, db }
      if (!(await completeBackup(within, backup_id, this.#job, facts))) throw new LostJob('a newer attempt has taken over')
      const event = {
        siteId: this.#site.id,
        category: 'backup' as const,
        summary: summaryOf(type),
        jobId: this.#job.id,
        by: this.#job.requestedBy,
        internal: false,
      }
      await logEvent(within, event)
    })
    return resultOf({ id: backup_id, type, ...facts })
  }
}

type Outcome = Pick<Backup, 'id' | 'type' | 'size_bytes' | 'files_count' | 'rows_count' | 'consistency'>

const resultOf = ({ id, type, size_bytes, files_count, rows_count, consistency }: Outcome) => ({
  backup_id: id,
  type,
  size_bytes,
  files_count,
  rows_count,
  consistency,
})

const summaryOf = (type: Backup['type']) =>
  ({ full: 'Backed up files and database', db: 'Backed up the database', files: 'Backed up the files' })[type]

function sliceVerbs(deps: Deps, connection: SiteConnection) {
  return {
    list: async (params: Parameters<typeof listFiles>[2]) => (await listFiles(deps, connection, params)).result,
    read: async (params: Parameters<typeof readFiles>[2]) => (await readFiles(deps, connection, params)).result,
  }
}

async function recordEnd(world: World, job: Ended): Promise<void> {
  const context = { ...world, workspaceId: job.workspaceId }
  await endBackup(context, job.id, job.status, job.error)
  if (job.status === 'canceled' || job.siteId === null) return
  const by = { type: 'system', id: 'backups', name: 'Backups' } as const
  const notes = job.error?.message ?? ''
  await logEvent(context, { siteId: job.siteId, category: 'backup', summary: 'A backup failed', notes, jobId: job.id, by, internal: true })
}
