import type { CachedAnswer } from './cached-answer.ts'
import { askedFor, type Listing, type PageOf, type Position, pageFrom, type Wanted } from './cursor.ts'
import { JoinedReads } from './joined-reads.ts'

/** A page of a list that the database wrote as one text, `{"total", "items"}`. Nothing is read of it when it is the text that answered the same question before. */
export class WrittenPage {
  /** What was asked for, whole: the same text then makes the same page. */
  readonly question: string
  readonly text: string
  readonly read: () => Record<string, unknown>
  constructor(question: string, text: string, read: () => Record<string, unknown>) {
    this.question = question
    this.text = text
    this.read = read
  }
}

/** Of each database, as whoever asks may use it. */
const reads = new WeakMap<object, JoinedReads<string>>()

function readsOf(db: object): JoinedReads<string> {
  const known = reads.get(db) ?? new JoinedReads()
  reads.set(db, known)
  return known
}

/** A page as `pageOf` makes it, of what the store wrote. Of those who ask the same at once, one asks the database for the others. */
export async function writtenPageOf<Item>(
  { db, shows }: { db: object; shows?: readonly string[] | undefined },
  listing: Listing,
  wanted: Wanted,
  { text: write, at }: { text(page: PageOf): Promise<string>; at(item: Item): Position },
): Promise<WrittenPage> {
  const part = askedFor(listing, wanted)
  const question = JSON.stringify([listing, wanted, shows])
  const text = await readsOf(db).ask(question, () => write(part))
  return new WrittenPage(question, text, () => {
    const { total, items: found } = JSON.parse(text) as { total: number; items: Item[] }
    const { items, ...page } = pageFrom(listing, wanted, found, at)
    return { total, [listing.list]: items, ...page }
  })
}

/** Characters of all texts that are remembered; what is made of one takes a few times as much. */
const mostRemembered = 1_000_000

/** Who polls a list gets the same page most times: it is parsed, and written for a face, only when its text is another one. */
export class WrittenPages {
  /** By what was asked, the last asked for last. */
  readonly #known = new Map<string, { text: string; answer: CachedAnswer }>()
  #characters = 0

  /** `make` is asked for what the text does not tell yet. */
  answer(operation: string, { question, text, read }: WrittenPage, make: (page: Record<string, unknown>) => CachedAnswer): CachedAnswer {
    const asked = `${operation} ${question}`
    const known = this.#known.get(asked)
    const answer = known?.text === text ? known.answer : make(read())
    this.#forget(asked)
    this.#known.set(asked, { text, answer })
    this.#characters += asked.length + text.length
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= mostRemembered) break
      this.#forget(oldest)
    }
    return answer
  }

  #forget(asked: string): void {
    const known = this.#known.get(asked)
    if (known && this.#known.delete(asked)) this.#characters -= asked.length + known.text.length
  }
}
