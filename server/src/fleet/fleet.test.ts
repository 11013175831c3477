import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { copySites } from '../../test/filled.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

interface Answer {
  sites: { id: string; name: string; needs: string[] }[]
  needs: Record<string, number>
  not_known: Record<string, number>
  total: number
  all: number
  next_cursor: string | null
  tags: string[]
  clients: string[]
  unknown: number
}

let here: TestWorld
let paired: string
before(async () => {
  here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_UPTIME_CHECKS: 'off' })
  paired = (await here.site()).id
  const updates = { updates_core: 0, updates_themes: 0, synced_at: here.world.now().toISOString() }
  await copySites(here, paired, 6, (n) => ({
    ...updates,
    name: ['echo', 'Delta', 'charlie', 'Bravo', 'alpha', 'foxtrot'][n],
    status: n === 0 ? 'unreachable' : n === 1 ? 'paused' : 'connected',
    updates_plugins: n === 2 ? 3 : 0,
    synced_at: n === 5 ? null : updates.synced_at,
    tags: n % 2 ? ['shop'] : [],
    client: n === 3 ? 'Example Ltd' : null,
  }))
  await here.call('sites.remove', { site_id: paired })
  const { world, workspaceId } = here
  const of = (n: number) => `site_${String(n).padStart(26, '0')}`
  await sql`INSERT INTO backups (workspace_id, id, job_id, site_id, type, trigger, status, requested_by, manifest, created_at, completed_at)
    SELECT ${workspaceId}, 'backup_' || n, 'job_' || n, 'site_' || lpad(n::text, 26, '0'), 'full', 'manual', 'completed', '{}', 'm', at, at
    FROM (SELECT n, now() - CASE n WHEN 4 THEN interval '9 days' ELSE interval '1 hour' END AS at FROM generate_series(0, 4) n) each`.execute(
    world.db,
  )
  await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, since) VALUES (${workspaceId}, ${of(3)}, 'here', false, now()), (${workspaceId}, ${of(1)}, 'here', true, now())`.execute(
    world.db,
  )
  world.changed(workspaceId)
})
after(() => here.close())

const list = (input = {}, over = {}) => here.call('fleet.list', input, over) as unknown as Promise<Answer>
const names = async (input = {}) => (await list(input)).sites.map(({ name }) => name)

test('those come first that somebody must look at, and what nobody knows is no need', async () => {
  const { sites, needs, not_known, all } = await list()
  assert.deepEqual(
    sites.map(({ name, needs }) => [name, needs]),
    [
      ['Bravo', ['down']],
      ['echo', ['disconnected']],
      ['alpha', ['backup']],
      ['foxtrot', ['backup']],
      ['charlie', ['updates']],
      ['Delta', []],
    ],
  )
  assert.deepEqual(needs, { down: 1, disconnected: 1, vulnerable: 0, backup: 2, updates: 1 })
  assert.deepEqual(not_known, { down: 4, disconnected: 1, vulnerable: 6, backup: 0, updates: 1 })
  assert.equal(all, 6)
})

test('words are looked for in name, address, client and tags, and narrow what is counted; a need narrows the list alone', async () => {
  assert.deepEqual(await names({ q: 'LTD bra' }), ['Bravo'])
  assert.deepEqual(await names({ q: 'LTD brä' }), ['Bravo'])
  assert.deepEqual((await names({ q: 'shop', order: 'name' })).join(), 'Bravo,Delta,foxtrot')
  const shops = await list({ q: 'shop', need: 'backup' })
  assert.deepEqual([shops.sites.map(({ name }) => name), shops.total, shops.needs.down, shops.all], [['foxtrot'], 1, 1, 6])
  assert.deepEqual([shops.tags, shops.clients], [['shop'], ['Example Ltd']])
  assert.deepEqual(await names({ has_updates: true }), ['charlie'])
  assert.equal((await list({ has_updates: true })).unknown, 1, 'of one nobody knows')
})

test('each order is one, and its pages make the whole', async () => {
  const orders: Record<string, string> = {
    name: 'alpha Bravo charlie Delta echo foxtrot',
    newest: 'echo Delta charlie Bravo alpha foxtrot',
    backup: 'foxtrot alpha echo Delta charlie Bravo',
    updates: 'charlie echo Delta Bravo alpha foxtrot',
    urgency: 'Bravo echo alpha foxtrot charlie Delta',
  }
  for (const [order, expected] of Object.entries(orders)) {
    assert.equal((await names({ order })).join(' '), expected, order)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Answer = await list({ order, limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.sites.map(({ name }) => name))
      cursor = page.next_cursor
    }
    assert.equal(seen.join(' '), expected, `${order}, in pages`)
  }
})

test('who sees some sites only hears of no other, not in a count, a tag or a client', async () => {
  const caller = here.caller({ sees: { tag: 'shop' } })
  const { sites, all, needs, clients } = await list({ order: 'name' }, { caller })
  assert.deepEqual([sites.map(({ name }) => name).join(), all, needs.updates, clients], ['Bravo,Delta,foxtrot', 3, 0, ['Example Ltd']])
  const stranger = here.caller({ workspaceId: await here.workspace('Other') })
  const theirs = await list({}, { caller: stranger })
  assert.deepEqual([theirs.sites, theirs.all, theirs.tags, theirs.needs.down], [[], 0, [], 0])
})

test('a page goes on behind its last site wherever that stands by now, and a site that is gone is said', async () => {
  const { next_cursor: cursor } = await list({ order: 'name', limit: 2 })
  const { world, workspaceId } = here
  const rename = async (from: string, to: string) => {
    await sql`UPDATE sites SET name = ${to} WHERE workspace_id = ${workspaceId} AND name = ${from}`.execute(world.db)
    world.changed(workspaceId)
  }
  await rename('Bravo', 'Dolphin')
  assert.equal((await names({ order: 'name', cursor })).join(), 'echo,foxtrot')
  await sql`DELETE FROM sites WHERE workspace_id = ${workspaceId} AND name = 'Dolphin'`.execute(world.db)
  world.changed(workspaceId)
  await assert.rejects(list({ order: 'name', cursor }), /not valid/)
})
