import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { Refusal } from './refusal.ts'

/** Who holds a data directory: a service for as long as it runs, or a command for a moment. */
export type LockRole = 'service' | 'command'

export type LockHolder = { pid: number; role: LockRole }

export type Lock = { release: () => void }

/**
 * Takes the lock on `file` without waiting; undefined when another process holds it.
 * The kernel holds it for this process (flock on our descriptor, shared with the short-lived `flock`), so a killed process cannot keep it.
 */
export function tryLock(file: string, role: LockRole): Lock | undefined {
  const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
  if (!flock(descriptor)) {
    fs.closeSync(descriptor)
    return undefined
  }
  fs.ftruncateSync(descriptor)
  fs.writeSync(descriptor, `${JSON.stringify({ pid: process.pid, role })}\n`, 0)
  return { release: () => fs.closeSync(descriptor) }
}

/** What the present holder wrote about itself; undefined in the instant between taking the lock and writing. */
export function readHolder(file: string): LockHolder | undefined {
  try {
    const { pid, role } = JSON.parse(fs.readFileSync(file, 'utf8')) as LockHolder
    return { pid, role }
  } catch {
    return undefined
  }
}

function flock(descriptor: number): boolean {
  const { status, error } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] })
  if (error)
    throw new Refusal('the command `flock` (package util-linux) is needed to lock the data directory; install it or set DATABASE_URL')
  return status === 0
}
