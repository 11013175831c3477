import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import { isFromCache, probe } from './probe.ts'

/** As servers and networks in front of a site write it. */
const kept = [
  'age: 1',
  'age: 86400',
  'cf-cache-status: HIT',
  'cf-cache-status: STALE',
  'cf-cache-status: UPDATING',
  'cf-cache-status: REVALIDATED',
  'x-cache: HIT',
  'x-cache: HIT from proxy.example',
  'x-cache: MISS, HIT',
  'x-cache: Hit from cloudfront',
  'x-cache: RefreshHit from cloudfront',
  'x-cache: TCP_HIT',
  'x-cache: TCP_MEM_HIT from a1.example (AkamaiGHost)',
  'x-cache: TCP_REFRESH_FAIL_HIT',
  'x-cache: HIT: 3',
  'x-cache-hits: 0, 2',
  'x-cache-lookup: HIT from proxy.example:3128',
  'x-varnish: 32770 3',
  'x-varnish-cache: HIT',
  'x-proxy-cache: HIT',
  'x-litespeed-cache: hit',
  'x-litespeed-cache: hit,private',
  'x-qc-cache: hit',
  'x-cache-status: STALE',
  'x-fastcgi-cache: UPDATING',
  'x-kinsta-cache: HIT',
  'x-sucuri-cache: HIT',
  'x-vercel-cache: STALE',
  'x-hcdn-cache-status: HIT',
  'cdn-cache: HIT',
  'cache-status: "edge"; hit; ttl=30',
  'x-wp-super-cache: Served supercache file from PHP',
  'wp-super-cache: Served legacy cache file',
  'x-ac: 3.fra _dca HIT',
  'x-nananana: Batcache-Hit',
  'x-rocket-nginx-serving-static: HIT',
  'server-timing: cdn-cache; desc=HIT, edge; dur=1',
]
const fresh = [
  'age: 0',
  'cf-cache-status: DYNAMIC',
  'cf-cache-status: MISS',
  'cf-cache-status: EXPIRED',
  'x-cache: MISS from proxy.example',
  'x-cache: TCP_MISS',
  'x-cache: Miss from cloudfront',
  'x-cache-hits: 0',
  'x-cache-status: BYPASS',
  'x-varnish: 32770',
  'x-litespeed-cache: miss',
  'x-proxy-cache: WHITELIST',
  'cache-control: max-age=60, stale-while-revalidate=30',
  'cdn-cache-control: stale-if-error=60',
  'cache-status: "edge"; fwd=uri-miss; stored',
  'x-served-by: cache-fra-hit1',
  'server-timing: wp-cache; desc="hit"',
]

test('an answer that a cache gave is known by what any of them says, and one that WordPress gave is not taken for it', () => {
  const told = (line: string) => {
    const [name = '', value] = line.split(/: (.*)/)
    return isFromCache({ [name]: value ?? '' })
  }
  for (const line of kept) assert.equal(told(line), true, line)
  for (const line of fresh) assert.equal(told(line), false, line)
})

const expected = { home: 'https://example.com', path: '/', statuses: null, text_wanted: null, text_refused: null }
const answer = (status: number, address: string, headers = {}): GuardedResponse => ({
  ...{ status, headers, body: Buffer.alloc(0), address, addresses: [address], latencyMs: 1, bodyMs: 0 },
})

test('a site is where its own host is, wherever that redirects and whatever becomes of it there', async () => {
  const failure = Object.assign(new FetchError('connect', 'The server did not accept a connection.'), { addresses: ['203.0.113.9'] })
  const look = (...answers: (GuardedResponse | FetchError)[]) => {
    const fetch: GuardedFetch = async () => {
      const next = answers.shift()
      if (next instanceof Error) throw next
      return next ?? assert.fail('nobody asks for more')
    }
    return probe(fetch, expected, new AbortController().signal)
  }
  const away = answer(301, '203.0.113.1', { location: 'https://www.example.com/' })
  assert.deepEqual((await look(away, answer(200, '203.0.113.2'))).addresses, ['203.0.113.1'])
  const failed = await look(away, failure)
  assert.deepEqual([failed.addresses, failed.error?.kind], [['203.0.113.1'], 'connect'])
  assert.deepEqual((await look(failure)).addresses, ['203.0.113.9'])
})

test('a way that leads past TLS and back is followed as a stranger; a site without TLS is asked as ever', async () => {
  const asked = async (home: string, ...ways: string[]) => {
    const all: string[] = []
    const fetch: GuardedFetch = async ({ url, plain = false }) => {
      all.push(`${url} ${plain ? 'as a stranger' : 'as ever'}`)
      const location = ways.shift()
      return location === undefined ? answer(200, '203.0.113.1') : answer(301, '203.0.113.1', { location })
    }
    const { error, status } = await probe(fetch, { ...expected, home }, new AbortController().signal)
    assert.deepEqual([error, status], [null, 200])
    return all
  }
  assert.deepEqual(await asked('https://example.com', 'http://example.com/en/', 'https://example.com/en/'), [
    'https://example.com/ as ever',
    'http://example.com/en/ as a stranger',
    'https://example.com/en/ as ever',
  ])
  assert.deepEqual(await asked('http://example.com', '/en/'), ['http://example.com/ as ever', 'http://example.com/en/ as ever'])
})

test('what a page says is read where it is packed although nobody asked for that, and no further than any other', async () => {
  const error = async (encoding: string, body: Buffer, more = {}) => {
    const fetch: GuardedFetch = async () => ({ ...answer(200, '203.0.113.1', { 'content-encoding': encoding }), body })
    return (await probe(fetch, { ...expected, text_wanted: 'Flowers', ...more }, new AbortController().signal)).error?.message ?? null
  }
  const missing = 'The page does not have the text that is expected on it.'
  const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
  for (const [encoding, pack] of Object.entries(packers)) {
    assert.equal(await error(encoding, pack('<h1>Flowers</h1>')), null, encoding)
    assert.equal(await error(encoding, pack('<h1>Trees</h1>')), missing, encoding)
    assert.match((await error(encoding, pack('Error establishing a database connection'))) ?? '', /no connection to its database/, encoding)
    // What was read of it is the beginning alone.
    assert.equal(await error(encoding, pack(`Flowers${aNoise(300_000)}`).subarray(0, 128 * 1024)), null, `${encoding}, cut`)
    assert.equal(
      await error(encoding, pack(Buffer.concat([Buffer.alloc(10_000_000), Buffer.from('Flowers')]))),
      missing,
      `a bomb of ${encoding}`,
    )
  }
  assert.equal(await error('gzip', Buffer.from('Flowers, and not packed')), null)
  assert.equal(await error('unheard-of', Buffer.from('Flowers')), null)
})

/** What does not pack well, always the same. */
function aNoise(length: number): string {
  let seed = 1
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (seed % 90))
  }
  return Array.from({ length }, next).join('')
}
