import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { grown } from '../../test/grown.ts'
import { atFrontPage, type Behaviour, behaviours, says } from '../../test/hostile-behaviours.ts'
import { readConfig } from '../config.ts'
import { createGuardedFetch, type GuardedFetch } from '../platform/guarded-fetch.ts'
import { egressProbe } from './egress.ts'
import { probe } from './probe.ts'
import { errorKinds } from './schema.ts'

const { signal } = new AbortController()

describe('a hostile site', () => {
  let behaviour: Behaviour
  let home: string
  const guarded = createGuardedFetch({ allowPrivate: true })
  /** Only what never ends is waited for briefly; an answer takes as long as a busy machine takes. */
  let timeoutMs = 250
  const impatient: GuardedFetch = (request) => guarded.fetch({ ...request, timeoutMs })
  const server = createServer((request, response) => behaviour(request, response)).on('clientError', (_, socket) => socket.destroy())
  const look = () => probe(impatient, { home, path: '/', statuses: null, text_wanted: null, text_refused: null }, signal)
  before(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await guarded.close()
    server.closeAllConnections()
    server.close()
  })

  for (const [what, how] of Object.entries(behaviours))
    test(`${what} ends the check with an answer or a named error`, async () => {
      behaviour = how
      const { error, status } = await look()
      if (error === null) return assert.ok(status >= 200 && status < 500, `${status}`)
      assert.ok(errorKinds.includes(error.kind))
      assert.match(error.message, /^[\p{L}\p{N} ’.,:()-]{10,120}$/u, 'in words of ours')
    })

  for (const [what, how] of Object.entries(atFrontPage))
    test(`${what} is an answer to the probe of our network, or none`, async () => {
      behaviour = how
      const config = readConfig({ SERVICE_EGRESS_PROBE: home })
      const isThere = await egressProbe({ config, watch: impatient, stopping: signal, now: () => new Date() })()
      assert.equal(typeof isThere, 'boolean')
      if (['no answer at all', 'a connection that is closed at once'].includes(what)) assert.ok(!isThere)
    })

  test('which error it is', async () => {
    const kinds: Record<string, string> = {
      'a page that drips': 'timeout',
      'no answer at all': 'timeout',
      'a connection that is closed at once': 'connect',
      'something that is not HTTP': 'protocol',
      'headers of 64 KiB': 'protocol',
      'no service': 'http',
    }
    for (const [what, kind] of Object.entries(kinds)) {
      behaviour = behaviours[what] ?? assert.fail(what)
      timeoutMs = kind === 'timeout' ? 250 : 30_000
      assert.equal((await look()).error?.kind, kind, what)
    }
    behaviour = says('', { location: '/' }, 301)
    assert.deepEqual([(await look()).error, (await look()).status], [null, 301], 'a circle is an answer, and is left')
    timeoutMs = 250
  })

  test('looking again and again at what never ends takes less than 64 MiB', async () => {
    const round = async () => {
      for (const what of ['a page without end', 'a gzip bomb nobody asked for', 'ten thousand headers', 'endless continues']) {
        behaviour = behaviours[what] ?? assert.fail(what)
        await look()
      }
    }
    const more = await grown(60, round)
    assert.ok(more < 64, `${more} MiB`)
  })
})
