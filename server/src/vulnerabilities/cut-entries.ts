// A JSON object that is too large for memory, cut into its entries while it comes in.
import { FeedTrouble } from './feed-trouble.ts'

export interface Entry {
  /** The key of the object it is in, when that is one that was opened up. */
  group: string | undefined
  key: string
  value: unknown
}

export interface EntryLimits {
  /** Bytes of one entry. */
  entry: number
  depth: number
}

type Expect = 'document' | 'first' | 'key' | 'colon' | 'value' | 'next' | 'end'

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d]
const MARK = Buffer.from([0xef, 0xbb, 0xbf])
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Push the document in pieces of any size; each gives the entries that end in it. Objects under the keys of `open` are entered. */
export class EntryCutter {
  readonly #open: ReadonlySet<string>
  readonly #limits: EntryLimits
  #expect: Expect = 'document'
  #walked = 0
  #group: string | undefined
  #key = ''
  #taking = false
  #taken: Buffer[] = []
  #size = 0
  #nested = 0
  #inText = false
  #escaped = false

  constructor(open: ReadonlySet<string>, limits: EntryLimits) {
    this.#open = open
    this.#limits = limits
  }

  push(chunk: Buffer): Entry[] {
    const entries: Entry[] = []
    for (let at = this.#afterMark(chunk); at < chunk.length; ) {
      if (this.#taking) at = this.#take(chunk, at, entries)
      else if (this.#step(chunk[at] ?? 0)) at++
    }
    return entries
  }

  /** To be called after the last piece. */
  end(): void {
    if (this.#expect !== 'end') throw new FeedTrouble('The feed ends in the middle: it is not complete.')
  }

  #afterMark(chunk: Buffer): number {
    return this.#expect === 'document' && chunk.subarray(0, 3).equals(MARK) ? 3 : 0
  }

  /** One byte between values; false when it begins one that is to be taken. */
  #step(byte: number): boolean {
    if (isSpace(byte)) return true
    const expect = this.#expect
    if (expect === 'document' && byte === OBJECT) this.#enter(undefined)
    else if ((expect === 'first' || expect === 'next') && byte === OBJECT_END) this.#leave()
    else if (expect === 'next' && byte === COMMA) this.#expect = 'key'
    else if (expect === 'colon' && byte === COLON) this.#expect = 'value'
    else if ((expect === 'first' || expect === 'key') && byte === QUOTE) return this.#begin('key')
    else if (expect === 'value' && byte === OBJECT && this.#walked === 1 && this.#open.has(this.#key)) this.#enter(this.#key)
    else if (expect === 'value') return this.#begin('value')
    else if (expect === 'document') throw notJson(byte)
    else throw new FeedTrouble('The feed is not proper JSON.')
    return true
  }

  #enter(group: string | undefined): void {
    this.#walked++
    this.#group = group
    this.#expect = 'first'
  }

  #leave(): void {
    this.#walked--
    this.#group = undefined
    this.#expect = this.#walked === 0 ? 'end' : 'next'
  }

  #begin(expect: 'key' | 'value'): false {
    this.#expect = expect
    this.#taking = true
    return false
  }

  /** Looks for the end of the value that is being taken; answers where to go on. In local variables: this is done for every byte. */
  #take(chunk: Buffer, from: number, entries: Entry[]): number {
    let [at, nested, inText, escaped, done] = [from, this.#nested, this.#inText, this.#escaped, false]
    for (; at < chunk.length && !done; at++) {
      const byte = chunk[at]
      if (inText) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) {
          inText = false
          done = nested === 0
        }
      } else if (byte === QUOTE) inText = true
      else if (byte === OBJECT || byte === ARRAY) {
        if (++nested > this.#limits.depth) throw new FeedTrouble('The feed is nested deeper than any feed is.')
      } else if (nested === 0) {
        if (byte === COMMA || byte === COLON || byte === OBJECT_END || byte === ARRAY_END || isSpace(byte)) break
      } else if (byte === OBJECT_END || byte === ARRAY_END) done = --nested === 0
    }
    this.#keep(chunk.subarray(from, at))
    if (done || at < chunk.length) this.#finish(entries)
    else [this.#nested, this.#inText, this.#escaped] = [nested, inText, escaped]
    return at
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#limits.entry) throw new FeedTrouble('One record of the feed is larger than any record is.')
    this.#taken.push(part)
  }

  #finish(entries: Entry[]): void {
    const value = parse(Buffer.concat(this.#taken))
    this.#taken = []
    this.#size = this.#nested = 0
    this.#taking = this.#inText = this.#escaped = false
    if (this.#expect === 'value') {
      entries.push({ group: this.#group, key: this.#key, value })
      this.#expect = 'next'
    } else {
      this.#key = String(value)
      this.#expect = 'colon'
    }
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'not proper JSON' : 'not proper UTF-8'
    throw new FeedTrouble(`The feed is ${why}.`, { cause: error })
  }
}

function notJson(byte: number): FeedTrouble {
  if (byte === 0x3c) return new FeedTrouble('There is a web page where the feed should be (HTML instead of JSON).')
  return new FeedTrouble('The feed does not begin as a JSON object.')
}
