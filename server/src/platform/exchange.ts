// One request over a connection and its answer, no more and no longer than it is told. undici hands over each piece as it is read:
// without a stream, a signal and an iterator for each request, which together cost as much as the request.
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { takeBuffer } from './buffer-pool.ts'
import { discard } from './discard.ts'
import { FetchError } from './fetch-error.ts'

const WINDOW_MS = 30_000
const MIN_BYTES_PER_WINDOW = 30 * 1024
/** So much may wait for whoever takes the body piece by piece, before no more is read. */
const MOST_WAITING = 64 * 1024
/** Why a connection for one request ends: made once, because each new error costs as much as a tenth of a request. */
export const done = new Error('The request is over.')

export type Asked = {
  method: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  /** Whole, or its parts in order, which are sent as they are. */
  body?: Buffer | readonly Buffer[]
  timeoutMs: number
  /** Aborted: the request is given up. */
  signal?: AbortSignal
  /** More bytes of body than this end the request. */
  maxBytes: number
  /** Takes the body of the answer piece by piece; it is then not kept, and `body` is empty. */
  into?: (piece: Buffer) => Promise<void>
  /** Instead, no more than `maxBytes` are read, and that is the answer. */
  cut?: boolean
}

/** `latencyMs`: all of it; `bodyMs`: from the headers to the last byte. */
export type Answer = { status: number; headers: Record<string, string>; body: Buffer; latencyMs: number; bodyMs: number }

/** Throws a FetchError. */
export const exchange = (to: Dispatcher, url: URL, asked: Asked): Promise<Answer> =>
  new Promise((resolve, reject) => new Exchange(asked, resolve, reject).begin(to, `${url.pathname}${url.search}`))

class Exchange implements Dispatcher.DispatchHandler {
  readonly #asked: Asked
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: FetchError) => void
  readonly #began = performance.now()
  readonly #late: NodeJS.Timeout
  #pace: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: Record<string, string> = {}
  #headed = 0
  #size = 0
  /** As much as was announced, and what came where nothing was. */
  #room = Buffer.alloc(0)
  #chunks: Buffer[] = []
  /** What waits to be taken; the first is being taken. */
  #waiting: Buffer[] = []
  /** One at a time takes what waits, also of what comes in the very moment in which reading goes on. */
  #taking = false
  #whole = false
  #over = false

  constructor(asked: Asked, resolve: (answer: Answer) => void, reject: (error: FetchError) => void) {
    this.#asked = asked
    this.#resolve = resolve
    this.#reject = reject
    this.#late = setTimeout(() => this.fail(new FetchError('timeout', 'The server did not answer in time.')), asked.timeoutMs)
  }

  begin(to: Dispatcher, path: string): void {
    const { method, headers = {}, body = null, signal } = this.#asked
    if (signal) follow(signal, this)
    try {
      signal?.throwIfAborted()
      if (body === null || Buffer.isBuffer(body)) to.dispatch({ method, path, headers, body }, this)
      else to.dispatch({ method, path, headers: { ...headers, 'content-length': String(lengthOf(body)) }, body: streamOf(body) }, this)
    } catch (error) {
      this.fail(error)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(done)
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200 || this.#over) return
    this.#status = status
    this.#headers = flat(headers)
    this.#headed = performance.now()
    const { method, maxBytes, cut, into } = this.#asked
    if (method === 'HEAD') return
    const announced = Number(headers['content-length'] ?? 0)
    if (announced > maxBytes && !cut) this.#refuse()
    else if (announced <= maxBytes && !into) this.#room = takeBuffer(announced)
    if (this.#over) return
    let before = 0
    this.#pace = setInterval(() => {
      const slow = this.#size - before < MIN_BYTES_PER_WINDOW && this.#waiting.length === 0
      if (slow) this.fail(new FetchError('timeout', 'The answer came too slowly.'))
      before = this.#size
    }, WINDOW_MS)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    const { maxBytes, cut, into } = this.#asked
    this.#size += chunk.length
    if (this.#size > maxBytes && !cut) this.#refuse()
    else if (into) {
      this.#waiting.push(chunk)
      if (!this.#taking) void this.#handOn(into)
      if (lengthOf(this.#waiting) >= MOST_WAITING) controller.pause()
    } else this.#keep(chunk)
    if (cut && this.#size >= maxBytes) {
      this.#answer()
      // Ends the connection too; otherwise the rest would keep coming.
      controller.abort(done)
    }
  }

  onResponseEnd(): void {
    this.#whole = true
    if (this.#waiting.length === 0) this.#answer()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  /** The request is given up, and its connection ended. */
  fail(reason: unknown): void {
    if (this.#over) return
    this.#end()
    this.#controller?.abort(done)
    this.#reject(asFetchError(reason))
  }

  #refuse(): void {
    this.fail(new FetchError('too_large', `The answer is larger than ${this.#asked.maxBytes} bytes.`))
  }

  #keep(chunk: Buffer): void {
    if (this.#size > this.#room.length) return void this.#chunks.push(chunk)
    chunk.copy(this.#room, this.#size - chunk.length)
    // What was read from the network is given back at once, unless the parser, which is at work on it now, has more of it.
    queueMicrotask(() => discard(chunk))
  }

  async #handOn(into: NonNullable<Asked['into']>): Promise<void> {
    this.#taking = true
    try {
      await undefined // The parser is at work on the piece.
      for (let piece = this.#waiting[0]; piece && !this.#over; piece = this.#waiting[0]) {
        await into(piece)
        this.#waiting.shift()
        this.#controller?.resume()
      }
      this.#taking = false
      if (this.#whole) this.#answer()
    } catch (error) {
      this.fail(error)
    }
  }

  #answer(): void {
    if (this.#over) return
    this.#end()
    const [room, chunks, size] = [this.#room, this.#chunks, this.#size]
    const kept = chunks.length === 0 ? room.subarray(0, size) : Buffer.concat([room.subarray(0, size - lengthOf(chunks)), ...chunks])
    const body = this.#asked.cut ? kept.subarray(0, this.#asked.maxBytes) : kept
    const ended = performance.now()
    const times = { latencyMs: Math.round(ended - this.#began), bodyMs: ended - this.#headed }
    this.#resolve({ status: this.#status, headers: this.#headers, body, ...times })
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#late)
    clearInterval(this.#pace)
    if (this.#asked.signal) leave(this.#asked.signal, this)
  }
}

/** Who is given up with a signal: a listener for each would be compared with all others whenever one comes or goes. */
const following = new WeakMap<AbortSignal, Followers>()
type Followers = { all: Set<Exchange>; giveUp: () => void }

function follow(signal: AbortSignal, one: Exchange): void {
  const known = following.get(signal)
  if (known) return void known.all.add(one)
  const all = new Set([one])
  const giveUp = () => {
    for (const each of all) each.fail(signal.reason)
  }
  following.set(signal, { all, giveUp })
  signal.addEventListener('abort', giveUp)
}

/** With the last one the listener goes: it would keep a signal that was made of others. */
function leave(signal: AbortSignal, one: Exchange): void {
  const known = following.get(signal)
  if (!known?.all.delete(one) || known.all.size > 0) return
  signal.removeEventListener('abort', known.giveUp)
  following.delete(signal)
}

/** Broken off, undici destroys it with an error, which is told as that of the request. */
const streamOf = (parts: readonly Buffer[]) => Readable.from(parts).on('error', () => {})

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, part) => sum + part.length, 0)

/** A header that was sent twice becomes one value with a comma, which no strict shape accepts. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new FetchError('too_large', 'The headers of the answer are too large.', error)
  const garbled = error instanceof Error && error.name === 'HTTPParserError'
  if (garbled) return new FetchError('protocol', 'The server did not answer in HTTP.', error)
  return new FetchError('connect', 'The connection broke off before the answer was complete.', error)
}
