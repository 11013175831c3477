import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { PASSED } from '../../test/fake-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedRequest } from '../platform/guarded-fetch.ts'
import { fetchWith, headersFor } from '../sites/access.ts'
import { SiteClient } from '../sites/client.ts'
import { visitPages } from '../sites/health.ts'

const [user = '', ...words] = PASSED.split(':')
const basic = { user, password: words.join(':') }

describe('a web server that wants to see a password', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld({ SERVICE_LIVE_LOOK_SECONDS: '0' })
  })
  after(() => here.close())

  test('lets the connector’s calls and the looks at its pages through once it is known, and says login_wall before and after', async () => {
    const { id, fake } = await here.site()
    const set = (access: object) => here.call('pairing.set_access', { site_id: id, ...access })
    const ping = () => here.call('sites.ping', { site_id: id })
    fake.misbehave('basic_auth')
    await assert.rejects(ping(), { code: 'site_refused', message: /asks for a password/ })
    assert.deepEqual(await set({ basic }), { id, user, header: null })
    assert.equal((await ping()).ok, true)
    const site = await SiteClient.open({ ...here.world, workspaceId: here.workspaceId }, { id }, new AbortController().signal)
    assert.deepEqual(
      (await visitPages(site)).map(({ status }) => status),
      [200, 200],
    )
    await set({ header: { name: 'X-Other', value: 'v' } })
    await assert.rejects(ping(), { code: 'site_refused' }, 'what is left out is forgotten')
    fake.misbehave()
  })

  test('is told to nobody: not in answers, rows, the activity or the audit', async () => {
    const { id } = await here.site()
    const secret = 'canary-pass-51d2'
    const header = { name: 'X-Pass', value: 'canary-value-51d2' }
    const answers = [
      await here.call('pairing.set_access', { site_id: id, basic: { user: 'ann', password: secret }, header }),
      await here.call('pairing.get_access', { site_id: id }),
      await here.call('sites.get', { site_id: id }),
      await here.call('activity.list', { site_id: id }),
    ]
    assert.doesNotMatch(JSON.stringify(answers), /canary-/)
    assert.match(JSON.stringify(answers[3]), /Kept now: user and password, the header X-Pass\./)
    for (const table of ['sites', 'audit', 'idempotency_keys', 'activity']) {
      const { rows } = await sql<{ row: string }>`SELECT t::text AS row FROM ${sql.table(table)} t`.execute(here.world.db)
      assert.doesNotMatch(rows.map(({ row }) => row).join('\n'), /canary-/, table)
    }
  })

  test('is for owners alone, and takes no header that our requests need', async () => {
    const { id } = await here.site()
    const { token } = await here.token('write')
    for (const method of ['GET', 'POST'] as const)
      assert.equal((await here.rest(method, `/api/v1/sites/${id}/access`, { token, body: method === 'POST' ? {} : undefined })).status, 403)
    for (const name of ['Host', 'content-length', 'Signature-Input', 'svc-site', 'a b'])
      await assert.rejects(here.call('pairing.set_access', { site_id: id, header: { name, value: 'v' } }), { code: 'invalid_payload' })
    for (const value of ['a\r\nX-Evil: 1', ''])
      await assert.rejects(here.call('pairing.set_access', { site_id: id, header: { name: 'X-A', value } }), { code: 'invalid_payload' })
  })
})

test('what lets us through goes to the site’s own two addresses and to no other', async () => {
  const sent: GuardedRequest[] = []
  const fetch = fetchWith(
    async (request) => {
      sent.push(request)
      return { status: 200, headers: {}, body: Buffer.alloc(0), address: '', addresses: [], latencyMs: 0, bodyMs: 0 }
    },
    { url: 'https://wp.example/core', home: 'https://example.com' },
    headersFor({ basic, header: { name: 'X-Pass', value: 'v' } }),
  )
  const ask = (url: string, plain = false) => fetch({ method: 'GET', url, plain, maxBytes: 1, timeoutMs: 1 })
  for (const url of ['https://example.com/a', 'https://wp.example/b']) await ask(url)
  for (const url of [
    'http://example.com/',
    'https://example.com:8443/',
    'https://example.com.evil.example/',
    'https://sub.example.com/',
    'no url',
  ])
    await ask(url)
  await ask('https://example.com/', true)
  const authorization = `Basic ${Buffer.from(PASSED).toString('base64')}`
  assert.deepEqual(
    sent.map(({ headers }) => headers),
    [{ 'x-pass': 'v', authorization }, { 'x-pass': 'v', authorization }, ...Array(6).fill(undefined)],
  )
})

test('a site without TLS is let in where sites may be private, and elsewhere asked as a stranger', async () => {
  const requests = async (isPrivate: boolean) => {
    const sent: (string | boolean)[] = []
    const fetch = fetchWith(
      async ({ url, plain = false, headers }) => {
        if (!isPrivate && !plain) throw new FetchError('blocked_address', 'The address must begin with https://.')
        sent.push(headers?.['authorization'] === undefined ? `${url} as a stranger` : `${url} let in`)
        return { status: 200, headers: {}, body: Buffer.alloc(0), address: '', addresses: [], latencyMs: 0, bodyMs: 0 }
      },
      { url: 'http://127.0.0.1:8080/wp', home: 'http://127.0.0.1:8080' },
      headersFor({ basic, header: null }),
    )
    for (const url of ['http://127.0.0.1:8080/a.css', 'http://cdn.example/b.css'])
      await fetch({ method: 'GET', url, plain: true, maxBytes: 1, timeoutMs: 1 })
    return sent
  }
  assert.deepEqual(await requests(true), ['http://127.0.0.1:8080/a.css let in', 'http://cdn.example/b.css as a stranger'])
  assert.deepEqual(await requests(false), ['http://127.0.0.1:8080/a.css as a stranger', 'http://cdn.example/b.css as a stranger'])
})
