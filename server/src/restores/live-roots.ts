// The folders of the site that a restore may work in.
import { posix } from 'node:path'
import type { FileEntry } from '../backups/engine/file-record.ts'
import type { Manifest } from '../backups/engine/manifest.ts'
import { beyond } from '../backups/roots.ts'
import type { Hello, Root } from '../connector/commands.ts'
import { type Place, pathBytes } from '../connector/site-text.ts'
import { counted } from '../kernel/job.ts'

const text = (place: Place = ''): string => pathBytes(place).toString('latin1')
const firstOf = (path: Buffer): string => path.toString('latin1').split('/')[0] ?? ''

/**
 * Those that the site has now, by their ids and where they lie now, and the backup had as well: what it knew nothing of is not touched.
 * Of those that have some names of a folder, the names that both know.
 */
export class LiveRoots {
  readonly ids: string[]
  readonly #live: Map<string, Root>
  readonly #names = new Map<string, Set<string>>()
  readonly #manifest: Manifest
  readonly #lost = new Map<string, number>()

  constructor({ roots }: Hello, manifest: Manifest) {
    this.#manifest = manifest
    this.#live = new Map(roots.map((root) => [root.id, root]))
    this.ids = roots.map(({ id }) => id).filter((id) => manifest.files?.roots.includes(id))
    for (const { id, only } of roots) this.#narrow(id, only)
    for (const { id, only } of manifest.files?.places ?? []) this.#narrow(id, only)
  }

  #narrow(id: string, only: Place[] | undefined): void {
    if (!only) return
    const known = this.#names.get(id)
    this.#names.set(id, new Set(only.map((name) => text(name)).filter((name) => known?.has(name) ?? true)))
  }

  /** Whether a path is one of both. */
  has(root: string, path: Buffer): boolean {
    return this.ids.includes(root) && (this.#names.get(root)?.has(firstOf(path)) ?? true)
  }

  /** Remembers what the backup has of a place that the site has no more. */
  miss({ root, type }: FileEntry): void {
    if (type !== 'directory') this.#lost.set(root, (this.#lost.get(root) ?? 0) + 1)
  }

  /** What is not restored for it, in words. */
  get refused(): string[] {
    return [...this.#lost].map(([root, count]) => `${counted(count, 'file')} of ${this.named(root)} (the site leads there no more)`)
  }

  /** For people: where it lay when the backup ran, if that was elsewhere. */
  named(root: string): string {
    const where = beyond(this.#manifest.files?.places ?? []).find(({ id }) => id === root)?.path
    return where === undefined ? root : `${root}, ${where}`
  }

  /** What an older connector tells of all of a root, and a newer one of what is at its top. */
  mayWrite(root: string): boolean {
    return this.#live.get(root)?.writable !== false
  }

  /** The one name of a root that stands for a whole place, where that is all it has. */
  placeOf(root: string): string | undefined {
    const names = [...(this.#names.get(root) ?? [])]
    return names.length === 1 ? names[0] : undefined
  }

  /** A folder at the top of the machine: all else there is not the site's. */
  isAtTop(root: string): boolean {
    return this.#live.get(root)?.path === ''
  }

  /** By the text of a link, as the site will judge it again. */
  isTarget(root: string, path: Buffer, target: Buffer): boolean {
    const from = this.#live.get(root)?.path
    if (from === undefined || target.length === 0) return false
    const to = posix.resolve(text(from) || '/', posix.dirname(path.toString('latin1')), target.toString('latin1'))
    return [...this.#live.values()].some(({ path: place, only }) => {
      if (place === undefined || !`${to}/`.startsWith(`${text(place)}/`)) return false
      const first = to.slice(text(place).length + 1).split('/')[0] ?? ''
      return !only || only.some((name) => text(name) === first)
    })
  }
}
