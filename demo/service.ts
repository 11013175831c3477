// The service as the demo runs it: a child process with its own data folder, its admin commands, its API.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './npm.ts'

const MAIN = join(import.meta.dirname, '..', 'server', 'src', 'main.ts')

/** The browser of this machine, if there is one. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)

export interface Service {
  url: string
  /** What it runs in, its settings among them. */
  env: NodeJS.ProcessEnv
  /** Runs `admin <args>` and returns what it printed. */
  admin: (args: string[]) => Promise<string>
  stop: () => Promise<void>
}
export interface ListedSite {
  id: string
  url: string
  status: string
  /** When it is backed up by itself; null: it is not. */
  schedule: { at: string } | null
}

/** Resolves when the service says it is ready; `dataDir` must exist. `settings` come over the demo's own. */
export async function startService(dataDir: string, port: number, settings: Record<string, string> = {}): Promise<Service> {
  const url = `http://127.0.0.1:${port}`
  const log = join(dataDir, 'service.log')
  const env = { ...environment(dataDir, port, url), ...settings }
  const output = openSync(log, 'a', 0o600)
  const child = spawnGuarded([MAIN, 'serve'], { env, stdio: ['ignore', output, output] })
  closeSync(output)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await untilReady(child, url, log)
  return {
    url,
    env,
    admin: async (rest) => (await run(process.execPath, [MAIN, 'admin', ...rest], { env })).trim(),
    stop: () => stopChild(child, exited),
  }
}

/** The sites of the token's workspace. */
export async function listSites(url: string, token: string): Promise<ListedSite[]> {
  const answer = await fetch(`${url}/api/v1/sites`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`GET /api/v1/sites answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
  return (await answer.json()) as ListedSite[]
}

/** Asks the service to look at a site again. */
export async function pingSite(url: string, token: string, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await fetch(`${url}/api/v1/sites/${id}/actions`, { method: 'POST', headers, body: JSON.stringify({ action: 'ping' }) })
}

/** What whoever starts the demo may hand in: where its mails go. */
export const handedIn = ({ DEMO_SMTP_URL: smtp }: NodeJS.ProcessEnv): Record<string, string> => (smtp ? { SERVICE_SMTP_URL: smtp } : {})

/** Nothing of the operator's own settings reaches the demo: it must never write to a real database. */
function environment(dataDir: string, port: number, url: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'DATABASE_URL')
  return {
    ...Object.fromEntries(inherited),
    SERVICE_DATA_DIR: dataDir,
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: url,
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
    // Where there is a browser, reports are PDFs as well.
    ...(chromium !== undefined && { SERVICE_CHROMIUM: chromium }),
    // A site of the demo is pinged until it answers.
    SERVICE_LIVE_LOOK_SECONDS: '0',
  }
}

/**
 * Where the kernel can tell the service that the demo was killed, the service is kept away from the terminal: Ctrl-C would
 * otherwise end its database at the same moment, before the service has brought running work to a safe point.
 */
function spawnGuarded(args: string[], options: SpawnOptions): ChildProcess {
  const setpriv = '/usr/bin/setpriv'
  if (!existsSync(setpriv)) return spawn(process.execPath, args, options)
  return spawn(setpriv, ['--pdeathsig', 'TERM', process.execPath, ...args], { ...options, detached: true })
}

async function untilReady(child: ChildProcess, url: string, log: string): Promise<void> {
  for (const deadline = performance.now() + 90_000; ; await sleep(200)) {
    const ready = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return
    if (child.exitCode === null && child.signalCode === null && performance.now() < deadline) continue
    child.kill('SIGTERM')
    throw new Error(`The service did not start. The end of ${log}:\n${readFileSync(log, 'utf8').trim().slice(-1500)}`)
  }
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await exited
  clearTimeout(timer)
}
