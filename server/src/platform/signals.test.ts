import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { startDeafPooler } from '../../test/deaf-pooler.ts'
import { until } from '../../test/until.ts'
import { patient } from '../../test/world.ts'
import { clientConfig } from './database.ts'
import { Refusal } from './refusal.ts'
import { announceRevocation, openSignals, type Signals } from './signals.ts'

const log = { info() {}, warn() {}, error() {} }

describe('what nodes tell each other', () => {
  let house: TestDatabase
  const open: Signals[] = []
  const node = async () => {
    const signals = await openSignals(clientConfig(house.address), log, patient)
    open.push(signals)
    return signals
  }
  const deafNode = (ms: number) =>
    sql`INSERT INTO nodes (id, lease_until) VALUES ('deaf', now() + ${ms} * interval '1 ms')`.execute(house.db)
  const lastNumber = async () => (await sql<{ n: string }>`SELECT last_value AS n FROM revocations`.execute(house.db)).rows[0]?.n
  /** Nodes that have not heard the last announcement. */
  const waitedFor = async () =>
    (await sql<{ id: string }>`SELECT id FROM nodes WHERE acked < (SELECT last_value FROM revocations)`.execute(house.db)).rows.map(
      ({ id }) => id,
    )
  before(async () => {
    house = await aDatabase()
  })
  after(async () => {
    await Promise.all(open.map((signals) => signals.close()))
    await house.drop()
  })

  test('numbers are heard in their order, so that hearing one means having heard all before it', async () => {
    const heard: number[] = []
    const ear = new pg.Client(clientConfig(house.address))
    ear.on('notification', ({ payload = '' }) => heard.push(Number(JSON.parse(payload).seq)))
    await ear.connect()
    await ear.query('LISTEN svc_revoking')
    await Promise.all(Array.from({ length: 60 }, (_, n) => announceRevocation(house.db, `tok_${n}`)))
    await ear.query('SELECT 1')
    await ear.end()
    assert.equal(heard.length, 60)
    assert.deepEqual(
      heard,
      heard.toSorted((a, b) => a - b),
    )
  })

  test('a node that starts while a token is being revoked holds nothing up', async () => {
    await deafNode(3_600_000)
    const before = await lastNumber()
    const announced = announceRevocation(house.db, 'tok_a')
    await until(async () => (await lastNumber()) !== before)
    await node()
    assert.deepEqual(await waitedFor(), ['deaf'])
    await sql`DELETE FROM nodes WHERE id = 'deaf'`.execute(house.db)
    await announced
  })

  test('nor does one whose connection broke while it was told', async () => {
    await node()
    const cut = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%INTO nodes%' AND pid <> pg_backend_pid()`.execute(house.db)
    await Promise.all([announceRevocation(house.db, 'tok_b'), cut])
    await until(() => open.every((each) => each.fresh()))
    // What was announced before it came back it need not hear.
    assert.deepEqual(await waitedFor(), [])
    await announceRevocation(house.db, 'tok_c')
    await until(async () => (await waitedFor()).length === 0)
  })

  test('an announcement ends only when every node was told', async () => {
    const told: string[] = []
    for (const name of ['a', 'b']) (await node()).on('svc_revoking', { hear: () => told.push(name), forget() {} })
    await announceRevocation(house.db, 'tok_d')
    assert.deepEqual(told.sort(), ['a', 'b'])
  })

  test('closing one leaves no trace of it', async () => {
    const signals = await openSignals(clientConfig(house.address), log)
    const count = async () => (await sql<{ n: number }>`SELECT count(*) AS n FROM nodes`.execute(house.db)).rows[0]?.n ?? 0
    const before = await count()
    await signals.close()
    assert.equal(await count(), before - 1)
    assert.ok(!signals.fresh())
  })

  test('a database that answers later than a word of it is trusted ends no start', async () => {
    const signals = await openSignals(clientConfig(house.address), log, { ...patient, renew: 3_600_000, fresh: 0.001 })
    assert.ok(!signals.fresh())
    await signals.close()
  })

  test('a node behind a pooler that passes no notifications on is refused', { timeout: 20_000 }, async () => {
    const pooler = await startDeafPooler((house.address as { socketDir: string }).socketDir)
    try {
      await assert.rejects(openSignals(clientConfig({ ...house.address, ...pooler }), log), (error: Error) => {
        assert.ok(error instanceof Refusal)
        return /does not pass notifications on/.test(error.message)
      })
    } finally {
      await pooler.close()
    }
  })

  test('one that becomes deaf forgets, asks the database, and holds no announcement up for longer than a lease', {
    timeout: 30_000,
  }, async () => {
    const pooler = await startDeafPooler((house.address as { socketDir: string }).socketDir)
    pooler.deaf = false
    const signals = await openSignals(clientConfig({ ...house.address, ...pooler }), log)
    const forgot = Promise.withResolvers<void>()
    let heard = 0
    signals.on('svc_revoking', { hear: () => heard++, forget: () => forgot.resolve() })
    assert.ok(signals.fresh())
    pooler.deaf = true
    // It is deaf still when this ends: the lease ran out, nothing was acknowledged.
    await announceRevocation(house.db, 'tok_e')
    assert.ok(!signals.fresh(), 'the announcement was not heard, so its memory must not be trusted when it ends')
    await forgot.promise
    assert.equal(heard, 0)
    pooler.deaf = false
    await until(() => signals.fresh())
    await announceRevocation(house.db, 'tok_f')
    assert.equal(heard, 1)
    await signals.close()
    await pooler.close()
  })
})
