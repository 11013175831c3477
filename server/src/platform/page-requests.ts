// What a page in the browser asks for, answered by whoever opened it: the browser itself reaches nobody.
import type { DevTools, DevToolsEvent } from './devtools.ts'

export interface Answered {
  status: number
  headers: Record<string, string>
  body: Buffer
}
export interface Wanted {
  url: string
  /** `page`: what the browser was led to; `part`: what that is made of. */
  kind: 'page' | 'part'
  accept: string
  signal: AbortSignal
}
/** Undefined: it does not get it. */
export type Answer = (wanted: Wanted) => Promise<Answered | undefined>

/** Why there is no picture, in a sentence of ours. */
export class NoPicture extends Error {}

interface Paused {
  requestId: string
  frameId: string
  resourceType: string
  request: { url: string; method: string; headers: Record<string, string> }
}

/** What a picture is made of, from wherever it comes; beacons, streams and media are none of it. */
const anywhere = new Set(['Stylesheet', 'Script', 'Image', 'Font'])
/** What says something to another host, or shows it. */
const ownHost = new Set(['Document', 'XHR', 'Fetch'])
const most = { requests: 250, bytes: 24 * 1024 * 1024 }
/** What is about the connection, which ends here, and what would be kept. */
const unsaid = new Set([
  ...['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'alt-svc', 'strict-transport-security'],
  ...['set-cookie', 'set-cookie2', 'clear-site-data', 'nel', 'report-to', 'reporting-endpoints'],
])

/** All that the pages of one sitting ask for: each part once. */
export class PageRequests {
  readonly #tools: DevTools
  readonly #host: string
  readonly #answer: Answer
  readonly #over = new AbortController()
  readonly #parts = new Map<string, Promise<Answered | undefined>>()
  readonly #refuse: (why: NoPicture) => void
  /** Rejects once the page asks for too much, or is none. */
  readonly refused: Promise<never>
  #requests = 0
  #bytes = 0

  constructor(tools: DevTools, url: string, answer: Answer) {
    const refused = Promise.withResolvers<never>()
    refused.promise.catch(() => undefined)
    this.#tools = tools
    this.#host = new URL(url).host
    this.#answer = answer
    this.refused = refused.promise
    this.#refuse = refused.reject
  }

  /** Answers what this page asks for; `frame`: its outermost one. */
  async serve(session: string, frame: string): Promise<void> {
    this.#tools.on((event: DevToolsEvent) => {
      if (event.sessionId === session && event.method === 'Fetch.requestPaused')
        void this.#reply(session, frame, event.params as unknown as Paused)
    })
    await this.#tools.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, session)
  }

  close(): void {
    this.#over.abort()
  }

  async #reply(session: string, frame: string, { requestId, frameId, resourceType, request }: Paused): Promise<void> {
    const isPage = resourceType === 'Document' && frameId === frame
    const answered = await this.#answerTo(isPage, resourceType, request).catch((error: unknown) => {
      if (error instanceof NoPicture) this.#refuse(error)
      return undefined
    })
    // A page that is led away stays what it is.
    const failed = { requestId, errorReason: resourceType === 'Document' ? 'Aborted' : 'BlockedByClient' }
    const sent = answered
      ? this.#tools.send('Fetch.fulfillRequest', { requestId, ...written(answered) }, session)
      : this.#tools.send('Fetch.failRequest', failed, session)
    await sent.catch(() => undefined) // the page has gone on without it
  }

  async #answerTo(isPage: boolean, type: string, { url, method, headers }: Paused['request']): Promise<Answered | undefined> {
    const own = URL.parse(url)?.host === this.#host
    if (method !== 'GET' || !/^https?:/.test(url) || !(anywhere.has(type) || (own && ownHost.has(type)))) return undefined
    if (++this.#requests > most.requests) throw new NoPicture('The page asks for too many files.')
    const wanted = { url, accept: headers.Accept ?? '*/*', signal: this.#over.signal }
    if (isPage) return this.#counted(await this.#answer({ ...wanted, kind: 'page' }))
    const known = this.#parts.get(url)
    if (known) return known
    const part = this.#answer({ ...wanted, kind: 'part' }).then((answered) => this.#counted(answered))
    this.#parts.set(url, part)
    return part
  }

  #counted(answered: Answered | undefined): Answered | undefined {
    this.#bytes += answered?.body.length ?? 0
    if (this.#bytes > most.bytes) throw new NoPicture('The page is too large.')
    return answered
  }
}

const written = ({ status, headers, body }: Answered) => ({
  responseCode: status,
  responseHeaders: Object.entries(headers).flatMap(([name, value]) => (unsaid.has(name) ? [] : [{ name, value }])),
  body: body.toString('base64'),
})
