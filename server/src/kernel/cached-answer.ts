import type { CursorAfter } from './cursor.ts'

/** What an operation answered, whether it was written before or not. */
export const plain = (output: unknown): unknown => (output instanceof CachedAnswer ? output.value : output)

/** An answer that was parsed by its schema when it was put in memory, with its JSON already written. */
export class CachedAnswer {
  readonly value: unknown
  /** The JSON of what REST sends, in UTF-8. */
  readonly json: Buffer
  readonly etag: string
  /** Of a list with pages. */
  readonly cursorAfter: CursorAfter | undefined
  constructor(value: unknown, json: Buffer, etag: string, cursorAfter?: CursorAfter) {
    this.value = value
    this.json = json
    this.etag = etag
    this.cursorAfter = cursorAfter
  }
}
