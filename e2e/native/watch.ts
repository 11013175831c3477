// A visitor of the sample plugin's site who sees how long an update disturbs it.
import { setTimeout as sleep } from 'node:timers/promises'
import { visibleWords } from '../../server/src/sites/visible.ts'
import { visit } from '../visitor.ts'

const whole = process.env.UPDATES === 'whole'
/** While a site is updated (`npm run prove:updates`: ten times a second), and otherwise: two processor cores cannot make twenty pages so often. */
const [everyMs, idleMs] = [whole ? 100 : 250, 5000]
/** Of the time that a page takes: a visitor who came again at once would take the site from what is tried beside them. */
const restPerLook = whole ? 0 : 3
/** The same while nothing is done there: twenty pages of a second each every five seconds are more than two processor cores make. */
const restWhileIdle = 40
/** A page of fewer of the words it had is none. */
const leastOfWords = 0.5
export interface Seen {
  /** The longest time in a row in which the front page was not what it should be, and how long in all. */
  longestDownMs: number
  downMs: number
  looks: number
  /** The longest time between two looks while it was updated; on a busy machine the page itself takes its time. */
  longestGapMs: number
  /** The first that was not what it should be; ''. */
  worst: string
}
export const NOTHING_SEEN: Seen = { longestDownMs: 0, downMs: 0, looks: 0, longestGapMs: 0, worst: '' }
interface Visit {
  at: number
  up: boolean
  text: string
  busy: boolean
}

/** A visitor who asks for the front page every 250 ms or more, in `prove:updates` every 100, reads it, and knows a broken one when seeing it. */
export function watch(url: string, busy: () => boolean = () => true): { stop: () => Promise<Seen> } {
  let over = false
  const looks: Visit[] = []
  let words = 0
  const watching = (async () => {
    while (!over) {
      const at = performance.now()
      const seen = await see(url)
      const isPage = seen.text.startsWith('200 Harbour Notices')
      // What was there to read at the first look.
      if (isPage && words === 0) words = seen.words
      const up = isPage && seen.words > leastOfWords * words
      looks.push({ at, up, text: isPage && !up ? `${seen.text}, ${seen.words} words of ${words}` : seen.text, busy: busy() })
      // What was down is looked at often until it is up again.
      const took = performance.now() - at
      const paced = () => (busy() ? Math.max(everyMs, took * (1 + restPerLook)) : Math.max(idleMs, took * (1 + restWhileIdle)))
      // Who rests comes at once when something begins there.
      const left = () => at + (up ? paced() : everyMs) - performance.now()
      while (!over && left() > 0) await sleep(Math.min(everyMs, left()))
    }
  })()
  return {
    async stop() {
      over = true
      await watching
      return summed(looks, performance.now())
    },
  }
}

/** A page is down from the first look that failed until the next that did not. */
function summed(looks: Visit[], end: number): Seen {
  const seen = { ...NOTHING_SEEN, looks: looks.length, worst: looks.find(({ up }) => !up)?.text ?? '' }
  let since = -1
  for (const [index, { at, up, busy }] of [...looks, { at: end, up: true, text: '', busy: false }].entries()) {
    if (busy && looks[index - 1]?.busy) seen.longestGapMs = Math.max(seen.longestGapMs, Math.round(at - (looks[index - 1]?.at ?? at)))
    if (!up && since < 0) since = at
    if (!up || since < 0) continue
    seen.longestDownMs = Math.max(seen.longestDownMs, Math.round(at - since))
    seen.downMs += Math.round(at - since)
    since = -1
  }
  return seen
}

/** Its status, and the version at its foot. */
export const lookOf = async (url: string): Promise<string> => (await see(url)).text

/** The same, and how many words somebody reads there. */
async function see(url: string): Promise<{ text: string; words: number }> {
  try {
    const { status, text } = await visit(url, { signal: AbortSignal.timeout(15_000) })
    const page = (text.includes('</html>') && /Harbour Notices [\d.]+/.exec(text)?.[0]) || 'not the page'
    return { text: `${status} ${page}`, words: visibleWords(text) }
  } catch (error) {
    return { text: `no answer: ${String(error)}`, words: 0 }
  }
}
