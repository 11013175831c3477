// Real conversations with a mail server (npm's smtp-server): what it takes, what it refuses, and whether it is encrypted.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type MailServer, partsOf, startMailServer } from '../../test/mail-server.ts'
import { selfSigned } from '../../test/self-signed.ts'
import { type Config, readConfig } from '../config.ts'
import { NotSent, sendMail } from './mail.ts'

const mail = {
  id: 'reportmail_1',
  to: ['ann@example.com'],
  sender: 'Färn & Co',
  subject: 'Bericht für Ann – März',
  text: 'Grüße,\n.\nein Punkt allein, und eine lange Zeile '.padEnd(300, 'ä'),
  html: '<p>Grüße</p>',
}

async function aServer(t: TestContext, options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  t.after(() => server.stop())
  return server
}
const configFor = (smtpUrl: string): Config =>
  readConfig({ SERVICE_SMTP_URL: smtpUrl, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>', SERVICE_BASE_URL: 'https://fleet.example' })
const failure = async (smtpUrl: string) => {
  const error = await sendMail({ config: configFor(smtpUrl) }, mail).catch((error: unknown) => error)
  assert.ok(error instanceof NotSent, String(error))
  return { message: error.message, forGood: error.forGood }
}

test('it comes as two parts of which the first is the text alone, each letter as it was written', async (t) => {
  const server = await aServer(t)
  await sendMail({ config: configFor(server.url) }, mail)
  const [got = assert.fail()] = server.mails
  assert.deepEqual([got.from, got.to, got.secure], ['fleet@example.com', ['ann@example.com'], false])
  assert.match(got.text, /^Message-ID: <reportmail_1@example.com>$/m)
  const parts = partsOf(got)
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['text/plain', 'text/html'],
  )
  assert.equal(parts[0]?.text.trimEnd(), mail.text, 'a lone dot included')
  assert.equal(parts[1]?.text.trimEnd(), mail.html)
  for (const line of got.text.split('\n')) assert.ok(line.length <= 998 && /^[\x20-\x7e\t]*$/.test(line), 'within what every server takes')
})

test('an address that is refused for good bounces; one refused for now, and a message refused after it was read, may pass', async (t) => {
  const server = await aServer(t)
  server.refuse = '550 no such user'
  assert.deepEqual(await failure(server.url), { message: 'The mail server answered with 550.', forGood: true })
  server.refuse = '451 greylisted, come again'
  assert.deepEqual(await failure(server.url), { message: 'The mail server answered with 451.', forGood: false })
  server.refuse = null
  assert.equal(server.mails.length, 0)
  server.refuseData = '554 looks like spam'
  assert.deepEqual(await failure(server.url), { message: 'The mail server answered with 554.', forGood: false })
})

test('where the server offers to encrypt it is encrypted, and only to one whose certificate holds', async (t) => {
  const pair = selfSigned('mail.example')
  const server = await aServer(t, pair)
  const trusted = `${server.url}/?tls.ca=${encodeURIComponent(pair.cert)}`
  await sendMail({ config: configFor(trusted) }, mail)
  assert.deepEqual(
    server.mails.map(({ secure }) => secure),
    [true],
  )
  assert.deepEqual(await failure(server.url), { message: 'The mail server could not be reached.', forGood: false })
  assert.equal(server.mails.length, 1)
})

test('where encryption is demanded, a server without it gets nothing', async (t) => {
  const server = await aServer(t)
  assert.equal((await failure(`${server.url}/?requireTLS=true`)).forGood, false)
  assert.equal(server.mails.length, 0)
})

test('what speaks no SMTP, or leaves in the middle, is a failure that may pass, and nothing of it is repeated', async (t) => {
  const answers = ['HTTP/1.1 400 <script>canary</script>\r\n', '', '220 hello\r\n250-canary\r\n', `220 ${'canary'.repeat(100_000)}\r\n`]
  for (const answer of answers) {
    const server = createServer((socket) => socket.on('error', () => {}).end(answer))
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    t.after(() => server.close())
    const told = await failure(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`)
    assert.equal(told.forGood, false)
    assert.doesNotMatch(told.message, /canary/)
  }
})
