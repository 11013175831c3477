import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from './refusal.ts'

/** What a PostgreSQL server says about itself in its `postmaster.pid`. */
export type ServerState = { pid: number; socketDir: string; ready: boolean }

/** The server of a cluster, if its pid file names one that is really running. */
export function findServer(cluster: string): ServerState | undefined {
  const lines = readText(path.join(cluster, 'postmaster.pid')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid < 1 || !isServerOf(cluster, pid)) return undefined
  return { pid, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
}

/**
 * Waits for the server of a killed owner to end and drops its pid file. The caller holds the data directory's lock, so nobody else's
 * server is hit. PostgreSQL would be fooled by a zombie or by a foreign process that got the same pid.
 */
export async function clearDeadServer(cluster: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const server = findServer(cluster)
    if (!server) break
    if (tries === 20) process.kill(server.pid, 'SIGQUIT')
    await sleep(50)
  }
  if (findServer(cluster))
    throw new Refusal(`a PostgreSQL that does not end (pid ${findServer(cluster)?.pid}) still uses ${cluster}: end it, then start again`)
  fs.rmSync(path.join(cluster, 'postmaster.pid'), { force: true })
}

/** A zombie has no command line, and a foreign process that got the same pid has another one. */
function isServerOf(cluster: string, pid: number): boolean {
  const args = readText(`/proc/${pid}/cmdline`).split('\0')
  const folder = args[args.indexOf('-D') + 1]
  return path.basename(args[0] ?? '') === 'postgres' && folder !== undefined && isSameFolder(folder, cluster)
}

function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => fs.statSync(folder, { throwIfNoEntry: false }))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}

/** Empty when the file is gone: a server that ends takes its files with it. */
function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
