// An update broken in every way, on real sites: each ends rolled back or failed, with the site as it was.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { corePackage, writeSamplePlugin, writeSampleTheme } from '../../demo/mirror-packages.ts'
import { KINDS, SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, PHOTOGRAPHED } from '../house.ts'
import { logIn } from '../visitor.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { differing, stateOf, warmUp } from './site-state.ts'
import { makeUpgradeFolders } from './undo-site.ts'
import { type Case, deadAdmin, LANES, type Lane } from './updates/cases.ts'
import { watch } from './watch.ts'

interface Item {
  status: string
  reason: string | null
  site_said: { text: string } | null
  from_version: string
  to_version: string
  seconds: number | null
}

const ROOT = join(import.meta.dirname, '../..')
const only = process.env.LANE
/** `npm run prove:updates`: also what is one more of a kind. */
const whole = process.env.UPDATES === 'whole' || only !== undefined
const lanes = LANES.filter(({ name }) => only === undefined || new RegExp(only).test(name))
  .map((lane) => ({ ...lane, cases: lane.cases.filter(({ long = false }) => whole || !long) }))
  .filter(({ cases }) => cases.length > 0)
const table: string[] = []
const STILL_OFFERED = `echo get_site_transient( 'update_plugins' )->response['${SAMPLE_PLUGIN}']->new_version ?? 'no';`
let house: House
let fleet: Fleet
let all: Managed[]
let mirrors: Mirror[]

before(async () => {
  house = await openHouse(whole && process.env.PHOTOGRAPHS !== 'none' ? PHOTOGRAPHED : {})
  mirrors = await Promise.all(lanes.map(() => startMirror()))
  fleet = await startFleet(
    lanes.map(({ spec }, index) => ({ ...spec, constants: { WPORG_MIRROR: mirrors[index]?.url ?? '' } })),
    {
      plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
      muPlugins: [
        join(ROOT, 'demo/mu-wporg-mirror.php'),
        ...['mu-slow-copy.php', 'mu-heard.php'].map((name) => join(import.meta.dirname, 'updates', name)),
      ],
    },
  )
  all = await connectAll(house, fleet)
  for (const one of all) await furnish(one)
  await packCore()
})
after(async () => {
  if (table.length > 0) process.stdout.write(`${['lane | case | ended | seconds | longest down s | reason', ...table].join('\n')}\n`)
  await fleet?.stop()
  for (const mirror of mirrors ?? []) await mirror.stop()
  await house?.close()
})

/** A theme that can be updated is in use; and somebody has published a page, which WordPress notes with the first one. */
async function furnish(one: Managed): Promise<void> {
  await writeSampleTheme(join(one.native.dir, 'wp-content/themes'))
  await makeUpgradeFolders(one)
  await one.native.wpCli(['theme', 'activate', 'harbour'])
  await one.native.wpCli(['option', 'update', 'fresh_site', '0'])
}

async function packCore(): Promise<void> {
  const lane = lanes.findIndex(({ spec }) => spec.wp === '6.1.9')
  const { native } = all[lane] ?? {}
  if (!native) return
  const source = join(import.meta.dirname, '../.cache/wordpress-6.1.9')
  const offered = new Set(lanes[lane]?.cases.map(({ offer }) => offer.core))
  for (const [version, spoil] of CORES.filter(([version]) => offered.has(version)))
    mirrors[lane]?.addPackage(`wordpress-${version}.zip`, await corePackage(source, version, spoil))
}

/** A fatal error after all plugins, and one before anything of theirs. */
const CORES = [
  ['6.1.10', undefined],
  ['6.1.11', { file: 'wp-includes/general-template.php', code: 'a_function_that_is_not_there();' }],
  ['6.1.13', undefined],
  ['6.1.12', { file: 'wp-includes/load.php', code: 'a_function_that_is_not_there();' }],
] as const

// Two at once keep two processor cores busy; more only wait for each other, and for each other's visitors.
describe('an update that goes wrong', { concurrency: 2 }, () => {
  for (const [place, lane] of lanes.entries())
    describe(lane.name, { concurrency: 1 }, () => {
      if (lane.admin)
        test('wp-admin is looked at, and not a row is written', async () => {
          const one = all[place] as Managed
          await tried(lane, one, mirrors[place] as Mirror, deadAdmin)
          assert.equal(await one.native.wpCli(['eval', STILL_OFFERED]), KINDS.dead_admin.version, 'what was taken back is on offer still')
        })
      for (const each of lane.cases) test(each.name, () => tried(lane, all[place] as Managed, mirrors[place] as Mirror, each))
    })
})

async function tried(lane: Lane, one: Managed, mirror: Mirror, each: Case): Promise<void> {
  await warmUp(one)
  // A restore that can be undone is kept for a day, and makes room for the next.
  const work = async () => (await workOf(one)).filter((name) => !each.undoable || !name.startsWith('.ht'))
  const was = { ...(await state(one)), looks: await looks(one), work: await work(), kept: await keptOf(one) }
  const purged = join(one.native.dir, '../tmp/purged')
  await rm(purged, { force: true })
  const takeAway = await each.arrange?.(one)
  mirror.offer(each.offer)
  const began = performance.now()
  const visitor = watch(one.native.url)
  const { status, error, item } = await updated(one, each).finally(async () => {
    mirror.offer({})
    await takeAway?.()
  })
  const { downMs, longestDownMs, looks: visits, worst } = await visitor.stop()
  const seconds = (performance.now() - began) / 1000
  table.push(
    [lane.name, each.name, item?.status ?? status, seconds.toFixed(1), (longestDownMs / 1000).toFixed(1), item?.reason ?? error ?? ''].join(
      ' | ',
    ),
  )
  const inTrial = item?.reason?.startsWith('In its trial') === true
  const isOfPlugin = each.offer.plugins !== undefined
  if (isOfPlugin && each.ends === 'rolled_back' && !each.untried && !each.unmet)
    assert.ok(inTrial, `It was not met in its trial: ${item?.reason ?? error}`)
  if (inTrial || each.unnoticed || (whole && isOfPlugin && item?.status === 'updated'))
    assert.equal(downMs, 0, `of ${visits} visits: ${worst}`)
  // A bar of the clock, which other work on the machine moves: the gate prints what it was.
  if (whole)
    assert.ok(longestDownMs <= (each.mostDownMs ?? (each.isDownBecause ? 60_000 : 10_000)), `down for ${longestDownMs} ms: ${worst}`)
  assert.ok([each.ends].flat().includes((item?.status ?? status) as 'failed'), `${item?.status ?? status}: ${item?.reason ?? error}`)
  if (each.reason) assert.match(`${item?.reason ?? error ?? ''} ${item?.site_said?.text ?? ''}`, each.reason)
  if (each.untried) {
    assert.equal(inTrial, false, item?.reason ?? '')
    assert.equal(
      await one.native.wpCli(['eval', STILL_OFFERED]),
      each.offer.plugins?.[SAMPLE_PLUGIN],
      'what was taken back is on offer still',
    )
  }
  if (!each.undoable) assert.deepEqual(await leftovers(one), [])
  await warmUp(one)
  if (!inTrial && item && ['updated', 'rolled_back'].includes(item.status)) assert.ok(existsSync(purged), 'caches of pages are emptied')
  if (item?.status === 'updated') return assert.ok((await each.proof?.(one)) ?? true, 'what was updated is there')
  const is = { ...(await state(one)), looks: await looks(one), work: await work(), kept: await keptOf(one) }
  assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
  assert.deepEqual([is.looks, is.work, is.kept.rules], [was.looks, was.work, was.kept.rules])
  const lost = was.kept.hooks.filter((hook) => !is.kept.hooks.includes(hook))
  assert.deepEqual(lost, [], 'WP-Cron has what it had')
  if (whole) assert.deepEqual(await insideOf(one), ['index.php 200', 'plugins.php 200', 'post.php?post=1&action=edit 200'])
}

async function updated({ site }: Managed, { only }: Case): Promise<{ status: string; error: string | undefined; item: Item | undefined }> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update', ...only })
  const { status, error, result } = await house.finished<{ items: Item[] } | null>(job_id)
  assert.ok((result?.items.length ?? 0) <= 1, JSON.stringify(result))
  return { status, error: error?.message, item: result?.items[0] }
}

/** What a screen of wp-admin would write is rolled back; the counters of InnoDB go on all the same. */
async function state(one: Managed) {
  const { files, rows } = await stateOf(one)
  return { files, rows: Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.replace(/ AUTO_INCREMENT=\d+/, '')])) }
}

const KEPT = `$events = array_filter( (array) get_option( 'cron' ), 'is_array' );
  $hooks = array_unique( array_merge( array(), ...array_values( array_map( 'array_keys', $events ) ) ) ); sort( $hooks );
  echo wp_json_encode( array( 'hooks' => $hooks, 'rules' => md5( serialize( get_option( 'rewrite_rules' ) ) ) ) );`

/** What WordPress writes by itself in between, and what of it stays all the same: the names of WP-Cron's events, and the rules of its addresses. */
async function keptOf({ native }: Managed): Promise<{ hooks: string[]; rules: string }> {
  if (!whole) return { hooks: [], rules: '' }
  return JSON.parse(await native.wpCli(['eval', KEPT, '--skip-plugins', '--skip-themes']))
}

/** Screens of wp-admin as its administrator gets them in a browser. */
async function insideOf({ native }: Managed): Promise<string[]> {
  const cookie = await logIn(native.url, native.adminUser, native.adminPassword)
  const found: string[] = []
  for (const screen of ['index.php', 'plugins.php', 'post.php?post=1&action=edit']) {
    const answer = await fetch(`${native.url}/wp-admin/${screen}`, { headers: { cookie }, redirect: 'manual' })
    const isWhole = /id="wpadminbar"/.test(await answer.text())
    found.push(`${screen} ${isWhole ? answer.status : 'without its bar'}`)
  }
  return found
}

/** What a visitor gets, without what differs from view to view. */
async function looks({ native }: Managed): Promise<string[]> {
  const found: string[] = []
  for (const path of ['/', '/hello-world/', '/wp-login.php']) {
    const answer = await fetch(native.url + path, { redirect: 'manual' })
    const text = await answer.text()
    const signs = [/Harbour Notices [\d.]+/, /<title>[^<]*/, /id="loginform"/].map((sign) => sign.exec(text)?.[0] ?? '')
    found.push([path, answer.status, ...signs].join(' '))
  }
  return found
}

/** What lies in the connector's own folder beside its guards, what runs before every plugin, and which plugins are active. */
async function workOf({ native }: Managed): Promise<string[]> {
  const names = async (folder: string) => (await readdir(join(native.dir, folder)).catch(() => [])).sort()
  const active = await native.wpCli(['option', 'get', 'active_plugins', '--format=json'])
  // PHP errors that the site met are kept until the service has asked for them.
  const own = (await names('wp-content/svc-connector-work')).filter((name) => !/^(\.htaccess|index\.php|\.errors-.*)$/.test(name))
  return [...own, ...(await names('wp-content/mu-plugins')), active]
}
