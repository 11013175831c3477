// What a restore changes in the database.
import { hindranceCalled } from '../backups/engine/database-notes.ts'
import { doubtOf, hindranceOf } from '../backups/engine/definition.ts'
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
import type { Scope } from './scope.ts'
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
  extra: string[]
  kept: string[]
  warnings: string[]
}

type Survey = Pick<Result<'restore.survey'>, 'ties' | 'beside' | 'needed'>

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
  const omitted = new Set(manifest.database?.omitted.map(({ table }) => table))
  const own = `${prefix}svc_connector`
  const there = new Map(live.tables.map(({ name, kind }) => [name, kind]))
  for await (const entry of readTables(manifest, read)) {
    const { name, create } = entry
    if (doubtOf(entry) !== null) omitted.add(name)
    else if (entry.kind === 'view') {
      if (scope.hasTable(name)) views.push({ name, create, live: there.has(name) })
    } else if (name !== own && scope.hasTable(name)) addRanges(tables, entry, there.has(name))
  }
  const hindered = new Map(live.hindered?.map(({ table, why }) => [table, hindranceCalled(why)]))
  const all = [...tables.values()].map((table) => ({ table, why: hindered.get(table.name) ?? hindranceOf(table) }))
  const bound = all.flatMap(({ table, why }) => (why === null ? [] : [{ name: table.name, why }]))
  const free = all.flatMap(({ table, why }) => (why === null ? [table] : []))
  const stay = free.filter(({ live, ranges }) => scope.whole && live && say.lacking(ranges).length > 0)
  const back = free.filter((table) => !stay.includes(table))
  const known = new Set([...tables.keys(), ...omitted, ...views.map(({ name }) => name), ...hindered.keys(), own])
  // Users that constants name elsewhere are no rest of anything: an older backup did not look for them.
  const unknown = [...there.keys()].filter((name) => scope.clears(name) && !known.has(name) && name.startsWith(base_prefix))
  // What was a neighbour's is one's still, also where the neighbour is too broken to be known as one.
  const isTheirs = (name: string) => manifest.database?.beside.some((start) => name.startsWith(start)) === true
  const absent = [...omitted].filter((name) => scope.hasTable(name))
  const lacks = back.filter(({ ranges }) => say.lacking(ranges).length > 0)
  return {
    ...{ tables: back, views, events: scope.whole ? (manifest.database?.events ?? []) : [] },
    extra: unknown.filter((name) => !isTheirs(name)),
    kept: [
      ...stay.map(({ name }) => `${name} (a table of which the backup lacks rows)`),
      ...absent.filter((name) => there.has(name)).map((name) => `${name} (a table of which the backup has no plain definition or rows)`),
      ...bound.map(({ name }) => `${name} (a table that cannot be exchanged)`),
      ...unknown.filter(isTheirs).map(ofAnother),
    ],
    warnings: [...stay.map(say.staying), ...lacks.map(say.coming), ...absent.map(say.missing), ...bound.map(say.hindered)],
  }
}

/** The same without what the site says is not to be touched: tables of a neighbour, which an older backup may have, and those others need. */
export function leaveAlone(
  plan: DatabasePlan,
  live: Result<'db.tables'>,
  { ties = false, beside = [], needed = [] }: Survey,
): DatabasePlan {
  const isOurs = ({ name }: { name: string }) => !beside.includes(name)
  const isView = new Set(live.tables.flatMap(({ name, kind }) => (kind === 'view' ? [name] : [])))
  const views = plan.views.filter(isOurs)
  const theirs = [...plan.tables, ...plan.views].filter((one) => !isOurs(one)).map(({ name }) => name)
  return {
    tables: plan.tables.filter(isOurs),
    views: ties ? views : [],
    events: ties ? plan.events.filter(({ name }) => !live.other_events?.includes(name)) : [],
    extra: plan.extra.filter((name) => !needed.includes(name) && (ties || !isView.has(name))),
    kept: [
      ...plan.kept,
      ...(ties ? [] : views.map(({ name }) => `${name} (a view)`)),
      ...theirs.map(ofAnother),
      ...needed.map((name) => `${name} (a table to which others refer)`),
    ],
    warnings: [...plan.warnings, ...(theirs.length > 0 ? [say.neighbours(theirs)] : []), ...needed.map(say.needed)],
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
