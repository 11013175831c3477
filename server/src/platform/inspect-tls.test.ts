import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { selfSigned } from '../../test/self-signed.ts'
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const pair = selfSigned('garden.example')

async function aServer(t: TestContext, options: object = {}): Promise<number> {
  const server = createServer({ ...pair, ...options }, (_, response) => response.end('x')).on('tlsClientError', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('looking at TLS', () => {
  const look = async (t: TestContext, url: string, now = new Date('2026-11-20'), over: GuardedFetchOptions = {}) => {
    const guarded = createGuardedFetch({ allowPrivate: true, ...over })
    t.after(() => guarded.close())
    return guarded.inspect(url, now)
  }

  test('a good certificate is trusted, with the day it ends', async (t) => {
    const port = await aServer(t)
    const facts = await look(t, `https://127.0.0.1:${port}/`, undefined, { ca: pair.cert })
    assert.deepEqual(facts, {
      trusted: true,
      why: null,
      expiresAt: new Date('2049-12-31T23:59:59Z'),
      protocol: 'TLSv1.3',
      oldProtocol: false,
    })
  })

  test('one from nobody, one for another name and one that is over are told apart', async (t) => {
    const port = await aServer(t)
    assert.match((await look(t, `https://127.0.0.1:${port}/`)).why ?? '', /SELF_SIGNED/)
    const named = { ca: pair.cert, resolve: async () => ['127.0.0.1'] }
    assert.equal((await look(t, `https://garden.example:${port}/`, undefined, named)).trusted, true)
    const { trusted, why } = await look(t, `https://other.example:${port}/`, undefined, named)
    assert.deepEqual([trusted, why], [false, 'ERR_TLS_CERT_ALTNAME_INVALID'])
    const late = await look(t, `https://127.0.0.1:${port}/`, new Date('2050-01-01'), { ca: pair.cert })
    assert.deepEqual([late.trusted, late.why], [false, 'CERT_HAS_EXPIRED'])
  })

  test('a server that lets outdated clients in is told from one that does not', async (t) => {
    const old = selfSigned('garden.example', { rsa: true })
    for (const [minVersion, expected] of [
      ['TLSv1', true],
      ['TLSv1.2', false],
    ] as const) {
      const port = await aServer(t, { ...old, minVersion, ciphers: 'DEFAULT@SECLEVEL=0' })
      assert.equal((await look(t, `https://127.0.0.1:${port}/`)).oldProtocol, expected, minVersion)
    }
  })

  test('a server without TLS, and an address inside, are errors', async (t) => {
    const plain = createHttpServer((_, response) => response.end('x'))
    await new Promise<void>((ready) => plain.listen(0, '127.0.0.1', ready))
    t.after(() => plain.close())
    const { port } = plain.address() as AddressInfo
    await assert.rejects(look(t, `https://127.0.0.1:${port}/`), { reason: 'tls' })
    await assert.rejects(look(t, 'http://127.0.0.1/'), { reason: 'tls' })
    await assert.rejects(look(t, 'https://127.0.0.1:443/', undefined, { allowPrivate: false }), { reason: 'blocked_address' })
    await assert.rejects(look(t, 'https://garden.example/', undefined, { allowPrivate: false, resolve: async () => ['169.254.169.254'] }), {
      reason: 'blocked_address',
    })
  })
})

describe('reading a part, and plain http', () => {
  test('with cut no more than maxBytes are read of an answer of any length', async (t) => {
    const server = createHttpServer((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
      }
      response.on('drain', more).on('error', () => undefined)
      more()
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const guarded = createGuardedFetch({ allowPrivate: true })
    t.after(() => guarded.close())
    const request = {
      method: 'GET',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      maxBytes: 1000,
      timeoutMs: 30_000,
    } as const
    const { status, body } = await guarded.fetch({ ...request, cut: true })
    assert.deepEqual([status, body.length], [200, 1000])
    await assert.rejects(guarded.fetch(request), { reason: 'too_large' })
  })

  test('plain http goes to public addresses only, and only when it was asked for', async (t) => {
    const dialled: string[] = []
    const dial = (address: string) => {
      dialled.push(address)
      throw new Error('not in a test')
    }
    const guarded = createGuardedFetch({ dial, resolve: async (name) => [name === 'inside.example' ? '10.0.0.1' : '93.184.216.34'] })
    t.after(() => guarded.close())
    const request = { method: 'GET', maxBytes: 1000, timeoutMs: 30_000, plain: true } as const
    await assert.rejects(guarded.fetch({ ...request, url: 'http://inside.example/' }), { reason: 'blocked_address' })
    await assert.rejects(guarded.fetch({ ...request, url: 'http://public.example:22/' }), { reason: 'blocked_address' })
    await assert.rejects(guarded.fetch({ ...request, plain: false, url: 'http://public.example/' }), { reason: 'blocked_address' })
    assert.deepEqual(dialled, [])
    await assert.rejects(guarded.fetch({ ...request, url: 'http://public.example/' }), { reason: 'connect' })
    assert.deepEqual(dialled, ['93.184.216.34'])
  })
})
