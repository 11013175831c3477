import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../server/src/admin/commands.ts'
import { summary } from './summary.ts'

const site = { url: 'http://127.0.0.1:8101', adminUser: 'admin', adminPassword: 'p'.repeat(20) }
const running = {
  url: 'http://127.0.0.1:8090',
  owner: { email: 'owner@demo.example', password: 'q'.repeat(20) },
  workspace: 'Demo',
  token: `svc_${'t'.repeat(38)}`,
  sites: [{ title: 'Harbour Tours', site, status: 'connected', backedUpAt: null }],
}

test('the demo tells how to sign in to the service and to its sites, which workspace it is, and how another token is made', () => {
  const text = summary(running)
  for (const part of [running.url, running.token, 'owner@demo.example / qqqq', 'admin / pppp', `${site.url}/wp-admin/`])
    assert.ok(text.includes(part), part)
  assert.match(text, /^ {2}Workspace +Demo$/m)
  const [, typed = ''] = /admin -- (token create .*)/.exec(text.replaceAll(/ \\\n +/g, ' ')) ?? []
  assert.equal(typed, 'token create --workspace Demo --name me --scope write')
  assert.ok(commands.some(({ name }) => typed.startsWith(name)))
})

test('the demo tells what is backed up by itself as the service has it', () => {
  const [harbour] = running.sites
  assert.ok(harbour)
  const alpine = { ...harbour, title: 'Alpine Inn' }
  const told = (...at: (string | null)[]) =>
    summary({ ...running, sites: [harbour, alpine].map((each, i) => ({ ...each, backedUpAt: at[i] ?? null })) })
  const [none, one, both] = [told(null, null), told('01:00', null), told('01:00', '03:30')]
  assert.match(none, /No schedule yet: nothing is backed up by itself\. Every site, every night:\n {2}curl/)
  assert.match(one, /Harbour Tours: every day, from 01:00 UTC\.\n {2}No other site is backed up by itself\./)
  assert.match(both, /Harbour Tours: every day, from 01:00 UTC\.\n {2}Alpine Inn: every day, from 03:30 UTC\./)
  assert.doesNotMatch(both, /backed up by itself/)
})

test('it fits 80 columns, but for what must not be broken', () => {
  const lines = summary(running).split('\n')
  assert.deepEqual(
    lines.filter((line) => line.length > 80 && line.trim().includes(' ') && !line.includes('"args"')),
    [],
  )
})
