import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, type Postgres } from './postgres-binaries.ts'
import { ensureOwner } from './postgres-owner.ts'
import { clearDeadServer } from './postgres-pid-file.ts'
import { Refusal } from './refusal.ts'

/** Where a running embedded PostgreSQL listens: a Unix socket in a folder only we can enter. */
export type SocketAddress = { socketDir: string }

export type ServerLog = { warn: (message: string) => void; debug: (message: string) => void }

export type EmbeddedPostgres = {
  address: SocketAddress
  /** Resolves when the server has ended, whether it was asked to or not. */
  ended: Promise<void>
  stop: () => Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  log: ServerLog
  /** PostgreSQL settings over ours; a test may give up durability for speed. */
  settings?: Record<string, string>
  /** How long clients that are about to leave are waited for when it stops; then they are cut off. */
  leaveMs?: number
}

const usualLeaveMs = 1500
/** For the checkpoint. What has not ended by then is cut off, which is safe too, only slower to start again. */
const checkpointMs = 4500

type ServerProcess = ChildProcessByStdio<null, null, Readable>

const MAJOR = 18

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and values may hold secrets; the client gets the whole error anyway.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/**
 * Starts the PostgreSQL of a data directory, creating it on the first start. The caller holds the directory's lock.
 * Safe after a kill -9 of this process at any moment, the first start included.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  settings = {},
  leaveMs = usualLeaveMs,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const postgres = findPostgres(path.resolve(dataDir))
  const cluster = clusterFolder(dataDir)
  await createCluster(postgres, cluster)
  await clearDeadServer(cluster)
  ensureOwner(cluster, postgres.owner)
  const socketDir = makeSocketFolder(dataDir, postgres.owner)
  const server = run(postgres, 'postgres', [
    '-D',
    cluster,
    ...flags({ ...SETTINGS, unix_socket_directories: quoted(socketDir), ...settings }),
  ])
  const ended = once(server, 'close').then(() => undefined)
  await untilReady(server, log)
  return { address: { socketDir }, ended, stop: () => stop(server, ended, leaveMs) }
}

/** The folder of the cluster itself; the major version is in its name because another major cannot read it. */
export function clusterFolder(dataDir: string): string {
  return path.join(fs.realpathSync(dataDir), `postgres-${MAJOR}`)
}

function flags(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The setting is a list; a folder's name may hold its comma. */
function quoted(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}

function run(postgres: Postgres, program: 'postgres' | 'initdb', args: string[]): ServerProcess {
  const [command = '', ...before] = postgres.command(program)
  // A process group of its own: Ctrl-C in a terminal must reach us alone, so that we can drain while the database still answers.
  return spawn(command, [...before, ...args], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', detached: true })
}

/** A cluster appears under its name only when it is complete: initdb works in a folder of its own, which is then renamed. */
async function createCluster(postgres: Postgres, cluster: string): Promise<void> {
  removeLeftovers(cluster)
  if (fs.existsSync(cluster)) return
  const unfinished = `${cluster}.init-${randomBytes(4).toString('hex')}`
  fs.mkdirSync(unfinished, { mode: 0o700 })
  if (postgres.owner !== undefined) fs.chownSync(unfinished, postgres.owner, postgres.owner)
  const initdb = run(postgres, 'initdb', [
    '-D',
    unfinished,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--data-checksums',
  ])
  const [said, [code]] = await Promise.all([readAll(initdb.stderr), once(initdb, 'close')])
  if (code !== 0)
    throw new Refusal(
      `PostgreSQL could not create its files in ${path.dirname(cluster)}: ${oneLine(said)}. Mend that, or set SERVICE_DATA_DIR to another folder`,
    )
  fs.renameSync(unfinished, cluster)
  syncFolder(path.dirname(cluster))
}

/** A dying initdb of a killed start may still write into its folder; what cannot be removed now is removed the next time. */
function removeLeftovers(cluster: string): void {
  const unfinished = `${path.basename(cluster)}.init-`
  for (const name of fs.readdirSync(path.dirname(cluster))) {
    if (!name.startsWith(unfinished)) continue
    try {
      fs.rmSync(path.join(path.dirname(cluster), name), { recursive: true, force: true, maxRetries: 2 })
    } catch {}
  }
}

function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r')
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

/** A socket's path must fit 108 bytes: with a long data directory it lives in a private folder below the temporary one. */
function makeSocketFolder(dataDir: string, owner: number | undefined): string {
  const beside = path.join(path.resolve(dataDir), 'run')
  const folder = Buffer.byteLength(`${beside}/.s.PGSQL.5432.lock`) < 108 ? beside : shortFolder(path.resolve(dataDir))
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  ensureOwner(folder, owner)
  return folder
}

function shortFolder(dataDir: string): string {
  const name = path.join(os.tmpdir(), `svc-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
  const found = fs.lstatSync(name, { throwIfNoEntry: false })
  const usable = !found || (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0)
  return usable ? name : fs.mkdtempSync(`${name}-`)
}

async function untilReady(server: ServerProcess, log: ServerLog): Promise<void> {
  const lines: string[] = []
  await new Promise<void>((ready, failed) => {
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (lines.push(line) > 20) lines.shift()
      if (line.includes('database system is ready to accept connections')) ready()
      if (/(WARNING|FATAL|PANIC):/.test(line)) log.warn(`postgres: ${line}`)
      else log.debug(`postgres: ${line}`)
    })
    server.once('error', failed)
    server.once('close', () =>
      failed(new Refusal(`PostgreSQL did not start: ${oneLine(lines.join('\n'))}. Mend what it names, then start again`)),
    )
  })
}

/** Who is about to leave may leave (smart shutdown), the others are shown out (fast). */
async function stop(server: ServerProcess, ended: Promise<void>, leaveMs: number): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGTERM')
  if (await endsWithin(leaveMs, ended)) return
  server.kill('SIGINT')
  if (await endsWithin(checkpointMs, ended)) return
  server.kill('SIGQUIT')
  await ended
}

async function endsWithin(ms: number, ended: Promise<void>): Promise<boolean> {
  const patience = new AbortController()
  const late = sleep(ms, false, { signal: patience.signal }).catch(() => false)
  const isOver = await Promise.race([ended.then(() => true), late])
  patience.abort()
  return isOver
}

async function readAll(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

function oneLine(text: string): string {
  return text.trim().split('\n').slice(-3).join(' · ').slice(0, 600)
}
