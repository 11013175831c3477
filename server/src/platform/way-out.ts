// The one way out for a browser that loads a page as a visitor's does: a proxy on this machine, for one sitting and with a password of its own.
// Each connection is opened by the guard, so a page reaches what the guarded client reaches, and not more of it than is said here.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { FetchError } from './fetch-error.ts'
import type { OpenTunnel } from './guarded-fetch.ts'

export interface Most {
  bytes: number
  connections: number
}
export interface WayOut {
  /** What `--proxy-server` is told. */
  address: string
  /** An address behind the proxy that answers whoever knows the password, and leads nowhere. */
  door: string
  user: string
  password: string
  /** Why a host was not reached, if it was not. */
  refusal(host: string): FetchError | undefined
  /** Rejects with the sentence once the page has taken too much. */
  spent: Promise<never>
  close(): void
}

/** The page took more than it may; said in a sentence. */
export class TooMuch extends Error {}

export const usualMost: Most = { bytes: 100 * 1024 * 1024, connections: 500 }
const user = 'lab'
const doorHost = 'door.invalid'
/** What is about one connection, or about this proxy. */
const hop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'],
  'transfer-encoding',
])
const silenceMs = 30_000

export async function openWayOut(tunnel: OpenTunnel, most: Most = usualMost): Promise<WayOut> {
  const way = new Way(tunnel, most)
  await way.listen()
  return way
}

class Way implements WayOut {
  readonly door = `http://${doorHost}/`
  readonly user = user
  readonly password = randomBytes(24).toString('base64url')
  readonly spent: Promise<never>
  readonly #tunnel: OpenTunnel
  readonly #most: Most
  readonly #fail: (why: TooMuch) => void
  readonly #refusals = new Map<string, FetchError>()
  readonly #open = new Set<Duplex>()
  readonly #server = createServer({ maxHeaderSize: 32 * 1024 }, (asked, answer) => {
    this.#forward(asked, answer).catch(() => answer.destroy())
  })
  #bytes = 0
  #connections = 0
  #isOver = false

  constructor(tunnel: OpenTunnel, most: Most) {
    const spent = Promise.withResolvers<never>()
    spent.promise.catch(() => undefined)
    this.spent = spent.promise
    this.#fail = spent.reject
    this.#tunnel = tunnel
    this.#most = most
    this.#server.on('connect', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#connect(asked, socket, head).catch(() => socket.destroy())
    })
    this.#server.on('upgrade', (_, socket) => socket.destroy())
    this.#server.on('clientError', (_, socket) => socket.destroy())
    this.#server.on('connection', (socket: Socket) => this.#hold(socket))
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  listen(): Promise<void> {
    return new Promise((ready, failed) => this.#server.once('error', failed).listen(0, '127.0.0.1', ready))
  }

  refusal(host: string): FetchError | undefined {
    return this.#refusals.get(host)
  }

  close(): void {
    this.#isOver = true
    for (const each of this.#open) each.destroy()
    this.#server.close()
  }

  async #connect(asked: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => undefined)
    if (!this.#isKnown(asked))
      return void socket.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${challenge}\r\nContent-Length: 0\r\n\r\n`)
    const outside = await this.#reach(`https://${asked.url}/`)
    if (!outside) return void socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
    if (socket.destroyed) return void outside.destroy()
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) outside.write(head)
    socket.on('data', (piece: Buffer) => this.#count(piece.length))
    pipeline(socket, outside, () => undefined)
    pipeline(outside, socket, () => undefined)
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    answer.on('error', () => undefined)
    if (!this.#isKnown(asked)) return void answer.writeHead(407, { 'proxy-authenticate': realm }).end()
    const url = URL.parse(asked.url ?? '')
    if (url?.host === doorHost) return void answer.writeHead(200, { 'content-type': 'text/plain' }).end('Come in.')
    if (url?.protocol !== 'http:') return void answer.writeHead(400).end()
    const outside = await this.#reach(url.href)
    if (!outside || answer.destroyed) return void (outside ? outside.destroy() : answer.writeHead(502).end())
    const headers = { ...endToEnd(asked.headers), host: url.host, connection: 'close' }
    const path = `${url.pathname}${url.search}`
    const sent = request({ method: asked.method, path, headers, setHost: false, createConnection: () => outside })
    sent.on('error', () => answer.destroy())
    sent.on('close', () => void (answer.headersSent || answer.destroy()))
    sent.on('response', (came) => {
      // The browser may have gone on, and what a site answers may be none.
      try {
        answer.writeHead(came.statusCode ?? 502, endToEnd(came.headers))
        pipeline(came, answer, () => undefined)
      } catch {
        outside.destroy()
        answer.destroy()
      }
    })
    asked.on('data', (piece: Buffer) => this.#count(piece.length))
    asked.pipe(sent)
  }

  /** Undefined: it is not reached. */
  async #reach(url: string): Promise<Socket | undefined> {
    const host = URL.parse(url)?.host ?? ''
    try {
      if (this.#isOver || ++this.#connections > this.#most.connections) throw this.#enough('opens too many connections')
      const socket = await this.#tunnel(url)
      this.#hold(socket)
      socket.on('data', (piece: Buffer) => this.#count(piece.length))
      socket.setTimeout(silenceMs, () => socket.destroy())
      return socket
    } catch (error) {
      if (error instanceof FetchError) this.#refusals.set(host, error)
      else if (!(error instanceof TooMuch)) throw error
      return undefined
    }
  }

  #hold(socket: Duplex): void {
    if (this.#isOver) socket.destroy()
    this.#open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#open.delete(socket))
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#most.bytes) this.#enough('is too large')
  }

  #enough(how: string): TooMuch {
    const why = new TooMuch(`The page ${how}.`)
    this.#fail(why)
    this.close()
    return why
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const [given, right] = [headers['proxy-authorization'] ?? '', `Basic ${Buffer.from(`${user}:${this.password}`).toString('base64')}`]
    return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', right, 'buffer'))
  }
}

const realm = 'Basic realm="lab"'
const challenge = `Proxy-Authenticate: ${realm}`

const endToEnd = (headers: NodeJS.Dict<string | string[]>) =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined || hop.has(name) ? [] : [[name, value]])))
