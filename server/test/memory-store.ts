// For tests: a store and an index in memory, with the order of things written down.
import { setTimeout as pause } from 'node:timers/promises'
import { deriveKeys, type WorkspaceKeys } from '../src/backups/engine/blob-id.ts'
import { openBlobReader } from '../src/backups/engine/blob-reader.ts'
import type { PackedBlob } from '../src/backups/engine/pack.ts'
import { type BlobIndex, openPacker, type Packer } from '../src/backups/engine/packer.ts'
import type { ReadBlob } from '../src/backups/engine/record-tree.ts'

export class MemoryStore {
  readonly objects = new Map<string, Uint8Array>()
  readonly places = new Map<string, PackedBlob & { key: string }>()
  readonly log: string[] = []
  readonly keys: WorkspaceKeys
  readonly workspaceKey: Uint8Array
  readonly #delay: number

  constructor(workspace = 'ws_1', key = 1, delay = 0) {
    this.workspaceKey = new Uint8Array(32).fill(key)
    this.keys = deriveKeys(workspace, this.workspaceKey)
    this.#delay = delay
  }

  readonly storage = {
    put: async (key: string, bytes: Uint8Array) => {
      if (this.#delay > 0) await pause(this.#delay)
      // The packer fills the buffer again once this returns.
      this.objects.set(key, bytes.slice())
      this.log.push(`put ${key}`)
    },
    get: async (key: string, range?: { offset: number; length: number }) => {
      const object = this.objects.get(key)
      if (!object) throw new Error(`no object ${key}`)
      const bytes = Buffer.from(object.buffer, object.byteOffset, object.length)
      return range ? bytes.subarray(range.offset, range.offset + range.length) : bytes
    },
  }

  readonly index: BlobIndex = {
    has: async (ids) => new Set(ids.filter((id) => this.places.has(id))),
    record: async (pack, blobs) => {
      if (!this.objects.has(pack.key)) throw new Error('recorded before it was durable')
      this.log.push(`record ${pack.key}`)
      for (const blob of blobs) this.places.set(blob.id, { ...blob, key: pack.key })
    },
  }

  get readBlob(): ReadBlob {
    return this.reader()
  }

  reader(signal?: AbortSignal): ReadBlob {
    const locate = async (ids: string[]) => new Map(ids.flatMap((id) => [...(this.places.has(id) ? [[id, this.#place(id)] as const] : [])]))
    return openBlobReader({ keys: this.keys, storage: this.storage, locate, signal })
  }

  openPacker(): Packer {
    const { workspaceKey, storage, index } = this
    return openPacker({ workspace: this.keys.workspace, workspaceKey, storage, index })
  }

  #place(id: string) {
    const place = this.places.get(id)
    if (!place) throw new Error(`no blob ${id}`)
    return place
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
