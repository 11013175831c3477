// A service of the test's own with the keys in its hand, so that it can send the real plugin what the product never sends.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerProof, codeHint, codeKey, createCode, createEnrolNonce, enrolProofHolds } from '../../server/src/connector/enrol.ts'
import { createKeyPair } from '../../server/src/connector/keys.ts'
import { signRequest } from '../../server/src/connector/sign.ts'
import type { NativeSite } from './fleet.ts'

export type Pretender = Awaited<ReturnType<typeof startPretender>>

const siteId = 'site_01pretender'

/** `forge` may change the answer to an enrolment. */
export async function startPretender() {
  const service = createKeyPair()
  let forge = (answer: Record<string, string>) => answer
  let key = codeKey(createCode())
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(Buffer.concat(await request.toArray()).toString())
    if (request.url !== '/connector/v1/enrol') return void response.writeHead(202).end('{}')
    const { site_public: sitePublic, url, nonce, proof, hint } = asked
    if (hint !== codeHint(key) || !enrolProofHolds(key, { sitePublic, url, nonce }, proof)) return void response.writeHead(403).end('{}')
    const answerNonce = createEnrolNonce()
    const proof2 = answerProof(key, { siteId, servicePublic: service.public, sitePublic, requestNonce: nonce, answerNonce })
    const answer = { site_id: siteId, keyid: 'k1', service_public: service.public, nonce: answerNonce, proof2 }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(forge(answer)))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    /** What `wp svc-connector connect` prints; rejects when the plugin refuses. */
    pair(site: NativeSite, change: typeof forge = (answer) => answer): Promise<string> {
      forge = change
      const code = createCode()
      key = codeKey(code)
      return site.wpCli(['svc-connector', 'connect', `--service=${url}`, `--code=${code}`])
    },
    /** A signed request, to be sent as often and wherever one likes. */
    sign(method: string, params: object, requestId: string, created = Math.floor(Date.now() / 1000)) {
      const body = Buffer.from(JSON.stringify({ method, params }))
      const headers = signRequest(
        { keyid: 'k1', privateKey: service.privateKey },
        { body, siteId, requestId, tag: 'svc-connector-v1', created },
      )
      return { body, headers }
    },
    async send(site: NativeSite, { body, headers }: { body: Buffer; headers: Record<string, string> }, door = '/?svc-connector=1') {
      const answer = await fetch(`${site.url}${door}`, { method: 'POST', headers, body })
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
