import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { siteSummary } from '../capabilities.ts'
import { newId } from '../kernel/ids.ts'
import { openFleet } from './fleet.ts'
import type { Fleet } from './schema.ts'

const now = () => new Date()

/** A node that hears at once, and the moment to tell it something. */
function signals() {
  let tell: (payload: string) => void = () => {}
  const ears = {
    fresh: () => true,
    on(_: string, { hear }: { hear(payload: string): void }) {
      tell = hear
    },
    close: async () => {},
  }
  return { ears, hear: (payload: string) => tell(payload) }
}

/** Lets an answer through, or in its place fails the question. */
type Hold = (() => void) & { reached: Promise<void>; fail(error: Error): void }

/** The database, whose answers can be held back after it has given them. */
function slowly(db: Kysely<unknown>): { db: Kysely<unknown>; queries: () => number; hold(): Hold } {
  let queries = 0
  let gate: { reached: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> } | undefined
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries++
      return node
    },
    async transformResult({ result }) {
      const held = gate
      gate = undefined
      held?.reached.resolve()
      await held?.opened.promise
      return result
    },
  }
  return {
    db: db.withPlugin(plugin),
    queries: () => queries,
    hold() {
      const held = { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
      gate = held
      return Object.assign(() => held.opened.resolve(), { reached: held.reached.promise, fail: held.opened.reject })
    },
  }
}

describe('the fleet in memory', () => {
  let house: TestDatabase
  let fleet: Fleet
  let ears: ReturnType<typeof signals>
  let slow: ReturnType<typeof slowly>
  let site: string
  const workspaceId = 'ws_1'
  const rename = async (name: string) => {
    await sql`UPDATE sites SET name = ${name} WHERE id = ${site}`.execute(house.db)
    ears.hear(`${workspaceId} ${site}`)
  }
  const nameOf = async () => (await fleet.one(workspaceId, site))?.name
  const addSite = async () => {
    const id = newId('site', now())
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      VALUES (${workspaceId}, ${id}, 'first', ${`https://${id}.example`}, '', 'connected', '', '', '', '', now(), now())`.execute(house.db)
    return id
  }

  before(async () => {
    house = await aDatabase()
    await sql`INSERT INTO workspaces (id, name, sealed_key) VALUES (${workspaceId}, 'Test', '')`.execute(house.db)
  })
  after(() => house.drop())
  beforeEach(async () => {
    site = await addSite()
    ears = signals()
    slow = slowly(house.db)
    fleet = openFleet(slow.db, ears.ears, siteSummary)
  })

  test('a site is there while the list of all is being read for the first time', async () => {
    const release = slow.hold()
    const list = fleet.all(workspaceId)
    const one = nameOf()
    release()
    assert.equal(await one, 'first')
    assert.ok((await list).some(({ id }) => id === site))
  })

  test('an answer that is older than a change does not stay', async () => {
    const release = slow.hold()
    const early = nameOf()
    await release.reached
    await rename('second')
    const late = nameOf()
    release()
    await early
    assert.equal(await late, 'second')
    assert.equal(await nameOf(), 'second')
  })

  test('nor does it in a list', async () => {
    await fleet.all(workspaceId)
    await rename('second')
    const release = slow.hold()
    const early = fleet.cachedList(workspaceId)
    await release.reached
    await rename('third')
    const late = fleet.cachedList(workspaceId)
    release()
    await early
    for (const list of [await late, await fleet.cachedList(workspaceId)]) assert.match(list.json.toString(), /third/)
  })

  test('a site that was removed while it was read is gone', async () => {
    await fleet.all(workspaceId)
    await rename('second')
    const release = slow.hold()
    const early = nameOf()
    await release.reached
    await sql`DELETE FROM sites WHERE id = ${site}`.execute(house.db)
    ears.hear(`${workspaceId} ${site}`)
    release()
    await early
    assert.equal(await nameOf(), undefined)
  })

  test('a list is answered although sites change all the time', async () => {
    let going = true
    const changing = (async () => {
      while (going) {
        ears.hear(`${workspaceId} ${site}`)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    for (let n = 0; n < 20; n++) await fleet.cachedList(workspaceId)
    going = false
    await changing
  })

  test('many who ask at once cost two questions at most, and a failed one is asked again', async () => {
    await Promise.all(Array.from({ length: 100 }, nameOf))
    assert.ok(slow.queries() <= 2, `${slow.queries()} questions`)
    await rename('second')
    const answer = slow.hold()
    const broken = nameOf()
    await answer.reached
    answer.fail(new Error('down'))
    await assert.rejects(broken, /^Error: down$/)
    assert.equal(await nameOf(), 'second')
  })
})
