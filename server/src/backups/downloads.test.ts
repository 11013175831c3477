import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { type BackupCalls, backupCalls, bytesOf } from '../../test/backup-calls.ts'
import { settle, until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('downloads of backups', () => {
  let here: TestWorld
  let calls: BackupCalls
  let site: { id: string }
  before(async () => {
    here = await aWorld()
    calls = backupCalls(here)
    site = await here.site()
  })
  after(() => here.close())

  test('a download goes on where it broke off, as long as it is the same, and nothing before that is read again', async () => {
    const { id } = await calls.largeSite()
    const { row } = await calls.done('full', id)
    const { token } = await here.token('write')
    const get = (headers: Record<string, string> = {}) => calls.download(row.id, id, { token, headers })
    const first = await get()
    const [length, etag] = [Number(first.headers.get('content-length')), first.headers.get('etag') ?? '']
    const whole = await bytesOf(first)
    assert.deepEqual(
      [first.status, first.headers.get('accept-ranges'), whole.length, length > 24 * 1024 ** 2],
      [200, 'bytes', length, true],
    )
    assert.match(etag, /^"[\w-]{43}"$/)

    const rest = await get({ range: 'bytes=20000001-', 'if-range': etag })
    assert.deepEqual([rest.status, rest.headers.get('content-range')], [206, `bytes 20000001-${length - 1}/${length}`])
    assert.ok((await bytesOf(rest)).equals(whole.subarray(20_000_001)))
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['Bytes = 511-1024', 511, 1025],
      ['bytes=-700', length - 700, length],
      [`bytes=5-${length + 10}`, 5, length],
      [`bytes=-${length + 10}`, 0, length],
    ] as const) {
      const part = await get({ range })
      assert.deepEqual([part.status, part.headers.get('content-length')], [206, String(to - from)], range)
      assert.ok((await bytesOf(part)).equals(whole.subarray(from, to)), range)
    }
    const storage = here.world.storage
    const { get: read, stat } = storage
    // The lists of what the backup holds, with the windows around them in however many packs they lie; not its 24 MiB of files.
    let [looked, asked] = [0, 0]
    storage.stat = (...args) => {
      asked++
      return stat(...args)
    }
    storage.get = async (...args) => {
      const bytes = await read(...args)
      looked += bytes.length
      return bytes
    }
    await bytesOf(await get({ range: 'bytes=-4096' }))
    assert.ok(looked < 12 * 1024 ** 2, `${looked} bytes read for the last few`)
    assert.equal(asked, 0, 'lists that a part does not need are not looked for')
    await bytesOf(await get())
    assert.ok(asked > 0, 'those of the whole are')
    Object.assign(storage, { get: read, stat })
    // Another file, several ranges, and what is none: all of it.
    for (const headers of [
      { range: 'bytes=5-', 'if-range': '"another"' },
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=5-4' },
      { range: 'lines=1-2' },
    ]) {
      const all = await get(headers)
      assert.deepEqual([all.status, all.headers.get('content-range')], [200, null], JSON.stringify(headers))
      await all.body?.cancel()
    }
    for (const range of [`bytes=${length}-`, 'bytes=-0', 'bytes=999999999999999-']) {
      const none = await get({ range })
      assert.deepEqual([none.status, none.headers.get('content-range')], [416, `bytes */${length}`], range)
      assert.equal(((await none.json()) as { code: string }).code, 'range_not_satisfiable')
    }
  })

  test('the first download finds the length out, and it is remembered; of another layout it is found out again', async () => {
    const { row } = await calls.done('full', site.id)
    const { db } = here.world
    const remembered = async () =>
      (await sql<{ tar_map: { length: number } | null }>`SELECT tar_map FROM backups WHERE id = ${row.id}`.execute(db)).rows[0]?.tar_map
    assert.equal(await remembered(), null)
    const whole = await bytesOf(await calls.download(row.id, site.id))
    const map = await remembered()
    assert.equal(map?.length, whole.length)
    const tail = async () => {
      const part = await calls.download(row.id, site.id, { headers: { range: 'bytes=-5000' } })
      return { size: part.headers.get('content-range')?.split('/')[1], bytes: await bytesOf(part) }
    }
    for (const before of [null, { ...map, layout: 'tar 0', length: 5 }]) {
      await sql`UPDATE backups SET tar_map = ${before && JSON.stringify(before)}::jsonb WHERE id = ${row.id}`.execute(db)
      const { size, bytes } = await tail()
      assert.deepEqual([size, bytes.equals(whole.subarray(-5000))], [String(whole.length), true])
      assert.deepEqual(await remembered(), map)
    }
    await sql`UPDATE backups SET tar_map = jsonb_set(tar_map, '{length}', ${String(whole.length - 512)}::jsonb) WHERE id = ${row.id}`.execute(
      db,
    )
    assert.equal((await tail()).size, String(whole.length - 512), 'what is remembered is not found out again')
  })

  test('the smaller form is the same archive in one go', async () => {
    const { row } = await calls.done('full', site.id)
    const zst = await calls.download(row.id, site.id, { query: '?format=tar.zst', headers: { range: 'bytes=5-' } })
    assert.deepEqual(
      [zst.status, zst.headers.get('content-type'), zst.headers.get('accept-ranges'), zst.headers.get('content-length')],
      [200, 'application/zstd', 'none', null],
    )
    assert.match(zst.headers.get('content-disposition') ?? '', /\.tar\.zst"$/)
    const tar = await calls.download(row.id, site.id)
    assert.match(tar.headers.get('content-disposition') ?? '', /\.tar"$/)
    assert.ok(zstdDecompressSync(await bytesOf(zst)).equals(await bytesOf(tar)))
    assert.equal((await calls.download(row.id, site.id, { query: '?format=zip' })).status, 400)
  })

  test('a client that hangs up in the middle of a download frees everything', async () => {
    const { id } = await calls.largeSite()
    const { row } = await calls.done('files', id)
    const storage = here.world.storage
    const get = storage.get
    let reads = 0
    let busy = 0
    storage.get = (...args) => {
      reads++
      busy++
      return get(...args).finally(() => busy--)
    }
    const statements = async () => {
      const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`.execute(here.world.db)
      return rows[0]?.n
    }
    const { turn } = here.world
    let turns = 0
    here.world.turn = async (...asked) => {
      const giveBack = await turn(...asked)
      turns++
      return () => {
        turns--
        giveBack()
      }
    }
    const response = await calls.download(row.id, id)
    assert.equal(turns, 1)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    // The turn of a download is given back when its connection is closed; what is read by then may come to its end.
    await until(() => turns === 0)
    const after = reads
    await until(async () => busy === 0 && (await statements()) === 0)
    await settle()
    assert.equal(reads - after, 0, 'reads after it')
    here.world.turn = turn
    assert.ok(reads < 24, `${reads} reads for what nobody wanted`)
    storage.get = get
  })
})
