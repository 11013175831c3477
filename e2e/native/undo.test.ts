// Updates on a real WordPress site that undo themselves: what is good stays, what breaks the site is gone again, whoever was killed.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../demo/sample-plugin.ts'
import { until } from '../house.ts'
import { killService, leftovers, type Managed, openSite, picture, type Result, visitor } from './undo-site.ts'

let one: Managed
before(async () => {
  one = await openSite()
})
after(() => one?.close())

const version = () => one.native.wpCli(['plugin', 'get', 'harbour-notices', '--field=version', '--skip-plugins', '--skip-themes'])
const activePlugins = () => one.native.wpCli(['option', 'get', 'active_plugins', '--format=json', '--skip-plugins', '--skip-themes'])

async function startUpdate(kind: SampleKind): Promise<string> {
  one.mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
  return (
    await one.house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/actions`, { action: 'update', plugins: ['harbour-notices'] })
  ).job_id
}

async function update(kind: SampleKind) {
  const stop = visitor(one)
  const job = await one.house.finished<Result>(await startUpdate(kind))
  const seen = await stop()
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(
    `# ${kind}: ${item.status} in ${item.seconds} s, wrong for ${Math.round(seen.longestMs)} ms (${seen.wrong}/${seen.looks} looks): ${item.reason}`,
  )
  return { item, seen }
}

test('a good update stays, and the page stays up while it is made', async () => {
  const { item, seen } = await update('good_new')
  assert.deepEqual([item.status, item.from_version, item.to_version], ['updated', '1.0.0', '1.1.0'], JSON.stringify(item))
  assert.equal(await version(), '1.1.0')
  assert.match(await activePlugins(), /harbour-notices/)
  assert.equal(seen.wrong, 0)
  assert.deepEqual(await leftovers(one), [])
  assert.ok(item.health?.after?.pages.every(({ live }) => live))
})

for (const kind of ['fatal_at_load', 'blank_200_page'] as const)
  test(`${kind}: the site is as it was`, async () => {
    const was = await picture(one)
    const active = await activePlugins()
    const { item, seen } = await update(kind)
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.ok((item.seconds ?? 99) <= 45)
    assert.ok(seen.longestMs <= 60_000)
    assert.deepEqual(await picture(one), was)
    assert.equal(await activePlugins(), active)
    assert.deepEqual(await leftovers(one), [])
    assert.equal((await fetch(one.native.url)).status, 200)
  })

const isDown = () => fetch(one.native.url).then(({ status }) => (status === 500 ? true : undefined))

test('kill -9 of the service while the site is down: the next one takes the update back', async () => {
  const was = await picture(one)
  const stop = visitor(one)
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  await one.startAgain()
  const { status, result } = await one.house.finished<Result>(job_id)
  const seen = await stop()
  console.log(`# killed service: wrong for ${Math.round(seen.longestMs)} ms`)
  assert.deepEqual([status, result.items[0]?.status], ['completed', 'rolled_back'], JSON.stringify(result))
  assert.deepEqual([await picture(one), await leftovers(one)], [was, []])
})

test('when no service comes back, a visitor makes the site take the update back by itself', async () => {
  const was = await picture(one)
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  const work = join(one.native.dir, 'wp-content/svc-connector-work')
  const [folder] = (await readdir(work)).filter((name) => /^\.ht[0-9a-f]{32}$/.test(name))
  const state = join(work, folder ?? '', 'state.json')
  // The site ends what it was asked for, whoever has died meanwhile.
  const journal = await until('An exchange that is over', async () => {
    const told = JSON.parse(await readFile(state, 'utf8')) as { phase: string; deadline: number }
    return told.phase === 'swapped' ? told : undefined
  })
  assert.ok(journal.deadline - Date.now() / 1000 < 600)
  assert.equal((await fetch(one.native.url)).status, 500, 'not before its time')
  await writeFile(state, JSON.stringify({ ...journal, deadline: 1 }))
  assert.equal((await fetch(one.native.url)).status, 200)
  assert.equal(await version(), '1.1.0')
  await one.startAgain()
  const { result } = await one.house.finished<Result>(job_id)
  assert.equal(result.items[0]?.status, 'rolled_back')
  assert.match(result.items[0]?.reason ?? '', /took the update back by itself/)
  assert.deepEqual([await picture(one), await leftovers(one)], [was, []])
})
