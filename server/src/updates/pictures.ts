// The front page as a browser shows it, before an update and after it: what hides a page without taking a word from it.
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../kernel/ids.ts'
import type { FileAnswer } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Why } from '../kernel/site-said.ts'
import { inTurn, usualMemory } from '../platform/chromium.ts'
import { FetchError } from '../platform/fetch-error.ts'
import { type Answer, NoPicture } from '../platform/page-requests.ts'
import { type Photo, photograph } from '../platform/photograph.ts'
import type { SiteClient } from '../sites/client.ts'
import { pagesOf } from '../sites/visit.ts'
import type { Context, Here } from '../world.ts'
import { beforeOf, type Compared, compare, leastLikeness } from './likeness.ts'
import { visitPastCaches } from './look.ts'
import { findBefore, insertBefore, type Moment, readPicture, saveAfter } from './pictures-store.ts'
import type { Pictures } from './schema.ts'

/** What a sitting needs to know of the update. */
export interface Sitter {
  here: Here
  site: SiteClient
  /** By what the site knows our looks. */
  echo: string
  /** What the clock of the page says, both times. */
  startedMs: number
  signal: AbortSignal
}
/** `id`: of what is kept; undefined: nothing. */
export interface Taken {
  id?: string
  told: Pictures
}

const timeoutMs = 30_000
const turnMs = 20_000
const lookAgainMs = 1_500
const mostBytes = 5 * 1024 * 1024
const partMs = 8_000

/** Twice, before anything is touched: what differs between the two changes by itself. */
export async function pictureBefore(sitter: Sitter): Promise<Taken> {
  const { here, site } = sitter
  try {
    const [first, second] = await sit(sitter, 2)
    if (!first || !second) throw new NoPicture('The browser took no picture.')
    const id = newId('picture', here.now())
    const { siteId } = site.connection
    await insertBefore(here, { id, siteId, picture: first.picture, ...beforeOf(first.drawn, second.drawn) })
    const kept = { before: pathOf(siteId, id, 'before'), after: null }
    return { id, told: { verdict: 'unknown', likeness: null, reason: 'None was taken afterwards.', ...kept } }
  } catch (error) {
    return { told: { ...untaken(error), before: null, after: null } }
  }
}

/** What is wrong with the page now, seen so twice; null: nothing is known to be. */
export async function pictureAfter(sitter: Sitter, taken: Taken): Promise<{ taken: Taken; wrong: Why | null }> {
  const { here, site } = sitter
  const { id, told } = taken
  const before = id === undefined ? undefined : await findBefore(here, id)
  if (id === undefined || !before) return { taken, wrong: null }
  try {
    let [photo] = await sit(sitter, 1)
    let seen = photo && compare(before, photo.drawn)
    if (seen && isWrong(seen)) {
      await sleep(lookAgainMs, undefined, { signal: sitter.signal })
      ;[photo] = await sit(sitter, 1)
      seen = photo && compare(before, photo.drawn)
    }
    if (!photo || !seen) throw new NoPicture('The browser took no picture.')
    await saveAfter(here, id, photo.picture)
    const { verdict, likeness } = seen
    const reason = seen.verdict === 'unknown' ? seen.reason : null
    const now = { id, told: { verdict, likeness, reason, before: told.before, after: pathOf(site.connection.siteId, id, 'after') } }
    return { taken: now, wrong: isWrong(seen) ? inWords(seen) : null }
  } catch (error) {
    return { taken: { id, told: { ...told, ...untaken(error) } }, wrong: null }
  }
}

/** Of what was shown in no case. */
export const noPictures = (reason: string): Taken => ({
  told: { verdict: 'not_taken', likeness: null, reason, before: null, after: null },
})

export async function pictureOf(context: Context, siteId: string, id: string, moment: Moment): Promise<FileAnswer> {
  const bytes = await readPicture(context, siteId, id, moment)
  if (!bytes) throw new Problem('not_found', 'There is no such picture of this site; pictures of updates are kept for 30 days.')
  const known = { length: bytes.length, etag: `"${hash('sha256', bytes, 'hex')}"` }
  const open: FileAnswer['open'] = (part) => Readable.from([part ? bytes.subarray(part.from, part.to) : bytes])
  return { filename: `${id}-${moment}.webp`, contentType: 'image/webp', known, open }
}

const pathOf = (siteId: string, id: string, moment: Moment) => `/api/v1/sites/${siteId}/update-pictures/${id}?moment=${moment}`

const isWrong = ({ verdict }: Compared) => verdict === 'blank' || verdict === 'unlike'

const inWords = ({ verdict, likeness }: Compared): Why => ({
  message:
    verdict === 'blank'
      ? 'The front page is blank in a browser, though its words are there.'
      : `The front page looks like another one in a browser: ${Math.round(100 * (likeness ?? 0))} % of what was seen before is to be seen still, less than ${100 * leastLikeness} %.`,
})

/** Errors of our own are none of the pictures’. */
function untaken(error: unknown): Pick<Pictures, 'verdict' | 'likeness' | 'reason'> {
  if (!(error instanceof NoPicture)) throw error
  return { verdict: 'unknown', likeness: null, reason: error.message }
}

/** A page that misses files of its own because they did not come says nothing, before an update as little as after it. */
async function sit(sitter: Sitter, times: number): Promise<Photo[]> {
  const { here, site, startedMs: at, signal } = sitter
  const { chromium: program, chromiumSandbox: sandbox } = here.config
  if (program === undefined) throw new NoPicture('No browser is set (SERVICE_CHROMIUM).')
  const browser = { program, sandbox, timeoutMs, mostMemory: usualMemory }
  const url = pagesOf(site.connection).front
  const lost = new Set<string>()
  const answer = answerOf(sitter, lost)
  const photos = await inTurn(turnMs, () => photograph({ browser, url, at, times, answer, signal }), signal)
  signal.throwIfAborted()
  if (!photos) throw new NoPicture('The browser was busy with others.')
  if (lost.size > 0) throw new NoPicture('Files of the page itself did not come.')
  return photos
}

/** Everything goes out through the guarded client, as our looks do; the page is one that no cache knows. */
function answerOf({ site, echo }: Sitter, lost: Set<string>): Answer {
  const own = new URL(site.connection.home).host
  return async ({ url, kind, accept, signal }) => {
    if (kind === 'part') {
      const came = await part(site, { url, accept, signal })
      const away = came === undefined || came.status === 429 || came.status >= 500
      if (away && !signal.aborted && new URL(url).host === own) lost.add(url)
      return came
    }
    const page = await visitPastCaches(site.pages, url, { echo, trial: false })
    if (page.silence) throw new NoPicture(`The page does not answer${page.silence.reason === 'timeout' ? ' in time' : ''}.`)
    if (page.next !== null) return { status: page.status, headers: { location: page.next }, body: Buffer.alloc(0) }
    if (!page.live) throw new NoPicture('A cache answered for the page.')
    return { status: page.status, headers: page.headers, body: page.bytes }
  }
}

async function part(site: SiteClient, { url, accept, signal }: { url: string; accept: string; signal: AbortSignal }) {
  const headers = { accept, 'accept-encoding': 'identity', 'cache-control': 'no-cache' }
  try {
    return await site.pages({ method: 'GET', url, headers, maxBytes: mostBytes, timeoutMs: partMs, signal })
  } catch (error) {
    if (!(error instanceof FetchError) && !signal.aborted) throw error
    return undefined
  }
}
