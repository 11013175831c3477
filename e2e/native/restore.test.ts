// Backups put back onto real WordPress sites: everything returns byte for byte, and what goes wrong leaves the site as it was.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse, until } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { killService, killWorkers } from './processes.ts'
import { differing, stateOf, warmUp } from './site-state.ts'

interface Restored {
  backup_id: string
  safety_backup_id: string | null
}

/** `npm run prove:backups`: a whole WordPress, and kills of PHP on both sites, during an undo too. */
const whole = process.env.CRASHES === 'all'

let house: House
let fleet: Fleet
let all: Managed[]

before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', confined: true },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [CONNECTOR, await writeSamplePlugin(house.dir)], light: !whole },
  )
  all = await connectAll(house, fleet)
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

async function backup({ site }: Managed, type = 'full'): Promise<string> {
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', `/sites/${site.id}/backups`, { type })
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  return backup_id
}

async function restore({ site }: Managed, id: string, body: object = {}): Promise<Job<Restored>> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/backups/${id}/restore`, body)
  return house.finished<Restored>(job_id)
}

const PLUGIN = 'wp-content/plugins/harbour-notices/harbour-notices.php'

async function damage({ native }: Managed): Promise<void> {
  await native.wpCli(['post', 'delete', '1', '--force'])
  await native.wpCli(['option', 'update', 'blogname', 'Hacked'])
  await writeFile(join(native.dir, PLUGIN), "<?php\n/* Plugin Name: Harbour Notices */\nthrow new Exception( 'broken' );\n")
  await writeFile(join(native.dir, 'wp-content/uploads-evil.php'), '<?php // evil')
  await rm(join(native.dir, 'wp-content/themes/twentytwentyfive/style.css'), { force: true })
}

test('a site with a deleted post and a broken plugin is brought back byte for byte', async () => {
  await Promise.all(
    all.map(async (one) => {
      await warmUp(one)
      const was = await stateOf(one)
      const id = await backup(one)
      await damage(one)
      assert.equal((await fetch(one.native.url)).status, 500)
      const plan = await house.ask<{ plan: { files: object; obstacle: string | null } }>(
        'POST',
        `/sites/${one.site.id}/backups/${id}/restore`,
        { dry_run: true },
      )
      assert.equal(plan.plan.obstacle, null)
      const { status, error } = await restore(one, id)
      assert.equal(status, 'completed', JSON.stringify(error))
      const is = await stateOf(one)
      assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
      assert.equal((await fetch(one.native.url)).status, 200)
      assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
      // The door that stands without WordPress and the plugin are never both loaded in one request.
      const said = await readFile(join(one.native.dir, '../log/php.log'), 'utf8')
      assert.match(said, /broken/)
      assert.doesNotMatch(said, /Cannot declare class/)
    }),
  )
})

test('the last restore can be undone, once', async () => {
  for (const one of all) {
    await writeFile(join(one.native.dir, 'wp-content/after.txt'), 'written after the restore')
    const undone = async () => {
      const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/restores/undo`, {})
      return house.finished<{ undone: boolean }>(job_id)
    }
    const { status, error } = await undone()
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.match(await readFile(join(one.native.dir, PLUGIN), 'utf8'), /broken/)
    assert.match(await readFile(join(one.native.dir, 'wp-content/uploads-evil.php'), 'utf8'), /evil/)
    assert.equal(await one.native.wpCli(['option', 'get', 'blogname', '--skip-plugins', '--skip-themes']), 'Hacked')
    await assert.rejects(undone(), /409/)
    assert.deepEqual(await leftovers(one), [])
  }
})

test('one plugin or one table comes back alone', async () => {
  for (const one of all) {
    const id =
      (await house.ask<{ id: string; trigger: string }[]>('GET', `/sites/${one.site.id}/backups`)).find(
        ({ trigger }) => trigger === 'manual',
      )?.id ?? ''
    const only = async (include: string[]) => {
      const { status, error } = await restore(one, id, { include, safety_backup: false })
      assert.equal(status, 'completed', JSON.stringify(error))
    }
    await only(['plugin:harbour-notices'])
    assert.doesNotMatch(await readFile(join(one.native.dir, PLUGIN), 'utf8'), /broken/)
    assert.match(await readFile(join(one.native.dir, 'wp-content/uploads-evil.php'), 'utf8'), /evil/)
    assert.equal(await one.native.wpCli(['option', 'get', 'blogname']), 'Hacked')
    await only(['table:options'])
    assert.match(await one.native.wpCli(['option', 'get', 'blogname']), /^Native/)
    assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
    await rm(join(one.native.dir, 'wp-content/uploads-evil.php'))
  }
})

test('a restore that would break a sound site is taken back, and leaves nothing', async () => {
  await Promise.all(
    all.map(async (one) => {
      const sound = await readFile(join(one.native.dir, PLUGIN), 'utf8')
      await writeFile(join(one.native.dir, PLUGIN), "<?php\n/* Plugin Name: Harbour Notices */\nthrow new Exception( 'broken' );\n")
      const broken = await backup(one)
      await writeFile(join(one.native.dir, PLUGIN), sound)
      await one.native.wpCli(['option', 'update', 'blogdescription', 'written after the backup'])
      await warmUp(one)
      const was = await stateOf(one)
      const { status, error } = await restore(one, broken, { safety_backup: false })
      assert.equal(status, 'failed')
      assert.match(error?.message ?? '', /taken back, the site is as it was.*front page answers with 500/)
      const is = await stateOf(one)
      assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows), await leftovers(one)], [[], [], []])
      assert.equal((await fetch(one.native.url)).status, 200)
    }),
  )
})

test('PHP is killed again and again during the swap, and the site ends as one of the two', async () => {
  for (const one of whole ? all : all.slice(0, 1)) {
    const folder = join(one.native.dir, 'wp-content/uploads/many')
    await mkdir(folder, { recursive: true })
    for (let n = 0; n < 1500; n++) await writeFile(join(folder, `${n}.txt`), `file ${n}`)
    await run('chown', ['-R', 'www-data:', folder])
    await warmUp(one)
    const whole = await stateOf(one)
    const id = await backup(one)
    for (let n = 0; n < 1500; n += 2) await writeFile(join(folder, `${n}.txt`), `changed ${n}`)
    await run('chown', ['-R', 'www-data:', folder])
    for (let n = 1; n < 1500; n += 4) await rm(join(folder, `${n}.txt`))
    await one.native.wpCli(['post', 'create', '--post_title=Later', '--post_status=publish'])
    await warmUp(one)
    const changed = await stateOf(one)
    const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { safety_backup: false })
    let kills = 0
    let over = false
    const killing = (async () => {
      while (!over) {
        const { phase } = await house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
        if (kills < 12 && (phase === 'arm' || phase === 'swap' || phase === 'probe')) kills += Math.min(1, await killWorkers(fleet.dir))
        await sleep(phase === 'swap' ? 5 : 20)
      }
    })()
    const { status } = await house.finished(job_id)
    over = true
    await killing
    const is = await stateOf(one)
    const expected = status === 'completed' ? whole : changed
    assert.ok(kills > 0)
    assert.deepEqual([differing(expected.files, is.files), differing(expected.rows, is.rows)], [[], []], status)
    assert.equal((await fetch(one.native.url)).status, 200)
    assert.equal((await readdir(one.native.dir)).includes('.maintenance'), false)
  }
})

if (whole)
  test('PHP is killed again and again during an undo, and the site ends exactly as it was before the restore', async () => {
    for (const one of all) {
      const folder = join(one.native.dir, 'wp-content/uploads/undone')
      await mkdir(folder, { recursive: true })
      for (let n = 0; n < 1500; n++) await writeFile(join(folder, `${n}.txt`), `file ${n}`)
      await run('chown', ['-R', 'www-data:', folder])
      await warmUp(one)
      const id = await backup(one)
      for (let n = 0; n < 1500; n += 2) await writeFile(join(folder, `${n}.txt`), `changed ${n}`)
      await run('chown', ['-R', 'www-data:', folder])
      for (let n = 1; n < 1500; n += 4) await rm(join(folder, `${n}.txt`))
      await one.native.wpCli(['post', 'create', '--post_title=Kept', '--post_status=publish'])
      await warmUp(one)
      const was = await stateOf(one)
      assert.equal((await restore(one, id, { safety_backup: false })).status, 'completed')
      assert.notDeepEqual(differing(was.files, (await stateOf(one)).files), [])
      const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/restores/undo`, {})
      let kills = 0
      let over = false
      const killing = (async () => {
        while (!over) {
          const { phase } = await house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
          if (kills < 12 && phase === 'rollback') kills += Math.min(1, await killWorkers(fleet.dir))
          await sleep(10)
        }
      })()
      const { status, error } = await house.finished(job_id)
      over = true
      await killing
      assert.equal(status, 'completed', JSON.stringify(error))
      assert.ok(kills > 0)
      const is = await stateOf(one)
      assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows), await leftovers(one)], [[], [], []])
      assert.equal((await fetch(one.native.url)).status, 200)
    }
  })

test('the service is killed during a restore, twice, and goes on by itself to exactly the new state', async () => {
  const [one] = all as [Managed]
  const folder = join(one.native.dir, 'wp-content/uploads/more')
  await mkdir(folder, { recursive: true })
  for (let n = 0; n < 800; n++) await writeFile(join(folder, `${n}.txt`), `file ${n}`)
  await run('chown', ['-R', 'www-data:', folder])
  await warmUp(one)
  const whole = await stateOf(one)
  const id = await backup(one)
  for (let n = 0; n < 800; n++) await writeFile(join(folder, `${n}.txt`), `spoiled ${n}`)
  await one.native.wpCli(['option', 'update', 'blogname', 'Spoiled'])
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { safety_backup: false })
  for (const phases of [
    ['plan', 'stage-files', 'stage-db'],
    ['arm', 'swap', 'probe'],
  ]) {
    const seen = await until(phases.join(' or '), async () => {
      const { phase, status } = await house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
      return phases.includes(phase ?? '') || !['queued', 'running'].includes(status) ? (phase ?? status) : undefined
    })
    assert.ok(phases.includes(seen), seen)
    await killService()
    await house.startAgain()
  }
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  const is = await stateOf(one)
  assert.deepEqual([differing(whole.files, is.files), differing(whole.rows, is.rows)], [[], []])
  assert.equal((await fetch(one.native.url)).status, 200)
})
