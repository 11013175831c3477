import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { Params, Result } from '../../connector/commands.ts'
import { pathBytes, type SitePath, sitePath } from '../../connector/site-text.ts'
import { malformed } from '../../connector/slice.ts'
import { parentOf, showPath, trustedPath, walkOrder } from './site-path.ts'
import type { SliceSize } from './slice-size.ts'

/** One thing the site has. `type` x: neither file, directory nor link, or unreadable. */
export type Listed = {
  path: Buffer
  type: 'f' | 'd' | 'l' | 'x'
  mode: number
  mtime: number
  ctime: number
  inode: number
  size: number
  target: Buffer | null
}
export type Excluded = { path: Buffer; why: string }
export type ListFiles = (params: Params<'files.list'>, signal: AbortSignal) => Promise<Result<'files.list'>>
/** Where a walk goes on; `isDirectory` tells what `path` was. */
export type Cursor = { path: Buffer; isDirectory: boolean }

/** The most entries one backup may hold, unless less is asked for. */
const MOST_ENTRIES = 10_000_000
const PAGE_ITEMS = 5_000
const BUDGET_MS = 8_000
const compress = promisify(zstdCompress)
const expand = promisify(zstdDecompress)

type Page = Pick<Result<'files.list'>, 'entries' | 'excluded' | 'outside'>
/** A page as it is worked on. `outside`: of links that lead out of all roots, why what they lead to is not here. */
export type ListedPage = { entries: Listed[]; excluded: Excluded[]; outside: Excluded[] }
type WalkRequest = {
  list: ListFiles
  root: string
  from: Cursor | null
  slice: SliceSize
  signal: AbortSignal
  mostEntries?: number | undefined
}

/** The listing of one root, kept compressed (about 30 bytes per entry) until it is read out once, page by page. */
export class Listing {
  files = 0
  bytes = 0
  entries = 0
  readonly root: string
  readonly #pages: Buffer[] = []

  constructor(root: string) {
    this.root = root
  }

  async append(page: Page): Promise<void> {
    const files = page.entries.filter((entry) => entry.t === 'f')
    this.files += files.length
    this.bytes += files.reduce((sum, entry) => sum + entry.s, 0)
    this.entries += page.entries.length + page.excluded.length
    this.#pages.push(await compress(Buffer.from(JSON.stringify(page))))
  }

  readonly pages = () => this.#readPages()

  async *#readPages(): AsyncGenerator<ListedPage, void, undefined> {
    for (let next = this.#pages.shift(); next; next = this.#pages.shift()) {
      const page: Page = JSON.parse((await expand(next)).toString('utf8'))
      yield { entries: page.entries.map(listed), excluded: page.excluded.map(withBytes), outside: (page.outside ?? []).map(withBytes) }
    }
  }
}

const withBytes = ({ p, why }: Page['excluded'][number]): Excluded => ({ path: pathBytes(p), why })

/** Lists one root to its end. Refuses answers that do not move on, leave the root, repeat a path or never end. */
export async function* walk({ list, root, from, slice, signal, mostEntries }: WalkRequest): AsyncGenerator<Page, void, undefined> {
  const guard = new WalkGuard(from, mostEntries)
  const ask = (after: SitePath | null) => {
    const params = { root, after, max_items: PAGE_ITEMS, budget_ms: BUDGET_MS }
    const page = slice.ask(signal, () => list(params, signal))
    // Awaited in its turn; until then a failure must not count as unhandled.
    page.catch(() => undefined)
    return page
  }
  let coming: ReturnType<typeof ask> | undefined = ask(from ? sitePath(from.path) : null)
  while (coming) {
    const page: Result<'files.list'> = await coming
    guard.admit(page)
    // The site lists on while this page is worked on.
    coming = page.done ? undefined : ask(page.after)
    yield { entries: page.entries, excluded: page.excluded, outside: page.outside }
  }
}

class WalkGuard {
  #last: Buffer
  #directories: Buffer[]
  #entries = 0
  readonly #most: number

  constructor(from: Cursor | null, most = MOST_ENTRIES) {
    this.#most = most
    this.#last = from?.path ?? Buffer.alloc(0)
    this.#directories = from ? ancestorsOf(from) : []
  }

  admit(page: Result<'files.list'>): void {
    if (page.entries.length > PAGE_ITEMS) throw malformed('The site listed more files than were asked for.')
    const before = this.#last
    for (const entry of page.entries) this.#enter(trustedPath(entry.p), entry.t === 'd')
    for (const { p } of [...page.excluded, ...(page.outside ?? [])]) trustedPath(p)
    this.#entries += Math.max(1, page.entries.length + page.excluded.length)
    if (this.#entries > this.#most) throw malformed(`The site listed more than ${this.#most} files.`)
    if (!page.done) this.#moveOn(page.after, before)
  }

  #enter(path: Buffer, isDirectory: boolean): void {
    if (walkOrder(path, this.#last) <= 0) throw malformed('The site’s list of files does not move on.', { named: showPath(path) })
    const parent = parentOf(path)
    while (this.#directories.length > 0 && !this.#directories.at(-1)?.equals(parent)) this.#directories.pop()
    if (parent.length > 0 && this.#directories.length === 0)
      throw malformed('The site listed a file inside something it did not list.', { named: showPath(path) })
    if (isDirectory) this.#directories.push(path)
    this.#last = path
  }

  #moveOn(after: SitePath | null, before: Buffer): void {
    const cursor = after === null ? Buffer.alloc(0) : trustedPath(after)
    if (walkOrder(cursor, before) <= 0 || walkOrder(cursor, this.#last) < 0) throw malformed('The site’s list of files does not move on.')
    this.#last = cursor
  }
}

function ancestorsOf({ path, isDirectory }: Cursor): Buffer[] {
  const above: Buffer[] = isDirectory ? [path] : []
  for (let parent = parentOf(path); parent.length > 0; parent = parentOf(parent)) above.unshift(parent)
  return above
}

function listed(entry: Page['entries'][number]): Listed {
  const { t, m, mt, ct, i, s, to } = entry
  return {
    path: pathBytes(entry.p),
    type: t,
    mode: m,
    mtime: mt,
    ctime: ct,
    inode: i,
    size: s,
    target: to === undefined ? null : pathBytes(to),
  }
}
