import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from '../../test/self-signed.ts'
import { isPrivateAddress, isPublicAddress } from './address.ts'
import { FetchError } from './fetch-error.ts'
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const SPECIAL_V4 =
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3 127.255.255.254 168.63.129.16
  169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`.split(
    /\s+/,
  )
const SPECIAL_V6 =
  `:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:93.184.215.14 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:20::1
  2001:db8::1 2002:7f00:1::1 2620:4f:8000::1 3ffe::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fec0::1 ff02::1 ffff::1`.split(
    /\s+/,
  )
const SPECIAL = [...SPECIAL_V4, ...SPECIAL_V6]
const PUBLIC = ['93.184.215.14', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::200e']

/** A listener that must never be reached, and a guarded client that would reach it by dialling any special address. */
async function canary(resolve: (hostname: string) => Promise<string[]>, options: GuardedFetchOptions = {}) {
  const reached = { connections: 0, bytes: 0, dialled: [] as string[], resolved: 0 }
  const server = createTcpServer((socket) => {
    reached.connections++
    socket.on('error', () => {}).on('data', (bytes) => (reached.bytes += bytes.length))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const guarded = createGuardedFetch({
    resolve: async (hostname) => {
      reached.resolved++
      return resolve(hostname)
    },
    dial: (address) => {
      reached.dialled.push(address)
      return connect({ host: '127.0.0.1', port: SPECIAL.includes(address) ? port : 9 })
    },
    ...options,
  })
  const stop = async () => {
    await guarded.close()
    server.close()
  }
  return { reached, fetch: guarded.fetch, stop, port }
}

const get = (url: string) => ({ method: 'GET', url, maxBytes: 1_000, timeoutMs: 2_000 }) as const
const reasonOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof FetchError, `a FetchError, not ${String(error)}`)
  return error.reason
}
const literal = (address: string) => (address.includes(':') ? `https://[${address}]/` : `https://${address}/`)
const mapped = (address: string) => (address.includes(':') ? address : `::ffff:${address}`)

describe('an address that is not public', () => {
  for (const address of SPECIAL) {
    test(`${address} is not dialled in any disguise`, async () => {
      const ways: [url: string, answer: string[]][] = [
        [literal(address), []],
        ['https://a.example/', [address]],
        ['https://aaaa.example/', [mapped(address)]],
        ['https://mixed.example/', ['93.184.215.14', address]],
        ['https://mixed.example/', [address, '2606:4700::1111']],
      ]
      for (const [url, answer] of ways) {
        const { reached, fetch, stop } = await canary(async () => answer)
        assert.equal(await reasonOf(fetch(get(url))), 'blocked_address', url)
        assert.deepEqual([reached.connections, reached.dialled], [0, []])
        await stop()
      }
    })

    test(`${address} is not dialled when DNS gives it on the second question`, async () => {
      let asked = 0
      const { reached, fetch, stop } = await canary(async () => (asked++ === 0 ? ['93.184.215.14'] : [address]))
      assert.equal(await reasonOf(fetch(get('https://rebind.example/'))), 'connect')
      assert.deepEqual([reached.resolved, reached.dialled, reached.connections], [1, ['93.184.215.14'], 0])
      await stop()
    })
  }

  test('is refused by the table, and public ones are not', () => {
    assert.ok(SPECIAL.length >= 51)
    assert.deepEqual(SPECIAL.filter(isPublicAddress), [])
    assert.deepEqual(
      PUBLIC.filter((address) => !isPublicAddress(address)),
      [],
    )
    assert.equal(isPublicAddress('fe80::1%lo'), false)
    assert.equal(isPublicAddress('localhost'), false)
  })
})

test('metadata services, multicast and mapped addresses stay shut even for intranets', () => {
  const open = SPECIAL.filter(isPrivateAddress)
  const expected = [
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.1.2.3',
    '127.255.255.254',
    '172.16.0.1',
  ]
  assert.deepEqual(open, [...expected, '172.31.255.255', '192.168.0.1', '192.168.255.255', '::1', 'fc00::1', 'fd00:ec2::254', 'fdff::1'])
})

test('other spellings of loopback, user names, ports and schemes are refused without a connection', async () => {
  const hosts = [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127.0.0.1.',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '%31%32%37.0.0.1',
  ]
  const urls = [
    'https://a@127.0.0.1/',
    'https://a\\@127.0.0.1/',
    'https://good.example\\@127.0.0.1/',
    'https://u:p@good.example/',
    'http://good.example/',
  ]
  const more = [
    'https://good.example:22/',
    'https://good.example:6379/',
    'file:///etc/passwd',
    'ftp://good.example/',
    'https://good.example/\r\nHost: x',
    'nonsense',
    '',
  ]
  const { reached, fetch, stop } = await canary(async (hostname) => [hostname.replace(/\.$/, '')].map(() => '127.0.0.1'))
  for (const url of [...hosts.map((host) => `https://${host}/`), ...urls, ...more]) {
    assert.equal(await reasonOf(fetch(get(url))), 'blocked_address', url)
  }
  assert.deepEqual(reached.dialled, [])
  await stop()
})

test('a socket that ends up somewhere else than was dialled gets no byte', async () => {
  const { reached, fetch, stop, port } = await canary(async () => ['93.184.215.14'], { dial: () => connect({ host: '127.0.0.1', port }) })
  assert.equal(await reasonOf(fetch(get('https://hijacked.example/'))), 'blocked_address')
  await sleep(20)
  assert.equal(reached.bytes, 0)
  await stop()
})

test('a name without addresses, an unknown name and a silent resolver are told as DNS', async () => {
  const none = await canary(async () => [])
  assert.equal(await reasonOf(none.fetch(get('https://none.example/'))), 'dns')
  const unknown = await canary(() => Promise.reject(new Error('ENOTFOUND')))
  assert.equal(await reasonOf(unknown.fetch(get('https://unknown.example/'))), 'dns')
  await Promise.all([none.stop(), unknown.stop()])
})

describe('with private sites allowed', () => {
  let handler: RequestListener = (_, response) => response.end('hello')
  let connections = 0
  const server = createServer((request, response) => handler(request, response)).on('connection', () => connections++)
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

  test('redirects are answers and are not followed', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { reached, port, stop } = await canary(async () => [])
      handler = (_, response) => response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
      const answer = await guarded.fetch(get(url))
      assert.deepEqual([answer.status, answer.headers.location, reached.connections], [status, `http://127.0.0.1:${port}/`, 0])
      await stop()
    }
  })

  test('a proxy named in the environment is not used', async () => {
    const { reached, port, stop } = await canary(async () => [])
    const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']
    for (const name of names) process.env[name] = `http://127.0.0.1:${port}`
    handler = (_, response) => response.end('direct')
    assert.equal((await guarded.fetch(get(url))).body.toString(), 'direct')
    assert.equal(reached.connections, 0)
    for (const name of names) delete process.env[name]
    await stop()
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
      const start = performance.now()
      assert.equal(await reasonOf(guarded.fetch({ ...get(url), timeoutMs: 100 })), 'timeout')
      assert.ok(performance.now() - start < 1_000)
    }
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
    handler = async (_, response) => {
      most = Math.max(most, ++running)
      await sleep(20)
      running--
      response.end()
    }
    const { port } = new URL(url)
    const many = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'] })
    await Promise.all(Array.from({ length: 24 }, (_, i) => many.fetch(get(`http://site-${i % 6}.example:${port}/`))))
    assert.equal(most, 4)
    await many.close()
  })

  test('who waits too long for a turn is told so, and nothing is stuck afterwards', async () => {
    handler = (_, response) => void setTimeout(() => response.end(), 150)
    const narrow = createGuardedFetch({ allowPrivate: true, perAddress: 1 })
    const first = narrow.fetch(get(url))
    assert.equal(await reasonOf(narrow.fetch({ ...get(url), timeoutMs: 30 })), 'timeout')
    await first
    assert.equal((await narrow.fetch(get(url))).status, 200)
    await narrow.close()
  })

  test('another address of the host is tried when the first does not accept a connection', async () => {
    handler = (_, response) => response.end('second')
    const { port } = new URL(url)
    const two = createGuardedFetch({ allowPrivate: true, resolve: async () => ['127.9.9.9', '127.0.0.1'] })
    assert.equal((await two.fetch(get(`http://two.example:${port}/`))).address, '127.0.0.1')
    await two.close()
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
