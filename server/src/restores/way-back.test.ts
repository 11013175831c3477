import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import type { FakeState } from '../../test/fake-state.ts'
import { aJob, damage, keeper, once, pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

type Ended = { status: string; error: { code: string; message: string } | null }

describe('the way back', () => {
  let here: TestWorld
  let site: { id: string; state: FakeState; backup_id: string; good: string; bad: string }
  /** The same damaged site each time. */
  let reset: () => void
  before(async () => {
    here = await aWorld()
    const { id, fake } = await here.site()
    const { job_id, backup_id } = (await here.call('backups.create', { site_id: id })) as { job_id: string; backup_id: string }
    await here.job(job_id)
    const good = pictureOf(fake.state)
    damage(fake.state)
    site = { id, state: fake.state, backup_id, good, bad: pictureOf(fake.state) }
    reset = keeper(fake.state)
  })
  after(() => here.close())

  const begun = async (type: string, input: object) => {
    const job = await aJob(here, type, site.id, input)
    return { ...job, look: async () => (await here.job(job.id)) as unknown as Ended }
  }
  const aRestore = () => begun('restore', { backup_id: site.backup_id, type: 'full', safety_backup: false })
  const asItWas = () => assert.deepEqual([pictureOf(site.state) === site.bad, site.state.maintenance], [true, false])

  describe('of a restore that the site does not keep', () => {
    const prepared = async () => {
      reset()
      return aRestore()
    }
    type Fault = NonNullable<FakeState['fault']>
    /** The site does not let the restore be kept, and then something goes wrong on the way back. */
    const hurt = (trouble: Fault) => {
      site.state.fault = (name, moment) =>
        name === 'restore.commit' && moment === 'before' ? { code: 'failed', message: 'No.' } : trouble(name, moment)
    }
    const atOnce = (verb: string, moment: 'before' | 'after', act: () => ReturnType<Fault>) => {
      once(site.state, verb, moment, act)
      if (site.state.fault) hurt(site.state.fault)
    }
    const failed = async (look: () => Promise<Ended>) => {
      const { status, error } = await look()
      assert.deepEqual([status, error?.code], ['failed', 'site_failed'])
      assert.match(error?.message ?? '', /as it was/)
      asItWas()
      assert.equal(site.state.restore?.phase, undefined)
    }

    for (const verb of ['restore.rollback', 'restore.purge'])
      for (const moment of ['before', 'after'] as const) {
        test(`the attempt is killed ${moment} ${verb}`, async () => {
          const { attempt, look } = await prepared()
          const kill = new AbortController()
          atOnce(verb, moment, () => void kill.abort())
          await attempt(kill.signal)
          await attempt()
          await failed(look)
        })
        test(`the line is cut ${moment} ${verb}`, async () => {
          const { attempt, look } = await prepared()
          atOnce(verb, moment, () => 'cut')
          await attempt()
          await failed(look)
        })
        test(`the claim is lost ${moment} ${verb}`, async () => {
          const { id, attempt, look } = await prepared()
          let stolen: Promise<unknown> = Promise.resolve()
          atOnce(verb, moment, () => {
            stolen = sql`UPDATE jobs SET fence = fence + 1 WHERE id = ${id} AND status = 'running'`.execute(here.world.db)
          })
          await attempt()
          await stolen
          await attempt()
          await failed(look)
        })
      }

    test('the disk is full when the staged things are thrown away: the site is as it was, and the next restore clears up', async () => {
      const { attempt, look } = await prepared()
      hurt((name, moment) =>
        name === 'restore.purge' && moment === 'before' ? { code: 'failed', message: 'The disk of the site is full.' } : undefined,
      )
      await attempt()
      assert.equal((await look()).status, 'failed')
      asItWas()
      assert.notEqual(site.state.restore, undefined)
      site.state.fault = undefined
      const next = await aRestore()
      await next.attempt()
      assert.equal((await next.look()).status, 'completed')
      assert.equal(pictureOf(site.state), site.good)
    })

    test('the site cannot even be taken back: after ten minutes it has done so by itself', async () => {
      const { attempt, look } = await prepared()
      hurt((name, moment) => (name === 'restore.rollback' && moment === 'before' ? { code: 'failed', message: 'No more.' } : undefined))
      await attempt()
      assert.equal((await look()).status, 'failed')
      site.state.fault = undefined
      here.clock.add(11 * 60_000)
      await here.call('sites.ping', { site_id: site.id })
      asItWas()
    })
  })

  describe('by an undo', () => {
    let restored: FakeState['restore']
    before(async () => {
      reset()
      const { attempt, look } = await aRestore()
      await attempt()
      assert.equal((await look()).status, 'completed')
      assert.equal(site.state.restore?.phase, 'committed')
      restored = { ...site.state.restore }
      reset = keeper(site.state)
    })

    /** The same restored site each time. */
    const prepared = () => {
      reset()
      assert.ok(restored)
      site.state.restore = { ...restored }
      return begun('undo_restore', {})
    }
    const undone = async (look: () => Promise<Ended>) => {
      assert.equal((await look()).status, 'completed')
      asItWas()
      assert.equal(site.state.restore?.phase, undefined)
    }

    const VERBS = ['restore.status', 'restore.arm', 'restore.rollback', 'restore.purge']
    for (const verb of VERBS)
      for (const moment of ['before', 'after'] as const) {
        test(`the attempt is killed ${moment} ${verb}`, async () => {
          const { attempt, look } = await prepared()
          const kill = new AbortController()
          once(site.state, verb, moment, () => kill.abort())
          await attempt(kill.signal)
          await attempt()
          await undone(look)
        })
        test(`the line is cut ${moment} ${verb}`, async () => {
          const { attempt, look } = await prepared()
          once(site.state, verb, moment, () => 'cut')
          await attempt()
          await undone(look)
        })
        test(`the claim is lost ${moment} ${verb}`, async () => {
          const { id, attempt, look } = await prepared()
          let stolen: Promise<unknown> = Promise.resolve()
          once(site.state, verb, moment, () => {
            stolen = sql`UPDATE jobs SET fence = fence + 1 WHERE id = ${id} AND status = 'running'`.execute(here.world.db)
          })
          await attempt()
          await stolen
          await attempt()
          await undone(look)
        })
        test(`it is canceled ${moment} ${verb}: either nothing was done, or all of it is`, async () => {
          const { id, attempt, look } = await prepared()
          let asked: Promise<unknown> = Promise.resolve()
          once(site.state, verb, moment, () => {
            asked = sql`UPDATE jobs SET cancel_asked = true WHERE id = ${id}`.execute(here.world.db)
          })
          await attempt()
          await asked
          const { status } = await look()
          assert.ok(status === 'completed' || (status === 'canceled' && verb === 'restore.status'), status)
          assert.equal(site.state.maintenance, false)
          if (status === 'completed') asItWas()
          else assert.deepEqual([pictureOf(site.state) === site.good, site.state.restore?.phase], [true, 'committed'])
        })
      }
  })

  test('canceled while it waits for another attempt, what was staged is taken away all the same', async () => {
    reset()
    let arrived = 0
    site.state.fault = (name, moment) => {
      if (name !== 'restore.arm' || moment !== 'before') return undefined
      arrived += 1
      return { code: 'busy', message: 'Come back later.' }
    }
    const { job_id } = (await here.call('restores.create', { site_id: site.id, backup_id: site.backup_id, safety_backup: false })) as {
      job_id: string
    }
    const statusOf = async () => (await here.call('jobs.get', { job_id })) as { status: string; attempt: number }
    for (let job = await statusOf(); !(job.status === 'queued' && job.attempt > 0); job = await statusOf()) await sleep(20)
    assert.ok(arrived > 0 && site.state.restore?.phase === 'staging', 'something is staged')
    await here.call('jobs.cancel', { job_id })
    const job = await here.job(job_id)
    assert.equal(job.status, 'canceled', JSON.stringify(job))
    assert.deepEqual([site.state.restore?.phase, site.state.maintenance], [undefined, false])
  })

  test('a backup that waits to be put back is not deleted, by nobody', async () => {
    reset()
    const job = await aRestore()
    const days = 40
    await sql`UPDATE backups SET created_at = created_at - ${`${days} days`}::interval, trigger = 'pre_update' WHERE id = ${site.backup_id}`.execute(
      here.world.db,
    )
    const retain = async () => {
      await sql`DELETE FROM turns WHERE kind = 'retain'`.execute(here.world.db)
      await runDue(here.world, 'retain') // The sweep of stray jobs would have the planted one worked at.
      const { rows } = await sql`SELECT 1 FROM backups WHERE id = ${site.backup_id}`.execute(here.world.db)
      return rows.length
    }
    assert.equal(await retain(), 1)
    await assert.rejects(here.call('backups.delete', { site_id: site.id, backup_id: site.backup_id }), (error: Error) => {
      assert.match(error.message, /needed by a job/)
      return true
    })
    await job.attempt()
    assert.equal((await job.look()).status, 'completed')
    assert.equal(await retain(), 0, 'its fourteen days are over')
  })
})
