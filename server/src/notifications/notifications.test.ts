import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { grown } from '../../test/grown.ts'
import { behaviours } from '../../test/hostile-behaviours.ts'
import { type MailServer, startMailServer } from '../../test/mail-server.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { NotSent } from '../platform/mail.ts'
import { finding } from '../security/checks.ts'
import { recordFindings } from '../security/record.ts'
import { deliver } from './deliver.ts'
import { dueOf, gather, gatherCertificates } from './gather.ts'
import { send } from './send.ts'

const minute = 60_000
const day = 24 * 60 * minute

interface Post {
  headers: IncomingHttpHeaders
  body: string
}

describe('notifications', () => {
  let here: TestWorld
  let smtp: MailServer
  let siteId: string
  let posts: Post[] = []
  let answer: (request: Parameters<(typeof behaviours)[string]>[0], response: Parameters<(typeof behaviours)[string]>[1]) => void
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      posts.push({ headers: request.headers, body })
      answer(request, response)
    })
  })
  let url = ''
  before(async () => {
    smtp = await startMailServer()
    // It only serves: what is due is done by the test.
    here = await aWorld({ SERVICE_ROLE: 'serve', SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>' })
    siteId = 'site_01k0000000000000000000000a'
    await insertSites(sql`VALUES (${siteId}, 'garden.example')`)
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?key=sesame`
  })
  beforeEach(async () => {
    await pass()
    for (const { id } of ((await here.call('notifications.channels')) as unknown as { channels: { id: string }[] }).channels)
      await here.call('notifications.remove_channel', { channel_id: id })
    posts = []
    smtp.mails = []
    smtp.refuse = null
    answer = (_, response) => void response.end('ok')
  })
  after(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await here.close()
    await smtp.stop()
  })

  const insertSites = (rows: RawBuilder<unknown>) =>
    sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public,
      sealed_service_key, site_public, created_at, updated_at)
    SELECT ${here.workspaceId}, id, 'Garden', 'https://' || host, 'https://' || host, 'connected', '', '', '', '', now(), now()
    FROM (${rows}) AS r (id, host)`.execute(here.world.db)
  /** What happened is told, once what belongs together had the time to come. */
  async function pass(later = 30_000): Promise<void> {
    await gather(here.world)
    here.clock.add(later)
    await deliver(here.world)
  }
  const channel = async (type: 'email' | 'slack' | 'webhook', rule: object = {}) => {
    const target = type === 'email' ? { to: ['ops@example.com', 'boss@example.com'] } : { url }
    const made = await here.call('notifications.add_channel', { name: type, type, ...target })
    await here.call('notifications.add_rule', { channel_id: made.id, ...rule })
    return made as unknown as { id: string; secret: string }
  }
  let episodes = 0
  /** An incident of this site, which may be over. */
  const incident = async (id = siteId, kind = 'down') => {
    const name = `incident_${String(++episodes).padStart(26, '0')}`
    await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, started_at)
      VALUES (${here.workspaceId}, ${name}, ${id}, ${`probe ${episodes}`}, ${kind}, 'connect', 'The server did not accept a connection.', ${here.world.now()})`.execute(
      here.world.db,
    )
    return () =>
      sql`UPDATE uptime_incidents SET ended_at = ${new Date(here.world.now().getTime() + 5 * minute)} WHERE id = ${name}`.execute(
        here.world.db,
      )
  }
  const bodies = () => posts.map(({ body }) => JSON.parse(body) as { type: string; data: { notices: { kind: string; message: string }[] } })
  const kindsTold = () => bodies().flatMap(({ data }) => data.notices.map(({ kind }) => kind))
  const messages = async (status: string) =>
    (
      (await here.call('notifications.deliveries', { status })) as unknown as {
        deliveries: { id: string; attempts: number; error: string }[]
      }
    ).deliveries

  test('the beginning and the end of an incident are told once each, signed as Standard Webhooks wants it', async () => {
    const { secret } = await channel('webhook')
    const end = await incident()
    await pass()
    await pass()
    assert.deepEqual(kindsTold(), ['site_down'])
    const [{ headers, body } = assert.fail()] = posts
    const signed = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    const signature = signed.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${signature}`)
    assert.match(String(headers['webhook-id']), /^delivery_/)
    await end()
    await pass()
    assert.deepEqual(kindsTold(), ['site_down', 'site_back'])
  })

  test('by mail and to Slack it is a sentence for people, and a site’s words steer nothing', async () => {
    await channel('email')
    await channel('slack')
    await sql`UPDATE sites SET name = '<!channel> \u202Eevil' WHERE id = ${siteId}`.execute(here.world.db)
    await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, "references", evidence,
        status, first_seen_at, last_seen_at)
      VALUES (${here.workspaceId}, 'finding_odd', ${siteId}, 'feed', 'odd', '', 'vulnerability', 'critical', '<!channel> & <https://evil|x>', '', '[]', '[]',
        'open', now(), now())`.execute(here.world.db)
    await pass()
    const [mail] = smtp.mails
    assert.deepEqual(mail?.to, ['ops@example.com', 'boss@example.com'])
    assert.match(mail?.text ?? '', /^From: Fleet <fleet@example.com>\n[\s\S]*Subject: garden.example has a critical finding: /)
    const { text } = JSON.parse(posts[0]?.body ?? '{}') as { text: string }
    assert.match(text, /&lt;!channel&gt; &amp; &lt;https/)
    assert.doesNotMatch(text, /<|\u202e/)
  })

  test('an outage of a host with forty sites is one message', async () => {
    await channel('webhook')
    await channel('email')
    await insertSites(sql`SELECT 'site_' || lpad(n::text, 26, '0'), n || '.example' FROM generate_series(1, 40) n`)
    for (let n = 1; n <= 40; n++) {
      await incident(`site_${String(n).padStart(26, '0')}`)
      if (n === 20) await gather(here.world)
    }
    await pass()
    assert.deepEqual([posts.length, kindsTold().length, smtp.mails.length], [1, 40, 1])
    assert.match(smtp.mails[0]?.text ?? '', /Subject: 40 sites are down[\s\S]*1\.example[\s\S]*and 20 more/)
  })

  test('sites that are found down one after another are one message, for two minutes at most; what is no outage waits for nothing', async () => {
    await channel('webhook', { kinds: ['site_down'] })
    await channel('webhook', { kinds: ['connector_silent'] })
    const told: [seconds: number, notices: number, kind: string | undefined][] = []
    const began = here.world.now().getTime()
    /** So many seconds after it began, and what it took to begin, however long a busy machine was at it. */
    const at = (seconds: number) => here.clock.add(began + seconds * 1000 + 2_500 - here.world.now().getTime())
    for (let seconds = 0; seconds <= 160; seconds += 5) {
      if (seconds % 15 === 0) await incident()
      if (seconds % 15 === 0) await incident(siteId, 'connector_silent')
      await gather(here.world)
      at(seconds + 5)
      await deliver(here.world)
      for (const { data } of bodies()) told.push([seconds + 5, data.notices.length, data.notices[0]?.kind])
      posts = []
    }
    const of = (kind: string) => told.filter((each) => each[2] === kind).map(([, notices]) => notices)
    assert.deepEqual([of('site_down')[0], of('connector_silent')[0]], [8, 2])
    assert.ok(Math.abs((told.find((each) => each[2] === 'site_down')?.[0] ?? 0) - 120) <= 5, JSON.stringify(told))
  })

  test('a rule names kinds, a site, a tag or a client; what fits none goes nowhere', async () => {
    await channel('webhook', { kinds: ['backup_failed'] })
    await channel('webhook', { tag: 'vip' })
    await channel('webhook', { client: 'Acme' })
    await channel('webhook', { kinds: ['site_down'], site_id: siteId })
    await incident()
    await pass()
    assert.equal(posts.length, 1)
    await sql`UPDATE sites SET tags = '{vip}', client = 'Acme' WHERE id = ${siteId}`.execute(here.world.db)
    posts = []
    await incident(siteId, 'connector_silent')
    await pass()
    assert.deepEqual(kindsTold(), ['connector_silent', 'connector_silent'])
    await sql`UPDATE sites SET tags = '{}', client = NULL WHERE id = ${siteId}`.execute(here.world.db)
  })

  test('in quiet hours it waits for their end, across midnight too', async () => {
    const at = (text: string) => new Date(`2026-01-01T${text}:00Z`)
    const night = { from: '22:00', to: '06:00', time_zone: 'UTC' }
    assert.equal(dueOf(night, at('23:10')).toISOString(), '2026-01-02T06:00:00.000Z')
    assert.equal(dueOf(night, at('05:59')).toISOString(), '2026-01-01T06:00:00.000Z')
    assert.equal(dueOf({ ...night, from: '12:00', to: '13:00' }, at('12:30')).toISOString(), '2026-01-01T13:00:00.000Z')
    for (const loud of ['06:00', '12:00', '21:59']) assert.equal(dueOf(night, at(loud)).getTime() - at(loud).getTime(), 20_000)
    const hours = (ms: number) => new Date(here.world.now().getTime() + ms).toISOString().slice(11, 16)
    await channel('webhook', { quiet: { from: hours(-60 * minute), to: hours(120 * minute) } })
    await incident()
    await pass()
    assert.deepEqual(posts, [])
    await incident()
    await pass(121 * minute)
    assert.deepEqual([posts.length, kindsTold().length], [1, 2])
  })

  test('quiet hours are those of a clock somewhere, in summer time too, and of rules that name no zone in UTC', async () => {
    const due = (from: string, to: string, time_zone: string, at: string) => dueOf({ from, to, time_zone }, new Date(at)).toISOString()
    const cases: [string, string, string, now: string, due: string][] = [
      ['22:00', '06:00', 'Europe/Berlin', '2026-01-15T21:30:00Z', '2026-01-16T05:00:00.000Z'],
      ['22:00', '06:00', 'Europe/Berlin', '2026-07-15T20:30:00Z', '2026-07-16T04:00:00.000Z'],
      ['22:00', '06:00', 'Asia/Kolkata', '2026-07-15T16:30:00Z', '2026-07-16T00:30:00.000Z'],
      ['22:00', '06:00', 'America/New_York', '2026-07-16T09:59:00Z', '2026-07-16T10:00:00.000Z'],
      // The nights in which the clocks change.
      ['22:00', '06:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T04:00:00.000Z'],
      ['22:00', '06:00', 'Europe/Berlin', '2026-10-24T21:00:00Z', '2026-10-25T05:00:00.000Z'],
      // An end that is left out that night, and one that comes twice.
      ['22:00', '02:30', 'Europe/Berlin', '2026-03-29T00:59:00Z', '2026-03-29T01:30:00.000Z'],
      ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00.000Z'],
    ]
    for (const [from, to, zone, now, wanted] of cases) assert.equal(due(from, to, zone, now), wanted, `${zone} at ${now}`)
    for (const loud of ['2026-07-15T19:59:59Z', '2026-07-16T04:00:00Z', '2026-01-15T20:30:00Z'])
      assert.equal(due('22:00', '06:00', 'Europe/Berlin', loud), new Date(Date.parse(loud) + 20_000).toISOString())
    assert.equal(due('08:00', '08:00', 'UTC', '2026-01-15T08:00:00Z'), '2026-01-15T08:00:20.000Z', 'no hours at all')

    const { id } = await channel('webhook', { quiet: { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' } })
    await here.call('notifications.add_rule', { channel_id: id, quiet: { from: '22:00', to: '06:00' } })
    await sql`INSERT INTO notice_rules (workspace_id, id, channel_id, quiet, created_at)
      VALUES (${here.workspaceId}, 'rule_zz', ${id}, '{"from": "22:00", "to": "06:00"}', now())`.execute(here.world.db)
    const { rules } = (await here.call('notifications.rules')) as unknown as { rules: { quiet: { time_zone: string } }[] }
    assert.deepEqual(
      rules.map(({ quiet }) => quiet.time_zone),
      ['Europe/Berlin', 'UTC', 'UTC'],
    )
    for (const time_zone of ['Mars/Olympus', '+02:00'])
      await assert.rejects(
        here.call('notifications.add_rule', { channel_id: id, quiet: { from: '22:00', to: '06:00', time_zone } }),
        (error: { errors: { path: string; message: string }[] }) =>
          error.errors[0]?.path === 'quiet.time_zone' && /IANA/.test(error.errors[0].message),
      )
  })

  test('what does not arrive is tried again with growing pauses under the same id, then dead, told, and sent again on demand', async () => {
    await channel('webhook')
    answer = (_, response) => void response.writeHead(500).end()
    await incident()
    await pass()
    await deliver(here.world)
    assert.equal(posts.length, 1, 'not at once')
    for (let n = 0; n < 12; n++) await pass(day)
    assert.deepEqual([posts.length, new Set(posts.map(({ headers }) => headers['webhook-id'])).size], [11, 1])
    const [dead] = await messages('dead')
    assert.deepEqual([dead?.attempts, dead?.error], [11, 'The receiver answered with 500.'])
    answer = (_, response) => void response.end()
    await here.call('notifications.retry', { delivery_id: dead?.id })
    await deliver(here.world)
    assert.deepEqual([posts.length, (await messages('dead')).length], [12, 0])
    await assert.rejects(here.call('notifications.retry', { delivery_id: dead?.id }), /no such dead message/)
  })

  test('that nothing arrives any more stands in the activity, for colleagues, once until something arrives', async () => {
    const lines = async () => {
      const { activity } = (await here.call('activity.list', { limit: 100 })) as unknown as {
        activity: { summary: string; notes: string; internal: boolean; site_id: string | null; performed_by: string }[]
      }
      return activity.filter(({ summary }) => /given up/.test(summary))
    }
    const before = (await lines()).length
    await channel('webhook')
    const gone: typeof answer = (_, response) => void response.writeHead(410).end()
    answer = gone
    for (let n = 0; n < 3; n++) {
      await incident()
      await pass()
    }
    assert.equal((await messages('dead')).length, 3)
    const [line, ...others] = (await lines()).slice(0, (await lines()).length - before)
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(line, {
      summary: 'A message to the notification channel “webhook” did not arrive and was given up',
      ...{ internal: true, site_id: null, performed_by: 'Notifications' },
    })
    assert.match(line?.notes ?? '', /^The receiver answered with 410\. .*retry/)
    answer = (_, response) => void response.end()
    await incident()
    await pass()
    answer = gone
    await incident()
    await pass()
    assert.equal((await lines()).length, before + 2)
  })

  test('a receiver that is gone for good is asked once', async () => {
    await channel('webhook')
    answer = (_, response) => void response.writeHead(410).end()
    await incident()
    await pass()
    await pass(day)
    assert.equal(posts.length, 1)
    assert.equal((await messages('dead')).length, 1)
  })

  test('a worker that is killed while it sends leaves the message to another', async () => {
    await channel('webhook')
    await incident()
    await gather(here.world)
    here.clock.add(minute)
    await sql`UPDATE deliveries SET begun = true, attempts = 1, due_at = ${new Date(here.world.now().getTime() + 2 * minute)} WHERE status = 'waiting'`.execute(
      here.world.db,
    )
    await deliver(here.world)
    assert.equal(posts.length, 0)
    here.clock.add(2 * minute)
    await Promise.all([deliver(here.world), deliver(here.world)])
    assert.equal(posts.length, 1)
  })

  test('a mail server that says no is tried again', async () => {
    await channel('email')
    smtp.refuse = '451 later'
    await incident()
    await pass()
    const [waiting] = await messages('waiting')
    assert.deepEqual([waiting?.attempts, waiting?.error, smtp.mails.length], [1, 'The mail server answered with 451.', 0])
    smtp.refuse = null
    await pass()
    assert.equal(smtp.mails.length, 1)
  })

  test('a failed backup, updates, a critical finding, new addresses and a certificate that ends are told', async () => {
    await channel('webhook')
    const job = (id: string, type: string) =>
      sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${here.workspaceId}, ${id}, ${type}, ${siteId}, 'running', '{}', '{}', now())`.execute(here.world.db)
    const happeningOf = (type: string, result: object | null) => here.world.jobKinds.get(type)?.happening?.(result ?? undefined) ?? null
    const end = (id: string, status: string, type: string, result: object | null) =>
      sql`UPDATE jobs SET status = ${status}, completed_at = now(), summary = 'How it went.', result = ${result && JSON.stringify(result)}::jsonb,
        happening = ${happeningOf(type, result)} WHERE id = ${id}`.execute(here.world.db)
    for (const [id, type, status, result] of [
      ['job_b', 'backup', 'failed', null],
      ['job_fine', 'backup', 'completed', {}],
      ['job_u', 'update', 'completed', { items: [{ status: 'updated' }, { status: 'rolled_back', health: { after: { ok: true } } }] }],
      ['job_h', 'update', 'completed', { items: [{ status: 'failed', health: { after: { ok: false } } }] }],
      ['job_ok', 'update', 'completed', { items: [{ status: 'updated', health: { after: { ok: true } } }] }],
    ] as const) {
      await job(id, type)
      await end(id, status, type, result)
    }
    const look = { workspaceId: here.workspaceId, siteId, source: 'feed' as const, at: here.world.now() }
    const worst = { ...finding('xmlrpc', { evidence: [] }), severity: 'critical' as const }
    await here.world.db.transaction().execute((db) => recordFindings(db, look, [worst]))
    await sql`INSERT INTO uptime_moves (workspace_id, id, site_id, seen_at, before, after)
      VALUES (${here.workspaceId}, 'move_a', ${siteId}, now(), '{192.0.2.1}', '{198.51.100.1}')`.execute(here.world.db)
    const ends = (days: number) =>
      sql`INSERT INTO uptime_monitors (workspace_id, site_id, location, checked_at, certificate_ends_at)
      VALUES (${here.workspaceId}, ${siteId}, 'here', ${here.world.now()}, ${new Date(here.world.now().getTime() + days * day)})
      ON CONFLICT (workspace_id, site_id, location) DO UPDATE SET certificate_ends_at = excluded.certificate_ends_at, checked_at = excluded.checked_at`.execute(
        here.world.db,
      )
    await ends(10)
    for (let n = 0; n < 3; n++) await gatherCertificates(here.world)
    await pass()
    assert.deepEqual(kindsTold().toSorted(), [
      ...['backup_failed', 'certificate_expiring', 'critical_finding', 'dns_changed', 'update_harmed', 'update_taken_back'],
    ])
    posts = []
    here.clock.add(8 * day)
    await ends(1.9)
    await gatherCertificates(here.world)
    await pass()
    assert.match(bodies()[0]?.data.notices[0]?.message ?? '', /ends on/)
  })

  test('of an update that failed before anything was changed nobody says that it did harm', async () => {
    await channel('email')
    await channel('slack')
    const error = { code: 'site_unreachable', message: 'The site did not answer.', retryable: true }
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${here.workspaceId}, 'job_unmade', 'update', ${siteId}, 'running', '{}', '{}', now())`.execute(here.world.db)
    await sql`UPDATE jobs SET status = 'failed', completed_at = now(), error = ${JSON.stringify(error)}::jsonb, happening = 'update_harmed' WHERE id = 'job_unmade'`.execute(
      here.world.db,
    )
    await pass()
    const { text } = JSON.parse(posts[0]?.body ?? '{}') as { text: string }
    assert.match(text, /^\*garden\.example had an update that failed, and may need a look: The site did not answer\.\*/)
    for (const told of [text, smtp.mails[0]?.text ?? assert.fail('no mail')]) assert.doesNotMatch(told, /harmed/)
  })

  test('a critical finding that is there again after it was fixed, and one that becomes critical, are told each time, and once', async () => {
    await channel('webhook')
    const look = (severity: 'high' | 'critical' | null) =>
      here.world.db.transaction().execute(async (db) => {
        const found = severity === null ? [] : [{ ...finding('xmlrpc', { evidence: [] }), key: 'again', severity }]
        await recordFindings(db, { workspaceId: here.workspaceId, siteId, source: 'facts', at: here.world.now() }, found)
      })
    const toldBy = async (...severities: Parameters<typeof look>) => {
      posts = []
      for (const severity of severities) await look(severity)
      await pass()
      return kindsTold().filter((kind) => kind === 'critical_finding').length
    }
    assert.equal(await toldBy('high'), 0)
    assert.equal(await toldBy('critical'), 1, 'it became worse')
    assert.equal(await toldBy('critical'), 0, 'it is as it was')
    assert.equal(await toldBy(null), 0)
    assert.equal(await toldBy('critical'), 1, 'it is there again')
  })

  test('the URL of a channel is told to nobody, and lies sealed', async () => {
    await channel('webhook')
    const shown = JSON.stringify([await here.call('notifications.channels'), await here.call('activity.list')])
    const { rows } = await sql<{ row: string }>`SELECT c::text AS row FROM channels c`.execute(here.world.db)
    for (const text of [shown, ...rows.map(({ row }) => row), ...here.logs]) assert.doesNotMatch(text, /sesame|whsec_/)
  })

  test('a rule leads to no channel and names no site of another workspace', async () => {
    const workspaceId = await here.workspace('Other')
    const theirs = { caller: here.caller({ workspaceId }) }
    const { id } = await here.call('notifications.add_channel', { name: 'x', type: 'slack', url }, theirs)
    await assert.rejects(here.call('notifications.add_rule', { channel_id: id }), /no such channel/)
    await assert.rejects(here.call('notifications.add_rule', { channel_id: id, site_id: siteId }, theirs), /no such site/)
    await here.call('notifications.add_rule', { channel_id: id }, theirs)
    await incident()
    await pass()
    assert.deepEqual(posts, [], 'what happens here is told to nobody there')
  })

  test('a channel can be tried, and what stands in the way is named', async () => {
    const { id } = await channel('webhook')
    assert.deepEqual(await here.call('notifications.test', { channel_id: id }), { ok: true, error: null })
    answer = (_, response) => void response.writeHead(404).end()
    assert.deepEqual(await here.call('notifications.test', { channel_id: id }), { ok: false, error: 'The receiver answered with 404.' })
    for (const wrong of [
      { type: 'email', url },
      { type: 'webhook', to: ['a@example.com'] },
      { type: 'webhook', url: 'ftp://a' },
      { type: 'email', to: ['x'] },
    ])
      await assert.rejects(
        here.call('notifications.add_channel', { name: 'x', ...wrong }),
        { code: 'invalid_payload' },
        JSON.stringify(wrong),
      )
  })

  /** To a receiver that is waited for briefly; what goes wrong is named. */
  const sendTo = async (how: typeof answer) => {
    answer = how
    const impatient = {
      ...here.world,
      watch: (request: Parameters<typeof here.world.watch>[0]) => here.world.watch({ ...request, timeoutMs: 250 }),
    }
    const message = { id: 'delivery_x', workspaceId: here.workspaceId, workspace: 'Test', notices: [] }
    await send(impatient, 'slack', { url }, message).catch((error: unknown) => {
      assert.ok(error instanceof NotSent)
      assert.match(error.message, /^[\p{L}\p{N} ’.,:()-]{10,120}$/u)
    })
  }

  for (const [what, how] of Object.entries(behaviours)) test(`a receiver with ${what}: sent, or a named error`, () => sendTo(how))

  test('sending again and again to what never ends takes less than 64 MiB', async () => {
    const more = await grown(30, async () => {
      for (const what of ['a page without end', 'a gzip bomb nobody asked for', 'a header without end', 'ten thousand headers'])
        await sendTo(behaviours[what] ?? assert.fail(what))
    })
    assert.ok(more < 64, `${more} MiB`)
  })
})
