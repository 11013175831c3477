import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { urlOf } from '../../test/database.ts'
import { type MailServer, startMailServer } from '../../test/mail-server.ts'
import { awayMessage, byExchange, byPostfix } from '../../test/returned-mail.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { admin } from '../admin/main.ts'
import { mostOfNotice, takeNotice } from './bounces.ts'
import { deliverMails } from './mails.ts'

interface Mailed {
  address: string
  status: string
  error: string | null
  server_said: { untrusted: true; text: string } | null
  bounced_at: string | null
}

describe('a mail that comes back', () => {
  let here: TestWorld
  let smtp: MailServer
  before(async () => {
    smtp = await startMailServer({ hideDSN: false })
    const settings = {
      SERVICE_SMTP_URL: smtp.url,
      SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>',
      SERVICE_MAIL_BOUNCES: 'Bounces@example.com',
    }
    here = await aWorld(settings, undefined, { withoutDuties: ['report schedule', 'report mails'] })
    await here.call('clients.create', { name: 'Ann & Co' })
  })
  after(async () => {
    await here?.close()
    await smtp?.stop()
  })
  beforeEach(() => {
    smtp.mails = []
  })

  let month = 0
  /** A report that the mail server took for these; answers it, and whom each mail comes back to. */
  const sent = async (...to: string[]) => {
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: `2025-${String(++month).padStart(2, '0')}` })
    await here.call('reports.publish', { report_id: id })
    await here.call('reports.send', { report_id: id, to })
    await deliverMails(here.world)
    const backs = to.map((address) => smtp.mails.find((mail) => mail.to.includes(address))?.from ?? assert.fail(address))
    return { id: String(id), backs }
  }
  const mailsOf = async (id: string) =>
    Object.fromEntries(
      ((await here.call('reports.get', { report_id: id })).mails as unknown as Mailed[]).map((mail) => [mail.address, mail]),
    )
  const told = async () =>
    (
      await sql<{ summary: string; internal: boolean }>`SELECT summary, internal FROM activity
        WHERE workspace_id = ${here.workspaceId} AND summary LIKE '%came back%' ORDER BY id`.execute(here.world.db)
    ).rows

  test('each goes out with a return address of its own, and asks that no more than its head comes back', async () => {
    const { backs } = await sent('a@example.com', 'b@example.com')
    for (const back of backs) assert.match(back, /^Bounces\+[0-9a-f]{32}@example\.com$/)
    assert.notEqual(backs[0], backs[1])
    for (const { text, dsn } of smtp.mails) {
      assert.match(text, /^From: .*<fleet@example.com>$/m)
      assert.doesNotMatch(text, /bounces/i, 'in the envelope alone')
      assert.deepEqual(dsn, { ret: 'HDRS', notify: ['FAILURE'] })
    }
  })

  test('is shown at the one it was for, with the code and what the server said, and told among colleagues; twice is once', async () => {
    const { id, backs } = await sent('gone@example.com', 'there@example.com')
    const notice = byPostfix({ to: String(backs[0]), said: 'smtp; 550 5.1.1 no \u202Esuch user\u0007\nhere' })
    const taken = await takeNotice(here.world, notice)
    assert.deepEqual({ ...taken, mail_id: '' }, { status: 'bounced', report_id: id, mail_id: '', code: '5.1.1' })
    const mails = await mailsOf(id)
    const gone = mails['gone@example.com']
    assert.deepEqual(
      [gone?.status, gone?.error, gone?.server_said],
      ['bounced', 'It came back (5.1.1): nobody has that address.', { untrusted: true, text: '550 5.1.1 no such user here' }],
    )
    assert.ok(gone?.bounced_at)
    assert.deepEqual([mails['there@example.com']?.status, mails['there@example.com']?.bounced_at], ['sent', null])
    assert.deepEqual(await takeNotice(here.world, byExchange({ to: String(backs[0]), code: '5.7.1' })), { ...taken, code: '5.7.1' })
    assert.deepEqual((await mailsOf(id))['gone@example.com'], gone, 'what came first stays')
    assert.deepEqual(await told(), [{ summary: 'The mail with a report came back (5.1.1)', internal: true }])
    const { token } = await here.token('read')
    const { text } = await here.rest('GET', `/api/v1/reports/${id}/html`, { token })
    assert.doesNotMatch(text, /came back|no such user/)
  })

  test('while it waits for another attempt, it is not tried again', async () => {
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co', month: '2024-12' })
    await here.call('reports.publish', { report_id: id })
    await here.call('reports.send', { report_id: id, to: ['slow@example.com'] })
    smtp.refuseData = '451 later'
    await deliverMails(here.world)
    const back = smtp.mails[0]?.from ?? assert.fail()
    smtp.refuseData = null
    smtp.mails = []
    assert.equal((await takeNotice(here.world, byPostfix({ to: back }))).status, 'bounced')
    here.clock.add(86_400_000)
    await deliverMails(here.world)
    assert.equal(smtp.mails.length, 0)
    assert.equal((await mailsOf(String(id)))['slow@example.com']?.status, 'bounced')
  })

  test('a delay, an answer of a person, a stranger’s token and none at all change nothing, and are no failures', async () => {
    const { id, backs } = await sent('fine@example.com')
    const back = String(backs[0])
    const before = await told()
    for (const [notice, reason] of [
      [byPostfix({ to: back, action: 'delayed', code: '4.4.1' }), /no delivery status/],
      [awayMessage(back), /no delivery status/],
      [byPostfix({ to: back.replace(/[0-9a-f]{32}/, 'f'.repeat(32)) }), /No mail has that/],
      [byPostfix({ to: back.replace(/\+[0-9a-f]{32}/, '+1') }), /No return address/],
      [byPostfix({ to: "bounces+' OR 1=1 --@example.com" }), /No return address/],
      ['', /No return address/],
    ] as const) {
      const taken = await takeNotice(here.world, notice)
      assert.ok(taken.status === 'ignored' && reason.test(taken.reason), JSON.stringify(taken))
    }
    assert.equal((await mailsOf(id))['fine@example.com']?.status, 'sent')
    assert.deepEqual(await told(), before)
  })

  test('whatever stands in it, it is of the workspace that sent it alone', async () => {
    const ours = await sent('gone@example.com')
    smtp.mails = []
    const other = await here.workspace('Other')
    const as = { caller: here.caller({ workspaceId: other }) }
    await here.call('clients.create', { name: 'Ann & Co' }, as)
    const { id } = await here.call('reports.draft', { client_id: 'Ann & Co' }, as)
    await here.call('reports.publish', { report_id: id }, as)
    await here.call('reports.send', { report_id: id, to: ['gone@example.com'] }, as)
    await deliverMails(here.world)
    const theirs = smtp.mails[0]?.from ?? assert.fail()
    const before = await told()
    const taken = await takeNotice(here.world, byPostfix({ to: theirs, said: `smtp; ${ours.id} ${here.workspaceId}` }))
    assert.equal(taken.status === 'bounced' && taken.report_id, id)
    assert.equal((await mailsOf(ours.id))['gone@example.com']?.status, 'sent')
    assert.deepEqual(await told(), before)
  })

  test('a notification without end, or made of openings, is read as far as its bound and costs a moment', async () => {
    const { id, backs } = await sent('big@example.com')
    const to = String(backs[0])
    const whole = byPostfix({ to })
    const boundary = '--4C0B1C0033.1801472400/mx.example.com\n'
    for (const notice of [
      whole.replace("I'm sorry", 'x'.repeat(50_000_000)),
      whole.replace("I'm sorry", `${boundary}Content-Type: text/plain\n\n`.repeat(200_000)),
      `To: ${to}\nContent-Type: multipart/report${'; '.repeat(1_000_000)}boundary=\n\n`,
      `To: ${to}\n${' folded\n'.repeat(1_000_000)}`,
      `${'Bounces+'.repeat(1_000_000)}`,
      Array.from({ length: 100_000 }, (_, n) => `Bounces+${String(n).padStart(32, '0')}@example.com`).join('\n'),
    ]) {
      const before = process.threadCpuUsage()
      assert.equal((await takeNotice(here.world, notice)).status, 'ignored')
      const { user, system } = process.threadCpuUsage(before)
      assert.ok(user + system < 1_000_000, `${user + system} µs of processor`)
    }
    assert.equal((await mailsOf(id))['big@example.com']?.status, 'sent')
    await takeNotice(here.world, `${whole}${'x'.repeat(2 * mostOfNotice)}`)
    assert.equal((await mailsOf(id))['big@example.com']?.status, 'bounced')
  })

  test('the operator’s mail server hands it to a command, which fails for nothing that strangers write', async () => {
    const env = { DATABASE_URL: urlOf(here), SERVICE_DATA_DIR: here.dataDir, SERVICE_MAIL_BOUNCES: 'bounces@example.com' }
    const handIn = async (message: string) => {
      let said = ''
      const hear = (text: string) => {
        said += text
      }
      const code = await admin(['mail', 'returned'], {
        env,
        out: hear,
        err: hear,
        input: Readable.from(message.match(/[\s\S]{1,65536}/g) ?? []),
      })
      return [code, said]
    }
    const { id, backs } = await sent('far@example.com')
    const notice = byPostfix({ to: String(backs[0]), code: '4.4.7' })
    assert.deepEqual(await handIn(`${notice}${'x'.repeat(5_000_000)}`), [0, `${id}: a mail came back (4.4.7).\n`])
    assert.equal((await mailsOf(id))['far@example.com']?.error, 'It came back (4.4.7): the mail server of the address was not reached.')
    assert.deepEqual(await handIn('\0\ufffd'), [0, 'No return address of a report stands in it.\n'])
    assert.deepEqual(await handIn(''), [0, 'No return address of a report stands in it.\n'])
  })

  test('what a server says is cut, and steers nothing', async () => {
    const { id, backs } = await sent('loud@example.com')
    await takeNotice(here.world, byPostfix({ to: String(backs[0]), code: '5.2.2', said: `smtp; <script>\u001b[31m${'A'.repeat(10_000)}` }))
    const mail = (await mailsOf(id))['loud@example.com']
    assert.equal(mail?.error, 'It came back (5.2.2): the mailbox takes no mail.')
    assert.equal(mail?.server_said?.text.length, 300)
    assert.doesNotMatch(mail?.server_said?.text ?? '', /\p{Cc}/u)
  })
})

test('where no return address is set, mails go out as from us, and handing one in says what is missing', async () => {
  const smtp = await startMailServer()
  const here = await aWorld({ SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>' }, undefined, {
    withoutDuties: ['report schedule', 'report mails'],
  })
  try {
    await here.call('clients.create', { name: 'Ann' })
    const { id } = await here.call('reports.draft', { client_id: 'Ann' })
    await here.call('reports.publish', { report_id: id })
    await here.call('reports.send', { report_id: id, to: ['a@example.com'] })
    await deliverMails(here.world)
    assert.deepEqual(
      smtp.mails.map(({ from }) => from),
      ['fleet@example.com'],
    )
    await assert.rejects(takeNotice(here.world, byPostfix({ to: 'bounces+1@example.com' })), {
      code: 'conflict',
      message: /SERVICE_MAIL_BOUNCES/,
    })
  } finally {
    await here.close()
    await smtp.stop()
  }
})
