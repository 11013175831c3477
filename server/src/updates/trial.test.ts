// A version is tried before it is installed: what breaks there is never installed.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEFECTS, updatedWith } from '../../test/defects.ts'
import type { FakeDefect, FakeState } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('the trial of a version', { concurrency: 6 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  /** Whether the site was told that the version had passed its trial. */
  const passed = ({ params }: FakeState['effects'][number]) => (params as { passed?: boolean }).passed

  /** Only when it is installed. */
  const LATER = new Set<FakeDefect>(['deactivates', 'renamed'])
  for (const [defect, why] of DEFECTS.filter(([kind]) => !LATER.has(kind)))
    test(`shows that it makes a site ${defect}, and it is not installed`, async () => {
      const { fake, item } = await updatedWith(here, defect)
      const { status, health, reason, site_said } = item
      assert.deepEqual([status, fake.state.items[0]?.version, fake.state.update], ['rolled_back', '1.0', undefined], JSON.stringify(item))
      assert.deepEqual(fake.state.effects, [], 'nothing was applied')
      const begin = /^In its trial, which no visitor met, (.)/
      assert.match(reason ?? '', begin)
      const sentence = reason?.replace(begin, (_, letter: string) => letter.toUpperCase())
      const said = [sentence, site_said?.text].filter(Boolean).join(' ')
      assert.match(said, why)
      assert.equal(health?.after?.ok, true)
    })

  test('says nothing where something had to be held back: it is installed, judged, and taken back', async () => {
    const { fake, item } = await updatedWith(here, 'blank', { held: ['a statement that begins with ALTER'] })
    assert.deepEqual([item.status, item.reason], ['rolled_back', 'The front page is blank.'])
    assert.deepEqual(fake.state.effects.map(passed), [false], 'so the site watches over it')
  })

  test('shows nothing of what it changes for the requests after it: then wp-admin is looked at again', async () => {
    const { fake, item } = await updatedWith(here, undefined, {
      changed: ['wp_user_roles'],
      fault(this: FakeState, verb) {
        if (verb === 'updates.apply') this.defects = { 'a/a.php@2.0': 'nobody_in' }
        return undefined
      },
    })
    assert.deepEqual([item.status, item.reason], ['rolled_back', 'The dashboard in wp-admin lets nobody in any more.'])
    assert.deepEqual(fake.state.effects.map(passed), [true])
  })

  test('leaves no option another one: it is taken back where one is', async () => {
    const { fake, item } = await updatedWith(here, 'blank', { changed: ['active_plugins'] })
    assert.deepEqual([item.status, fake.state.effects], ['rolled_back', []])
    assert.equal(fake.requests.filter(({ verb }) => verb === 'updates.rollback').length, 2, 'by the rescue door, then mended')
  })

  test('shows a page of which the process dies, and what the web server says for it', async () => {
    const { fake, item } = await updatedWith(here, 'cut_off')
    assert.deepEqual(
      [item.status, item.reason, fake.state.effects],
      ['rolled_back', 'In its trial, which no visitor met, the front page answers with 502.', []],
    )
  })

  test('counts what broke in a request that had to go without nothing, whatever others had to go without', async () => {
    const held = ['a request to another server']
    const elsewhere = await updatedWith(here, 'front_500', { held, lacking: (_, path) => path.startsWith('/wp-admin/') })
    assert.deepEqual(
      [elsewhere.item.reason, elsewhere.fake.state.effects],
      ['In its trial, which no visitor met, the front page answers with 500.', []],
    )
    const there = await updatedWith(here, 'blank', { held, lacking: (verb, path) => verb === '' && path === '/' })
    assert.deepEqual([there.item.reason, there.fake.state.effects.map(passed)], ['The front page is blank.', [false]])
  })

  test('of a version that writes is not all: what others find of it is looked at when it is installed', async () => {
    const { fake, item } = await updatedWith(here, undefined, {
      wrote: true,
      fault(this: FakeState, verb) {
        if (verb === 'updates.apply') this.defects = { 'a/a.php@2.0': 'admin_500' }
        return undefined
      },
    })
    assert.deepEqual([item.status, item.reason], ['rolled_back', 'The dashboard in wp-admin answers with 500.'])
    assert.deepEqual(fake.state.effects.map(passed), [true])
  })

  test('without an answer, while the site answers: it is not installed', async () => {
    const { fake, item } = await updatedWith(here, 'silent')
    assert.deepEqual([item.status, fake.state.effects], ['rolled_back', []], JSON.stringify(item))
  })
})
