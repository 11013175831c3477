import { hash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { Problem } from './problem.ts'

/** What a cursor belongs to: it leads nowhere in another list, in another workspace or under another filter. */
export interface Listing {
  /** The field under which the items are sent. */
  list: string
  workspaceId: string
  filter: object
}

/** The last item of a page, by what its list is sorted by. */
export type Position = readonly (string | number)[]

/** A piece of text that finds its way back to this place of this list, and to no other. */
export function cursorAt(listing: Listing, position: Position): string {
  const place = JSON.stringify(position)
  return Buffer.from(checksumOf(listing, place) + place).toString('base64url')
}

/** The place where the page before ended; undefined without a cursor, a Problem for what is no cursor of this list. */
function positionAt(listing: Listing, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const place = text.slice(checksumLength)
  if (place !== '' && text.startsWith(checksumOf(listing, place)) && Buffer.from(text).toString('base64url') === cursor)
    return JSON.parse(place)
  throw new Problem('invalid_payload', 'Some fields are not valid.', {
    errors: [{ path: 'cursor', message: 'This is no cursor of this list with these filters. Leave it out to begin at the first page.' }],
  })
}

const checksumLength = 12

/** No secret: whoever makes one up gets to see nothing but his own list. It tells a mistake from a cursor. */
function checksumOf({ list, workspaceId, filter }: Listing, place: string): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify([list, workspaceId, given.sort(([a], [b]) => (a < b ? -1 : 1)), place]), 'base64').slice(
    0,
    checksumLength,
  )
}

/** How many items are wanted, all of them without a limit, and where the page before ended. */
export interface Wanted {
  limit?: number | undefined
  cursor?: string | undefined
}

/** The cursor of the page that begins behind an item, by the item's place on this page, from 0. */
export type CursorAfter = (index: number) => string

/** A page as a list's handler answers it; `cursorAfter` is for the faces and leaves with none of them. */
export interface Page<Item> {
  items: Item[]
  total: number
  limit: number | null
  next_cursor: string | null
  cursorAfter: CursorAfter
}

/** What a store is asked for. */
export interface PageOf {
  limit: number | undefined
  after: Position | undefined
}

/** Whoever counts millions for a page of fifty pays for it with each page: from here on a total only says that there are more. */
export const mostCounted = 10_001

/** How many rows there are after this FROM, `mostCounted` at most. */
export async function countRows(db: Kysely<unknown>, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT ${counted(from)} AS n`.execute(db)
  return rows[0]?.n ?? 0
}

/** The same, within a statement that asks for more. */
export const counted = (from: RawBuilder<unknown>) =>
  sql`(SELECT count(*)::int FROM (SELECT 1 FROM ${from} LIMIT ${mostCounted}) AS counted)`

/** One page of a list. One item more than is shown is asked for, to know whether another page follows; nobody counts what was read whole. */
export async function pageOf<Item>(
  listing: Listing,
  wanted: Wanted,
  { items: read, total: count, at }: { items(page: PageOf): Promise<Item[]>; total(): Promise<number> | number; at(item: Item): Position },
): Promise<Page<Item>> {
  const asked = askedFor(listing, wanted)
  const found = await read(asked)
  const { items, ...page } = pageFrom(listing, wanted, found, at)
  const isWhole = asked.after === undefined && items.length === found.length
  return { items, total: isWhole ? items.length : await count(), ...page }
}

/** What a store is asked for: one item more than is shown. Throws a Problem for a cursor of another list. */
export const askedFor = (listing: Listing, { limit, cursor }: Wanted): PageOf => ({
  limit: limit === undefined ? undefined : limit + 1,
  after: positionAt(listing, cursor),
})

/** A page of what a store has found. */
export function pageFrom<Item>(
  listing: Listing,
  { limit }: Wanted,
  found: Item[],
  at: (item: Item) => Position,
): Omit<Page<Item>, 'total'> {
  const items = limit === undefined ? found : found.slice(0, limit)
  return { items, limit: limit ?? null, ...cursorsOf(listing, items, at, found.length > items.length) }
}

/** The cursors of a page; `more`: another one follows. */
export function cursorsOf<Item>(
  listing: Listing,
  items: readonly Item[],
  at: (item: Item) => Position,
  more: boolean,
): Pick<Page<Item>, 'next_cursor' | 'cursorAfter'> {
  const cursorAfter: CursorAfter = (index) => {
    const item = items[index]
    if (item === undefined) throw new RangeError(`${listing.list} has no item ${index}`)
    return cursorAt(listing, at(item))
  }
  return { next_cursor: more && items.length > 0 ? cursorAfter(items.length - 1) : null, cursorAfter }
}
