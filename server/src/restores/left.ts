// What a restore leaves as it is, because the site or the backup says so.
import type { FileEntry } from '../backups/engine/file-record.ts'
import { type Manifest, NEIGHBOUR, type Omission, readOmissions } from '../backups/engine/manifest.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Result } from '../connector/commands.ts'
import { pathBytes } from '../connector/site-text.ts'
import { pathKey } from './scope.ts'

const shown = 5
const show = (path: Buffer) => path.toString('utf8').slice(0, 200)

/** Paths with everything below them. */
export class Left {
  readonly #keys: Set<string>
  readonly #around = new Set<string>()
  /** What the site now says is another WordPress's, and of it what the backup has something of. */
  readonly #neighbours = new Map<string, Buffer>()
  readonly #kept = new Set<string>()
  /** What moved while the backup ran: the backup has it as it was read, or not at all. */
  readonly #moved = new Map<string, Buffer>()
  readonly #read: Buffer[] = []
  readonly #lacking: Record<'unreadable' | 'outside', Buffer[]> = { unreadable: [], outside: [] }

  constructor({ leave }: Pick<Result<'restore.survey'>, 'leave'>) {
    this.#keys = new Set(leave.map(({ r, p }) => pathKey(r, pathBytes(p))))
  }

  static async of(survey: Result<'restore.survey'>, { manifest, read }: { manifest: Manifest; read: ReadBlob }): Promise<Left> {
    const left = new Left(survey)
    for await (const omission of readOmissions(manifest, read)) left.#add(omission)
    return left
  }

  #add({ kind, root, path }: Omission): void {
    const key = pathKey(root, path)
    if (kind === 'unreadable' || kind === 'outside') this.#lacking[kind].push(path)
    if (kind === 'changed') this.#moved.set(key, path)
    // A link that leads out is in the backup, only what it leads to is not.
    else if (kind !== 'outside') this.#keys.add(key)
  }

  /** What the site now says is no part of it: the files of another installation stay, also those that an older backup has, and so do the folders around them. */
  leave(root: string, excluded: Result<'files.list'>['excluded']): void {
    for (const { p } of excluded.filter(({ why }) => why === NEIGHBOUR)) {
      const path = pathBytes(p)
      const key = pathKey(root, path)
      this.#keys.add(key)
      this.#neighbours.set(key, path)
      for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) this.#around.add(key.slice(0, at))
    }
  }

  /** A folder with something in it that is left as it is. */
  holds(key: string): boolean {
    return this.#around.has(key)
  }

  has(key: string): boolean {
    return isAmong(this.#keys, key) || this.#moved.has(key)
  }

  /** What was read while it changed comes back so; what lies in another WordPress by now does not, which is remembered. */
  admit({ root, path, changed }: FileEntry): void {
    const key = pathKey(root, path)
    if (changed && this.#moved.delete(key)) this.#read.push(path)
    const neighbour = placeAmong(this.#neighbours, key)
    if (neighbour !== undefined) this.#kept.add(neighbour)
  }

  /** The places of which the backup has something that does not come back, in words. */
  get kept(): string[] {
    return [...this.#kept].map(
      (key) => `${show(this.#neighbours.get(key) ?? Buffer.alloc(0))} (another WordPress by now, with all that is in it)`,
    )
  }

  get warnings(): string[] {
    const { unreadable, outside } = this.#lacking
    return [
      ...sentence(this.#read, 'Comes back as it was read while it kept changing'),
      ...sentence([...this.#moved.values()], 'Not in the backup, because it went while that ran; what the site has there stays'),
      ...sentence(unreadable, 'Not in the backup, because the site could not read it; what is there stays'),
      ...sentence(outside, 'Not in the backup is what these lead to; it stays'),
    ]
  }
}

/** A path that is named, or lies below one that is. */
export function isAmong(keys: ReadonlySet<string>, key: string): boolean {
  return placeAmong(keys, key) !== undefined
}

/** The one among them that a path is, or lies below. */
function placeAmong(keys: Pick<ReadonlySet<string>, 'has'>, key: string): string | undefined {
  for (let at = key.length; at > 0; at = key.lastIndexOf('/', at - 1)) if (keys.has(key.slice(0, at))) return key.slice(0, at)
  return undefined
}

/** Some of the paths behind words about all of them. */
export function sentence(paths: Buffer[], words: string): string[] {
  if (paths.length === 0) return []
  const more = paths.length > shown ? ` and ${paths.length - shown} more` : ''
  return [`${words}: ${paths.slice(0, shown).map(show).join(', ')}${more}.`]
}
