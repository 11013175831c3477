// Needs a Chromium: apt-get install --no-install-recommends chromium
// Updates that take no word from a page and hide it all the same: a browser sees it, and they are taken back.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../demo/sample-plugin.ts'
import { leftovers } from './managed.ts'
import { differing, filesOf } from './site-state.ts'
import { type Outdated, openSite, type Result } from './undo-site.ts'

let one: Outdated
before(async () => {
  one = await openSite({ SERVICE_CHROMIUM: '/usr/bin/chromium' }, [join(import.meta.dirname, 'updates/mu-banner.php')])
})
after(() => one?.close())

async function update(kind: SampleKind): Promise<Result['items'][number]> {
  one.mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
  const { job_id } = await one.house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/actions`, { action: 'update' })
  const job = await one.house.finished<Result>(job_id)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = job.result.items
  assert.ok(item)
  console.log(`# ${kind}: ${item.status} in ${item.seconds} s: ${item.reason} ${JSON.stringify(item.pictures)}`)
  return item
}

/** Both are there, for who reads. */
async function areKept({ pictures }: Result['items'][number]): Promise<void> {
  for (const path of [pictures?.before, pictures?.after]) {
    const answer = await fetch(one.house.url + path, { headers: { authorization: `Bearer ${one.house.reader}` } })
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp'])
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.equal(bytes.subarray(8, 12).toString(), 'WEBP')
    assert.ok(bytes.length <= 100_000, `${bytes.length}`)
  }
}

test('a harmless version stays, on a page with a banner and a clock that are never the same', async () => {
  const item = await update('good_new')
  assert.deepEqual([item.status, item.pictures?.verdict], ['updated', 'alike'], JSON.stringify(item))
  await areKept(item)
})

const hidden: [SampleKind, RegExp][] = [
  ['fades_the_page', /blank in a browser/],
  ['covers_the_page', /in a browser/],
  ['moves_the_page_away', /in a browser/],
  ['white_on_white', /in a browser/],
]
// `npm run prove:updates` tries each; what a browser makes of them is in e2e/browser/pictures.test.ts too.
for (const [kind, reason] of process.env.UPDATES === 'whole' ? hidden : hidden.slice(0, 1))
  test(`${kind.replaceAll('_', ' ')}: it is taken back, with both pictures`, async () => {
    const was = await filesOf(one.native.dir)
    const item = await update(kind)
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.match(item.reason ?? '', reason)
    assert.equal(item.health?.after?.ok, true, 'the site is as it was')
    await areKept(item)
    assert.deepEqual([differing(was, await filesOf(one.native.dir)), await leftovers(one)], [[], []])
  })
