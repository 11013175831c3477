import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

interface Planned {
  slug: string
  will_run: boolean
  reason: string | null
  risks: string[]
}

describe('update rules', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let other: Awaited<ReturnType<TestWorld['site']>>
  const day = 24 * 3_600_000
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    await here.call('schedules.set_default', { pre_update: 'none' })
    site = await here.site()
    other = await here.site()
  })
  after(() => here.close())
  beforeEach(async () => {
    await sql`DELETE FROM update_rules`.execute(here.world.db)
    await sql`DELETE FROM offered_versions`.execute(here.world.db)
    site.fake.state.items = [
      aPlugin('patchy', { version: '1.0.0', update: anOffer('1.0.1') }),
      aPlugin('minor', { version: '1.0.0', update: anOffer('1.1.0') }),
      aPlugin('major', { version: '1.0.0', update: anOffer('2.0.0') }),
    ]
    site.fake.state.updateMs = 0
    here.clock.add(120_000)
    await here.call('inventory.get', { site_id: site.id })
  })

  const rule = (input: object) => here.call('updates.set_rule', input)
  const anAgent = async () => {
    const { id } = await here.token('write')
    return { caller: here.caller({ type: 'token', id, scopes: new Set(['read', 'write']) }) }
  }
  const plan = async (input = {}, over = {}) => {
    const { items } = await here.call('updates.apply', { site_id: site.id, dry_run: true, ...input }, over)
    return items as unknown as Planned[]
  }
  const runs = async (input = {}, over = {}) =>
    (await plan(input, over))
      .filter(({ will_run }) => will_run)
      .map(({ slug }) => slug)
      .sort()
  const done = async (input = {}, over = {}) => {
    const { job_id } = await here.call('updates.apply', { site_id: site.id, ...input }, over)
    const { result } = (await here.job(String(job_id))) as unknown as {
      result: { items: { slug: string; status: string; reason: string | null }[] }
    }
    return result.items
  }

  test('without rules everything that waits is updated', async () => {
    assert.deepEqual(await runs(), ['major', 'minor', 'patchy'])
  })

  test('so far and no further: the plan says what was left out by which rule, and the work holds to it', async () => {
    await rule({ type: 'plugin', allow: 'patch' })
    await rule({ type: 'plugin', slug: 'minor', allow: 'minor' })
    assert.deepEqual(await runs(), ['minor', 'patchy'])
    const left = (await plan()).find(({ slug }) => slug === 'major')
    assert.equal(left?.reason, 'The rule “all plugins: patches only” leaves it out: this is a major version.')
    const { sites } = (await here.call('rollouts.start', { site_ids: [site.id], dry_run: true })) as unknown as {
      sites: { items: { slug: string; reason: string | null }[] }[]
    }
    assert.equal(sites[0]?.items.find(({ slug }) => slug === 'major')?.reason, left?.reason)
    assert.deepEqual((await done()).map(({ slug, status }) => [slug, status]).sort(), [
      ['major', 'skipped'],
      ['minor', 'updated'],
      ['patchy', 'updated'],
    ])
  })

  test('what is said of one plugin goes before what is said of all, of one site before its tags, and these before the rest', async () => {
    await here.call('sites.set', { site_id: site.id, tags: ['shop', 'vip'] })
    await rule({ type: 'any', allow: 'never' })
    await rule({ type: 'plugin', tag: 'shop', allow: 'minor' })
    await rule({ type: 'plugin', tag: 'vip', allow: 'patch' })
    assert.deepEqual(await runs(), ['patchy'], 'of two tags the stricter')
    await rule({ type: 'plugin', site_id: site.id, allow: 'major' })
    assert.deepEqual(await runs(), ['major', 'minor', 'patchy'])
    await rule({ type: 'plugin', slug: 'MINOR', allow: 'never' })
    assert.deepEqual(await runs(), ['major', 'patchy'])
    await here.call('sites.set', { site_id: site.id, tags: [] })
  })

  test('a delay counts from when this site was first offered the version; a person who names the plugin has it at once, and is told', async () => {
    await rule({ type: 'plugin', slug: 'patchy', allow: 'major', delay_days: 7 })
    assert.deepEqual(await runs(), ['major', 'minor'])
    assert.match(
      String((await plan()).find(({ slug }) => slug === 'patchy')?.reason),
      /^The rule “patchy: all versions, after 7 days” holds it back until \d{4}-/,
    )
    const agent = await anAgent()
    assert.deepEqual(await runs({ plugins: ['patchy'] }, agent), [], 'a token is no person')
    const [named] = await plan({ plugins: ['patchy'] })
    assert.equal(named?.will_run, true)
    assert.match(String(named?.risks[0]), /it is updated now because it was named\.$/)
    const [wished] = await done({ plugins: ['patchy'] })
    assert.equal(wished?.status, 'updated')
    assert.match(String(wished?.reason), /it is updated now because it was named\.$/)
    here.clock.add(7 * day)
    assert.deepEqual(await runs({ plugins: ['minor'] }, agent), ['minor'])
  })

  test('after the days it is let through, and a newer version waits anew', async () => {
    await rule({ type: 'plugin', allow: 'major', delay_days: 3 })
    assert.deepEqual(await runs(), [])
    here.clock.add(3 * day)
    assert.deepEqual(await runs(), ['major', 'minor', 'patchy'])
    site.fake.state.items = [aPlugin('patchy', { version: '1.0.0', update: anOffer('1.0.2') })]
    here.clock.add(120_000)
    assert.deepEqual(await runs(), [])
  })

  test('what one site says of a version hastens it on no other', async () => {
    other.fake.state.items = [aPlugin('patchy', { version: '1.0.0', update: anOffer('9.9.9') })]
    await here.call('inventory.get', { site_id: other.id })
    here.clock.add(8 * day)
    await rule({ type: 'plugin', allow: 'major', delay_days: 7 })
    site.fake.state.items = [aPlugin('patchy', { version: '1.0.0', update: anOffer('9.9.9') })]
    assert.deepEqual(await runs(), [])
  })

  test('“never” refuses what is named, with the rule’s name, whoever asks; on many sites that one is passed over', async () => {
    await rule({ type: 'plugin', slug: 'patchy', allow: 'never' })
    for (const over of [{}, await anAgent()])
      await assert.rejects(
        here.call('updates.apply', { site_id: site.id, plugins: ['patchy'] }, over),
        (error: { code: string; message: string }) => {
          assert.equal(error.code, 'conflict')
          assert.match(error.message, /The rule “patchy: never” leaves it out\./)
          return true
        },
      )
    const { rollout_id } = await here.call('rollouts.start', { site_ids: [site.id], plugins: ['patchy'] })
    const { sites } = await until(async () => {
      const told = (await here.call('rollouts.get', { rollout_id, wait_seconds: 25 })) as unknown as {
        status: string
        sites: { status: string; reason: string }[]
      }
      return told.status !== 'running' && told
    })
    assert.equal(sites[0]?.status, 'skipped')
    assert.match(String(sites[0]?.reason), /“patchy: never”/)
  })

  test('a rule set while the work waits holds for it', async () => {
    const { job_id } = await here.call('updates.apply', { site_id: site.id })
    await rule({ type: 'any', allow: 'never' })
    const { result } = (await here.job(String(job_id))) as unknown as { result: { items: { status: string }[] } }
    assert.ok(result.items.every(({ status }) => ['skipped', 'updated'].includes(status)))
  })

  test('the same things and sites have one rule; wrong ones are refused; another workspace’s are not there', async () => {
    const first = await rule({ type: 'plugin', slug: 'a', allow: 'patch' })
    const second = await rule({ type: 'plugin', slug: 'a', allow: 'minor', delay_days: 2 })
    assert.equal(second.id, first.id)
    const { rules, total } = (await here.call('updates.rules', {})) as unknown as { rules: { name: string }[]; total: number }
    assert.deepEqual([total, rules[0]?.name], [1, 'a: no major versions, after 2 days'])
    for (const wrong of [
      { type: 'core', slug: 'x', allow: 'patch' },
      { type: 'any', slug: 'x', allow: 'patch' },
      { type: 'plugin', site_id: site.id, tag: 'x', allow: 'patch' },
      { type: 'plugin', allow: 'patch', delay_days: 91 },
    ])
      await assert.rejects(rule(wrong), { code: 'invalid_payload' })
    const caller = here.caller({ workspaceId: await here.workspace('Elsewhere') })
    assert.equal((await here.call('updates.rules', {}, { caller })).total, 0)
    await assert.rejects(here.call('updates.remove_rule', { update_rule_id: first.id }, { caller }), { code: 'not_found' })
    await here.call('updates.remove_rule', { update_rule_id: first.id })
    assert.equal((await here.call('updates.rules', {})).total, 0)
  })
})
