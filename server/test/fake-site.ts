// A WordPress site with the connector, in memory: it speaks the real wire protocol over HTTP, and misbehaves on demand.

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerProofHolds, codeHint, codeKey, createEnrolNonce, enrolProof } from '../src/connector/enrol.ts'
import type { SiteConnection } from '../src/connector/exchange.ts'
import { createKeyPair, importPublicKey } from '../src/connector/keys.ts'
import { NOTICE_TAG, REQUEST_CAP } from '../src/connector/shapes.ts'
import { createNonce, signRequest } from '../src/connector/sign.ts'
import { createConnector, type FakeConnector, forget, gate, type Wire } from './fake-gate.ts'
import { isArmed, lapse, maySee } from './fake-restore.ts'
import { type FakePage, type FakeState, sampleState } from './fake-state.ts'
import { breaksAt, pageInstead, sendBadly, spoil, strip, type Trouble } from './fake-trouble.ts'
import { attackedPage } from './fake-tweaks.ts'
import { defectOf, echoOf, isGuarded, lapseUpdate, tried } from './fake-update.ts'
import { redeemTicket } from './fake-verbs.ts'
import { widePage } from './fake-wide.ts'

export type FakeRequest = { method: string; url: string; verb: string; bytes: number }
export type Claimed = { url?: string; home?: string }
export type FakeSite = {
  url: string
  state: FakeState
  connector: FakeConnector
  /** Every request that arrived, the last at the end. */
  requests: FakeRequest[]
  /** From now on, or for `times` requests only. Without a name it behaves again. */
  misbehave: (trouble?: Trouble, options?: { times?: number; slowMs?: number; until?: Promise<void> }) => void
  /** Pairs with a running service as the plugin does (PROTOCOL.md §3), and sends the notice `enrolled`. It may lie about where it is. */
  enrol: (serviceUrl: string, code: string, claimed?: Claimed) => Promise<{ siteId: string }>
  /** What the plugin does when an administrator ends the connection. */
  leave: (serviceUrl: string) => Promise<void>
  /** Sends a signed notice. Resolves to the HTTP status. */
  notify: (serviceUrl: string, method: 'enrolled' | 'disconnected') => Promise<number>
  /** Pairs without a service; the result is the service's side of the pairing. */
  pair: (siteId?: string) => SiteConnection
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}
export type RunningFakeSite = FakeSite & { stop: () => Promise<void> }

type Behaviour = { trouble: Trouble | undefined; times: number; slowMs: number; until?: Promise<void> | undefined; first: Wire | undefined }

/** A fake site that listens. `now` is the time of its world; the site adds `state.skewSeconds`. */
export async function startFakeSite({
  port = 0,
  host = '127.0.0.1',
  now = () => new Date(),
  state = sampleState(),
} = {}): Promise<RunningFakeSite> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const site = createFakeSite(`http://${host}:${(server.address() as AddressInfo).port}`, state, now)
  server.on('request', site.handle)
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { ...site, stop }
}

/** The site without a listener, for many on one server. */
export function createFakeSite(url: string, state: FakeState, now: () => Date): FakeSite {
  const connector = createConnector(url, state, now)
  const requests: FakeRequest[] = []
  const behaviour: Behaviour = { trouble: undefined, times: Number.POSITIVE_INFINITY, slowMs: 3_000, first: undefined }
  return {
    url,
    state,
    connector,
    requests,
    misbehave: (trouble, { times = Number.POSITIVE_INFINITY, slowMs = 3_000, until } = {}) => {
      Object.assign(behaviour, { trouble, times, slowMs, until, first: undefined })
      state.clone = trouble === 'clone'
      state.skewSeconds = trouble === 'clock' ? 86_000 : state.skewSeconds
    },
    enrol: (serviceUrl, code, claimed) => enrol(connector, serviceUrl, code, claimed),
    leave: (serviceUrl) => leave(connector, serviceUrl),
    notify: (serviceUrl, method) => notify(connector, serviceUrl, method),
    pair: (siteId) => pair(connector, siteId),
    handle: (request, response) => handle({ connector, behaviour, requests }, request, response),
  }
}

/** A site at work: what it is, how it misbehaves, what it was asked. */
interface Running {
  connector: FakeConnector
  behaviour: Behaviour
  requests: FakeRequest[]
}

async function handle({ connector, behaviour, requests }: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request
  const seen = { method, url, verb: '', bytes: 0 }
  requests.push(seen)
  const body = await readBody(request)
  if (!body) return void response.writeHead(413).end()
  seen.bytes = body.length
  const trouble = behaviour.times-- > 0 ? behaviour.trouble : undefined
  if (breaksAt(trouble, body)) return void response.destroy()
  const { dead, deaf, standing } = connector.state
  const isStanding = standing !== '' && url.endsWith(standing)
  const page = pageInstead(dead() && !isStanding ? 'server_error' : trouble, { url, headers: flatHeaders(request), body })
  if (page) return void response.writeHead(page.status, page.headers).end(page.body)
  lapse(connector.state, connector.now())
  lapseUpdate(connector.state, connector.now())
  const { header, trial } = echoOf(connector.state, url)
  const shown = trial ? { ...connector, state: tried(connector.state) } : connector
  if (trial && defectOf(shown.state) === 'silent') return void response.destroy()
  // What nginx says for a process of PHP that died.
  if (defectOf(shown.state) === 'cut_off' && /^\/(\?(?!svc-connector=)|$)/.test(url))
    return void response.writeHead(502).end('<h1>502 Bad Gateway</h1>')
  const incoming = { headers: strip(trouble, flatHeaders(request)), body }
  const gated =
    method === 'POST' &&
    (isStanding ||
      (isDoor(url) && !deaf()) ||
      ((isArmed(connector.state) || isGuarded(connector.state)) && url.includes('svc-connector=rescue'))) &&
    trouble !== 'down'
      ? await gate(shown, incoming)
      : undefined
  seen.verb = gated?.method ?? ''
  if (gated?.wire.status === 0) return void response.destroy()
  const wire = gated ? replay(behaviour, trouble, spoil(trouble, gated, connector)) : wordpress(shown, { method, url, body }, header)
  if (await sendBadly(trouble, response, wire, () => behaviour.until ?? sleep(behaviour.slowMs))) return
  response.writeHead(wire.status, strip(trouble, wire.headers)).end(wire.body)
}

/** The first answer after `misbehave('replayed')` is given again and again. */
function replay(behaviour: Behaviour, trouble: Trouble | undefined, wire: Wire): Wire {
  if (trouble !== 'replayed') return wire
  behaviour.first ??= wire
  return behaviour.first
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > 2 * REQUEST_CAP) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function flatHeaders({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]))
}

function isDoor(url: string): boolean {
  return /[?&]svc-connector=1|\/wp-json\/svc-connector\/v1\/rpc|rest_route=\/svc-connector\/v1\/rpc|admin-ajax\.php\?action=svc_connector/.test(
    url,
  )
}

interface Visit {
  method: string
  url: string
  body: Buffer
}

/** A page, perhaps out of the cache before the site. */
function wordpress(connector: FakeConnector, visit: Visit, echo: Record<string, string>): Wire {
  const { method, url } = visit
  const { pageCache } = connector.state
  const { pathname } = new URL(url, connector.url)
  const kept = method === 'GET' ? pageCache?.get(pathname) : undefined
  if (kept) return { ...kept, headers: { 'content-type': 'text/html; charset=UTF-8', age: '9' } }
  const page = visited(connector, visit, 'svc-connector-probe' in echo)
  if (method === 'GET' && page.status === 200) pageCache?.set(pathname, page)
  return { ...page, headers: { ...page.headers, ...echo } }
}

/** What the site shows to everybody: pages, and the one-click login (PROTOCOL.md §5). */
function visited(connector: FakeConnector, { method, url, body }: Visit, ours: boolean): Wire {
  const headers = { 'content-type': 'text/html; charset=UTF-8' }
  const page = (status: number, text: string, more = {}): Wire => ({
    status,
    headers: { ...headers, ...more },
    body: Buffer.from(`<!doctype html><html><title>${text}</title><body>${text}</body></html>`),
  })
  if (!maySee(connector.state, url)) return page(503, 'Briefly unavailable for scheduled maintenance. Check back in a minute.')
  const other = connector.state.page?.(method, url, body.toString(), ours)
  const shown = (it: FakePage): Wire => ({ status: it.status, headers: { ...headers, ...it.headers }, body: Buffer.from(it.body ?? '') })
  if (other) return shown(other)
  const { tweaks } = connector.state
  if (connector.state.broken() || [...tweaks.harmful].some((id) => tweaks.on.has(id)))
    return page(500, 'There has been a critical error on this website.')
  const attacked = attackedPage(connector.state, method, url, body.toString())
  if (attacked) return { status: attacked.status, headers: { ...headers, ...attacked.headers }, body: Buffer.from(attacked.text) }
  const defect = defectOf(connector.state)
  const isFront = new URL(url, connector.url).pathname === '/'
  if (isFront && defect === 'blank') return { status: 200, headers, body: Buffer.alloc(0) }
  if (isFront && defect === 'half')
    return { status: 200, headers, body: Buffer.from(`<!doctype html><html><title>${connector.state.name}</title><body>and then`) }
  if (connector.state.broken() || defect === 'dead' || (isFront && defect === 'front_500'))
    return page(500, 'There has been a critical error on this website.')
  if (!url.startsWith('/?svc-connector-login=')) {
    const wide = widePage(connector.state.name, defect, method, url)
    return wide ? shown(wide) : page(200, connector.state.name)
  }
  const guarded = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }
  if (method === 'GET') return page(200, '<form method="post"><button>Log in</button></form>', guarded)
  const ticket = new URLSearchParams(body.toString()).get('svc_connector_ticket') ?? ''
  const user = redeemTicket(connector.state, ticket, connector.now())
  if (user === undefined) return page(403, 'This link was used or is too old.', guarded)
  return page(302, 'Welcome', { ...guarded, location: `${connector.url}/wp-admin/`, 'set-cookie': `wordpress_logged_in_fake=${user}` })
}

function pair(connector: FakeConnector, siteId = 'site_01fake00000000000000000000'): SiteConnection {
  const service = createKeyPair()
  connector.pairing = { siteId, current: { keyid: 'k1', key: importPublicKey(service.public) } }
  const siteKeys = [{ keyid: 's1', key: importPublicKey(connector.keys.public) }]
  return { siteId, url: connector.url, home: connector.url, servicePrivateKey: service.privateKey, keyid: 'k1', siteKeys, skewSeconds: 0 }
}

type EnrolAnswer = { site_id: string; keyid: string; service_public: string; nonce: string; proof2: string; detail?: string; code?: string }

async function enrol(connector: FakeConnector, serviceUrl: string, code: string, claimed: Claimed = {}): Promise<{ siteId: string }> {
  const { state, keys } = connector
  const { url = connector.url, home = state.home ?? url } = claimed
  const key = codeKey(code)
  const nonce = createEnrolNonce()
  const sitePublic = keys.public
  const versions = { connector_version: state.connectorVersion, wp_version: state.wpVersion, php_version: state.phpVersion }
  const proof = enrolProof(key, { sitePublic, url, nonce })
  const asked = { protocol: 1, hint: codeHint(key), site_public: sitePublic, url, home, nonce, proof, ...versions, name: state.name }
  const response = await post(
    connector,
    `${serviceUrl}/connector/v1/enrol`,
    { 'content-type': 'application/json' },
    Buffer.from(JSON.stringify(asked)),
  )
  const answer = (await response.json()) as EnrolAnswer
  if (response.status !== 200) throw new Error(`enrolment refused: ${response.status} ${answer.code ?? ''} ${answer.detail ?? ''}`.trim())
  const { site_id: siteId, service_public: servicePublic } = answer
  if (!answerProofHolds(key, { siteId, servicePublic, sitePublic, requestNonce: nonce, answerNonce: answer.nonce }, answer.proof2)) {
    throw new Error('enrolment refused by the site: the service does not know the code')
  }
  forget(connector)
  connector.pairing = { siteId, current: { keyid: answer.keyid, key: importPublicKey(servicePublic) } }
  await notify(connector, serviceUrl, 'enrolled')
  return { siteId }
}

async function leave(connector: FakeConnector, serviceUrl: string): Promise<void> {
  const { pairing } = connector
  forget(connector)
  await notify({ ...connector, pairing }, serviceUrl, 'disconnected')
}

async function notify(connector: FakeConnector, serviceUrl: string, method: string): Promise<number> {
  if (!connector.pairing) throw new Error('the site is not paired')
  const body = Buffer.from(JSON.stringify({ method, params: {} }))
  const { siteId } = connector.pairing
  const request = {
    body,
    siteId,
    requestId: `req_${createNonce().replace(/[^A-Za-z0-9]/g, '')}`,
    tag: NOTICE_TAG,
    created: connector.now(),
  } as const
  const headers = signRequest({ keyid: 's1', privateKey: connector.keys.privateKey }, request)
  const response = await post(connector, `${serviceUrl}/connector/v1/notice`, headers, body)
  await response.arrayBuffer()
  return response.status
}

/** From the site's own address, because the service counts what comes from one. */
async function post({ url: from }: FakeConnector, url: string, headers: Record<string, string>, body: Buffer): Promise<Response> {
  const { hostname } = new URL(from)
  const asked = request(url, { method: 'POST', headers, ...(isIPv4(hostname) && { localAddress: hostname }) }).end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return new Response((await text(answer)) || null, { status: answer.statusCode ?? 0 })
}
