// What a report says, as a page and beside it: of a draft as it would be now, of a published one as it was.
import { hash } from 'node:crypto'
import type { Client } from '../clients/schema.ts'
import { getClient } from '../clients/service.ts'
import type { Context } from '../world.ts'
import { appearanceOf } from './appearance.ts'
import { mustBelong, strayIn } from './belongs.ts'
import { type Appearance, type Content, pageOf, type ReportSummary, summarize } from './page.ts'
import type { Note, Place, WholeReport } from './schema.ts'
import { type Row, readHtml } from './store.ts'

export const notesOf = ({ notes }: Pick<Row, 'notes'>): Note[] =>
  Object.entries(notes).map(([section, note]) => ({ section: section as Place, ...note }))

const contentOf = (report: Row, isDraft: boolean): Content => ({ ...report, notes: notesOf(report), isDraft })

type Reading = Pick<Context, 'db' | 'workspaceId' | 'config'>

/** Its days stay those of the time zone that it was drafted in. */
const appearanceFor = async (context: Reading, report: Row, client: Client): Promise<Appearance> => ({
  ...(await appearanceOf(context, client)),
  time_zone: report.facts.time_zone,
})

/** How a draft would be published now; throws while something in it is not for the client. */
async function appearanceNow(context: Reading, report: Row): Promise<Appearance> {
  const client = await getClient(context, report.client_id)
  await mustBelong(context, client, report.facts)
  return appearanceFor(context, report, client)
}

/** What is said of it beside its page; of a published one as it was. */
export async function tellReport(context: Reading, report: Row): Promise<ReportSummary> {
  if (report.told) return report.told
  const isOld = report.status === 'published'
  const appearance = isOld
    ? await appearanceFor(context, report, await getClient(context, report.client_id))
    : await appearanceNow(context, report)
  return summarize(contentOf(report, false), appearance)
}

/** The page as it would be published now. */
export const renderedOf = async (context: Context, report: Row, { isDraft }: { isDraft: boolean }): Promise<Buffer> =>
  Buffer.from(pageOf(contentOf(report, isDraft), await appearanceNow(context, report)))

export const digestOf = (html: Buffer) => hash('sha256', html, 'hex')

/** What it says, under which digest; of a draft in which something is not for the client nothing but what that is. */
export async function standOf(context: Context, report: Row): Promise<Pick<WholeReport, 'digest' | 'shown' | 'summary' | 'stale'>> {
  const of = ({ shown, summary }: ReportSummary, digest: string | null) => ({ digest, shown, summary, stale: [] })
  if (report.status === 'published') return of(await tellReport(context, report), report.digest)
  const client = await getClient(context, report.client_id)
  const stale = await strayIn(context, client, report.facts)
  if (stale.length > 0) return { digest: null, shown: [], summary: [], stale }
  const appearance = await appearanceFor(context, report, client)
  const content = contentOf(report, false)
  return of(summarize(content, appearance), digestOf(Buffer.from(pageOf(content, appearance))))
}

/** Of a published one byte for byte as it was. */
export const pageBytes = async (context: Context, report: Row): Promise<Buffer> =>
  (await readHtml(context, report.id)) ?? (await renderedOf(context, report, { isDraft: true }))
