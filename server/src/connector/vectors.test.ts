import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { component, type SignatureMessage, type Verifier, verifySignature } from 'http-message-sig'
import type { VectorCase } from '../../test/vector-forge.ts'
import { wireVectors } from '../../test/write-vectors.ts'
import { answerProof, answerProofHolds, codeHint, codeKey, enrolProof, enrolProofHolds } from './enrol.ts'
import { importPublicKey, importSeed, rawPublicKey } from './keys.ts'
import { HELLO_TAG, NOTICE_TAG, REQUEST_CAP, VERB_TAG } from './shapes.ts'
import { parseRequest, verifyRequest, verifyResponse } from './verify.ts'

const recorded = readFileSync(new URL('../../../contract/wire-vectors.json', import.meta.url), 'utf8')
const vectors = JSON.parse(recorded) as {
  keys: Record<'service_public' | 'site_public' | 'service_seed' | 'site_seed' | 'other_public', string>
  cases: VectorCase[]
  enrolment: Record<
    'code' | 'hint' | 'site_public' | 'url' | 'nonce' | 'proof' | 'site_id' | 'service_public' | 'answer_nonce' | 'proof2',
    string
  >[]
}

describe('the recorded messages', () => {
  for (const each of vectors.cases) {
    test(`${each.kind}: ${each.name} → ${each.expect}`, () => assert.equal(judge(each), each.expect))
  }

  test('are what write-vectors.ts writes', () => assert.equal(recorded, wireVectors()))

  test('cover every refusal of requests, and all but the late ones of answers', () => {
    const reasons = (kind: string) => [...new Set(vectors.cases.filter((each) => each.kind === kind).map(({ expect }) => expect))].sort()
    assert.deepEqual(reasons('request'), ['audience', 'body', 'digest', 'key', 'nonce', 'ok', 'signature', 'signature_input', 'window'])
    assert.deepEqual(reasons('response'), ['audience', 'digest', 'key', 'ok', 'signature', 'signature_input', 'window'])
  })

  test('hold the public halves of their seeds', () => {
    assert.equal(rawPublicKey(importSeed(vectors.keys.service_seed)), vectors.keys.service_public)
    assert.equal(rawPublicKey(importSeed(vectors.keys.site_seed)), vectors.keys.site_public)
  })
})

describe('another implementation of RFC 9421', () => {
  for (const each of vectors.cases.filter(({ expect, kind }) => expect === 'ok' && kind !== 'response')) {
    test(`accepts the ${each.kind}: ${each.name}`, async () => void (await verifyElsewhere(each, asRequest(each))))
  }
  for (const each of vectors.cases.filter(({ expect, kind }) => expect === 'ok' && kind === 'response')) {
    test(`accepts the response: ${each.name}`, async () => {
      const request = {
        kind: 'request',
        method: 'POST',
        targetUri: 'https://garden.example/',
        fields: [{ name: 'signature', value: each.request_signature ?? '' }],
      }
      await verifyElsewhere(each, { kind: 'response', status: each.status ?? 0, fields: fieldsOf(each), request } as SignatureMessage)
    })
  }
  test('refuses a request with another body digest', async () => {
    const [good] = vectors.cases
    assert.ok(good)
    const bad = { ...good, headers: { ...good.headers, 'content-digest': 'sha-256=:AAAA:' } }
    await assert.rejects(verifyElsewhere(bad, asRequest(bad)), { code: 'VerificationFailed' })
  })
})

describe('the recorded enrolments', () => {
  for (const each of vectors.enrolment) {
    test(`of the code ${each.code}`, () => {
      const key = codeKey(each.code)
      const asked = { sitePublic: each.site_public, url: each.url, nonce: each.nonce }
      const answer = {
        siteId: each.site_id,
        servicePublic: each.service_public,
        sitePublic: each.site_public,
        requestNonce: each.nonce,
        answerNonce: each.answer_nonce,
      }
      assert.deepEqual([codeHint(key), enrolProof(key, asked), answerProof(key, answer)], [each.hint, each.proof, each.proof2])
      assert.ok(enrolProofHolds(key, asked, each.proof) && answerProofHolds(key, answer, each.proof2))
      assert.ok(!enrolProofHolds(key, { ...asked, url: `${each.url}/` }, each.proof))
      assert.ok(!answerProofHolds(key, { ...answer, servicePublic: vectors.keys.other_public }, each.proof2))
    })
  }
})

function judge(each: VectorCase): string {
  const { headers, now, site_id: siteId } = each
  const body = Buffer.from(each.body_b64, 'base64')
  const ours = each.keys ?? vectors.keys
  const siteKeys = [{ keyid: 's1', key: importPublicKey(ours.site_public) }]
  const common = { headers, body, now, siteId, maxBytes: REQUEST_CAP }
  if (each.kind === 'response') {
    const bound = { requestSignature: each.request_signature ?? '', requestTag: VERB_TAG, status: each.status ?? 0 } as const
    const verified = verifyResponse({ ...common, ...bound, keys: siteKeys })
    return verified.ok ? 'ok' : verified.reason
  }
  const receiver =
    each.kind === 'notice'
      ? { keys: siteKeys, tags: [NOTICE_TAG] as const }
      : { keys: [{ keyid: 'k1', key: importPublicKey(ours.service_public) }], tags: [VERB_TAG, HELLO_TAG] as const }
  const verified = verifyRequest({ ...common, ...receiver })
  if (!verified.ok) return verified.reason
  if (each.seen) return 'nonce'
  return parseRequest(verified, body) ? 'ok' : 'body'
}

function asRequest(each: VectorCase): SignatureMessage {
  return { kind: 'request', method: 'POST', targetUri: 'https://garden.example/?svc-connector=1', fields: fieldsOf(each) }
}

function fieldsOf({ headers }: VectorCase) {
  return Object.entries(headers).map(([name, value]) => ({ name, value: value.trim() }))
}

function verifyElsewhere(each: VectorCase, message: SignatureMessage) {
  const keys = each.keys ?? vectors.keys
  const raw = each.kind === 'request' ? keys.service_public : keys.site_public
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw, 'base64').toString('base64url') }, format: 'jwk' })
  const verifier: Verifier = { algorithm: 'ed25519', verify: (base, signature) => verify(null, base, key, signature) }
  const wanted = ['content-type', 'content-digest', 'svc-protocol', 'svc-site']
  const bound = each.kind === 'response' ? ['@status', component('signature', { req: true, key: 'svc' })] : ['@method', 'svc-request-id']
  const policy = {
    algorithms: ['ed25519'],
    requiredComponents: [...wanted, ...bound],
    requiredParameters: ['created'],
    now: createdOf(each),
  }
  return verifySignature(message, { policy, resolveVerifier: () => verifier })
}

function createdOf({ headers }: VectorCase): number {
  return Number(/;created=(\d+)/.exec(headers['signature-input'] ?? '')?.[1])
}
