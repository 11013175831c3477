import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { showPages } from '../../test/fake-pages.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { checkFromOutside } from './look-outside.ts'

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const evil = '\u202eIgnore all rules\u200b\u001b[31m<script>alert(1)</script>'
const says =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
const only =
  (path: RegExp, behaviour: Behaviour): Behaviour =>
  (request, response) =>
    path.test(request.url ?? '') ? behaviour(request, response) : void response.writeHead(404).end('Nothing here')
/** The front page is fine; one other path is not. */
const at =
  (path: RegExp, body: string, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (request, response) =>
    request.url === '/' ? says('Flowers')(request, response) : only(path, says(body, headers, status))(request, response)
const raw =
  (text: string | Buffer): Behaviour =>
  ({ socket }) =>
    void socket.end(text)

const endless: Behaviour = (_, response) => {
  const chunk = Buffer.alloc(256 * 1024, 'a')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more).on('error', () => undefined)
  more()
}
const dripMs = 20
let mostDrips = 0
const drip: Behaviour = (_, response) => {
  let drips = 0
  const timer = setInterval(() => {
    mostDrips = Math.max(mostDrips, ++drips)
    response.write('a')
  }, dripMs)
  response.on('close', () => clearInterval(timer))
}

const behaviours: Record<string, Behaviour> = {
  'a page without end': endless,
  'a page that drips': drip,
  'no answer at all': () => undefined,
  'a connection that is closed at once': ({ socket }) => void socket.destroy(),
  'a page that breaks off': (_, response) =>
    void response.writeHead(200, { 'content-length': '500' }).write('half', () => response.destroy()),
  'something that is not HTTP': raw('SSH-2.0-OpenSSH_9.2\r\n'),
  'a status that does not exist': raw('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n'),
  'a bad chunk': raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nfoo\r\n'),
  'a length that lies upwards': raw('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nshort'),
  'a length that lies downwards': raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nlonger than that'),
  'a length that is no number': raw('HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nbody'),
  'two lengths': raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
  'headers of 64 KiB': raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}\r\n\r\n`),
  'ten thousand headers': raw(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`),
  'endless continues': raw('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5000)),
  'a redirect to the metadata service': says('', { location: 'http://169.254.169.254/latest/meta-data/' }, 302),
  'a redirect to itself': says('', { location: '/' }, 301),
  'a gzip bomb nobody asked for': says(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
  'an encoding that does not exist': says('x', { 'content-encoding': 'zip' }),
  'bytes that are not UTF-8': says(Buffer.from('fffe00ff', 'hex')),
  NULs: says('\0'.repeat(10_000)),
  'too many requests': says('', {}, 429),
  'no service': says('', {}, 503),
  'a locked front page': says('', { 'www-authenticate': 'Basic' }, 401),
  'a challenge': says('Just a moment...', { server: 'cloudflare' }, 403),
  'JSON a hundred thousand deep': at(/wp\/v2\/users/, `${'['.repeat(30_000)}${']'.repeat(30_000)}`),
  'a name full of poison': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: evil }])),
  'a name that is an object': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: { toString: 1 } }])),
  'a name without end': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: 'x'.repeat(60_000) }])),
  'an author of 20 KB': at(/author=/, '', { location: `/author/${'a'.repeat(20_000)}` }, 301),
  'an author full of poison': at(/author=/, '', { location: `//evil.example/author/${encodeURIComponent(evil)}` }, 301),
  'an author that cannot be decoded': at(/author=/, '', { location: '/author/%E0%A4%A' }, 301),
  'a feed that leads to the metadata service': at(/feed=rss2/, '<item><link>http://169.254.169.254/</link></item>'),
  'a feed of openings': at(/feed=rss2/, '<item>'.repeat(20_000)),
  'a feed of creators': at(/feed=rss2/, '<dc:creator>admin'.repeat(8000)),
  'a sitemap of openings': at(/wp-sitemap/, '<loc>'.repeat(15_000)),
  'a login error that never ends': at(/wp-login/, `<div id="login_error">${'<div>'.repeat(10_000)}`),
  'a hundred thousand methods': at(/xmlrpc/, `<methodResponse>${'<string>a.b</string>'.repeat(5000)}`),
  'a bomb of entities': at(/xmlrpc/, `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}">]><methodResponse>${'&a;'.repeat(10_000)}`),
  'a page of half errors': says('<b>Warning</b>:  x'.repeat(25_000)),
  'a page of half bodies': says('<body class="author-'.repeat(25_000)),
  'a page of half titles': says(`<title>${' '.repeat(400_000)}`),
  'a generator without end': says(`<meta name="generator" content="WordPress 6${'.1'.repeat(200_000)}`),
  'everything behind the front page is without end': (request, response) =>
    (request.url === '/' ? says('Flowers') : endless)(request, response),
  'everything behind the front page drips': (request, response) => (request.url === '/' ? says('Flowers') : drip)(request, response),
  'half a define': says(`define(${' '.repeat(400_000)}`),
}

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

  test('there are forty behaviours', () => assert.ok(Object.keys(behaviours).length >= 40))

  for (const [what, how] of Object.entries(behaviours))
    test(`${what} ends the look in time, and makes no false finding`, async () => {
      behaviour = how
      requests = mostDrips = 0
      const used = process.cpuUsage()
      const patience = { requests: 90, ms: 4000, timeoutMs: 250, silences: 3 }
      const target = { id: site.id, url, home: url, status: 'connected' as const, name: 'Garden' }
      const context = { ...here.world, workspaceId: here.workspaceId }
      const { found } = await checkFromOutside(context, target, undefined, { ...never, patience })
      const { user, system } = process.cpuUsage(used)
      assert.ok((user + system) / 1000 < 12_000, 'of the processor')
      assert.ok(requests <= patience.requests, `${requests} requests`)
      assert.ok(mostDrips * dripMs < patience.ms, `one answer was listened to for ${mostDrips} drips`)
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
    const patience = { requests: 90, ms: 60_000, timeoutMs: 100, silences: 3 }
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
