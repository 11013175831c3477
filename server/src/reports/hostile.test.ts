import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SAXParser } from 'parse5-sax-parser'
import { hostileWords } from '../../test/hostile-words.ts'
import { mailWith, pageWith } from '../../test/worded-report.ts'
import { languages } from '../kernel/languages.ts'
import { policyOf } from './page.ts'
import { fileNameOf, plainText, unlinked } from './plain.ts'

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

/** The elements of a mail, and the text that stands in it. */
async function readingOf(page: string): Promise<{ elements: Awaited<ReturnType<typeof elementsOf>>; words: string }> {
  const words: string[] = []
  const parser = new SAXParser()
  parser.on('text', ({ text }) => void words.push(text))
  parser.on('startTag', () => void words.push('\n'))
  parser.end(page)
  return { elements: await elementsOf(page), words: words.join('') }
}

/** By what mail clients and what stands before them find addresses in text: a scheme, two strokes, www, a name with a dot, an address of mail. */
const linkedBy = [
  /\p{L}[\p{L}\d+.-]*:[^\s\d)]/u,
  /:\/|\/\/|\\\\/,
  /www\.[\p{L}\d]/iu,
  /[\p{L}\d_-][.。．｡](?=[\p{L}_])/u,
  /\d+(\.\d+){3}/,
  /@[\p{L}\d]/u,
]

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
        const page = pageWith([word], language)
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
        assert.deepEqual(shape(elements), shape(await elementsOf(pageWith(['plain'], language))))
        assert.equal(policyOf(page), policyOf(pageWith(['plain'], language)), 'its style is the same, and nothing else is let be')
      })

  const url = `https://reports.example.com/r/${'x'.repeat(43)}`
  const link = { url, expiresAt: new Date('2026-06-01T00:00:00Z') }
  for (const language of languages)
    test(`${language}: none of them, and no address, becomes a link in a mail, by whatever reads it`, async () => {
      const addresses = [
        ...[
          'https://evil.example/pay',
          'http://evil',
          'HTTPS://EVIL.EXAMPLE',
          'www.evil.example',
          'www.1evil',
          'evil.com',
          'EVIL.COM/pay?now=1',
        ],
        ...[
          '//evil.com',
          'sub.evil.co.uk:8080',
          'ann@evil.com',
          'ann@evil',
          'mailto:ann@evil',
          'javascript:alert(1)',
          'tel:+491234',
          'xn--e1a.com',
        ],
        ...[
          'http://1.2.3.4/',
          '1.2.3.4/pay',
          'https:\\\\evil.com',
          '\\\\evil\\share',
          'ftp://evil',
          'bücher.example',
          'evil。com',
          'evil．com',
          'a.b.c-d.io',
        ],
        ...['See https://evil.com.', '(evil.com)', 'https:evil.com', 'evil.com.', 'https://evil.com/https://evil.com'],
      ]
      for (const word of [...hostileWords, ...addresses]) {
        const { text, html } = mailWith([plainText(word, 100)], language, link)
        const { elements, words } = await readingOf(html)
        for (const { name, attributes } of elements) {
          assert.ok(known.has(name), `an element ${name}`)
          if (name === 'a') assert.equal(attributes.href, url)
          else for (const attribute of Object.keys(attributes)) assert.doesNotMatch(attribute, /^on|^href$|^src/)
        }
        for (const part of [text.replace(url, ''), words])
          for (const linked of linkedBy) assert.doesNotMatch(part, linked, `${word}: ${part}`)
      }
    })

  test('a number, a version and a day stay what they are in a mail, and an address can still be read', () => {
    for (const text of [
      '99.98 %',
      'WordPress 6.5.3',
      '5.3.2026, 14:30',
      'All 3 sites answered.',
      'A/B',
      'Ratio 4:3',
      'Garden Ltd: the shop',
    ])
      assert.equal(unlinked(text), text)
    assert.equal(
      unlinked('https://shop.example/a').normalize('NFKC').replaceAll('\u2060', '').replaceAll('\u2236', ':'),
      'https://shop.example/a',
    )
  })

  test('a file is called by its client in letters that harm no header and no folder, whatever the name', () => {
    const named = (client_name: string, version = 1) =>
      fileNameOf({ client_name, first_day: '2026-03-01', last_day: '2026-03-31', version }, 'pdf')
    for (const word of hostileWords) assert.match(named(word), /^[A-Za-z0-9][A-Za-z0-9-]{0,59}-2026-03-01-2026-03-31\.pdf$/)
    assert.equal(named('Färber & Söhne'), 'Farber-Sohne-2026-03-01-2026-03-31.pdf')
    assert.equal(named('株式会社', 2), 'report-2026-03-01-2026-03-31-v2.pdf')
  })

  test('what is kept of a word is one line of so many characters, without what turns the text around it', () => {
    for (const word of hostileWords) {
      const kept = plainText(word, 100)
      assert.ok([...kept].length <= 100)
      assert.doesNotMatch(kept, /[\p{Cc}\u202a-\u202e\u2066-\u2069]|\p{M}{4}/u)
    }
  })
})
