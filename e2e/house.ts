// The built product as an operator runs it: a process of its own, an own data folder, tokens made by the admin command line.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Service, startService } from '../demo/service.ts'
import { freePort } from '../demo/start-site.ts'
import { admin as runAdmin } from '../server/src/admin/main.ts'
import { inherited } from '../server/test/service-process.ts'
import { layCluster } from './cluster.ts'

export interface House {
  url: string
  /** Folder for everything this house and its guests write; removed by `close`. */
  dir: string
  /** Of the person who owns the workspace. */
  owner: { email: string; password: string }
  writer: string
  reader: string
  /** A fresh code that pairs one new site, or this one anew, there too where it has moved to a host. */
  pairingCode(site?: string, host?: string): Promise<string>
  /** What `admin` printed, to whom this was typed. */
  admin(words: string[], typed?: string): Promise<string>
  /** The body of an answer that must be a success. */
  ask<Body>(method: string, path: string, body?: object): Promise<Body>
  send(method: string, path: string, body?: object, token?: string): Promise<Response>
  /** Follows a job to its end; `saw` hears every look at it. */
  finished<Result>(jobId: string, saw?: (job: Job<Result>) => void): Promise<Job<Result>>
  /** Another service on the same data, after the one before was killed. */
  startAgain(): Promise<void>
  close(): Promise<void>
}

export interface Job<Result> {
  status: string
  outcome: string | null
  summary: string | null
  phase: string | null
  progress: { percent: number | null; done: number; total: number; unit: string } | null
  result: Result
  error: { code: string; message: string } | null
}
export interface Site {
  id: string
  name: string
  url: string
  status: string
  wp_version: string
  updates_available: { plugins: number }
  connection: { door: string; last_error: { reason: string } | null }
}

/** Nothing is done but what a story does, as often as it does it. */
export const QUIET = {
  SERVICE_WORDPRESS_ORG: 'off',
  SERVICE_SECURITY_CHECKS: 'off',
  SERVICE_UPTIME_CHECKS: 'off',
  SERVICE_PERFORMANCE_PROBES: 'off',
  SERVICE_LINK_CHECKS: 'off',
  SERVICE_ERROR_COLLECTION: 'off',
  SERVICE_BARE_RESTORES_PER_HOUR: '10000',
  SERVICE_NEW_SALTS_PER_HOUR: '10000',
  SERVICE_UPDATES_PER_HOUR: '10000',
  SERVICE_CHROMIUM: '',
}
/** Updates are photographed too, which takes as long as all else of them. */
export const PHOTOGRAPHED = { SERVICE_CHROMIUM: chromium ?? '' }
export const WORKSPACE = 'Story'
const lookEveryMs = 150

/** Resolves when the service answers and has an owner and two tokens. */
export async function openHouse(settings: Record<string, string> = {}): Promise<House> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-story-'))
  await mkdir(join(dir, 'data'), { mode: 0o700 })
  await layCluster(join(dir, 'data'))
  const port = await freePort()
  const start = () => startService(join(dir, 'data'), port, { ...QUIET, ...settings })
  const first = await start()
  const services: Service[] = [first]
  const { url, env } = first
  const admin = (words: string[], typed = '') => adminHere(words, env, typed)
  const email = 'owner@story.example'
  const made = await admin(['owner', 'create', '--email', email, '--workspace', WORKSPACE])
  const owner = { email, password: /^Password: (.+)$/m.exec(made)?.[1] ?? '' }
  const token = (scope: string) => admin(['token', 'create', '--workspace', WORKSPACE, '--name', scope, '--scope', scope])
  const [writer, reader] = await Promise.all([token('write'), token('read')])

  const send: House['send'] = (method, path, body, as = writer) => {
    const headers = { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) }
    return fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  const ask = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const answer = await send(method, path, body)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text) as Body
  }
  return {
    ...{ url, dir, owner, writer, reader, admin, send, ask },
    pairingCode: (site, host) =>
      admin([
        ...['site', 'code', '--workspace', WORKSPACE],
        ...(site === undefined ? [] : ['--site', site]),
        ...(host === undefined ? [] : ['--host', host]),
      ]),
    async finished<Result>(jobId: string, saw: (job: Job<Result>) => void = () => undefined) {
      for (;;) {
        const job = await ask<Job<Result>>('GET', `/jobs/${jobId}`)
        saw(job)
        if (!['queued', 'running'].includes(job.status)) return job
        await sleep(lookEveryMs)
      }
    },
    startAgain: async () => void services.push(await start()),
    async close() {
      for (const service of services) await service.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The admin command line, in this process: one of its own, as e2e/drain.test.ts and the demo have it, takes a second to start. */
async function adminHere(words: string[], env: NodeJS.ProcessEnv, typed: string): Promise<string> {
  const said: string[] = []
  const complaints: string[] = []
  const input = Readable.from([typed])
  const code = await runAdmin(words, { env, input, out: (text) => void said.push(text), err: (text) => void complaints.push(text) })
  if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${code}: ${complaints.join('')}`)
  return said.join('').trim()
}

/** So long that only what never happens is missed: a busy machine takes as long as it takes. */
const patienceMs = 10 * 60_000

/** Looks until `look` finds something. */
export async function until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = performance.now() + patienceMs; ; await sleep(200)) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${patienceMs / 60_000} minutes.`)
  }
}

/** Runs a packed program of this repository as its users do. */
export function runPacked(
  program: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Promise<{ code: number; out: string; err: string }> {
  const file = join(import.meta.dirname, '..', program)
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env: { ...inherited, ...env }, cwd }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
  })
}
