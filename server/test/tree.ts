// The yardstick tree on disk: made, changed as a day changes a site, and told by one digest.
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, lstat, lutimes, mkdir, readdir, readFile, readlink, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Dice, noise, picture, postRow, sourceCode } from './tree-content.ts'
import { foldersOf, type PlannedFile, pictureSizes, planTree, START, spread, WHOLE } from './tree-plan.ts'

/** `digest` covers type, path, mode, size, content and, of files, the time in seconds, in byte order of the paths. PHP cannot set times of links. */
export interface TreeFacts {
  digest: string
  files: number
  folders: number
  links: number
  bytes: number
}

const DAY = 86_400
const shareOf = (megabytes: number) => Math.min(1, (megabytes * 1e6) / WHOLE.bytes)

/** Writes the tree into an empty or missing folder. From 1,003 MB on it is the whole one, with exactly its files, folders and bytes; a small one is a few MB larger. */
export async function makeTree(root: string, megabytes: number): Promise<void> {
  const share = shareOf(megabytes)
  const { files, folders, link, dump } = planTree(share)
  for (const path of new Set([...files, dump].flatMap(({ path }) => foldersOf(path)).concat(folders)))
    await mkdir(join(root, path), { recursive: true })
  let bytes = await writeDump(join(root, dump.path), dump.rows, 0)
  for (const file of files) {
    await put(root, file)
    bytes += file.size
  }
  // What is left of the bytes is one more recording.
  const rest = Math.max(1, Math.round(WHOLE.bytes * share) - bytes)
  await put(root, {
    path: 'wp-content/uploads/recording.mp3',
    size: rest,
    mtime: START,
    mode: 0o644,
    content: () => picture('recording', rest),
  })
  await symlink(link.target, join(root, link.path))
  await lutimes(join(root, link.path), START, START)
  await settleFolders(root)
}

/** Changes the tree as a day changes a site; answers the one file whose size and time stayed as they were. */
export async function mutateTree(root: string, megabytes: number, day: number): Promise<{ silent: string }> {
  const share = shareOf(megabytes)
  const scaled = (number: number) => Math.max(1, Math.round(number * share))
  const dice = new Dice(`day ${day}`)
  const mtime = START + day * DAY
  const all = (await listTree(root)).filter(({ type }) => type === 'f').map(({ path }) => path)
  const below = (folder: string) => all.filter((path) => path.startsWith(folder))
  const rewrite = async (path: string, content: Buffer) =>
    put(root, { path, size: content.length, mtime, mode: 0o644, content: () => content })

  // One plugin was updated, half of the page cache turned over, pictures came.
  for (const path of below(`wp-content/plugins/plugin-${(11 + day) % 24}/`)) {
    const before = await readFile(join(root, path))
    await rewrite(path, Buffer.concat([sourceCode(`day ${day} ${path}`, 60 + Math.min(600, before.length >> 3)), before]))
  }
  for (const path of below('wp-content/cache/'))
    if (dice.roll(2)) await rewrite(path, sourceCode(`day ${day} ${path}`, 2_000 + dice.roll(20_000)))
  const month = `wp-content/uploads/2026/${String(1 + (day % 12)).padStart(2, '0')}`
  await mkdir(join(root, month), { recursive: true })
  for (const [i, size] of spread(`day ${day}`, scaled(12), 7e6 * (scaled(12) / 12)).entries())
    for (const file of pictureSizes(`${month}/day-${day}-${i}`, size, mtime)) await put(root, file)

  const uploads = below('wp-content/uploads/20')
  const take = () => uploads.splice(dice.roll(uploads.length), 1)[0] ?? ''
  for (let i = 0; i < scaled(5); i++) await rm(join(root, take()))
  for (let i = 0; i < scaled(3); i++) {
    const path = take()
    await rename(join(root, path), join(root, path.replace(/\.jpg$/, `-renamed-${day}.jpg`)))
  }
  for (let i = 0; i < scaled(10); i++) {
    const path = take()
    await rewrite(path, Buffer.concat([await readFile(join(root, path)), noise(`appended ${day} ${i}`, 777)]))
  }
  const silent = take()
  await changeSilently(join(root, silent))
  const { dump } = planTree(share)
  await writeDump(join(root, dump.path), dump.rows, day, scaled(400) * day)
  await settleFolders(root)
  return { silent }
}

/** One bit of other content; size and time stay. */
export async function changeSilently(file: string | Buffer): Promise<void> {
  const { mtime, atime } = await lstat(file)
  const bytes = await readFile(file)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(file, bytes)
  await utimes(file, atime, mtime)
}

export async function digestTree(root: string): Promise<TreeFacts> {
  const facts = { digest: '', files: 0, folders: 0, links: 0, bytes: 0 }
  const hash = createHash('sha256')
  for (const { path, type } of await listTree(root)) {
    const full = join(root, path)
    const { mode, mtimeMs, size } = await lstat(full)
    const about = [type, path, type === 'l' ? 0 : mode & 0o7777, ...(type === 'f' ? [Math.floor(mtimeMs / 1000), size] : [])]
    hash.update(`${about.join('\0')}\0`)
    if (type === 'f') await hashFile(full, hash)
    if (type === 'l') hash.update(await readlink(full))
    hash.update('\n')
    facts[type === 'f' ? 'files' : type === 'd' ? 'folders' : 'links'] += 1
    facts.bytes += type === 'f' ? size : 0
  }
  return { ...facts, digest: hash.digest('hex') }
}

async function hashFile(file: string, hash: Hash): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk)
}

interface Entry {
  path: string
  type: 'f' | 'd' | 'l'
}

/** Everything below, in byte order of the paths. */
async function listTree(root: string): Promise<Entry[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = entries.map((entry): Entry => {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1)
    return { path, type: entry.isSymbolicLink() ? 'l' : entry.isDirectory() ? 'd' : 'f' }
  })
  return found.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
}

async function put(root: string, { path, mtime, mode, content }: PlannedFile): Promise<void> {
  const full = join(root, path)
  await writeFile(full, content())
  await chmod(full, mode)
  await utimes(full, mtime, mtime)
}

/** A dump of one table. A day edits three rows in a hundred and adds some. */
async function writeDump(file: string, rows: number, day: number, added = 0): Promise<number> {
  const dice = new Dice('edited rows')
  const out = createWriteStream(file)
  let bytes = 0
  const write = async (text: string) => {
    bytes += Buffer.byteLength(text)
    if (!out.write(text)) await once(out, 'drain')
  }
  await write(
    'SET NAMES utf8mb4;\nCREATE TABLE `wp_posts` (`ID` bigint NOT NULL PRIMARY KEY, `title` text, `content` longtext, `mark` text);\n',
  )
  for (let id = 1; id <= rows + added; id += 100) {
    const some = Array.from({ length: Math.min(100, rows + added - id + 1) }, (_row, i) => {
      const edited = id + i <= rows && dice.roll(33) < day
      return postRow(id + i, edited ? day : 0)
    })
    await write(`INSERT INTO \`wp_posts\` VALUES\n${some.join(',\n')};\n`)
  }
  out.end()
  await once(out, 'finish')
  await chmod(file, 0o600)
  await utimes(file, START + day * DAY, START + day * DAY)
  return bytes
}

/** Times of folders last, so that the whole tree can be made again. */
async function settleFolders(root: string): Promise<void> {
  const folders = (await listTree(root)).filter(({ type }) => type === 'd').reverse()
  for (const path of [...folders.map(({ path }) => join(root, path)), root]) {
    await chmod(path, 0o755)
    await utimes(path, START, START)
  }
}
