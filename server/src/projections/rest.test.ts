import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type RestAnswer, type TestWorld } from '../../test/world.ts'

describe('REST', () => {
  let here: TestWorld
  let write: string
  let read: string
  let backupId: string
  let site: Awaited<ReturnType<TestWorld['site']>>
  before(async () => {
    here = await aWorld()
    write = (await here.token('write')).token
    read = (await here.token('read')).token
    site = await here.site()
    const made = await here.call('backups.create', { site_id: site.id, type: 'db' })
    backupId = String(made.backup_id)
    await here.job(String(made.job_id))
  })
  after(() => here.close())

  const post = (path: string, body: unknown, options: { token?: string; headers?: Record<string, string> } = {}) =>
    here.rest('POST', `/api/v1${path}`, { token: write, body, ...options })
  /** As it stands; `fetch` would leave out what follows a # and the body of a GET. */
  const raw = (method: string, path: string, body: string) =>
    new Promise<RestAnswer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${write}`, 'content-type': 'application/json', 'content-length': body.length }
      const { port } = new URL(here.url)
      const sent = http.request({ host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers }, async (response) => {
        const text = (await response.toArray()).join('')
        const told = new Headers(response.headers as Record<string, string>)
        resolve({ status: response.statusCode ?? 0, headers: told, text, json: JSON.parse(text) })
      })
      sent.on('error', reject).end(body)
    })
  const rawPost = (path: string) => raw('POST', path, '{}')
  const rawGet = (path: string, body: string) => raw('GET', path, body)
  const backup = () => `/sites/${site.id}/backups/${backupId}`
  const get = (path: string, headers: Record<string, string> = {}) => here.rest('GET', `/api/v1${path}`, { token: write, headers })
  function isProblem(answer: RestAnswer, status: number, code: string, path?: string): void {
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
    const { type, title, detail, request_id, ...rest } = answer.json as unknown as Record<string, string> & { errors?: { path: string }[] }
    assert.equal(rest.status, status as never)
    assert.equal(rest.code, code)
    assert.ok(type && title && detail && request_id === answer.headers.get('x-request-id'))
    if (path !== undefined)
      assert.ok(
        rest.errors?.some((error) => error.path === path),
        answer.text,
      )
  }

  test('where nobody looked, a list that is a bare array says so in a header', async () => {
    const { id } = await here.site()
    const sites = 'Of 2 more sites nobody knows what was asked for, so they are left out.'
    const notices = [
      ['/sites?vulnerable=true', sites],
      [`/sites/${id}/security`, /^Nobody has looked for settings and accounts yet\. .*there is no feed of them\.$/],
      [`/sites/${id}/links`, 'Nobody has looked for broken links yet.'],
      [`/sites/${id}/errors`, 'Nobody has looked for PHP errors yet.'],
    ] as const
    for (const [path, told] of notices) {
      const { json, headers } = await get(path)
      assert.deepEqual(json, [], path)
      const notice = headers.get('svc-notice') ?? ''
      assert.ok(typeof told === 'string' ? notice === told : told.test(notice), `${path}: ${notice}`)
    }
    const since = await get('/sites?vulnerable=true&not_backed_up_since=2026-01-01')
    assert.match(since.headers.get('svc-notice') ?? '', /taken as UTC\. Of \d more sites? nobody knows what was asked for/)
    assert.equal((await get('/jobs')).headers.get('svc-notice'), null)
    await here.call('sites.remove', { site_id: id })
  })

  test('the list is a bare array of every site, with its total', async () => {
    const answer = await get('/sites')
    assert.ok(Array.isArray(answer.json))
    assert.equal(answer.headers.get('x-total-count'), '1')
    const [first] = answer.json as unknown as Record<string, unknown>[]
    assert.equal(first?.id, site.id)
    assert.ok(!answer.text.includes('service_key') && !answer.text.includes('site_public'))
  })

  test('whoever accepts the whole of a list gets it with its counts, told apart in every cache', async () => {
    const type = 'application/vnd.svc.list+json'
    const ask = (headers: Record<string, string>) => here.rest('GET', '/api/v1/sites', { token: read, headers })
    const [bare, whole] = [await ask({}), await ask({ accept: `text/plain, ${type};q=0.9` })]
    assert.equal(whole.headers.get('content-type'), `${type}; charset=utf-8`)
    for (const { headers } of [bare, whole]) assert.equal(headers.get('vary'), 'accept, accept-encoding, sec-fetch-site')
    assert.notEqual(bare.headers.get('etag'), whole.headers.get('etag'))
    const { sites, counts, total } = whole.json as unknown as { sites: unknown[]; counts: { status: object }; total: number }
    assert.deepEqual([sites, total, counts.status], [bare.json, 1, { connected: 1 }])
    const same = await ask({ accept: type, 'if-none-match': whole.headers.get('etag') ?? '' })
    assert.equal(same.status, 304)
    for (const accept of ['*/*', 'application/json', `${type}x`]) assert.ok(Array.isArray((await ask({ accept })).json), accept)
  })

  test('one site is the same as in the list, and is found by its domain too', async () => {
    const [listed] = (await get('/sites')).json as unknown[]
    assert.deepEqual((await get(`/sites/${site.id}`)).json, listed)
    assert.deepEqual((await get(`/sites/${encodeURIComponent(new URL(site.fake.url).host)}`)).json, listed)
  })

  test('a page ends with a link to the next one, and the pages make the whole', async () => {
    for (let n = 0; n < 5; n++) await post(`/sites/${site.id}/activity`, { summary: `Work ${n}` })
    const all = (await get('/activity?limit=200')).json as unknown as { id: string }[]
    const seen: string[] = []
    for (let path: string | undefined = '/api/v1/activity?limit=2'; path; ) {
      const answer: RestAnswer = await here.rest('GET', path, { token: read })
      seen.push(...(answer.json as unknown as { id: string }[]).map(({ id }) => id))
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    )
  })

  test('an answer that did not change is not sent again', async () => {
    const first = await get(`/sites/${site.id}`)
    const etag = first.headers.get('etag') ?? ''
    const second = await get(`/sites/${site.id}`, { 'if-none-match': etag })
    assert.equal(second.status, 304)
    assert.equal(second.text, '')
    await post(`/sites/${site.id}/actions`, { action: 'ping' })
    assert.equal((await get(`/sites/${site.id}`, { 'if-none-match': etag })).status, 200)
  })

  test('plugins beside another action than update mean nothing, as the specification has it', async () => {
    const told = await post(`/sites/${site.id}/actions`, { action: 'ping', plugins: ['a/a.php'] })
    assert.deepEqual([told.status, (told.json as unknown as { ok: boolean }).ok], [200, true])
    const login = await post(`/sites/${site.id}/actions`, { action: 'login', plugins: 'whatever' })
    assert.equal(login.status, 200)
  })

  test('what was written is read at once', async () => {
    const { json } = await post(`/sites/${site.id}/backups`, {})
    const job = json as unknown as { job_id: string; backup_id: string }
    const now = (await get(`/sites/${site.id}`)).json as unknown as { last_backup: { id: string } }
    assert.equal(now.last_backup.id, job.backup_id)
    await here.job(job.job_id)
  })

  test('work that lasts is answered with 202 and where to look', async () => {
    const answer = await post(`/sites/${site.id}/backups`, { type: 'db' })
    assert.equal(answer.status, 202)
    const { job_id, status } = answer.json as unknown as { job_id: string; status: string }
    assert.equal(answer.headers.get('location'), `/api/v1/jobs/${job_id}`)
    assert.equal(status, 'queued')
    assert.equal((await here.job(job_id)).status, 'completed')
  })

  test('an idempotency key is replayed byte for byte and marked so', async () => {
    const headers = { 'idempotency-key': 'once-1' }
    const first = await post(`/sites/${site.id}/activity`, { summary: 'Once' }, { headers })
    const second = await post(`/sites/${site.id}/activity`, { summary: 'Once' }, { headers })
    assert.equal(second.text, first.text)
    assert.equal(second.status, 201)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    isProblem(await post(`/sites/${site.id}/activity`, { summary: 'Twice' }, { headers }), 422, 'idempotency_mismatch')
    isProblem(await post(`/sites/${site.id}/activity`, { summary: 'x' }, { headers: { 'idempotency-key': 'a b' } }), 400, 'invalid_payload')
  })

  test('every answer names its request and carries the budget', async () => {
    const { headers } = await get('/sites')
    assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/)
    assert.match(headers.get('ratelimit-policy') ?? '', /^"calls";q=\d+;w=\d+$/)
    assert.match(headers.get('ratelimit') ?? '', /^"calls";r=\d+;t=\d+$/)
  })

  const refusals: [string, () => Promise<RestAnswer>, number, string, string?][] = [
    ['a read token that writes', () => post(`/sites/${site.id}/backups`, {}, { token: read }), 403, 'insufficient_scope'],
    ['a read token that writes nonsense', () => post(`/sites/${site.id}/backups`, '{{{', { token: read }), 403, 'insufficient_scope'],
    [
      'a read token that asks for a login',
      () => post(`/sites/${site.id}/actions`, { action: 'login' }, { token: read }),
      403,
      'insufficient_scope',
    ],
    ['a token that manages', () => post('/tokens', { name: 'x', scope: 'write' }), 403, 'insufficient_scope'],
    ['an unknown field', () => post(`/sites/${site.id}/backups`, { typ: 'db' }), 400, 'invalid_payload', 'typ'],
    ['a wrong type', () => post(`/sites/${site.id}/backups`, { type: 7 }), 400, 'invalid_payload', 'type'],
    ['a value that is not one of them', () => post(`/sites/${site.id}/backups`, { type: 'all' }), 400, 'invalid_payload', 'type'],
    ['a site id in the body', () => post(`/sites/${site.id}/backups`, { site_id: 'other' }), 400, 'invalid_payload', 'site_id'],
    ['a body that is not JSON', () => post(`/sites/${site.id}/backups`, '{"type":'), 400, 'invalid_payload'],
    ['a body that is no object', () => post(`/sites/${site.id}/backups`, '[]'), 400, 'invalid_payload'],
    ['a body of null', () => post(`/sites/${site.id}/backups`, 'null'), 400, 'invalid_payload'],
    [
      'a body deeper than any sense',
      () => post(`/sites/${site.id}/backups`, `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      400,
      'invalid_payload',
    ],
    ['a prototype in the body', () => post(`/sites/${site.id}/backups`, '{"__proto__":{"type":"db"}}'), 400, 'invalid_payload'],
    ['an unknown action', () => post(`/sites/${site.id}/actions`, { action: 'explode' }), 400, 'invalid_payload', 'action'],
    ['no action', () => post(`/sites/${site.id}/actions`, {}), 400, 'invalid_payload', 'action'],
    [
      'a field of another action',
      () => post(`/sites/${site.id}/actions`, { action: 'ping', plugins: ['a/a.php'], core: true }),
      400,
      'invalid_payload',
      'core',
    ],
    [
      'a plugin that is not installed',
      () => post(`/sites/${site.id}/actions`, { action: 'update', plugins: ['no/no.php'] }),
      400,
      'invalid_payload',
      'plugins.0',
    ],
    [
      'an empty list of plugins',
      () => post(`/sites/${site.id}/actions`, { action: 'update', plugins: [] }),
      400,
      'invalid_payload',
      'plugins',
    ],
    ['a huge body', () => post(`/sites/${site.id}/activity`, { summary: 'x'.repeat(70_000) }), 413, 'payload_too_large'],
    [
      'a form',
      () => post(`/sites/${site.id}/backups`, 'type=db', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      'unsupported_media_type',
    ],
    ['a site that never was', () => get('/sites/site_01k0000000000000000000000a'), 404, 'not_found'],
    ['a site id of nonsense', () => get('/sites/..%2f..%2fetc'), 404, 'not_found'],
    ['a site id with a NUL', () => get('/sites/a%00b'), 400, 'invalid_payload'],
    ['a site id of 5,000 characters', () => get(`/sites/${'a'.repeat(5000)}`), 404, 'not_found'],
    ['a job id of nonsense', () => get('/jobs/1'), 400, 'invalid_payload', 'job_id'],
    ['a limit of zero', () => get('/activity?limit=0'), 400, 'invalid_payload', 'limit'],
    ['a limit that is no number', () => get('/activity?limit=many'), 400, 'invalid_payload', 'limit'],
    ['a limit below zero', () => get('/activity?limit=-1'), 400, 'invalid_payload', 'limit'],
    ['a half limit', () => get('/activity?limit=1.5'), 400, 'invalid_payload', 'limit'],
    ['an unknown query', () => get('/sites?colour=red'), 400, 'invalid_payload', 'colour'],
    ['a query given twice', () => get('/sites?q=a&q=b'), 400, 'invalid_payload', 'q'],
    ['a query given twice in two spellings', () => get('/sites?q=a&%71=b'), 400, 'invalid_payload', 'q'],
    ['an empty query', () => get('/sites?q='), 400, 'invalid_payload', 'q'],
    ['a query in bytes that are no text', () => get('/sites?q=%ff'), 400, 'invalid_payload'],
    ['a query without a name', () => get('/sites?=true'), 400, 'invalid_payload', ''],
    ['a number with zeros before it', () => get('/activity?limit=010'), 400, 'invalid_payload', 'limit'],
    ['a cursor that is none', () => get('/sites?cursor=abc&limit=1'), 400, 'invalid_payload', 'cursor'],
    ['a kind of job that there is not', () => get('/jobs?type=bakcup'), 400, 'invalid_payload', 'type'],
    ['a check that there is not', () => get('/security?check=nope'), 400, 'invalid_payload', 'check'],
    ['a dry run asked for in the query', () => post(`${backup()}/restore?dry_run=true`, {}), 400, 'invalid_payload', 'dry_run'],
    ['a dry run asked for behind a #', () => rawPost(`${backup()}/restore#dry_run=true`), 400, 'invalid_payload', 'dry_run'],
    [
      'a dry run asked for in a header',
      () => post(`${backup()}/restore`, {}, { headers: { 'dry-run': 'true' } }),
      400,
      'invalid_payload',
      'dry_run',
    ],
    ['a dry run asked for twice', () => post(`${backup()}/restore`, '{"dry_run":true,"dry_run":false}'), 400, 'invalid_payload', 'dry_run'],
    [
      'a dry run asked for twice in two spellings',
      () => post(`${backup()}/restore`, '{"dry_run":true,"\\u0064ry_run":false}'),
      400,
      'invalid_payload',
      'dry_run',
    ],
    [
      'what to update named in the query',
      () => post(`/sites/${site.id}/actions?plugins=a`, { action: 'update' }),
      400,
      'invalid_payload',
      'plugins',
    ],
    ['a type of backup in the query', () => post(`/sites/${site.id}/backups?type=db`, {}), 400, 'invalid_payload', 'type'],
    [
      'an entry made internal in the query',
      () => post(`/sites/${site.id}/activity?internal=true`, { summary: 'x' }),
      400,
      'invalid_payload',
      'internal',
    ],
    ['an action in the query', () => post(`/sites/${site.id}/actions?action=ping`, { action: 'update' }), 400, 'invalid_payload', 'action'],
    ['two actions', () => post(`/sites/${site.id}/actions`, '{"action":"ping","action":"update"}'), 400, 'invalid_payload', 'action'],
    ['a site id in the query', () => post(`/sites/${site.id}/backups?site_id=other`, {}), 400, 'invalid_payload', 'site_id'],
    [
      'an idempotency key in the query',
      () => post(`/sites/${site.id}/backups?idempotency_key=k`, {}),
      400,
      'invalid_payload',
      'idempotency_key',
    ],
    ['a filter in the body of a GET', () => rawGet('/sites', '{"status":"paused"}'), 400, 'invalid_payload', ''],
    [
      'a body in another character set',
      () => post(`/sites/${site.id}/backups`, '{}', { headers: { 'content-type': 'application/json; charset=utf-16' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'a body that says it is compressed',
      () => post(`/sites/${site.id}/backups`, '{}', { headers: { 'content-encoding': 'gzip' } }),
      415,
      'unsupported_media_type',
    ],
    ['a path that is not there', () => get('/nothing'), 404, 'not_found'],
    ['no token', () => here.rest('POST', `/api/v1/sites/${site.id}/backups`, { body: '{{{' }), 401, 'unauthenticated'],
  ]
  for (const [what, ask, status, code, path] of refusals)
    test(`${what} is a clear problem and changes nothing`, async () => {
      const before = await stateOf(here.world)
      isProblem(await ask(), status, code, path)
      assert.equal(await stateOf(here.world), before)
    })

  test('what is refused is told what it may be, in words of our own', async () => {
    const told = async (answer: Promise<RestAnswer>) => (await answer).json as unknown as { errors: { path: string; message: string }[] }
    const messages = async (answer: Promise<RestAnswer>) => (await told(answer)).errors.map(({ message }) => message).join(' ')
    assert.match(await messages(get('/jobs?type=bakcup')), /^Must be one of backup, .*, verify_backup\.$/)
    assert.match(await messages(get('/security?check=nope')), /^Must be one of .*xmlrpc/)
    assert.equal(await messages(post(`/sites/${site.id}/backups`, { type: 'all' })), 'Must be one of full, db, files.')
    assert.equal(await messages(post(`/sites/${site.id}/backups`, { type: 7 })), 'Must be one of full, db, files.')
    assert.equal(await messages(post(`/sites/${site.id}/actions`, { action: 'login', user: ' ' })), 'Must not be empty.')
    assert.equal(await messages(post(`/sites/${site.id}/activity`, {})), 'It is missing.')
    assert.equal(await messages(post(`${backup()}/restore`, { dry_run: 1 })), 'Must be true or false.')
    assert.equal(await messages(post(`${backup()}/restore`, { dry_run: 'true' })), 'Must be true or false.')
    assert.equal(await messages(get('/jobs/job_01k0000000000000000000000a?wait_seconds=99')), 'Must be at most 25.')
    assert.equal(await messages(post(`/sites/${site.id}/backups?type=db`, {})), 'Put it into the body, not into the query.')
  })

  test('a limit above the cap is cut, not refused', async () => {
    assert.equal((await get('/activity?limit=100000')).status, 200)
  })

  test('another workspace’s site is answered byte for byte like one that never was', async () => {
    const theirs = (await here.site(await here.workspace('Theirs'))).id
    const strip = (answer: RestAnswer) => answer.text.replace(/req_[0-9a-f]+/g, '')
    for (const path of ['', '/backups', '/activity', '/inventory']) {
      const [foreign, random] = [await get(`/sites/${theirs}${path}`), await get(`/sites/site_01k0000000000000000000000a${path}`)]
      assert.equal(foreign.status, 404)
      assert.equal(strip(foreign), strip(random))
    }
  })

  test('a caller over its budget is told when to come back', async () => {
    const slow = await aWorld({ SERVICE_CALLS_PER_MINUTE: '60' })
    const { token } = await slow.token('read')
    const answers = await Promise.all(Array.from({ length: 30 }, () => slow.rest('GET', '/api/v1/sites', { token })))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length >= 5, `${refused.length} refused`)
    for (const answer of refused) {
      isProblem(answer, 429, 'rate_limited')
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    }
    await slow.close()
  })

  test('a header that never ends does not hold a connection', async () => {
    const { port, hostname } = new URL(here.url)
    const socket = net.connect(Number(port), hostname)
    socket.write('GET /api/v1/sites HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    let text = ''
    await new Promise((resolve) =>
      socket
        .on('data', (part) => {
          text += part
        })
        .once('close', resolve)
        .on('error', () => undefined),
    )
    assert.match(text, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
    assert.equal(here.server.server.headersTimeout, 10_000)
  })
})
