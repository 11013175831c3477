import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type MailServer, startMailServer } from '../../test/mail-server.ts'
import { aBrowser, aPerson, goodPassword } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('by mail', () => {
  let here: TestWorld
  let smtp: MailServer
  let ann: string
  before(async () => {
    smtp = await startMailServer()
    here = await aWorld({ SERVICE_SMTP_URL: smtp.url, SERVICE_BASE_URL: 'https://fleet.example' })
    ann = await aPerson(here, 'ann@example.com', 'owner')
  })
  after(async () => {
    await here?.close()
    await smtp?.stop()
  })
  beforeEach(async () => {
    here.clock.add(2 * 3_600_000)
    smtp.mails = []
    smtp.refuse = null
    await sql`DELETE FROM guesses`.execute(here.world.db)
  })
  /** Through a host of their own, as a stranger may claim one; mail must not follow it. */
  const ask = (path: string, body: object) =>
    here.rest('POST', `/session/${path}`, { body, headers: { origin: here.url, 'sec-fetch-site': 'same-origin' } })
  const linkIn = (text: string) => /https:\/\/fleet\.example\/(recover|join)#([\w-]{43})/.exec(text.replaceAll('=\n', ''))
  /** What was asked before this has been done. */
  const settled = async (address: string) => {
    await aPerson(here, address, 'viewer')
    await ask('forgotten', { email: address })
    await until(async () => smtp.mails.some(({ to }) => to.includes(address)))
  }

  test('a forgotten password is mailed a link that works once; an address nobody has gets the same answer and no mail', async () => {
    const [there, nowhere] = [await ask('forgotten', { email: 'ANN@example.com' }), await ask('forgotten', { email: 'nobody@example.com' })]
    assert.deepEqual([there.status, there.json], [nowhere.status, nowhere.json])
    assert.equal(there.status, 200)
    await until(async () => smtp.mails.length > 0)
    await settled('last-1@example.com')
    const to = smtp.mails.map((mail) => mail.to.join())
    assert.deepEqual(to, ['ann@example.com', 'last-1@example.com'])
    const [, , key = ''] = linkIn(smtp.mails[0]?.text ?? '') ?? []
    const { rows } = await sql<{ t: string }>`SELECT r::text AS t FROM recoveries r`.execute(here.world.db)
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(key), 'kept as a hash')
    assert.equal((await ask('recover', { key, password: 'brand new horse' })).status, 200)
    assert.equal((await ask('recover', { key, password: 'brand new horse' })).status, 404)
    assert.ok(!here.logs.join('').includes(key))
    await until(
      async () =>
        (await sql`SELECT 1 FROM audit WHERE caller_id = ${ann} AND operation = 'session.recovery_mailed'`.execute(here.world.db)).rows
          .length > 0,
    )
  })

  test('a link that was mailed is too old after an hour, and three are mailed in one', async () => {
    await aPerson(here, 'ben@example.com', 'member')
    const answers = new Set<string>()
    for (let n = 0; n < 6; n++) answers.add((await ask('forgotten', { email: n % 2 ? 'ben@example.com' : 'Ben@Example.com' })).text)
    assert.equal(answers.size, 1)
    await until(async () => smtp.mails.length >= 3)
    await settled('last-2@example.com')
    assert.equal(smtp.mails.filter(({ to }) => to.includes('ben@example.com')).length, 3)
    const [, , key = ''] = linkIn(smtp.mails[0]?.text ?? '') ?? []
    here.clock.add(61 * 60_000)
    assert.equal((await ask('recover', { key, password: 'brand new horse' })).status, 404)
    await ask('forgotten', { email: 'ben@example.com' })
    await until(async () => smtp.mails.filter(({ to }) => to.includes('ben@example.com')).length === 4)
  })

  test('an invitation is mailed; where the server takes none, the link is handed over instead', async () => {
    const as = { caller: here.caller({ id: ann, name: 'ann@example.com\r\nBcc: evil@example.com' }) }
    const invited = await here.call('members.invite', { email: 'new@example.com', role: 'viewer' }, as)
    assert.equal(invited.mailed, 'sent')
    const [mail] = smtp.mails
    assert.deepEqual(mail?.to, ['new@example.com'])
    assert.equal(linkIn(mail?.text ?? '')?.[0], invited.link)
    assert.doesNotMatch(mail?.text ?? '', /^Bcc:/im)
    assert.equal((await here.call('members.invite', { email: 'quiet@example.com', mail: false }, as)).mailed, 'off')
    smtp.refuse = '550 no'
    const failed = await here.call('members.invite', { email: 'refused@example.com' }, as)
    assert.equal(failed.mailed, 'failed')
    const key = String(failed.link).split('#')[1]
    assert.equal((await ask('invitation', { key })).status, 200, 'it counts all the same')
    assert.equal(smtp.mails.length, 1)
  })

  test('without a mail server it is said who prints a link, and invitations are handed over', async () => {
    const plain = await aWorld()
    try {
      await aPerson(plain, 'ann@example.com', 'owner')
      const browser = aBrowser(plain)
      const { status, text } = await browser.send('POST', '/session/forgotten', { email: 'ann@example.com' })
      assert.equal(status, 409)
      assert.match(text, /person reset --email/)
      await browser.signIn('ann@example.com', goodPassword)
      assert.equal((await browser.send('POST', '/api/v1/invitations', { email: 'x@example.com' })).json.mailed, 'off')
    } finally {
      await plain.close()
    }
  })
})
