import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SAXParser } from 'parse5-sax-parser'
import { hostileWords } from '../../test/hostile-words.ts'
import { sections } from '../clients/schema.ts'
import { languages } from '../kernel/languages.ts'
import type { Facts } from './facts.ts'
import { type Content, type Look, pageOf, policyOf } from './page.ts'
import { plainText } from './plain.ts'

const at = '2026-03-05T10:00:00.000Z'

/** A report of which every text is this one. */
function factsOf(word: string): Facts {
  const backups = { completed: 3, failed: 1, suspect: 1, level: 'restored' as const, checked_at: at }
  return {
    ...{ from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', made_at: at, time_zone: 'UTC' },
    sites: [0, 1].map((n) => ({
      ...{ id: word, name: word, url: word, up: n === 1, updates_waiting: 1, open: { critical: 1, high: 0, medium: 2, low: 0 } },
      ...{ last_backup_at: at, backups, uptime: { ratio: 0.999, outages: 1, down_s: 400 } },
    })),
    work: [{ id: word, at, site: word, category: 'fix', summary: word, by: word }],
    updates: {
      ...{ installed: 2, taken_back: 1, failed: 0, more: 3 },
      items: ['plugin', 'core'].map((type) => ({ type, name: word, from: word, to: word, times: 1, sites: 1, last_at: at })),
      back: [{ at, site: word, name: word, version: word }],
    },
    restores: [{ at, site: word, undone: false }],
    uptime: {
      ...{ ratio: 0.999, step: 'day' as const, outages: 1, down_s: 400, more: 0 },
      points: [{ at: '2026-03-05', ratio: 0.9 }],
      incidents: [{ site: word, kind: 'down', cause: word, at, ended_at: at, seconds: 400 }],
    },
    performance: [{ site: word, direction: 'worse', before: 200, now: 900, points: [200, 900] }],
    security: {
      ...{ unknown: 1, found: 1, fixed: 1, more: 0 },
      items: [{ site: word, kind: 'vulnerability', severity: 'high', component: word, found_at: at, fixed_at: null }],
    },
    links: { scans: 1, scanned: 1, mended: 1, broken: 1 },
  }
}

function pageWith(word: string, language: string): string {
  const by = { type: 'token', id: 'tok_1', name: word }
  const notes = (['summary', ...sections] as const).map((section) => ({ section, text: word, by }))
  const content: Content = { facts: factsOf(word), notes, hidden: [], version: 2, correction: word, isDraft: false }
  const logo = { type: 'image/png', bytes: Buffer.from('png') }
  const look: Look = { client: word, sender: word, language, time_zone: 'UTC', colour: '#0b5fb0', paper: 'a4', logo, product: 'Svc' }
  return pageOf(content, look)
}

/** Every element with its attributes, as a browser reads the page. */
function elementsOf(page: string): Promise<{ name: string; attributes: Record<string, string> }[]> {
  const found: { name: string; attributes: Record<string, string> }[] = []
  const parser = new SAXParser()
  parser.on('startTag', ({ tagName, attrs }) => {
    found.push({ name: tagName, attributes: Object.fromEntries(attrs.map(({ name, value }) => [name, value])) })
  })
  parser.on('comment', () => assert.fail('there is a comment'))
  return new Promise((resolve) => {
    parser.on('finish', () => resolve(found))
    parser.end(page)
  })
}

const known = new Set(
  'html head meta title style body main header div h1 h2 p img section ul ol li a table thead tbody tr th td bdi br span time figure svg rect polyline figcaption i dl dt dd footer'.split(
    ' ',
  ),
)

describe('hostile words in every field of a report', () => {
  test('there are forty of them', () => assert.ok(hostileWords.length >= 40))

  for (const language of languages)
    for (const [n, word] of hostileWords.entries())
      test(`${language} ${n}: ${JSON.stringify(word.slice(0, 30))} changes nothing of the page`, async () => {
        const page = pageWith(word, language)
        const elements = await elementsOf(page)
        for (const { name, attributes } of elements) {
          assert.ok(known.has(name), `an element ${name}`)
          for (const [attribute, value] of Object.entries(attributes)) {
            assert.doesNotMatch(attribute, /^on|^style$|^srcdoc$|^formaction$/)
            if (attribute === 'href') assert.match(value, /^(#def-[a-z]+$|https:\/\/[^@]*$)/)
            if (attribute === 'src') assert.match(value, /^data:image\/png;base64,/)
          }
        }
        const shape = (of: typeof elements) => of.map(({ name }) => name).filter((name) => !['a', 'p', 'span'].includes(name))
        // A link where there is an address to lead to, a paragraph for each line; everything else is as ever.
        assert.deepEqual(shape(elements), shape(await elementsOf(pageWith('plain', language))))
        assert.equal(policyOf(page), policyOf(pageWith('plain', language)), 'its style is the same, and nothing else is let be')
      })

  test('what is kept of a word is one line of so many characters, without what turns the text around it', () => {
    for (const word of hostileWords) {
      const kept = plainText(word, 100)
      assert.ok([...kept].length <= 100)
      assert.doesNotMatch(kept, /[\p{Cc}\u202a-\u202e\u2066-\u2069]|\p{M}{4}/u)
    }
  })
})
