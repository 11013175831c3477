import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aBrowser, aPerson, type Browser } from '../../test/person.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

/** A page of another site, in the browser of somebody who is signed in, against every route there is and ever will be. */
describe('another site’s page', () => {
  let here: TestWorld
  let browser: Browser
  before(async () => {
    here = await aWorld()
    await aPerson(here, 'ann@example.com', 'owner')
    browser = aBrowser(here)
    await browser.signIn('ann@example.com')
  })
  after(() => here.close())

  /** What the router itself says that it takes: paths, each with its methods. */
  const routes = () => {
    const above: string[] = []
    return here.server
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const [, indent = '', part = '', methods = ''] = /^([\s│]*)[└├]── (\S+)(?: \(([^)]*)\))?/.exec(line) ?? []
        if (part === '') return []
        const depth = indent.length / 4
        above.length = depth
        above[depth] = part
        const path = above.join('').replace(/^\/\//, '/')
        return methods === '' ? [] : [{ path, methods: methods.split(', ') }]
      })
  }
  /** Whoever has what these take (the link for the first owner, a pairing code, a site's signature) need not be in a browser. */
  const byProof = ['/setup', '/connector/v1/enrol', '/connector/v1/notice', '/api/mcp']

  test('is refused whatever it sends to whatever route changes something, and nothing changes', async () => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const json = { 'content-type': 'application/json' }
    const evil = { cookie, origin: 'https://evil.example' }
    const forged: Record<string, string>[] = [
      { ...evil, ...json },
      { ...evil, ...json, 'svc-csrf': browser.csrf },
      { ...evil, 'content-type': 'text/plain' },
      { ...evil, 'content-type': 'application/x-www-form-urlencoded' },
      { cookie, ...json },
      { cookie, origin: 'null', ...json },
      { cookie, origin: here.url, 'sec-fetch-site': 'cross-site', ...json },
    ]
    const all = routes()
    const changing = all.flatMap(({ path, methods }) =>
      methods
        .filter((each) => !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(each))
        // What takes every method says no in its own words, or that there is nothing.
        .map((method) => ({ method, path, own: byProof.includes(path) || methods.includes('TRACE') })),
    )
    assert.ok(all.length > 120 && changing.length > 80, `${all.length} routes, ${changing.length} that change something`)
    for (const path of ['/session', '/session/second', '/session/passkeys_remove', '/session/forgotten', '/api/v1/tokens'])
      assert.ok(
        changing.some((each) => each.path === path && each.method === 'POST'),
        path,
      )
    const before = await stateOf(here.world)
    const let_in: string[] = []
    for (const { method, path, own } of changing)
      for (const headers of forged) {
        const { status } = await here.rest(method === 'QUERY' ? 'POST' : method, path.replaceAll(/:\w+|\*/g, 'x'), { headers, body: '{}' })
        const refused = status === 403 || (own && [400, 401, 403, 404, 405, 406, 415, 429].includes(status))
        if (!refused) let_in.push(`${method} ${path} ${JSON.stringify({ ...headers, cookie: '…' })}: ${status}`)
      }
    assert.deepEqual(let_in, [])
    assert.equal(await stateOf(here.world), before)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200, 'and the session is as it was')
  })
})
