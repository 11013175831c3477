import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type BackupCalls, type BackupRow, backupCalls, bytesOf } from '../../test/backup-calls.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import type { Trouble } from '../../test/fake-trouble.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { commands } from '../admin/commands.ts'
import type { JobKind } from '../kernel/job.ts'
import type { World } from '../world.ts'
import { backup } from './jobs.ts'

describe('backups', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  let calls: BackupCalls
  // Of this process alone, so that a look into it sees what was left behind here.
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  const { TMPDIR } = process.env
  before(async () => {
    process.env.TMPDIR = temporary
    here = await aWorld()
    calls = backupCalls(here)
    site = await here.site()
    retries(backup.retries)
  })
  after(async () => {
    retries(backup.retries)
    await here.close()
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    fs.rmSync(temporary, { recursive: true, force: true })
  })

  const start = (type: string, at = site.id) => calls.start(type, at)
  const rowOf = (id: string, at = site.id) => calls.rowOf(id, at)
  const done = (type: string, at = site.id) => calls.done(type, at)
  const download = (id: string, at = site.id, token?: string) => calls.download(id, at, { token })
  /** How often a passing failure is tried again; from now on. */
  const retries = (times: number) =>
    (here.world.jobKinds as Map<string, JobKind<World>>).set('backup', { ...counted, retries: times } as unknown as JobKind<World>)
  const attempts: { begun: number; over: number; last?: AbortSignal } = { begun: 0, over: 0 }
  const counted: typeof backup = {
    ...backup,
    async work(world, job, input) {
      attempts.begun++
      attempts.last = job.signal
      return backup.work(world, job, input).finally(() => attempts.over++)
    },
  }
  const asked = ({ requests }: RunningFakeSite, verb: string) => requests.filter((request) => request.verb === verb).length
  const unpacked = async (id: string, at = site.id) => {
    const response = await download(id, at)
    assert.equal(response.status, 200)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-unpacked-'))
    execFileSync('tar', ['-x', '-f', '-', '-C', folder], { input: await bytesOf(response) })
    return folder
  }

  test('a full backup holds files and database, counts them, and its download is the site byte for byte', async () => {
    const { job, row } = await done('full')
    const { state } = site.fake
    const size = [...state.files.values()].reduce((sum, file) => sum + file.bytes.length, 0)
    assert.equal(row.status, 'completed')
    assert.deepEqual([row.files_count, row.tables_count, row.rows_count, row.unreadable_count, row.changed_count], [8, 3, 147, 0, 0])
    assert.ok(Number(row.size_bytes) > size && Number(row.stored_bytes) > 0)
    assert.equal((job.result as BackupRow).backup_id, row.id)
    assert.deepEqual(
      (job.steps as unknown as { name: string }[]).map(({ name }) => name),
      ['plan', 'database', 'files'],
    )

    const folder = await unpacked(row.id)
    for (const [name, file] of state.files) assert.ok(fs.readFileSync(path.join(folder, 'files', name)).equals(file.bytes), name)
    const found = fs.readdirSync(path.join(folder, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    assert.equal(found.length, state.files.size)
    const dump = fs.readFileSync(path.join(folder, 'database.sql'), 'utf8')
    for (const { create } of state.tables) assert.ok(dump.includes(create), create)
    assert.equal(dump.match(/'option_\d+'/g)?.length, 120)
    assert.equal(dump.match(/'note \d+'/g)?.length, 25)
    assert.match(dump, /\(0x00ff,0x00275cff\),\(0x01,NULL\)|\(0x01,NULL\)|0x00275cff/)
    assert.ok(dump.includes("value 7 of \\'quoted\\' \\\\ text\\n🌻"))
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Record<string, never>
    assert.deepEqual([manifest.site, manifest.backup, manifest.type], [site.id, row.id, 'full'])
    fs.rmSync(folder, { recursive: true })
  })

  test('a file that goes away while the backup runs is named in its record', async () => {
    const { id, fake } = await here.site()
    putFile(fake.state, 'wp-content/uploads/gone.txt', Buffer.from('gone'))
    fake.state.fault = (verb) => {
      if (verb === 'files.read') fake.state.files.delete('wp-content/uploads/gone.txt')
      return undefined
    }
    const { row } = await done('files', id)
    assert.equal(row.changed_count, 1)
    assert.deepEqual(row.omitted, {
      unreadable: [],
      changed: ['wp-content/uploads/gone.txt (it was deleted while the backup ran)'],
      outside: [],
      tables: [],
      neighbours: [],
      restore: [],
      database: [],
    })
  })

  test('a db backup has no files and a files backup has no database', async () => {
    const [db, files] = [await done('db'), await done('files')]
    assert.deepEqual([db.row.files_count, db.row.tables_count, db.row.consistency !== null], [null, 3, true])
    assert.deepEqual([files.row.files_count, files.row.tables_count, files.row.consistency], [8, null, null])
    const folder = await unpacked(db.row.id)
    assert.deepEqual(fs.readdirSync(folder).sort(), ['database.sql', 'manifest.json'])
    fs.rmSync(folder, { recursive: true })
  })

  test('what stands in the way of a restore is told with the backup', async () => {
    const hardened = await here.site()
    hardened.fake.state.disallowFileMods = true
    hardened.fake.state.roots = [{ id: 'abspath', path: '/srv/www', at: '', writable: false }]
    const said = async (type: string) => JSON.stringify((await done(type, hardened.id)).row['omitted'])
    assert.match(await said('full'), /"restore":\["PHP may not write to the folder of WordPress: [^"]*","[^"]*DISALLOW_FILE_MODS[^"]*"\]/)
    assert.match(await said('db'), /"restore":\["PHP may not write[^"]*"\]/, 'a backup of the database needs no files')
  })

  test('a list over REST has the fields of the specification, newest first', async () => {
    const { token } = await here.token('read')
    const { json, headers } = await here.rest('GET', `/api/v1/sites/${site.id}/backups`, { token })
    const rows = json as unknown as Record<string, unknown>[]
    assert.equal(headers.get('x-total-count'), String(rows.length))
    for (const field of ['id', 'type', 'status', 'size_bytes', 'created_at', 'completed_at', 'error'])
      assert.ok(
        rows.every((row) => Object.hasOwn(row, field)),
        field,
      )
    assert.deepEqual(
      rows.map(({ id }) => id),
      rows
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    assert.equal(JSON.stringify(rows).includes('manifest'), false, 'the id of the manifest stays inside')
  })

  test('the same content is stored once', async () => {
    const { row } = await done('files')
    assert.ok(Number(row.stored_bytes) < 20_000, String(row.stored_bytes))
  })

  test('another site’s backup is not found, an unfinished one is a conflict, and a read token may not download', async () => {
    const other = await here.site()
    const { row } = await done('db', other.id)
    assert.equal((await download(row.id)).status, 404)
    assert.equal((await download('backup_01k0000000000000000000000a')).status, 404)
    const { token } = await here.token('read')
    assert.equal((await download(row.id, other.id, token)).status, 403)
    const over = Promise.withResolvers<void>()
    other.fake.misbehave('slow', { until: over.promise })
    const { backup_id, job_id } = await start('db', other.id)
    assert.equal((await download(backup_id, other.id)).status, 409)
    other.fake.misbehave()
    over.resolve()
    await here.job(job_id)
  })

  const lastGood = async (site_id: string) => (await here.call('sites.get', { site_id })).last_good_backup
  const isBehind = async (site_id: string, not_backed_up_since: string) =>
    ((await here.call('sites.list', { not_backed_up_since })) as unknown as { sites: { id: string }[] }).sites.some(
      ({ id }) => id === site_id,
    )

  test('a site that dies in the middle is asked again; then the backup and its job are failed and say why', async () => {
    retries(1)
    const { id, fake } = await calls.largeSite()
    fake.misbehave('slow', { slowMs: 30 })
    const { job_id, backup_id } = await start('files', id)
    await until(() => asked(fake, 'files.read') >= 5)
    fake.misbehave('down')
    const job = await here.job(job_id)
    const row = await rowOf(backup_id, id)
    assert.deepEqual([job.status, job.attempt, row.status], ['failed', 2, 'failed'])
    assert.equal(row.error?.code, 'site_unreachable')
    assert.deepEqual(row.error, job.error)
    const failed = (await here.call('sites.get', { site_id: id })) as { status: string; last_backup: { status: string } }
    assert.deepEqual([failed.status, failed.last_backup.status, await lastGood(id)], ['unreachable', 'failed', null])
    const { activity } = (await here.call('activity.list', { site_id: id })) as { activity: { summary: string; internal: boolean }[] }
    assert.ok(activity.some(({ summary, internal }) => summary === 'A backup failed' && internal))
    fake.misbehave()
    const { row: good } = await done('files', id)
    assert.equal(good.status, 'completed', 'and it goes well once the site is back')
    const since = good.completed_at ?? ''
    assert.deepEqual([await lastGood(id), await isBehind(id, since)], [{ id: good.id, type: 'files', completed_at: since }, false])
    assert.equal(await isBehind(id, new Date(Date.parse(since) + 1).toISOString()), true)
    retries(30)
  })

  test('a backup that is canceled in the middle is canceled, and nothing of it waits', async () => {
    const { id, fake } = await calls.largeSite()
    fake.misbehave('slow', { slowMs: 100 })
    const { job_id, backup_id } = await start('files', id)
    await until(() => asked(fake, 'files.read') >= 4)
    fake.misbehave('slow', { until: until(() => attempts.last?.aborted).then(() => undefined) })
    await here.call('jobs.cancel', { job_id })
    assert.equal((await here.job(job_id)).status, 'canceled')
    assert.equal((await rowOf(backup_id, id)).status, 'canceled')
    await until(() => attempts.over === attempts.begun)
    const reads = asked(fake, 'files.read')
    await here.call('sites.ping', { site_id: id })
    assert.equal(asked(fake, 'files.read'), reads, 'the site is left alone')
    const { rows } = await sql`SELECT 1 FROM pgboss.job WHERE data->>'jobId' = ${job_id} AND state < 'completed'`.execute(here.world.db)
    assert.equal(rows.length, 0)
    fake.misbehave()
    assert.equal((await done('files', id)).row.status, 'completed')
  })

  test('an attempt that was killed between the backup’s last step and the job’s end is only told', async () => {
    const { job, row } = await done('db')
    const id = String(job.id)
    const rowsAsked = asked(site.fake, 'db.rows')
    await here.world.db.transaction().execute(async (db) => {
      await sql`UPDATE jobs SET status = 'running', completed_at = NULL, result = NULL WHERE id = ${id}`.execute(db)
      await here.world.queue.send(db, { id, workspaceId: here.workspaceId, siteId: site.id })
    })
    const again = await here.job(id)
    assert.deepEqual([again.status, again.attempt, again.result], ['completed', 2, job.result])
    assert.equal(asked(site.fake, 'db.rows'), rowsAsked)
    assert.deepEqual(await rowOf(row.id), row)
  })

  test('what a site holds is nowhere to be read: not in the store, the database, the log or temporary folders', async () => {
    const canaries = Array.from({ length: 20 }, (_, n) => `canary-${n}-${randomBytes(9).toString('hex')}`)
    const { id, fake } = await here.site()
    for (const [n, canary] of canaries.entries()) putFile(fake.state, `wp-content/${n}.txt`, `${canary}\n`.repeat(40))
    const table = fake.state.tables[0]
    assert.ok(table)
    table.rows = canaries.map((canary, n) => [n + 1, canary, `$P$B${canary}`])
    const { row } = await done('full', id)
    assert.equal(row.status, 'completed')
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`.execute(here.world.db)
    const dumps = await Promise.all(
      tables.map(({ name }) =>
        sql<{ t: string }>`SELECT coalesce(string_agg(t::text, E'\n'), '') AS t FROM ${sql.raw(name)} t`.execute(here.world.db),
      ),
    )
    const database = dumps.map(({ rows }) => rows[0]?.t ?? '').join('\n')
    const files = filesBelow(temporary)
    assert.ok(here.dataDir.startsWith(temporary))
    assert.ok(files.length > 1 && database.includes(row.id))
    const logs = here.logs.join('')
    for (const canary of canaries) assert.ok(!database.includes(canary) && !logs.includes(canary))
    for (const file of files) {
      const bytes = fs.readFileSync(file)
      // They all begin so, and there are a hundred megabytes.
      const found = bytes.includes('canary-') ? canaries.filter((canary) => bytes.includes(canary)) : []
      assert.deepEqual(found, [], file)
    }
    const folder = await unpacked(row.id, id)
    assert.ok(fs.readFileSync(path.join(folder, 'database.sql'), 'utf8').includes(canaries[7] ?? ''), 'but the download has it')
    fs.rmSync(folder, { recursive: true })
  })

  const hostile: [Trouble, 'db' | 'files'][] = [
    ['endless', 'db'],
    ['endless', 'files'],
    ['gzip_bomb', 'db'],
    ['gzip_bomb', 'files'],
    ['garbage', 'db'],
    ['wrong_shape', 'files'],
    ['deep', 'files'],
    ['ten_million', 'db'],
    ['huge_announced', 'db'],
    ['tampered', 'db'],
    ['unsigned', 'db'],
    ['challenge', 'files'],
  ]
  test('whatever a hostile site answers in the middle, the job ends with a code of the site’s and memory stays bounded', async () => {
    retries(0)
    const { id, fake } = await calls.largeSite()
    const rows = fake.state.tables[2]
    assert.ok(rows)
    rows.rows = Array.from({ length: 3000 }, (_, n) => [`${n} ${'x'.repeat(1500)}`])
    const before = process.memoryUsage().rss
    let peak = before
    const meter = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    for (const [round, [trouble, type]] of hostile.entries()) {
      // Moved, so that they are read whatever an earlier round completed.
      for (const file of fake.state.files.values()) file.mtime += round
      fake.misbehave('slow', { slowMs: 20 })
      const verb = type === 'db' ? 'db.rows' : 'files.read'
      const seen = asked(fake, verb)
      const { job_id, backup_id } = await start(type, id)
      await until(() => asked(fake, verb) > seen)
      fake.misbehave(trouble)
      const job = await here.job(job_id)
      const row = await rowOf(backup_id, id)
      if (trouble !== 'endless' || type === 'db') {
        assert.deepEqual([job.status, row.status], ['failed', 'failed'], `${trouble} ${type}`)
        assert.match(row.error?.code ?? '', /^site_/, `${trouble} ${type}`)
      }
      fake.misbehave()
    }
    clearInterval(meter)
    const grown = Math.round((peak - before) / 1024 ** 2)
    console.log(`rss grew by ${grown} MiB`)
    assert.ok(grown < 200, `${grown} MiB`)
    assert.equal((await done('full', id)).row.status, 'completed')
    retries(30)
  })

  test('an error of the site’s own says nothing about the connection', async () => {
    retries(0)
    const { id, fake } = await calls.largeSite()
    fake.misbehave('slow', { slowMs: 30 })
    const { job_id } = await start('files', id)
    await until(() => asked(fake, 'files.read') >= 3)
    fake.misbehave('error_words')
    const job = await here.job(job_id)
    assert.deepEqual([job.status, (job.error as BackupRow).code], ['failed', 'site_failed'])
    assert.equal((await here.call('sites.get', { site_id: id })).status, 'connected')
    retries(30)
  })

  test('verify reads everything back, and names what was damaged', async () => {
    const verify = commands.find(({ name }) => name === 'backup verify')
    assert.ok(verify)
    const own = await calls.largeSite()
    const { row } = await done('full', own.id)
    const good = await verify.run(here.world, {}, [row.id])
    assert.match(good.text, /32 files and 3 tables, \d+ bytes, all as they were backed up/)
    assert.deepEqual([good.failed, (await rowOf(row.id, own.id)).verification], [false, 'content'])
    const { rows } = await sql<{ pack: string; middle: number }>`SELECT encode(p.id, 'hex') AS pack, b."offset" + b.length / 2 AS middle
      FROM blobs b JOIN packs p ON p.id = b.pack_id WHERE b.type = 'file' AND p.created_at >= ${row.created_at} ORDER BY b.length DESC LIMIT 1`.execute(
      here.world.db,
    )
    const [largest] = rows
    const pack = filesBelow(here.dataDir).find((file) => file.endsWith(largest?.pack ?? 'none'))
    assert.ok(pack && largest)
    const bytes = fs.readFileSync(pack)
    bytes[largest.middle] = (bytes[largest.middle] ?? 0) ^ 1
    fs.writeFileSync(pack, bytes)
    const bad = await verify.run(here.world, {}, [row.id])
    assert.equal(bad.failed, true)
    assert.match(bad.text, /with damage:\n.*\.bin/)
    assert.equal((await rowOf(row.id, own.id)).verification, 'damaged')
    await until(async () => (await lastGood(own.id)) === null)
    const broken = await download(row.id, own.id)
    await assert.rejects(broken.arrayBuffer(), /^TypeError: terminated$/, 'a damaged download breaks off instead of looking whole')
    await assert.rejects(verify.run(here.world, {}, ['backup_01k0000000000000000000000a']), { code: 'not_found' })
  })
})

function filesBelow(folder: string): string[] {
  const found = fs.statSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found?.isFile() ? [folder] : []
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}
