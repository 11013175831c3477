import assert from 'node:assert/strict'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type Part, parse, T, t } from '../dashboard/src/text.ts'
import { writeDashboard } from './dashboard.ts'
import { CATALOGUE, catalogueText, readAllTexts, readTexts, type Texts } from './texts.ts'

const LANGUAGES = path.dirname(CATALOGUE)

test('no words that people read on the dashboard stand outside of the catalogue', () => {
  const { outside, messages } = readAllTexts()
  assert.deepEqual(outside, [])
  assert.ok(messages.size > 1000, `${messages.size} messages`)
})

test('the catalogue is what the sources say (else npm run pack)', () => {
  assert.equal(fs.readFileSync(CATALOGUE, 'utf8'), catalogueText())
})

const planted = {
  'text between tags': '<p>Nobody has looked.</p>',
  'text beside a value': '<p>{count} sites</p>',
  'one small word': '<p>never</p>',
  'an attribute': '<Button aria-label="Close it" />',
  'an attribute of one small word': '<When at={at} never="none" />',
  'a choice': "<p>{open ? 'open' : t('Closed')}</p>",
  'what is shown else': "<dd>{version ?? 'unknown'}</dd>",
  'a template': `<p>{\`\${count} waiting\`}</p>`,
  'a label of a list': "const all = [{ value: 'a', label: 'all' }]",
  'a constant': "const words = { auto: 'Done at once' }",
  'two words anywhere': "const words = known ? 'not known' : name",
  'a notice': "say('saved')",
  facts: "<Facts of={[['door', t('None')]]} />",
  'a value within a message': "t('It is {state}.', { state: open ? 'open' : t('closed') })",
  'a value of an element within a message': '<T message="It is {state}." state={\'open\'} />',
  'a message that is no literal': 't(open ? one : two)',
  'a piece of a sentence': "t(', and more')",
  'a piece with a space': "t('It is open. ')",
}
for (const [name, source] of Object.entries(planted))
  test(`words outside of the catalogue are found: ${name}`, () => {
    const found: Texts = { messages: new Map(), outside: [] }
    readTexts('planted.tsx', `export const planted = () => { ${/^<|^t\(|^say/.test(source) ? `return ${source}` : source} }`, found)
    assert.equal(found.outside.length, 1, found.outside.join('\n'))
  })

test('what no person reads is no text', () => {
  const found: Texts = { messages: new Map(), outside: [] }
  const source = `import { a } from 'some words here'
    const b: 'Two words' = c
    export const d = () => e.type === 'Some words' ? <p className="soft mono" data-x="small">{t('{n} of {all}', { n, all })} <code>npm run it</code></p> : null`
  readTexts('machine.tsx', source, found)
  assert.deepEqual(found.outside, [])
  assert.deepEqual([...found.messages.keys()], ['{n} of {all}'])
})

test('a message takes its values, in the order and the form of the language', () => {
  const sites = '{sites, plural, =0 {No site} one {# site} other {# sites}} in {name}'
  assert.equal(t(sites, { sites: 0, name: 'A' }), 'No site in A')
  assert.equal(t(sites, { sites: 1, name: 'A' }), '1 site in A')
  assert.equal(t(sites, { sites: 1234, name: '{sites} <b>' }), '1,234 sites in {sites} <b>')
  const chosen = 'Now {now}{since, select, none {} other {, since {since} (#)}}.'
  assert.equal(t(chosen, { now: 2, since: 'none' }), 'Now 2.')
  assert.equal(t(chosen, { now: 2, since: 'May' }), 'Now 2, since May (#).')
  assert.equal(t('No { syntax # <', { a: 1 }), 'No { syntax # <')
  assert.equal(t('{known} {unknown}', { known: null }), ' ')
})

/** What an element of React holds, in order; `‹…›` stands for one that a test put in. */
const heldIn = (node: unknown): string => {
  if (Array.isArray(node)) return node.map(heldIn).join('')
  if (typeof node !== 'object' || node === null) return String(node)
  return heldIn((node as { props: { children: unknown } }).props.children)
}

test('a message may have elements in it, and what is put in stays text', () => {
  const message = 'Read <a>all {n, plural, one {# page} other {# pages}}</a> of {who}.'
  assert.equal(
    heldIn(T({ message, n: 3, a: (inside) => ['‹', inside, '›'], who: '{n} <a>Jo</a>' })),
    'Read ‹all 3 pages› of {n} <a>Jo</a>.',
  )
})

/** What a message is put together from, whatever its order: values, tags, and what it counts by. */
const needsOf = (parts: Part[]): string[] =>
  parts.flatMap((part) => {
    if (typeof part === 'string') return []
    const within = [part.inside ?? [], ...Object.values(part.forms ?? {})].flatMap(needsOf)
    return [`${part.name}${part.inside ? ' tag' : part.forms ? ' forms' : ''}`, ...within]
  })
const setOf = (message: string) => [...new Set(needsOf(parse(message)))].toSorted()

test('every message is whole syntax', () => {
  for (const message of readAllTexts().messages.keys()) {
    const left = message.replaceAll(/\{\w+\}|<\/?\w+>/g, '').replaceAll(/\{\w+, (?:plural|select),(?: =?\w+ \{[^{}]*\})+\}/g, '')
    assert.doesNotMatch(left, /[{}<>]/, message)
  }
})

for (const file of fs.readdirSync(LANGUAGES).filter((name) => name !== path.basename(CATALOGUE)))
  test(`${file}: messages of the catalogue alone, with the same values in them, and every form of its plurals`, (context) => {
    const language = path.basename(file, '.json')
    const translated = JSON.parse(fs.readFileSync(path.join(LANGUAGES, file), 'utf8')) as Record<string, string>
    const { messages } = readAllTexts()
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const [message, words] of Object.entries(translated)) {
      assert.ok(messages.has(message), `${file} translates what nobody says: ${message}`)
      assert.deepEqual(setOf(words), setOf(message), `${file}: ${message}`)
      for (const part of parse(words))
        if (typeof part === 'object' && part.forms && 'one' in part.forms)
          assert.deepEqual(
            pluralCategories.filter((each) => !(each in (part.forms ?? {}))),
            [],
            `${file}: ${words}`,
          )
    }
    const missing = [...messages.keys()].filter((message) => !(message in translated))
    context.diagnostic(`${missing.length} of ${messages.size} messages stay English`)
  })

test('a language is one file: the build finds it, and the page says where it is', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'languages-'))
  try {
    fs.writeFileSync(path.join(folder, 'eo.json'), '{ "Sites": "Retejoj" }')
    fs.writeFileSync(path.join(folder, 'messages.json'), '{}')
    await writeDashboard(path.join(folder, 'dist'), folder)
    const page = fs.readFileSync(path.join(folder, 'dist/index.html'), 'utf8')
    const [, address = ''] = /<meta name="languages" content='\{"eo":"(\/assets\/eo-[0-9a-f]{8}\.json)"\}'>/.exec(page) ?? []
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(folder, 'dist', address), 'utf8')), { Sites: 'Retejoj' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
