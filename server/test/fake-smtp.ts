// A mail server in memory (RFC 5321), that takes everything or says no.
import { type AddressInfo, createServer } from 'node:net'

export interface FakeSmtp {
  url: string
  /** Every message as it came, headers and all, with whom it is for. */
  mails: { to: string[]; text: string }[]
  /** From now on: answered to RCPT instead of 250. */
  refuse: string | null
  stop(): Promise<void>
}

export async function startFakeSmtp(): Promise<FakeSmtp> {
  const server = createServer((socket) => {
    let [rest, data, inData] = ['', '', false]
    let to: string[] = []
    const say = (line: string) => void socket.write(`${line}\r\n`)
    const take = (line: string) => {
      if (inData) {
        if (line !== '.') data += `${line.replace(/^\./, '')}\n`
        else {
          smtp.mails.push({ to, text: data })
          inData = false
          say('250 taken')
        }
      } else if (/^(EHLO|HELO)/i.test(line)) say('250 fake')
      else if (/^RCPT/i.test(line)) {
        to.push(/<(.*)>/.exec(line)?.[1] ?? '')
        say(smtp.refuse ?? '250 ok')
      } else if (/^DATA/i.test(line)) {
        inData = true
        data = ''
        say('354 go on')
      } else if (/^MAIL/i.test(line)) {
        to = []
        say('250 ok')
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else say('250 ok')
    }
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        const lines = (rest + bytes.toString('utf8')).split('\r\n')
        rest = lines.pop() ?? ''
        for (const line of lines) take(line)
      })
    say('220 fake')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const smtp: FakeSmtp = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails: [],
    refuse: null,
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  }
  return smtp
}
