import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { failureOf } from '../../test/failure.ts'
import { selfSigned } from '../../test/self-signed.ts'
import { until } from '../../test/until.ts'
import { FetchError } from './fetch-error.ts'
import { systemDial } from './guarded-connect.ts'
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

/** A listener that must never be reached. */
async function canary(t: TestContext) {
  const reached = { connections: 0 }
  const server = createTcpServer(() => reached.connections++)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.after(() => server.close())
  return { reached, port: (server.address() as AddressInfo).port }
}

/** As long as a busy machine takes; what is to be late says how long it is waited for. */
const get = (url: string) => ({ method: 'GET', url, maxBytes: 1_000, timeoutMs: 30_000 }) as const
const reasonOf = async (promise: Promise<unknown>) => (await failureOf(FetchError, promise)).reason

describe('with private sites allowed', () => {
  let handler: RequestListener = (_, response) => response.end('hello')
  let connections = 0
  // It closes none by itself while connections are counted.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => handler(request, response))
  server.on('connection', () => connections++)
  const guarded = createGuardedFetch({ allowPrivate: true })
  let url = ''
  before(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  after(async () => {
    await guarded.close()
    server.closeAllConnections()
    server.close()
  })

  test('an answer has status, headers and body, and the connection is used again', async () => {
    connections = 0
    for (let i = 0; i < 5; i++) {
      const { status, body, address } = await guarded.fetch(get(url))
      assert.deepEqual([status, body.toString(), address], [200, 'hello', '127.0.0.1'])
    }
    // One may be opened while the one before is not yet marked free.
    assert.ok(connections <= 2)
  })

  test('a body can be handed on piece by piece; then it is not kept, the cap holds, and what fails there is told as the cause', async () => {
    handler = (_, response) => response.end(Buffer.alloc(900, 0x61))
    const pieces: Buffer[] = []
    const into = async (piece: Buffer) => void pieces.push(piece)
    const { body } = await guarded.fetch({ ...get(url), into })
    assert.deepEqual([Buffer.concat(pieces).length, body.length], [900, 0])
    handler = (_, response) => response.end(Buffer.alloc(1_001, 0x61))
    assert.equal(await reasonOf(guarded.fetch({ ...get(url), into })), 'too_large')
    handler = (_, response) => response.end('x')
    const full = new Error('the disk is full')
    await assert.rejects(guarded.fetch({ ...get(url), into: () => Promise.reject(full) }), (error) => (error as Error).cause === full)
  })

  test('a request can be given up', async () => {
    handler = (_, response) => void response.write('begun')
    const giveUp = new AbortController()
    handler = (_, response) => void response.write('begun', () => giveUp.abort())
    // Without being given up it would end as `timeout`, a minute later.
    assert.notEqual(await reasonOf(guarded.fetch({ ...get(url), timeoutMs: 60_000, signal: giveUp.signal })), 'timeout')
  })

  test('whoever takes a body piece by piece gets all of it, one piece after another, also when the server is done long before', async () => {
    const sent = randomBytes(3_000_000)
    const ended = Promise.withResolvers<void>()
    handler = (_, response) => void response.end(sent, () => ended.resolve())
    const pieces: Buffer[] = []
    let taking = 0
    const into = async (piece: Buffer) => {
      assert.equal(taking++, 0)
      await new Promise(setImmediate)
      pieces.push(Buffer.from(piece))
      taking--
    }
    await guarded.fetch({ ...get(url), maxBytes: sent.length, into })
    await ended.promise
    assert.ok(Buffer.concat(pieces).equals(sent))
  })

  test('a body in parts is sent whole, and one that nobody reads to its end fails as the connection does', async () => {
    const parts = Array.from({ length: 40 }, () => randomBytes(50_000))
    handler = async (request, response) => {
      const read: Buffer[] = []
      for await (const piece of request) read.push(piece as Buffer)
      response.end(createHash('sha256').update(Buffer.concat(read)).digest('hex'))
    }
    const post = { ...get(url), method: 'POST', body: parts } as const
    const digest = createHash('sha256').update(Buffer.concat(parts)).digest('hex')
    assert.equal((await guarded.fetch(post)).body.toString(), digest)
    handler = (request) => void request.once('data', () => request.destroy())
    assert.equal(await reasonOf(guarded.fetch(post)), 'connect')
  })

  test('what was given up before its connection stands is not sent', async () => {
    const [dialling, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let asked = 0
    handler = (_, response) => {
      asked++
      response.end()
    }
    const slow = createGuardedFetch({
      allowPrivate: true,
      dial: (host, port) => {
        const socket = new Socket()
        void gate.promise.then(() => socket.connect({ host, port }))
        dialling.resolve()
        return socket
      },
    })
    const giveUp = new AbortController()
    const refused = Promise.all(
      ['connect', 'connect'].map(async (reason) =>
        assert.equal(await reasonOf(slow.fetch({ ...get(url), signal: giveUp.signal })), reason),
      ),
    )
    await dialling.promise
    giveUp.abort()
    await refused
    const arrived = once(server, 'connection') as Promise<[Socket]>
    gate.resolve()
    await once((await arrived)[0], 'close')
    assert.equal(asked, 0)
    await slow.close()
  })

  test('redirects are answers and are not followed', async (t) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { reached, port } = await canary(t)
      handler = (_, response) => response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
      const answer = await guarded.fetch(get(url))
      assert.deepEqual([answer.status, answer.headers.location, reached.connections], [status, `http://127.0.0.1:${port}/`, 0])
    }
  })

  test('a proxy named in the environment is not used', async (t) => {
    const { reached, port } = await canary(t)
    const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']
    for (const name of names) process.env[name] = `http://127.0.0.1:${port}`
    handler = (_, response) => response.end('direct')
    assert.equal((await guarded.fetch(get(url))).body.toString(), 'direct')
    assert.equal(reached.connections, 0)
    for (const name of names) delete process.env[name]
  })

  test('a body of exactly the cap is read, one byte more is refused, announced or not', async () => {
    for (const announced of [true, false]) {
      for (const size of [1_000, 1_001]) {
        handler = (_, response) => {
          if (announced) response.setHeader('content-length', size)
          response.write('x'.repeat(500))
          response.end('x'.repeat(size - 500))
        }
        if (size === 1_000) assert.equal((await guarded.fetch(get(url))).body.length, 1_000)
        else assert.equal(await reasonOf(guarded.fetch(get(url))), 'too_large')
      }
    }
  })

  test('the time limit holds before the headers and in the middle of the body', async () => {
    for (const begin of [false, true]) {
      handler = (_, response) => void (begin && response.write('x'))
      assert.equal(await reasonOf(guarded.fetch({ ...get(url), timeoutMs: 100 })), 'timeout')
    }
  })

  test('an answer of less than 1 KiB/s over 30 s is given up', async (t) => {
    handler = (_, response) => void response.write('x')
    t.mock.timers.enable({ apis: ['setInterval'] })
    const slow = guarded.fetch({ ...get(url), timeoutMs: 60_000 })
    const refused = assert.rejects(
      slow,
      (error) => error instanceof FetchError && error.reason === 'timeout' && /slowly/.test(error.message),
    )
    let over = false
    void refused.then(() => {
      over = true
    })
    await until(() => {
      t.mock.timers.tick(30_000)
      return over
    })
    await refused
  })

  test('a connection that breaks off is told as such', async () => {
    handler = (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.socket?.destroy())
    }
    assert.equal(await reasonOf(guarded.fetch(get(url))), 'connect')
  })

  test('a header sent twice becomes one value with a comma', async () => {
    handler = (_, response) =>
      response
        .writeHead(
          200,
          [
            ['x-two', 'a'],
            ['x-two', 'b'],
          ].flat(),
        )
        .end()
    assert.equal((await guarded.fetch(get(url))).headers['x-two'], 'a, b')
  })

  test('at most four requests at a time go to one address, whatever the host is called', async () => {
    let [running, most] = [0, 0]
    const [four, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    handler = async (request, response) => {
      if (request.url === '/later') return void response.end()
      most = Math.max(most, ++running)
      if (running === 4) four.resolve()
      await over.promise
      running--
      response.end()
    }
    const { port } = new URL(url)
    const many = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'] })
    const all = Array.from({ length: 24 }, (_, i) => many.fetch(get(`http://site-${i % 6}.example:${port}/`)))
    await four.promise
    // Whoever does not wait for a turn is served, those who ask later too: a fifth would have come by then.
    const others = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'] })
    for (let n = 0; n < 8; n++) await others.fetch(get(`http://later.example:${port}/later`))
    over.resolve()
    await Promise.all(all)
    assert.equal(most, 4)
    await Promise.all([many.close(), others.close()])
  })

  test('who waits too long for a turn is told so, and nothing is stuck afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    handler = (_, response) => void promise.then(() => response.end())
    const narrow = createGuardedFetch({ allowPrivate: true, limits: { perAddress: 1 } })
    const first = narrow.fetch(get(url))
    assert.equal(await reasonOf(narrow.fetch({ ...get(url), timeoutMs: 30 })), 'timeout')
    resolve()
    await first
    assert.equal((await narrow.fetch(get(url))).status, 200)
    await narrow.close()
  })

  test('what is given up throws why, as do those who wait for their turn and those who come later', async () => {
    const asked = Promise.withResolvers<void>()
    handler = () => asked.resolve()
    const stop = new AbortController()
    const narrow = createGuardedFetch({ allowPrivate: true, limits: { perAddress: 1 }, givenUp: stop.signal })
    const both = [narrow.fetch(get(url)), narrow.fetch(get(url))]
    await asked.promise
    const why = new Error('The service is stopping.')
    stop.abort(why)
    for (const each of [...both, narrow.fetch(get(url))]) await assert.rejects(each, why)
    await narrow.close()
  })

  test('another address of the host is tried when the first does not accept a connection', async () => {
    handler = (_, response) => response.end('second')
    const { port } = new URL(url)
    const two = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.9.9.9', '127.0.0.1'] })
    assert.equal((await two.fetch(get(`http://two.example:${port}/`))).address, '127.0.0.1')
    await two.close()
  })

  test('three addresses of a host are dialled, and all that DNS gave are told, with a failure too', async () => {
    const dialled: string[] = []
    handler = (_, response) => response.end('hello')
    const given = ['127.0.0.1', '127.0.0.5', '127.0.0.4', '127.0.0.3', '127.0.0.2']
    const pool = createGuardedFetch({
      allowPrivate: true,
      resolve: async () => given,
      dial: (address, port) => {
        dialled.push(address)
        return systemDial(address, port)
      },
    })
    const there = `http://pool.example:${new URL(url).port}/`
    assert.deepEqual((await pool.fetch(get(there))).addresses, given)
    dialled.length = 0
    given.push(given.shift() ?? '')
    assert.deepEqual((await failureOf(FetchError, pool.fetch(get(there)))).addresses, given)
    assert.deepEqual(dialled, ['127.0.0.5', '127.0.0.4', '127.0.0.3'])
    await pool.close()
  })

  test('a host whose first address answered badly is not asked at the next one', async () => {
    const { port } = new URL(url)
    let asked = 0
    handler = (_, response) => {
      asked++
      response.end(Buffer.alloc(2_000))
    }
    const two = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1', '127.9.9.9'] })
    assert.equal(await reasonOf(two.fetch(get(`http://two.example:${port}/`))), 'too_large')
    assert.equal(asked, 1)
    await two.close()
  })

  test('at most sixteen requests of all parties go to one address at a time', async () => {
    const { port } = new URL(url)
    const [full, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let [running, most] = [0, 0]
    handler = async (request, response) => {
      if (request.url === '/after') return void response.end()
      most = Math.max(most, ++running)
      if (running >= 16) full.resolve()
      await go.promise
      running--
      response.end()
    }
    const many = createGuardedFetch({ allowPrivate: true })
    const asked = Array.from({ length: 20 }, (_, n) =>
      many.fetch({ ...get(`http://127.0.0.1:${port}/`), timeoutMs: 30_000, party: `ws_${n}` }),
    )
    await full.promise
    // A seventeenth that was let in would be here before this one, which came later.
    await fetch(`${url}after`)
    go.resolve()
    await Promise.all(asked)
    assert.equal(most, 16)
    await many.close()
  })

  test('a connection that nobody has used for a while is closed', async (t) => {
    handler = (_, response) => response.end('x')
    const idle = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'] })
    const opened = once(server, 'connection') as Promise<[Socket]>
    const { port } = new URL(url)
    await idle.fetch(get(`http://one.example:${port}/`))
    const closed = once((await opened)[0], 'close')
    const later = performance.now() + 60_000
    t.mock.method(performance, 'now', () => later)
    await idle.fetch(get(`http://other.example:${port}/`))
    const before = connections
    await idle.fetch(get(`http://one.example:${port}/`))
    assert.equal(connections, before + 1, 'it takes a new one')
    await closed
    await idle.close()
  })
})

describe('over TLS', () => {
  const { cert, key } = selfSigned('garden.example')
  const server = createTlsServer({ cert, key }, (request, response) => response.end(request.headers.host))
  let port = 0
  before(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    port = (server.address() as AddressInfo).port
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const open = (options: GuardedFetchOptions) => createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'], ...options })

  test('a trusted certificate for the name, or for the literal address, is accepted', async () => {
    const { fetch, close } = open({ ca: cert })
    assert.equal((await fetch(get(`https://garden.example:${port}/`))).body.toString(), `garden.example:${port}`)
    assert.equal((await fetch(get(`https://127.0.0.1:${port}/`))).status, 200)
    await close()
  })

  test('whoever asks with times is told when the certificate ends that was shown, and nobody where there is none', async () => {
    const { fetch, close } = open({ ca: cert })
    const { timings, certificateEndsAt } = await fetch({ ...get(`https://garden.example:${port}/`), timed: true })
    assert.equal(certificateEndsAt?.toISOString(), new Date(new X509Certificate(cert).validTo).toISOString())
    assert.equal(typeof timings?.tlsMs, 'number')
    const plain = createServer((_, response) => response.end())
    await new Promise<void>((ready) => plain.listen(0, '127.0.0.1', ready))
    const without = await fetch({ ...get(`http://garden.example:${(plain.address() as AddressInfo).port}/`), timed: true })
    assert.deepEqual([without.certificateEndsAt, without.timings?.tlsMs], [undefined, null])
    await close()
    plain.close()
  })

  test('a certificate nobody vouches for, one for another name, and plain HTTP are told as TLS', async () => {
    const stranger = open({})
    assert.equal(await reasonOf(stranger.fetch(get(`https://garden.example:${port}/`))), 'tls')
    const trusting = open({ ca: cert })
    assert.equal(await reasonOf(trusting.fetch(get(`https://other.example:${port}/`))), 'tls')
    const plain = createServer((_, response) => response.end())
    await new Promise<void>((ready) => plain.listen(0, '127.0.0.1', ready))
    assert.equal(await reasonOf(trusting.fetch(get(`https://garden.example:${(plain.address() as AddressInfo).port}/`))), 'tls')
    await Promise.all([stranger.close(), trusting.close()])
    plain.close()
  })
})
