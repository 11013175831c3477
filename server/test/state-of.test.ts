import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { duties } from '../src/capabilities.ts'
import { insertTurn } from '../src/platform/clock-store.ts'
import { aBrowser, aPerson } from './person.ts'
import { stateOf } from './state-of.ts'
import { aWorld, type TestWorld } from './world.ts'

let here: TestWorld
before(async () => {
  // Without a clock, which would write at a time of its own.
  here = await aWorld({}, undefined, { withoutDuties: duties.map(({ name }) => name) })
  await insertTurn({ db: here.world.db, workspaceId: here.workspaceId }, 'uptime', (await here.site()).id, here.world.now())
  await here.token('read')
  await aPerson(here, 'ann@example.com', 'owner')
  await aBrowser(here).signIn('ann@example.com')
})
after(() => here.close())

/** What a statement makes of the digest; it is taken back. */
async function whileDone(statement: string): Promise<{ before: string; then: string }> {
  const before = await stateOf(here.world)
  let then = ''
  const undone = new Error('undone')
  await here.world.db
    .transaction()
    .execute(async (db) => {
      await sql.raw(statement).execute(db)
      then = await stateOf({ db })
      throw undone
    })
    .catch((error: unknown) => assert.equal(error, undone))
  return { before, then }
}

const decided = {
  sites: ["status = 'paused'", "home = 'https://elsewhere.example'", "sealed_access = 'x'", "keyid = 'x'", "door = 'ajax'"],
  sessions: ['ended_at = now()', "expires_at = expires_at + interval '1 day'", 'looks_at = NULL'],
  tokens: [
    "name = 'other'",
    'approval_only = true',
    `sees = '{"client": "Cleo"}'`,
    'revoking = true',
    "expires_at = now() + interval '1 day'",
  ],
}
for (const [table, changes] of Object.entries(decided))
  for (const change of [...changes, 'to_come'])
    test(`a write to ${table} is seen: ${change}`, async () => {
      const statement = change === 'to_come' ? `ALTER TABLE ${table} ADD to_come text DEFAULT 'x'` : `UPDATE ${table} SET ${change}`
      const { before, then } = await whileDone(statement)
      assert.notEqual(then, before)
    })

const told = [
  "INSERT INTO happenings (workspace_id, kind, subject_id) SELECT id, 'down', 'x' FROM workspaces",
  "INSERT INTO notices (workspace_id, id, key, kind, subject_id, happened_at, message) SELECT id, 'x', 'x', 'down', 'x', now(), 'x' FROM workspaces",
  "UPDATE turns SET due_at = due_at - interval '1 hour'",
  'DELETE FROM turns',
]
for (const statement of told)
  test(`who is told something is seen, and what becomes due at another time: ${statement.slice(0, 24)}`, async () => {
    const { before, then } = await whileDone(statement)
    assert.notEqual(then, before)
  })

test('what is counted all the time is not', async () => {
  for (const statement of [
    'UPDATE tokens SET last_used_at = now()',
    'UPDATE sessions SET seen_at = now()',
    'UPDATE sites SET last_seen_at = now(), latency_ms = 4711',
  ]) {
    const { before, then } = await whileDone(statement)
    assert.equal(then, before)
  }
})
