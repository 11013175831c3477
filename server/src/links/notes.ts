// What a scan has met, in memory, with what of it is not written down yet.
import type { Link } from './extract.ts'
import type { Met, NotRead } from './scan-store.ts'
import type { Verdict } from './verdict.ts'

const mostPlaces = 20

export class Notes {
  readonly #met: Map<string, Met>
  readonly #unsaved = new Set<Met>()
  #saving = Promise.resolve()
  readonly #mostLinks: number
  /** Some were left out. */
  full = false

  constructor(met: readonly Met[], mostLinks: number) {
    this.#met = new Map(met.map((each) => [each.url, each]))
    this.#mostLinks = mostLinks
  }

  get size(): number {
    return this.#met.size
  }

  all(): Met[] {
    return [...this.#met.values()]
  }

  get(url: string): Met | undefined {
    return this.#met.get(url)
  }

  /** Notes where a link stands; `isPage`: it is to be read. */
  add({ url, element, text }: Pick<Link, 'url' | 'element' | 'text'>, page: string | null, isPage: boolean): Met | undefined {
    const met = this.#met.get(url) ?? this.#begin(url)
    if (!met) return undefined
    met.isPage ||= isPage
    // On a page it counts once, however often it stands there.
    if (page !== null && !met.places.some((place) => place.page === page)) {
      met.placesCount++
      if (met.places.length < mostPlaces) met.places.push({ page, element, text })
    }
    this.#unsaved.add(met)
    return met
  }

  #begin(url: string): Met | undefined {
    if (this.#met.size >= this.#mostLinks) {
      this.full = true
      return undefined
    }
    const met: Met = { url, isPage: false, isDone: false, verdict: null, notRead: null, places: [], placesCount: 0 }
    this.#met.set(url, met)
    return met
  }

  done(met: Met, verdict: Verdict): void {
    met.isDone = true
    met.verdict = verdict
    this.#unsaved.add(met)
  }

  /** Nobody asks for it. */
  passOver(url: string, why: NotRead): void {
    const met = this.#met.get(url) ?? this.#begin(url)
    if (!met || met.isDone) return
    met.isDone = true
    met.notRead = why
    this.#unsaved.add(met)
  }

  /** What has changed since it was last asked, one batch after the other, so that what is newer stays; on a failure it is put back. */
  flush(save: (met: readonly Met[]) => Promise<void>): Promise<void> {
    const saved = this.#saving.then(() => this.#saveBatch(save))
    this.#saving = saved.catch(() => undefined)
    return saved
  }

  async #saveBatch(save: (met: readonly Met[]) => Promise<void>): Promise<void> {
    const batch = [...this.#unsaved]
    this.#unsaved.clear()
    try {
      await save(batch)
    } catch (error) {
      for (const met of batch) this.#unsaved.add(met)
      throw error
    }
  }
}
