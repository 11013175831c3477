import { Readable } from 'node:stream'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { type FileAnswer, isRead } from '../kernel/operation.ts'
import type { Context } from '../world.ts'
import type { AuditRow } from './schema.ts'
import { type AuditFilter, countAudit, listAudit } from './store.ts'

const atOnce = 1000

interface Asked extends Omit<AuditFilter, 'except'> {
  changes: boolean
}

const filterOf = ({ operations }: Context, { changes, ...filter }: Asked): AuditFilter => ({
  ...filter,
  ...(changes && { except: [...operations.values()].filter(isRead).map(({ name }) => name) }),
})

export async function pageOfAudit(context: Context, asked: Asked, wanted: Wanted) {
  const filter = filterOf(context, asked)
  const listing = { list: 'audit', workspaceId: context.workspaceId, filter: asked }
  const { items, cursorAfter, ...page } = await pageOf(listing, wanted, {
    items: (part) => listAudit(context, filter, part),
    total: () => countAudit(context, filter),
    at: ({ id }) => [id],
  })
  return { audit: items, ...page, cursorAfter }
}

/** All that the filters leave, newest first, a thousand rows at a time. */
export function exportAudit(context: Context, asked: Asked, format: 'csv' | 'jsonl'): FileAnswer {
  const filter = filterOf(context, asked)
  const day = context.now().toISOString().slice(0, 10)
  return {
    filename: `audit-${day}.${format}`,
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8',
    open: () => Readable.from(linesOf(context, filter, format)),
  }
}

async function* linesOf(context: Context, filter: AuditFilter, format: 'csv' | 'jsonl'): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  for (let after: [string] | undefined; ; ) {
    const rows = await listAudit(context, filter, { limit: atOnce, after })
    yield rows.map((row) => (format === 'csv' ? csvLine(row) : `${JSON.stringify(row)}\n`)).join('')
    const last = rows.at(-1)
    if (!last || rows.length < atOnce) return
    after = [last.id]
  }
}

const columns = ['at', 'by_type', 'by_id', 'by_name', 'operation', 'outcome', 'via', 'site_id', 'site_name', 'request_id', 'id']

const csvLine = ({ at, by, operation, outcome, via, site_id, site_name, request_id, id }: AuditRow) =>
  `${[new Date(at).toISOString(), by.type, by.id, by.name, operation, outcome, via, site_id, site_name, request_id, id].map(cell).join(',')}\r\n`

/** A spreadsheet takes what begins so for a formula, and names are given by sites and people. */
function cell(value: string | null): string {
  const text = value ?? ''
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
