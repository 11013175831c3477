// Where the site may write, by what it says of its folders.
import { counted } from '../kernel/job.ts'
import type { LiveRoots } from './live-roots.ts'
import { pathKey } from './scope.ts'

/** What the site has, by root and path; `w`: false of a folder where it may not write. */
type Live = ReadonlyMap<string, { t: string; w?: boolean | undefined }>

export class Writable {
  readonly #live: Live
  readonly #roots: LiveRoots
  readonly #ofEachFolder: boolean
  readonly #left = new Map<string, number>()

  /** `ofEachFolder`: the connector says it of each folder, and not only of roots. */
  constructor(live: Live, roots: LiveRoots, ofEachFolder: boolean) {
    this.#live = live
    this.#roots = roots
    this.#ofEachFolder = ofEachFolder
  }

  /** Whether something at a path may be made, exchanged or taken away. */
  mayBeside(root: string, path: Buffer): boolean {
    return this.#shut(root, pathKey(root, path)) === undefined
  }

  /** Whether a folder may be worked in. */
  mayWithin(root: string, path: Buffer): boolean {
    return this.#shut(root, `${pathKey(root, path)}/`) === undefined
  }

  /** The same of something that differs and would go or come, which is remembered. */
  mayChange(root: string, path: Buffer, isFolder = false): boolean {
    const key = pathKey(root, path)
    const shut = this.#shut(root, key) ?? (isFolder ? this.#shut(root, `${key}/`) : undefined)
    if (shut !== undefined) this.#left.set(shut, (this.#left.get(shut) ?? 0) + 1)
    return shut === undefined
  }

  /** What is not restored for it, in words. */
  get refused(): string[] {
    return [...this.#left].map(([where, count]) => `${counted(count, 'file')} of ${where} (the site may not write there)`)
  }

  /** By the nearest folder that is there; names the outermost of those around it that are shut as well. */
  #shut(root: string, key: string): string | undefined {
    const ofRoot = this.#roots.mayWrite(root) ? undefined : this.#roots.named(root)
    if (!this.#ofEachFolder) return ofRoot
    let shut: string | undefined
    for (let at = key.lastIndexOf('/'); at > root.length; at = key.lastIndexOf('/', at - 1)) {
      const folder = this.#live.get(key.slice(0, at))
      if (folder?.t !== 'd') continue
      if (folder.w !== false) return shut
      shut = Buffer.from(key.slice(root.length + 1, at), 'latin1')
        .toString()
        .slice(0, 200)
    }
    return shut ?? ofRoot
  }
}
