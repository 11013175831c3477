// Pages that take longer than before: the version's doing, or that of a host that is busy.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { updatedWith } from '../../test/defects.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('pages take longer after an update', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  /** From its first installation on, while `slow` says so of the version that is installed, each page takes seconds. */
  async function updated(t: TestContext, slow: (version: string) => boolean) {
    let [later, installed, version] = [0, 0, '1.0']
    const now = performance.now.bind(performance)
    t.mock.method(performance, 'now', () => now() + later)
    const { item } = await updatedWith(here, undefined, ({ state }) => ({
      trials: false,
      page: () => {
        const runs = state.items[0]?.version ?? ''
        if (runs === '2.0' && version !== '2.0') installed++
        version = runs
        if (installed > 0 && slow(version)) later += 3_000
        return undefined
      },
    }))
    return { item, installed, version }
  }

  test('with the new version alone: it is taken back, and known as harmful', async (t) => {
    const { item, installed, version } = await updated(t, (running) => running === '2.0')
    assert.deepEqual([item.status, installed, version], ['rolled_back', 1, '1.0'], JSON.stringify(item))
    assert.match(item.reason ?? '', /takes \d+\.\d s; before it was/)
  })

  test('with the version before as well: nobody can tell, so it is installed once more and kept', async (t) => {
    const { item, installed, version } = await updated(t, () => true)
    assert.deepEqual([item.status, installed, version], ['updated', 2, '2.0'], JSON.stringify(item))
    assert.equal(item.reason, 'The site is so busy that nobody can tell whether its pages take longer now.')
  })
})
