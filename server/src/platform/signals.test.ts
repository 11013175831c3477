import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { startDeafPooler } from '../../test/deaf-pooler.ts'
import { clientConfig } from './database.ts'
import { Refusal } from './refusal.ts'
import { announceRevocation, openSignals, type Signals } from './signals.ts'

const log = { info() {}, warn() {}, error() {} }

describe('what nodes tell each other', () => {
  let house: TestDatabase
  const open: Signals[] = []
  const node = async () => {
    const signals = await openSignals(clientConfig(house.address), log)
    open.push(signals)
    return signals
  }
  const deafNode = (ms: number) =>
    sql`INSERT INTO nodes (id, lease_until) VALUES ('deaf', now() + ${ms} * interval '1 ms')`.execute(house.db)
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
    await deafNode(1500)
    const began = performance.now()
    const announced = announceRevocation(house.db, 'tok_a')
    await sleep(200)
    await node()
    await announced
    const waited = performance.now() - began
    assert.ok(waited > 1200 && waited < 30_000, `waited ${waited} ms`)
  })

  test('nor does one whose connection broke while it was told', async () => {
    await sql`DELETE FROM nodes`.execute(house.db)
    const signals = await node()
    await deafNode(1500)
    const cut =
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%INTO nodes%' AND pid <> pg_backend_pid()`.execute(
        house.db,
      )
    await Promise.all([announceRevocation(house.db, 'tok_b'), cut])
    for (let waited = 0; waited < 100 && !signals.fresh(); waited++) await sleep(50)
    const began = performance.now()
    await announceRevocation(house.db, 'tok_c')
    assert.ok(performance.now() - began < 3500, 'it is not waited for as long as a lease')
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
    const began = performance.now()
    await announceRevocation(house.db, 'tok_e')
    const waited = performance.now() - began
    assert.ok(!signals.fresh(), 'the announcement was not heard, so its memory must not be trusted when it ends')
    assert.ok(waited < 30_000, `waited ${waited} ms`)
    await forgot.promise
    assert.equal(heard, 0)
    pooler.deaf = false
    while (!signals.fresh()) await sleep(20)
    await announceRevocation(house.db, 'tok_f')
    assert.equal(heard, 1)
    await signals.close()
    await pooler.close()
  })
})
