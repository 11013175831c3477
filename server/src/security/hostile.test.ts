import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { showPages } from '../../test/fake-pages.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { atFrontPage, type Behaviour, behaviours, dripMs, drips, evil, says } from '../../test/hostile-behaviours.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { checkFromOutside } from './look-outside.ts'

const never = { signal: new AbortController().signal }

describe('a hostile site', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  let behaviour: Behaviour
  let url: string
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    behaviour(request, response)
  }).on('clientError', (_, socket) => socket.destroy())
  before(async () => {
    here = await aWorld()
    site = await here.site()
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await here.close()
  })

  test('there are forty behaviours, on the front page alone', () => assert.ok(Object.keys(atFrontPage).length >= 40))

  for (const [what, how] of Object.entries(behaviours))
    test(`${what} ends the look in time, and makes no false finding`, async () => {
      behaviour = how
      requests = drips.most = 0
      const used = process.cpuUsage()
      const patience = { requests: 90, ms: 4000, timeoutMs: 250, silences: 3 }
      const target = { id: site.id, url, home: url, status: 'connected' as const, name: 'Garden' }
      const context = { ...here.world, workspaceId: here.workspaceId }
      const { found } = await checkFromOutside(context, target, undefined, { ...never, patience })
      const { user, system } = process.cpuUsage(used)
      assert.ok((user + system) / 1000 < 12_000, 'of the processor')
      assert.ok(requests <= patience.requests, `${requests} requests`)
      assert.ok(drips.most * dripMs < patience.ms, `one answer was listened to for ${drips.most} drips`)
      const harmless = ['no_https', 'security_headers', 'user_enumeration', 'version_disclosed']
      assert.deepEqual(
        found.map(({ check }) => check).filter((check) => !harmless.includes(check)),
        [],
      )
      for (const line of found.flatMap(({ evidence }) => evidence)) {
        assert.ok(line.length < 300, line)
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u)
      }
    })

  test('a site that answers no more is left alone after three requests', async () => {
    let asked = 0
    behaviour = (request, response) => {
      asked += 1
      if (request.url === '/') says('Flowers')(request, response)
    }
    // Long enough for the page that does answer, however busy the machine is.
    const patience = { requests: 90, ms: 60_000, timeoutMs: 1500, silences: 3 }
    const target = { id: site.id, url, home: url, status: 'connected' as const, name: 'Garden' }
    await checkFromOutside({ ...here.world, workspaceId: here.workspaceId }, target, undefined, { ...never, patience })
    assert.equal(asked, 4)
  })

  test('a redirect to an address inside is not followed', async () => {
    let reached = 0
    const canary = createTcpServer(() => {
      reached += 1
    })
    await new Promise<void>((ready) => canary.listen(0, '127.0.0.1', ready))
    behaviour = says('', { location: `http://127.0.0.1:${(canary.address() as AddressInfo).port}/` }, 302)
    const target = { id: site.id, url, home: url, status: 'connected' as const, name: 'Garden' }
    await checkFromOutside({ ...here.world, workspaceId: here.workspaceId }, target, undefined, never)
    assert.equal(reached, 0)
    canary.close()
  })

  const check = async () => {
    const { job_id } = await here.call('security.check', { site_id: site.id })
    const job = await here.job(String(job_id))
    return { ...(job.result as { sources: { source: string; status: string }[] }), status: job.status }
  }
  const findings = async () =>
    (
      (await here.call('security.list', { site_id: site.id })) as unknown as {
        findings: { check: string; evidence: string[]; component: { name: string } | null }[]
      }
    ).findings

  test('poison in logins and file names arrives clean and short', async () => {
    showPages(site.fake.state)
    await check()
    site.fake.state.facts = { admins: [{ id: 9, login: evil.repeat(50), nicename: evil, registered: 1 }], php_version: `7.4${evil}` }
    putFile(site.fake.state, `wp-content/uploads/${evil.replaceAll('/', '')}${'x'.repeat(3000)}.php`, 'x')
    await check()
    const all = await findings()
    assert.deepEqual(
      ['new_admin', 'php_end_of_life', 'uploads_php_files'].filter((name) => !all.some((each) => each.check === name)),
      [],
    )
    for (const text of all.flatMap(({ evidence, component }) => [...evidence, component?.name ?? ''])) {
      assert.ok(text.length <= 300)
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u)
    }
    site.fake.state.facts = {}
  })

  const liars: [string, object][] = [
    ['does not move on', { entries: [], after: 'a', done: false }],
    ['goes back', { entries: [], after: 'a', done: false }],
    ['never ends', { entries: [], after: null, done: false }],
    ['has paths that leave the site', { entries: [{ p: '../../etc/passwd', h: '' }], after: 'a', done: true }],
    ['has sums that are none', { entries: [{ p: 'a.php', h: '<script>' }], after: 'a', done: true }],
  ]
  for (const [what, answer] of liars)
    test(`a list of files that ${what} is the site’s failure, and the rest of the check goes on`, async () => {
      const { SECURITY_VERBS } = await import('../../test/fake-security.ts')
      const { FAKE_VERBS } = await import('../../test/fake-verbs.ts')
      FAKE_VERBS['security.integrity'] = () => ({ result: answer as Record<string, unknown> })
      const { sources, status } = await check()
      assert.equal(status, 'completed')
      assert.deepEqual(
        sources.filter((each) => each.status === 'failed').map(({ source }) => source),
        ['integrity'],
      )
      if (SECURITY_VERBS['security.integrity']) FAKE_VERBS['security.integrity'] = SECURITY_VERBS['security.integrity']
    })

  test('looking again and again at what is large takes less than 64 MiB', async () => {
    const target = { id: site.id, url, home: url, status: 'connected' as const, name: 'Garden' }
    const round = async () => {
      for (const what of [
        'a page without end',
        'a gzip bomb nobody asked for',
        'a page of half errors',
        'everything behind the front page is without end',
      ]) {
        behaviour = behaviours[what] ?? assert.fail(what)
        await checkFromOutside({ ...here.world, workspaceId: here.workspaceId }, target, undefined, never)
      }
    }
    await round()
    const before = process.memoryUsage().rss
    for (let again = 0; again < 3; again++) await round()
    const grown = (process.memoryUsage().rss - before) / 2 ** 20
    assert.ok(grown < 64, `${grown} MiB`)
  })
})
