// The verbs of a restore (connector/PROTOCOL.md §6) on a FakeState: staged beside what is live, swapped at once, taken back, thrown away.
import { createHash, randomBytes } from 'node:crypto'
import { pathBytes, type SitePath } from '../src/connector/site-text.ts'
import { compareKeys, type FakeAnswer, type FakeCall, failure, keyIn, keyOf, tuple } from './fake-data.ts'
import type { FakeFile, FakeRestore, FakeState, FakeTable, FakeValue } from './fake-state.ts'

type Verb = (state: FakeState, call: FakeCall) => FakeAnswer
type Op = { k: string; r: string; p: SitePath; m: number; t: number; h: string; to?: SitePath }
type Piece = { h?: string; q?: number; o: number; n: number; s: number }

const DEAD_MAN = 600
const OPEN = ['armed', 'swapping', 'swapped', 'rolling_back']
const own = (state: FakeState) => `${state.prefix}svc_connector`
const ours = (path: string) => /^(wp-config\.php|\.maintenance|wp-content\/(plugins\/svc-connector|svc-connector-work)(\/|$))/.test(path)

export const RESTORE_WRITES = ['begin', 'put', 'load', 'prepare', 'arm', 'swap', 'rollback', 'commit', 'purge'].map(
  (verb) => `restore.${verb}`,
)

/** A verb of an open restore: of its job, and not of an attempt that was taken over. */
const mine =
  (phases: string[], act: (state: FakeState, restore: FakeRestore, call: FakeCall) => FakeAnswer): Verb =>
  (state, call) => {
    const { restore } = state
    if (!restore || restore.job !== call.params.job) return failure('failed', 'There is no such restore on this site.')
    if (Number(call.params.fence) < restore.fence) return failure('fence', 'This job was taken over by another worker.')
    restore.fence = Number(call.params.fence)
    if (phases.length > 0 && !phases.includes(restore.phase)) return failure('failed', `The restore is ${restore.phase}.`)
    return act(state, restore, call)
  }

export const RESTORE_VERBS: Record<string, Verb> = {
  'files.digest': (state, { params }) => ({
    result: {
      digests: (params.items as SitePath[]).map((path) => {
        const file = state.files.get(keyIn(params.root, path))
        return file && file.target === undefined ? createHash('sha256').update(file.bytes).digest('hex') : null
      }),
    },
  }),
  'restore.survey': (state, { params }) => {
    state.surveyed = params
    const leave = ['wp-config.php', 'wp-content/plugins/svc-connector'].map((p) => ({ r: 'abspath', p }))
    return { result: { obstacle: state.obstacle, leave, free: 1e12, prefix: state.prefix, modes: true, ...state.survey } }
  },
  'restore.begin': begin,
  'restore.have': mine([], (_, { stage }, { params }) => ({
    result: { have: (params.items as string[]).map((digest) => stage.has(digest)) },
  })),
  'restore.put': mine(['staging'], put),
  'restore.load': mine(['staging'], load),
  'restore.check': mine(['staging'], (_, { tables }, { params }) => {
    const table = tables.get(String(params.table))
    return table
      ? { result: { ...digest(table), after: null, offset: table.rows.length, done: true } }
      : failure('failed', 'No such table.')
  }),
  'restore.prepare': mine(['staging'], prepare),
  'restore.arm': mine(['staging', 'armed', 'committed'], (state, restore, { params, now }) => {
    Object.assign(restore, { phase: restore.phase === 'committed' ? 'swapped' : 'armed', probe: params.probe, deadline: now + DEAD_MAN })
    state.maintenance = true
    return { result: { deadline: restore.deadline } }
  }),
  'restore.swap': mine(['armed', 'swapping', 'swapped'], (state, restore) => {
    swap(state, restore)
    return { result: { done: true } }
  }),
  'restore.rollback': mine([], (state, restore) => {
    takeBack(state, restore)
    return { result: { done: true } }
  }),
  'restore.status': ({ restore, marker, lacks, orphans, unlooked }) => ({
    result: {
      phase: restore?.phase ?? 'none',
      job: restore?.job ?? '',
      id: restore?.id ?? '',
      kept_until: restore?.keptUntil ?? 0,
      marker,
      lacks,
      orphans,
      unlooked,
    },
  }),
  'restore.commit': mine(['swapped', 'committed'], (state, restore, { now }) => {
    if (restore.phase === 'swapped') Object.assign(restore, { phase: 'committed', keptUntil: now + 86_400 })
    Object.assign(state, { maintenance: false, marker: '' })
    return { result: { kept_until: restore.keptUntil, orphans: state.orphans, unlooked: state.unlooked } }
  }),
  'restore.purge': (state, { params }) => {
    if (!state.restore || state.restore.job !== params.job) return { result: { done: true } }
    if (['swapping', 'swapped', 'rolling_back'].includes(state.restore.phase)) return failure('busy', 'The restore is at work.')
    state.restore = undefined
    state.maintenance = false
    return { result: { done: true } }
  },
}

/** A site that hears nothing for ten minutes takes itself back. */
export function lapse(state: FakeState, now: number): void {
  const { restore } = state
  if (restore && OPEN.includes(restore.phase) && now >= restore.deadline) takeBack(state, restore)
}

export const isArmed = ({ restore }: FakeState): boolean => restore !== undefined && OPEN.includes(restore.phase)

/** Whether a visitor brings the secret that lets a probe in. */
export function maySee({ maintenance, restore }: FakeState, url: string): boolean {
  const secret = new URL(url, 'http://site').searchParams.get('svc-connector-probe') ?? ''
  return !maintenance || (restore !== undefined && createHash('sha256').update(secret).digest('hex') === restore.probe)
}

function begin(state: FakeState, { params }: FakeCall): FakeAnswer {
  const { restore } = state
  if (state.obstacle !== '') return failure('failed', `This site cannot take a restore: ${state.obstacle}.`)
  if (restore && OPEN.includes(restore.phase)) return failure('busy', 'Another restore is at work on this site.')
  const [job, fence] = [String(params.job), Number(params.fence)]
  if (restore?.job === job && fence < restore.fence) return failure('fence', 'This job was taken over by another worker.')
  if (restore?.job !== job || restore.phase !== 'staging')
    state.restore = {
      ...{ id: randomBytes(8).toString('hex'), job, fence, phase: 'staging', probe: '', deadline: 0, keptUntil: 0, extra: [] },
      ...{ events: [], asked: params },
      ...{ stage: new Map(), sql: new Map(), tables: new Map(), plan: '', ops: [], old: undefined },
    }
  Object.assign(state.restore ?? {}, { fence, extra: params.extra, asked: params })
  return { result: { id: state.restore?.id } }
}

function put(_: FakeState, { stage, sql }: FakeRestore, { params, payload = Buffer.alloc(0) }: FakeCall): FakeAnswer {
  let at = 0
  for (const { h, q, o, n, s } of params.items as Piece[]) {
    const bytes = payload.subarray(at, at + n)
    at += n
    const key = h === undefined ? `q${q}` : h
    const store = h === undefined ? sql : stage
    if (h !== undefined && stage.has(h)) continue
    const before = o === 0 ? Buffer.alloc(0) : (sql.get(`part ${key}`) ?? Buffer.alloc(0))
    if (before.length < o || bytes.length !== n) return failure('bad_request', 'An earlier piece is missing.')
    const whole = Buffer.concat([before.subarray(0, o), bytes])
    sql.set(`part ${key}`, whole)
    if (whole.length < s) continue
    if (h !== undefined && createHash('sha256').update(whole).digest('hex') !== h) return failure('failed', 'A file arrived damaged.')
    store.set(key, whole)
  }
  return { result: { stored: at } }
}

const made = { result: { offset: 0, rows: 0, xor: '0'.repeat(32), done: true } }

function load(_: FakeState, { sql, tables, events }: FakeRestore, { params }: FakeCall): FakeAnswer {
  const name = String(params.table)
  if (params.event !== undefined) {
    events.push(params.event)
    return made
  }
  if (params.view === true) {
    tables.set(name, { name, kind: 'view', create: String(params.create), auto_increment: null, columns: [], key: [], rows: [] })
    return made
  }
  const text = params.size === 0 ? '' : (sql.get(`q${params.n}`)?.toString() ?? '')
  if (Buffer.byteLength(text) !== params.size) return failure('bad_request', 'The rows of a table have not arrived whole.')
  const create = String(params.create)
  if (!create.startsWith(`CREATE TABLE \`${name}\``)) return failure('bad_request', 'That is not a definition of this table.')
  const columns = (params.columns as string[]).map((column) => ({
    name: column,
    type: typeIn(create, column),
    binary: /binary|blob/.test(typeIn(create, column)),
    generated: false,
  }))
  const key = /PRIMARY KEY \(`([^)]*)`\)/.exec(create)?.[1]?.split('`,`') ?? []
  const rows = text
    .split('\n')
    .filter(Boolean)
    .flatMap((line) =>
      rowsIn(
        line,
        name,
        columns.map((column) => column.name),
      ),
    )
  const triggers = params.triggers as FakeTable['triggers']
  const table: FakeTable = { name, kind: 'table', create, auto_increment: null, columns, key, rows, ...(triggers && { triggers }) }
  tables.set(name, table)
  return { result: { offset: params.size, ...digest(table), done: true } }
}

const typeIn = (create: string, column: string) => new RegExp(`\`${column}\` (\\w+(?:\\(\\d+\\))?)`).exec(create)?.[1] ?? 'text'

function prepare(state: FakeState, restore: FakeRestore, { params }: FakeCall): FakeAnswer {
  const plan = restore.stage.get(String(params.plan))
  if (!plan) return failure('bad_request', 'The plan is not here.')
  restore.ops = plan
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Op)
  for (const { k, p, h } of restore.ops as Op[]) {
    const path = pathBytes(p).toString()
    if (ours(path) || path.startsWith('/') || path.split('/').includes('..'))
      return failure('bad_request', 'The plan touches what a restore leaves alone.')
    if (k === 'put' && !restore.stage.has(h)) return failure('bad_request', 'A file of the plan is not here.')
  }
  return { result: { next: restore.ops.length, done: true, ungrouped: state.ungrouped } }
}

function swap(state: FakeState, restore: FakeRestore): void {
  if (restore.phase === 'swapped') return
  restore.old ??= {
    files: new Map(state.files),
    tables: [...state.tables],
    items: structuredClone(state.items),
    wpVersion: state.wpVersion,
  }
  for (const { k, r, p, m, t, h, to } of restore.ops as Op[]) {
    const path = keyIn(r, p)
    if (k === 'del') state.files.delete(path)
    if (k === 'put') state.files.set(path, aFile(restore.stage.get(h) ?? Buffer.alloc(0), m, t))
    const there = state.files.get(path)
    if (k === 'mode' && there) state.files.set(path, { ...there, mode: m, mtime: t })
    if (k === 'link' && to) state.files.set(path, { ...aFile(Buffer.alloc(0), 0o777, 0), target: pathBytes(to).toString() })
  }
  const gone = new Set([...restore.tables.keys(), ...restore.extra])
  state.tables = [...state.tables.filter(({ name }) => !gone.has(name) || name === own(state)), ...restore.tables.values()]
  state.marker = restore.id
  restore.phase = 'swapped'
}

const aFile = (bytes: Buffer, mode: number, mtime: number): FakeFile => ({ bytes, mode, mtime, ctime: mtime, inode: 1 })

function takeBack(state: FakeState, restore: FakeRestore): void {
  if (restore.old) {
    state.files.clear()
    for (const [path, file] of restore.old.files) state.files.set(path, file)
    state.tables = restore.old.tables
  }
  Object.assign(state, { maintenance: false, marker: '' })
  restore.phase = 'rolled_back'
}

function digest(table: FakeTable): { rows: number; xor: string } {
  let xor = 0n
  for (const row of table.rows.toSorted((a, b) => compareKeys(keyOf(table, a), keyOf(table, b))))
    xor ^= BigInt(`0x${createHash('md5').update(tuple(table, row)).digest('hex')}`)
  return { rows: table.rows.length, xor: xor.toString(16).padStart(32, '0') }
}

const LITERAL = /NULL|0x([0-9a-f]*)|'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?)/suy

function rowsIn(line: string, table: string, columns: string[]): FakeValue[][] {
  const head = `INSERT INTO \`${table}\` (${columns.map((name) => `\`${name}\``).join(',')}) VALUES `
  if (!line.startsWith(head)) throw new Error('That is not a statement of a backup of this table.')
  const rows: FakeValue[][] = []
  let row: FakeValue[] = []
  for (let at = head.length + 1; at < line.length; ) {
    LITERAL.lastIndex = at
    const found = LITERAL.exec(line)
    if (!found) throw new Error('That is not a literal.')
    row.push(literalOf(found))
    at = LITERAL.lastIndex
    if (line[at] === ')') {
      rows.push(row)
      row = []
      at += 2
    }
    at += 1
  }
  return rows
}

const PLAIN: Record<string, string> = { '0': '\0', n: '\n', r: '\r', Z: '\x1a' }

function literalOf([all, hex, text, number]: RegExpExecArray): FakeValue {
  if (hex !== undefined) return Buffer.from(hex, 'hex')
  if (text !== undefined) return text.replace(/\\(.)/gsu, (_, letter: string) => PLAIN[letter] ?? letter)
  return number !== undefined ? Number(number) : all === 'NULL' ? null : all
}
