// What the tests of restores do to a fake site, and how they look at it.
import { type FakeFault, type FakeState, putFile } from './fake-state.ts'

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

/** Everything a restore is about, as one text. */
export function pictureOf({ files, tables }: FakeState): string {
  const rows = tables.map(({ name, create, rows }) => [name, create, rows.map((row) => JSON.stringify(row)).sort()]).sort()
  return JSON.stringify([[...files].map(([path, { bytes, target, mode }]) => [path, bytes.toString('base64'), target, mode]).sort(), rows])
}
