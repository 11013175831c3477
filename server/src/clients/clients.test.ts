import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { monthBefore, monthOf, nextMonthly } from '../kernel/calendar.ts'

describe('clients', { concurrency: 4 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  /** A site of a client who is there from now on. */
  const aSiteOf = async (client: string) => {
    const { id } = await here.site()
    await here.call('sites.set', { site_id: id, client })
    return id
  }
  const clientOf = async (site_id: string) => (await here.call('sites.get', { site_id })).client
  const sitesOf = async (client: string) => ((await here.call('sites.list', { client })).sites as { id: string }[]).map(({ id }) => id)

  test('whoever a site is said to be of is a client, once, however often it is said', async () => {
    const one = await aSiteOf('Fern & Co')
    const two = await aSiteOf('Fern & Co')
    const { clients } = (await here.call('clients.list', { q: 'fern' })) as unknown as { clients: { name: string; sites: number }[] }
    assert.deepEqual(
      clients.map(({ name, sites }) => [name, sites]),
      [['Fern & Co', 2]],
    )
    assert.deepEqual((await sitesOf('Fern & Co')).sort(), [one, two].sort())
    await assert.rejects(here.call('clients.create', { name: 'Fern & Co' }), { code: 'conflict' })
  })

  test('a new name is that of its sites, of what notices are sent for, and of what tokens see', async () => {
    const site = await aSiteOf('Old Name')
    const channel = await here.call('notifications.add_channel', { name: 'Hook', type: 'slack', url: 'http://127.0.0.1:9/' })
    await here.call('notifications.add_rule', { channel_id: channel.id, client: 'Old Name' })
    const { token } = await here.call('tokens.create', { name: 'Theirs', scope: 'read', sees: { client: 'Old Name' } })
    const seen = async () =>
      ((await here.rest('GET', '/api/v1/sites', { token: String(token) })).json as { id: string }[]).map(({ id }) => id)
    assert.deepEqual(await seen(), [site])
    await here.call('clients.set', { client_id: 'Old Name', name: 'New Name' })
    assert.equal(await clientOf(site), 'New Name')
    assert.deepEqual(await sitesOf('New Name'), [site])
    await assert.rejects(sitesOf('Old Name'), { code: 'invalid_payload' }, 'nobody is called so any more')
    await until(async () => (await seen()).length === 1)
    const { rules } = (await here.call('notifications.rules')) as unknown as { rules: { client: string | null }[] }
    assert.ok(rules.some(({ client }) => client === 'New Name') && !rules.some(({ client }) => client === 'Old Name'))
    await aSiteOf('Third')
    await assert.rejects(here.call('clients.set', { client_id: 'Third', name: 'New Name' }), { code: 'conflict' })
  })

  test('the sites of a client that is removed stay, and are nobody’s', async () => {
    const site = await aSiteOf('Leaving')
    await here.call('clients.remove', { client_id: 'Leaving' })
    assert.equal(await clientOf(site), null)
    await assert.rejects(here.call('clients.get', { client_id: 'Leaving' }), { code: 'not_found' })
  })

  test('the client of another workspace does not exist, whatever its name', async () => {
    const caller = here.caller({ workspaceId: await here.workspace('Elsewhere') })
    const { id } = await here.call('clients.create', { name: 'Same' })
    const theirs = await here.call('clients.create', { name: 'Same' }, { caller })
    assert.notEqual(theirs.id, id)
    for (const name of ['clients.get', 'clients.set', 'clients.remove'])
      await assert.rejects(here.call(name, { client_id: id }, { caller }), { code: 'not_found' })
    await sql`UPDATE clients SET name = 'Other' WHERE id = ${String(theirs.id)}`.execute(here.world.db)
    assert.equal((await here.call('clients.get', { client_id: id })).name, 'Same')
  })

  const refused: [string, object, string][] = [
    ['a zone that is none', { time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['an offset for a zone', { time_zone: '+02:00' }, 'time_zone'],
    ['a colour with more in it', { colour: '#0b5fb0;}' }, 'colour'],
    ['a language nobody wrote', { language: 'tlh' }, 'language'],
    ['an address that is none', { recipients: ['ann@example.com\r\nBcc: x@example.com'] }, 'recipients.0'],
    ['a section that is none', { hidden: ['everything'] }, 'hidden.0'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a day that not every month has', { schedule: { mode: 'draft', day: 31 } }, 'schedule.day'],
    ['a picture that runs', { logo: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64') }, 'logo'],
    ['a picture larger than any page', { logo: aPng(30_000, 30_000) }, 'logo'],
    ['what is no base64', { logo: 'nö' }, 'logo'],
  ]
  for (const [what, given, path] of refused)
    test(`${what} is refused`, async () => {
      const { id } = await here.call('clients.create', { name: `Refuses ${what}` })
      await assert.rejects(here.call('clients.set', { client_id: id, ...given }), (error: { code: string; errors: { path: string }[] }) => {
        assert.deepEqual([error.code, error.errors[0]?.path], ['invalid_payload', path])
        return true
      })
    })

  test('a logo is kept as it came, and taken away', async () => {
    const { id } = await here.call('clients.create', { name: 'Pictured', logo: aPng(20, 10) })
    const { token } = await here.token('read')
    const answer = await here.rest('GET', `/api/v1/clients/${id}/logo`, { token })
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')],
      [200, 'image/png', 'attachment; filename="logo.png"'],
    )
    const { logo } = await here.call('clients.set', { client_id: id, logo: '' })
    assert.equal(logo, null)
    assert.equal((await here.rest('GET', `/api/v1/clients/${id}/logo`, { token })).status, 404)
  })
})

/** The beginning of a PNG of that size. */
function aPng(width: number, height: number): string {
  const bytes = Buffer.alloc(64)
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes.toString('base64')
}

test('a month begins and ends when it does where the client is, also where clocks are changed', () => {
  const iso = ({ from, to }: { from: Date; to: Date }) => [from.toISOString(), to.toISOString()]
  assert.deepEqual(iso(monthOf('2026-10', 'Europe/Berlin')), ['2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'])
  assert.deepEqual(iso(monthBefore(new Date('2026-01-01T00:30:00Z'), 'America/Los_Angeles')), [
    '2025-11-01T07:00:00.000Z',
    '2025-12-01T08:00:00.000Z',
  ])
  assert.deepEqual(iso(monthOf('2026-12', 'Pacific/Kiritimati')), ['2026-11-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z'])
})

test('the next time is later than now, and at that hour there', () => {
  const next = (after: string, day: number, hour: number, zone = 'Europe/Berlin') =>
    nextMonthly({ day, hour }, zone, new Date(after)).toISOString()
  assert.equal(next('2026-10-01T05:59:59Z', 1, 8), '2026-10-01T06:00:00.000Z')
  assert.equal(next('2026-10-01T06:00:00Z', 1, 8), '2026-11-01T07:00:00.000Z')
  assert.equal(next('2026-12-31T23:30:00Z', 1, 8), '2027-01-01T07:00:00.000Z')
  // An hour that this day does not have there.
  assert.equal(next('2026-03-20T00:00:00Z', 8, 2, 'America/New_York'), '2026-04-08T06:00:00.000Z')
  assert.equal(next('2026-03-01T00:00:00Z', 8, 2, 'America/New_York'), '2026-03-08T07:00:00.000Z')
  assert.equal(next('2027-03-20T00:00:00Z', 28, 2), '2027-03-28T01:00:00.000Z')
  // One that it has twice.
  assert.equal(next('2026-10-02T00:00:00Z', 25, 2), '2026-10-25T00:00:00.000Z')
  assert.equal(next('2026-10-02T00:00:00Z', 1, 1, 'America/New_York'), '2026-11-01T05:00:00.000Z')
})
