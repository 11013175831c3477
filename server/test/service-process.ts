// The service as an operator runs it: a process of its own that can be drained and killed.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { clusterFolder } from '../src/platform/embedded-postgres.ts'
import { findServer } from '../src/platform/postgres-pid-file.ts'
import { until } from './until.ts'

export interface ServiceProcess {
  url: string
  pid: number
  /** Everything it printed so far. */
  output(): string
  /** Milliseconds from the spawn to the first good answer of /readyz, or to the line that says it is up. */
  readyMs: number
  kill(signal: NodeJS.Signals): void
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>
}

const main = path.join(import.meta.dirname, '../src/main.ts')
/** So long that only what never happens is missed: a busy machine takes as long as it takes. */
const mostMs = 90_000

/** What every process needs of this one; what is compiled already is not compiled again. */
export const inherited = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Nothing is done but what a test asks for. */
const quiet = {
  SERVICE_WORDPRESS_ORG: 'off',
  SERVICE_SECURITY_CHECKS: 'off',
  SERVICE_UPTIME_CHECKS: 'off',
  SERVICE_LINK_CHECKS: 'off',
  SERVICE_PERFORMANCE_PROBES: 'off',
}

/** Starts `serve` or `work` and waits until it is up. Settings beside `env` are those of nobody. */
export async function startServiceProcess(command: 'serve' | 'work', env: Record<string, string>): Promise<ServiceProcess> {
  const port = env.SERVICE_PORT ?? String(await freePort())
  const began = performance.now()
  const child = spawn(process.execPath, [main, command], {
    env: { ...inherited, ...quiet, ...env, SERVICE_PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const url = `http://127.0.0.1:${port}`
  await (command === 'serve' ? answers(url, child, () => output) : says('the service is up', child, () => output))
  const readyMs = Math.round(performance.now() - began)
  return { url, pid: child.pid ?? 0, output: () => output, readyMs, kill: (signal) => void child.kill(signal), exited }
}

/** What an admin command prints. */
export async function admin(env: Record<string, string>, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'admin', ...words], { env: { ...inherited, ...env } })
  return stdout.trim()
}

/** Until the database of a service that was killed is gone too, which writes into the folder as long as it is there. */
export async function databaseEnded(dataDir: string): Promise<void> {
  await until(() => !existsSync(dataDir) || findServer(clusterFolder(dataDir)) === undefined)
}

/** Below those that the system gives to whoever asks for any, connections included, so that nobody is given it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

async function answers(url: string, child: ChildProcess, output: () => string): Promise<void> {
  for (const deadline = performance.now() + mostMs; performance.now() < deadline; await sleep(20)) {
    mustLive(child, output)
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
  }
  throw new Error(`The service did not answer in time.\n${output()}`)
}

async function says(words: string, child: ChildProcess, output: () => string): Promise<void> {
  for (const deadline = performance.now() + mostMs; performance.now() < deadline; await sleep(20)) {
    mustLive(child, output)
    if (output().includes(words)) return
  }
  throw new Error(`The worker did not come up in time.\n${output()}`)
}

function mustLive(child: ChildProcess, output: () => string): void {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`The service ended with ${child.exitCode ?? child.signalCode}.\n${output()}`)
}
