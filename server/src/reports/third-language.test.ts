import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { catalogueOf, languages } from '../kernel/languages.ts'

const root = path.join(import.meta.dirname, '../../..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-language-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

/** What a service is asked that has one file more. */
const asked = `
import { operations } from './src/capabilities.ts'
import { manifest } from './src/projections/manifest.ts'
import { aWorld } from './test/world.ts'
const here = await aWorld()
const { languages } = await here.call('reports.settings')
await here.call('clients.create', { name: 'Ann', language: 'br', time_zone: 'Europe/Paris' })
const { id } = await here.call('reports.draft', { client_id: 'Ann', month: '2026-01' })
const { token } = await here.token('read')
const { text } = await here.rest('GET', '/api/v1/reports/' + id + '/html', { token })
const { input } = manifest(operations).operations.find(({ name }) => name === 'clients.set')
await here.close()
console.log(JSON.stringify({ languages, text, taken: input.properties.language.enum }))
`

test('a language is one file: clients can have it, the dashboard and the contract are told of it, and the report is in it', async () => {
  for (const name of fs.readdirSync(root)) if (name !== 'server') fs.symlinkSync(path.join(root, name), path.join(folder, name))
  fs.cpSync(path.join(root, 'server'), path.join(folder, 'server'), { recursive: true })
  const texts = JSON.stringify({ title: 'Danevell evit {client}', draft: 'Brouilhed' })
  fs.writeFileSync(path.join(folder, 'server/languages/br.json'), texts)
  fs.writeFileSync(path.join(folder, 'server/asked.ts'), asked)
  const { stdout } = await promisify(execFile)(process.execPath, ['asked.ts'], { cwd: path.join(folder, 'server'), maxBuffer: 10_000_000 })
  const { languages: offered, text, taken } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  assert.deepEqual(offered, ['en', 'br', 'de'])
  assert.deepEqual(taken, offered)
  assert.match(text, /<html lang="br"/)
  assert.match(text, /Danevell evit/)
  assert.match(text, /Brouilhed/)
  assert.match(text, new RegExp(String(catalogueOf('en').summary)), 'what it does not say is said in English')
  assert.match(text, /1 Genver 2026/i, 'its dates are its own')
})

test('every language says the same things, with the same gaps, in each plural that it has', () => {
  const gapsIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
  const english = JSON.parse(fs.readFileSync(path.join(root, 'server/languages/en.json'), 'utf8'))
  for (const language of languages) {
    const own = JSON.parse(fs.readFileSync(path.join(root, `server/languages/${language}.json`), 'utf8'))
    assert.deepEqual(Object.keys(own).sort(), Object.keys(english).sort(), language)
    const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
    for (const [name, text] of Object.entries<string | Record<string, string>>(own)) {
      if (typeof text === 'string') assert.deepEqual(gapsIn(text), gapsIn(english[name].other ?? english[name]), `${language} ${name}`)
      else {
        assert.deepEqual(Object.keys(text).sort(), plurals, `${language} ${name}`)
        assert.deepEqual(gapsIn(text.other ?? ''), gapsIn(english[name].other ?? english[name]), `${language} ${name}`)
      }
    }
  }
})
