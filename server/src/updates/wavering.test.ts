// Pages that show another thing each time, and pages that have lost what they showed.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { updatedWith } from '../../test/defects.ts'
import type { FakeState } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('a front page', { concurrency: 3 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const ofWords = (count: number) => `<!doctype html><html><title>Garden</title><body>${'rose '.repeat(count)}</body></html>`
  /** The front page as a look of ours, or of its trial, asks for it. */
  const isFront = (method: string, path: string) => method === 'GET' && /^\/\?svc-connector-(?:probe|trial)=\w+$/.test(path)
  const lengthy = { status: 200, body: ofWords(200) }
  const brief = { status: 200, body: ofWords(30) }

  for (const trials of [true, false])
    test(`that shows another thing each time takes nothing back, ${trials ? 'with a trial' : 'without one'}`, async () => {
      let looks = 0
      const page = (method: string, path: string) => (isFront(method, path) ? (looks++ % 4 === 0 ? lengthy : brief) : undefined)
      const { item, fake } = await updatedWith(here, undefined, { trials, page })
      assert.deepEqual([item.status, item.health?.after?.ok], ['updated', true], JSON.stringify(item))
      assert.deepEqual([fake.state.effects.length, looks > 4], [1, true])
    })

  test('that has lost its words each time does', async () => {
    const { item, fake } = await updatedWith(here, undefined, {
      page(this: FakeState, method, path) {
        return isFront(method, path) ? (this.items[0]?.version === '2.0' ? brief : lengthy) : undefined
      },
    })
    assert.deepEqual(
      [item.status, item.reason, fake.state.effects],
      ['rolled_back', 'In its trial, which no visitor met, the front page has lost most of its words.', []],
    )
  })
})
