// A report, its page and its mail in which every text is one of these words.
import { sections } from '../src/clients/schema.ts'
import type { Facts } from '../src/reports/facts.ts'
import { type Words, wordsOf } from '../src/reports/mail-words.ts'
import { type Appearance, type Content, pageOf, summarize } from '../src/reports/page.ts'

const at = '2026-03-05T10:00:00.000Z'

/** Of each word two sites, an entry, updates and whatever else there is. */
function factsOf(words: readonly string[]): Facts {
  const backups = { completed: 3, failed: 1, suspect: 1, level: 'restored' as const, checked_at: at }
  const each = <Row>(make: (word: string, n: number) => Row, times = 1) =>
    words.flatMap((word) => Array.from({ length: times }, (_, n) => make(word, n)))
  return {
    ...{ from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', made_at: at, time_zone: 'UTC' },
    sites: each(
      (word, n) => ({
        ...{ id: word, name: word, url: word, up: n === 1, updates_waiting: 1, open: { critical: 1, high: 0, medium: 2, low: 0 } },
        ...{ last_backup_at: n === 1 ? at : null, backups, uptime: { ratio: 0.999, outages: 1, down_s: 400 } },
      }),
      2,
    ),
    work: each((word) => ({ id: word, at, site: word, category: 'fix', summary: word, by: word })),
    updates: {
      ...{ installed: 2, taken_back: 1, failed: 0, more: 3 },
      items: each(
        (word, n) => ({ type: n === 0 ? 'plugin' : 'core', name: word, from: word, to: word, times: 1, sites: 1, last_at: at }),
        2,
      ),
      back: each((word) => ({ at, site: word, name: word, version: word })),
    },
    restores: each((word) => ({ at, site: word, undone: false })),
    uptime: {
      ...{ ratio: 0.999, step: 'day' as const, outages: 1, down_s: 400, more: 0 },
      points: [{ at: '2026-03-05', ratio: 0.9 }],
      incidents: each((word) => ({ site: word, kind: 'down', cause: word, at, ended_at: at, seconds: 400 })),
    },
    performance: each((word) => ({ site: word, direction: 'worse', before: 200, now: 900, points: [200, 900] })),
    security: {
      ...{ found: 1, fixed: 1, more: 0 },
      open: each((word) => ({ site: word, kind: 'vulnerability', severity: 'critical', component: word, found_at: at })),
      items: each((word) => ({ site: word, kind: 'vulnerability', severity: 'high', component: word, found_at: at, fixed_at: null })),
    },
    links: { scans: 1, scanned: 1, mended: 1, broken: 1 },
  }
}

const first = ([word = '']: readonly string[]) => word

export function contentWith(words: readonly string[]): Content {
  const by = { type: 'token', id: 'tok_1', name: first(words) }
  const notes = (['summary', ...sections] as const).map((section, n) => ({ section, text: words[n % words.length] ?? '', by }))
  return { facts: factsOf(words), notes, hidden: [], version: 2, correction: first(words), isDraft: false }
}

export function appearanceWith(words: readonly string[], language: string, paper = 'a4'): Appearance {
  const logo = { type: 'image/png', bytes: Buffer.from('png') }
  const [client, sender] = [first(words), words.at(-1) ?? '']
  return { client, sender, language, time_zone: 'UTC', colour: '#0b5fb0', paper, logo, product: 'Svc' }
}

export const pageWith = (words: readonly string[], language: string, paper = 'a4'): string =>
  pageOf(contentWith(words), appearanceWith(words, language, paper))

export const mailWith = (words: readonly string[], language: string, link: { url: string; expiresAt: Date }): Words =>
  wordsOf({ ...contentWith(words), told: summarize(contentWith(words), appearanceWith(words, language)) }, link)
