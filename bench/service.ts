import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')

export interface Running {
  url: string
  pid: number
  /** From the start of the process to the first 200 on /healthz. */
  startMs: number
  stop(): Promise<void>
  kill(): Promise<void>
}

export interface Place {
  dataDir: string
  port: number
}

/** What every process of a benchmark is told; the rate limit is out of the way, as the bare server has none. */
export const environment = ({ dataDir, port }: Place): Record<string, string> => ({
  SERVICE_DATA_DIR: dataDir,
  SERVICE_PORT: String(port),
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_ALLOW_PRIVATE_SITES: 'true',
  SERVICE_CALLS_PER_MINUTE: '10000000',
  SERVICE_LIVE_LOOK_SECONDS: '0',
  SERVICE_UPTIME_CHECKS: 'off',
  SERVICE_PERFORMANCE_PROBES: 'off',
  SERVICE_LINK_CHECKS: 'off',
  SERVICE_SECURITY_CHECKS: 'off',
  SERVICE_ERROR_COLLECTION: 'off',
})

/** `npm start`, without npm and what it does for the dashboard, until it answers; `more` goes into its environment. */
export async function startService(place: Place, more: Record<string, string> = {}): Promise<Running> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, 'tools/bootstrap.mjs'), join(root, 'server/src/main.ts'), 'serve'], {
    env: { ...process.env, ...environment(place), ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  const url = `http://127.0.0.1:${place.port}`
  await untilHealthy(url, child).catch((error: Error) => {
    throw new Error(`${error.message}\n${said.join('')}`)
  })
  return { url, pid: child.pid ?? 0, startMs: performance.now() - began, stop: () => stop(child), kill: () => stop(child, 'SIGKILL') }
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode} before it answered.`)
    const ok = await fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ok) return
    await pause(10)
  }
  child.kill()
  throw new Error('The service did not answer within a minute.')
}

/** Asks a process to end, or ends it, and waits until it did. */
export async function stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
