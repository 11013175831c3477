// Whatever looks at addresses that others choose goes through the guarded client: none of it is led to a special address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { get, look } from '../src/links/ask.ts'
import { Hosts, usualManners } from '../src/links/hosts.ts'
import { send } from '../src/notifications/send.ts'
import { probePage } from '../src/performance/probe.ts'
import { FetchError } from '../src/platform/fetch-error.ts'
import type { GuardedFetch, OpenTunnel } from '../src/platform/guarded-fetch.ts'
import { NotSent } from '../src/platform/mail.ts'
import { openWayOut } from '../src/platform/way-out.ts'
import { egressProbe, witnessCall } from '../src/uptime/egress.ts'
import { Network } from '../src/uptime/network.ts'
import { probe } from '../src/uptime/probe.ts'
import type { World } from '../src/world.ts'
import { canary, disguises, SPECIAL } from './special-addresses.ts'

const { signal } = new AbortController()
const expected = { path: '/', statuses: null, text_wanted: null, text_refused: null }
const ground = (watch: GuardedFetch) => ({ watch, config: {}, stopping: signal, now: () => new Date() })
/** Each looks at an address that somebody else has chosen. */
const faces: Record<string, (fetch: GuardedFetch, url: string, tunnel: OpenTunnel) => Promise<unknown>> = {
  'a page in a lab run': async (_, url, tunnel) => {
    const way = await openWayOut(tunnel)
    const headers = { 'proxy-authorization': `Basic ${Buffer.from(`${way.user}:${way.password}`).toString('base64')}` }
    const proxy = { host: '127.0.0.1', port: new URL(way.address).port, headers, agent: false }
    const { host } = new URL(url)
    try {
      const [led] = await once(request({ ...proxy, method: 'CONNECT', path: host.includes(':') ? host : `${host}:443` }).end(), 'connect')
      const [plain] = await once(request({ ...proxy, path: url.replace('https:', 'http:') }).end(), 'response')
      assert.deepEqual([led.statusCode, plain.statusCode, way.refusal(host)?.reason], [502, 502, 'blocked_address'], url)
      plain.resume()
    } finally {
      way.close()
    }
  },
  links: async (fetch, url) => {
    const asker = {
      fetch,
      hosts: new Hosts({ ...usualManners, others: { atOnce: 1, pauseMs: 0 } }, 'own.example', signal),
      timeoutMs: 1000,
      signal,
      mayAsk: () => true,
    }
    for (const ask of [look, get]) assert.deepEqual((await ask(asker, url)).verdict, { is: 'blocked', status: null })
  },
  notifications: async (fetch, url) => {
    const world = { watch: fetch, now: () => new Date(0), stopping: signal } as unknown as World
    const message = { id: 'delivery_a', workspaceId: 'ws_a', workspace: 'A', notices: [] }
    for (const type of ['slack', 'webhook'] as const)
      await assert.rejects(send(world, type, { url, secret: 'whsec_YQ==' }, message), (error) => error instanceof NotSent && error.forGood)
  },
  'the egress probe': async (fetch, url) => {
    assert.equal(await egressProbe({ ...ground(fetch), config: { egressProbe: url } } as unknown as World)(), false)
  },
  'what is asked whether our network is there': async (fetch, url) => {
    const network = new Network()
    network.note(new Date(1), 'a server', false, { url, party: '' })
    await witnessCall(ground(fetch) as unknown as World, network)(new Date(2))
    assert.deepEqual(network.witnesses(new Date(2), 9), [], 'it was asked')
  },
  performance: (fetch, url) =>
    assert.rejects(probePage({ fetch, signal }, url), (error) => error instanceof FetchError && error.reason === 'blocked_address'),
  uptime: async (fetch, url) => {
    const { error } = await probe(fetch, { ...expected, home: url }, signal)
    assert.equal(error?.kind, 'dns')
    assert.match(error.message, /may not connect|not a proper URL|must/)
  },
}

for (const [face, lookAtAll] of Object.entries(faces))
  test(`${face} is led to none of ${SPECIAL.length} special addresses, in no disguise`, async (t) => {
    for (const address of SPECIAL)
      for (const [url, answer] of disguises(address)) {
        const { reached, fetch, tunnel } = await canary(t, async () => answer)
        await lookAtAll(fetch, url, tunnel)
        assert.deepEqual([reached.connections, reached.dialled], [0, []], url)
      }
  })
