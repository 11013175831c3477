// Mail by SMTP, where the operator has set a server.
import nodemailer from 'nodemailer'
import type { Config } from '../config.ts'

const timeoutMs = 15_000

export interface Mail {
  /** By which the server knows a message that comes twice. */
  id: string
  to: string[]
  subject: string
  text: string
}

/** Throws an error whose message is ours and safe to show. */
export async function sendMail(
  { smtpUrl, mailFrom, baseUrl }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'baseUrl'>,
  mail: Mail,
): Promise<void> {
  if (smtpUrl === undefined) throw new Error('The operator has set no mail server (SERVICE_SMTP_URL).')
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = nodemailer.createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  try {
    const { id, to, subject, text } = mail
    await transport.sendMail({ from: mailFrom, to, messageId: `<${id}@${new URL(baseUrl).hostname}>`, subject, text })
  } catch (error) {
    const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
    throw new Error(code > 0 ? `The mail server answered with ${code}.` : 'The mail server could not be reached.')
  } finally {
    transport.close()
  }
}
