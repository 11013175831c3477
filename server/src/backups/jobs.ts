import { logEvent } from '../activity/service.ts'
import type { Deps, SiteConnection } from '../connector/ask.ts'
import { call, listFiles, listTables, readFiles, readRows, takeSnapshot } from '../connector/call.ts'
import type { Hello } from '../connector/commands.ts'
import type { Ended, JobKind, Running } from '../kernel/job.ts'
import { updateSite } from '../sites/store.ts'
import { connectionOf, type Target, talk, targetOf, unreached } from '../sites/talk.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Here, World } from '../world.ts'
import { blobReader } from './blobs.ts'
import type { DatabasePart, FilesPart } from './engine/manifest.ts'
import type { PackDamage } from './engine/pack-format.ts'
import { openPacker, type Packer } from './engine/packer.ts'
import { pullDatabase, type SiteDatabase } from './engine/pull-database.ts'
import { pullFiles } from './engine/pull-files.ts'
import type { Report } from './engine/saver.ts'
import { finishBackup } from './finish.ts'
import { type Plan, planBackup, previousDatabase, previousOf } from './increments.ts'
import { damageOf } from './loss.ts'
import { type Result, resultOf, toldOf } from './outcome.ts'
import { announceObject, holdKnown, recordHeldPack } from './prune-store.ts'
import { rootsOf } from './roots.ts'
import type { Backup } from './schema.ts'
import { endBackup, findBackup, markRunning } from './store.ts'

interface Input {
  type: Backup['type']
  backup_id: string
  /** Of a site whose WordPress does not start. */
  way?: Way
}
export type Way = Pick<SiteConnection, 'door' | 'mode' | 'skewSeconds'>

/** A killed attempt is continued from its last checkpoint; whatever was packed by then is not read again. */
export const backup: JobKind<World, Input, Result> = {
  ...{ type: 'backup', retries: 5, changesSite: false },
  work: backUp,
  summarize: toldOf,
  happening: (result) => (result === undefined ? 'backup_failed' : undefined),
  next: (_, { siteId, result: { backup_id } }) => [
    { why: 'Try it out: what it holds is restored elsewhere and looked at.', tool: 'verify_backup', input: { site_id: siteId, backup_id } },
  ],
  ended: recordEnd,
}

const firstSliceBytes = 1024 * 1024

async function backUp(world: World, job: Running, input: Input) {
  const here = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(here, job.siteId)
  const before = await findBackup(here, site.id, input.backup_id)
  // An attempt that was killed after its last step left nothing to do but to say so.
  if (before?.status === 'completed') return resultOf(before)
  await markRunning(here, input.backup_id)
  world.changed(job.workspaceId)
  const put = async (key: string, bytes: Uint8Array) => {
    await announceObject(here, key, job.id)
    await world.storage.put(key, bytes)
  }
  const packer = openPacker({
    workspace: job.workspaceId,
    workspaceKey: (await workspaceKey(here, job.workspaceId)).bytes,
    storage: { put },
    index: { has: (ids) => holdKnown(here, job.id, ids), record: (pack, blobs) => recordHeldPack(here, job.id, pack, blobs) },
  })
  try {
    return await new BackupRun(here, job, { site, input, packer }).run()
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

  constructor(here: Here, job: Running, { site, input, packer }: { site: Target; input: Input; packer: Packer }) {
    this.#here = here
    this.#job = job
    this.#site = site
    this.#input = input
    this.#packer = packer
  }

  async run() {
    const { type } = this.#input
    await this.#job.phase('hello')
    const { hello, connection } = await this.#open()
    const plan = await this.#plan(hello)
    const database =
      type === 'files'
        ? null
        : await this.#part<DatabasePart>('database', connection, (resume) => this.#pullDatabase(connection, hello, plan, resume))
    const files =
      type === 'db' ? null : await this.#part<FilesPart>('files', connection, (resume) => this.#pullFiles(connection, hello, plan, resume))
    await this.#job.phase('finish')
    return finishBackup(this.#here, this.#job, this.#packer, { ...this.#input, site: this.#site, hello, files, database, plan })
  }

  async #open(): Promise<{ hello: Hello; connection: SiteConnection }> {
    const { way } = this.#input
    const ask = (deps: Deps, connection: SiteConnection, options = {}) => call(deps, connection, { verb: 'hello', params: {} }, options)
    const answer = way ? null : await talk(this.#here, this.#site, ask, ({ result: hello }) => ({ hello }))
    const connection = { ...(await connectionOf(this.#here, this.#site)), ...(way && pick(way)) }
    return { hello: (answer ?? (await ask(this.#here.wire, connection))).result, connection }
  }

  async #plan(hello: Hello): Promise<Plan> {
    const before = (await this.#job.stateOf('plan')) as Plan | undefined
    if (before) return before
    const plan = await planBackup(this.#here, this.#site.id, this.#input.type, hello.time)
    await this.#job.saveState('plan', plan)
    await this.#job.finishStep('plan')
    return plan
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

  async #pullDatabase(connection: SiteConnection, hello: Hello, plan: Plan, resumeFrom: unknown) {
    const readBlob = await blobReader(this.#here, this.#job.workspaceId)
    const previous = await previousDatabase(plan, readBlob, this.#tellDamage)
    const site = databaseVerbs(this.#here.wire, connection)
    const options = `${hello.db.prefix}options`
    return pullDatabase({ site, readBlob, options, ...(previous && { previous }), ...this.#common(connection, 'database', resumeFrom) })
  }

  async #pullFiles(connection: SiteConnection, hello: Hello, plan: Plan, resumeFrom: unknown) {
    const site = sliceVerbs(this.#here.wire, connection)
    const readBlob = await blobReader(this.#here, this.#job.workspaceId)
    const previous = await previousOf(plan, readBlob, this.#tellDamage)
    return pullFiles({
      site,
      ...rootsOf(hello),
      readBlob,
      ...(previous && { previous }),
      ...this.#common(connection, 'files', resumeFrom),
    })
  }

  readonly #tellDamage = async (backupId: string, error: PackDamage) => void (await damageOf(this.#here, backupId, error))

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
}

const pick = ({ door, mode, skewSeconds }: Way): Way => ({ door, mode, skewSeconds })

function sliceVerbs(deps: Deps, connection: SiteConnection) {
  return {
    list: async (params: Parameters<typeof listFiles>[2]) => (await listFiles(deps, connection, params)).result,
    read: async (params: Parameters<typeof readFiles>[2]) => (await readFiles(deps, connection, params)).result,
  }
}

function databaseVerbs(deps: Deps, connection: SiteConnection): SiteDatabase {
  return {
    tables: () => listTables(async (params) => (await call(deps, connection, { verb: 'db.tables', params })).result),
    rows: async (params) => (await readRows(deps, connection, params)).result,
    digests: async (params) => (await call(deps, connection, { verb: 'db.digests', params })).result,
    snapshot: async (params) => (await takeSnapshot(deps, connection, params)).result,
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
