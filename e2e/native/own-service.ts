// A service of a test's own: it pairs a site as the real one does, and hands out the key that the site obeys.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerProof, codeKey, createCode, createEnrolNonce } from '../../server/src/connector/enrol.ts'
import type { SiteConnection } from '../../server/src/connector/exchange.ts'
import { createKeyPair, importPublicKey } from '../../server/src/connector/keys.ts'
import type { NativeSite } from './fleet.ts'

export interface OwnService {
  url: string
  /** Every request that arrived. */
  requests: string[]
  pair(site: NativeSite): Promise<SiteConnection>
  close(): Promise<void>
}

export async function startOwnService(): Promise<OwnService> {
  const requests: string[] = []
  const code = createCode()
  const siteId = 'site_01testtesttesttesttesttest'
  const keys = createKeyPair()
  let site_public = ''
  const server = createServer(async (request, response) => {
    requests.push(request.url ?? '')
    const asked = JSON.parse(await text(request)) as { site_public: string; nonce: string }
    response.setHeader('content-type', 'application/json')
    if (request.url !== '/connector/v1/enrol') return response.end('{}')
    const answerNonce = createEnrolNonce()
    site_public = asked.site_public
    const bound = { siteId, servicePublic: keys.public, sitePublic: site_public, requestNonce: asked.nonce, answerNonce }
    const said = {
      site_id: siteId,
      keyid: 'k1',
      service_public: keys.public,
      nonce: answerNonce,
      proof2: answerProof(codeKey(code), bound),
    }
    return response.end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ url, requests },
    async pair({ url: address, wpCli }) {
      await wpCli(['svc-connector', 'connect', `--service=${url}`, `--code=${code}`])
      assert.notEqual(site_public, '')
      const siteKeys = [{ keyid: 's1', key: importPublicKey(site_public) }]
      return { siteId, url: address, home: address, servicePrivateKey: keys.privateKey, keyid: 'k1', siteKeys, skewSeconds: 0 }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
