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

  /** From its first installation on the front page takes so many milliseconds, by the version that is installed and how often it was asked for. */
  async function updated(t: TestContext, takes: (version: string, asked: number) => number) {
    let [later, installed, version, asked] = [0, 0, '1.0', 0]
    const now = performance.now.bind(performance)
    t.mock.method(performance, 'now', () => now() + later)
    const { item } = await updatedWith(here, undefined, ({ state }) => ({
      trials: false,
      page: (_, url) => {
        if (!/^\/(\?svc-connector-probe=\w+)?$/.test(url)) return undefined
        const runs = state.items[0]?.version ?? ''
        if (runs === '2.0' && version !== '2.0') installed++
        asked = runs === version ? asked + 1 : 1
        version = runs
        if (installed > 0) later += takes(version, asked)
        return undefined
      },
    }))
    return { item, installed, version }
  }

  test('with the new version alone: it is taken back, and known as harmful', async (t) => {
    const { item, installed, version } = await updated(t, (running) => (running === '2.0' ? 3_000 : 0))
    assert.deepEqual([item.status, installed, version], ['rolled_back', 1, '1.0'], JSON.stringify(item))
    assert.match(item.reason ?? '', /takes \d+\.\d s; before it was/)
  })

  test('with the version before as well: nobody can tell, so it is installed once more and kept', async (t) => {
    const { item, installed, version } = await updated(t, () => 3_000)
    assert.deepEqual([item.status, installed, version], ['updated', 2, '2.0'], JSON.stringify(item))
    assert.equal(item.reason, 'The site is so busy that nobody can tell whether its pages take longer now.')
  })

  test('with the version before half as long: nobody can tell either', async (t) => {
    const { item, installed, version } = await updated(t, (running) => (running === '2.0' ? 3_000 : 900))
    assert.deepEqual([item.status, installed, version], ['updated', 2, '2.0'], JSON.stringify(item))
  })

  test('now and then: a slow version is slow each time, so it is the host, and nothing is taken back', async (t) => {
    const { item, installed, version } = await updated(t, (running, asked) => (running === '2.0' && asked % 2 === 1 ? 3_000 : 0))
    assert.deepEqual([item.status, installed, version, item.reason], ['updated', 1, '2.0', null], JSON.stringify(item))
  })
})
