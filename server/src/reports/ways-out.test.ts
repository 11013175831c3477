import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aChromium } from '../../test/fake-chromium.ts'
import { aSite } from '../../test/fake-year.ts'
import { type MailServer, partsOf, startMailServer } from '../../test/mail-server.ts'
import { asMember } from '../../test/people.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { gather } from '../notifications/gather.ts'
import { deliverMails } from './mails.ts'
import { runSchedule } from './schedule.ts'

const dayMs = 86_400_000
interface Mailed {
  address: string
  status: string
  error: string | null
}

describe('a report on its way', () => {
  let here: TestWorld
  let smtp: MailServer
  let token: string
  const browser = aChromium('prints')
  before(async () => {
    smtp = await startMailServer()
    const mail = { SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>' }
    here = await aWorld({ ...mail, SERVICE_CHROMIUM: browser.program }, undefined, { withoutDuties: ['report schedule', 'report mails'] })
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    await here.call('clients.create', { name: 'Ann & Co', recipients: ['ann@example.com', 'bo@example.com'], time_zone: 'Europe/Berlin' })
    await aSite(here, { id: 'site_00000000000000000000000000', name: 'Gärtnerei', client: 'Ann & Co' })
    await here.call('reports.set_settings', { sender: 'Fern Agency', reply_to: 'care@fern.example' })
    token = (await here.token('write')).token
  })
  after(async () => {
    await here.close()
    await smtp.stop()
    browser.stop()
  })

  let month = 0
  const published = async () => {
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: `2026-${String(++month).padStart(2, '0')}` })
    await here.call('reports.publish', { report_id: id })
    return String(id)
  }
  const mailsOf = async (id: string) => (await here.call('reports.get', { report_id: id })).mails as Mailed[]

  test('as PDF is what the browser printed of it, and of a published one always the same', async () => {
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: '2026-12' })
    const pdf = async () => here.rest('GET', `/api/v1/reports/${id}/pdf`, { token })
    const { prints_pdf, sends_mail } = await here.call('reports.settings')
    assert.deepEqual([prints_pdf, sends_mail], [true, true])
    assert.match((await pdf()).text, /^%PDF-1.4\n<!doctype html>[\s\S]*class="draft"/)
    await here.call('reports.publish', { report_id: id })
    const first = await pdf()
    assert.deepEqual(
      [first.status, first.headers.get('content-type'), first.headers.get('content-disposition')],
      [200, 'application/pdf', 'attachment; filename="Ann-Co-2026-12-01-2026-12-31.pdf"'],
    )
    assert.doesNotMatch(first.text, /class="draft"/)
    const { rows } = await sql<{
      n: number
    }>`UPDATE report_files SET bytes = bytes || '!'::bytea WHERE report_id = ${id} RETURNING 1 AS n`.execute(here.world.db)
    assert.equal(rows.length, 1)
    assert.equal((await pdf()).text, `${first.text}!`, 'it is not printed again')
  })

  test('is mailed to each with a link of its own, as text and as a page, from whoever it is from', async () => {
    const id = await published()
    assert.deepEqual((await here.call('reports.send', { report_id: id })).to, ['ann@example.com', 'bo@example.com'])
    assert.deepEqual(new Set((await mailsOf(id)).map(({ status }) => status)), new Set(['waiting']))
    smtp.mails.length = 0
    await deliverMails(here.world)
    assert.deepEqual(smtp.mails.map(({ to }) => to.join()).sort(), ['ann@example.com', 'bo@example.com'])
    const links = smtp.mails.map((mail) => {
      assert.match(mail.text, /^From: Fern Agency <fleet@example.com>$/m)
      assert.match(mail.text, /^Reply-To: care@fern.example$/m)
      const parts = partsOf(mail)
      assert.deepEqual(
        parts.map(({ type }) => type),
        ['text/plain', 'text/html'],
      )
      for (const { text } of parts) {
        assert.doesNotMatch(text, /<img|<script|src=/)
        assert.ok(text.includes('Of one site it is not known whether it answers'), 'each says it alone')
        assert.ok(text.includes('Fern Agency'))
      }
      const [first, second] = parts.map(({ text }) => /http:\/\/[^\s"]+(\/r\/[\w-]{43})/.exec(text)?.[1])
      assert.equal(first, second, 'the same in both')
      return String(first)
    })
    assert.equal(new Set(links).size, 2)
    for (const link of links) assert.equal((await fetch(here.url + link)).status, 200)
    assert.deepEqual(new Set((await mailsOf(id)).map(({ status }) => status)), new Set(['sent']))
    const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM report_mails WHERE sealed_link IS NOT NULL`.execute(
      here.world.db,
    )
    assert.equal(rows[0]?.n, 0, 'the links are kept no longer')
  })

  test('looks in mails and on paper as it did when it was published, whatever has changed since', async () => {
    const id = await published()
    const page = (await here.rest('GET', `/api/v1/reports/${id}/html`, { token })).text
    await here.call('clients.set', { client_id: 'Ann & Co', name: 'Renamed', language: 'de', colour: '#aa0000', time_zone: 'Asia/Tokyo' })
    await here.call('reports.set_settings', { sender: 'Another' })
    smtp.mails.length = 0
    await here.call('reports.send', { report_id: id, to: ['ann@example.com'] })
    await deliverMails(here.world)
    const [mail = assert.fail()] = smtp.mails
    assert.match(mail.text, /^From: Fern Agency <fleet@example.com>$/m)
    for (const { text } of partsOf(mail)) {
      assert.match(text, /Report for Ann &(#38;)? Co, /)
      assert.doesNotMatch(text, /Another|Renamed|#aa0000|Bericht/)
    }
    assert.equal((await here.rest('GET', `/api/v1/reports/${id}/pdf`, { token })).text, `%PDF-1.4\n${page}`)
    const before = { name: 'Ann & Co', language: 'en', colour: '#0b5fb0', time_zone: 'Europe/Berlin' }
    await here.call('clients.set', { client_id: 'Renamed', ...before })
    await here.call('reports.set_settings', { sender: 'Fern Agency' })
  })

  test('to an address that is refused for good bounces, and is tried again where it was refused for now', async () => {
    const id = await published()
    await here.call('reports.send', { report_id: id, to: ['gone@example.com', 'ann@example.com'] })
    smtp.refuse = (address) => (address === 'gone@example.com' ? '550 no such user' : null)
    await deliverMails(here.world)
    assert.deepEqual(
      (await mailsOf(id)).map(({ address, status, error }) => [address, status, error]),
      [
        ['ann@example.com', 'sent', null],
        ['gone@example.com', 'bounced', 'The mail server answered with 550.'],
      ],
      'what one is refused another gets all the same',
    )
    await here.call('reports.send', { report_id: id, to: ['busy@example.com'] })
    smtp.refuse = '450 later'
    await deliverMails(here.world)
    assert.deepEqual((await mailsOf(id))[0]?.status, 'waiting')
    smtp.refuse = null
    await deliverMails(here.world)
    assert.deepEqual((await mailsOf(id))[0]?.status, 'waiting', 'not before its time')
    here.clock.add(31_000)
    await deliverMails(here.world)
    assert.deepEqual((await mailsOf(id))[0]?.status, 'sent')
  })

  test('whose mail to one address cannot be made is mailed to the others, and what went wrong is shown', async () => {
    const id = await published()
    await here.call('reports.send', { report_id: id, to: ['lost@example.com', 'ann@example.com'] })
    await sql`UPDATE report_mails SET sealed_link = 'AAAA' WHERE address = 'lost@example.com'`.execute(here.world.db)
    await deliverMails(here.world)
    const known = async () => Object.fromEntries((await mailsOf(id)).map(({ address, status, error }) => [address, [status, error]]))
    await until(async () => (await known())['lost@example.com']?.[1] !== null && (await known())['ann@example.com']?.[0] === 'sent')
    assert.deepEqual((await known())['lost@example.com'], ['waiting', 'The mail could not be made.'])
    assert.match(here.logs.join(''), /a mail with a report failed/)
  })

  test('that was corrected is mailed as it is now, and says what it corrects; the version before is sent by nobody', async () => {
    const id = await published()
    smtp.refuse = '450 later'
    await here.call('reports.send', { report_id: id, to: ['slow@example.com'] })
    await deliverMails(here.world)
    smtp.refuse = null
    assert.equal((await here.call('reports.get', { report_id: id })).newer, null)
    const { id: next } = await here.call('reports.correct', { report_id: id, correction: 'The figures of https://evil.example' })
    const newer = async () => (await here.call('reports.get', { report_id: id })).newer
    assert.deepEqual(await newer(), { id: next, version: 2, status: 'draft' })
    await here.call('reports.publish', { report_id: next })
    assert.deepEqual(await newer(), { id: next, version: 2, status: 'published' })
    await assert.rejects(here.call('reports.send', { report_id: id }), { code: 'conflict', message: new RegExp(`send that one, ${next}`) })
    smtp.mails.length = 0
    here.clock.add(31_000)
    await deliverMails(here.world)
    await here.call('reports.send', { report_id: next, to: ['ann@example.com'] })
    await deliverMails(here.world)
    await until(async () => smtp.mails.length === 2)
    assert.deepEqual(smtp.mails.map(({ to }) => to.join()).sort(), ['ann@example.com', 'slow@example.com'])
    for (const mail of smtp.mails)
      for (const { text } of partsOf(mail)) {
        assert.match(text, /Version 2, which corrects the one before: The figures of /)
        assert.doesNotMatch(text, /https:\/\/evil/)
      }
  })

  test('is looked at as a mail, and tried, before anybody gets it', async () => {
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: '2025-12' })
    const mail = await here.call('reports.mail', { report_id: id })
    assert.deepEqual(
      [mail.from, mail.reply_to, mail.to, mail.subject],
      [
        'Fern Agency',
        'care@fern.example',
        ['ann@example.com', 'bo@example.com'],
        'Report for Ann & Co, December 1, 2025 – December 31, 2025',
      ],
    )
    await assert.rejects(here.call('reports.send', { report_id: id }), { code: 'conflict' })
    smtp.mails.length = 0
    assert.deepEqual(await here.call('reports.test_mail', { report_id: id, to: 'me@example.com' }), { ok: true, error: null })
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [['me@example.com']],
    )
    const [tried = assert.fail()] = smtp.mails
    for (const { text } of partsOf(tried)) assert.doesNotMatch(text, /\/r\//)
    smtp.refuse = '550 no'
    assert.deepEqual(await here.call('reports.test_mail', { report_id: id, to: 'me@example.com' }), {
      ok: false,
      error: 'The mail server answered with 550.',
    })
    smtp.refuse = null
  })

  test('is tried and sent after an approval only as whoever approved it was shown', async () => {
    const scopes = new Set(['read', 'write'] as const)
    const { id: asker } = await here.token('write', { approval_only: true })
    const agent = here.caller({ type: 'token', id: asker, name: 'Agent', scopes, approvalOnly: true })
    const owner = await asMember(here)
    const ask = async (name: string, input: object) => {
      const { approval_id } = await here.call(name, input, { caller: agent })
      const { plan, plan_digest } = await here.call('approvals.get', { approval_id })
      assert.match(JSON.stringify(plan), /Report for Ann & Co/, name)
      return () => here.call('approvals.approve', { approval_id, plan_digest }, { caller: owner })
    }
    smtp.mails.length = 0
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: '2025-11' })
    const tried = await ask('reports.test_mail', { report_id: id, to: 'me@example.com' })
    await here.call('reports.annotate', { report_id: id, section: 'state', hidden: true }, { caller: agent })
    await assert.rejects(tried(), { code: 'conflict' })
    await here.call('reports.publish', { report_id: id })
    const sent = await ask('reports.send', { report_id: id })
    await here.call('clients.set', { client_id: 'Ann & Co', recipients: ['other@example.com'] })
    await assert.rejects(sent(), { code: 'conflict' })
    await here.call('clients.set', { client_id: 'Ann & Co', recipients: ['ann@example.com', 'bo@example.com'] })
    assert.deepEqual(await mailsOf(String(id)), [])
    assert.deepEqual(smtp.mails, [])
  })

  test('tokens send only so many in an hour', async () => {
    const id = await published()
    const many = Array.from({ length: 20 }, (_, n) => `a${n}@example.com`)
    let status = 201
    for (let sent = 0; sent < 15 && status === 201; sent++)
      ({ status } = await here.rest('POST', `/api/v1/reports/${id}/mails`, { token, body: { to: many } }))
    assert.equal(status, 429)
    await sql`DELETE FROM report_mails WHERE status = 'waiting'`.execute(here.world.db)
  })

  test('comes by itself: a draft on its day, and its mail some days later unless somebody discards it', async () => {
    await here.call('clients.create', {
      name: 'Later',
      recipients: ['late@example.com'],
      time_zone: 'Pacific/Auckland',
      schedule: { mode: 'send', day: 3, hour: 7, wait_days: 2 },
    })
    const reports = async () =>
      (await here.call('reports.list', { client_id: 'Later' })).reports as {
        id: string
        status: string
        period_from: string
        send_at: string | null
      }[]
    const { schedule } = (await here.call('clients.get', { client_id: 'Later' })) as { schedule: { next_at: string } }
    assert.equal(schedule.next_at, '2027-02-02T18:00:00.000Z')
    await runSchedule(here.world)
    assert.deepEqual(await reports(), [])
    const go = (to: string) => here.clock.add(Date.parse(to) - here.world.now().getTime())
    go('2027-02-02T18:00:01Z')
    await runSchedule(here.world)
    await runSchedule(here.world)
    const [draft, ...more] = await reports()
    assert.deepEqual([draft?.status, draft?.period_from, more.length], ['draft', '2026-12-31T11:00:00.000Z', 0])
    assert.equal(Math.round((Date.parse(draft?.send_at ?? '') - here.world.now().getTime()) / dayMs), 2)
    smtp.mails.length = 0
    // What the test before sent may still be on its way.
    const mailed = () => smtp.mails.map(({ to }) => to).filter(([first = '']) => !/^a\d+@example\.com$/.test(first))
    here.clock.add(2 * dayMs + 1000)
    await runSchedule(here.world)
    await deliverMails(here.world)
    assert.equal((await reports())[0]?.status, 'published')
    assert.deepEqual(mailed(), [['late@example.com']])
    go('2027-03-02T18:00:01Z')
    await runSchedule(here.world)
    const [next] = await reports()
    await here.call('reports.discard', { report_id: next?.id })
    here.clock.add(3 * dayMs)
    await runSchedule(here.world)
    await deliverMails(here.world)
    assert.deepEqual(mailed(), [['late@example.com']])
    assert.equal((await reports()).length, 1)

    // Whatever an agent that needs approval wrote is read by somebody first, also where it wrote before the draft had its day.
    go('2027-04-02T17:00:00Z')
    const agent = here.caller({ type: 'token', id: 'token_agent', name: 'Agent', scopes: new Set(['read', 'write']), approvalOnly: true })
    const writes = (report_id: string | undefined) =>
      here.call('reports.annotate', { report_id, section: 'summary', note: 'Pay here instead.' }, { caller: agent })
    const early = await here.call('reports.draft', { client_id: 'Later', month: '2027-03' })
    await writes(String(early.id))
    go('2027-04-02T18:00:01Z')
    await runSchedule(here.world)
    const held = (await reports()).find(({ id }) => id === early.id)
    assert.deepEqual([held?.status, held?.send_at], ['draft', null])
    go('2027-05-02T19:00:01Z')
    await runSchedule(here.world)
    const [later] = await reports()
    assert.notEqual(later?.send_at, null)
    const { held_back, send_at } = await writes(later?.id)
    assert.deepEqual([held_back, send_at], [true, null])
    here.clock.add(3 * dayMs)
    await runSchedule(here.world)
    assert.deepEqual(
      (await reports()).slice(0, 2).map(({ status }) => status),
      ['draft', 'draft'],
    )
  })

  test('is told to people: what waits for them, what is sent when, and what did not arrive', async () => {
    const { rows: before } = await sql<{ id: string }>`SELECT max(id) AS id FROM notices`.execute(here.world.db)
    await gather(here.world)
    const schedule = (mode: string) => ({ mode, day: 4, hour: 7, wait_days: 2 })
    const make = (name: string, mode: string) =>
      here.call('clients.create', { name, recipients: ['gone@example.com'], schedule: schedule(mode) })
    const [waits, sends] = [await make('Waits', 'draft'), await make('Sends', 'send')]
    const { next_at } = waits.schedule as { next_at: string }
    here.clock.add(Date.parse(next_at) + 1000 - here.world.now().getTime())
    await runSchedule(here.world)
    await gather(here.world)
    const told = async () =>
      (
        await sql<{ kind: string; message: string }>`SELECT kind, message FROM notices WHERE kind LIKE 'report\\_%'
          AND (message LIKE '%Waits%' OR message LIKE '%Sends%') AND id > ${before[0]?.id ?? ''} ORDER BY kind`.execute(here.world.db)
      ).rows.map(({ kind, message }) => [kind, message.replace(/report_[0-9a-z]{26}/, 'ID')])
    const at = new Date(Date.parse(next_at) + 2 * dayMs + 1000).toISOString().slice(0, 16).replace('T', ' ')
    const first = [
      ['report_to_send', `The report for Sends is published and sent on ${at} UTC, unless somebody discards it: ID.`],
      ['report_waiting', 'A report for Waits is drafted, and is sent by nobody before somebody reads and publishes it: ID.'],
    ]
    assert.deepEqual(await told(), first)
    here.clock.add(2 * dayMs + 1000)
    await runSchedule(here.world)
    smtp.refuse = '550 no such user'
    await deliverMails(here.world)
    smtp.refuse = null
    await gather(here.world)
    const returned = 'The mail with a report for Sends to gone@example.com did not arrive. The mail server answered with 550.'
    assert.deepEqual(await told(), [['report_returned', returned], ...first])
    for (const { id } of [waits, sends]) await here.call('clients.set', { client_id: id, schedule: { mode: 'off' } })
  })

  test('of a month that somebody has published already does not come by itself once more', async () => {
    const { schedule } = await here.call('clients.create', { name: 'Early', schedule: { mode: 'draft', day: 5, hour: 7 } })
    const { next_at } = schedule as { next_at: string }
    here.clock.add(Date.parse(next_at) - 3_600_000 - here.world.now().getTime())
    const { id } = await here.call('reports.draft', { client_id: 'Early' })
    await here.call('reports.publish', { report_id: id })
    here.clock.add(3_601_000)
    await runSchedule(here.world)
    const listed = async () =>
      ((await here.call('reports.list', { client_id: 'Early' })).reports as { id: string }[]).map((each) => each.id)
    assert.deepEqual(await listed(), [id])
    const { schedule: after } = (await here.call('clients.get', { client_id: 'Early' })) as { schedule: { next_at: string } }
    assert.ok(after.next_at > next_at, 'its turn is over')
    here.clock.add(Date.parse(after.next_at) + 1000 - here.world.now().getTime())
    await runSchedule(here.world)
    assert.equal((await listed()).length, 2, 'the next month comes as ever')
  })

  test('that cannot be sent by itself stays a draft, and people are told that it waits', async () => {
    const made = await here.call('clients.create', { name: 'Unheard', schedule: { mode: 'send', day: 6, hour: 7, wait_days: 0 } })
    const { next_at } = made.schedule as { next_at: string }
    here.clock.add(Date.parse(next_at) + 1000 - here.world.now().getTime())
    await runSchedule(here.world)
    const { reports } = (await here.call('reports.list', { client_id: 'Unheard' })) as unknown as { reports: Record<string, unknown>[] }
    assert.deepEqual(
      reports.map(({ status, send_at }) => [status, send_at]),
      [['draft', null]],
    )
    await gather(here.world)
    const { rows } = await sql<{
      message: string
    }>`SELECT message FROM notices WHERE kind = 'report_waiting' AND message LIKE '%Unheard%'`.execute(here.world.db)
    assert.match(rows[0]?.message ?? '', /A report for Unheard is drafted, and is sent by nobody before somebody reads and publishes it/)
    await here.call('clients.set', { client_id: made.id, schedule: { mode: 'off' } })
  })

  test('a client whose report cannot be drafted holds up no other', async () => {
    const schedule = { mode: 'draft', day: 3, hour: 7, wait_days: 2 }
    for (const name of ['Broken', 'Whole']) await here.call('clients.create', { name, time_zone: 'Pacific/Auckland', schedule })
    // A draft of this client is refused by the database.
    const { rows } = await sql<{ id: string }>`SELECT id FROM clients WHERE name = 'Broken'`.execute(here.world.db)
    await sql`ALTER TABLE reports ADD CONSTRAINT broken CHECK (client_id <> ${sql.lit(rows[0]?.id)}) NOT VALID`.execute(here.world.db)
    const { schedule: next } = (await here.call('clients.get', { client_id: 'Broken' })) as { schedule: { next_at: string } }
    here.clock.add(Date.parse(next.next_at) + 1000 - here.world.now().getTime())
    await runSchedule(here.world)
    const drafted = async (client_id: string) => ((await here.call('reports.list', { client_id })).reports as object[]).length
    assert.deepEqual([await drafted('Broken'), await drafted('Whole')], [0, 1])
    assert.match(here.logs.join(''), /no report of the client/)
  })
})

test('without a mail server and a browser each way says what to do instead', async () => {
  const here = await aWorld()
  try {
    await here.call('clients.create', { name: 'Ann', recipients: ['ann@example.com'] })
    const { id } = await here.call('reports.draft', { client_id: 'Ann' })
    const { prints_pdf, sends_mail } = await here.call('reports.settings')
    assert.deepEqual([prints_pdf, sends_mail], [false, false])
    await assert.rejects(here.call('reports.pdf', { report_id: id }), { code: 'conflict', message: /print it from your browser/ })
    await here.call('reports.publish', { report_id: id })
    await assert.rejects(here.call('reports.send', { report_id: id }), { code: 'conflict', message: /SERVICE_SMTP_URL/ })
  } finally {
    await here.close()
  }
})
