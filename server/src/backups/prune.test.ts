import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { untilLocked } from '../../test/until.ts'
import type { Storage } from '../platform/storage.ts'
import { locateBeside } from './blob-store.ts'
import { packKey } from './engine/pack.ts'
import type { BlobIndex, Packer, PackStorage } from './engine/packer.ts'
import { type Content, prune } from './prune.ts'
import { alone, announceObject, holdKnown, recordHeldPack, sharing } from './prune-store.ts'

/** PRUNE_RUNS=10000 for the long form, PRUNE_SEED to see a failure again and have it made small. */
const { PRUNE_RUNS = '15', PRUNE_SEED } = process.env
const seed = PRUNE_SEED === undefined ? randomInt(2 ** 31) : Number(PRUNE_SEED)
const hourMs = 3_600_000
const site = 'site_1'

let database: TestDatabase
before(async () => {
  database = await aDatabase()
})
after(() => database.drop())

const idOf = (name: string) => createHash('sha256').update(name).digest('base64url')
class Killed extends Error {}

/** The real rules on the real database, with packs that are lists of names, and writers that are killed anywhere. */
class Store {
  readonly workspaceId: string
  readonly objects = new Map<string, string[]>()
  readonly jobs = new Map<string, { kept: Set<string>; pending: string[] }>()
  readonly backups = new Map<string, string[]>()
  /** How many more steps that others can see happen before the present actor is killed. */
  fuse = Number.POSITIVE_INFINITY
  /** Done in the middle of what prune does. */
  meanwhile: (() => Promise<void>)[] = []
  /** Done by others after a writer's pack is written and before it is recorded. */
  unrecorded: () => Promise<void> = async () => undefined
  clock = Date.parse('2026-01-01T00:00:00Z')
  #serial = 0

  constructor(workspaceId: string) {
    this.workspaceId = workspaceId
  }

  readonly storage = {
    put: async (key: string, bytes: Uint8Array) => {
      this.burn()
      this.objects.set(key, JSON.parse(Buffer.from(bytes).toString()) as string[])
      this.burn()
    },
    delete: async (key: string) => {
      this.burn()
      this.objects.delete(key)
      this.burn()
    },
  }

  get here() {
    return { db: database.db, workspaceId: this.workspaceId, now: () => new Date(this.clock), storage: this.storage as unknown as Storage }
  }

  async open(): Promise<void> {
    await sql`INSERT INTO workspaces (id, name, sealed_key) VALUES (${this.workspaceId}, ${this.workspaceId}, '')`.execute(database.db)
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      VALUES (${this.workspaceId}, ${site + this.workspaceId}, 's', 'https://s.example', 'https://s.example', 'connected', '', '', '', '', now(), now())`.execute(
      database.db,
    )
  }

  burn(): void {
    if (this.fuse-- <= 0) throw new Killed('killed')
  }

  name = (prefix: string) => `${prefix}_${this.workspaceId}_${++this.#serial}`

  async start(): Promise<void> {
    const id = this.name('job')
    await sql`INSERT INTO jobs (workspace_id, id, type, status, requested_by, input, created_at)
      VALUES (${this.workspaceId}, ${id}, 'backup', 'running', '{}', '{}', now())`.execute(database.db)
    this.jobs.set(id, { kept: new Set(), pending: [] })
  }

  async add(jobId: string, blob: string): Promise<void> {
    const job = this.jobs.get(jobId)
    if (!job || job.kept.has(blob) || job.pending.includes(blob)) return
    const known = await holdKnown(this.here, jobId, [idOf(blob)])
    if (known.size > 0) job.kept.add(blob)
    else job.pending.push(blob)
  }

  /** Killed in the middle, another attempt begins: what was not recorded has to be read again. */
  async flush(jobId: string): Promise<void> {
    const job = this.jobs.get(jobId)
    if (!job || job.pending.length === 0) return
    const names = job.pending
    job.pending = []
    try {
      const put = async (key: string, bytes: Uint8Array) => {
        await announceObject(this.here, key, jobId)
        await this.storage.put(key, bytes)
      }
      const packer = this.packer(put, (pack, blobs) => recordHeldPack(this.here, jobId, pack, blobs))
      for (const name of names) await packer.add('file', Buffer.from(name))
      await packer.flush()
      for (const name of names) job.kept.add(name)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }

  packer(put: PackStorage['put'], record: BlobIndex['record']): Pick<Packer, 'add' | 'flush' | 'close'> {
    const names: string[] = []
    return {
      add: async (_type, bytes) => idOf(names[names.push(Buffer.from(bytes).toString()) - 1] ?? ''),
      close: async () => undefined,
      flush: async () => {
        const hash = createHash('sha256').update(this.name('pack')).digest('hex')
        const key = packKey(this.workspaceId, hash)
        const blobs = names.map((name, slot) => ({
          id: idOf(name),
          type: 'file' as const,
          slot,
          offset: slot,
          length: 10,
          plainLength: 10,
        }))
        await put(key, Buffer.from(JSON.stringify(names)))
        const { unrecorded } = this
        this.unrecorded = async () => undefined
        await unrecorded()
        await record({ key, hash, size: names.length * 10, salt: new Uint8Array(32) }, blobs)
        this.burn()
      },
    }
  }

  async complete(jobId: string): Promise<void> {
    await this.flush(jobId)
    const job = this.jobs.get(jobId)
    if (!job || job.pending.length > 0) return
    const id = this.name('backup')
    await database.db.transaction().execute(async (db) => {
      await sharing({ db, workspaceId: this.workspaceId })
      await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, manifest, created_at)
        VALUES (${this.workspaceId}, ${id}, ${site + this.workspaceId}, ${jobId}, 'files', 'completed', 'manual', '{}', ${id}, now())`.execute(
        db,
      )
    })
    this.backups.set(id, [...job.kept])
    this.jobs.delete(jobId)
    await this.end(jobId, 'completed')
  }

  async fail(jobId: string): Promise<void> {
    this.jobs.delete(jobId)
    await this.end(jobId, 'failed')
  }

  async end(jobId: string, status: string): Promise<void> {
    await sql`UPDATE jobs SET status = ${status} WHERE workspace_id = ${this.workspaceId} AND id = ${jobId}`.execute(database.db)
  }

  async drop(id: string): Promise<void> {
    await sql`DELETE FROM backups WHERE workspace_id = ${this.workspaceId} AND id = ${id}`.execute(database.db)
    this.backups.delete(id)
  }

  async prune(): Promise<void> {
    const interrupt = () => this.meanwhile.shift()?.()
    const { backups } = this
    const known = new Map(backups)
    const content: Content = {
      blobsOf: async function* (manifest) {
        await interrupt()
        yield* (backups.get(manifest) ?? known.get(manifest) ?? []).map(idOf)
      },
      read: async (id) => {
        await interrupt()
        const place = (await locateBeside(this.here, [id])).get(id)
        const name = place && this.objects.get(place.key)?.[place.slot]
        if (name === undefined) throw new Killed('it was deleted meanwhile')
        return Buffer.from(name)
      },
      openPacker: (storage, index) =>
        this.packer(
          (key, bytes) => storage.put(key, bytes),
          async (pack, blobs) => {
            await interrupt()
            await index.record(pack, blobs)
          },
        ),
    }
    // In small portions, so that others come between them.
    await prune(this.here, content, 2).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
    this.fuse = Number.POSITIVE_INFINITY
    while (this.meanwhile.length > 0) await interrupt()
  }

  /** Every completed backup can be read, and so can what a running job counts on. */
  async check(): Promise<void> {
    for (const [id, names] of [...this.backups, ...[...this.jobs].map(([job, { kept }]) => [job, [...kept]] as const)]) {
      const places = await locateBeside(this.here, names.map(idOf))
      for (const name of names) {
        const place = places.get(idOf(name))
        assert.equal(place && this.objects.get(place.key)?.[place.slot], name, `${name} of ${id}`)
      }
    }
  }

  async rows(): Promise<number> {
    const count = (table: string) => sql`SELECT count(*)::int AS n FROM ${sql.table(table)} WHERE workspace_id = ${this.workspaceId}`
    const { rows } = await sql<{
      n: number
    }>`${sql.join(['packs', 'blobs', 'pack_holds', 'loose_objects'].map(count), sql` UNION ALL `)}`.execute(database.db)
    return rows.reduce((sum, { n }) => sum + n, 0)
  }
}

type Step = { do: string; pick: number; blobs: number[]; fuse: number; inside: Step[]; hours: number }
const step = (depth: number): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constantFrom(
      'start',
      'add',
      'add',
      'add',
      'flush',
      'complete',
      'complete',
      'fail',
      'drop',
      'drop',
      'prune',
      'prune',
      'prune',
      'prune',
    ),
    pick: fc.nat(7),
    blobs: fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
    fuse: fc.oneof({ weight: 3, arbitrary: fc.constant(1000) }, { weight: 1, arbitrary: fc.nat(3) }),
    inside: depth > 0 ? fc.array(step(depth - 1), { maxLength: 4 }) : fc.constant([]),
    hours: fc.constantFrom(13, 25, 25),
  })

async function act(store: Store, { do: what, pick, blobs, fuse, inside, hours }: Step): Promise<void> {
  const job = [...store.jobs.keys()][pick % Math.max(1, store.jobs.size)] ?? ''
  const backup = [...store.backups.keys()][pick % Math.max(1, store.backups.size)]
  if (what === 'start' || (what === 'add' && store.jobs.size === 0)) await store.start()
  else if (what === 'add') for (const blob of blobs) await store.add(job, `blob ${blob}`)
  else if (what === 'complete') await store.complete(job)
  else if (what === 'fail') await store.fail(job)
  else if (what === 'drop' && backup) await store.drop(backup)
  else if (what === 'flush') {
    store.fuse = fuse
    store.unrecorded = async () => {
      const left = store.fuse
      store.fuse = Number.POSITIVE_INFINITY
      // The writer's own job goes on running; a pruner may look twice while it is at it.
      for (const each of inside) if (each.do === 'prune' || each.do === 'drop') await act(store, { ...each, inside: [] })
      store.fuse = left
    }
    await store.flush(job)
    store.unrecorded = async () => undefined
    store.fuse = Number.POSITIVE_INFINITY
  } else if (what === 'prune' && store.meanwhile.length === 0) {
    store.clock += hours * hourMs
    // What others do in the middle is not killed together with the pruner.
    const unharmed = async (each: Step) => {
      const left = store.fuse
      store.fuse = Number.POSITIVE_INFINITY
      if (each.do !== 'prune') await act(store, each)
      await store.check()
      store.fuse = left
    }
    store.meanwhile = inside.map((each) => () => unharmed(each))
    store.fuse = fuse
    await store.prune()
  }
}

test('what a running job reuses stays although its pack is closed up and everybody else lets go of it', async () => {
  const store = new Store('ws_carried')
  await store.open()
  const day = async () => {
    store.clock += 25 * hourMs
    await store.prune()
    await store.check()
  }
  const first = store.name('first')
  await store.start()
  const [writer = ''] = store.jobs.keys()
  for (const blob of ['a', 'b', 'c', first]) await store.add(writer, blob)
  await store.complete(writer)
  const [whole = ''] = store.backups.keys()
  await store.start()
  const [small = ''] = store.jobs.keys()
  await store.add(small, first)
  await store.complete(small)
  await store.drop(whole)
  const [backup = ''] = store.backups.keys()
  await store.start()
  const [reader = ''] = store.jobs.keys()
  await store.add(reader, first)
  const before = await locateBeside(store.here, [idOf(first)])
  await day()
  const moved = await locateBeside(store.here, [idOf(first)])
  assert.notEqual(moved.get(idOf(first))?.key, before.get(idOf(first))?.key, 'it was moved')
  await store.drop(backup)
  for (let n = 0; n < 4; n++) await day()
  await store.complete(reader)
  await store.check()
  assert.equal(store.backups.size, 1)
})

test('whoever makes use of packs waits while they are taken away', async () => {
  const store = new Store('ws_apart')
  await store.open()
  await store.start()
  const [job = ''] = store.jobs.keys()
  await store.add(job, 'a')
  await store.flush(job)
  const order: string[] = []
  let using: Promise<unknown> = Promise.resolve()
  await database.db.transaction().execute(async (db) => {
    await alone({ ...store.here, db })
    using = holdKnown(store.here, job, [idOf('a')]).then(() => order.push('used'))
    await untilLocked(store.here.db, 'pg_advisory_xact_lock_shared')
    order.push('taken away')
  })
  await using
  assert.deepEqual(order, ['taken away', 'used'])
})

test('a pack whose writer was taken for dead meanwhile is not recorded, since its object is gone', async () => {
  const store = new Store('ws_claimed')
  await store.open()
  await store.start()
  const [job = ''] = store.jobs.keys()
  store.unrecorded = async () => {
    await store.end(job, 'failed')
    store.clock += 25 * hourMs
    await store.prune()
  }
  await store.add(job, 'late')
  await assert.rejects(store.flush(job), /given up before it was recorded/)
  assert.deepEqual([store.objects.size, await store.rows()], [0, 0])
})

test('whatever happens beside pruning, and wherever it is killed, each backup stays whole; and what nobody needs is gone in the end', {
  timeout: 4 * 3_600_000,
}, async (t) => {
  t.diagnostic(`PRUNE_SEED=${seed}`)
  let serial = 0
  const sequences = fc.array(step(1), { minLength: 25, maxLength: 50 })
  let repacked = 0
  const property = fc.asyncProperty(sequences, async (steps) => {
    const store = new Store(`ws_${++serial}`)
    await store.open()
    for (const each of steps) {
      await act(store, each)
      await store.check()
    }
    for (const id of [...store.jobs.keys()]) await store.fail(id)
    for (const id of [...store.backups.keys()].slice(1)) await store.drop(id)
    for (let n = 0; n < 5; n++) {
      store.clock += 25 * hourMs
      await store.prune()
      await store.check()
    }
    const [last = []] = store.backups.values()
    const dead = [...store.objects.values()].map((names) => names.filter((name) => !last.includes(name)).length / names.length)
    assert.ok(
      dead.every((share) => share <= 0.4),
      `packs keep ${dead} of garbage`,
    )
    repacked += store.objects.size
    for (const id of [...store.backups.keys()]) await store.drop(id)
    for (let n = 0; n < 3; n++) {
      store.clock += 25 * hourMs
      await store.prune()
    }
    assert.deepEqual([store.objects.size, await store.rows()], [0, 0], 'nothing is left')
    await sql`DELETE FROM workspaces WHERE id = ${store.workspaceId}`.execute(database.db)
  })
  await fc.assert(property, { numRuns: Number(PRUNE_RUNS), seed, endOnFailure: PRUNE_SEED === undefined })
  assert.ok(repacked > 0)
})
