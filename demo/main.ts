// npm run demo: the service with two real WordPress sites, paired, on this machine only.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureAssets, ensureRuntime } from './assets.ts'
import { ALPINE, type Content, HARBOUR, seedContent } from './content.ts'
import { writeBrokenPlugin, writeSamplePlugin } from './mirror-packages.ts'
import { startProgress } from './npm.ts'
import { BROKEN_PLUGIN, SAMPLE_PLUGIN } from './sample-plugin.ts'
import { handedIn, type ListedSite, listSites, pingSite, type Service, startService } from './service.ts'
import { type Site, startSite } from './start-site.ts'
import { DATA, type DemoState, openState, SITES, START_OVER, saveState, shown } from './state.ts'
import { type Running, summary } from './summary.ts'
import { type Mirror, startMirror } from './wporg-mirror.ts'

const WORKSPACE = 'Demo'
const CONTENTS = [HARBOUR, ALPINE]
const running: { stop: () => Promise<void> }[] = []
let stopping = false

process.on('SIGINT', stop)
process.on('SIGTERM', stop)
try {
  await demo()
} catch (error) {
  if (!stopping) complain(error)
  await stop()
}

async function demo(): Promise<void> {
  process.stderr.write('The demo: the service and two real WordPress sites\n')
  await ensureAssets()
  await ensureRuntime('8.3')
  const state = await openState()
  const service = await step('Starting the service', () => keep(startService(DATA, state.servicePort, handedIn(process.env))))
  const { owner, token } = await step('Owner, workspace and token', () => ensureAccess(service, state))
  const mirror = await keep(startMirror())
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0', [BROKEN_PLUGIN]: '1.1.0' } })
  const sites = await step('Starting two WordPress sites', () => startSites(service, state, mirror))
  const listed = await step('Waiting until both are connected', () => untilConnected(service.url, token, sites))
  for (const site of state.sites) site.paired = true
  await saveState(state)
  const rows = sites.map((site, index) => ({ title: CONTENTS[index]?.title ?? '', site, ...stateOf(listed[index]) }))
  process.stdout.write(summary({ url: service.url, owner, workspace: WORKSPACE, token, sites: rows }))
}

function stateOf(listed: ListedSite | undefined) {
  return { status: listed?.status ?? '', backedUpAt: listed?.schedule?.at ?? null }
}

async function ensureAccess(service: Service, state: DemoState): Promise<Pick<Running, 'owner' | 'token'>> {
  const email = 'owner@demo.example'
  if (!state.owner) {
    const made = JSON.parse(await service.admin(['owner', 'create', '--email', email, '--workspace', WORKSPACE, '--json'])) as {
      password: string
    }
    state.owner = { email, password: made.password }
    await saveState(state)
  }
  if (!state.token) {
    state.token = await service.admin(['token', 'create', '--workspace', WORKSPACE, '--name', 'demo', '--scope', 'write'])
    await saveState(state)
  }
  return { owner: state.owner, token: state.token }
}

async function startSites(service: Service, state: DemoState, mirror: Mirror): Promise<Site[]> {
  const samples = [await writeSamplePlugin(SITES), await writeBrokenPlugin(SITES)]
  return Promise.all(CONTENTS.map((content, index) => startDemoSite({ service, state, mirror, samples }, content, index)))
}

interface Around {
  service: Service
  state: DemoState
  mirror: Mirror
  samples: string[]
}

async function startDemoSite({ service, state, mirror, samples }: Around, content: Content, index: number): Promise<Site> {
  const known = state.sites[index]
  if (!known) throw new Error(`${shown(DATA)}/demo.json lacks a site. ${START_OVER}`)
  const options = {
    dir: join(SITES, `site-${index + 1}`),
    port: known.port,
    title: content.title,
    pass: known.adminPassword,
    plugins: [join(import.meta.dirname, '..', 'connector', 'svc-connector'), ...samples],
    muPlugins: [join(import.meta.dirname, 'mu-wporg-mirror.php')],
    constants: {
      ...(known.paired ? {} : await pairingConstants(service)),
      WPORG_MIRROR: mirror.url,
      WP_HTTP_BLOCK_EXTERNAL: true,
      WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost',
    },
  }
  const site = await keep(startSite(options))
  await seedContent(site, content)
  return site
}

/** A code is valid for minutes and for one site, so a site that is not paired yet gets a new one at every start. */
async function pairingConstants(service: Service): Promise<Record<string, string>> {
  const { code } = JSON.parse(await service.admin(['site', 'code', '--workspace', WORKSPACE, '--json'])) as { code: string }
  return { SVC_CONNECTOR_URL: service.url, SVC_CONNECTOR_CODE: code }
}

/** A site pairs itself when one of its pages is visited, so every round visits those that have not. */
async function untilConnected(url: string, token: string, sites: Site[]): Promise<ListedSite[]> {
  for (const deadline = performance.now() + 90_000; ; await sleep(500)) {
    const listed = await listSites(url, token)
    const found = sites.map((site) => listed.find((one) => one.url.replace(/\/$/, '') === site.url))
    if (found.every((one) => one?.status === 'connected')) return found.filter((one) => one !== undefined)
    for (const [index, one] of found.entries()) {
      if (one === undefined) await fetch(sites[index]?.url ?? url)
      else if (one.status !== 'connected') await pingSite(url, token, one.id)
    }
    const statuses = found.map((one, index) => `${sites[index]?.url}: ${one?.status ?? 'not known to the service'}`)
    if (performance.now() > deadline) throw new Error(`The sites did not connect within 90 s. ${statuses.join(', ')}.`)
  }
}

async function step<T>(label: string, work: () => Promise<T>): Promise<T> {
  const progress = startProgress(label)
  try {
    const result = await work()
    progress.done('done')
    return result
  } catch (error) {
    progress.done('failed')
    throw error
  }
}

/** Remembers what must be stopped; something that became ready after Ctrl-C is stopped at once. */
async function keep<T extends { stop: () => Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting
  running.push(started)
  if (!stopping) return started
  await started.stop()
  throw new Error('Stopped.')
}

function complain(error: unknown): void {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  if (running.length > 0) process.stderr.write(`${START_OVER}\n`)
  process.exitCode = 1
}

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  if (running.length > 0) process.stderr.write('\nStopping …\n')
  // In the order of their start: the service first, while the sites can still answer it.
  for (const each of running) await each.stop()
  process.exit()
}
