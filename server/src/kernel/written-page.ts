import type { CachedAnswer } from './cached-answer.ts'
import { askedFor, type Listing, type PageOf, type Position, pageFrom, type Wanted } from './cursor.ts'

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

/** A page as `pageOf` makes it, of what the store wrote. */
export async function writtenPageOf<Item>(
  listing: Listing,
  wanted: Wanted,
  { text: write, at }: { text(page: PageOf): Promise<string>; at(item: Item): Position },
): Promise<WrittenPage> {
  const text = await write(askedFor(listing, wanted))
  return new WrittenPage(JSON.stringify([listing, wanted]), text, () => {
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

  /** `make` is asked for what the text does not tell yet; where the same text is told in several manners, the manner is a part of what was asked. */
  answer({ question, text, read }: WrittenPage, manner: string, make: (page: Record<string, unknown>) => CachedAnswer): CachedAnswer {
    const asked = `${manner} ${question}`
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
