// WordPress itself replaced on a real site: what breaks it, before anything else can run, is gone again.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { corePackage } from '../../demo/mirror-packages.ts'
import { until } from '../house.ts'
import { leftovers } from './managed.ts'
import { killWorkers } from './processes.ts'
import { differing, filesOf } from './site-state.ts'
import { type Outdated, openSite, type Result } from './undo-site.ts'
import { watch } from './watch.ts'

let one: Outdated
before(async () => {
  one = await openSite()
})
after(() => one?.close())

async function updateCore(newer: string, spoil?: { file: string; code: string }, disturb: () => Promise<void> = async () => undefined) {
  const { mirror, native, house, site } = one
  mirror.addPackage(`wordpress-${newer}.zip`, await corePackage(native.dir, newer, spoil))
  mirror.offer({ core: newer })
  const visitor = watch(one.native.url)
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update', core: true })
  await disturb()
  const job = await house.finished<Result>(job_id)
  const seen = await visitor.stop()
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(
    `# core ${newer} ${spoil?.file ?? ''}: ${item.status} in ${item.seconds} s, down for ${seen.longestDownMs} ms: ${item.reason}`,
  )
  return item
}

const coreVersion = async () =>
  /\$wp_version = '([^']+)'/.exec(await readFile(join(one.native.dir, 'wp-includes/version.php'), 'utf8'))?.[1]

for (const [what, file] of [
  ['before any plugin', 'wp-includes/class-wp-query.php'],
  ['before even the maintenance notice is asked', 'wp-includes/load.php'],
] as const)
  test(`a WordPress that breaks ${what} is taken back`, async () => {
    const was = await filesOf(one.native.dir)
    const item = await updateCore('7.1.3', { file, code: 'this is not PHP' })
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.deepEqual([await coreVersion(), await leftovers(one)], ['7.1.1', []])
    assert.deepEqual(differing(was, await filesOf(one.native.dir)), [])
    assert.equal((await fetch(one.native.url)).status, 200)
  })

test('PHP killed in the middle of a WordPress update: the old one is back, without its lock and notice', async () => {
  const was = await filesOf(one.native.dir)
  const item = await updateCore('7.1.3', undefined, async () => {
    await until('Files that are exchanged', async () =>
      (await readdir(one.native.dir)).includes('.maintenance') && (await coreIsCopied()) ? true : undefined,
    )
    await killWorkers(one.fleet)
  })
  assert.equal(item.status, 'rolled_back', JSON.stringify(item))
  assert.deepEqual([differing(was, await filesOf(one.native.dir)), await leftovers(one)], [[], []])
  const lock = "echo json_encode( get_option( 'core_updater.lock' ) );"
  assert.equal(await one.native.wpCli(['eval', lock]), 'false')
})

/** Core's notice is ours by now and shuts the site. */
const coreIsCopied = async () => /upgrading = [1-9]/.test(await readFile(join(one.native.dir, '.maintenance'), 'utf8').catch(() => ''))

test('a good WordPress stays', async () => {
  const item = await updateCore('7.1.2')
  assert.equal(item.status, 'updated', JSON.stringify(item))
  assert.deepEqual([await coreVersion(), await leftovers(one)], ['7.1.2', []])
})
