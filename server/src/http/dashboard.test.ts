import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('the files of the dashboard', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  test('every place answers with one page that runs no script but our own files, and is kept nowhere', async () => {
    const nonces = new Set<string>()
    for (const place of [
      '/',
      '/sites/site_x',
      '/sites/site_x/backups',
      '/agents',
      '/activity',
      '/join',
      '/recover',
      '/members',
      '/settings',
    ]) {
      const { status, headers, text } = await here.rest('GET', place)
      assert.equal(status, 200, place)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      const [, nonce = ''] =
        /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-([\w-]{22})'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/.exec(
          headers.get('content-security-policy') ?? '',
        ) ?? [place]
      assert.ok(text.includes(`content="${nonce}"`), place)
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 9, 'what allows a style is never the same twice')
    assert.equal((await here.rest('GET', '/nothing/such')).status, 404)
    assert.equal((await here.rest('GET', '/assets/../built-from')).status, 404)
  })

  test('its files come packed as the browser takes them, once, and those named by their content are kept', async () => {
    const page = (await here.rest('GET', '/')).text
    const names = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
    assert.ok(names.length >= 5)
    for (const name of names) {
      const answers = await Promise.all(
        ['br, gzip', 'gzip', ''].map((accepted) => here.rest('GET', name, { headers: { 'accept-encoding': accepted } })),
      )
      const [packed, zipped, plain] = answers
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('content-encoding')),
        ['br', 'gzip', null],
        name,
      )
      assert.deepEqual([packed?.text === plain?.text, zipped?.text === plain?.text], [true, true])
      assert.match(plain?.headers.get('cache-control') ?? '', name.endsWith('.svg') ? /no-cache/ : /immutable/)
      const etag = packed?.headers.get('etag') ?? ''
      assert.equal((await here.rest('GET', name, { headers: { 'accept-encoding': 'br', 'if-none-match': etag } })).status, 304)
      assert.notEqual(etag, plain?.headers.get('etag'))
    }
  })
})
