import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { finding } from '../security/checks.ts'
import { recordFindings } from '../security/record.ts'
import { run } from './run.ts'

describe('cursors', () => {
  let here: TestWorld
  let sites: string[]
  let tokenId: string
  const cursors: Record<string, string> = {}

  /** Every list that has pages, and a filter under which it is another list. */
  const lists: Record<string, { field: string; input?: () => object; other: () => object }> = {
    'sites.list': { field: 'sites', other: () => ({ q: 'fake' }) },
    'jobs.list': { field: 'jobs', other: () => ({ status: 'completed' }) },
    'activity.list': { field: 'activity', other: () => ({ site_id: sites[0] }) },
    'approvals.list': { field: 'approvals', other: () => ({ status: 'pending' }) },
    'tokens.calls': { field: 'calls', input: () => ({ token_id: tokenId }), other: () => ({ outcome: 'awaiting_approval' }) },
    // With reads it grows by each look at it.
    'audit.list': { field: 'audit', input: () => ({ changes: true }), other: () => ({ outcome: 'awaiting_approval' }) },
    'policies.history': { field: 'versions', other: () => ({}) },
    'backups.list': { field: 'backups', input: () => ({ site_id: sites[0] }), other: () => ({ site_id: sites[1] }) },
    'security.list': { field: 'findings', other: () => ({ severity: 'medium' }) },
    'inventory.get': { field: 'items', other: () => ({ has_update: true }) },
    'inventory.things': { field: 'things', other: () => ({ q: 'e' }) },
    'rollouts.list': { field: 'rollouts', other: () => ({}) },
    'uptime.list': { field: 'sites', other: () => ({ state: 'unknown' }) },
    'uptime.incidents': { field: 'incidents', other: () => ({ kind: 'down' }) },
    'performance.list': { field: 'sites', other: () => ({}) },
    'links.list': { field: 'links', other: () => ({ confidence: 'broken' }) },
    'errors.list': { field: 'errors', other: () => ({ level: 'warning' }) },
    'clients.list': { field: 'clients', other: () => ({ q: 'l' }) },
    'reports.list': { field: 'reports', other: () => ({ status: 'draft' }) },
    'fleet.list': { field: 'sites', other: () => ({ order: 'name' }) },
    'notifications.list': { field: 'notices', other: () => ({ kind: 'site_down' }) },
    'notifications.deliveries': { field: 'deliveries', other: () => ({ status: 'dead' }) },
  }
  /** Those whose items have no id of their own. */
  const idOf = ({ id, version, type, file, slug, site_id }: Record<string, string>) => id ?? [site_id, type, file, slug, version].join(' ')

  interface Page {
    ids: string[]
    next: string | null
    total: number
  }
  const read = async (name: string, input: object = {}, over = {}): Promise<Page> => {
    const { field = '', input: own = () => ({}) } = lists[name] ?? {}
    const page = await here.call(name, { ...own(), ...input }, over)
    return {
      ids: (page[field] as Record<string, string>[]).map(idOf),
      next: page.next_cursor as string | null,
      total: page.total as number,
    }
  }

  /** What is found by watching: six incidents, links, PHP errors, notices and messages. */
  async function watchedRows(): Promise<void> {
    const { workspaceId, world } = here
    const { id: channel } = await here.call('notifications.add_channel', { name: 'Hook', type: 'slack', url: 'http://127.0.0.1:9/' })
    const rows = sql`(SELECT ${workspaceId} AS workspace, lpad(n::text, 26, '0') AS id, (${sites}::text[])[1 + n % 2] AS site,
      timestamptz '2026-01-01' + (n / 2) * interval '1 minute' AS at FROM generate_series(1, 6) n) r`
    await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, started_at)
      SELECT workspace, 'incident_' || id, site, id, 'down', 'dns', '', at FROM ${rows}`.execute(world.db)
    await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, places, places_count, first_seen_at, last_checked_at)
      SELECT workspace, 'link_' || id, site, id, true, 'broken', 'gone', '[]', 0, at, at FROM ${rows}`.execute(world.db)
    await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, frames,
        status, captured, logged, first_seen_at, last_seen_at)
      SELECT workspace, 'phperror_' || id, site, id, 1, 'warning', '', '', '{1}', '{"type": "core", "slug": "core"}', '[]', 'open', 1, 0, at, at FROM ${rows}`.execute(
      world.db,
    )
    await sql`INSERT INTO notices (workspace_id, id, key, kind, site_id, subject_id, happened_at, message)
      SELECT workspace, 'notice_' || id, id, 'site_down', site, '', at, '' FROM ${rows}`.execute(world.db)
    await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
      SELECT workspace, 'delivery_' || id, ${channel}, 'dead', '{}', at, at FROM ${rows}`.execute(world.db)
    await sql`INSERT INTO approval_policies (workspace_id, version, rules, change, set_by, set_at)
      SELECT workspace_id, v, rules, change, set_by, set_at FROM approval_policies, generate_series(2, 6) v WHERE version = 1`.execute(
      world.db,
    )
    // The triggers have noted the incidents.
    await sql`DELETE FROM happenings`.execute(world.db)
  }

  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    sites = [(await here.site()).id, (await here.site()).id]
    for (const site_id of sites)
      for (let n = 0; n < 3; n++) {
        await here.job(String((await here.call('backups.create', { site_id, type: 'db' })).job_id))
        const { rollout_id } = await here.call('rollouts.start', { site_ids: [site_id], plugins: ['nothing-such'] })
        await here.call('rollouts.get', { rollout_id, wait_seconds: 25 })
        const look = { workspaceId: here.workspaceId, siteId: site_id, source: 'outside' as const, at: here.world.now() }
        await recordFindings(here.world.db, look, [finding('xmlrpc', { evidence: [] }), finding('readme_exposed', { evidence: [] })])
      }
    tokenId = (await here.token()).id
    const asker = here.caller({ type: 'token', id: tokenId, scopes: new Set(['read', 'write']), approvalOnly: true })
    for (const site_id of sites)
      for (const type of ['full', 'db', 'files']) await here.call('backups.create', { site_id, type }, { caller: asker })
    await watchedRows()
    for (const name of ['Ann Lee', 'Bo Lind', 'Cy Lund']) {
      await here.call('clients.create', { name })
      await here.call('reports.draft', { client_id: name })
    }
    for (const name of Object.keys(lists)) cursors[name] = (await read(name, { limit: 1 })).next ?? assert.fail(name)
  })
  after(() => here.close())

  test('every list with pages is looked at here', () => {
    const paged = operations.filter(({ input }) => 'cursor' in input.shape).map(({ name }) => name)
    assert.deepEqual(paged.sort(), Object.keys(lists).sort())
  })

  for (const name of Object.keys(lists)) {
    const refuses = async (cursor: string, input: object = {}, over = {}) =>
      assert.rejects(read(name, { ...input, cursor }, over), (error: { code: string; errors: { path: string }[] }) => {
        assert.deepEqual([error.code, error.errors.map(({ path }) => path)], ['invalid_payload', ['cursor']], cursor)
        return true
      })

    test(`${name}: its pages make the whole, in the same order`, async () => {
      const seen: string[] = []
      const totals = new Set<number>()
      for (let next: string | null | undefined; next !== null; ) {
        const page: Page = await read(name, { limit: 2, ...(next && { cursor: next }) })
        seen.push(...page.ids)
        totals.add(page.total)
        next = page.next
      }
      const whole = await read(name, { limit: 200 })
      assert.deepEqual(seen, whole.ids)
      assert.deepEqual([...totals], [whole.total], 'each page tells the total of them all')
      assert.equal(whole.total, whole.ids.length)
      assert.ok(seen.length > 1)
    })

    test(`${name}: behind each of its items a page can begin`, async () => {
      const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
      const call = { caller: here.caller(), face: 'api' as const, requestId: 'req_1' }
      const own = lists[name]?.input?.() ?? {}
      for (const filter of [{}, lists[name]?.other() ?? {}]) {
        const input = { ...own, ...filter }
        const { cursorAfter } = await run(here.world, operation, call, { ...input, limit: 200 })
        const { ids } = await read(name, { ...input, limit: 200 })
        assert.ok(ids.length > 1 && cursorAfter)
        for (const index of [0, ids.length - 2])
          assert.deepEqual((await read(name, { ...input, limit: 200, cursor: cursorAfter(index) })).ids, ids.slice(index + 1))
      }
    })

    test(`${name}: what is no cursor is refused, and no empty page`, async () => {
      const own = cursors[name] ?? ''
      const [first = ''] = (await read(name, { limit: 1 })).ids
      for (const cursor of [
        '',
        ' ',
        'nonsense',
        first,
        `${own}=`,
        `${own} `,
        own.slice(0, -1),
        own.slice(1),
        own.toLowerCase(),
        'null',
        '0',
        Buffer.from(`made up here${JSON.stringify([new Date(), first])}`).toString('base64url'),
      ])
        await refuses(cursor)
    })

    test(`${name}: a cursor of another list, filter, site or workspace is refused`, async () => {
      for (const [other, cursor] of Object.entries(cursors)) if (other !== name) await refuses(cursor)
      const other = lists[name]?.other() ?? {}
      if (Object.keys(other).length > 0) await refuses(cursors[name] ?? '', other)
      // What another workspace names there is not found at all.
      if (name === 'backups.list' || name === 'tokens.calls') return
      const workspaceId = await here.workspace(`Other ${name}`)
      await refuses(cursors[name] ?? '', {}, { caller: here.caller({ workspaceId }) })
    })
  }

  test('a page goes on where it ended, though what it ended with is gone', async () => {
    for (const [name, table] of [
      ['activity.list', 'activity'],
      ['security.list', 'findings'],
      ['jobs.list', 'jobs'],
    ] as const) {
      const { ids } = await read(name, { limit: 3 })
      const { next } = await read(name, { limit: 1 })
      await sql`DELETE FROM ${sql.table(table)} WHERE id = ${ids[0]}`.execute(here.world.db)
      assert.deepEqual((await read(name, { limit: 2, cursor: next })).ids, ids.slice(1), name)
    }
  })
})
