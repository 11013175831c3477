// Reports by mail: to each address a mail and a private link of its own.
import { logEvent } from '../activity/service.ts'
import { getClient } from '../clients/service.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { NotSent, sendMail } from '../platform/mail.ts'
import { open, seal } from '../platform/master-key.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context, Here, World } from '../world.ts'
import { houseOf } from './appearance.ts'
import { returnAddress, returnDigest, returnToken } from './bounces.ts'
import { createLink } from './links.ts'
import { type Claimed, claimMails, endMail, insertMail } from './mail-store.ts'
import { type Words, wordsOf } from './mail-words.ts'
import type { ReportSummary } from './page.ts'
import { getReport } from './service.ts'
import { newestPublished } from './store.ts'
import { tellReport } from './telling.ts'

type Keeper = Pick<Here, 'db' | 'masterKey' | 'now' | 'workspaceId'>
type Link = { url: string; expiresAt: Date }

const atOnce = 8
/** So long a mail is its worker's alone. */
const leaseMs = 2 * 60_000
/** After each failed attempt, in seconds; after the last one it is given up. A day and a half in all. */
const pausesS = [30, 300, 1800, 7200, 21_600, 43_200, 43_200]

const place = (mailId: string) => `link of ${mailId}`

async function sealedLink(keeper: Keeper, mailId: string, link: { url: string; expires_at: string }): Promise<string> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  return seal(key, Buffer.from(JSON.stringify(link)), place(mailId)).toString('base64')
}

async function openedLink(keeper: Keeper, mailId: string, sealed: string): Promise<Link> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  const { url, expires_at } = JSON.parse(open(key, Buffer.from(sealed, 'base64'), place(mailId)).toString('utf8'))
  return { url, expiresAt: new Date(expires_at) }
}

const conflict = (message: string) => new Problem('conflict', message, { retryable: false })

function mustHaveServer({ config }: Pick<World, 'config'>): void {
  if (config.smtpUrl === undefined) throw conflict('The operator has set no mail server (SERVICE_SMTP_URL), so no mail can be sent.')
}

export async function countRecipients(context: Context, id: string): Promise<number> {
  const { client_id } = await getReport(context, id)
  return (await getClient(context, client_id)).recipients.length
}

interface How {
  to?: string[] | undefined
  days: number
}

/** To these addresses, or to all that the client has; throws where it is not sent. */
async function addressesFor(context: Context, id: string, { to }: How): Promise<string[]> {
  const report = await getReport(context, id)
  mustHaveServer(context)
  if (report.status !== 'published')
    throw conflict('A draft is not sent. reports.publish (POST /reports/{report_id}/publish) publishes it first.')
  const newest = await newestPublished(context, report)
  if (newest !== id) throw conflict(`It was corrected, and links lead to the newest version: send that one, ${newest}.`)
  const addresses = [...new Set(to ?? (await getClient(context, report.client_id)).recipients)]
  if (addresses.length === 0)
    throw conflict('Nobody gets the reports of this client. Name addresses in to, or set its recipients (clients.set).')
  return addresses
}

/** What would be sent, and to whom. */
export async function planSending(context: Context, id: string, how: How) {
  return { id, to: await addressesFor(context, id, how), mail: await plainWords(context, id) }
}

/** What is sent is said by reports.get. */
export async function sendReport(context: Context, id: string, how: How) {
  const { days } = how
  const addresses = await addressesFor(context, id, how)
  for (const address of addresses) {
    const mailId = newId('reportmail', context.now())
    const link = await createLink(context, id, days)
    const sealed = await sealedLink(context, mailId, link)
    const token = await returnToken(context, mailId)
    await insertMail(context, { id: mailId, reportId: id, address, sealedLink: sealed, returnDigest: returnDigest(token) })
  }
  await logEvent(context, { siteId: null, category: 'other', summary: 'A report was sent', by: asker(context), internal: true })
  return { id, to: addresses }
}

async function wordsFor(
  here: Pick<Here, 'db' | 'workspaceId' | 'config'>,
  id: string,
  link: Link | undefined,
): Promise<Words & Pick<ReportSummary['look'], 'sender'>> {
  const report = await getReport(here, id)
  const told = await tellReport(here, report)
  return { ...wordsOf({ ...report, told }, link), sender: told.look.sender }
}

async function plainWords(context: Context, id: string) {
  const { subject, text } = await wordsFor(context, id, undefined)
  return { subject, text }
}

/** The mail as it would be sent now. */
export async function previewMail(context: Context, id: string) {
  const { client_id } = await getReport(context, id)
  const { sender: from, ...words } = await wordsFor(context, id, undefined)
  const { reply_to } = await houseOf(context)
  return { from, reply_to, to: (await getClient(context, client_id)).recipients, ...words }
}

/** What a test would send. */
export async function planTest(context: Context, id: string) {
  const mail = await plainWords(context, id)
  mustHaveServer(context)
  return { ok: true, error: null, mail }
}

/** Sends it there and then to one address, without a link: for a look at it in a mailbox. */
export async function testMail(context: Context, id: string, to: string) {
  const words = await wordsFor(context, id, undefined)
  mustHaveServer(context)
  try {
    await post(context, { id: newId('reportmail', context.now()), to }, words)
    return { ok: true, error: null }
  } catch (error) {
    if (error instanceof NotSent) return { ok: false, error: error.message }
    throw error
  }
}

async function post(
  here: Pick<Here, 'db' | 'workspaceId' | 'config'>,
  { id, to, returnTo }: { id: string; to: string; returnTo?: string | undefined },
  { sender, subject, text, html }: Words & { sender: string },
): Promise<void> {
  const { reply_to } = await houseOf(here)
  await sendMail(here, { id, to: [to], returnTo, sender, replyTo: reply_to ?? undefined, subject, text, html })
}

/** The duty: until nothing is due. */
export async function deliverMails(world: World): Promise<void> {
  for (;;) {
    const now = world.now()
    const claimed = world.stopping.aborted ? [] : await claimMails(world.db, now, new Date(now.getTime() + leaseMs), atOnce)
    await Promise.all(claimed.map((each) => attempt(world, each)))
    if (claimed.length < atOnce) return
  }
}

async function attempt(world: World, claimed: Claimed): Promise<void> {
  const { db, now, log } = world
  const here = { ...world, workspaceId: claimed.workspace_id }
  try {
    const link = await openedLink(here, claimed.id, claimed.sealed_link)
    const returnTo = returnAddress(world.config, await returnToken(here, claimed.id))
    // It may have waited while a correction was published, which is what its link leads to then.
    const newest = await newestPublished(here, await getReport(here, claimed.report_id))
    await post(here, { id: claimed.id, to: claimed.address, returnTo }, await wordsFor(here, newest, link))
    await endMail(db, claimed, { status: 'sent', sentAt: now() })
  } catch (trouble) {
    const error = trouble instanceof NotSent ? trouble : new NotSent('The mail could not be made.')
    // Whatever is wrong with one holds up no other, and is not tried for ever.
    if (error !== trouble)
      log.error({ err: trouble, report_id: claimed.report_id, workspace_id: claimed.workspace_id }, 'a mail with a report failed')
    const pause = error.forGood ? undefined : pausesS[claimed.attempts - 1]
    if (pause === undefined) log.warn({ report_id: claimed.report_id, workspace_id: claimed.workspace_id }, 'a report could not be mailed')
    const later = { status: 'waiting' as const, dueAt: new Date(now().getTime() + (pause ?? 0) * 1000) }
    const given = error.forGood ? { status: 'bounced' as const, bouncedAt: now() } : { status: 'dead' as const }
    await endMail(db, claimed, { ...(pause === undefined ? given : later), error: error.message })
  }
}
