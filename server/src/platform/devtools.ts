// The Chrome DevTools Protocol over two pipes: JSON, each message ended by a zero byte. What answers has met hostile pages.
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** What the browser tells without being asked. `session`: of which page. */
export interface DevToolsEvent {
  method: string
  params: Record<string, unknown>
  sessionId?: string
}
type Waiting = { resolve(answer: unknown): void; reject(error: Error): void }

const mostBytes = 64 * 1024 * 1024

export class DevTools {
  readonly #input: Writable
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Set<(event: DevToolsEvent) => void>()
  #pieces: Buffer[] = []
  #bytes = 0
  #last = 0
  #broken: Error | undefined

  constructor({ stdio }: ChildProcess) {
    this.#input = stdio[3] as Writable
    const output = stdio[4] as Readable
    output.on('data', (bytes: Buffer) => this.#read(bytes))
    output.on('error', () => this.#break())
    output.on('close', () => this.#break())
    this.#input.on('error', () => this.#break())
  }

  on(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener)
  }

  /** `session`: the page it is about; none: the browser. */
  send<Answer = unknown>(method: string, params: object = {}, session?: string): Promise<Answer> {
    if (this.#broken) return Promise.reject(this.#broken)
    const id = ++this.#last
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject })
      this.#input.write(`${JSON.stringify({ id, method, params, ...(session !== undefined && { sessionId: session }) })}\0`)
    })
  }

  #read(bytes: Buffer): void {
    let from = 0
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      this.#hear(Buffer.concat([...this.#pieces, bytes.subarray(from, end)]).toString('utf8'))
      this.#pieces = []
      this.#bytes = 0
      from = end + 1
    }
    if (from < bytes.length) this.#pieces.push(bytes.subarray(from))
    this.#bytes += bytes.length - from
    if (this.#bytes > mostBytes) this.#break()
  }

  #hear(text: string): void {
    const message = messageIn(text)
    if (!message) {
      this.#break()
      return
    }
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.error) waiting?.reject(new Error(message.error.message))
    else waiting?.resolve(message.result)
  }

  #break(): void {
    this.#broken ??= new Error('The browser is gone.')
    for (const { reject } of this.#waiting.values()) reject(this.#broken)
    this.#waiting.clear()
    this.#pieces = []
  }
}

type Message = { id?: number; result?: unknown; error?: { message: string } } & DevToolsEvent

/** Undefined: it is none, so whoever wrote it is no browser any more. */
function messageIn(text: string): Message | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Message) : undefined
  } catch {
    return undefined
  }
}
