import { type Manifest, NEIGHBOUR, type Omission, readOmissions } from './engine/manifest.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { hindrancesIn } from './hindrances.ts'
import { beyond } from './roots.ts'
import type { Completed } from './store.ts'

const samples = 10
const mostTables = 100

/** What a backup's row says of its content, as its manifest tells it. */
export async function countsOf(manifest: Manifest, read: ReadBlob): Promise<Omit<Completed, 'manifest' | 'stored_bytes' | 'suspect'>> {
  const { files, database, facts } = manifest
  const { samples, neighbours: allNeighbours } = await samplesOf(manifest, read)
  const { excluded, ...left } = samples
  const tables = (database?.omitted ?? []).slice(0, mostTables).map(({ table, why }) => `${table} (${why})`)
  const notes = (database?.notes ?? []).slice(0, mostTables)
  const named = { ...left, tables, database: notes, restore: hindrancesIn(manifest) }
  const more = {
    tables: (database?.omitted.length ?? 0) + (database?.unnamed ?? 0) - tables.length,
    database: (database?.notes.length ?? 0) - notes.length,
    neighbours: allNeighbours - left.neighbours.length,
  }
  const omitted = Object.values(more).some((each) => each > 0) ? { ...named, more } : named
  return {
    size_bytes: (files?.bytes ?? 0) + (database?.bytes ?? 0),
    files_count: files?.files ?? null,
    tables_count: database?.tables ?? null,
    rows_count: database?.rows ?? null,
    consistency: database?.consistency ?? null,
    excluded: files ? { count: files.excluded, sample: excluded } : null,
    unreadable_count: files?.unreadable ?? null,
    changed_count: files?.changed ?? null,
    outside_count: files?.looked ? files.outside : null,
    roots: files?.looked ? beyond(files.places) : null,
    omitted: Object.values(named).some((each) => each.length > 0) ? omitted : null,
    chain: typeof facts.chain === 'number' ? facts.chain : null,
    parent: manifest.parent,
    increment: typeof facts.increment === 'number' ? facts.increment : null,
    files_changed: manifest.parent === null ? null : (files?.renewed ?? null),
    database_increment: database?.increment ?? null,
    rows_read: database?.read?.rows ?? null,
    fuzzy_tables: database?.fuzzy_tables.slice(0, mostTables) ?? null,
    whole_tables: database?.whole_tables.slice(0, mostTables) ?? null,
    skipped_rows: database?.skipped ? { ...database.skipped, tables: database.skipped.tables.slice(0, mostTables) } : null,
    wp_version: typeof facts.wp_version === 'string' ? facts.wp_version : null,
  }
}

type Samples = Record<Omission['kind'] | 'neighbours', string[]>

/** The first of each kind, in words; among all that is excluded, other installations, and how many of those there are. */
async function samplesOf(manifest: Manifest, read: ReadBlob): Promise<{ samples: Samples; neighbours: number }> {
  const found: Samples = { excluded: [], unreadable: [], changed: [], outside: [], neighbours: [] }
  const { files } = manifest
  let neighbours = 0
  let missing = files ? sum(KINDS.map((kind) => (kind === 'excluded' ? files.excluded : Math.min(samples, files[kind])))) : 0
  for await (const { kind, path, why } of missing > 0 ? readOmissions(manifest, read) : []) {
    const name = path.toString('utf8').slice(0, 300)
    if (kind === 'excluded' && why === NEIGHBOUR && ++neighbours <= samples) found.neighbours.push(name)
    if (found[kind].length < samples) found[kind].push(`${name} (${why})`)
    else if (kind !== 'excluded') continue
    if (--missing === 0) break
  }
  return { samples: found, neighbours }
}

const KINDS = ['excluded', 'unreadable', 'changed', 'outside'] as const
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
