import { Readable } from 'node:stream'
import { logEvent } from '../activity/service.ts'
import type { Client, Section } from '../clients/schema.ts'
import { getClient } from '../clients/service.ts'
import { momentOf, monthBefore, monthOf } from '../kernel/calendar.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import type { FileAnswer } from '../kernel/operation.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import type { Context, Db } from '../world.ts'
import type { Facts } from './facts.ts'
import { gatherFacts } from './gather.ts'
import { listLinks } from './link-store.ts'
import { listMails } from './mail-store.ts'
import { policyOf } from './page.ts'
import { fileNameOf } from './plain.ts'
import type { Place, Report, WholeReport } from './schema.ts'
import * as store from './store.ts'
import { digestOf, notesOf, pageBytes, renderedOf, standOf, tellReport } from './telling.ts'

const dayMs = 86_400_000
const longestDays = 400
const conflict = (message: string) => new Problem('conflict', message, { retryable: false })

export async function pageOfReports(
  context: Context,
  { client_id, status, ...wanted }: Wanted & { client_id?: string | undefined; status?: Report['status'] | undefined },
) {
  const filter = { clientId: client_id === undefined ? undefined : (await getClient(context, client_id)).id, status }
  const { items: reports, ...page } = await pageOf({ list: 'reports', workspaceId: context.workspaceId, filter }, wanted, {
    items: (part) => store.listReports(context, filter, part),
    total: () => store.countReports(context, filter),
    at: ({ id }) => [id],
  })
  return { reports, ...page }
}

/** Throws `not_found`. */
export async function getReport(context: Db, id: string, held = false): Promise<store.Row> {
  const report = await store.findReport(context, id, { held })
  if (!report)
    throw new Problem('not_found', 'There is no such report in this workspace. reports.list (GET /reports) shows those there are.')
  return report
}

async function getHeldDraft(context: Context, id: string): Promise<store.Row> {
  const report = await getReport(context, id, true)
  if (report.status === 'published')
    throw conflict('It is published and stays as it is. reports.correct (POST /reports/{report_id}/correction) begins a new version.')
  return report
}

export async function readReport(context: Context, id: string): Promise<WholeReport> {
  const report = await getReport(context, id)
  const { facts, notes: _, told: __, time_zone: ___, send_at, published_at, ...plain } = report
  return {
    ...plain,
    ...(await standOf(context, report)),
    ...store.periodOf(report),
    send_at: send_at?.toISOString() ?? null,
    published_at: published_at?.toISOString() ?? null,
    sites: facts.sites.length,
    newer: await newerThan(context, report),
    notes: notesOf(report),
    links: await listLinks(context, report.root_id),
    mails: await listMails(context, id),
  }
}

async function newerThan(context: Context, { root_id, version }: store.Row): Promise<WholeReport['newer']> {
  const newest = await store.newestVersion(context, root_id)
  return newest && newest.version > version ? newest : null
}

interface Period {
  month?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** In the client's time zone; a period that is not over yet goes as far as now. */
function periodOf({ month, from, to }: Period, { time_zone }: Client, now: Date): { from: Date; to: Date } {
  if ((from === undefined) !== (to === undefined))
    throw wrongField(from === undefined ? 'from' : 'to', 'Name both, from and to, or neither.')
  if (month !== undefined && from !== undefined) throw wrongField('month', 'Either a month, or from and to.')
  const dayOf = (text: string, later: number) => {
    const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
    return momentOf(time_zone, year, month, { day: day + later })
  }
  const named = month === undefined ? undefined : monthOf(month, time_zone)
  const meant = from !== undefined && to !== undefined ? { from: dayOf(from, 0), to: dayOf(to, 1) } : (named ?? monthBefore(now, time_zone))
  const path = month === undefined ? 'from' : 'month'
  if (meant.from >= now) throw wrongField(path, 'Must have begun already.')
  if (meant.from >= meant.to) throw wrongField('to', 'Must not be before from.')
  if (meant.to.getTime() - meant.from.getTime() > longestDays * dayMs) throw wrongField('to', `At most ${longestDays} days after from.`)
  return { from: meant.from, to: meant.to > now ? now : meant.to }
}

/** A draft of a client's period; one that is there already is answered as it is. */
export async function draftReport(context: Context, named: string, period: Period): Promise<WholeReport> {
  const client = await getClient(context, named)
  const { from, to } = periodOf(period, client, context.now())
  const known = await store.findDraft(context, client.id, from, to)
  if (known !== undefined) return readReport(context, known)
  const id = newId('report', context.now())
  const facts = await gatherFacts(context, client, { from, to })
  const { hidden } = client
  const made = { id, client_id: client.id, root_id: id, version: 1, correction: null, facts, notes: {}, hidden }
  await store.insertReport(context, { ...made, from, to, by: asker(context) })
  return readReport(context, id)
}

/** The same time once more, with the figures as they are now. */
export async function refreshReport(context: Context, id: string): Promise<WholeReport> {
  await store.writeDraft(context, id, { facts: await factsAnew(context, await getHeldDraft(context, id)) })
  return readReport(context, id)
}

async function factsAnew(
  context: Context,
  { client_id, facts: { time_zone }, period_from: from, period_to: to }: store.Row,
): Promise<Facts> {
  return gatherFacts(context, { ...(await getClient(context, client_id)), time_zone }, { from, to })
}

interface Annotation {
  section: Place
  note?: string | undefined
  hidden?: boolean | undefined
}

export async function annotateReport(context: Context, id: string, { section, note, hidden }: Annotation): Promise<WholeReport> {
  const report = await getHeldDraft(context, id)
  if (section === 'summary' && hidden !== undefined) throw wrongField('hidden', 'Leave it out: how a report begins cannot be hidden.')
  const { [section]: _, ...others } = report.notes
  const notes = note === undefined ? report.notes : note === '' ? others : { ...others, [section]: { text: note, by: asker(context) } }
  const rest = report.hidden.filter((each) => each !== section)
  const left = hidden === undefined ? report.hidden : hidden ? [...rest, section as Section] : rest
  await store.writeDraft(context, id, { notes, hidden: left, held_back: context.caller.approvalOnly })
  return readReport(context, id)
}

/** The report as it would be published; throws what publishing it would throw. After an approval it is held, so that what was looked at is what is published. */
export async function planPublishing(context: Context, id: string, digest: string | undefined): Promise<WholeReport> {
  const report = await getReport(context, id, context.caller.approved !== undefined)
  await pageToPublish(context, report, digest)
  return readReport(context, id)
}

/** Freezes it: what was read under `digest` or nothing is published. */
export async function publishReport(context: Context, id: string, digest: string | undefined): Promise<WholeReport> {
  const report = await getReport(context, id, true)
  const html = await pageToPublish(context, report, digest)
  if (html === undefined) return readReport(context, id)
  await store.markPublished(context, id, { html, digest: digestOf(html), told: await tellReport(context, report), by: asker(context) })
  await note(context, 'A report was published')
  return readReport(context, id)
}

/** Never with what is no longer for the client. Undefined: it is published already. */
async function pageToPublish(context: Context, report: store.Row, digest: string | undefined): Promise<Buffer | undefined> {
  const stale = () => conflict('It is not what was read under that digest: something has changed since. Read it again.')
  if (report.status === 'published') {
    if (digest !== undefined && digest !== report.digest) throw stale()
    return undefined
  }
  const html = await renderedOf(context, report, { isDraft: false })
  if (digest !== undefined && digest !== digestOf(html)) throw stale()
  return html
}

/** A new version, as a draft; the one before stays as it is. */
export async function correctReport(context: Context, id: string, why: string): Promise<WholeReport> {
  const before = await getReport(context, id, true)
  const newest = await store.newestVersion(context, before.root_id)
  if (before.status === 'draft' || newest?.status === 'draft') throw conflict('A draft of it is at work already; publish or discard that.')
  if (newest?.id !== id) throw conflict('There is a newer version of it; correct that one.')
  const { client_id, root_id, version, notes, hidden, period_from: from, period_to: to } = before
  const facts = await factsAnew(context, before)
  const made = {
    id: newId('report', context.now()),
    client_id,
    root_id,
    version: version + 1,
    correction: why,
    facts,
    notes,
    hidden,
  }
  await store.insertReport(context, { ...made, from, to, by: asker(context) })
  return readReport(context, made.id)
}

export async function discardReport(context: Context, id: string) {
  await getHeldDraft(context, id)
  await store.deleteDraft(context, id)
  return { id, removed: true }
}

const note = (context: Context, summary: string) =>
  logEvent(context, { siteId: null, category: 'other', summary, by: asker(context), internal: true })

/** The page itself: of a draft as it is now, of a published one byte for byte as it was. */
export async function htmlOf(context: Context, id: string): Promise<FileAnswer> {
  const report = await getReport(context, id)
  const bytes = await pageBytes(context, report)
  const known = { length: bytes.length, etag: `"${digestOf(bytes)}"` }
  const contentType = 'text/html; charset=utf-8'
  const open: FileAnswer['open'] = (part) => Readable.from([part ? bytes.subarray(part.from, part.to) : bytes])
  return {
    filename: fileNameOf({ ...report, ...store.periodOf(report) }, 'html'),
    contentType,
    known,
    open,
    shownUnder: policyOf(bytes.toString('utf8')),
  }
}
