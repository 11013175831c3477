// A backup of a real WordPress whose service is killed with SIGKILL again and again, until it is through all the same.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../demo/npm.ts'
import { HOSTS } from '../../server/test/hosts.ts'
import { digestTree, makeTree } from '../../server/test/tree.ts'
import { Dice } from '../../server/test/tree-content.ts'
import { unpack } from '../archive.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse, until } from '../house.ts'
import { LIMITS } from './config-files.ts'
import { WEB_USER } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'
import { killService } from './processes.ts'

/** RESUME_MB=1003 for the long form, which kills until the backup is through; the short one kills twice. */
const megabytes = Number(process.env.RESUME_MB ?? 150)
const isLong = process.env.RESUME_MB !== undefined
const seed = process.env.RESUME_SEED ?? String(randomInt(1e9))
/** How long a service lives once bytes flow. A small site would be through before that. */
const lifeMs = isLong ? { least: 500, most: 3_000 } : { least: 300, most: 900 }
/** For each kill: a twentieth of the yardstick and the largest slice. */
const LOST_AT_MOST = 0.05 * 1003e6 + 6 * 1024 ** 2

let house: House
let fleet: Fleet
let one: Managed
let tree: string
let accesses: string

before(async () => {
  house = await openHouse()
  accesses = join(house.dir, 'slices.log')
  fleet = await startFleet(
    [
      {
        ...{ wp: '7.1.1', db: 'mariadb', ...HOSTS.ordinary },
        // Without gzip on the way a slice is as long as what was read.
        php: { ...HOSTS.ordinary.php, disable_functions: `${LIMITS.disable_functions},gzencode` },
        pool: [`access.log = ${accesses}`, 'access.format = "%{Content-Type}o %{Content-Length}o"'],
      },
    ],
    { plugins: [CONNECTOR] },
  )
  const [connected] = await connectAll(house, fleet)
  assert.ok(connected)
  one = connected
  tree = join(one.native.dir, 'wp-content/yardstick')
  await mkdir(tree)
  await makeTree(tree, megabytes)
  await run('chown', ['-R', '-h', `${WEB_USER}:`, tree])
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

/** Bytes of all slices so far, those nobody received included. */
async function sliced(): Promise<number> {
  const lines = (await readFile(accesses, 'utf8')).split('\n').map((line) => line.split(' '))
  return lines.reduce((sum, [type, length]) => sum + (type === 'application/octet-stream' ? Number(length) : 0), 0)
}

test('a backup whose service is killed again and again is whole in the end, and little was read twice', {
  timeout: 1_200_000,
}, async (t) => {
  const dice = new Dice(`lives ${seed}`)
  const before = await sliced()
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', `/sites/${one.site.id}/backups`, {
    type: 'full',
  })
  const look = () => house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
  const isOver = async () => !['queued', 'running'].includes((await look()).status)
  let kills = 0
  for (let seen = before; isLong || kills < 2; seen = await sliced()) {
    const flows = async () => ((await sliced()) > seen ? 'flows' : (await isOver()) ? 'over' : undefined)
    if ((await until('Bytes flow', flows)) === 'over') break
    await sleep(lifeMs.least + dice.roll(lifeMs.most - lifeMs.least))
    if (await isOver()) break
    await killService()
    kills += 1
    await house.startAgain()
  }
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))

  const listed = await house.ask<{ id: string; size_bytes: number }[]>('GET', `/sites/${one.site.id}/backups`)
  const size = listed.find(({ id }) => id === backup_id)?.size_bytes ?? 0
  const twice = (await sliced()) - before - size
  t.diagnostic(
    `seed ${seed}: ${kills} kills, ${(twice / 1e6).toFixed(1)} MB of ${(size / 1e6).toFixed(0)} MB read twice, ${((100 * twice) / size / kills).toFixed(1)} % a kill`,
  )
  assert.ok(kills >= (isLong ? 4 : 2), `${kills} kills`)
  assert.ok(twice <= kills * LOST_AT_MOST, `${twice} bytes were read twice`)

  const archive = join(house.dir, 'archive.tar')
  const { body } = await house.send('GET', `/sites/${one.site.id}/backups/${backup_id}/download`)
  assert.ok(body)
  await pipeline(body, createWriteStream(archive))
  const unpacked = join(house.dir, 'unpacked')
  await unpack(archive, unpacked)
  assert.deepEqual(await digestTree(join(unpacked, 'files/wp-content/yardstick')), await digestTree(tree))
})
