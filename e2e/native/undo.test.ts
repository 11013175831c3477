// Updates on a real WordPress site that undo themselves: what is good stays, what breaks the site is gone again, whoever was killed.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../demo/sample-plugin.ts'
import { type Job, until } from '../house.ts'
import { forbidTrials, leftovers } from './managed.ts'
import { killService } from './processes.ts'
import { differing, filesOf } from './site-state.ts'
import { type Outdated, openSite, type Result } from './undo-site.ts'
import { watch } from './watch.ts'

let one: Outdated
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

/** From the beginning of a job to its end, by its own account. */
const lasted = ({ started_at, completed_at }: Timed) => (Date.parse(completed_at) - Date.parse(started_at)) / 1000
type Timed = { started_at: string; completed_at: string }
const whole = process.env.UPDATES === 'whole'
/** What a healthy update of one plugin may take, its backup and its trial included, where nothing else is at work: in `npm run prove:updates`. */
const mostSeconds = whole ? 10 : Number.POSITIVE_INFINITY

async function update(kind: SampleKind) {
  const visitor = watch(one.native.url)
  const job = (await one.house.finished<Result>(await startUpdate(kind))) as Job<Result> & Timed
  const seen = await visitor.stop()
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(`# ${kind}: ${item.status} in ${item.seconds} s, down for ${seen.longestDownMs} ms (${seen.looks} looks): ${item.reason}`)
  return { item, seen, seconds: lasted(job) }
}

test('a good update stays, and the page stays up while it is made', async () => {
  const { item, seen, seconds } = await update('good_new')
  console.log(`# a healthy update of one plugin: ${seconds} s`)
  assert.deepEqual([item.status, item.from_version, item.to_version], ['updated', '1.0.0', '1.1.0'], JSON.stringify(item))
  assert.equal(await version(), '1.1.0')
  assert.match(await activePlugins(), /harbour-notices/)
  assert.equal(seen.downMs, 0)
  assert.ok(seconds <= mostSeconds, `${seconds} s`)
  assert.deepEqual(await leftovers(one), [])
  assert.ok(item.health?.after?.pages.every(({ live }) => live))
})

/** Files as they were, nothing left behind. */
async function isAs(was: Record<string, string>): Promise<void> {
  assert.deepEqual([differing(was, await filesOf(one.native.dir)), await leftovers(one)], [[], []])
}

test('a version that breaks the site is not installed, and no visitor meets it', async () => {
  const was = await filesOf(one.native.dir)
  const { item, seen } = await update('fatal_at_load')
  assert.equal(item.status, 'rolled_back', JSON.stringify(item))
  assert.equal(seen.downMs, 0, seen.worst)
  await isAs(was)
})

test('where it cannot be tried it is taken back in time for its visitors', async () => {
  const was = await filesOf(one.native.dir)
  await forbidTrials(one.native)
  const { item, seen } = await update('fatal_at_load')
  assert.equal(item.status, 'rolled_back', JSON.stringify(item))
  if (whole) assert.ok((item.seconds ?? 99) <= 45 && seen.longestDownMs <= 60_000, `${item.seconds} s, down for ${seen.longestDownMs} ms`)
  assert.ok(seen.longestDownMs > 0)
  await isAs(was)
})

const isDown = () => fetch(one.native.url).then(({ status }) => (status === 500 ? true : undefined))

test('kill -9 of the service while the site is down: the next one takes the update back', async () => {
  const was = await filesOf(one.native.dir)
  const visitor = watch(one.native.url)
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  await one.house.startAgain()
  const { status, result } = await one.house.finished<Result>(job_id)
  const seen = await visitor.stop()
  console.log(`# killed service: down for ${seen.longestDownMs} ms`)
  assert.deepEqual([status, result.items[0]?.status], ['completed', 'rolled_back'], JSON.stringify(result))
  await isAs(was)
})

test('when no service comes back, a visitor makes the site take the update back by itself', async () => {
  const was = await filesOf(one.native.dir)
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  const work = join(one.native.dir, 'wp-content/svc-connector-work')
  const [folder] = (await readdir(work)).filter((name) => /^\.ht[0-9a-f]{32}$/.test(name))
  const state = join(work, folder ?? '', 'state.php')
  // The site ends what it was asked for, whoever has died meanwhile.
  const journal = await until('An exchange that is over', async () => {
    const told = JSON.parse((await readFile(state, 'utf8')).replace('<?php __halt_compiler();', '')) as { phase: string; deadline: number }
    return told.phase === 'swapped' ? told : undefined
  })
  assert.ok(journal.deadline - Date.now() / 1000 < 600)
  assert.equal((await fetch(one.native.url)).status, 500, 'not before its time')
  await writeFile(state, `<?php __halt_compiler();\n${JSON.stringify({ ...journal, deadline: 1 })}`)
  assert.equal((await fetch(one.native.url)).status, 200)
  assert.equal(await version(), '1.1.0')
  await one.house.startAgain()
  const { result } = await one.house.finished<Result>(job_id)
  assert.equal(result.items[0]?.status, 'rolled_back')
  assert.match(result.items[0]?.reason ?? '', /took the update back by itself/)
  await isAs(was)
})
