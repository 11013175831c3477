// One typed call for each verb. What comes back fits its schema, advances, and is no larger than was asked for; otherwise the site failed.
import { type AskOptions, type AskResult, ask, type Deps, type SiteConnection } from './ask.ts'
import { type Params, type Result, VERBS, type Verb } from './commands.ts'
import { JSON_CAP, SLICE_SLACK } from './shapes.ts'
import { SiteError } from './site-error.ts'
import { comparePaths, type SitePath } from './site-text.ts'
import { malformed, plainBytes } from './slice.ts'

/** Most bytes of one row, which is never cut: twice as many as MariaDB lets a client write at once, in hexadecimal digits. */
const ROW_CAP = 34 * 1024 * 1024
const TABLES_AT_ONCE = 1_000
const MOST_TABLES = 100_000
/** A row that is longer does not travel: it would not fit that cap with what is around it. */
export const SKIP_ABOVE = 33 * 1024 * 1024

export type Called<T> = Omit<AskResult, 'result' | 'payload'> & { result: T }
export type Rows = Result<'db.rows'> & { sql: Buffer }
export type Snapshot = Result<'db.snapshot'> & { sql: Buffer }
export type FileRead = Result<'files.read'>['items'][number] & { bytes: Buffer }
/** `payload`: what pieces that were not packed are parts of, and nobody else. */
export type FileReads = { items: FileRead[]; done: boolean; payload: Buffer; bodyMs: number }

/** Verbs with functions of their own, which also unpack the bytes. */
export type SliceVerb = 'db.rows' | 'db.snapshot' | 'files.read'

/** Runs one verb and returns its parsed answer. */
export async function call<V extends Exclude<Verb, SliceVerb>>(
  deps: Deps,
  site: SiteConnection,
  { verb, params }: { verb: V; params: Params<V> },
  options: AskOptions = {},
): Promise<Called<Result<V>>> {
  const { payload, ...answer } = await ask(deps, site, { method: verb, params }, options)
  if (payload) throw malformed(`The connector’s answer to ${verb} is of the wrong kind.`)
  return { ...answer, result: parseResult(verb, answer.result) }
}

/** The next rows of one table as SQL. Each answer that is not the last moves on. */
export async function readRows(
  deps: Deps,
  site: SiteConnection,
  params: Params<'db.rows'>,
  options: AskOptions = {},
): Promise<Called<Rows>> {
  const { payload, ...answer } = await askRows(deps, site, params, options)
  const meta = parseResult('db.rows', answer.result)
  if (!meta.done && (meta.rows + meta.skipped.length === 0 || sameRow(meta, params)))
    throw malformed('The site’s answers for a table do not move on.')
  const sql = await plainBytes(payload, meta.encoding, meta.rows === 1 ? ROW_CAP : params.max_bytes + SLICE_SLACK)
  return { ...answer, result: { ...meta, sql } }
}

/** All tables as of one moment, where that fits one answer; otherwise `complete` is false. */
export async function takeSnapshot(
  deps: Deps,
  site: SiteConnection,
  params: Params<'db.snapshot'>,
  options: AskOptions = {},
): Promise<Called<Snapshot>> {
  const { payload, ...answer } = await askSlice(deps, site, { verb: 'db.snapshot', params }, options)
  const meta = parseResult('db.snapshot', answer.result)
  const sql = await plainBytes(payload, meta.encoding, params.max_bytes + SLICE_SLACK)
  const listedBytes = meta.tables.flatMap(({ ranges }) => ranges).reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (listedBytes !== sql.length || (meta.complete && meta.tables.length !== params.tables.length))
    throw malformed('The site’s rows do not fit what it tells of them.')
  return { ...answer, result: { ...meta, sql } }
}

/** All tables of a database, in as many answers as it takes; what is not of one of them is in the first. */
export async function listTables(ask: (params: Params<'db.tables'>) => Promise<Result<'db.tables'>>): Promise<Result<'db.tables'>> {
  const params = { max_items: TABLES_AT_ONCE, budget_ms: 8_000 }
  const whole = await ask(params)
  const tables = [...whole.tables]
  let { done } = whole
  for (let after = ''; !done; ) {
    const last = tables.at(-1)?.name ?? ''
    if (Buffer.compare(Buffer.from(last), Buffer.from(after)) <= 0 || tables.length > MOST_TABLES)
      throw malformed('The site’s list of tables does not move on.')
    after = last
    const page = await ask({ ...params, after })
    tables.push(...page.tables)
    done = page.done
  }
  if (new Set(tables.map(({ name }) => name)).size < tables.length) throw malformed('The site’s list of tables names one twice.')
  return { ...whole, tables, done }
}

/** The next entries of a folder tree, in walk order. */
export async function listFiles(
  deps: Deps,
  site: SiteConnection,
  params: Params<'files.list'>,
  options: AskOptions = {},
): Promise<Called<Result<'files.list'>>> {
  const answer = await call(deps, site, { verb: 'files.list', params }, options)
  const { entries, after, done } = answer.result
  let last: SitePath | null = params.after
  for (const { p } of entries) last = mustFollow(last, p)
  if (!done && (after === null || (params.after !== null && comparePaths(after, params.after) <= 0))) throw stuck()
  if (!done && after !== null && last !== null && comparePaths(after, last) < 0) throw stuck()
  return answer
}

/** Pieces of files: the first ones of those asked for, as many as fit. */
export async function readFiles(
  deps: Deps,
  site: SiteConnection,
  params: Params<'files.read'>,
  options: AskOptions = {},
): Promise<Called<FileReads>> {
  const { payload, ...answer } = await askSlice(deps, site, { verb: 'files.read', params }, options)
  const { items: metas, done } = parseResult('files.read', answer.result)
  const wire = metas.reduce((sum, item) => sum + item.wire, 0)
  if (wire !== payload.length || metas.length > params.items.length || metas.length === 0) throw malformed('Pieces of files do not fit.')
  let at = 0
  const items: FileRead[] = []
  for (const [index, meta] of metas.entries()) {
    const packed = payload.subarray(at, at + meta.wire)
    at += meta.wire
    const bytes = meta.wire === 0 ? packed : await plainBytes(packed, meta.encoding, params.items[index]?.n ?? 0)
    if (bytes.length !== meta.n) throw malformed('A piece of a file has another length than it says.')
    items.push({ ...meta, bytes })
  }
  return { ...answer, result: { items, done, payload, bodyMs: answer.bodyMs } }
}

/** A row that is larger than a slice is asked for again, alone and under a cap of its own. */
async function askRows(deps: Deps, site: SiteConnection, params: Params<'db.rows'>, options: AskOptions) {
  try {
    return await askSlice(deps, site, { verb: 'db.rows', params }, options)
  } catch (error) {
    if (!(error instanceof SiteError && error.reason === 'too_large')) throw error
    return await askSlice(deps, site, { verb: 'db.rows', params: { ...params, max_items: 1 } }, { ...options, maxBytes: ROW_CAP })
  }
}

async function askSlice<V extends SliceVerb>(
  deps: Deps,
  site: SiteConnection,
  { verb, params }: { verb: V; params: Params<V> },
  options: AskOptions,
) {
  const maxBytes = Math.min(params.max_bytes + SLICE_SLACK, 8 * JSON_CAP)
  const answer = await ask(deps, site, { method: verb, params }, { maxBytes, ...options })
  const { payload } = answer
  if (!payload) throw malformed(`The connector’s answer to ${verb} is of the wrong kind.`)
  return { ...answer, payload }
}

function parseResult<V extends Verb>(verb: V, value: unknown): Result<V> {
  const parsed = VERBS[verb].result.safeParse(value)
  if (parsed.success) return parsed.data as Result<V>
  const [issue] = parsed.error.issues
  // The path of an issue holds only names of ours and positions; its message may quote the site.
  const where = issue?.path.filter((part) => typeof part === 'number' || /^[a-z_]+$/.test(String(part))).join('.')
  throw malformed(`The connector’s answer to ${verb} is not as agreed${where ? ` (${where})` : ''}.`, { cause: parsed.error })
}

function mustFollow(last: SitePath | null, next: SitePath): SitePath {
  if (last !== null && comparePaths(next, last) <= 0) throw stuck()
  return next
}

function stuck() {
  return malformed('The site’s list of files does not move on.')
}

function sameRow(meta: Result<'db.rows'>, params: Params<'db.rows'>): boolean {
  if (meta.after) return JSON.stringify(meta.after) === JSON.stringify(params.after)
  return meta.offset <= params.offset
}
