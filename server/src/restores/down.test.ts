import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aJob, damage, once, pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

type Ended = { status: string; error: { message: string; retryable: boolean } | null; result: Record<string, unknown> | null }

const STANDING = '/app/plugins/svc-connector/standing-door.php'
const STYLE = 'wp-content/themes/meadow/style.css'

describe('a site that does not start', { concurrency: 4 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const ended = async (job: unknown) => (await here.job(String(job))) as unknown as Ended
  const start = async (id: string, backup_id: string, more: object = {}) =>
    (await here.call('restores.create', { site_id: id, backup_id, safety_backup: false, ...more }))['job_id']
  /** WordPress is dead as long as one file is missing, or as `dead` says. */
  const aSite = async (standing = STANDING) => {
    const { id, fake } = await here.site()
    const { state } = fake
    state.standing = standing
    if (standing)
      await sql`UPDATE sites SET hello = hello || ${JSON.stringify({ standing })}::jsonb WHERE id = ${id}`.execute(here.world.db)
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id })
    assert.equal((await ended(job_id)).status, 'completed')
    const good = pictureOf(state)
    damage(state)
    state.dead = () => !state.files.has(STYLE)
    fake.requests.length = 0
    const at = (door: RegExp) => fake.requests.filter(({ method, url }) => method === 'POST' && door.test(url)).length
    return { id, fake, state, backup_id: String(backup_id), good, bad: pictureOf(state), at }
  }
  const doorOf = async (id: string) =>
    (await sql<{ door: string; status: string }>`SELECT door, status FROM sites WHERE id = ${id}`.execute(here.world.db)).rows[0]

  test('is backed up as it is and put back through the door that stands, and then WordPress answers again', async () => {
    const { id, state, backup_id, good, at, fake } = await aSite()
    const { plan } = (await here.call('restores.create', { site_id: id, backup_id, dry_run: true })) as { plan: { obstacle: null } }
    assert.equal(plan.obstacle, null)
    fake.requests.length = 0
    const { status, result, error } = await ended(await start(id, backup_id, { safety_backup: true }))
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.equal(pictureOf(state), good)
    assert.ok(result?.['safety_backup_id'])
    assert.deepEqual(result?.['warnings'], ['WordPress did not start before the restore; the site was put back beside it.'])
    assert.ok(at(/^\/app\/plugins/) > 8)
    assert.ok(fake.requests.filter(({ verb, method }) => method === 'POST' && verb === '').length < 40, 'dead doors are left alone')
    assert.deepEqual(await doorOf(id), { door: 'front', status: 'connected' }, 'the door beside WordPress is not remembered')
    assert.equal((await here.call('sites.ping', { site_id: id }))['ok'], true)
  })

  test('is taken for unreachable by everything but a restore', async () => {
    const { id, at } = await aSite()
    assert.equal((await here.call('sites.ping', { site_id: id }).catch(() => ({ ok: false })))['ok'], false)
    assert.equal(at(/^\/app\/plugins/), 0)
  })

  test('is given up at once, with what to do, where no door is left', async () => {
    const { id, backup_id, bad, state, fake } = await aSite('')
    const job = await start(id, backup_id)
    const { status, error } = await ended(job)
    assert.deepEqual([status, error?.retryable, pictureOf(state)], ['failed', false, bad])
    assert.match(
      error?.message ?? '',
      /HTTP 500.* this site had no door of the connector that needs no WordPress: .* Have WordPress start first/,
    )
    assert.ok(fake.requests.length < 60, `${fake.requests.length} requests`)
    const { rows } = await sql<{ fence: number }>`SELECT fence::int FROM jobs WHERE id = ${String(job)}`.execute(here.world.db)
    assert.equal(rows[0]?.fence, 1, 'no second attempt')
  })

  test('is given up with what opens the door again where it has one', async () => {
    const { id, backup_id, state } = await aSite()
    state.standing = ''
    const { error } = await ended(await start(id, backup_id))
    assert.match(error?.message ?? '', /HTTP 500.* Put the folder svc-connector back among the plugins.* wp-config\.php is whole/)
  })

  test('that a restore does not bring back to life is as it was', async () => {
    const { id, backup_id, bad, state } = await aSite()
    state.dead = () => true
    const { status, error } = await ended(await start(id, backup_id))
    assert.deepEqual([status, pictureOf(state), state.restore?.phase], ['failed', bad, undefined])
    assert.match(error?.message ?? '', /taken back, the site is as it was\. WordPress does not start/)
  })

  test('is finished by a later attempt', async () => {
    const { id, backup_id, state, good } = await aSite()
    const job = await aJob(here, 'restore', id, { backup_id, type: 'full', safety_backup: false })
    const lost = new AbortController()
    once(state, 'restore.swap', 'before', () => lost.abort(new Error('killed')))
    await job.attempt(lost.signal)
    state.fault = undefined
    await sql`UPDATE jobs SET status = 'queued' WHERE id = ${job.id}`.execute(here.world.db)
    await job.attempt()
    assert.equal(pictureOf(state), good)
  })

  test('after a restore can have that undone', async () => {
    const { id, backup_id, state, bad } = await aSite()
    assert.equal((await ended(await start(id, backup_id))).status, 'completed')
    state.dead = () => true
    const { job_id } = await here.call('restores.undo', { site_id: id })
    assert.equal((await ended(job_id)).status, 'completed')
    assert.equal(pictureOf(state), bad)
  })

  test('at its front page alone is asked at another door, and that one is remembered', async () => {
    const { id, backup_id, state, good, fake, at } = await aSite()
    state.dead = () => false
    fake.misbehave('only_ajax')
    const { status, error } = await ended(await start(id, backup_id))
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.equal(pictureOf(state), good)
    assert.equal((await doorOf(id))?.door, 'ajax')
    assert.ok(at(/^\/\?svc-connector=1/) <= 4, `${at(/^\/\?svc-connector=1/)} requests at the dead door`)
  })
})
