import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aListener } from '../../test/listener.ts'
import { aBrowser, aPerson, type Browser } from '../../test/person.ts'
import { aWorld, patient, type TestWorld } from '../../test/world.ts'
import { openService } from '../service.ts'

type Listener = Awaited<ReturnType<typeof aListener>>

/** A token and somebody of a client, who see one of two sites, at either of two nodes: of the other one they hear nothing. */
describe('who sees some sites follows these', () => {
  let here: TestWorld
  let other: { url: string; close(): Promise<void> }
  let seen: string
  let hidden: string
  let token: string
  let cleo: Browser
  let userId: string
  let ann: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' }, undefined, { signalTimes: patient })
    const { config, log, now } = here.world
    const service = await openService({ config: { ...config, role: 'serve' }, log, now, address: here.address, signalTimes: patient })
    const url = (await service.server?.listen({ host: '127.0.0.1', port: 0 })) ?? ''
    other = { url, close: () => service.close() }
    ann = await aPerson(here, 'ann@example.com', 'owner')
    seen = (await here.site()).id
    hidden = (await here.site()).id
    for (const site_id of [seen, hidden]) await here.call('sites.set', { site_id, client: site_id === seen ? 'Cleo Ltd' : 'Ben Ltd' })
    token = await another()
    userId = await aPerson(here, 'cleo@client.example', 'viewer', { sees: { client: 'Cleo Ltd' } })
    cleo = aBrowser(here)
    await cleo.signIn('cleo@client.example')
  })
  after(async () => {
    await other.close()
    await here.close()
  })
  const another = async () =>
    String((await here.call('tokens.create', { name: 'some', scope: 'write', sees: { client: 'Cleo Ltd' } })).token)
  const cookie = () => [...cleo.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const asOwner = () => ({ caller: here.caller({ id: ann }) })
  const act = async (site_id: string, more = {}) => String((await here.call('activity.log', { site_id, summary: 'Swept', ...more })).id)
  const ready = async (listener: Listener) => {
    assert.equal((await listener.until(() => true))?.event, 'ready')
    return listener
  }
  /** All that was told up to an entry about the site that is seen. */
  const upToNow = async (listener: Listener, site = seen) => {
    const entry = await act(site)
    assert.ok(await listener.until(({ data }) => data.id === entry), 'the stream goes on')
    return listener.heard.filter(({ data }) => data.id !== entry)
  }
  const faces: [string, () => Promise<Listener>][] = [
    ['a token', () => aListener(here, { as: token })],
    ['a token at another node', () => aListener(other, { as: token })],
    ['somebody of a client', () => aListener(here, { cookie: cookie() })],
    ['a token that follows its one site', () => aListener(here, { as: token, path: `/sites/${seen}/events` })],
  ]

  for (const [who, listens] of faces)
    test(`${who} hears of the site, and of no other one, whatever happens there`, async () => {
      const listener = await ready(await listens())
      const { job_id: theirs } = await here.call('backups.create', { site_id: hidden, type: 'db' })
      await here.job(String(theirs))
      await here.call('sites.set', { site_id: hidden, notes: `For ${who}` })
      await act(hidden)
      // Of both sites, and so of neither alone.
      const { job_id: rollout } = await here.call('backups.create', { every_site: true, type: 'db' })
      await here.job(String(rollout))
      await here.call('notifications.add_channel', { name: `To ${who}`, type: 'webhook', url: 'https://hooks.example.com/x' })
      const { job_id } = await here.call('backups.create', { site_id: seen, type: 'db' })
      await here.job(String(job_id))
      const told = await upToNow(listener)
      assert.ok(told.some(({ data }) => data.id === job_id && data.site_id === seen))
      for (const { data } of told) {
        assert.ok(data.site_id === seen || (data.kind === 'ready' && data.id === null), JSON.stringify(data))
        assert.ok(![hidden, theirs, rollout].includes(data.id ?? ''))
      }
      listener.close()
    })

  test('what colleagues tell each other is told to a token of theirs, and to nobody of a client', async () => {
    const [agent, guest] = [await ready(await aListener(here, { as: token })), await ready(await aListener(here, { cookie: cookie() }))]
    const between = await act(seen, { internal: true })
    assert.ok(!(await upToNow(guest)).some(({ data }) => data.id === between))
    assert.ok((await upToNow(agent)).some(({ data }) => data.id === between))
    agent.close()
    guest.close()
  })

  test('what waits for a person is told to the token that asked for it, and to nobody else who sees some sites only', async () => {
    const asking = await here.token('write', { approval_only: true, sees: { client: 'Cleo Ltd' } } as object)
    const [own, agent, guest, colleague] = [
      await ready(await aListener(here, { as: asking.token })),
      await ready(await aListener(here, { as: token })),
      await ready(await aListener(here, { cookie: cookie() })),
      await ready(await aListener(here, { as: (await here.token('read')).token })),
    ]
    const { json, text } = await here.rest('POST', `/api/v1/sites/${seen}/backups`, { token: asking.token, body: { type: 'db' } })
    const { approval_id } = json as unknown as { approval_id: string }
    const isTold = async (listener: Listener) =>
      (await upToNow(listener)).some(({ data }) => data.kind === 'approval' && data.id === approval_id)
    assert.deepEqual(
      [await isTold(own), await isTold(colleague), await isTold(agent), await isTold(guest)],
      [true, true, false, false],
      text,
    )
    for (const each of [own, colleague, agent, guest]) each.close()
  })

  test('a rollout is told to the token that asked for it', async () => {
    const listener = await ready(await aListener(here, { as: token }))
    const answer = await here.rest('POST', '/api/v1/backups', { token, body: { every_site: true, type: 'db' } })
    const { job_id } = answer.json as unknown as { job_id: string }
    await here.job(job_id)
    assert.ok((await upToNow(listener)).some(({ data }) => data.kind === 'rollout' && data.id === job_id))
    listener.close()
  })

  test('very many changes at once are told where they are about a site that is seen, and only there', async () => {
    const listener = await ready(await aListener(here, { as: token }))
    const many = (name: string, site: string) =>
      sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, performed_at, internal, in_reports, actor, source, created_at)
        SELECT ${here.workspaceId}, ${name} || n, ${site}, 'event', 'other', 'x', now(), true, false, '{}', 'api', now() FROM generate_series(1, 500) n`.execute(
        here.world.db,
      )
    await many('act_theirs_', hidden)
    assert.deepEqual(
      (await upToNow(listener)).map(({ event }) => event),
      ['ready'],
    )
    await many('act_ours_', seen)
    const told = (await upToNow(listener)).filter(({ data }) => data.kind === 'activity' && data.id === null)
    assert.deepEqual(
      told.map(({ data }) => data),
      [{ kind: 'activity', id: null, site_id: null }],
    )
    // As when very many sites change in one statement.
    listener.forget()
    await sql`SELECT pg_notify('svc_sites', ${here.workspaceId})`.execute(here.world.db)
    const sites = (told: Listener['heard']) => told.filter(({ data }) => data.kind === 'site').map(({ data }) => data)
    assert.deepEqual(sites(await upToNow(listener)), [], 'none of them looks another way')
    await sql`ALTER TABLE sites DISABLE TRIGGER sites_updated`.execute(here.world.db)
    await sql`UPDATE sites SET name = name || '!' WHERE workspace_id = ${here.workspaceId}`.execute(here.world.db)
    await sql`ALTER TABLE sites ENABLE TRIGGER sites_updated`.execute(here.world.db)
    await sql`SELECT pg_notify('svc_sites', ${here.workspaceId})`.execute(here.world.db)
    assert.deepEqual(sites(await upToNow(listener)), [{ kind: 'site', id: seen, site_id: seen }])
    listener.close()
  })

  test('a site that leaves their sight is told no longer, on any node, and one that comes into it is', async () => {
    const listeners = [
      await ready(await aListener(here, { as: token })),
      await ready(await aListener(other, { as: token })),
      await ready(await aListener(here, { cookie: cookie() })),
    ]
    for (const each of listeners) each.forget()
    await here.call('sites.set', { site_id: hidden, client: 'Cleo Ltd' })
    for (const each of listeners) assert.ok(await each.until(({ event }) => event === 'reset'))
    const heard = await act(hidden)
    for (const each of listeners) {
      assert.ok(await each.until(({ data }) => data.id === heard), 'it is seen now')
      each.forget()
    }
    await here.call('sites.set', { site_id: hidden, client: 'Ben Ltd' })
    const unheard = await act(hidden)
    // What happens in the same moment is not told beside it: it says that anything may have.
    for (const each of listeners) assert.ok(await each.until(({ event }) => event === 'reset'))
    for (const each of listeners) {
      const told = await upToNow(each)
      assert.ok(told.some(({ event }) => event === 'reset'))
      for (const { data } of told) assert.ok(data.site_id !== hidden && data.id !== hidden && data.id !== unheard)
      each.close()
    }
  })

  test('who comes again hears what they missed of their sites; when they see others by now, that anything may have changed', async () => {
    const first = await ready(await aListener(here, { as: token }))
    const known = await act(seen)
    const last = (await first.until(({ data }) => data.id === known))?.id ?? assert.fail()
    first.close()
    const missed = [await act(hidden), await act(seen)]
    const again = await aListener(here, { as: token, after: last })
    const told = await upToNow(again)
    assert.deepEqual(
      told.map(({ data }) => data.id),
      [missed[1]],
    )
    again.close()
    await here.call('sites.set', { site_id: hidden, client: 'Cleo Ltd' })
    const more = await aListener(here, { as: token, after: last })
    assert.equal((await more.until(() => true))?.event, 'reset')
    more.close()
    await here.call('sites.set', { site_id: hidden, client: 'Ben Ltd' })
    // A place of somebody who sees all says nothing to one who does not.
    const all = await ready(await aListener(here, { as: (await here.token('read')).token }))
    const place = all.heard[0]?.id
    all.close()
    await act(hidden)
    const some = await aListener(here, { as: token, after: place })
    assert.deepEqual((await some.until(() => true))?.data, { kind: 'reset', id: null, site_id: null })
    some.close()
  })

  test('other sites for a person: their stream ends, and the next one tells of those alone', async () => {
    const listener = await ready(await aListener(here, { cookie: cookie() }))
    const place = listener.heard[0]?.id
    await here.call('members.set', { user_id: userId, role: 'viewer', sees: { client: 'Ben Ltd' } }, asOwner())
    const entry = await act(seen)
    assert.equal(await listener.until(({ data }) => data.id === entry), undefined, 'it has ended, and did not tell')
    const next = await aListener(here, { cookie: cookie(), after: place })
    assert.equal((await next.until(() => true))?.event, 'reset')
    const unheard = await act(seen)
    for (const { data } of await upToNow(next, hidden)) assert.ok(data.site_id !== seen && data.id !== unheard)
    next.close()
    await here.call('members.set', { user_id: userId, role: 'viewer', sees: { client: 'Cleo Ltd' } }, asOwner())
  })

  test('another workspace, with a client of the same name, is not there; nor is a site that is not seen', async () => {
    const workspaceId = await here.workspace('Elsewhere')
    const theirs = await here.site(workspaceId)
    await here.call('sites.set', { site_id: theirs.id, client: 'Cleo Ltd' }, { caller: here.caller({ workspaceId }) })
    const listener = await ready(await aListener(here, { as: token }))
    listener.forget()
    await here.call('sites.set', { site_id: theirs.id, notes: 'x' }, { caller: here.caller({ workspaceId }) })
    assert.deepEqual(await upToNow(listener), [])
    listener.close()
    for (const id of [hidden, theirs.id]) assert.equal((await here.rest('GET', `/api/v1/sites/${id}/events`, { token })).status, 404)
  })

  test('they take twenty streams, and leave the others theirs', async () => {
    const as = await another()
    const open = await Promise.all(Array.from({ length: 20 }, () => aListener(here, { as })))
    const refused = await here.rest('GET', '/api/v1/events', { token: as })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
    const all = await ready(await aListener(here, { as: (await here.token('read')).token }))
    for (const each of [...open, all]) each.close()
  })

  test('agents that are paused hear nothing more', async () => {
    const listener = await ready(await aListener(here, { as: await another() }))
    await here.call('agents.pause', {}, asOwner())
    const entry = await act(seen)
    assert.equal(await listener.until(({ data }) => data.id === entry), undefined)
  })
})
