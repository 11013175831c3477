// Updates on real WordPress sites that undo themselves: what is good stays, what breaks the site is gone again, whoever was killed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { corePackage, writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../demo/sample-plugin.ts'
import { type Service, startService } from '../../demo/service.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'

interface Result {
  items: {
    status: string
    reason: string | null
    from_version: string
    to_version: string
    seconds: number | null
    health: Health | null
  }[]
}
interface Health {
  before: { ok: boolean }
  after: { ok: boolean; pages: { page: string; status: number; live: boolean }[] } | null
}

let house: House
let fleet: Fleet
let mirror: Mirror
let native: NativeSite
let site: Site
const successors: Service[] = []

before(async () => {
  house = await openHouse()
  mirror = await startMirror()
  fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb' }], {
    plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
    muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
    constants: { WPORG_MIRROR: mirror.url },
  })
  native = fleet.sites[0] as NativeSite
  await native.wpCli(['svc', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  site = await until('A connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  for (const service of successors) await service.stop()
  await house?.close()
})

/** Path → digest, for every file that is not the connector's own working folder. */
async function picture(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(native.dir, { recursive: true, withFileTypes: true })) {
    const path = relative(native.dir, join(entry.parentPath, entry.name))
    if (/^wp-content\/(svc-connector-work|upgrade|upgrade-temp-backup|languages)(\/|$)/.test(path)) continue
    const full = join(native.dir, path)
    found[path] = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(full))
          .digest('hex')
      : 'folder'
  }
  return found
}

const version = () => native.wpCli(['plugin', 'get', 'harbour-notices', '--field=version', '--skip-plugins', '--skip-themes'])
const activePlugins = () => native.wpCli(['option', 'get', 'active_plugins', '--format=json', '--skip-plugins', '--skip-themes'])

/** What the way back leaves anywhere. */
async function leftovers(): Promise<string[]> {
  const in_ = async (folder: string, pattern: RegExp) => (await readdir(folder).catch(() => [])).filter((name) => pattern.test(name))
  return [
    ...(await in_(join(native.dir, 'wp-content/svc-connector-work'), /^\.ht[0-9a-f]{32}$/)),
    ...(await in_(join(native.dir, 'wp-content/mu-plugins'), /svc-connector/)),
    ...(await in_(join(native.dir, '..'), /^\.svc-connector/)),
    ...(await in_(native.dir, /^\.maintenance$/)),
  ]
}

/** Asks for the front page every 200 ms, as a visitor who sees what is wrong; answers the longest time it was wrong, in ms. */
function visitor() {
  let over = false
  const seen: { at: number; ok: boolean }[] = []
  const visiting = (async () => {
    while (!over) {
      const at = performance.now()
      const ok = await fetch(native.url).then(
        async (answer) => {
          const text = await answer.text()
          const fine = answer.status === 200 && text.includes('</html>')
          if (!fine && process.env.LOOK)
            console.log(
              '#',
              answer.status,
              text
                .replace(/<[^>]*>/g, '')
                .replace(/\s+/g, ' ')
                .slice(0, 500),
            )
          return fine
        },
        () => false,
      )
      seen.push({ at, ok })
      await sleep(200)
    }
  })()
  return async () => {
    over = true
    await visiting
    let [longest, since] = [0, -1]
    for (const { at, ok } of seen) {
      since = ok ? -1 : since < 0 ? at : since
      if (since >= 0) longest = Math.max(longest, at - since + 200)
    }
    return { longestMs: longest, looks: seen.length, wrong: seen.filter(({ ok }) => !ok).length }
  }
}

async function startUpdate(kind: SampleKind): Promise<string> {
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
  return (await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update', plugins: ['harbour-notices'] }))
    .job_id
}

async function update(kind: SampleKind) {
  const stop = visitor()
  const job = await house.finished<Result>(await startUpdate(kind))
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
  assert.deepEqual(await leftovers(), [])
  assert.ok(item.health?.after?.pages.every(({ live }) => live))
})

for (const kind of [
  'fatal_at_load',
  'fatal_on_front_page',
  'parse_error',
  'error_500_page',
  'blank_200_page',
  'not_a_zip',
  'truncated_zip',
] as const)
  test(`${kind}: the site is as it was`, async () => {
    const was = await picture()
    const active = await activePlugins()
    const { item, seen } = await update(kind)
    assert.equal(item.status, kind.endsWith('zip') ? 'failed' : 'rolled_back', JSON.stringify(item))
    assert.ok((item.seconds ?? 99) <= 45)
    assert.ok(seen.longestMs <= 60_000)
    assert.deepEqual(await picture(), was)
    assert.equal(await activePlugins(), active)
    assert.deepEqual(await leftovers(), [])
    assert.equal((await fetch(native.url)).status, 200)
  })

/** SIGKILL to the service. */
async function killService(): Promise<void> {
  for (const task of await readdir('/proc/self/task'))
    for (const pid of (await readFile(`/proc/self/task/${task}/children`, 'utf8')).trim().split(' ').filter(Boolean))
      if (/main\.ts\0serve/.test(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))) process.kill(Number(pid), 'SIGKILL')
}

const startAgain = async () => void successors.push(await startService(join(house.dir, 'data'), Number(new URL(house.url).port)))
const isDown = () => fetch(native.url).then(({ status }) => (status === 500 ? true : undefined))

test('kill -9 of the service while the site is down: the next one takes the update back', async () => {
  const was = await picture()
  const stop = visitor()
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  await startAgain()
  const { status, result } = await house.finished<Result>(job_id)
  const seen = await stop()
  console.log(`# killed service: wrong for ${Math.round(seen.longestMs)} ms`)
  assert.deepEqual([status, result.items[0]?.status], ['completed', 'rolled_back'], JSON.stringify(result))
  assert.deepEqual([await picture(), await leftovers()], [was, []])
})

test('when no service comes back, a visitor makes the site take the update back by itself', async () => {
  const was = await picture()
  const job_id = await startUpdate('fatal_at_load')
  await until('A site that is down', isDown)
  await killService()
  const work = join(native.dir, 'wp-content/svc-connector-work')
  const [folder] = (await readdir(work)).filter((name) => /^\.ht[0-9a-f]{32}$/.test(name))
  const state = join(work, folder ?? '', 'state.json')
  const journal = JSON.parse(await readFile(state, 'utf8')) as { phase: string; deadline: number }
  assert.equal(journal.phase, 'swapped')
  assert.ok(journal.deadline - Date.now() / 1000 < 600)
  assert.equal((await fetch(native.url)).status, 500, 'not before its time')
  await writeFile(state, JSON.stringify({ ...journal, deadline: 1 }))
  assert.equal((await fetch(native.url)).status, 200)
  assert.equal(await version(), '1.1.0')
  await startAgain()
  const { result } = await house.finished<Result>(job_id)
  assert.equal(result.items[0]?.status, 'rolled_back')
  assert.match(result.items[0]?.reason ?? '', /took the update back by itself/)
  assert.deepEqual([await picture(), await leftovers()], [was, []])
})

/** SIGKILL to every worker of the fleet's PHP; the master starts new ones. */
async function killWorkers(): Promise<void> {
  const master = (await readFile(join(fleet.dir, 'run/fpm.pid'), 'utf8')).trim()
  for (const pid of (await readFile(`/proc/${master}/task/${master}/children`, 'utf8')).trim().split(' ').filter(Boolean))
    process.kill(Number(pid), 'SIGKILL')
}

async function updateCore(newer: string, spoil?: { file: string; code: string }, disturb: () => Promise<void> = async () => undefined) {
  mirror.addPackage(`wordpress-${newer}.zip`, await corePackage(native.dir, newer, spoil))
  mirror.offer({ core: newer })
  const stop = visitor()
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update', core: true })
  await disturb()
  const job = await house.finished<Result>(job_id)
  const seen = await stop()
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(
    `# core ${newer} ${spoil?.file ?? ''}: ${item.status} in ${item.seconds} s, wrong for ${Math.round(seen.longestMs)} ms: ${item.reason}`,
  )
  return item
}

const coreVersion = async () => /\$wp_version = '([^']+)'/.exec(await readFile(join(native.dir, 'wp-includes/version.php'), 'utf8'))?.[1]

for (const [what, file] of [
  ['before any plugin', 'wp-includes/class-wp-query.php'],
  ['before even the maintenance notice is asked', 'wp-includes/load.php'],
] as const)
  test(`a WordPress that breaks ${what} is taken back`, async () => {
    const was = await picture()
    const item = await updateCore('7.1.3', { file, code: 'this is not PHP' })
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.deepEqual([await coreVersion(), await leftovers()], ['7.1.1', []])
    assert.deepEqual(await picture(), was)
    assert.equal((await fetch(native.url)).status, 200)
  })

test('PHP killed in the middle of a WordPress update: the old one is back, without its lock and notice', async () => {
  const was = await picture()
  const item = await updateCore('7.1.3', undefined, async () => {
    await until('Files that are exchanged', async () =>
      (await readdir(native.dir)).includes('.maintenance') && (await coreIsCopied()) ? true : undefined,
    )
    await killWorkers()
  })
  assert.equal(item.status, 'rolled_back', JSON.stringify(item))
  assert.deepEqual([await picture(), await leftovers()], [was, []])
  assert.equal(
    await native
      .wpCli(['db', 'query', "SELECT count(*) FROM wp_options WHERE option_name = 'core_updater.lock'", '--skip-column-names'])
      .catch(() => '0'),
    '0',
  )
})

/** Core's notice is ours by now and shuts the site. */
const coreIsCopied = async () => /upgrading = [1-9]/.test(await readFile(join(native.dir, '.maintenance'), 'utf8').catch(() => ''))

test('a good WordPress stays', async () => {
  const item = await updateCore('7.1.2')
  assert.equal(item.status, 'updated', JSON.stringify(item))
  assert.deepEqual([await coreVersion(), await leftovers()], ['7.1.2', []])
})
