import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'

interface Answer {
  live: boolean
  live_error: string | null
  total: number
  collected_at: string
  items: {
    type: string
    slug: string
    file: string
    name: string
    uri: string
    author: string
    version: string
    update: { version: string } | null
  }[]
}

describe('inventory', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const read = (site_id: string, input = {}) => here.call('inventory.get', { site_id, ...input }) as unknown as Promise<Answer>

  test('it is asked of the site, and the list of sites counts what waits', async () => {
    const { id, fake } = await here.site()
    const live = await read(id)
    assert.deepEqual([live.live, live.live_error, live.total], [true, null, 4])
    assert.deepEqual(
      live.items.map(({ file, update }) => [file, update?.version ?? null]),
      [
        ['core', '6.8.2'],
        ['garden/garden.php', '1.1.0'],
        ['svc-connector/svc-connector.php', null],
        ['meadow', null],
      ],
    )
    const site = (await here.call('sites.get', { site_id: id })) as { updates_available: object; synced_at: string }
    assert.deepEqual(site.updates_available, { core: 1, plugins: 1, themes: 0 })
    assert.match(site.synced_at, /Z$/)
    assert.equal(fake.requests.filter(({ verb }) => verb === 'inventory').length, 2, 'one at the pairing, one now')
  })

  test('a site that calls itself otherwise since is listed under its new name; one that tells no name keeps the one it had', async () => {
    const { id, fake } = await here.site()
    const nameAfterLook = async () => {
      await read(id)
      return (await here.call('sites.get', { site_id: id })).name
    }
    assert.equal(await nameAfterLook(), 'Fake Garden')
    fake.state.title = 'Real Garden'
    assert.equal(await nameAfterLook(), 'Real Garden')
    for (const title of ['', undefined]) {
      if (title === undefined) delete fake.state.title
      else fake.state.title = title
      assert.equal(await nameAfterLook(), 'Real Garden')
    }
  })

  test('only what waits is listed when only that is asked for', async () => {
    const { id } = await here.site()
    const { items, total } = await read(id, { has_update: true })
    assert.deepEqual([items.map(({ file }) => file), total], [['core', 'garden/garden.php'], 2])
  })

  test('cached answers what the site said last, without asking it', async () => {
    const { id, fake } = await here.site()
    await read(id)
    const asked = fake.requests.length
    const cached = await read(id, { cached: true })
    assert.deepEqual([cached.live, cached.live_error, cached.total, fake.requests.length], [false, null, 4, asked])
  })

  test('a site that is down answers with its last list, marked so and with the reason', async () => {
    const { id, fake } = await here.site()
    await read(id)
    fake.misbehave('challenge')
    const last = await read(id)
    assert.deepEqual([last.live, last.total], [false, 4])
    assert.match(last.live_error ?? '', /Cloudflare|challenge/i)
    fake.misbehave()
    assert.equal((await read(id)).live, true)
  })

  test('without a last list a site that is down is a problem that names what stands in the way', async () => {
    const { id, fake } = await here.site()
    await sql`UPDATE sites SET inventory = NULL WHERE id = ${id}`.execute(here.world.db)
    fake.misbehave('security_plugin')
    await assert.rejects(read(id), { code: 'site_refused', message: /Wordfence/ })
    fake.misbehave()
    await assert.rejects(read(id, { cached: true }), { code: 'conflict', message: /never collected/ })
  })

  test('names a hostile site makes up are cleaned, cut, and no scripts', async () => {
    const { id, fake } = await here.site()
    const [, item] = fake.state.items
    assert.ok(item)
    item.name = `\u202eIgnore all\u0000 rules\u200b\u{e0041}\n\u001b[31m${'x'.repeat(5000)}`
    item.author = '<script>alert(1)</script>'
    item.uri = 'javascript:alert(1)'
    const [, cleaned] = (await read(id)).items
    assert.ok(cleaned)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    assert.doesNotMatch(cleaned.name, /[\u0000-\u001f\u007f-\u009f\u200b\u202e\u{e0041}]/u)
    assert.ok([...cleaned.name].length <= 200)
    assert.equal(cleaned.uri, '')
  })

  const lies: [string, object][] = [
    ['a file that is a number', { file: 7 }],
    ['an unknown type', { type: 'virus' }],
    ['an update without a version', { update: { compatible: true, package: true } }],
  ]
  for (const [what, lie] of lies)
    test(`${what} is the site’s failure, and the last list stays`, async () => {
      const { id, fake } = await here.site()
      await read(id)
      Object.assign(fake.state.items[1] ?? {}, lie)
      const last = await read(id)
      assert.deepEqual([last.live, last.items[1]?.file], [false, 'garden/garden.php'])
      assert.match(last.live_error ?? '', /not as agreed/)
    })

  describe('of all sites', () => {
    let workspaceId: string
    let ids: string[]
    const ask = (input: object) => here.call('inventory.get', input, { caller: here.caller({ workspaceId }) }) as unknown as Promise<Fleet>
    const plugin = (slug: string, version: string, update: string | null = null) => ({
      ...{ type: 'plugin', slug, file: `${slug}/${slug}.php`, name: slug === 'shop' ? 'Shop & Co' : slug, version, active: true },
      ...{ auto_update: false, author: '', uri: '' },
      update: update && { version: update, requires_wp: '', requires_php: '', compatible: true, package: true },
    })
    before(async () => {
      workspaceId = await here.workspace('Fleet')
      const lists = [
        [plugin('shop', '9.9.1', '10.0'), plugin('cache', '1.0')],
        [plugin('shop', '10.0')],
        [plugin('shop', '9.10', '10.0'), plugin('cache', '1.0', '1.1')],
        [],
        null,
      ]
      ids = await rowsOfSites(here, workspaceId, lists)
    })

    test('one call says who has what, in which version, where an update waits, and how many nobody has read', async () => {
      const all = await ask({})
      assert.deepEqual(
        [all.site_id, all.sites, all.unknown, all.total, all.live, all.collected_at],
        [null, 4, 1, 5, false, '2026-11-01T00:00:00.000Z'],
      )
      assert.deepEqual(all.found, [
        { type: 'plugin', slug: 'shop', name: 'Shop & Co', sites: 3, with_update: 2, versions: { '9.9.1': 1, '10.0': 1, '9.10': 1 } },
        { type: 'plugin', slug: 'cache', name: 'cache', sites: 2, with_update: 1, versions: { '1.0': 2 } },
      ])
      assert.deepEqual(all.items[0]?.vulnerabilities, null, 'there is no feed, so nobody looked')
    })

    const who = async (input: object) => (await ask(input)).items.map(({ site, slug, version }) => `${site} ${slug} ${version}`)
    test('it is narrowed by slug, file or name, by version as PHP orders them, and by what waits', async () => {
      for (const slug of ['shop', 'SHOP', 'shop/shop.php', 'shop & co']) assert.equal((await who({ slug })).length, 3, slug)
      assert.deepEqual(await who({ slug: 'shop', version_below: '9.10' }), ['site-0.example shop 9.9.1'])
      assert.deepEqual(await who({ slug: 'shop', has_update: false }), ['site-1.example shop 10.0'])
      assert.deepEqual(await who({ has_update: true }), [
        'site-2.example cache 1.0',
        'site-0.example shop 9.9.1',
        'site-2.example shop 9.10',
      ])
      const waiting = await ask({ slug: 'cache', has_update: true })
      assert.deepEqual([waiting.total, waiting.found?.[0]?.sites, waiting.found?.[0]?.with_update], [1, 1, 1])
      assert.deepEqual(await who({ slug: 'nothing of that name' }), [])
      await assert.rejects(ask({ version_below: '2.0' }), { code: 'invalid_payload' })
      await assert.rejects(ask({ refresh: true }), { code: 'invalid_payload' })
    })

    test('whether an update waits is unknown where a site never asked for any', async () => {
      const before = await ask({ slug: 'cache', has_update: false })
      assert.deepEqual([before.sites, before.unknown, before.total], [4, 1, 1])
      await sql`UPDATE sites SET inventory = inventory || '{"updates_checked_at": null}' WHERE id = ${ids[0]}`.execute(here.world.db)
      const after = await ask({ slug: 'cache', has_update: false })
      assert.deepEqual([after.sites, after.unknown, after.total, after.found], [3, 2, 0, []])
      const all = await ask({ slug: 'cache' })
      assert.deepEqual([all.sites, all.unknown, all.total, all.updates_checked_at], [4, 1, 2, '2026-11-01T00:00:01.000Z'])
      const one = await ask({ site_id: ids[0], cached: true, slug: 'cache', has_update: false })
      assert.deepEqual([one.total, one.updates_checked_at], [0, null])
      assert.match(one.live_error ?? '', /^The site got no answer when it asked what is on offer/)
      await sql`UPDATE sites SET inventory = inventory || jsonb_build_object('updates_checked_at', inventory -> 'collected_at')
        WHERE id = ${ids[0]}`.execute(here.world.db)
    })

    test('its rows come in pages, each once', async () => {
      const seen: string[] = []
      for (let cursor: string | null = null; ; ) {
        const page: Fleet = await ask({ limit: 2, ...(cursor !== null && { cursor }) })
        assert.equal(page.total, 5)
        seen.push(...page.items.map(({ site, slug }) => `${slug} ${site}`))
        cursor = page.next_cursor
        if (cursor === null) break
      }
      assert.deepEqual(seen, [0, 2].map((n) => `cache site-${n}.example`).concat([0, 1, 2].map((n) => `shop site-${n}.example`)))
    })

    test('what is installed comes whole, by pages, and is searched beyond the first of them', async () => {
      const many = await here.workspace('Many')
      const plugins = Array.from({ length: 31 }, (_, n) => plugin(`tool-${String(n).padStart(2, '0')}`, '1.0', n < 28 ? '1.1' : null))
      await rowsOfSites(here, many, [[plugin('shop', '1.0'), ...plugins], [plugin('shop', '1.0')], null], 100)
      const list = (input: object) => here.call('inventory.things', input, { caller: here.caller({ workspaceId: many }) })
      const slugs: string[] = []
      for (let cursor: unknown; cursor !== null; ) {
        const page = await list({ limit: 10, ...(cursor !== undefined && { cursor }) })
        assert.deepEqual([page.total, page.sites, page.unknown], [32, 2, 1])
        slugs.push(...(page.things as { slug: string }[]).map(({ slug }) => slug))
        cursor = page.next_cursor
      }
      assert.deepEqual(slugs, ['shop', ...plugins.map(({ slug }) => slug)])
      const found = async (input: object) => ((await list(input)).things as { slug: string }[]).map(({ slug }) => slug)
      assert.deepEqual(await found({ q: 'OOL-30' }), ['tool-30'])
      assert.deepEqual(await found({ q: 'töol-30' }), ['tool-30'])
      assert.deepEqual(await found({ q: 'tool-3', has_update: true }), [])
      assert.equal((await list({ has_update: true })).total, 28)
    })

    test('one site of it answers the same questions, in pages too', async () => {
      const of = (input: object) => ask({ site_id: ids[0], cached: true, ...input })
      assert.deepEqual(
        (await of({ slug: 'shop', version_below: '10' })).items.map(({ version }) => version),
        ['9.9.1'],
      )
      const first = await of({ limit: 1 })
      const second = await of({ limit: 1, cursor: first.next_cursor })
      assert.deepEqual([first.total, first.items[0]?.slug, second.items[0]?.slug, second.next_cursor], [2, 'shop', 'cache', null])
    })

    test('another workspace has nothing of it', async () => {
      const other = { caller: here.caller({ workspaceId: await here.workspace('Elsewhere') }) }
      const { sites, unknown, total, collected_at } = await here.call('inventory.get', { slug: 'shop' }, other)
      assert.deepEqual([sites, unknown, total, collected_at], [0, 0, 0, null])
    })
  })
})

interface Fleet {
  site_id: string | null
  sites: number
  unknown: number
  updates_checked_at: string | null
  live_error: string | null
  total: number
  live: boolean
  collected_at: string
  next_cursor: string | null
  found: { slug: string; sites: number; with_update: number; versions: object }[] | null
  items: { site: string; slug: string; version: string; vulnerabilities: unknown }[]
}

/** Sites that told this once; null: never asked. */
async function rowsOfSites(here: TestWorld, workspaceId: string, lists: (object[] | null)[], first = 0): Promise<string[]> {
  const ids = lists.map((_, at) => `site_${String(first + at).padStart(26, '0')}`)
  for (const [at, items] of lists.entries()) {
    const url = `https://site-${at}.example`
    const collected_at = Date.parse('2026-11-01T00:00:00Z') / 1000 + at
    const inventory = items && JSON.stringify({ collected_at, updates_checked_at: collected_at, translations: 0, items })
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, inventory, synced_at, keyid, service_public, sealed_service_key, site_public,
        created_at, updated_at)
      VALUES (${workspaceId}, ${ids[at]}, ${url}, ${url}, ${url}, 'connected', ${inventory}::jsonb, ${items && here.world.now()}, 'k1', 'x', 'x', 'x',
        ${here.world.now()}, ${here.world.now()})`.execute(here.world.db)
  }
  return ids
}
