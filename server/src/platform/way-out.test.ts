import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createGuardedFetch } from './guarded-fetch.ts'
import { type Most, openWayOut, TooMuch, type WayOut } from './way-out.ts'

const credentials = ({ user, password }: Pick<WayOut, 'user' | 'password'>) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

describe('the way out of a browser', () => {
  const guarded = createGuardedFetch({ allowPrivate: true })
  let asked: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = []
  const site = createServer(({ url, headers }, answer) => {
    asked.push({ url, headers })
    if (url === '/endless') {
      const more = () => void (answer.destroyed || (answer.write(Buffer.alloc(65_536)) ? setImmediate(more) : answer.once('drain', more)))
      return more()
    }
    answer.setHeader('x-page', 'yes')
    answer.end('page')
  })
  const echo = createTcpServer((socket) => void socket.on('error', () => undefined).pipe(socket))
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
  before(async () => {
    for (const server of [site, echo]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
  })
  after(async () => {
    site.closeAllConnections()
    site.close()
    echo.close()
    await guarded.close()
  })

  async function withWay(work: (way: WayOut) => Promise<void>, most?: Most) {
    asked = []
    const way = await openWayOut(guarded.tunnel, most)
    await work(way).finally(() => way.close())
  }
  const get = async (way: WayOut, url: string, headers: Record<string, string> = { 'proxy-authorization': credentials(way) }) => {
    const sent = request({
      port: new URL(way.address).port,
      host: '127.0.0.1',
      path: url,
      headers: { host: 'x', ...headers },
      agent: false,
    }).end()
    const [answer] = await once(sent, 'response')
    let body = ''
    for await (const piece of answer) body += piece
    return { status: answer.statusCode, headers: answer.headers, body }
  }
  const tunnel = async (way: WayOut, host: string, headers: Record<string, string> = { 'proxy-authorization': credentials(way) }) => {
    const sent = request({ port: new URL(way.address).port, host: '127.0.0.1', method: 'CONNECT', path: host, headers, agent: false }).end()
    const [answer, socket] = await once(sent, 'connect')
    return { status: answer.statusCode, socket: socket as import('node:net').Socket }
  }

  test('who does not know the password of this sitting gets nothing and reaches nobody', async () => {
    await withWay(async (way) => {
      for (const headers of [
        {},
        { 'proxy-authorization': credentials({ user: 'lab', password: '' }) },
        { 'proxy-authorization': 'Basic' },
      ]) {
        const { status, headers: said } = await get(way, `http://127.0.0.1:${portOf(site)}/`, headers as Record<string, string>)
        assert.deepEqual([status, said['proxy-authenticate']], [407, 'Basic realm="lab"'])
        assert.equal((await tunnel(way, `127.0.0.1:${portOf(echo)}`, headers as Record<string, string>)).status, 407)
      }
      assert.deepEqual(asked, [])
      assert.equal((await get(way, way.door)).status, 200)
    })
  })

  test('a page comes as it is, and the site hears nothing of the proxy', async () => {
    await withWay(async (way) => {
      const { status, headers, body } = await get(way, `http://127.0.0.1:${portOf(site)}/a?b`)
      assert.deepEqual([status, headers['x-page'], body], [200, 'yes', 'page'])
      assert.equal(asked[0]?.url, '/a?b')
      assert.deepEqual([asked[0]?.headers.host, asked[0]?.headers['proxy-authorization']], [`127.0.0.1:${portOf(site)}`, undefined])
    })
  })

  test('a tunnel passes on what is said in it', async () => {
    await withWay(async (way) => {
      const { status, socket } = await tunnel(way, `127.0.0.1:${portOf(echo)}`)
      assert.equal(status, 200)
      socket.write('hello')
      assert.equal(String((await once(socket, 'data'))[0]), 'hello')
      way.close()
      await once(socket, 'close')
    })
  })

  test('a page that takes too much is cut off, and it is said', async () => {
    const most = { bytes: 1_000_000, connections: 5 }
    await withWay(async (way) => {
      await assert.rejects(get(way, `http://127.0.0.1:${portOf(site)}/endless`), { code: 'ECONNRESET' })
      await assert.rejects(way.spent, (error) => error instanceof TooMuch && /too large/.test(error.message))
    }, most)
    await withWay(async (way) => {
      for (let n = 0; n < most.connections; n++) await get(way, `http://127.0.0.1:${portOf(site)}/${n}`)
      await assert.rejects(get(way, `http://127.0.0.1:${portOf(site)}/more`), { code: 'ECONNRESET' })
      await assert.rejects(way.spent, /too many connections/)
      assert.equal(asked.length, most.connections)
    }, most)
  })

  test('a site that answers with what is no answer, or when nobody waits any more, ends nothing but its connection', async () => {
    let says = ''
    const odd = createTcpServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.end(says))).listen(
      0,
      '127.0.0.1',
    )
    await once(odd, 'listening')
    await withWay(async (way) => {
      for (const said of [
        'HTTP/1.1 099 Odd',
        'HTTP/1.1 000 Odd',
        'HTTP/1.1 200 OK\r\nx: \x01',
        'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x',
        '\0',
        '',
      ]) {
        says = `${said}\r\n\r\n`
        await get(way, `http://127.0.0.1:${portOf(odd)}/`).catch(() => undefined)
      }
      // It goes while the answer is on its way.
      const { promise: came, resolve } = Promise.withResolvers<void>()
      const late = createServer((_, answer) => {
        resolve()
        setImmediate(() => answer.end('late'))
      }).listen(0, '127.0.0.1')
      await once(late, 'listening')
      const path = `http://127.0.0.1:${portOf(late)}/`
      const headers = { host: 'x', 'proxy-authorization': credentials(way) }
      const sent = request({ port: new URL(way.address).port, host: '127.0.0.1', path, headers, agent: false }).on('error', () => undefined)
      sent.end()
      await came
      sent.destroy()
      late.close()
      assert.equal((await get(way, `http://127.0.0.1:${portOf(site)}/`)).status, 200)
    })
    odd.close()
  })

  test('what is no request to a proxy is no way to anywhere', async () => {
    await withWay(async (way) => {
      for (const url of ['/', 'ftp://127.0.0.1/', 'file:///etc/passwd', '*']) assert.equal((await get(way, url)).status, 400)
      for (const host of ['', ':', '127.0.0.1', 'a b:1', '127.0.0.1:1/../x', 'user:word@127.0.0.1:443', '127.0.0.1:99999'])
        assert.notEqual((await tunnel(way, host).catch(() => ({ status: 0 }))).status, 200, host)
      const socket = connect(Number(new URL(way.address).port), '127.0.0.1')
      socket.end('\0\0nonsense\r\n\r\n')
      await once(socket.resume(), 'close')
      assert.deepEqual(asked, [])
    })
  })
})
