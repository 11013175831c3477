import { hash } from 'node:crypto'
import type { CursorAfter } from './cursor.ts'

/** What an operation answered, whether it was written before or not. */
export const plain = (output: unknown): unknown => (output instanceof CachedAnswer ? output.value : output)

/** An answer that was parsed by its schema when it was put in memory. Its JSON is written once, when a face first asks for it. */
export class CachedAnswer {
  readonly value: unknown
  /** Of a list with pages. */
  readonly cursorAfter: CursorAfter | undefined
  readonly #write: () => Buffer
  #json: Buffer | undefined
  #etag: string | undefined
  constructor(value: unknown, write: () => Buffer, cursorAfter?: CursorAfter) {
    this.value = value
    this.#write = write
    this.cursorAfter = cursorAfter
  }

  /** The JSON of what REST sends, in UTF-8. */
  get json(): Buffer {
    this.#json ??= this.#write()
    return this.#json
  }

  get etag(): string {
    this.#etag ??= `"${hash('sha1', this.json, 'base64url')}"`
    return this.#etag
  }
}
