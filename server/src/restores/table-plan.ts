// What a restore changes in the database.
import { hindranceCalled } from '../backups/engine/database-notes.ts'
import { doubtOf, hindranceOf } from '../backups/engine/definition.ts'
import { sameDefinition } from '../backups/engine/known-tables.ts'
import {
  type DatabaseEvent,
  type Manifest,
  readTables,
  type TableEntry,
  type TableRange,
  type TableTrigger,
} from '../backups/engine/manifest.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Hello, Result } from '../connector/commands.ts'
import { type KeyTies, keyTiesOf } from './key-ties.ts'
import type { Scope } from './scope.ts'
import type { Definition } from './survey.ts'
import * as say from './table-words.ts'

export type TablePlan = {
  name: string
  create: string
  columns: string[]
  rows: number
  bytes: number
  ranges: TableRange[]
  triggers: TableTrigger[]
  live: boolean
}
export type ViewPlan = { name: string; create: string; live: boolean }
/** What comes back, what goes, and what stays as it is, with the reasons. */
export type DatabasePlan = {
  tables: TablePlan[]
  views: ViewPlan[]
  events: DatabaseEvent[]
  /** Live events that go, by name. */
  goneEvents: string[]
  extra: string[]
  kept: string[]
  warnings: string[]
}

type Survey = Pick<Result<'restore.survey'>, 'ties' | 'beside' | 'needed' | 'hindered' | 'untried'>

/**
 * Tables and views that come back, and live ones the backup does not have. What cannot be exchanged stays as it is; so does a live table of
 * which the backup lacks rows, because they were too large, unless it is named.
 */
export async function planTables(
  { manifest, read }: { manifest: Manifest; read: ReadBlob },
  live: Result<'db.tables'>,
  scope: Scope,
  { prefix, base_prefix = '' }: Hello['db'],
): Promise<DatabasePlan> {
  const tables = new Map<string, TablePlan>()
  const views: ViewPlan[] = []
  const omitted = new Map(manifest.database?.omitted.map(({ table, why }) => [table, why]))
  const own = `${prefix}svc_connector`
  const there = new Map(live.tables.map(({ name, kind }) => [name, kind]))
  for await (const entry of readTables(manifest, read)) {
    const { name, create } = entry
    const doubt = doubtOf(entry)
    if (doubt !== null) omitted.set(name, doubt)
    else if (entry.kind === 'view') {
      if (scope.hasTable(name)) views.push({ name, create, live: there.has(name) })
    } else if (name !== own && scope.hasTable(name)) addRanges(tables, entry, there.has(name))
  }
  const hindered = new Map(live.hindered?.map(({ table, why }) => [table, hindranceCalled(why)]))
  const all = [...tables.values()].map((table) => ({
    table,
    why: hindered.get(table.name) ?? hindranceOf(table, live.conditional === true),
  }))
  const bound = all.flatMap(({ table, why }) => (why === null ? [] : [{ name: table.name, why, live: table.live }]))
  const free = all.flatMap(({ table, why }) => (why === null ? [table] : []))
  const stay = free.filter(({ live, ranges }) => scope.whole && live && say.lacking(ranges).length > 0)
  const back = free.filter((table) => !stay.includes(table))
  const known = new Set([...tables.keys(), ...omitted.keys(), ...views.map(({ name }) => name), ...hindered.keys(), own])
  // Users that constants name elsewhere are no rest of anything: an older backup did not look for them.
  const unknown = [...there.keys()].filter((name) => scope.clears(name) && !known.has(name) && name.startsWith(base_prefix))
  // What was a neighbour's is one's still, also where the neighbour is too broken to be known as one.
  const isTheirs = (name: string) => manifest.database?.beside.some((start) => name.startsWith(start)) === true
  const extra = unknown.filter((name) => !isTheirs(name))
  const absent = [...omitted.keys()].filter((name) => scope.hasTable(name))
  const lacks = back.filter(({ ranges }) => say.lacking(ranges).length > 0)
  const events = scope.whole ? (manifest.database?.events ?? []) : []
  // Of what is not in a backup something can be said only where it tells all that were there.
  const others = (scope.whole && manifest.database?.other_events) || null
  const were = new Set([...events.map(({ name }) => name), ...(others ?? [])])
  const goneEvents = others === null ? [] : (live.events ?? []).map(({ name }) => name).filter((name) => !were.has(name))
  const mayLose = live.unseen?.includes('TRIGGER') && (extra.length > 0 || back.some((table) => table.live))
  return {
    ...{ tables: back, views, events, goneEvents, extra },
    kept: [
      ...stay.map(({ name }) => `${name} (a table of which the backup lacks rows)`),
      ...absent.filter((name) => there.has(name)).map((name) => `${name} (a table that the backup does not have)`),
      ...bound.flatMap(({ name, live }) => (live ? [`${name} (a table that cannot be exchanged)`] : [])),
      ...unknown.filter(isTheirs).map(ofAnother),
    ],
    warnings: [
      ...[
        ...stay.map(say.staying),
        ...lacks.map(say.coming),
        ...absent.map((name) => say.missing(name, omitted.get(name) ?? '')),
        ...bound.map(say.hindered),
      ],
      ...(mayLose ? [say.unseenTriggers] : []),
    ],
  }
}

/** The tables to which the backup ties what may not be made on the site. */
export function tiedIn({ tables }: DatabasePlan): { triggers?: string[]; keys?: string[] } {
  const triggers = tables.filter((table) => table.triggers.length > 0).map(({ name }) => name)
  const keys = tables.filter(({ create }) => / FOREIGN KEY \(/.test(create)).map(({ name }) => name)
  return { ...(triggers.length > 0 ? { triggers } : {}), ...(keys.length > 0 ? { keys } : {}) }
}

/** Of the tables that come back those the site has not, or not so, or without a key that may be demanded by now: the database may refuse to make them. */
export function madeAnew({ tables }: DatabasePlan, live: Result<'db.tables'>): Definition[] {
  const there = new Map(live.tables.map(({ name, create }) => [name, create]))
  return tables.flatMap(({ name, create }) => {
    if (sameDefinition(there.get(name) ?? '', create) && create.includes('PRIMARY KEY (')) return []
    return [{ table: name, create }]
  })
}

/** What keys tie to each other as the backup has these tables, and as the site has its own: a table that stays keeps the keys it has. */
export function tiesOf(creates: Definition[], live: Result<'db.tables'> | null): KeyTies {
  return keyTiesOf([...creates, ...(live?.tables ?? []).map(({ name, create }) => ({ table: name, create }))])
}

/**
 * The same without what the site says is not to be touched: tables of a neighbour, which an older backup may have, those others need, and those
 * of which something would be lost.
 */
export function leaveAlone(
  plan: DatabasePlan,
  live: Result<'db.tables'>,
  { ties = false, beside = [], needed = [], hindered = [], untried = [] }: Survey,
): DatabasePlan {
  const isOurs = ({ name }: { name: string }) => !beside.includes(name)
  const isView = new Set(live.tables.flatMap(({ name, kind }) => (kind === 'view' ? [name] : [])))
  const views = plan.views.filter(isOurs)
  const why = new Map(hindered.map((each) => [each.table, each.why]))
  // Of a table that is lost nothing can be lost any more.
  const isBare = ({ name, live }: TablePlan) => why.get(name) === 'triggers' && !live
  const ours = plan.tables.filter(isOurs)
  const stuck = ours.filter((table) => why.has(table.name) && !isBare(table))
  const lost = new Set(stuck.flatMap(({ name, live }) => (live ? [] : [name])))
  const extra = plan.extra.filter((name) => !needed.includes(name) && (ties || !isView.has(name)))
  const stays = [...stuck.map(({ name }) => name), ...extra.filter((name) => why.has(name))]
  const goneEvents = ties ? plan.goneEvents.filter((name) => !live.other_events?.includes(name)) : []
  const theirs = [...plan.tables, ...plan.views].filter((one) => !isOurs(one)).map(({ name }) => name)
  return {
    tables: ours.filter((table) => !stuck.includes(table)).map((table) => (isBare(table) ? { ...table, triggers: [] } : table)),
    views: ties ? views : [],
    events: ties ? plan.events.filter(({ name }) => !live.other_events?.includes(name)) : [],
    goneEvents,
    extra: extra.filter((name) => !why.has(name)),
    kept: [
      ...plan.kept,
      ...(ties ? [] : views.map(({ name }) => `${name} (a view)`)),
      ...theirs.map(ofAnother),
      ...needed.map((name) => `${name} (a table to which others refer)`),
      ...stays.filter((name) => !lost.has(name)).map((name) => `${name} (a table that cannot be exchanged)`),
    ],
    warnings: [
      ...[...plan.warnings, ...(theirs.length > 0 ? [say.neighbours(theirs)] : []), ...needed.map(say.needed)],
      ...stays.map((name) => say.unmakeable({ name, what: why.get(name) ?? '', live: !lost.has(name) })),
      ...ours.filter(isBare).map(({ name }) => say.withoutTriggers(name)),
      ...goneEvents.map(say.later),
      ...(untried.length > 0 ? [say.untried(untried)] : []),
    ],
  }
}

const ofAnother = (name: string) => `${name} (a table of another WordPress)`

function addRanges(tables: Map<string, TablePlan>, entry: TableEntry, live: boolean): void {
  const { name, create, columns, ranges, triggers = [] } = entry
  const stored = columns.filter(({ generated }) => !generated).map((column) => column.name)
  const table = tables.get(name) ?? { name, create, columns: stored, rows: 0, bytes: 0, ranges: [], triggers, live }
  for (const range of ranges) {
    table.rows += range.rows
    table.bytes += range.bytes
    table.ranges.push(range)
  }
  tables.set(name, table)
}
