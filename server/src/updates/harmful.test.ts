import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { FakeDefect } from '../../test/fake-state.ts'
import { once } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { ItemResult } from './schema.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
  await here.call('schedules.set_default', { pre_update: 'none' })
})
after(() => here.close())

/** A site with a plugin whose next version is in this way harmful, or harmless. */
async function aSite({ slug = 'garden', defect, workspace }: { slug?: string; defect?: FakeDefect; workspace?: string } = {}) {
  const { id, fake } = await here.site(workspace)
  Object.assign(fake.state, { trials: false, items: [aPlugin(slug, { update: anOffer('2.0') })] })
  if (defect) fake.state.defects = { [`${slug}/${slug}.php@2.0`]: defect }
  const over = workspace === undefined ? {} : { caller: here.caller({ workspaceId: workspace }) }
  const risks = async () => {
    const { items } = (await here.call('updates.apply', { site_id: id, dry_run: true }, over)) as { items: { risks: string[] }[] }
    return items.flatMap((item) => item.risks).filter((risk) => /taken back/.test(risk))
  }
  const update = async () => here.job(String((await here.call('updates.apply', { site_id: id }, over)).job_id), workspace)
  return { id, fake, risks, update }
}

test('a version that was taken back is a risk of the next plan, there and on the other sites of the workspace, until it runs', async () => {
  const [broken, second, untried] = [await aSite({ defect: 'front_500' }), await aSite({ defect: 'blank' }), await aSite()]
  const [another, stranger] = [await aSite({ slug: 'shed' }), await aSite({ workspace: await here.workspace('Others') })]
  assert.deepEqual(await broken.risks(), [])
  const job = await broken.update()
  assert.deepEqual(
    [job.outcome, job.summary],
    ['taken_back', 'The update of “garden” to 2.0 was taken back because the front page answers with 500.'],
  )
  const today = here.world.now().toISOString().slice(0, 10)
  assert.deepEqual(await broken.risks(), [`This version was taken back here on ${today}. The front page answers with 500.`])
  assert.deepEqual(await untried.risks(), [
    `It was taken back on 1 other site of the workspace, last on ${today}. The front page answers with 500.`,
  ])
  await second.update()
  assert.match((await untried.risks())[0] ?? '', /on 2 other sites .* The front page is blank\.$/)
  assert.deepEqual([await another.risks(), await stranger.risks()], [[], []])

  broken.fake.state.defects = {}
  assert.equal((await broken.update()).outcome, 'done')
  assert.match((await untried.risks())[0] ?? '', /on 1 other site .* The front page is blank\.$/)
})

test('a version that left its site broken, though it was taken back, is a risk as well', async () => {
  const [site, untried] = [await aSite({ slug: 'well' }), await aSite({ slug: 'well' })]
  once(site.fake.state, 'updates.apply', 'after', () => {
    site.fake.state.broken = () => true
  })
  assert.equal((await site.update()).outcome, 'failed')
  assert.match((await untried.risks())[0] ?? '', /on 1 other site .* It was taken back, and still: /)
})

test('once one was taken back the site asks anew what is on offer, and else it does not', async () => {
  const [broken, healthy] = [await aSite({ slug: 'barn', defect: 'blank' }), await aSite({ slug: 'barn' })]
  for (const { fake } of [broken, healthy])
    once(fake.state, 'updates.apply', 'after', () => {
      fake.state.offered = { 'barn/barn.php': anOffer('2.0.1') }
    })
  const offered = async ({ id, update }: typeof broken) => {
    await update()
    const { items } = (await here.call('inventory.get', { site_id: id, cached: true })) as {
      items: { update: { version: string } | null }[]
    }
    return items[0]?.update?.version
  }
  assert.deepEqual([await offered(broken), await offered(healthy)], ['2.0.1', undefined])
})

test('another version of it is no risk', async () => {
  const site = await aSite({ slug: 'pond', defect: 'front_500' })
  await site.update()
  assert.equal((await site.risks()).length, 1)
  site.fake.state.items = [aPlugin('pond', { update: anOffer('2.1') })]
  assert.deepEqual(await site.risks(), [])
})

describe('another version, which somebody else puts there while the new one is judged,', () => {
  /** As WordPress does by itself at times. */
  const meanwhile = async (slug: string, version: string) => {
    const site = await aSite({ slug })
    const { state } = site.fake
    state.fault = (verb) => {
      const [item] = state.items
      if (verb === 'updates.probe' && state.update?.phase === 'swapped' && item) item.version = version
      return undefined
    }
    const job = await site.update()
    const { items } = job.result as unknown as { items: ItemResult[] }
    return { ...site, item: items[0] ?? assert.fail(), runs: state.items[0]?.version }
  }

  test('stays where it is newer and the site is well', async () => {
    const { item, runs, risks } = await meanwhile('newer', '3.0')
    assert.deepEqual([item.status, item.to_version, item.health?.after?.ok, runs], ['updated', '3.0', true, '3.0'], JSON.stringify(item))
    assert.match(item.reason ?? '', /^Somebody else put a newer version there/)
    assert.deepEqual(await risks(), [])
  })

  test('is taken back where it is older, and tells nothing of the new one', async () => {
    const { item, runs, risks } = await meanwhile('older', '1.5')
    assert.deepEqual([item.status, item.unjudged, item.reason, runs], ['rolled_back', true, 'The site runs 1.5, not 2.0.', '1.0'])
    assert.deepEqual(await risks(), [])
  })
})

test('a plugin that is a single file, of which the package is a folder, is left, and its version is not held against it', async () => {
  const { fake, risks, update } = await aSite({ slug: 'hello' })
  fake.state.updateFails = { reason: 'folder_for_a_file', installed: false }
  const { items } = (await update()).result as unknown as { items: ItemResult[] }
  assert.deepEqual([items[0]?.status, fake.state.items[0]?.version, await risks()], ['skipped', '1.0', []])
  assert.match(items[0]?.reason ?? '', /^Here it is a single file, and its package is a folder/)
})
