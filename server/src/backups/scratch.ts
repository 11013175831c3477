// A folder of this machine in which a backup is tried out; nothing in it outlives its job.
import { createHash, hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, statfs, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { listOpenJobs } from '../jobs/store.ts'
import { Problem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import type { FileEntry } from './engine/file-record.ts'
import type { ReadBlob } from './engine/record-tree.ts'

/** A larger file is read, but not written out. */
const mostOnDisk = 256 * 1024 * 1024
const keptFree = 1024 * 1024 * 1024

/** Something about the names in a backup that a restore would stumble over. */
export class UnfitPath extends Error {
  override name = 'UnfitPath'
}

const scratchOf = ({ config }: Pick<World, 'config'>) => join(config.dataDir, 'scratch')

/** Empty, and readable by nobody else; throws where the disk is nearly full. */
export async function openScratch(world: Pick<World, 'config'>, { id, fence }: { id: string; fence: number }): Promise<Scratch> {
  // An earlier attempt that was thought dead may still be at it.
  const dir = join(scratchOf(world), `${id}.${fence}`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(dir)
  if (bavail * bsize >= keptFree + mostOnDisk) return new Scratch(dir)
  await rm(dir, { recursive: true, force: true })
  throw new Problem('unavailable', 'This machine has too little free disk to try a backup out.', { retryable: false })
}

/** Takes away what killed processes left on this machine. */
export async function sweepScratch(world: Pick<World, 'config' | 'db'>): Promise<void> {
  const left = await readdir(scratchOf(world)).catch(() => [])
  if (left.length === 0) return
  const open = new Set((await listOpenJobs(world.db)).map(({ id }) => id))
  for (const name of left)
    if (!open.has(name.replace(/\.\d+$/, ''))) await rm(join(scratchOf(world), name), { recursive: true, force: true })
}

export class Scratch {
  readonly dir: string
  #made: Buffer | undefined

  constructor(dir: string) {
    this.dir = dir
  }

  async folder({ root, path }: FileEntry): Promise<void> {
    await onDisk(mkdir(this.#place(root, path), { recursive: true, mode: 0o700 }))
  }

  /** Writes the file out, reads it back and takes it away again: size and SHA-256 of what was on the disk. */
  async file({ root, path, size, blobs }: FileEntry, read: ReadBlob, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
    const place = this.#place(root, path)
    if (size > mostOnDisk) return digestOf(bytesOf(blobs, read, signal))
    await this.#makeParent(place)
    try {
      if (blobs.length > 1) {
        await pipeline(bytesOf(blobs, read, signal), createWriteStream(place, { flags: 'wx', mode: 0o600 }))
        return await digestOf(createReadStream(place, { highWaterMark: 1024 * 1024 }))
      }
      const [id] = blobs
      await writeFile(place, id === undefined ? '' : await read(id), { flag: 'wx', mode: 0o600 })
      const bytes = await readFile(place)
      return { size: bytes.length, sha256: hash('sha256', bytes) }
    } catch (error) {
      throw ours(error)
    } finally {
      await unlink(place).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }

  #place(root: string, path: Buffer): Buffer {
    const parts = path.toString('latin1').split('/')
    if (!/^[a-z]+$/.test(root) || parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
      throw new UnfitPath('its name leads elsewhere')
    if (parts.some((part) => part.length > 255) || path.length > 3500) throw new UnfitPath('its name is too long')
    return Buffer.concat([Buffer.from(`${join(this.dir, 'site', root)}/`), path])
  }

  /** Files of one folder come one after another. */
  async #makeParent(place: Buffer): Promise<void> {
    const parent = place.subarray(0, place.lastIndexOf(0x2f))
    if (this.#made?.equals(parent)) return
    await onDisk(mkdir(parent, { recursive: true, mode: 0o700 }))
    this.#made = parent
  }
}

export async function* bytesOf(blobs: string[], read: ReadBlob, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  for (const id of blobs) {
    signal.throwIfAborted()
    yield await read(id)
  }
}

export async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<{ size: number; sha256: string }> {
  const digest = createHash('sha256')
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    digest.update(piece)
  }
  return { size, sha256: digest.digest('hex') }
}

const onDisk = (done: Promise<unknown>): Promise<unknown> =>
  done.catch((error: unknown) => {
    throw ours(error)
  })

/** Trouble with our own disk says nothing about the backup. */
function ours(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') return new UnfitPath('another entry has the same name')
  return new Problem('unavailable', `A backup could not be tried out on this machine: ${code}.`, { retryable: true, cause: error })
}
