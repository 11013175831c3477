import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aChromium, type Browser } from '../../test/fake-chromium.ts'
import { aPictureOf } from '../../test/heard.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { retentionDuty } from '../platform/retention.ts'
import { capability } from './capability.ts'
import type { ItemResult } from './schema.ts'

async function updated(here: TestWorld): Promise<ItemResult[]> {
  const { id } = await here.site()
  const { job_id } = await here.call('updates.apply', { site_id: id })
  return ((await here.job(String(job_id))).result as { items: ItemResult[] }).items
}

test('without a browser an update is judged as ever, and says that no pictures were taken', async () => {
  const here = await aWorld()
  const items = await updated(here)
  await here.close()
  assert.ok(items.length > 1)
  for (const { status, pictures } of items) {
    assert.equal(status, 'updated')
    assert.deepEqual(pictures, {
      verdict: 'not_taken',
      likeness: null,
      reason: 'No browser is set (SERVICE_CHROMIUM).',
      before: null,
      after: null,
    })
  }
})

const troubles: [Browser | 'is not there', RegExp][] = [
  ['fails', /ended by itself/],
  ['is not there', /could not be started/],
]
for (const [does, reason] of troubles)
  test(`a browser that ${does} stops no update: what it would have shown is unknown`, async () => {
    const browser = does === 'is not there' ? { program: '/nowhere/browser', stop: () => undefined } : aChromium(does)
    const here = await aWorld({ SERVICE_CHROMIUM: browser.program })
    const items = await updated(here)
    await here.close()
    browser.stop()
    for (const { status, pictures } of items) {
      assert.deepEqual([status, pictures?.verdict, pictures?.before], ['updated', 'unknown', null])
      assert.match(pictures?.reason ?? '', reason)
    }
  })

describe('the pictures of an update', () => {
  let here: TestWorld
  let id: string
  let at: (picture: string, moment?: string, site?: string) => string
  let token: string
  before(async () => {
    here = await aWorld()
    id = (await here.site()).id
    token = (await here.token('read')).token
    at = (picture, moment = 'before', site = id) => `/api/v1/sites/${site}/update-pictures/${picture}?moment=${moment}`
  })
  after(() => here.close())

  test('who reads gets them as pictures that are only saved, and nothing else', async () => {
    const picture = await aPictureOf(here, id, here.workspaceId)
    for (const moment of ['before', 'after']) {
      const { status, headers, text } = await here.rest('GET', at(picture, moment), { token })
      assert.deepEqual([status, text], [200, 'RIFF....WEBP'])
      assert.deepEqual(
        ['content-type', 'x-content-type-options', 'content-disposition'].map((name) => headers.get(name)),
        ['image/webp', 'nosniff', `attachment; filename="${picture}-${moment}.webp"`],
      )
    }
  })

  test('they are not there for strangers, other workspaces and other sites', async () => {
    const picture = await aPictureOf(here, id, here.workspaceId)
    const other = await here.workspace('Other')
    const { token: theirs } = await here.token('write', { workspaceId: other })
    const { id: next } = await here.site()
    assert.equal((await here.rest('GET', at(picture))).status, 401)
    assert.equal((await here.rest('GET', at(picture), { token: theirs })).status, 404)
    assert.equal((await here.rest('GET', at(picture, 'before', next), { token })).status, 404)
    const { id: their } = await here.site(other)
    assert.equal((await here.rest('GET', at(picture, 'before', their), { token: theirs })).status, 404)
  })

  test('one that was not taken is not there', async () => {
    const picture = await aPictureOf(here, id, here.workspaceId)
    await sql`UPDATE update_pictures SET after = NULL WHERE workspace_id = ${here.workspaceId} AND id = ${picture}`.execute(here.world.db)
    assert.equal((await here.rest('GET', at(picture, 'after'), { token })).status, 404)
    assert.equal((await here.rest('GET', at(picture, 'middle'), { token })).status, 400)
  })

  test('they are kept for 30 days', async () => {
    const picture = await aPictureOf(here, id, here.workspaceId)
    const duty = retentionDuty<TestWorld['world']>(capability.retention ?? [])
    const letGo = async () => 'run' in duty && duty.run(here.world)
    here.clock.add(29 * 86_400_000)
    await letGo()
    assert.equal((await here.rest('GET', at(picture), { token })).status, 200)
    here.clock.add(2 * 86_400_000)
    await letGo()
    assert.equal((await here.rest('GET', at(picture), { token })).status, 404)
  })
})
