import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../test/until.ts'
import { clientConfig } from './database.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { type DatabaseAddress, openDatabase } from './open-database.ts'
import { chooseLauncher } from './postgres-binaries.ts'

const { env } = process
const silent = { warn() {}, debug() {} }

function temporaryFolder(t: { after: (clean: () => void) => void }, name = 'data'): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, name)
}

async function ask(address: DatabaseAddress, sql: string): Promise<Record<string, unknown>[]> {
  assert.ok('socketDir' in address)
  const client = new pg.Client({ host: address.socketDir, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A program that opens the database and writes a row after another, saying each number once its commit is acknowledged. */
function startWriter(dataDir: string): ChildProcess & { acknowledged: () => number } {
  const program = path.join(import.meta.dirname, '../../test/write-forever.ts')
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return Object.assign(child, { acknowledged: () => text.split('\n').slice(0, -1).map(Number).at(-1) ?? 0 })
}

test('a server starts in a new directory, keeps its rows over a restart, verifies checksums and listens on no port', async (t) => {
  const dataDir = temporaryFolder(t, 'a "folder", named=oddly')
  const first = await startEmbeddedPostgres({ dataDir, log: silent })
  await ask(first.address, 'create table kept as select 42 as answer')
  const [state] = await ask(
    first.address,
    `select current_setting('data_checksums') as sums, current_setting('listen_addresses') as listens,
    current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  )
  assert.deepEqual(state, { sums: 'on', listens: '', fsync: 'on', commit: 'on' })
  await first.stop()
  await first.ended
  const second = await startEmbeddedPostgres({ dataDir, log: silent })
  assert.deepEqual(await ask(second.address, 'select answer from kept'), [{ answer: 42 }])
  await second.stop()
})

test('when it stops, whoever is leaving may leave, and who stays is cut off', async (t) => {
  const dataDir = temporaryFolder(t)
  for (const [stays, leaveMs, cutOff] of [
    [false, 60_000, 0],
    [true, 1, 1],
  ] as const) {
    const told: string[] = []
    const hear = (words: string) => void told.push(words)
    const server = await startEmbeddedPostgres({ dataDir, log: { warn: hear, debug: hear }, leaveMs })
    const client = new pg.Client(clientConfig(server.address))
    client.on('error', () => {})
    await client.connect()
    const stopping = server.stop()
    await until(() => told.some((words) => / shutdown request/.test(words)))
    if (!stays) await client.end()
    await stopping
    assert.equal(
      told.filter((words) => words.includes('terminating connection due to administrator command')).length,
      cutOff,
      told.join('\n'),
    )
  }
})

test('a data directory whose path is too long for a socket works through a short private folder', async (t) => {
  const server = await startEmbeddedPostgres({ dataDir: temporaryFolder(t, 'x'.repeat(120)), log: silent })
  t.after(() => fs.rmSync(server.address.socketDir, { recursive: true, force: true }))
  assert.equal((await ask(server.address, 'select 1 as one')).length, 1)
  assert.equal(fs.statSync(server.address.socketDir).mode & 0o077, 0)
  await server.stop()
})

test('every acknowledged row is there after kill -9 at any moment, the first start included', async (t) => {
  const rounds = Number(env.SERVICE_KILL_ROUNDS ?? 6)
  const dataDir = temporaryFolder(t)
  let acknowledged = 0
  for (let round = 0; round < rounds; round++) {
    const writer = startWriter(dataDir)
    const ended = once(writer, 'close')
    if (round % 2 === 0) await sleep(100 + ((round * 197) % 900))
    else while (writer.exitCode === null && writer.acknowledged() <= acknowledged) await sleep(20)
    writer.kill('SIGKILL')
    await ended
    acknowledged = Math.max(acknowledged, writer.acknowledged())
  }
  const database = await openDatabase({ url: undefined, dataDir, role: 'service', log: silent })
  t.after(database.close)
  await ask(database.address, 'create table if not exists numbers (n int primary key)')
  const [found] = await ask(database.address, 'select count(*)::int as rows, coalesce(max(n), 0) as last from numbers')
  t.diagnostic(`${rounds} kills, ${acknowledged} rows acknowledged`)
  assert.ok(acknowledged > 0)
  assert.ok(Number(found?.last) >= acknowledged && found?.rows === found?.last, JSON.stringify({ found, acknowledged }))
})

test('a second service on the same directory is refused in one line that names the first', async (t) => {
  const dataDir = temporaryFolder(t)
  const first = await openDatabase({ url: undefined, dataDir, role: 'service', log: silent })
  t.after(first.close)
  await assert.rejects(openDatabase({ url: undefined, dataDir, role: 'service', log: silent }), {
    name: 'Refusal',
    message: `another service (pid ${process.pid}) already runs on the data directory ${dataDir}: stop it, or set SERVICE_DATA_DIR to another folder`,
  })
})

test('a data directory that cannot be one is refused in one line', async (t) => {
  const file = temporaryFolder(t)
  fs.writeFileSync(file, '')
  await assert.rejects(
    openDatabase({ url: undefined, dataDir: file, role: 'service', log: silent }),
    /^Refusal: SERVICE_DATA_DIR: the data directory .* cannot be used/,
  )
})

test('commands beside a starting service use its database; without one they take turns', async (t) => {
  const dataDir = temporaryFolder(t)
  const starting = openDatabase({ url: undefined, dataDir, role: 'service', log: silent })
  const beside = await openDatabase({ url: undefined, dataDir, role: 'command', log: silent })
  const service = await starting
  assert.deepEqual(beside.address, service.address)
  await beside.close()
  assert.equal((await ask(service.address, 'select 1 as one')).length, 1)
  await service.close()
  const turns = [1, 2, 3].map(async () => {
    const alone = await openDatabase({ url: undefined, dataDir, role: 'command', log: silent })
    await ask(alone.address, 'select pg_sleep(0.05)')
    await alone.close()
  })
  await Promise.all(turns)
})

test('root without user namespaces runs the server as nobody, and without that is told what to do', () => {
  const without = (...missing: string[]) => chooseLauncher('root', (command) => !missing.some((word) => command.join(' ').includes(word)))
  assert.deepEqual({ owner: without().owner, command: without().prefix[0] }, { owner: undefined, command: 'unshare' })
  assert.deepEqual({ owner: without('unshare').owner, command: without('unshare').prefix[0] }, { owner: 65534, command: 'setpriv' })
  const unreachable = (command: string[]) => !(command.includes('unshare') && command.includes('test'))
  assert.equal(chooseLauncher('root', unreachable, ['test', '-x', '/a']).owner, 65534)
  assert.throws(() => without('unshare', '--reuid'), /run as an ordinary user or set DATABASE_URL/)
})

test('an ordinary user needs nothing but the guard; one without a name needs a namespace', () => {
  assert.deepEqual(chooseLauncher('named', () => true).prefix, ['setpriv', '--pdeathsig', 'QUIT'])
  assert.equal(chooseLauncher('nameless', () => true).prefix[0], 'unshare')
  assert.throws(() => chooseLauncher('nameless', () => false), /\/etc\/passwd/)
})
