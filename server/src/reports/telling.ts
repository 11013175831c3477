// What a report says, as a page and beside it: of a draft as it would be now, of a published one as it was.
import { hash } from 'node:crypto'
import type { Client } from '../clients/schema.ts'
import { getClient } from '../clients/service.ts'
import type { Context } from '../world.ts'
import { mustBelong, strayIn } from './belongs.ts'
import { lookOf } from './look.ts'
import { type Content, type Look, pageOf, type Told, toldOf } from './page.ts'
import type { Note, Place, WholeReport } from './schema.ts'
import { type Row, readHtml } from './store.ts'

export const notesOf = ({ notes }: Pick<Row, 'notes'>): Note[] =>
  Object.entries(notes).map(([section, note]) => ({ section: section as Place, ...note }))

const contentOf = (report: Row, isDraft: boolean): Content => ({ ...report, notes: notesOf(report), isDraft })

type Reading = Pick<Context, 'db' | 'workspaceId' | 'config'>

/** Its days stay those of the time zone that it was drafted in. */
const lookFor = async (context: Reading, report: Row, client: Client): Promise<Look> => ({
  ...(await lookOf(context, client)),
  time_zone: report.facts.time_zone,
})

/** How a draft would be published now; throws while something in it is not for the client. */
async function lookNow(context: Reading, report: Row): Promise<Look> {
  const client = await getClient(context, report.client_id)
  await mustBelong(context, client, report.facts)
  return lookFor(context, report, client)
}

/** What is said of it beside its page; of a published one as it was. */
export async function tellReport(context: Reading, report: Row): Promise<Told> {
  if (report.told) return report.told
  const isOld = report.status === 'published'
  const look = isOld ? await lookFor(context, report, await getClient(context, report.client_id)) : await lookNow(context, report)
  return toldOf(contentOf(report, false), look)
}

/** The page as it would be published now. */
export const renderedOf = async (context: Context, report: Row, { isDraft }: { isDraft: boolean }): Promise<Buffer> =>
  Buffer.from(pageOf(contentOf(report, isDraft), await lookNow(context, report)))

export const digestOf = (html: Buffer) => hash('sha256', html, 'hex')

/** What it says, under which digest; of a draft in which something is not for the client nothing but what that is. */
export async function standOf(context: Context, report: Row): Promise<Pick<WholeReport, 'digest' | 'shown' | 'summary' | 'stale'>> {
  const of = ({ shown, summary }: Told, digest: string | null) => ({ digest, shown, summary, stale: [] })
  if (report.status === 'published') return of(await tellReport(context, report), report.digest)
  const client = await getClient(context, report.client_id)
  const stale = await strayIn(context, client, report.facts)
  if (stale.length > 0) return { digest: null, shown: [], summary: [], stale }
  const look = await lookFor(context, report, client)
  const content = contentOf(report, false)
  return of(toldOf(content, look), digestOf(Buffer.from(pageOf(content, look))))
}

/** Of a published one byte for byte as it was. */
export const pageBytes = async (context: Context, report: Row): Promise<Buffer> =>
  (await readHtml(context, report.id)) ?? (await renderedOf(context, report, { isDraft: true }))
