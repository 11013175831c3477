/** Where objects live. A key is a path of plain words (`w/ws_1/p/ab/…`) and is never also the beginning of another key's path. */
export interface Storage {
  /** Writes or replaces a whole object; when it resolves the object is durable. Readers see the old or the new one, nothing between. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The object, or `length` bytes of it from `offset` (fewer where it ends). Throws `ObjectMissing`. */
  get(key: string, range?: ByteRange): Promise<Buffer>
  stat(key: string): Promise<{ size: number } | undefined>
  /** All objects whose key begins with `prefix`, in byte order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Missing is fine: afterwards there is none. */
  delete(key: string): Promise<void>
}

export type ByteRange = { offset: number; length: number }

export type StoredObject = { key: string; size: number }

export class ObjectMissing extends Error {
  override name = 'ObjectMissing'
  constructor(key: string) {
    super(`there is no object ${key}`)
  }
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/
const LONGEST_KEY = 512
const LONGEST_WORD = 200

/** Every back end calls this first; a key that passes cannot leave a folder or be two keys on some system. */
export function checkKey(key: string): void {
  const tooLong = key.length > LONGEST_KEY || key.split('/').some((word) => word.length > LONGEST_WORD)
  if (tooLong || !KEY.test(key)) throw new RangeError(`not a key of an object: ${JSON.stringify(key.slice(0, 100))}`)
}
