// What a restore changes among the files: the backup and the site side by side.

import { MAX_PATH_BYTES } from '../backups/engine/file-reads.ts'
import type { FileEntry } from '../backups/engine/file-record.ts'
import { type Manifest, readFiles } from '../backups/engine/manifest.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Hello, Result } from '../connector/commands.ts'
import { pathBytes, type SitePath, sitePath } from '../connector/site-text.ts'
import type { SiteClient } from '../sites/client.ts'
import { isAmong, Left, sentence } from './left.ts'
import { leadsOutside } from './link-target.ts'
import { type LiveEntry, liveEntries } from './live-entries.ts'
import { LiveRoots } from './live-roots.ts'
import { type ModeOp, Modes, modeOf } from './modes.ts'
import { pathKey, type Scope } from './scope.ts'
import { isUntouched } from './untouched.ts'
import { Writable } from './writable.ts'

/** One step of the swap, as the site reads it: put a content, make a link or a folder, take away, set a mode. */
export type Op =
  | ModeOp
  | { k: 'put' | 'link' | 'dir' | 'del' | 'rmdir'; r: string; p: SitePath; m?: number; t?: number; h?: string; s?: number; to?: SitePath }
export type Content = { sha256: string; size: number; blobs: string[] }
export type FilePlan = {
  ops: Op[]
  contents: Content[]
  replace: number
  add: number
  remove: number
  unchanged: number
  samples: string[]
  skipped: string[]
  warnings: string[]
}

const digestsAtOnce = 1_000
const budget_ms = 6_000
const samplesShown = 20
const UNFIT = /[^/]{256}|(?:^|[\\/])\.\.(?:[\\/]|$)/
// Means another path on Windows.
const UNFIT_THERE = /\\|^[A-Za-z]:/
const show = (path: Buffer) => path.toString('utf8').slice(0, 200)

/** Compares file by file; contents of equal size are hashed on the site. */
export async function planFiles(
  site: SiteClient,
  { manifest, read }: { manifest: Manifest; read: ReadBlob },
  { hello, survey, scope }: { hello: Hello; survey: Result<'restore.survey'>; scope: Scope },
): Promise<FilePlan> {
  const left = await Left.of(survey, { manifest, read })
  const roots = new LiveRoots(hello, manifest)
  const live = await liveEntries(site, { roots, scope, left })
  const writable = new Writable(live, roots, survey.folders === true)
  const plan = new Comparison(live, { left, roots, writable, survey }, new Modes(survey.modes === true))
  for await (const entry of readFiles(manifest, read)) {
    const meant = scope.hasPath(entry.root, entry.path) || (scope.leadsTo(entry.root, entry.path) && plan.isWay(entry))
    if (!meant) continue
    left.admit(entry)
    if (!roots.has(entry.root, entry.path)) roots.miss(entry)
    else if (!left.has(pathKey(entry.root, entry.path))) plan.take(entry, scope)
  }
  await plan.compareContents(site)
  return plan.finish(scope)
}

class Comparison {
  readonly #live: Map<string, LiveEntry>
  readonly #left: Left
  readonly #roots: LiveRoots
  readonly #writable: Writable
  readonly #modes: Modes
  readonly #makesLinks: boolean
  readonly #letters: boolean
  readonly #seen = new Set<string>()
  readonly #same: FileEntry[] = []
  readonly #trusted: Buffer[] = []
  readonly #dirs: Op[] = []
  readonly #adds: Op[] = []
  readonly #replaces: Op[] = []
  readonly #links: Op[] = []
  readonly #contents = new Map<string, Content>()
  /** Live folders that something else takes the place of: what is in them goes with them. */
  readonly #displaced = new Set<string>()
  readonly #samples: string[] = []
  readonly #skipped: string[] = []
  #unchanged = 0
  #settled = 0

  constructor(
    live: Map<string, LiveEntry>,
    { left, roots, writable, survey }: { left: Left; roots: LiveRoots; writable: Writable; survey: Result<'restore.survey'> },
    modes: Modes,
  ) {
    this.#live = live
    this.#left = left
    this.#roots = roots
    this.#writable = writable
    this.#modes = modes
    this.#makesLinks = survey.links !== false
    this.#letters = survey.letters === true
  }

  /** What has to be there for something in it: a folder, or a link where nothing stands. */
  isWay({ root, path, type }: FileEntry): boolean {
    return type === 'directory' || (type === 'link' && !this.#live.has(pathKey(root, path)))
  }

  take(entry: FileEntry, scope: Scope): void {
    const key = pathKey(entry.root, entry.path)
    this.#seen.add(key)
    const name = entry.path.toString('latin1')
    if (UNFIT.test(name) || (!this.#letters && UNFIT_THERE.test(name)))
      return void this.#skipped.push(`${show(entry.path)} (a name that is not restored)`)
    const there = this.#live.get(key)
    if (entry.type !== 'directory' && this.#left.holds(key))
      return void this.#skipped.push(`${show(entry.path)} (a folder by now, with another WordPress in it)`)
    if (there?.t === 'd' && entry.type !== 'directory') this.#displaced.add(key)
    if (entry.type === 'directory') {
      // What cannot be looked at may be a folder that is shut.
      const isThere = there?.t === 'd' || there?.t === 'x'
      if (isThere ? !this.#writable.mayWithin(entry.root, entry.path) : !this.#writable.mayChange(entry.root, entry.path)) return
      if (there?.t === 'x') this.#modes.open(there)
      if (there?.t !== 'd') this.#dirs.push({ k: 'dir', r: entry.root, p: sitePath(entry.path), m: modeOf(entry) })
      if (scope.hasPath(entry.root, entry.path)) this.#modes.folder(entry, isThere ? there.m : undefined)
    } else if (entry.type === 'link') this.#link(entry, there)
    else if (there?.t === 'f' && isUntouched(entry, there)) {
      this.#trusted.push(entry.path)
      this.#keep(entry)
    } else if (there?.t === 'f' && there.s === entry.size) this.#same.push(entry)
    else this.#put(entry, there !== undefined)
  }

  #link(entry: FileEntry, there: LiveEntry | undefined): void {
    const target = entry.target ?? Buffer.alloc(0)
    if (there?.t === 'l' && there.to !== undefined && pathBytes(there.to).equals(target)) this.#unchanged += 1
    else if ((leadsOutside(entry.path, target) || this.#roots.isAtTop(entry.root)) && !this.#roots.isTarget(entry.root, entry.path, target))
      this.#skipped.push(`${show(entry.path)} (a link that leads out of the site)`)
    else if (!this.#makesLinks) this.#skipped.push(`${show(entry.path)} (a link, which PHP cannot make on this host)`)
    else if (this.#writable.mayChange(entry.root, entry.path))
      this.#links.push({ k: 'link', r: entry.root, p: sitePath(entry.path), to: sitePath(target) })
  }

  #put(entry: FileEntry, replaces: boolean): void {
    const { root, path, mtime, size, sha256, blobs } = entry
    if (!this.#writable.mayChange(root, path)) return
    const h = sha256 ?? ''
    ;(replaces ? this.#replaces : this.#adds).push({ k: 'put', r: root, p: sitePath(path), m: modeOf(entry), t: mtime, h, s: size })
    this.#contents.set(h, { sha256: h, size, blobs })
    this.#sample(replaces ? 'replace' : 'add', path)
  }

  #sample(what: string, path: Buffer): void {
    if (this.#samples.length < samplesShown) this.#samples.push(`${what} ${show(path)}`)
  }

  /** Files of equal size are equal when their SHA-256 is. */
  async compareContents(site: SiteClient): Promise<void> {
    for (const root of new Set(this.#same.map((entry) => entry.root))) {
      const entries = this.#same.filter((entry) => entry.root === root)
      for (let at = 0; at < entries.length; ) {
        const batch = nextOf(entries, at)
        const { digests } = await site.ask('files.digest', {
          root,
          items: batch.map(({ path }) => sitePath(path)),
          budget_ms,
        })
        for (const [index, digest] of digests.slice(0, batch.length).entries()) {
          const entry = batch[index]
          if (!entry) continue
          if (digest !== entry.sha256) this.#put(entry, true)
          else this.#keep(entry)
        }
        at += digests.length
      }
    }
  }

  #keep(entry: FileEntry): void {
    const there = this.#live.get(pathKey(entry.root, entry.path))
    if (!there || !this.#writable.mayBeside(entry.root, entry.path) || !this.#modes.file(entry, there)) this.#unchanged += 1
    else {
      this.#settled += 1
      this.#sample('mode or time of', entry.path)
    }
  }

  finish(scope: Scope): FilePlan {
    for (const [key, entry] of this.#live)
      if (
        entry.t === 'd' &&
        this.#writable.mayWithin(entry.root, pathBytes(entry.p)) &&
        scope.hasPath(entry.root, pathBytes(entry.p)) &&
        !this.#left.has(key)
      )
        this.#modes.open(entry)
    const removals = [...this.#live].filter(([key, entry]) => this.#goes(key, entry, scope)).map(([, entry]) => entry)
    const dels = removals.filter(({ t }) => t !== 'd').map(({ root, p }): Op => ({ k: 'del', r: root, p }))
    const rmdirs = removals
      .filter(({ t }) => t === 'd')
      .toReversed()
      .map(({ root, p, m }): Op => ({ k: 'rmdir', r: root, p, m }))
    for (const { p } of dels) this.#sample('remove', pathBytes(p))
    const { opened, settled } = this.#modes
    const ops = [...opened, ...this.#dirs, ...this.#adds, ...this.#replaces, ...this.#links, ...dels, ...rmdirs, ...settled]
    return {
      ops,
      contents: [...this.#contents.values()],
      replace: this.#replaces.length + this.#links.length + this.#settled,
      add: this.#adds.length,
      remove: dels.length,
      unchanged: this.#unchanged,
      samples: this.#samples,
      skipped: [...this.#skipped, ...this.#left.kept, ...this.#roots.refused, ...this.#writable.refused],
      warnings: [
        ...this.#left.warnings,
        ...sentence(this.#trusted, 'Above 1 GB, so it was not read, and taken as unchanged by its size, its times and its inode'),
      ],
    }
  }

  #goes(key: string, { root, p, t }: LiveEntry, scope: Scope): boolean {
    if (t === 'x' || this.#seen.has(key) || this.#left.has(key) || this.#left.holds(key) || !scope.hasPath(root, pathBytes(p))) return false
    // Of a place that was not there when the backup ran it knows nothing.
    const place = this.#roots.placeOf(root)
    if (place !== undefined && !this.#seen.has(`${root}/${place}`)) return false
    return !isAmong(this.#displaced, key) && this.#writable.mayChange(root, pathBytes(p), t === 'd')
  }
}

/** As many as one request can name. */
function nextOf(entries: FileEntry[], from: number): FileEntry[] {
  let [to, room] = [from, MAX_PATH_BYTES]
  for (; to < entries.length && to - from < digestsAtOnce; to++) {
    room -= (entries[to]?.path.length ?? 0) + 3
    if (room < 0 && to > from) break
  }
  return entries.slice(from, to)
}
