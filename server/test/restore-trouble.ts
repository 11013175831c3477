// What the tests of restores do to a fake site, and how they look at it.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { runJob } from '../src/jobs/worker.ts'
import { newId } from '../src/kernel/ids.ts'
import { type FakeFault, type FakeState, putFile } from './fake-state.ts'
import type { TestWorld } from './world.ts'

const GARDEN = 'wp-content/plugins/garden/garden.php'

/** At the first such moment, whatever comes of it. */
export function once(state: FakeState, verb: string, moment: 'before' | 'after', act: () => FakeFault | void): void {
  let done = false
  state.fault = (name, when) => {
    if (done || name !== verb || when !== moment) return undefined
    done = true
    return act() ?? undefined
  }
}

/** A visitor with bad intentions was there. */
export function damage(state: FakeState): void {
  state.files.delete('wp-content/themes/meadow/style.css')
  putFile(state, GARDEN, '<?php broken')
  putFile(state, 'wp-content/evil.php', '<?php evil')
  const [options, blobs] = state.tables
  if (!options || !blobs) throw new Error('The sample has three tables.')
  options.rows = options.rows.slice(1)
  state.tables = [options, ...state.tables.slice(2), { ...blobs, name: 'wp_evil' }]
}

/** Everything a restore is about: a line with a digest for each file and table, so that two of them can be compared in words. */
export function pictureOf({ files, tables }: FakeState): string {
  const entries: [string, ...unknown[]][] = [
    ...[...files].map(([path, { bytes, target, mode }]): [string, ...unknown[]] => [path, bytes.toString('base64'), target, mode]),
    ...tables.map(({ name, create, rows }): [string, ...unknown[]] => [name, create, rows.map((row) => JSON.stringify(row)).sort()]),
  ]
  const lines = entries.map(([name, ...content]) => `${JSON.stringify(name)} ${hash('sha1', JSON.stringify(content))}`)
  return lines.sort().join('\n')
}

/** Puts a site back to how it is now, as often as it is called. */
export function keeper(state: FakeState): () => void {
  const [files, tables] = [new Map(state.files), [...state.tables]]
  return () =>
    Object.assign(state, {
      files: new Map(files),
      tables: [...tables],
      restore: undefined,
      maintenance: false,
      marker: '',
      fault: undefined,
    })
}

const never = new AbortController().signal

/** A job that the queue knows nothing of, so that each of its attempts is ours to end. */
export async function aJob({ world, workspaceId }: TestWorld, type: string, siteId: string, input: object) {
  const id = newId('job', world.now())
  const by = JSON.stringify({ type: 'user', id: 'user_test', name: 'Tess' })
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
    VALUES (${workspaceId}, ${id}, ${type}, ${siteId}, 'queued', ${by}::jsonb, ${JSON.stringify(input)}::jsonb, ${world.now()})`.execute(
    world.db,
  )
  return { id, attempt: (lost = never) => runJob(world, { jobId: id, workspaceId }, { lost, stopping: never }) }
}
