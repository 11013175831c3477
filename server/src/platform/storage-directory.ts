import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { makeFolders } from './folders.ts'
import { type ByteRange, checkKey, ObjectMissing, type Storage, type StoredObject } from './storage.ts'

/** Cannot be a key: no word of a key begins with a dot. */
const UNFINISHED = '.unfinished'
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/** Objects as files below `root`, which is made if missing. What killed writers left behind an hour ago is removed. */
export async function openDirectoryStorage(root: string): Promise<Storage> {
  await makeFolder(path.join(root, UNFINISHED))
  await removeAbandoned(path.join(root, UNFINISHED))
  return {
    put: (key, bytes) => put(root, key, bytes),
    get: (key, range) => get(root, key, range),
    stat: (key) => stat(root, key),
    list: (prefix) => list(root, '', prefix),
    delete: (key) => remove(root, key),
  }
}

async function put(root: string, key: string, bytes: Uint8Array): Promise<void> {
  const file = fileOf(root, key)
  const unfinished = path.join(root, UNFINISHED, randomBytes(12).toString('hex'))
  try {
    await writeDurably(unfinished, bytes)
    await makeFolder(path.dirname(file))
    await fs.rename(unfinished, file)
    await syncFolder(path.dirname(file))
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

async function get(root: string, key: string, range?: ByteRange): Promise<Buffer> {
  const file = fileOf(root, key)
  try {
    return range ? await readPart(file, range) : await fs.readFile(file)
  } catch (error) {
    throw isMissing(error) ? new ObjectMissing(key) : error
  }
}

async function readPart(file: string, { offset, length }: ByteRange): Promise<Buffer> {
  const handle = await fs.open(file)
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

async function stat(root: string, key: string): Promise<{ size: number } | undefined> {
  try {
    const found = await fs.stat(fileOf(root, key))
    return found.isFile() ? { size: found.size } : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function remove(root: string, key: string): Promise<void> {
  const file = fileOf(root, key)
  try {
    await fs.unlink(file)
    await syncFolder(path.dirname(file))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Folders sort as if their name ended in the slash that follows it in a key: that is the byte order of whole keys. */
async function* list(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  const names = (await readFolder(path.join(root, folder))).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  for (const name of names.sort()) {
    const key = folder + name
    if (name.startsWith('.') || !(key.startsWith(prefix) || prefix.startsWith(key))) continue
    if (name.endsWith('/')) yield* list(root, key, prefix)
    else yield* sized(root, key, prefix)
  }
}

async function* sized(root: string, key: string, prefix: string): AsyncGenerator<StoredObject> {
  const found = key.startsWith(prefix) ? await stat(root, key) : undefined
  if (found) yield { key, size: found.size }
}

async function readFolder(folder: string) {
  try {
    return await fs.readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function fileOf(root: string, key: string): string {
  checkKey(key)
  return path.join(root, key)
}

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await fs.open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A new folder is durable only when each parent that had to name it is. */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return
  const first = makeFolders(folder)
  if (first === undefined) return
  for (let parent = path.dirname(folder); parent.length >= path.dirname(first).length; parent = path.dirname(parent))
    await syncFolder(parent)
}

async function isThere(folder: string): Promise<boolean> {
  try {
    await fs.access(folder)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Age is judged by the file system's own clock, of which a fresh file tells the time. */
async function removeAbandoned(folder: string): Promise<void> {
  const probe = path.join(folder, randomBytes(12).toString('hex'))
  await fs.writeFile(probe, '')
  const { mtimeMs: present } = await fs.stat(probe)
  await fs.rm(probe)
  for (const { name } of await readFolder(folder)) {
    const file = path.join(folder, name)
    const age = present - (await fs.stat(file).catch(() => ({ mtimeMs: present }))).mtimeMs
    if (age > ABANDONED_AFTER_MS) await fs.rm(file, { force: true })
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
