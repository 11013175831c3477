// A downloaded backup as its owner opens it: zstd, tar, and a comparison with the folder it came from.
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createZstdDecompress } from 'node:zlib'

export interface Description {
  type: string
  files: { files: number } | null
  database: { tables: Record<string, { rows: number }> } | null
  omissions: { kind: string; root: string; path: string; why: string }[]
}

/** Unpacks a `.tar` or `.tar.zst` into `folder` with the system's tar; GNU's does not know the keyword that says a name is no text, and needs it not. */
export async function unpack(archive: string, folder: string): Promise<Description> {
  await mkdir(folder)
  const isPacked = archive.endsWith('.zst')
  const tar = isPacked ? `${folder}.tar` : archive
  if (isPacked) await pipeline(createReadStream(archive), createZstdDecompress(), createWriteStream(tar))
  const { stderr } = await promisify(execFile)('tar', ['-x', '-p', '--warning=no-unknown-keyword', '-C', folder, '-f', tar])
  if (stderr !== '') throw new Error(`tar complains: ${stderr}`)
  if (isPacked) await rm(tar)
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Description
}

/** Names are bytes here, because a file name need not be text. */
type Tree = Map<string, Entry>
interface Entry {
  path: Buffer
  kind: string
  mode: number
  mtimeMs: number
}

/** What differs between two folders: missing, extra, or another type, mode, time, target or content. Empty: they are the same. */
export async function differences(original: string, copy: string): Promise<string[]> {
  const [left, right] = [await readTree(original), await readTree(copy)]
  const found = [...right.keys()].filter((name) => !left.has(name)).map((name) => `extra ${show(name)}`)
  for (const [name, entry] of left) {
    const other = right.get(name)
    if (!other) found.push(`missing ${show(name)}`)
    else if (entry.kind !== other.kind) found.push(`${show(name)} is ${other.kind} instead of ${entry.kind}`)
    else if (entry.kind === 'link') found.push(...(await differentTarget(name, entry, other)))
    else found.push(...differentStatus(name, entry, other), ...(entry.kind === 'file' ? await differentContent(name, entry, other) : []))
  }
  return found.sort()
}

const show = (name: string) => JSON.stringify(Buffer.from(name, 'latin1').toString('utf8'))

function differentStatus(name: string, one: Entry, other: Entry): string[] {
  const wrong = one.mode !== other.mode ? [`mode ${other.mode.toString(8)} instead of ${one.mode.toString(8)}`] : []
  // PHP in WebAssembly rounds to milliseconds before it cuts off what is less than a second.
  const seconds = [one.mtimeMs, Math.round(one.mtimeMs)].map((ms) => Math.floor(ms / 1000))
  if (!seconds.includes(other.mtimeMs / 1000)) wrong.push(`time ${other.mtimeMs / 1000} instead of ${seconds[0]}`)
  return wrong.map((words) => `${show(name)}: ${words}`)
}

async function differentContent(name: string, one: Entry, other: Entry): Promise<string[]> {
  const [left, right] = [await readFile(one.path), await readFile(other.path)]
  return left.equals(right) ? [] : [`${show(name)} has other content`]
}

async function differentTarget(name: string, one: Entry, other: Entry): Promise<string[]> {
  const [left, right] = [await readlink(one.path, 'buffer'), await readlink(other.path, 'buffer')]
  return left.equals(right) ? [] : [`${show(name)} points elsewhere`]
}

async function readTree(root: string): Promise<Tree> {
  const tree: Tree = new Map()
  const walk = async (folder: Buffer, prefix: string): Promise<void> => {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      const stats = await lstat(path)
      const kind = stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : stats.isFile() ? 'file' : 'special'
      const key = prefix + name.toString('latin1')
      tree.set(key, { path, kind, mode: stats.mode & 0o7777, mtimeMs: stats.mtimeMs })
      if (kind === 'folder') await walk(path, `${key}/`)
    }
  }
  await walk(Buffer.from(root), '')
  return tree
}
