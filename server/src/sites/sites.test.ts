import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Trouble } from '../../test/fake-trouble.ts'
import { until, untilLocked } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { remedies } from '../connector/remedies.ts'
import type { SiteReason } from '../connector/site-error.ts'
import { newId } from '../kernel/ids.ts'

interface Listed {
  sites: { id: string; name: string; url: string; status: string }[]
  total: number
  next_cursor: string | null
}

describe('sites', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const statusOf = async (site_id: string) => (await here.call('sites.get', { site_id })).status
  const ping = (site_id: string) => here.call('sites.ping', { site_id })
  /** Rows as pairing makes them, without a site behind. */
  const insert = (
    workspaceId: string,
    rows: { name: string; url: string; tags?: string[]; status?: string; plugins?: number; wp?: string; php?: string }[],
  ) =>
    here.world.db.transaction().execute(async (db) => {
      const ids: string[] = []
      for (const { name, url, tags = [], status = 'connected', plugins = null, wp = null, php = null } of rows) {
        const id = newId('site', here.world.now())
        ids.push(id)
        await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, tags, updates_plugins, synced_at, wp_version, php_version,
            keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
          VALUES (${workspaceId}, ${id}, ${name}, ${url}, ${url}, ${status}, ${tags}, ${plugins ?? 0}, ${plugins === null ? null : here.world.now()}, ${wp}, ${php},
            'k1', 'x', 'x', 'x', ${here.world.now()}, ${here.world.now()})`.execute(db)
      }
      return ids
    })

  describe('a list', () => {
    let workspaceId: string
    const list = (input = {}) => here.call('sites.list', input, { caller: here.caller({ workspaceId }) }) as unknown as Promise<Listed>
    const names = async (input = {}) => (await list(input)).sites.map(({ name }) => name)
    before(async () => {
      workspaceId = await here.workspace('Lists')
      await insert(workspaceId, [
        { name: 'Alpha', url: 'https://alpha.example', tags: ['shop'], plugins: 2, wp: '6.5.1', php: '8.1.29' },
        {
          name: 'Beta',
          url: 'https://beta.example/blog',
          tags: ['shop', 'vip'],
          status: 'unreachable',
          plugins: 0,
          wp: '6.10',
          php: '8.10.0',
        },
        { name: 'Gamma', url: 'https://gamma.example', status: 'paused', plugins: 1, wp: '6.5-RC1', php: '7.4.33' },
        { name: 'Twin', url: 'https://one.example', plugins: 0, wp: '6.5', php: '8.1' },
        { name: 'Twin', url: 'https://two.example' },
      ])
    })

    const filters: [object, string[]][] = [
      [{}, ['Alpha', 'Beta', 'Gamma', 'Twin', 'Twin']],
      [{ q: 'ALPHA' }, ['Alpha']],
      [{ q: 'älphá' }, ['Alpha']],
      [{ q: '.example/blog' }, ['Beta']],
      [{ q: '%' }, []],
      [{ tag: 'shop' }, ['Alpha', 'Beta']],
      [{ tag: 'vip', q: 'beta' }, ['Beta']],
      [{ tag: 'SHOP' }, ['Alpha', 'Beta']],
      [{ status: 'paused' }, ['Gamma']],
      [{ has_updates: true }, ['Alpha', 'Gamma']],
      [{ has_updates: false, status: 'connected' }, ['Twin']],
      [{ php_version: '8.1' }, ['Alpha', 'Twin']],
      [{ php_version: '<8.1' }, ['Gamma']],
      [{ php_version: '8.1.29' }, ['Alpha']],
      [{ wp_version: '<6.5' }, ['Gamma']],
      [{ wp_version: '6.5' }, ['Alpha', 'Gamma', 'Twin']],
      [{ wp_version: '6.1' }, []],
      [{ except: ['shop', 'gamma.example'] }, ['Twin', 'Twin']],
      [{ except: ['Alpha'] }, ['Beta', 'Gamma', 'Twin', 'Twin']],
      [{ tag: 'shop', except: ['vip'] }, ['Alpha']],
    ]
    for (const [filter, expected] of filters)
      test(`filtered by ${JSON.stringify(filter)}`, async () => assert.deepEqual((await names(filter)).toSorted(), expected))

    test('a tag or client that no site has is refused, with those that could be meant and that the caller sees', async () => {
      const refused = (wanted: object, caller = here.caller({ workspaceId })) =>
        here.call('sites.list', wanted, { caller }).then(
          () => assert.fail(),
          ({ code, errors }: { code: string; errors: object[] }) => [code, errors],
        )
      const none = (path: string, message: string) => ({ path, message })
      const [noTag, noClient] = ['No site has this tag.', 'No site is of this client.']
      assert.deepEqual(await refused({ tag: 'shopp', client: 'Nobody' }), [
        'invalid_payload',
        [{ path: 'tag', message: `${noTag} Name one of the candidates.`, candidates: ['shop'] }, none('client', noClient)],
      ])
      assert.deepEqual(await refused({ tag: 'zebra' }), ['invalid_payload', [none('tag', noTag)]])
      const some = here.caller({ workspaceId, sees: { site_ids: (await list({ q: 'gamma' })).sites.map(({ id }) => id) } })
      for (const tag of ['shop', 'shopp', 'zebra'])
        assert.deepEqual(await refused({ tag }, some), ['invalid_payload', [none('tag', noTag)]], tag)
    })

    test('begins with how many there are of each kind, and tells of how many nobody knows what was asked', async () => {
      const { counts, unknown } = (await list()) as unknown as { counts: object; unknown: number }
      assert.deepEqual(counts, {
        status: { connected: 3, paused: 1, unreachable: 1 },
        wp_version: { 6.5: 3, '6.10': 1, unknown: 1 },
        php_version: { 8.1: 2, 7.4: 1, '8.10': 1, unknown: 1 },
        with_updates: 2,
        never_read: 1,
      })
      assert.equal(unknown, 0)
      const old = (await list({ php_version: '<9', limit: 1 })) as unknown as { total: number; unknown: number; counts: { status: object } }
      assert.deepEqual([old.total, old.unknown, old.counts.status], [4, 1, { connected: 2, paused: 1, unreachable: 1 }])
    })

    test('a site or tag that is to be left out but is not there is refused by its place', async () => {
      await assert.rejects(
        list({ except: ['shop', 'shops', 'Twin'] }),
        (error: Error & { errors: { path: string; message: string }[] }) => {
          assert.deepEqual(
            error.errors.map(({ path }) => path),
            ['except.1', 'except.2'],
          )
          assert.match(error.errors[1]?.message ?? '', /2 sites match that name/)
          return true
        },
      )
    })

    test('what is no version is refused', async () => {
      for (const php_version of ['', 'eight', '>8.1', '8.1 or older', '8..1'])
        await assert.rejects(list({ php_version }), { code: 'invalid_payload' })
    })

    test('in pages holds every site once, with the number of all', async () => {
      const seen: string[] = []
      for (let cursor: string | null = null; ; ) {
        const page: Listed = await list({ limit: 2, ...(cursor !== null && { cursor }) })
        assert.equal(page.total, 5)
        seen.push(...page.sites.map(({ id }) => id))
        cursor = page.next_cursor
        if (cursor === null) break
      }
      assert.deepEqual([seen.length, new Set(seen).size], [5, 5])
      await assert.rejects(list({ cursor: 'nonsense' }), { code: 'invalid_payload' })
      await assert.rejects(list({ limit: 0 }), { code: 'invalid_payload' })
      await assert.rejects(list({ status: 'asleep' }), { code: 'invalid_payload' })
    })

    test('finds a site by domain, address or exact name, and a name of two sites is a question', async () => {
      const get = (site_id: string) => here.call('sites.get', { site_id }, { caller: here.caller({ workspaceId }) })
      for (const named of ['alpha.example', 'ALPHA.example', 'https://alpha.example', 'Alpha', ' Alpha ', 'ALPHA', 'álpha'])
        assert.equal((await get(named)).name, 'Alpha', named)
      assert.equal((await get('beta.example/blog')).name, 'Beta')
      await assert.rejects(get('Twin'), (error: Error & { code: string }) => {
        assert.equal(error.code, 'conflict')
        assert.match(
          error.message,
          /2 sites match(?=.*site_\w+ \(https:\/\/one\.example\))(?=.*site_\w+ \(https:\/\/two\.example\)).*Use the id/,
        )
        return true
      })
      for (const none of ['alp', 'Alph', 'site_01k0000000000000000000000a', '*'])
        await assert.rejects(get(none), { code: 'not_found' }, none)
    })

    test('a name that is nearly one is told which addresses it may have meant, and changes nothing', async () => {
      const other = { caller: here.caller({ workspaceId }) }
      await assert.rejects(here.call('sites.get', { site_id: 'Gam' }, other), {
        code: 'not_found',
        message: /Did you mean gamma\.example\?/,
      })
      for (const mistyped of ['Gmama', 'gamna.exmaple', 'GAMMMA'])
        await assert.rejects(here.call('sites.get', { site_id: mistyped }, other), { message: /Did you mean gamma\.example\?/ }, mistyped)
      await assert.rejects(here.call('sites.get', { site_id: 'Orchards' }, other), {
        message: /^There is no such site in this workspace\. list/,
      })
      await assert.rejects(here.call('sites.set', { site_id: 'álpha', client: 'x' }, other), {
        code: 'not_found',
        message: /Did you mean alpha\.example\?.*a change takes an id or a domain/,
      })
    })

    test('of another workspace shows and finds nothing of it', async () => {
      const theirs = { caller: here.caller({ workspaceId: await here.workspace('Others') }) }
      const [first] = (await list()).sites
      assert.equal(((await here.call('sites.list', {}, theirs)) as unknown as Listed).total, 0)
      for (const named of [first?.id ?? '', first?.name ?? '', 'alpha.example'])
        await assert.rejects(here.call('sites.get', { site_id: named }, theirs), { code: 'not_found' })
    })
  })

  test('tags, client and notes are set one by one, taken away again, and found by', async () => {
    const [id = ''] = await insert(here.workspaceId, [{ name: 'Labelled', url: 'https://labelled.example', tags: ['old'] }])
    const { token } = await here.token('write')
    const set = (body: object) => here.rest('POST', `/api/v1/sites/${id}`, { token, body })
    const first = await set({ tags: ['shops', ' shops ', 'vip'], client: ' Example Ltd ' })
    assert.deepEqual([first.status, first.json], [200, { id, tags: ['shops', 'vip'], client: 'Example Ltd', notes: null }])
    assert.deepEqual((await set({ notes: 'Two\nlines' })).json, { id, tags: ['shops', 'vip'], client: 'Example Ltd', notes: 'Two\nlines' })
    const found = await here.call('sites.list', { tag: 'vip', client: 'Example Ltd' })
    assert.deepEqual(
      (found.sites as { notes: string }[]).map(({ notes }) => notes),
      ['Two\nlines'],
    )
    assert.deepEqual((await set({ tags: [], client: '', notes: '' })).json, { id, tags: [], client: null, notes: null })
    await assert.rejects(here.call('sites.list', { tag: 'vip' }), { code: 'invalid_payload' })
    assert.equal((await here.call('sites.list', { client: 'Example Ltd' })).total, 0, 'there is such a client, without sites')
    await assert.rejects(here.call('sites.list', { client: 'Example Ltd' }, { caller: here.caller({ sees: { site_ids: [id] } }) }), {
      code: 'invalid_payload',
    })
    for (const wrong of [
      { tags: [''] },
      { tags: ['a\nb'] },
      { client: 'x'.repeat(201) },
      { notes: '\u0000' },
      { tags: Array(51).fill('x') },
    ])
      assert.equal((await set(wrong)).status, 400, JSON.stringify(wrong).slice(0, 40))
    const read = await here.token('read')
    assert.equal((await here.rest('POST', `/api/v1/sites/${id}`, { token: read.token, body: { tags: ['mine'] } })).status, 403)
  })

  test('an answer has an ETag that changes with the site and with nothing else', async () => {
    const { id } = await here.site()
    const { token } = await here.token('read')
    for (const path of [`/api/v1/sites/${id}`, '/api/v1/sites']) {
      const first = await here.rest('GET', path, { token })
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]+"$/)
      const same = await here.rest('GET', path, { token, headers: { 'if-none-match': etag } })
      assert.deepEqual([same.status, same.text], [304, ''])
      await sql`UPDATE sites SET name = name || '!' WHERE id = ${id}`.execute(here.world.db)
      const other = await until(async () => {
        const answer = await here.rest('GET', path, { token, headers: { 'if-none-match': etag } })
        return answer.status !== 304 && answer
      })
      assert.equal(other.status, 200)
      assert.notEqual(other.headers.get('etag'), etag)
    }
  })

  const troubles: [Trouble, string, RegExp][] = [
    ['down', 'site_unreachable', /./],
    ['html', 'site_refused', /HTML|page/i],
    ['redirect', 'site_refused', /www\.example\.org|redirect|moved/i],
    ['challenge', 'site_refused', /Cloudflare|challenge/i],
    ['security_plugin', 'site_refused', /Wordfence/],
    ['login_wall', 'site_refused', /log ?in/i],
    ['basic_auth', 'site_refused', /password|auth/i],
    ['server_error', 'site_failed', /500|error/i],
    ['unsigned_json', 'site_refused', /sign/i],
    ['wrong_key', 'site_failed', /key|sign/i],
    ['garbage', 'site_failed', /./],
  ]
  for (const [trouble, code, words] of troubles)
    test(`a ping that meets ${trouble} says so, the site shows it, and a good answer clears it`, async () => {
      const { id, fake } = await here.site()
      fake.misbehave(trouble)
      await assert.rejects(ping(id), (error: Error & { code: string }) => {
        assert.equal(error.code, code, error.message)
        assert.match(error.message, words)
        return true
      })
      const site = (await here.call('sites.get', { site_id: id })) as {
        status: string
        connection: { last_error: { code: string; message: string; reason: SiteReason; next: string } | null }
      }
      assert.equal(site.status, 'unreachable')
      assert.equal(site.connection.last_error?.code, code)
      assert.match(site.connection.last_error?.message ?? '', words)
      assert.equal(site.connection.last_error?.next, remedies[site.connection.last_error?.reason ?? 'dns'])
      fake.misbehave()
      assert.equal((await ping(id)).ok, true)
      const better = (await here.call('sites.get', { site_id: id })) as typeof site
      assert.deepEqual([better.status, better.connection.last_error], ['connected', null])
    })

  test('a clone is named, and is connected again once it is none', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('clone')
    await assert.rejects(ping(id), { code: 'site_refused', message: /copy/ })
    assert.equal(await statusOf(id), 'clone_detected')
    await assert.rejects(here.call('backups.create', { site_id: id }), { code: 'conflict' })
    await assert.rejects(here.call('login.create', { site_id: id }), { code: 'site_refused' })
    fake.misbehave()
    await ping(id)
    assert.equal(await statusOf(id), 'connected')
  })

  test('a paused site stays paused whatever a ping finds', async () => {
    const { id, fake } = await here.site()
    await sql`UPDATE sites SET status = 'paused' WHERE id = ${id}`.execute(here.world.db)
    await until(async () => (await statusOf(id)) === 'paused')
    await ping(id)
    assert.equal(await statusOf(id), 'paused')
    fake.misbehave('down')
    await assert.rejects(ping(id), { code: 'site_unreachable' })
    assert.equal(await statusOf(id), 'paused')
  })

  test('a site that said goodbye while it was being asked stays disconnected', async () => {
    const { id, fake } = await here.site()
    const before = fake.requests.length
    fake.misbehave('slow', { slowMs: 2000 })
    const pinging = ping(id)
    await until(() => fake.requests.length > before)
    await sql`UPDATE sites SET status = 'disconnected' WHERE id = ${id}`.execute(here.world.db)
    await pinging.catch(() => undefined)
    assert.equal(await statusOf(id), 'disconnected')
  })

  test('a change that meets the removal of its site waits for it, and then finds no site', async () => {
    const [site_id = ''] = await insert(here.workspaceId, [{ name: 'Leaving', url: 'https://leaving.example' }])
    assert.equal(await statusOf(site_id), 'connected')
    let setting: Promise<unknown> = Promise.resolve()
    await here.world.db.transaction().execute(async (db) => {
      await sql`DELETE FROM sites WHERE id = ${site_id}`.execute(db)
      setting = here.call('schedules.set', { site_id, inherit: true }).catch((error: unknown) => error)
      // Where the site is not held first, it is the change itself that waits.
      await Promise.race([setting, untilLocked(here.world.db, 'FROM sites[^;]*FOR KEY SHARE|INTO schedules')])
    })
    assert.equal(((await setting) as { code?: string }).code, 'not_found')
  })

  test('a thousand sites are listed whole, filtered and paged', async () => {
    const workspaceId = await here.workspace('Large')
    await insert(
      workspaceId,
      Array.from({ length: 1000 }, (_, n) => ({
        name: `Site ${n}`,
        url: `https://s${n}.example`,
        tags: n % 10 === 0 ? ['tenth'] : [],
        plugins: n % 2,
      })),
    )
    const { token } = await here.token('read', { workspaceId })
    const get = async (query = '') => {
      const answer = await here.rest('GET', `/api/v1/sites${query}`, { token })
      assert.equal(answer.status, 200)
      return {
        sites: answer.json as unknown as { id: string }[],
        total: answer.headers.get('x-total-count'),
        link: answer.headers.get('link'),
      }
    }
    assert.deepEqual([(await get()).sites.length, (await get()).total], [1000, '1000'])
    assert.equal((await get('?tag=tenth&has_updates=false')).sites.length, 100)
    const page = await get('?limit=300')
    assert.deepEqual([page.sites.length, page.total], [300, '1000'])
    assert.match(page.link ?? '', /rel="next"/)
    assert.equal((await get('?limit=5000')).sites.length, 1000, 'more than the most is cut to the most')
  })
})
