// What the demo must find again at its next start: .data/demo.json, readable by its owner only.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { freePort } from './start-site.ts'

export interface DemoState {
  servicePort: number
  owner: { email: string; password: string } | undefined
  token: string | undefined
  sites: DemoSite[]
}
export interface DemoSite {
  port: number
  adminPassword: string
  paired: boolean
}

const folder = resolve(process.env.DEMO_FOLDER || import.meta.dirname)
export const DATA = join(folder, '.data')
export const SITES = join(folder, '.sites')
/** As whoever started the demo would name it. */
export const shown = (path: string) => relative(process.cwd(), path)
export const START_OVER = `To start over: rm -rf ${shown(DATA)} ${shown(SITES)}`

/** Reads the state or begins a new one. Sites without it belong to a service that is gone, and are removed. */
export async function openState(): Promise<DemoState> {
  if (existsSync(join(DATA, 'demo.json'))) return checkedPorts(JSON.parse(readFileSync(join(DATA, 'demo.json'), 'utf8')) as DemoState)
  await rm(SITES, { recursive: true, force: true })
  await mkdir(DATA, { recursive: true, mode: 0o700 })
  const site = async (preferred: number): Promise<DemoSite> => ({
    port: await preferredPort(preferred),
    adminPassword: randomBytes(9).toString('base64url'),
    paired: false,
  })
  const state = {
    servicePort: await preferredPort(8080),
    owner: undefined,
    token: undefined,
    sites: [await site(8101), await site(8102)],
  }
  await saveState(state)
  return state
}

export async function saveState(state: DemoState): Promise<void> {
  const path = join(DATA, 'demo.json')
  await writeFile(`${path}.partial`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.partial`, path)
}

/** Paired sites know the service by its address, so a later start must find the same ports. */
async function checkedPorts(state: DemoState): Promise<DemoState> {
  for (const port of [state.servicePort, ...state.sites.map((site) => site.port)]) {
    if (!(await isFree(port))) throw new Error(`Port ${port} is in use; is the demo running already? ${START_OVER}`)
  }
  return state
}

async function preferredPort(port: number): Promise<number> {
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
