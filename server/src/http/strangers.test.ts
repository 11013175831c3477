import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { newToken } from '../tokens/secret.ts'

/** What a request without a good token may cost, counted. */
describe('strangers', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())
  const times = <Answer>(count: number, one: (n: number) => Promise<Answer>) => Promise.all(Array.from({ length: count }, (_, n) => one(n)))

  test('the plugin is read and packed once, however often it is fetched', async (t) => {
    const zip = '/connector/svc-connector.zip'
    const read = t.mock.method(fs, 'readFileSync')
    const first = await here.rest('GET', zip)
    const answers = await times(30, () => here.rest('GET', zip))
    const reads = read.mock.calls.map(({ arguments: [file] }) => String(file)).filter((file) => file.includes('svc-connector/'))
    assert.ok(reads.length > 0 && new Set(reads).size === reads.length, `${reads.length} reads of ${new Set(reads).size} files`)
    for (const { status, text } of answers) assert.deepEqual([status, text === first.text], [200, true])
  })

  test('who has what never changes is told so, and is not sent it again', async () => {
    for (const path of ['/connector/svc-connector.zip', '/docs', '/docs.css', '/setup.css', '/api/v1/openapi.json']) {
      const first = await here.rest('GET', path)
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]{43}"$/, path)
      assert.equal(first.headers.get('cache-control'), 'public, no-cache')
      const again = await here.rest('GET', path, { headers: { 'if-none-match': `"other", W/${etag}` } })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path)
      assert.equal((await here.rest('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200)
      const head = await here.rest('HEAD', path)
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, first.headers.get('content-length')])
    }
  })

  test('database and store are asked for readiness once in three seconds, whoever asks', async (t) => {
    const stat = t.mock.method(here.world.storage, 'stat')
    let now = Date.now() + 3000
    t.mock.method(here.world, 'now', () => new Date(now))
    const ready = () => here.rest('GET', '/readyz')
    for (const { status } of await times(20, ready)) assert.equal(status, 200)
    for (let n = 0; n < 5; n++) await ready()
    assert.equal(stat.mock.callCount(), 1)
    stat.mock.mockImplementation(() => Promise.reject(new Error('gone')))
    now += 3000
    assert.deepEqual(
      (await times(5, ready)).map(({ status }) => status),
      [503, 503, 503, 503, 503],
    )
    assert.equal(stat.mock.callCount(), 2)
    stat.mock.restore()
    now += 3000
    assert.equal((await ready()).status, 200, 'and a failure is not kept longer')
  })

  test('sixty wrong tokens of an address are answered in a minute; a good one is let in all the same', async () => {
    const [remembered, unseen] = [await here.token('read'), await here.token('read')]
    const ask = (token: string) => here.rest('GET', '/api/v1/sites', { token })
    assert.equal((await ask(remembered.token)).status, 200)
    const answers = await times(100, (n) => ask(n % 2 ? newToken() : `svc_mistyped${n}`))
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(
      [401, 429].map((status) => statuses.filter((each) => each === status).length),
      [60, 40],
    )
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.headers.get('retry-after'), '60')
    const tool = await here.rest('POST', '/api/mcp', { token: newToken(), body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    assert.deepEqual([tool.status, tool.headers.get('retry-after')], [429, '60'])
    for (const { token } of [remembered, unseen]) assert.equal((await ask(token)).status, 200)
    assert.equal((await here.rest('GET', '/api/v1/sites')).status, 401, 'without a token nothing is tried')
  })
})
