// A version that spoils the database beyond its files and the vital options.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import type { FakeState } from '../../test/fake-state.ts'
import { once } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { ItemResult, UpdateResult } from './schema.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

const optionsOf = ({ tables }: FakeState) => tables[0] ?? assert.fail()
const spoilt = (state: FakeState) => optionsOf(state).rows.some((row) => row.includes('spoilt'))
const rowsOf = (state: FakeState) => hash('sha256', JSON.stringify(state.tables.map(({ name, rows }) => [name, rows]).sort()))

/** `spoil`: what the new version does as it is installed. */
async function updated(
  spoil: (state: FakeState, fake: RunningFakeSite) => void,
  beforehand: (id: string, state: FakeState) => Promise<void> = async () => {},
) {
  const { id, fake } = await here.site()
  const { state } = fake
  Object.assign(state, { trials: false, items: [aPlugin('a', { update: anOffer('2.0') })] })
  await beforehand(id, state)
  const was = rowsOf(state)
  const { fault } = state
  state.fault = (verb, moment) => {
    if (verb !== 'updates.apply' || moment !== 'after') return fault?.(verb, moment)
    state.fault = undefined
    return void spoil(state, fake)
  }
  const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const result = job.result as unknown as UpdateResult
  return { id, fake, state, was, job, item: result.items[0] as ItemResult, backup_id: String(result.backup_id) }
}
const spoil = (state: FakeState) => {
  const table = optionsOf(state)
  table.rows = [...table.rows.slice(1), [...(table.rows[0] ?? []).slice(0, -1), 'spoilt']]
  state.broken = () => spoilt(state)
}

describe('a version that spoils the database', { concurrency: 6 }, () => {
  test('is taken back with the tables it changed, which come from the backup before it', async () => {
    const { id, state, was, job, item, backup_id } = await updated(spoil)
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.match(
      String(item.reason),
      new RegExp(`did not heal the site, so 1 table that had changed came back from ${backup_id}; .* is in backup_`),
    )
    assert.deepEqual([item.health?.after?.ok, (job as { outcome?: string }).outcome], [true, 'taken_back'])
    assert.deepEqual([rowsOf(state), state.items[0]?.version], [was, '1.0'])
    const { backups } = (await here.call('backups.list', { site_id: id })) as unknown as {
      backups: { id: string; trigger: string; status: string }[]
    }
    assert.deepEqual(
      backups.map(({ trigger, status }) => [trigger, status]),
      [
        ['pre_restore', 'completed'],
        ['pre_update', 'completed'],
      ],
    )
  })

  test('and shuts every usual door by that is healed through the one that needs no WordPress', async () => {
    const standing = '/app/plugins/svc-connector/standing-door.php'
    const { id, state, was, item } = await updated(
      (state) => {
        spoil(state)
        state.deaf = () => spoilt(state)
      },
      async (id, state) => {
        state.standing = standing
        await sql`UPDATE sites SET hello = hello || ${JSON.stringify({ standing })}::jsonb WHERE id = ${id}`.execute(here.world.db)
      },
    )
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.match(String(item.reason), /did not heal the site, so 1 table that had changed came back/)
    assert.deepEqual([rowsOf(state), state.items[0]?.version, state.update], [was, '1.0', undefined], 'and nothing of the update remains')
    assert.equal((await here.call('sites.ping', { site_id: id })).ok, true)
  })

  test('and lets nobody in any more, where there is no such door, ends with what is wrong', async () => {
    const { state, item, job } = await updated((state) => {
      spoil(state)
      state.deaf = () => spoilt(state)
    })
    assert.deepEqual([item.status, item.health?.after?.ok, (job as { outcome?: string }).outcome], ['failed', false, 'failed'])
    assert.match(String(item.reason), /It was taken back, and still: .* could not be put back from the backup before it: \S/)
    assert.deepEqual([state.items[0]?.version, state.update?.phase], ['1.0', 'rolled_back'])
  })

  test('of which no page tells, but the site itself, is healed all the same', async () => {
    const { state, was, item } = await updated((state) => {
      spoil(state)
      Object.assign(state, {
        broken: () => state.update?.phase === 'swapped',
        unmended: 'Most of what was in the table of options is gone.',
      })
    })
    assert.equal(item.status, 'rolled_back', JSON.stringify(item))
    assert.match(String(item.reason), /did not heal the site, so 1 table that had changed came back/)
    assert.equal(rowsOf(state), was)
  })

  test('takes along what an item before it had changed in these tables, and says so', async () => {
    const { id, fake } = await here.site()
    const { state } = fake
    Object.assign(state, { trials: false, items: ['a', 'b'].map((slug) => aPlugin(slug, { update: anOffer('2.0') })) })
    state.fault = (verb, moment) => {
      if (verb === 'updates.apply' && moment === 'after' && state.update?.file === 'b/b.php') spoil(state)
      return undefined
    }
    const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
    const { items } = job.result as unknown as UpdateResult
    assert.deepEqual(
      items.map(({ status }) => status),
      ['updated', 'rolled_back'],
    )
    assert.match(
      String(items[1]?.reason),
      /With them went what “a”, which was updated before it, had changed there since; the site was looked at/,
    )
  })

  test('and stays broken all the same has its tables as it left them', async () => {
    let left = ''
    const { state, item } = await updated((state) => {
      spoil(state)
      state.broken = () => true
      left = rowsOf(state)
    })
    assert.equal(item.status, 'failed', JSON.stringify(item))
    assert.match(String(item.reason), /It was taken back, and still: .* did not heal it either; they are as they were again\.$/)
    assert.equal(rowsOf(state), left)
  })

  test('says so when its tables cannot be put back to what they were before that', async () => {
    const { item } = await updated((state) => {
      spoil(state)
      state.broken = () => true
      state.fault = (verb) => (verb === 'restore.rollback' ? { code: 'disk_full', message: 'No space left.' } : undefined)
    })
    assert.match(
      String(item.reason),
      /did not heal it either; they could not be put back to what they were before that, which is in backup_\w+: \S/,
    )
  })

  test('and is well again before anything comes back has its tables left alone', async () => {
    const { state, was, item } = await updated((state) => {
      spoil(state)
      let isOver = false
      Object.assign(state, {
        broken: () => !isOver,
        fault: (verb: string, moment: string) => {
          isOver ||= verb === 'updates.release' && moment === 'after'
        },
      })
    })
    assert.deepEqual([item.status, item.health?.after?.ok, state.items[0]?.version], ['rolled_back', true, '1.0'], JSON.stringify(item))
    assert.deepEqual([item.reason, rowsOf(state) === was], ['The front page answers with 500.', false])
  })

  test('is asked again for what its database could not put back while that was away', async () => {
    let asked = 0
    const { state, was, item } = await updated((state) => {
      spoil(state)
      Object.assign(state, {
        broken: () => state.update?.phase === 'swapped',
        unmended: 'The database does not answer.',
        fault: (verb: string, moment: string) => {
          if (verb === 'updates.rollback' && moment === 'before' && ++asked > 2) state.unmended = ''
        },
      })
    })
    assert.deepEqual([item.status, item.reason], ['rolled_back', 'The front page answers with 500.'], JSON.stringify(item))
    assert.deepEqual([asked > 2, rowsOf(state) === was], [true, false])
  })

  test('keeps what others wrote to tables that nobody has written to since the update began', async () => {
    const { state, was, item, backup_id } = await updated(spoil, async (_, state) => {
      const table = state.tables[2] ?? assert.fail()
      once(state, 'updates.guard', 'before', () => {
        table.rows = table.rows.slice(1)
        table.written_s = 300
      })
    })
    assert.match(String(item.reason), new RegExp(`so 1 table that had changed came back from ${backup_id};`))
    assert.deepEqual([item.status, spoilt(state), rowsOf(state) === was], ['rolled_back', false, false])
  })

  test('or breaks the site by something else than its database leaves the database alone', async () => {
    const { state, was, item } = await updated((state) => {
      state.broken = () => true
    })
    assert.match(String(item.reason), /Since the backup before it 0 tables changed; nothing of the database was put back\.$/)
    assert.deepEqual([item.status, rowsOf(state)], ['failed', was])
  })
})

test('nothing is put back from a backup that is older than a quarter of an hour', async () => {
  await here.call('schedules.set_default', { pre_update: 'db', reuse_hours: 24 })
  const { state, was, item } = await updated(spoil, async (id) => {
    await here.job(String((await here.call('backups.create', { site_id: id, type: 'db' })).job_id))
    here.clock.add(16 * 60_000)
  })
  await here.call('schedules.set_default', { pre_update: 'db', reuse_hours: 1 })
  assert.match(
    String(item.reason),
    /older than a quarter of an hour, so nothing of the database was put back by itself: restore_backup does\.$/,
  )
  assert.deepEqual([item.status, rowsOf(state) === was], ['failed', false])
})

test('a site that then has nobody behind its web server has nothing put back', async (t) => {
  const { fake, state, was, item } = await updated((state, fake) => {
    spoil(state)
    state.fault = (verb, moment) => {
      if (verb !== 'updates.rollback' || moment !== 'after') return
      fake.misbehave('gateway')
      // An outage is waited for half a minute, twice.
      const [now, began] = [performance.now.bind(performance), performance.now()]
      t.mock.method(performance, 'now', () => began + 20 * (now() - began))
    }
  })
  fake.misbehave()
  assert.deepEqual([item.status, item.health?.after?.ok], ['failed', false], JSON.stringify(item))
  assert.match(String(item.reason), /Nothing of the database was put back by itself, because the site may only be away\.$/)
  assert.equal(rowsOf(state) === was, false)
})
