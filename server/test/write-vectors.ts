// Writes contract/wire-vectors.json, by which TypeScript and PHP are held together. Run it after a change of the protocol.
import { writeFileSync } from 'node:fs'
import { answerProof, codeHint, codeKey, enrolProof } from '../src/connector/enrol.ts'
import { vectorCases } from './vector-cases.ts'
import { NOW, PUBLIC, SEEDS, SITE, type VectorCase } from './vector-forge.ts'

const ABOUT =
  'Recorded messages of svc-connector-v1. A receiver of kind request knows service_public as k1, one of kind notice or response knows site_public as s1; ' +
  'now is its clock, site_id its audience. A case with keys of its own has other keys than the file. seen: this nonce was stored before. ' +
  'Cases expecting body or nonce pass the signature and fail after it. Enrolment: code as a person may type it.'

const FIRST_KEYS = {
  service_public: 'abe0AvVGeXEgJH1EUF9s3fXCKMUtLKhKVuXbByoTUd4=',
  site_public: 'aAaGwQoU9ZBKdvwMqwPCBMZn5bIub0omqTj500qBfrw=',
}
const FIRST_SIGNATURE = 'svc=:F3h4LNv8aRyTH5DM50pKDsk9lWc9HecURVhwrORhN1BHE2vfdqO+pTPchbOn0Q3YqOKcBNy6P4bPzALU01lVCg==:'

/** Recorded before this code was written, with private keys that are not kept: nobody can make them fit afterwards. */
const FIRST: VectorCase[] = [
  {
    name: 'the first recorded request',
    kind: 'request',
    now: NOW + 5,
    site_id: 'site_01JABCDEF',
    headers: {
      'content-type': 'application/json',
      'content-digest': 'sha-256=:Am3c1Wl7/XT5OYZrsf3ZeQ+a4+Ax7di7CIvcp+rcpj0=:',
      'svc-protocol': '1',
      'svc-site': 'site_01JABCDEF',
      'svc-request-id': 'req_0001',
      'signature-input':
        'svc=("@method" "content-type" "content-digest" "svc-protocol" "svc-site" "svc-request-id");created=1795132800;expires=1795132860;nonce="AAECAwQFBgcICQoLDA0ODw";keyid="k1";alg="ed25519";tag="svc-connector-v1"',
      signature: FIRST_SIGNATURE,
    },
    body_b64: Buffer.from('{"method":"files.list","params":{"after":null,"max":500,"budget_ms":8000}}').toString('base64'),
    keys: FIRST_KEYS,
    expect: 'ok',
  },
  {
    name: 'the first recorded response',
    kind: 'response',
    now: NOW + 5,
    site_id: 'site_01JABCDEF',
    headers: {
      'content-type': 'application/json',
      'content-digest': 'sha-256=:0+fdrGjIzP4GD8k9DqEMO47TNBGB4CgU6eBFA/OfW1E=:',
      'svc-protocol': '1',
      'svc-site': 'site_01JABCDEF',
      'signature-input':
        'svc=("@status" "content-type" "content-digest" "svc-protocol" "svc-site" "signature";req;key="svc");created=1795132801;keyid="s1";alg="ed25519";tag="svc-connector-v1-response"',
      signature: 'svc=:xQ/IjRkXIhtml4WrbHXIaDwec6zF4BHEdmT1g74ncaFb9JAkIH5ik2dopK0mzPtlA+yFH1H/gKDfjln+AWFaAQ==:',
    },
    body_b64: Buffer.from('{"result":{"entries":[],"cursor":null,"done":true}}').toString('base64'),
    status: 200,
    request_signature: FIRST_SIGNATURE,
    keys: FIRST_KEYS,
    expect: 'ok',
  },
]

/** The whole file, the same on every run. */
export function wireVectors(): string {
  const keys = {
    service_public: PUBLIC.service,
    site_public: PUBLIC.site,
    service_seed: SEEDS.service,
    site_seed: SEEDS.site,
    other_public: PUBLIC.other,
  }
  const enrolment = [
    enrolVector('ABCDE-FGHJK-MNPQR-STVWX'),
    enrolVector(' abcde fghjk-mnpqr-stvw0 '),
    enrolVector('OIL00-11111-ZZZZZ-YYYYY'),
  ]
  return `${JSON.stringify({ about: ABOUT, keys, cases: [...FIRST, ...vectorCases()], enrolment }, null, 1)}\n`
}

function enrolVector(code: string) {
  const key = codeKey(code)
  const url = 'https://garden.example/blog'
  const nonce = Buffer.alloc(16, 1).toString('base64')
  const answerNonce = Buffer.alloc(16, 2).toString('base64')
  const proof = enrolProof(key, { sitePublic: PUBLIC.site, url, nonce })
  const answer = { siteId: SITE, servicePublic: PUBLIC.service, sitePublic: PUBLIC.site, requestNonce: nonce, answerNonce }
  const proof2 = answerProof(key, answer)
  const [site_public, service_public] = [PUBLIC.site, PUBLIC.service]
  return { code, hint: codeHint(key), site_public, url, nonce, proof, site_id: SITE, service_public, answer_nonce: answerNonce, proof2 }
}

if (import.meta.main) writeFileSync(new URL('../../contract/wire-vectors.json', import.meta.url), wireVectors())
