import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { openTurns } from '../platform/turns.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import type { Context } from '../world.ts'
import { newId } from './ids.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problem.ts'
import { run } from './run.ts'

const shape = {
  name: 'test.x',
  http: 'POST /x',
  title: 'X',
  summary: 'X.',
  scope: 'write',
  input: z.strictObject({ n: z.int().default(1) }),
  output: z.object({ id: z.string() }),
  example: {},
} as const
type Shape = Partial<Operation<Context, typeof shape.input, typeof shape.output>>
const anOperation = (over: Shape & Pick<Operation<Context, typeof shape.input, typeof shape.output>, 'handle'>) =>
  workspaceOperation<typeof shape.input, typeof shape.output>({ ...shape, effect: 'create', ...over })

describe('run', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await sql`CREATE TABLE effects (id text)`.execute(here.world.db)
  })
  after(() => here.close())
  const call = (idempotencyKey?: string) => ({
    face: 'api' as const,
    requestId: newId('req', new Date()),
    caller: here.caller(),
    idempotencyKey,
  })
  const effects = async () => (await sql<{ n: number }>`SELECT count(*)::int AS n FROM effects`.execute(here.world.db)).rows[0]?.n
  const leavesAnEffect = anOperation({
    async handle({ db }) {
      await sql`INSERT INTO effects VALUES ('x')`.execute(db)
      await sql`SELECT pg_sleep(0.02)`.execute(db)
      return { id: newId('act', new Date()) }
    },
  })

  test('what the output schema does not name does not leave the house', async () => {
    const leaky = anOperation({ effect: 'read', handle: async () => ({ id: '1', secret: 'x' }) })
    assert.deepEqual((await run(here.world, leaky, call(), {})).output, { id: '1' })
  })

  test('of a list that is read only what its face shows is asked of its handler and leaves the house', async () => {
    const Thing = z.object({ id: z.string(), long: z.string() })
    const list = workspaceOperation({
      ...{ ...shape, effect: 'read', list: 'things', output: z.object({ things: z.array(Thing), total: z.int() }) },
      async handle({ shows }: Context) {
        const thing = { id: '1', other: 'y', ...(!shows && { long: 'x' }) } as unknown as z.infer<typeof Thing>
        return { things: [thing], total: 1 }
      },
    })
    assert.deepEqual((await run(here.world, list, call(), {})).output, { things: [{ id: '1', long: 'x' }], total: 1 })
    assert.deepEqual((await run(here.world, list, { ...call(), shows: ['id'] }, {})).output, { things: [{ id: '1' }], total: 1 })
  })

  test('keys of the day before go as new ones come, and a live one stays', async () => {
    const old = sql`INSERT INTO idempotency_keys (workspace_id, caller_id, operation, key, digest, created_at)
      SELECT ${here.workspaceId}, 'gone', 'test.x', n::text, '', now() - interval '25 hours' FROM generate_series(1, 15) n`
    await old.execute(here.world.db)
    for (const key of ['one', 'two']) await run(here.world, leavesAnEffect, call(key), {})
    const { rows } = await sql<{ key: string }>`SELECT key FROM idempotency_keys`.execute(here.world.db)
    assert.deepEqual(rows.map(({ key }) => key).sort(), ['one', 'two'])
  })

  test('text that the database cannot hold is refused, on a read as well, and nothing of it is written', async () => {
    const input = z.strictObject({ site_id: z.string(), list: z.array(z.object({ text: z.string() })).default([]) })
    for (const effect of ['read', 'create'] as const) {
      const operation = workspaceOperation({ ...shape, effect, input, example: { site_id: 'a' }, handle: async () => ({ id: '1' }) })
      for (const [raw, path] of [
        [{ site_id: 'a\0b' }, 'site_id'],
        [{ site_id: 'a', list: [{ text: '' }, { text: '\ud800' }] }, 'list.1.text'],
      ] as const)
        await assert.rejects(
          run(here.world, operation, call(), raw),
          (error: Problem) => error.code === 'invalid_payload' && error.errors?.[0]?.path === path,
        )
    }
  })

  test('an answer names at most 50 wrong fields, and none at length', async () => {
    const raw = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}`.padEnd(300, 'x'), 1]))
    await assert.rejects(
      run(here.world, leavesAnEffect, call(), raw),
      ({ errors }: Problem) => errors?.length === 50 && errors.every(({ path }) => path.length <= 200),
    )
  })

  test('the audit names the site by its id, however it was called', async () => {
    const { id, fake } = await here.site()
    await here.call('sites.get', { site_id: new URL(fake.url).host })
    await here.audited()
    const { rows } = await sql<{ site_id: string }>`SELECT site_id FROM audit WHERE operation = 'sites.get'`.execute(here.world.db)
    assert.deepEqual(rows, [{ site_id: id }])
  })

  test('one call sent 16 times at once has one effect and one answer', async () => {
    const was = await effects()
    const asked = await Promise.allSettled(Array.from({ length: 16 }, () => run(here.world, leavesAnEffect, call('sixteen'), {})))
    assert.equal(await effects(), (was ?? 0) + 1)
    const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.equal(answers.filter((answer) => !answer.replayed).length, 1)
    for (const each of asked) if (each.status === 'rejected') assert.equal(each.reason.code, 'conflict')
    const again = await run(here.world, leavesAnEffect, call('sixteen'), {})
    assert.deepEqual(again, { output: answers[0]?.output, replayed: true })
  })

  test('while a call runs, another one with its key waits for nothing and is told when to try again', async () => {
    for (const waits of [true, false]) {
      const again = () => run(here.world, asksAgain, call(`again-${waits}`), {})
      const asksAgain = anOperation({
        waits,
        async handle() {
          await assert.rejects(again(), { code: 'conflict', retryAfter: 1 })
          return { id: '1' }
        },
      })
      assert.equal((await again()).replayed, false)
      assert.equal((await again()).replayed, true)
    }
  })

  test('a key that comes with another payload is refused and nothing happens', async () => {
    await run(here.world, leavesAnEffect, call('other'), { n: 1 })
    const was = await effects()
    await assert.rejects(run(here.world, leavesAnEffect, call('other'), { n: 2 }), { code: 'idempotency_mismatch' })
    assert.equal(await effects(), was)
  })

  test('a payload is the same in whatever order its fields come', async () => {
    const open = workspaceOperation({
      ...shape,
      effect: 'create',
      input: z.looseObject({ inner: z.looseObject({}) }),
      example: { inner: {} },
      handle: async () => ({ id: newId('act', new Date()) }),
    })
    const first = await run(here.world, open, call('order'), { inner: { a: 1, b: 2 }, x: 1, y: 2 })
    const again = await run(here.world, open, call('order'), { y: 2, x: 1, inner: { b: 2, a: 1 } })
    assert.deepEqual(again, { output: first.output, replayed: true })
  })

  test('a key is for one operation: another one with the same key and payload is done as well', async () => {
    const was = await effects()
    for (const operation of [leavesAnEffect, { ...leavesAnEffect, name: 'test.y' as const }])
      assert.equal((await run(here.world, operation, call('shared'), {})).replayed, false)
    assert.equal(await effects(), (was ?? 0) + 2)
  })

  test('a call that failed leaves no effect and frees its key', async () => {
    const was = await effects()
    let fails = true
    const sometimes = anOperation({
      async handle({ db }) {
        await sql`INSERT INTO effects VALUES ('y')`.execute(db)
        if (fails) throw new Problem('conflict', 'No.')
        return { id: '1' }
      },
    })
    await assert.rejects(run(here.world, sometimes, call('retry'), {}), { code: 'conflict' })
    assert.equal(await effects(), was)
    fails = false
    assert.equal((await run(here.world, sometimes, call('retry'), {})).replayed, false)
  })

  test('so does one that waits for others and holds no transaction', async () => {
    let fails = true
    const sometimes = anOperation({
      waits: true,
      async handle() {
        if (fails) throw new Problem('site_unreachable', 'Away.')
        return { id: '1' }
      },
    })
    await assert.rejects(run(here.world, sometimes, call('waits'), {}), { code: 'site_unreachable' })
    fails = false
    assert.equal((await run(here.world, sometimes, call('waits'), {})).replayed, false)
  })

  test('an answer with a secret is never stored, so its key works once', async () => {
    for (const waits of [true, false]) {
      const secret = anOperation({ secret: true, waits, handle: async () => ({ id: 'canary-7f3a' }) })
      const key = `secret-${waits}`
      await run(here.world, secret, call(key), {})
      await assert.rejects(run(here.world, secret, call(key), {}), { code: 'conflict', retryable: false })
    }
    const { rows } = await sql`SELECT 1 FROM idempotency_keys k WHERE k::text LIKE '%canary%'`.execute(here.world.db)
    assert.equal(rows.length, 0)
  })

  test('a key is forgotten after a day', async () => {
    const was = (await effects()) ?? 0
    await run(here.world, leavesAnEffect, call('daily'), {})
    here.clock.add(24 * 3_600_000 + 60_000)
    assert.equal((await run(here.world, leavesAnEffect, call('daily'), {})).replayed, false)
    assert.equal(await effects(), was + 2)
  })

  test('every call is recorded with who, what and how it ended', async () => {
    const fails = anOperation({ handle: () => Promise.reject(new Problem('conflict', 'No.')) })
    const reads = anOperation({ effect: 'read', handle: async () => ({ id: '1' }) })
    const calls = { failed: call(), read: call(), done: call(), refused: call() }
    await assert.rejects(run(here.world, fails, calls.failed, {}), { code: 'conflict' })
    await run(here.world, reads, calls.read, {})
    await run(here.world, leavesAnEffect, calls.done, {})
    await assert.rejects(run(here.world, leavesAnEffect, calls.refused, { n: 'x' }), { code: 'invalid_payload' })
    await here.audited()
    const { rows } = await sql<{ request_id: string; outcome: string; caller_id: string; operation: string }>`SELECT * FROM audit`.execute(
      here.world.db,
    )
    const outcomeOf = ({ requestId }: { requestId: string }) => rows.filter((row) => row.request_id === requestId).map((row) => row.outcome)
    assert.deepEqual([calls.failed, calls.read, calls.done, calls.refused].map(outcomeOf), [
      ['conflict'],
      ['ok'],
      ['ok'],
      ['invalid_payload'],
    ])
  })

  test('the audit record cannot be changed, taken away or emptied', async () => {
    await run(here.world, leavesAnEffect, call(), {})
    const { rows: before } = await sql`SELECT * FROM audit`.execute(here.world.db)
    assert.ok(before.length > 0)
    for (const statement of [
      sql`UPDATE audit SET outcome = 'ok'`,
      sql`DELETE FROM audit`,
      sql`TRUNCATE audit`,
      sql`INSERT INTO audit (workspace_id, seq, at, caller_type, caller_id, operation, face, outcome, request_id) OVERRIDING SYSTEM VALUE
        SELECT workspace_id, seq, at, caller_type, caller_id, operation, face, 'forged', request_id FROM audit LIMIT 1
        ON CONFLICT (workspace_id, seq) DO UPDATE SET outcome = 'forged'`,
    ])
      await assert.rejects(statement.execute(here.world.db), /append-only/)
    assert.deepEqual((await sql`SELECT * FROM audit`.execute(here.world.db)).rows, before)
  })

  test('a call takes its turn, and gives it back however it ends', async () => {
    const world = { ...here.world, turn: openTurns({ work: 1, wait: 1, download: 1 }, 0) }
    const inside: string[] = []
    const reads = anOperation({
      effect: 'read',
      async handle() {
        await assert.rejects(run(world, fails, call(), {}), { code: 'rate_limited', retryAfter: 5 }, 'it has the only one')
        await run(world, waits, call(), {})
        inside.push('read')
        return { id: '1' }
      },
    })
    const waits = anOperation({ effect: 'read', waits: true, handle: async () => ({ id: '1' }) })
    const fails = anOperation({ effect: 'read', handle: () => Promise.reject(new Problem('conflict', 'No.')) })
    await run(world, reads, call(), {})
    await assert.rejects(run(world, fails, call(), {}), { code: 'conflict' })
    await assert.rejects(run(world, fails, call(), { n: 'x' }), { code: 'invalid_payload' })
    await run(world, reads, call(), {})
    assert.deepEqual(inside, ['read', 'read'])
  })

  test('a download keeps its turn until its connection is closed', async () => {
    const world = { ...here.world, turn: openTurns({ work: 1, wait: 1, download: 1 }, 0) }
    const file = anOperation({ effect: 'read', bytes: true, handle: async () => ({ id: 'x' }) })
    const connection = new AbortController()
    await run(world, file, { ...call(), signal: connection.signal }, {})
    await assert.rejects(run(world, file, call(), {}), { code: 'rate_limited' })
    connection.abort()
    await run(world, file, call(), {})
    await run(world, file, call(), {})
  })

  test('an error of ours says nothing of its cause', async () => {
    const breaks = anOperation({ handle: () => Promise.reject(new Error('password=hunter2')) })
    await assert.rejects(run(here.world, breaks, call(), {}), /hunter2/)
    const { asProblem } = await import('./problem.ts')
    assert.doesNotMatch(asProblem(new Error('password=hunter2')).message, /hunter2/)
  })
})
