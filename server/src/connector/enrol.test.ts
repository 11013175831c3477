import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startFakeSite } from '../../test/fake-site.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { probe } from './ask.ts'
import { answerProof, codeHint, codeKey, createCode, createEnrolNonce, enrolProofHolds, normaliseCode } from './enrol.ts'
import { createKeyPair, importPublicKey, importSeed, rawPublicKey } from './keys.ts'
import { NOTICE_TAG, REQUEST_CAP } from './shapes.ts'
import { parseCall, verifyRequest } from './verify.ts'

const siteId = 'site_01enrolled'

/** The service's end of an enrolment, with nothing around it. */
async function startService(
  t: TestContext,
  code: string,
  forge: (answer: Record<string, string>) => Record<string, string> = (same) => same,
) {
  const key = codeKey(code)
  const service = createKeyPair()
  const seen = { sitePublic: '', url: '', notices: [] as string[] }
  const enrol = (asked: Record<string, string>) => {
    const { site_public: sitePublic = '', url = '', nonce = '', proof = '', hint } = asked
    if (hint !== codeHint(key) || !enrolProofHolds(key, { sitePublic, url, nonce }, proof)) return undefined
    Object.assign(seen, { sitePublic, url })
    const answerNonce = createEnrolNonce()
    const proof2 = answerProof(key, { siteId, servicePublic: service.public, sitePublic, requestNonce: nonce, answerNonce })
    return forge({ site_id: siteId, keyid: 'k1', service_public: service.public, nonce: answerNonce, proof2 })
  }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (request.url === '/connector/v1/enrol') {
      const answer = enrol(JSON.parse(body.toString()))
      return void response
        .writeHead(answer ? 200 : 403)
        .end(JSON.stringify(answer ?? { code: 'enrolment_refused', detail: 'Unknown code.' }))
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const keys = [{ keyid: 's1', key: importPublicKey(seen.sitePublic) }]
    const verified = verifyRequest({ headers, body, siteId, keys, now: Date.now() / 1000, tags: [NOTICE_TAG], maxBytes: REQUEST_CAP })
    seen.notices.push(verified.ok ? (parseCall(body, verified.tag)?.method ?? '') : verified.reason)
    response.writeHead(verified.ok ? 202 : 401).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, service, seen }
}

test('a site with the right code pairs, sends its notice, and answers a signed hello', async (t) => {
  const code = createCode()
  const { url, service, seen } = await startService(t, code)
  const site = await startFakeSite()
  t.after(site.stop)
  assert.deepEqual(await site.enrol(url, ` ${code.toLowerCase().replaceAll('-', ' ')} `), { siteId })
  assert.deepEqual(seen.notices, ['enrolled'])
  assert.equal(seen.url, site.url)
  const guarded = createGuardedFetch({ allowPrivate: true })
  t.after(guarded.close)
  const siteKeys = [{ keyid: 's1', key: importPublicKey(seen.sitePublic) }]
  const connection = { siteId, url: site.url, home: site.url, servicePrivateKey: service.privateKey, keyid: 'k1', siteKeys, skewSeconds: 0 }
  const { hello } = await probe({ fetch: guarded.fetch, now: () => new Date() }, connection)
  assert.equal(hello.site_url, site.url)
})

test('a wrong code is refused by the service', async (t) => {
  const { url } = await startService(t, createCode())
  const site = await startFakeSite()
  t.after(site.stop)
  await assert.rejects(site.enrol(url, createCode()), /403 enrolment_refused/)
  assert.equal(site.connector.pairing, undefined)
})

test('a key, site id or nonce swapped on the way is refused by the site', async (t) => {
  const code = createCode()
  for (const [field, value] of [
    ['service_public', createKeyPair().public],
    ['site_id', 'site_other'],
    ['nonce', createEnrolNonce()],
    ['proof2', Buffer.alloc(32).toString('base64')],
    ['proof2', ''],
  ] as const) {
    const { url } = await startService(t, code, (answer) => ({ ...answer, [field]: value }))
    const site = await startFakeSite()
    t.after(site.stop)
    await assert.rejects(site.enrol(url, code), /the service does not know the code/)
    assert.equal(site.connector.pairing, undefined)
  }
})

test('codes have 20 Crockford characters in four groups, and do not repeat', () => {
  const codes = Array.from({ length: 2_000 }, createCode)
  assert.ok(codes.every((code) => /^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/.test(code)))
  assert.equal(new Set(codes).size, codes.length)
  assert.equal(new Set(codes.join('').replaceAll('-', '')).size, 32)
})

test('what people type is read generously, and what cannot be a code is not', () => {
  const code = 'ABCDE-FGHJK-MN101-STVWX'
  for (const typed of [code, code.toLowerCase(), 'abcdefghjkmn1o1stvwx', ' abcde fghjk\nmnI0L stvwx\t', 'ABCDEFGHJKMNl0iSTVWX']) {
    assert.equal(normaliseCode(typed), 'ABCDEFGHJKMN101STVWX')
  }
  for (const typed of ['', code.slice(1), `${code}A`, 'ABCDE-FGHJK-MNPQR-STVWU', 'ABCDE_FGHJK_MNPQR_STVWX'])
    assert.equal(normaliseCode(typed), undefined)
  assert.throws(() => codeKey('short'), TypeError)
})

test('keys survive the way out and in; anything but 32 bytes in canonical base64 is refused', () => {
  const pair = createKeyPair()
  assert.equal(rawPublicKey(importSeed(pair.seed)), pair.public)
  assert.equal(rawPublicKey(importPublicKey(pair.public)), pair.public)
  for (const bad of ['', 'AAAA', pair.public.slice(0, -1), `${pair.public}\n`, Buffer.alloc(33).toString('base64')]) {
    assert.throws(() => importPublicKey(bad), TypeError)
    assert.throws(() => importSeed(bad), TypeError)
  }
})
