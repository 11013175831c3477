// A long list of JSON records kept as blobs: chunks of about 512 KiB, and above every 128 of them a node that names them.
// So the list of any length is named by a few hundred ids at most, and can be continued from those ids alone.
import { z } from 'zod'

export const TreeNode = z.strictObject({ level: z.int(), id: z.string() })
export type TreeNode = z.infer<typeof TreeNode>
export type StoreBlob = (bytes: Uint8Array) => Promise<string>
export type ReadBlob = (id: string) => Promise<Uint8Array>

const CHUNK_BYTES = 512 * 1024
const FAN_OUT = 128
const Ids = z.array(z.string())

export class RecordWriter {
  readonly #store: StoreBlob
  readonly #nodes: TreeNode[]
  #lines: string[] = []
  #size = 0

  constructor(store: StoreBlob, nodes: TreeNode[] = []) {
    this.#store = store
    this.#nodes = [...nodes]
  }

  /** Appends one record. Await each call before the next. */
  async write(record: unknown): Promise<void> {
    const line = JSON.stringify(record)
    this.#lines.push(line)
    this.#size += line.length
    if (this.#size >= CHUNK_BYTES) await this.cut()
  }

  /** Ends the open chunk and answers the nodes that name everything written so far. */
  async cut(): Promise<TreeNode[]> {
    if (this.#lines.length > 0) {
      const bytes = Buffer.from(`${this.#lines.join('\n')}\n`)
      this.#lines = []
      this.#size = 0
      await this.#push({ level: 0, id: await this.#store(bytes) })
    }
    return [...this.#nodes]
  }

  async #push(node: TreeNode): Promise<void> {
    this.#nodes.push(node)
    const first = this.#nodes.findIndex((other) => other.level === node.level)
    if (this.#nodes.length - first < FAN_OUT) return
    const ids = this.#nodes.splice(first).map((child) => child.id)
    await this.#push({ level: node.level + 1, id: await this.#store(Buffer.from(JSON.stringify(ids))) })
  }
}

/** Yields the records in the order they were written, holding one chunk at a time. */
export async function* readRecords(nodes: TreeNode[], read: ReadBlob): AsyncGenerator<unknown, void, undefined> {
  for await (const records of readChunks(nodes, read)) yield* records
}

/** The same, chunk by chunk. Of what lies before the chunk `from` nothing is read: below a node there are always as many. */
export async function* readChunks(nodes: TreeNode[], read: ReadBlob, from = 0): AsyncGenerator<Iterable<unknown>, void, undefined> {
  let skip = from
  for (const node of nodes) {
    const chunks = FAN_OUT ** node.level
    if (skip < chunks) {
      const text = Buffer.from(await read(node.id)).toString('utf8')
      if (node.level > 0) yield* readChunks(treeChildren(node, text), read, skip)
      else yield recordsIn(text)
    }
    skip = Math.max(0, skip - chunks)
  }
}

function* recordsIn(chunk: string): Generator<unknown, void, undefined> {
  for (const line of chunk.split('\n')) if (line !== '') yield JSON.parse(line)
}

/** Yields the ids of all blobs the tree itself consists of. */
export async function* treeBlobs(nodes: TreeNode[], read: ReadBlob): AsyncGenerator<string, void, undefined> {
  for (const node of nodes) {
    yield node.id
    if (node.level > 0) yield* treeBlobs(treeChildren(node, Buffer.from(await read(node.id)).toString('utf8')), read)
  }
}

export function treeChildren(node: TreeNode, text: string): TreeNode[] {
  return Ids.parse(JSON.parse(text)).map((id) => ({ level: node.level - 1, id }))
}
