// Private links: who has one reads the report, without an account. What is kept of one is its digest.
import { hash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { logEvent } from '../activity/service.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { houseOf } from './appearance.ts'
import { followLink, insertLink, revokeLink } from './link-store.ts'
import { getReport } from './service.ts'

const dayMs = 86_400_000
/** 256 bits of chance. */
const secretBytes = 32
const secretLike = /^[A-Za-z0-9_-]{43}$/

const digestOf = (secret: string) => hash('sha256', secret, 'buffer')

/** The address is shown now and never again. */
export async function createLink(context: Context, reportId: string, days: number) {
  const report = await getReport(context, reportId)
  if (report.status !== 'published')
    throw new Problem('conflict', 'A draft has no link. reports.publish (POST /reports/{report_id}/publish) publishes it first.', {
      retryable: false,
    })
  const secret = randomBytes(secretBytes).toString('base64url')
  const id = newId('reportlink', context.now())
  const expiresAt = new Date(context.now().getTime() + days * dayMs)
  await insertLink(context, { id, rootId: report.root_id, sha256: digestOf(secret), by: asker(context), expiresAt })
  await note(context, 'A private link to a report was made')
  const { link_base } = await houseOf(context)
  return { id, url: `${link_base}/r/${secret}`, expires_at: expiresAt.toISOString() }
}

export async function endLink(context: Context, reportId: string, linkId: string) {
  const report = await getReport(context, reportId)
  if (!(await revokeLink(context, report.root_id, linkId)))
    throw new Problem('not_found', 'This report has no such link. reports.get (GET /reports/{report_id}) shows those there are.')
  await note(context, 'A private link to a report was revoked')
  return { id: linkId, status: 'revoked' as const }
}

/** The page for whoever knows the secret. */
export async function visit(
  { db, now }: { db: Kysely<unknown>; now(): Date },
  secret: string,
  counts: boolean,
): Promise<Buffer | undefined> {
  return secretLike.test(secret) ? followLink(db, digestOf(secret), now(), counts) : undefined
}

const note = (context: Context, summary: string) =>
  logEvent(context, { siteId: null, category: 'other', summary, by: asker(context), internal: true })
