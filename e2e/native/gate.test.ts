import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createEnrolNonce } from '../../server/src/connector/enrol.ts'
import { createKeyPair } from '../../server/src/connector/keys.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Pretender, startPretender } from './pretender.ts'

/** The real plugin, asked by somebody who has the service's key and sends what the service never would. */

let fleet: Fleet
let service: Pretender
const sites = () => fleet.sites

before(async () => {
  service = await startPretender()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', pool: ['pm.max_children = 16', 'pm.start_servers = 16'] },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [join(import.meta.dirname, '../../connector/svc-connector')] },
  )
})
after(async () => {
  await fleet?.stop()
  await service?.stop()
})

const ticket = (n: number | string) => ({ ticket_sha256: createHash('sha256').update(String(n)).digest('hex'), requester: 'Ann', ttl: 60 })
const login = (n: number | string, requestId: string) => service.sign('login.issue', ticket(n), requestId)

test('a key, site id or nonce that was swapped on the way is not pinned', async () => {
  for (const site of sites())
    for (const change of [
      { service_public: createKeyPair().public },
      { site_id: 'site_other' },
      { nonce: createEnrolNonce() },
      { proof2: Buffer.alloc(32).toString('base64') },
      { proof2: '' },
    ]) {
      await assert.rejects(
        service.pair(site, (answer) => ({ ...answer, ...change })),
        /did not come from the service that made this code|not as the service does/,
      )
      await assert.rejects(site.wpCli(['svc-connector', 'status']), /Not connected/)
    }
})

/** Any test may come first, or alone. */
async function paired() {
  for (const site of sites())
    if (/Not connected\./.test(await site.wpCli(['svc-connector', 'status']).catch(String))) await service.pair(site)
  return sites()
}

test('of sixteen copies of one request one is heard', async () => {
  for (const [which, site] of (await paired()).entries()) {
    for (let round = 0; round < 5; round++) {
      const request = login(`${which} ${round}`, `req_copies${round}`)
      const answers = await Promise.all(Array.from({ length: 16 }, () => service.send(site, request)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1, `${JSON.stringify(answers)}`)
      for (const { status, json } of answers) if (status !== 200) assert.equal(json.refused, 'nonce')
    }
  }
})

test('a request that was heard is refused at every other door', async () => {
  for (const site of await paired()) {
    const request = service.sign('ping', {}, 'req_doors')
    assert.equal((await service.send(site, request)).status, 200)
    for (const door of [
      '/?svc-connector=1',
      '/?rest_route=/svc-connector/v1/rpc',
      '/wp-admin/admin-ajax.php?action=svc_connector',
      '/xmlrpc.php?svc-connector=1',
    ])
      assert.equal((await service.send(site, request, door)).json.refused, 'nonce', door)
  }
})

test('a write that is asked again under its request id is done once and answered alike', async () => {
  for (const site of await paired()) {
    const first = await service.send(site, login('again', 'req_again'))
    const second = await service.send(site, login('again', 'req_again'))
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.deepEqual(second.json, first.json)
    // Another request id is another login, and its ticket was used before.
    assert.equal((await service.send(site, login('again', 'req_other'))).status, 400)
  }
})

test('an attempt with an earlier fence is shut out, and a request from another time is refused', async () => {
  for (const site of await paired()) {
    const revert = (fence: number) => service.sign('tweaks.revert', { job: 'job_gate', fence, id: 'file_editor_off' }, `req_fence${fence}`)
    assert.equal((await service.send(site, revert(2))).status, 200)
    const { status, json } = await service.send(site, revert(1))
    assert.deepEqual([status, (json.error as { code: string }).code], [409, 'fence'])
    for (const off of [-3600, 3600]) {
      const then = service.sign('ping', {}, `req_then${off + 3600}`, Math.floor(Date.now() / 1000) + off)
      assert.equal((await service.send(site, then)).json.refused, 'window')
    }
  }
})
