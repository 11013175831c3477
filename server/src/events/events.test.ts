import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aListener } from '../../test/listener.ts'
import { aBrowser, aPerson } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { aWorld, patient, type TestWorld } from '../../test/world.ts'
import { openChanges } from '../platform/changes.ts'

let here: TestWorld
let token: string
before(async () => {
  here = await aWorld({}, undefined, { signalTimes: patient })
  token = (await here.token('read')).token
})
after(() => here.close())

const listen = (path?: string, how: Parameters<typeof aListener>[1] = {}) => aListener(here, { path, as: token, ...how })

const act = (site_id: string) => here.call('activity.log', { site_id, summary: 'Swept the path' })

test('what changes is said as it happens, to those whose it is, and no more than what', async () => {
  const { id } = await here.site()
  const other = await here.workspace('Other')
  const [mine, theirs] = [await listen(), await listen('/events', { as: (await here.token('read', { workspaceId: other })).token })]
  assert.equal((await mine.until(() => true))?.event, 'ready')
  const { job_id } = await here.call('backups.create', { site_id: id, type: 'db' })
  const job = await mine.until(({ data }) => data.id === job_id)
  assert.deepEqual([job?.event, job?.data], ['job', { kind: 'job', id: job_id, site_id: id }])
  const entry = await act(id)
  await mine.until(({ data }) => data.kind === 'activity' && data.id === entry.id)
  await here.call('sites.set', { site_id: id, notes: 'A secret note' })
  const site = await mine.until(({ data }) => data.kind === 'site' && data.id === id)
  assert.deepEqual(Object.keys(site?.data ?? {}), ['kind', 'id', 'site_id'])
  await here.job(String(job_id))
  const entryOfTheirs = await here.site(other)
  await theirs.until(({ data }) => data.id === entryOfTheirs.id)
  for (const { data } of theirs.heard) assert.ok(data.site_id !== id && data.id !== id)
  for (const { data } of mine.heard) assert.ok(data.site_id !== entryOfTheirs.id)
  mine.close()
  theirs.close()
})

test('who was away hears what he missed, once, and is told when nobody knows', async () => {
  const { id } = await here.site()
  const first = await listen()
  await first.until(({ event }) => event === 'ready')
  const known = await act(id)
  const last = await first.until(({ data }) => data.id === known.id)
  first.close()
  const missed = await act(id)
  const again = await listen('/events', { after: last?.id ?? '' })
  assert.ok(await again.until(({ data }) => data.id === missed.id))
  assert.ok(again.heard.every(({ data, event }) => data.id !== known.id && event !== 'ready' && event !== 'reset'))
  again.close()
  for (const after of ['0123456789ab-5', 'nonsense', '0'.repeat(32), `${last?.id.slice(0, -1)}${last?.id.endsWith('0') ? 1 : 0}`]) {
    const lost = await listen('/events', { after })
    const [reset] = [await lost.until(() => true)]
    assert.equal(reset?.event, 'reset')
    // From here it goes on as usual.
    const entry = await act(id)
    assert.ok(await lost.until(({ data }) => data.id === entry.id))
    lost.close()
  }
})

test('one site alone can be followed, and only by those whose it is', async () => {
  const [one, two] = [await here.site(), await here.site()]
  const followed = await listen(`/sites/${one.id}/events`)
  await followed.until(({ event }) => event === 'ready')
  await act(two.id)
  const entry = await act(one.id)
  await followed.until(({ data }) => data.id === entry.id)
  assert.ok(followed.heard.every(({ data }) => data.site_id !== two.id))
  followed.close()
  const stranger = await here.token('read', { workspaceId: await here.workspace('Elsewhere') })
  assert.equal((await here.rest('GET', `/api/v1/sites/${one.id}/events`, { token: stranger.token })).status, 404)
  assert.equal((await here.rest('GET', '/api/v1/events')).status, 401)
  assert.equal((await here.rest('GET', '/api/v1/events?after=1', { token })).status, 400)
})

test('a token that is revoked hears nothing more', async () => {
  const { id } = await here.site()
  const made = await here.token('read')
  const listener = await listen('/events', { as: made.token })
  await listener.until(({ event }) => event === 'ready')
  await here.call('tokens.revoke', { token_id: made.id })
  const entry = await act(id)
  assert.equal(await listener.until(({ data }) => data.id === entry.id), undefined, 'the stream has ended')
})

test('a person who is signed in follows by the cookie alone, and hears nothing more once signed out or removed', async () => {
  const { id } = await here.site()
  for (const end of ['signed out', 'removed']) {
    const email = `${end.replace(' ', '')}@example.com`
    const userId = await aPerson(here, email, 'member')
    const browser = aBrowser(here)
    await browser.signIn(email)
    const listener = await listen('/events', { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') })
    assert.equal((await listener.until(() => true))?.event, 'ready')
    const heard = await act(id)
    assert.ok(await listener.until(({ data }) => data.id === heard.id), 'it goes on behind its first word')
    if (end === 'removed')
      await here.call('members.remove', { user_id: userId }, { caller: here.caller({ id: await aPerson(here, 'o@example.com', 'owner') }) })
    else assert.equal((await browser.send('POST', '/session/end', {})).status, 200)
    const entry = await act(id)
    assert.equal(await listener.until(({ data }) => data.id === entry.id), undefined, end)
  }
})

test('a workspace has so many streams and no more, and one that is closed makes room', async () => {
  const workspaceId = await here.workspace('Busy')
  const as = (await here.token('read', { workspaceId })).token
  const listeners = await Promise.all(Array.from({ length: 100 }, () => listen('/events', { as })))
  const refused = await here.rest('GET', '/api/v1/events', { token: as })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
  // Reads go on beside them.
  assert.equal((await here.rest('GET', '/api/v1/sites', { token: as })).status, 200)
  for (const each of listeners) each.close()
  await until(async () => {
    const hangUp = new AbortController()
    const { status } = await fetch(`${here.url}/api/v1/events`, { headers: { authorization: `Bearer ${as}` }, signal: hangUp.signal })
    hangUp.abort()
    return status === 200
  })
})

test('very many changes at once are told as one, and jobs that move on by percent now and then', async () => {
  const { id } = await here.site()
  const listener = await listen()
  await listener.until(({ event }) => event === 'ready')
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, performed_at, internal, in_reports, actor, source, created_at)
    SELECT ${here.workspaceId}, 'activity_' || n, ${id}, 'event', 'other', 'x', now(), true, false, '{}', 'api', now() FROM generate_series(1, 500) n`.execute(
    here.world.db,
  )
  const many = await listener.until(({ data }) => data.kind === 'activity' && data.id === null)
  assert.deepEqual(many?.data, { kind: 'activity', id: null, site_id: null })
  assert.ok(listener.heard.filter(({ data }) => data.kind === 'activity').length < 5)
  listener.close()
})

test('a place says nothing of how much others did', async () => {
  const { id } = await here.site()
  const listener = await listen()
  const ids = new Set<string>()
  for (let n = 0; n < 5; n++) {
    const entry = await act(id)
    ids.add((await listener.until(({ data }) => data.id === entry.id))?.id ?? assert.fail())
  }
  listener.close()
  assert.equal(ids.size, 5)
  for (const place of ids) assert.match(place, /^[0-9a-f]{32}$/)
  // A number that counts would keep the same beginning or end.
  for (const part of [0, 24]) assert.equal(new Set([...ids].map((place) => place.slice(part, part + 8))).size, 5)
})

test('a node that may have missed something says so', () => {
  const channels = new Map<string, { hear(payload: string): void; forget(): void }>()
  const changes = openChanges({ on: (channel, listener) => void channels.set(channel, listener) }, 10)
  const start = changes.now()
  channels.get('svc_changes')?.hear('w1 job job_1 site_1')
  channels.get('svc_changes')?.hear('w2 job job_2')
  channels.get('svc_changes')?.hear('w1 nonsense x')
  channels.get('svc_changes')?.hear('w1 activity * site_1,site_2')
  channels.get('svc_changes')?.hear('w1 activity act_1 site_1 internal')
  channels.get('svc_sites')?.hear('w1')
  const news = changes.since('w1', start) ?? assert.fail()
  assert.deepEqual(
    news.map(({ at: _, kind, id, site_id, ...more }) => [kind, id, site_id, ...Object.entries(more).flat()]),
    [
      ['job', 'job_1', 'site_1'],
      ['activity', null, null, 'sites', ['site_1', 'site_2']],
      ['activity', 'act_1', 'site_1', 'internal', true],
      ['site', null, null],
    ],
  )
  for (let n = 0; n < 100; n++) channels.get('svc_changes')?.hear(`w1 job job_${n}`)
  assert.equal(changes.since('w1', start), undefined, 'too long ago')
  const before = changes.now()
  channels.get('svc_sites')?.forget()
  assert.deepEqual(changes.since('w2', before)?.map(({ kind }) => kind) ?? ['reset'], ['reset'], 'of all workspaces')
  assert.equal(openChanges({ on: () => undefined }).since('w1', changes.now()), undefined, 'a place of another process')
})
