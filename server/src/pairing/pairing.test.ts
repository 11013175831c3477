import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { startFakeSite } from '../../test/fake-site.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { codeHint, codeKey, createEnrolNonce, enrolProof } from '../connector/enrol.ts'
import { createKeyPair } from '../connector/keys.ts'
import type { Problem } from '../kernel/problem.ts'
import { reachInWords, reachOf } from './reach.ts'
import type { CodeState } from './schema.ts'

describe('pairing', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const code = async (input = {}) => String((await here.call('pairing.create_code', input)).code)
  const enrol = (body: unknown) => here.rest('POST', '/connector/v1/enrol', { body })
  const proven = (text: string, over: Record<string, unknown> = {}) => {
    const key = codeKey(text)
    const facts = { sitePublic: createKeyPair().public, url: 'http://127.0.0.1:9', nonce: createEnrolNonce() }
    const { sitePublic: site_public, url, nonce } = facts
    const versions = { connector_version: '0.1.0', wp_version: '7.1.1', php_version: '8.3.0', name: 'Site', home: url }
    return { protocol: 1, hint: codeHint(key), site_public, url, nonce, proof: enrolProof(key, facts), ...versions, ...over }
  }
  const sites = async () =>
    ((await here.call('sites.list')) as { sites: { id: string; status: string; name: string; url: string }[] }).sites

  test('a paired site is connected after its first signed hello, with what it told', async () => {
    const { id } = await here.site()
    const site = (await sites()).find((each) => each.id === id)
    assert.equal(site?.status, 'connected')
    assert.equal(site?.name, 'Fake Garden')
  })

  const bad: [string, (text: string) => unknown, number][] = [
    ['a code nobody made', () => proven('00000000000000000000'), 404],
    ['a wrong proof', (text) => proven(text, { proof: createKeyPair().public }), 404],
    ['a proof for another address', (text) => proven(text, { url: 'http://127.0.0.2:9' }), 404],
    ['a proof for another key', (text) => proven(text, { site_public: createKeyPair().public }), 404],
    ['an unknown field', (text) => proven(text, { role: 'admin' }), 400],
    ['a newer protocol', (text) => proven(text, { protocol: 2 }), 400],
    ['an address that is no web address', (text) => proven(text, { url: 'file:///etc/passwd' }), 400],
    ['a key that is too short', (text) => proven(text, { site_public: 'AAAA' }), 400],
    ['no JSON', () => '<html>', 400],
  ]
  for (const [what, body, status] of bad)
    test(`${what} pairs nothing`, async () => {
      const before = (await sites()).length
      const text = await code()
      const answer = await enrol(body(text))
      assert.equal(answer.status, status, answer.text)
      assert.equal((await sites()).length, before)
    })

  test('a site that the service would never ask is refused at once, with the setting', async (t) => {
    const strict = await aWorld({ SERVICE_ALLOW_PRIVATE_SITES: 'false' })
    t.after(() => strict.close())
    for (const [url, why] of [
      ['http://shop.example', /begin with https:/],
      ['https://10.0.0.7', /may not connect to 10\.0\.0\.7/],
      ['https://localhost', /may not connect to localhost\./],
      ['https://shop.local/blog', /may not connect to shop\.local\./],
      ['https://shop.internal', /may not connect to shop\.internal\./],
      ['https://shop.example:2222', /Only the ports/],
    ] as const) {
      const text = String((await strict.call('pairing.create_code')).code)
      const facts = { sitePublic: createKeyPair().public, url, nonce: createEnrolNonce() }
      const { status, json } = await strict.rest('POST', '/connector/v1/enrol', {
        body: proven(text, { url, home: url, site_public: facts.sitePublic, nonce: facts.nonce, proof: enrolProof(codeKey(text), facts) }),
      })
      assert.deepEqual([status, (json as { code?: string }).code], [409, 'conflict'])
      assert.match(String(json.detail), why)
      assert.match(String(json.detail), /SERVICE_ALLOW_PRIVATE_SITES=true/)
    }
    assert.deepEqual((await strict.call('sites.list')).sites, [])
    for (const host of ['localhost', 'shop.local', '192.168.1.4', '[::1]']) {
      const asked = strict.call('pairing.create_code', { host })
      await assert.rejects(asked, (error: Problem) => {
        assert.match(
          error.errors?.[0]?.message ?? '',
          /never reach a site there\. The service may not connect to .*SERVICE_ALLOW_PRIVATE_SITES=true/,
        )
        return error.code === 'invalid_payload' && error.errors?.[0]?.path === 'host'
      })
    }
    for (const host of ['locals.example', 'local.example', 'internal-tools.example'])
      assert.ok((await strict.call('pairing.create_code', { host })).code, host)
  })

  test('a site whose name leads to a private address is refused at once; a name is looked up for one that proves a code alone', async (t) => {
    const asked: string[] = []
    const known: Record<string, Promise<string[]>> = {
      'shop.example': Promise.resolve(['93.184.215.14', '10.0.0.7']),
      'none.example': Promise.reject(new Error('ENOTFOUND')),
      'late.example': new Promise(() => undefined),
    }
    known['none.example']?.catch(() => undefined)
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return (await known[hostname]) ?? []
    }
    const strict = await aWorld({ SERVICE_ALLOW_PRIVATE_SITES: 'false' }, undefined, { resolve })
    t.after(() => strict.close())
    const join = async (url: string, over = {}) => {
      const made = (await strict.call('pairing.create_code')) as { code: string; id: string }
      const facts = { sitePublic: createKeyPair().public, url, nonce: createEnrolNonce() }
      const proof = enrolProof(codeKey(made.code), facts)
      const body = proven(made.code, { url, home: url, site_public: facts.sitePublic, nonce: facts.nonce, proof, ...over })
      return { made, answer: await strict.rest('POST', '/connector/v1/enrol', { body }) }
    }
    const { made, answer } = await join('https://shop.example')
    assert.deepEqual([answer.status, (answer.json as { code?: string }).code], [409, 'conflict'], answer.text)
    assert.match(
      String(answer.json.detail),
      /never reach it at https:\/\/shop\.example\. The host name leads to .*private.*SERVICE_ALLOW_PRIVATE_SITES=true/,
    )
    const { refused } = (await strict.call('pairing.get_code', { code_id: made.id })) as unknown as CodeState
    assert.equal(refused?.reason, 'forbidden_address')
    assert.deepEqual((await strict.call('sites.list')).sites, [])
    asked.length = 0
    for (const over of [{ proof: createKeyPair().public }, { hint: '0123456789abcdef' }])
      assert.equal((await join('https://shop.example', over)).answer.status, 404)
    assert.deepEqual(asked, [])
    for (const url of ['https://none.example', 'https://late.example']) assert.equal((await join(url)).answer.status, 200, url)
  })

  test('a code says from where its address is found, as far as the address tells', () => {
    for (const [host, reach] of [
      ['localhost:8080', 'machine'],
      ['127.0.0.1:8080', 'machine'],
      ['127.8.0.1', 'machine'],
      ['[::1]', 'machine'],
      ['fleet.localhost', 'machine'],
      ['192.168.1.4:8080', 'network'],
      ['10.0.0.7', 'network'],
      ['[fd00::7]', 'network'],
      ['169.254.1.1', 'network'],
      ['fleet.local', 'network'],
      ['fleet.internal', 'network'],
      ['nas:8080', 'network'],
      ['fleet.example', 'anywhere'],
      ['localhost.example', 'anywhere'],
      ['8.8.8.8', 'anywhere'],
    ] as const) {
      assert.equal(reachOf(`http://${host}`), reach, host)
      const words = reachInWords(`http://${host}`)
      if (reach === 'anywhere') assert.equal(words, undefined, host)
      else assert.ok(words?.includes(`does not find http://${host}: set SERVICE_BASE_URL`), host)
    }
  })

  test('a code works once, even for two sites at the same moment', async () => {
    const text = await code()
    const answers = await Promise.all(Array.from({ length: 8 }, () => enrol(proven(text))))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 404).length, 7)
  })

  test('one address that joins with two codes at the same moment is one site', async () => {
    const url = 'http://127.0.0.9:9'
    const join = async () => {
      const text = await code()
      const nonce = createEnrolNonce()
      const site_public = createKeyPair().public
      const proof = enrolProof(codeKey(text), { sitePublic: site_public, url, nonce })
      return proven(text, { url, home: url, nonce, site_public, proof })
    }
    const asked = await Promise.all([join(), join(), join()])
    const answers = await Promise.all(asked.map(enrol))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await sites()).filter((site) => site.url === url).length, 1)
  })

  test('five wrong proofs spend a code', async () => {
    const text = await code()
    for (let n = 0; n < 5; n++) await enrol(proven(text, { proof: createKeyPair().public }))
    assert.equal((await enrol(proven(text))).status, 404)
  })

  test('a code ends after a quarter of an hour', async () => {
    const text = await code()
    here.clock.add(15 * 60_000 + 1000)
    assert.equal((await enrol(proven(text))).status, 404)
    here.clock.add(-(15 * 60_000 + 1000))
  })

  test('a code for one host is of no use to another', async () => {
    const text = await code({ host: 'example.com' })
    assert.equal((await enrol(proven(text))).status, 404)
  })

  test('whoever made a code is told which site came with it, or why one was refused', async () => {
    const make = async (input = {}) => (await here.call('pairing.create_code', input)) as { code: string; id: string }
    const told = async ({ id }: { id: string }) => (await here.call('pairing.get_code', { code_id: id })) as unknown as CodeState
    const whyNot = async (made: { id: string }) => {
      const { refused, paired_site_id } = await told(made)
      return [refused?.reason, refused?.site_id, refused?.url, paired_site_id]
    }
    const join = async ({ code }: { code: string }, url: string) => {
      const facts = { sitePublic: createKeyPair().public, url, nonce: createEnrolNonce() }
      const proof = enrolProof(codeKey(code), facts)
      return enrol(proven(code, { url, home: url, site_public: facts.sitePublic, nonce: facts.nonce, proof }))
    }
    const { id, fake } = await here.site()
    const first = await make()
    assert.deepEqual(await told(first), {
      ...{ id: first.id, site_id: null, paired_site_id: null, refused: null },
      expires_at: (await told(first)).expires_at,
    })
    await join(first, fake.url)
    assert.deepEqual(await whyNot(first), ['known_site', id, fake.url, null])
    assert.match((await told(first)).refused?.message ?? '', /settings of that site, under Pair anew/)
    const moved = await make({ site_id: id })
    await join(moved, 'http://127.0.0.7:9')
    assert.deepEqual(await whyNot(moved), ['other_address', id, 'http://127.0.0.7:9', null])
    const bound = await make({ host: 'example.com' })
    await join(bound, 'http://127.0.0.7:9')
    assert.deepEqual(await whyNot(bound), ['other_host', null, 'http://127.0.0.7:9', null])
    await enrol(proven(bound.code, { url: 'https://example.com/' }))
    assert.equal((await whyNot(bound))[0], 'wrong_proof')

    const good = await make()
    const { json } = await join(good, 'http://127.0.0.7:9')
    assert.deepEqual(await whyNot(good), [undefined, undefined, undefined, json.site_id])
    await join(good, 'http://127.0.0.8:9')
    assert.deepEqual(await whyNot(good), ['used', null, 'http://127.0.0.8:9', json.site_id])
    const again = await make()
    await join(again, 'http://127.0.0.7:9')
    assert.deepEqual(await whyNot(again), [undefined, undefined, undefined, json.site_id], 'nobody answered for it yet: the same site')
    const late = await make()
    here.clock.add(15 * 60_000 + 1000)
    await join(late, 'http://127.0.0.7:9')
    assert.equal((await whyNot(late))[0], 'ended')
    here.clock.add(-(15 * 60_000 + 1000))
    const other = await here.workspace('Elsewhere')
    const stranger = { caller: here.caller({ workspaceId: other }) }
    await assert.rejects(here.call('pairing.get_code', { code_id: good.id }, stranger), { code: 'not_found' })
  })

  test('what is stored of a code and of keys is of no use to a thief of the database', async () => {
    const text = await code()
    const { rows } = await sql<{
      t: string
    }>`SELECT c::text AS t FROM enrolment_codes c UNION ALL SELECT s::text FROM sites s UNION ALL SELECT a::text FROM audit a`.execute(
      here.world.db,
    )
    const all = rows.map(({ t }) => t).join('\n')
    for (const secret of [text, text.replaceAll('-', ''), codeKey(text).toString('base64'), codeKey(text).toString('hex')])
      assert.ok(!all.includes(secret))
  })

  test('a site that says goodbye is disconnected; one that signs wrongly is not heard', async () => {
    const { id, fake } = await here.site()
    const forged = await here.rest('POST', '/connector/v1/notice', { body: { method: 'disconnected' }, headers: { 'svc-site': id } })
    assert.equal(forged.headers.get('www-authenticate'), 'Signature realm="service"')
    assert.equal(forged.status, 401)
    await here.disconnect({ id, fake })
    assert.equal((await sites()).find((each) => each.id === id)?.status, 'disconnected')
    await assert.rejects(here.call('sites.ping', { site_id: id }), { code: 'conflict' })
  })

  test('a site whose clock is a day off is connected all the same', async () => {
    const fake = await startFakeSite({})
    fake.state.skewSeconds = -86_000
    const { siteId } = await fake.enrol(here.url, await code()).catch(async () => ({ siteId: (await sites()).at(-1)?.id ?? '' }))
    await until(async () => (await sites()).find((each) => each.id === siteId)?.status === 'connected')
    const ping = await here.call('sites.ping', { site_id: siteId })
    assert.equal(ping.ok, true)
    assert.ok(Math.abs(Number(ping.clock_skew_s) + 86_000) < 3)
    await fake.stop()
  })

  test('removing a site tells its connector and forgets it', async () => {
    const { id, fake } = await here.site()
    assert.deepEqual(await here.call('sites.remove', { site_id: id }), { id, connector_told: true })
    assert.ok(fake.requests.some(({ verb }) => verb === 'disconnect'))
    await assert.rejects(here.call('sites.get', { site_id: id }), { code: 'not_found' })
  })
})
