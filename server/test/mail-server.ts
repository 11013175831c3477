// A mail server that tests send to: npm's smtp-server, so that what is spoken is SMTP as others understand it.
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Received {
  /** The envelope: whom bounces go to, and whom the mail is for. */
  from: string
  to: string[]
  /** As it came, headers and all, each line ended by \n. */
  text: string
  /** Whether it came encrypted. */
  secure: boolean
  /** What was asked for should it not arrive (RFC 3461); only servers that offer it are asked. */
  dsn: { ret: string | null | undefined; notify: string[] | undefined }
}

export interface MailServer {
  url: string
  port: number
  mails: Received[]
  /** From now on: answered to RCPT instead of 250, for everybody or for those it answers for. */
  refuse: string | null | ((address: string) => string | null)
  /** From now on: answered to a whole message, which it keeps all the same, instead of 250. */
  refuseData: string | null
  stop(): Promise<void>
}

/** Without a certificate it does not offer to encrypt. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const disabledCommands = options.cert === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH']
  const server = new SMTPServer({
    disabledCommands,
    disableReverseLookup: true,
    logger: false,
    ...options,
    onRcptTo({ address }, _, done) {
      done(answerOf(typeof here.refuse === 'function' ? here.refuse(address) : here.refuse))
    },
    onData(stream, { envelope, secure }, done) {
      void text(stream).then((whole) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const dsn = { ret: envelope.dsn?.ret, notify: envelope.rcptTo[0]?.dsn?.notify }
        here.mails.push({ from, to, text: whole.replaceAll('\r\n', '\n'), secure, dsn })
        done(answerOf(here.refuseData))
      }, done)
    },
  })
  // A client that leaves in the middle is no fault of the test.
  server.on('error', () => {})
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.server.address() as { port: number }
  const here: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails: [],
    refuse: null,
    refuseData: null,
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  }
  return here
}

/** `550 no such user`, as the library wants it. */
function answerOf(line: string | null): (Error & { responseCode: number }) | null {
  if (line === null) return null
  return Object.assign(new Error(line.slice(4)), { responseCode: Number(line.slice(0, 3)) })
}

/** What a mail program shows of each part, in the order in which they come. */
export function partsOf({ text: mail }: Received): { type: string; text: string }[] {
  const boundary = /^Content-Type: multipart\/alternative;\s+boundary="?([^"\n]+)"?/im.exec(mail)?.[1]
  if (boundary === undefined) throw new Error(`Not of several parts:\n${mail.slice(0, 500)}`)
  return mail
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...body] = part.trimStart().split('\n\n')
      const type = /^Content-Type: ([^;\n]+)/im.exec(head)?.[1] ?? ''
      return { type, text: decoded(body.join('\n\n'), /^Content-Transfer-Encoding: (\S+)/im.exec(head)?.[1] ?? '7bit') }
    })
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
