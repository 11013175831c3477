// A bad evening: ten plugins on one site, four of them harmful in four ways, updated in one go while visitors are there.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { KINDS, pluginFiles, type SampleKind } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { inFolder, zip } from '../../demo/zip.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { watch } from './watch.ts'

interface Item {
  file: string
  status: string
  reason: string | null
  from_version: string
  to_version: string
}

/** What is on offer for each plugin, in this order. */
const OFFERS = {
  anchors: 'good_new',
  buoys: 'dead_admin',
  cranes: 'good_new',
  docks: 'good_new',
  eddies: 'contents_gone',
  ferries: 'good_new',
  gulls: 'switches_all_off',
  hulls: 'good_new',
  islands: 'good_new',
  jetties: 'hangs_on_pages',
} as const satisfies Record<string, SampleKind>
const REASONS: Record<string, RegExp> = {
  buoys: /wp-admin/i,
  eddies: /words/i,
  gulls: /no longer active/,
  jetties: /answer|time/i,
}
const fileOf = (slug: string) => `${slug}/${slug}.php`
const slugs = Object.keys(OFFERS) as (keyof typeof OFFERS)[]

let house: House
let mirror: Mirror
let fleet: Fleet
let one: Managed

before(async () => {
  house = await openHouse()
  mirror = await startMirror()
  for (const slug of slugs) {
    const kind = KINDS[OFFERS[slug]]
    mirror.addPackage(`${slug}.${kind.version}.zip`, zip(inFolder(slug, pluginFiles(fileOf(slug), kind.version, kind))))
  }
  mirror.offer({ plugins: Object.fromEntries(slugs.map((slug) => [fileOf(slug), KINDS[OFFERS[slug]].version])) })
  const sample = await writeSamplePlugin(house.dir)
  const installed = await Promise.all(slugs.map((slug) => writePlugin(join(house.dir, slug), slug)))
  fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', constants: { WPORG_MIRROR: mirror.url } }], {
    plugins: [CONNECTOR, sample, ...installed],
    muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
  })
  const [first] = await connectAll(house, fleet)
  one = first ?? assert.fail()
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  await house?.close()
})

async function writePlugin(folder: string, slug: string): Promise<string> {
  for (const [path, content] of Object.entries(pluginFiles(fileOf(slug), '1.0.0', {}))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

test('six are new, four are as they were with a sentence each, and no visitor noticed', async (t) => {
  const visitors = Array.from({ length: 3 }, () => watch(one.native.url))
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/actions`, { action: 'update' })
  const job = await house.finished<{ items: Item[] }>(job_id)
  const seen = await Promise.all(visitors.map((visitor) => visitor.stop()))
  const items = new Map(job.result?.items.map((item) => [dirname(item.file), item]))
  for (const { file, status, reason } of items.values()) t.diagnostic(`${file} ${status} ${reason ?? ''}`)
  t.diagnostic(`${seen.map(({ looks, downMs }) => `${looks} looks, ${downMs} ms down`).join('; ')}`)
  assert.equal(job.status, 'completed', job.error?.message)
  for (const slug of slugs) {
    const good = OFFERS[slug] === 'good_new'
    const item = items.get(slug) ?? assert.fail(slug)
    assert.equal(item.status, good ? 'updated' : 'rolled_back', `${slug}: ${item.reason}`)
    if (!good) assert.match(item.reason ?? '', REASONS[slug] ?? /^$/)
  }
  const foot = await (await fetch(one.native.url)).text()
  for (const slug of slugs) {
    const version = OFFERS[slug] === 'good_new' ? KINDS.good_new.version : '1.0.0'
    assert.ok(foot.includes(`${slug.replace(/^./, (letter) => letter.toUpperCase())} ${version}`), `${slug} shows ${version}`)
  }
  assert.deepEqual(
    seen.map(({ downMs }) => downMs),
    [0, 0, 0],
    seen.map(({ worst }) => worst).join(', '),
  )
  assert.deepEqual(await leftovers(one), [])
})
