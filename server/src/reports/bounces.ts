// Mails that came back after the mail server had taken them: each goes out with a return address of its own (VERP), by which
// the notification of a mail server, which the operator hands in, says which one it was.
import { createHmac, hash } from 'node:crypto'
import { logEvent } from '../activity/service.ts'
import { clean } from '../connector/clean.ts'
import { Problem } from '../kernel/problem.ts'
import { type Failure, readFailure } from '../platform/delivery-status.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { DatedDb, Here, World } from '../world.ts'
import { findReturned, markReturned, type Returned } from './mail-store.ts'

const by = { type: 'system', id: 'reports', name: 'Reports' } as const
/** 128 bits, in digits that no mail server writes otherwise. */
const tokenDigits = 32
const longestSaid = 300
/** So much of a notification is read: what counts stands at its beginning. */
export const mostOfNotice = 256 * 1024

/** What the return address of a mail ends in: nobody makes one up, and it says nothing. */
export async function returnToken(keeper: Pick<Here, 'db' | 'masterKey' | 'now' | 'workspaceId'>, mailId: string): Promise<string> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  return createHmac('sha256', key.bytes).update(`return of ${mailId}`).digest('hex').slice(0, tokenDigits)
}

export const returnDigest = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Whom a mail comes back to; undefined: whom it is from. */
export function returnAddress({ mailBounces }: World['config'], token: string): string | undefined {
  return mailBounces?.replace('@', `+${token}@`)
}

/** `ignored` is nothing wrong: people and programs answer to such an address as well. */
export type Taken = { status: 'bounced'; report_id: string; mail_id: string; code: string | null } | { status: 'ignored'; reason: string }

/** Takes a notification of a mail server; twice is the same as once. */
export async function takeNotice(world: World, message: string): Promise<Taken> {
  const { mailBounces } = world.config
  if (mailBounces === undefined)
    throw new Problem('conflict', 'No address is set that mails come back to (SERVICE_MAIL_BOUNCES), so none is known by it.', {
      retryable: false,
    })
  const notice = message.slice(0, mostOfNotice)
  const ignored = (reason: string): Taken => ({ status: 'ignored', reason })
  const tokens = tokensIn(notice, mailBounces)
  if (tokens.length === 0) return ignored('No return address of a report stands in it.')
  const failure = readFailure(notice)
  if (!failure) return ignored('It is no delivery status notification of a mail that was given up.')
  return world.db.transaction().execute(async (db) => {
    const mail = await findReturned(db, tokens.map(returnDigest))
    if (!mail) return ignored('No mail has that return address, or none any more.')
    await keep({ ...world, db, workspaceId: mail.workspace_id }, mail, failure)
    return { status: 'bounced', report_id: mail.report_id, mail_id: mail.id, code: failure.code }
  })
}

/** At most a few: a notification names its own, and the mail it brings back. */
function tokensIn(notice: string, mailBounces: string): string[] {
  const [local = ''] = mailBounces.split('@')
  const each = new RegExp(`${local.replaceAll('.', '\\.')}(?:\\+|=2B)([0-9a-f]{${tokenDigits}})(?=[@=])`, 'gi')
  const found = new Set<string>()
  for (const [, token = ''] of notice.matchAll(each)) if (found.add(token.toLowerCase()).size === 4) break
  return [...found]
}

async function keep(here: DatedDb, mail: Returned, { code, said }: Failure): Promise<void> {
  const error = `It came back${code === null ? '' : ` (${code})`}: ${meaningOf(code)}.`
  const isNew = await markReturned(here, mail.id, { error, said: clean(said, longestSaid) || null })
  if (!isNew) return
  const summary = `The mail with a report came back${code === null ? '' : ` (${code})`}`
  await logEvent(here, { siteId: null, category: 'other', summary, by, internal: true })
}

/** RFC 3463: the second number says what it is about. */
const meanings: Record<string, string> = {
  '1': 'nobody has that address',
  '2': 'the mailbox takes no mail',
  '3': 'the mail server of the address takes no mail',
  '4': 'the mail server of the address was not reached',
  '5': 'the mail servers did not understand each other',
  '6': 'the mail server of the address does not take such a mail',
  '7': 'the mail server of the address refused it',
}

const meaningOf = (code: string | null) => meanings[code?.split('.')[1] ?? ''] ?? 'a mail server gave it up'
