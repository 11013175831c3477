import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { settle, until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

const { SLOW_CLIENTS = '200' } = process.env

/** What no polite client sends. */
describe('the HTTP server', () => {
  let here: TestWorld
  let token: string
  let site: string
  before(async () => {
    here = await aWorld()
    token = (await here.token('write')).token
    site = (await here.site()).id
  })
  after(async () => {
    assert.deepEqual(
      here.logs.filter((line) => JSON.parse(line).level >= 50),
      [],
      'nothing of it was an error of ours',
    )
    await here.close()
  })

  const connect = () => net.connect({ port: Number(new URL(here.url).port), host: '127.0.0.1' })
  /** Asked behind the others on a connection, answers are in order: what comes before its answer is all that came of them. */
  const last = ['GET /connector/svc-connector.zip HTTP/1.1', 'Host: service', 'Connection: close', '', ''].join('\r\n')
  const ofLast = /HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*content-type: application\/zip\r\n[\s\S]*$/i
  /** Sends the bytes as they are, and a last request once `answers` have come; what comes until the connection ends, without that one's. Where nothing is sent behind them it is ended then. */
  async function raw(bytes: string | Buffer, answers = 1, behind = last): Promise<string> {
    const socket = connect()
    let text = ''
    let closed = false
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      closed = true
    })
    socket.write(bytes)
    await until(() => closed || statuses(text).length >= answers)
    if (behind === '') socket.destroy()
    else if (!closed) socket.write(behind)
    await until(() => closed)
    return text.replace(ofLast, '')
  }
  /** Even what no handler ever saw is a problem with a body, and names its request. */
  const isProblem = (text: string, code: string) => {
    const [top = '', body = ''] = text.split('\r\n\r\n')
    const headers = new Map(
      top
        .split('\r\n')
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(headers.get('content-length'), String(body.length))
    const problem = JSON.parse(body) as { code: string; request_id: string }
    assert.equal(problem.code, code)
    assert.match(problem.request_id, /^req_[0-9a-f]{32}$/)
    assert.equal(problem.request_id, headers.get('x-request-id'))
  }
  const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  const head = (line: string, ...more: string[]) => [line, 'Host: service', `Authorization: Bearer ${token}`, ...more, '', ''].join('\r\n')
  const body = '{"summary":"Swept the path"}'
  const post = (...more: string[]) => head(`POST /api/v1/sites/${site}/activity HTTP/1.1`, 'Content-Type: application/json', ...more)
  const entries = async () => Number((await here.rest('GET', '/api/v1/activity?limit=1', { token })).headers.get('x-total-count'))

  test('many requests on one connection without waiting are answered in their order', async () => {
    const paths = ['/healthz', '/api/v1/sites', '/nothing', '/api/v1/jobs', '/healthz']
    const text = await raw(paths.map((path) => head(`GET ${path} HTTP/1.1`)).join(''), 5)
    assert.deepEqual(statuses(text), [200, 200, 404, 200, 200])
  })

  test('a method that a known path does not take is 405 and names those it takes', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/api/v1/sites', 'GET, HEAD'],
      ['OPTIONS', `/api/v1/sites/${site}/backups?x=1`, 'GET, HEAD, POST'],
      ['TRACE', '/healthz', 'GET, HEAD'],
      ['PROPFIND', '/docs', 'GET, HEAD'],
      ['GET', `/api/v1/sites/${site}/actions`, 'POST'],
      ['HEAD', `/api/v1/sites/${site}/backups/backup_x/download`, 'GET'],
    ] as const) {
      const text = await raw(head(`${method} ${path} HTTP/1.1`))
      assert.deepEqual(statuses(text), [405], `${method} ${path}`)
      assert.match(text, new RegExp(`^allow: ${allow}\r$`, 'im'))
    }
    assert.deepEqual(statuses(await raw(head('PUT /nothing HTTP/1.1'))), [404])
  })

  test('whoever looks for a sign-in service finds JSON that says there is none', async () => {
    const urls = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/api/mcp',
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/api/mcp',
      '/api/mcp/.well-known/openid-configuration',
      '/register',
    ]
    for (const url of urls)
      for (const method of ['GET', 'POST']) {
        const reply = await fetch(here.url + url, {
          method,
          ...(method === 'POST' && { headers: { 'content-type': 'text/plain' }, body: 'x' }),
        })
        assert.equal(reply.status, 404, `${method} ${url}`)
        assert.equal(((await reply.json()) as { error: string }).error, 'not_found')
        assert.equal(reply.headers.get('www-authenticate'), null)
      }
  })

  test('HEAD is GET without the body', async () => {
    for (const path of ['/api/v1/sites', `/api/v1/sites/${site}`, '/healthz', '/docs', '/connector/svc-connector.zip']) {
      const [get, headed] = await Promise.all([here.rest('GET', path, { token }), here.rest('HEAD', path, { token })])
      assert.equal(headed.status, 200, path)
      assert.equal(headed.text, '')
      assert.equal(headed.headers.get('etag'), get.headers.get('etag'))
      assert.equal(headed.headers.get('content-length'), get.headers.get('content-length'))
    }
  })

  test('Expect: 100-continue is answered before the body, another expectation is refused', async () => {
    const text = await raw(`${post(`Content-Length: ${body.length}`, 'Expect: 100-continue')}${body}`, 2)
    assert.deepEqual(statuses(text), [100, 201])
    assert.equal(statuses(await raw(post('Content-Length: 0', 'Expect: 200-maybe')))[0], 417)
  })

  test('what could mean two requests to two servers is one refusal', async () => {
    const hidden = `GET /api/v1/sites HTTP/1.1\r\nHost: service\r\n\r\n`
    const before = await entries()
    for (const request of [
      `${post('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${hidden}`,
      `${post('Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n${hidden}`,
      `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n${hidden}`,
      `${post('Transfer-Encoding: xchunked')}0\r\n\r\n${hidden}`,
      `${post('Content-Length: 3', 'Content-Length: 4')}abc${hidden}`,
      `${post('Content-Length: +3')}abc${hidden}`,
      `${post('Content-Length: 3, 3')}abc${hidden}`,
      `${post('Content-Length : 3')}abc${hidden}`,
      `${post('Content-Length: -1')}${hidden}`,
      `${post('Transfer-Encoding: chunked')}zz\r\nabc\r\n0\r\n\r\n${hidden}`,
      `GET /healthz HTTP/1.1\nHost: service\n Content-Length: 3\n\nabc${hidden}`,
      `GET /healthz HTTP/1.1\r\nHost: service\r\nX: a\u0000b\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\n\r\n`,
      `GET /healthz HTTP/9.9\r\nHost: service\r\n\r\n`,
      'garbage\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    ]) {
      const answer = await raw(request)
      assert.deepEqual(statuses(answer), [400], JSON.stringify(request))
      isProblem(answer, 'invalid_payload')
    }
    assert.equal(await entries(), before)
  })

  test('HTTP/1.0 and absolute targets are understood, CONNECT and upgrades are not followed', async () => {
    assert.match(await raw('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/)
    assert.deepEqual(statuses(await raw(head('GET http://service/healthz HTTP/1.1'))), [200])
    assert.deepEqual(statuses(await raw(head('CONNECT 127.0.0.1:22 HTTP/1.1'))), [])
    assert.deepEqual(statuses(await raw(head('GET /healthz HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'))), [200])
  })

  test('odd spellings of a path lead nowhere else', async () => {
    for (const path of [
      '//api/v1/sites',
      '/api/v1/sites/',
      '/api//v1/sites',
      '/api/v1/../v1/sites',
      '/api/v1/%73ites%2f',
      '/api/v1/sites%00',
      '/%',
      '/%zz',
      '/\\api',
      '/api/v1/sites;a=b',
    ]) {
      const found = statuses(await raw(head(`GET ${path} HTTP/1.1`)))
      assert.ok(found.length === 1 && [400, 404].includes(found[0] ?? 0), `${path} ${found}`)
    }
  })

  test('headers that are too many or too large are 431, a target that is too long as well', async () => {
    for (const request of [
      head('GET /healthz HTTP/1.1', `X-Large: ${'a'.repeat(20_000)}`),
      head(`GET /healthz?${'a'.repeat(20_000)} HTTP/1.1`),
    ]) {
      const answer = await raw(request)
      assert.deepEqual(statuses(answer), [431])
      isProblem(answer, 'headers_too_large')
    }
  })

  test('a body that never ends, or ends too early, changes nothing and harms nobody', async () => {
    const before = await entries()
    for (const sent of [
      `${post('Content-Length: 1000')}${body}`,
      `${post('Transfer-Encoding: chunked')}5\r\n{"sum`,
      post('Content-Length: 1000'),
    ]) {
      const accepted = once(here.server.server, 'connection') as Promise<[net.Socket]>
      const socket = connect()
      socket.on('error', () => {})
      const [there] = await accepted
      await new Promise((written) => socket.write(sent, written))
      await until(() => there.bytesRead === Buffer.byteLength(sent))
      await settle()
      socket.destroy()
      await until(() => there.destroyed)
    }
    assert.equal(await entries(), before)
    assert.equal((await here.rest('POST', `/api/v1/sites/${site}/activity`, { token, body })).status, 201)
  })

  test('a body that says it is too large is refused before it is read', async () => {
    const mcp = head('POST /api/mcp HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 9999999')
    // What is sent behind it would be the body.
    for (const request of [post('Content-Length: 9999999'), mcp]) assert.deepEqual(statuses(await raw(request, 1, '')), [413])
  })

  test(`${SLOW_CLIENTS} clients that drip their requests do not starve the others`, async () => {
    // The first may have been cut off when the last one comes.
    let accepted = 0
    const count = () => void accepted++
    here.server.server.on('connection', count)
    const slow = Array.from({ length: Number(SLOW_CLIENTS) }, (_, n) => {
      const socket = connect()
      socket.on('error', () => {})
      socket.write(n % 2 ? 'GET /healthz HTTP/1.1\r\nHost: s' : post('Content-Length: 1000'))
      return socket
    })
    const drip = setInterval(() => {
      for (const socket of slow) socket.write('x')
    }, 100)
    await until(() => accepted >= slow.length)
    here.server.server.off('connection', count)
    for (let n = 0; n < 100; n++) assert.equal((await here.rest('GET', '/api/v1/sites', { token })).status, 200)
    clearInterval(drip)
    for (const socket of slow) socket.destroy()
  })
})
