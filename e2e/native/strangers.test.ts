// Updates of a real WordPress site while strangers make it fail forty times a second: they decide nothing, and hide nothing.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../demo/sample-plugin.ts'
import { leftovers } from './managed.ts'
import { attack, ODD } from './strangers.ts'
import { type Outdated, openSite, type Result } from './undo-site.ts'

let one: Outdated
before(async () => {
  one = await openSite()
})
after(() => one?.close())

const version = () => one.native.wpCli(['plugin', 'get', 'harbour-notices', '--field=version', '--skip-plugins', '--skip-themes'])

/** `more`: what these strangers send beside what WordPress itself fails at. Half of it they keep back until the new files are there. */
async function update(kind: SampleKind, more: [path: string, body?: string][] = []) {
  one.mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
  const main = join(one.native.dir, 'wp-content/plugins', SAMPLE_PLUGIN)
  const was = await readFile(main, 'utf8')
  const isNew = () => existsSync(main) && readFileSync(main, 'utf8') !== was
  const strangers = attack(one.native.url, () => (isNew() ? [...ODD, ...more] : ODD.slice(0, 3)))
  const path = `/sites/${one.site.id}/actions`
  const { job_id } = await one.house.ask<{ job_id: string }>('POST', path, { action: 'update', plugins: ['harbour-notices'] })
  const job = await one.house.finished<Result>(job_id)
  const rate = await strangers.stop()
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(`# ${kind}: ${item.status} in ${item.seconds} s under ${rate.toFixed(1)} errors a second: ${item.reason}`)
  for (const [path] of [...ODD, ...more]) assert.ok(strangers.errors.has(path), `${path} made the site fail`)
  assert.deepEqual(await leftovers(one), [])
  return item
}

test('forty errors of strangers a second, of WordPress and of the plugin itself: the update stands, and they are told', async () => {
  const item = await update('fatal_on_odd_input', [['/?harbour[]=x'], ['/?harbour%5B%5D=x']])
  assert.deepEqual([item.status, item.reason, await version()], ['updated', null, KINDS.fatal_on_odd_input.version], JSON.stringify(item))
  const met = item.health?.after?.errors_meanwhile?.site_said
  assert.equal(met?.untrusted, true)
  assert.match(met?.text ?? '', /Uncaught TypeError: .* in wp-\S+\.php:\d+/)
})

test('a version that breaks a page nobody looks at is taken back under the same errors', async () => {
  const was = await version()
  const item = await update('fatal_on_missing', [['/?p=999999']])
  assert.deepEqual([item.status, await version()], ['rolled_back', was], JSON.stringify(item))
  assert.match(item.site_said?.text ?? '', /a_function_that_is_not_there\(\) in wp-content\/plugins\/harbour-notices\//)
})
