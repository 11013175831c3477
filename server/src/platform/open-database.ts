import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterFolder, type ServerLog, startEmbeddedPostgres } from './embedded-postgres.ts'
import { prepareFolder } from './folders.ts'
import { type Lock, type LockHolder, type LockRole, readHolder, tryLock } from './lock.ts'
import { findServer } from './postgres-pid-file.ts'
import { Refusal } from './refusal.ts'

/** Where a database is reached: an operator's URL, or the folder of the embedded server's socket. */
export type DatabaseAddress = { url: string } | { socketDir: string; database?: string }

export type OpenDatabase = {
  address: DatabaseAddress
  /** Resolves when an embedded server that we started has ended; never for a foreign one. */
  ended: Promise<void>
  close: () => Promise<void>
}

export type OpenOptions = {
  url: string | undefined
  dataDir: string
  /** A service refuses a directory in use; a command uses the running service's database or starts it for a moment. */
  role: LockRole
  log: ServerLog
  settings?: Record<string, string>
}

const POLL_MS = 50
const PATIENCE_MS = 30_000

const never = new Promise<void>(() => {})

/** Opens the configured database; the embedded one is started unless a running service has it. Throws `Refusal`. */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const { url, dataDir, role } = options
  prepareFolder(dataDir, { setting: 'SERVICE_DATA_DIR', what: 'the data directory' }, () => {
    if (url !== undefined && role === 'service') noteElsewhere(dataDir, url)
  })
  if (url !== undefined) return { address: { url }, ended: never, close: async () => {} }
  refuseSecond(dataDir)
  const lockFile = lockOf(dataDir)
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const lock = tryLock(lockFile, role)
    if (lock) return startOwn(options, lock)
    const running = useRunning(options, readHolder(lockFile))
    if (running) return running
    await sleep(POLL_MS)
  }
  throw new Refusal(
    `the data directory ${dataDir} stayed in use by another process (pid ${readHolder(lockFile)?.pid ?? 'unknown'}): wait for it, or end it`,
  )
}

/** Whether a service has been at work there, or has its database elsewhere. Looks and makes nothing. */
export function hasInstallation({ databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string }): boolean {
  if (databaseUrl !== undefined) return true
  return fs.existsSync(dataDir) && [lockOf(dataDir), clusterFolder(dataDir), elsewhere(dataDir)].some((each) => fs.existsSync(each))
}

const lockOf = (dataDir: string) => path.join(dataDir, 'instance.lock')

/** Says in a data directory that its service has its database elsewhere. */
const elsewhere = (dataDir: string) => path.join(dataDir, 'database-elsewhere')

/** Never more than where: the address holds a password. */
function noteElsewhere(dataDir: string, url: string): void {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: 'another server', pathname: '' }
  fs.writeFileSync(elsewhere(dataDir), `${host}${pathname}\n`, { mode: 0o600 })
}

/** Whoever forgot the address would work on an empty database, or on one of long ago, and think that all is lost. */
function refuseSecond(dataDir: string): void {
  if (!fs.existsSync(elsewhere(dataDir))) return
  const where = fs.readFileSync(elsewhere(dataDir), 'utf8').trim().slice(0, 200)
  throw new Refusal(
    `the service of ${dataDir} has its database at ${where}: set DATABASE_URL as the service has it. If it shall have a database of its own in the data directory from now on, delete the file ${elsewhere(dataDir)}`,
  )
}

async function startOwn({ dataDir, log, settings = {} }: OpenOptions, lock: Lock): Promise<OpenDatabase> {
  try {
    const { address, ended, stop } = await startEmbeddedPostgres({ dataDir, log, settings })
    return { address, ended, close: () => stop().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Undefined when it is worth waiting: for a command to finish, or for a service to come up. */
function useRunning({ dataDir, role }: OpenOptions, holder: LockHolder | undefined): OpenDatabase | undefined {
  if (holder?.role !== 'service') return undefined
  if (role === 'service')
    throw new Refusal(
      `another service (pid ${holder.pid}) already runs on the data directory ${dataDir}: stop it, or set SERVICE_DATA_DIR to another folder`,
    )
  const server = findServer(clusterFolder(dataDir))
  return server?.ready ? { address: { socketDir: server.socketDir }, ended: never, close: async () => {} } : undefined
}
