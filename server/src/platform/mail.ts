// One mail to the operator's mail server. Nothing is fetched for it, neither files nor addresses.
import type { Config } from '../config.ts'

/** Only services that mail hold it in memory. */
const nodemailer = () => import('nodemailer')
const timeoutMs = 15_000

/** Why a message did not arrive, in a sentence of ours. `forGood`: it never will. */
export class NotSent extends Error {
  readonly forGood: boolean

  constructor(message: string, forGood = false) {
    super(message)
    this.forGood = forGood
  }
}

export interface Mail {
  /** Makes its id, so that one that comes twice is known by it. */
  id: string
  to: string[]
  /** Who it is from, for people; the address is the operator's. */
  sender?: string
  replyTo?: string | undefined
  /** Where mail servers send it back to that cannot deliver it, by its head alone; absent: to whom it is from. */
  returnTo?: string | undefined
  subject: string
  text: string
  html?: string
}

export async function sendMail({ config }: { config: Config }, { id, to, sender, replyTo, returnTo, ...content }: Mail): Promise<void> {
  const { smtpUrl, mailFrom } = config
  if (smtpUrl === undefined) throw new NotSent('The operator has set no mail server (SERVICE_SMTP_URL).')
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const { createTransport } = await nodemailer()
  const transport = createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  const address = /<([^<>]+)>$/.exec(mailFrom)?.[1] ?? mailFrom
  const from = sender === undefined ? mailFrom : { name: sender, address }
  try {
    // Of the domain that it comes from, as others have it, and not of where the service is.
    const messageId = `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`
    const back = returnTo !== undefined && { envelope: { from: returnTo, to }, dsn: { ret: 'HDRS', notify: ['FAILURE'] } }
    await transport.sendMail({ from, to, messageId, ...(replyTo !== undefined && { replyTo }), ...content, ...back })
  } catch (error) {
    throw refusalOf(error)
  } finally {
    transport.close()
  }
}

/** An address that the server refused for good bounces; everything else may pass. */
function refusalOf(error: unknown): NotSent {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown }
  const status = Number(responseCode ?? 0)
  if (!(status > 0)) return new NotSent('The mail server could not be reached.')
  return new NotSent(`The mail server answered with ${status}.`, code === 'EENVELOPE' && status >= 500)
}
