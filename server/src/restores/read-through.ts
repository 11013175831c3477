// What a restore will need is read once before the site hears of it, so that damage is found while nothing is begun.

import { type Manifest, readFiles, readTables } from '../backups/engine/manifest.ts'
import { PackDamage } from '../backups/engine/pack-format.ts'
import type { Running } from '../kernel/job.ts'
import { discard } from '../platform/discard.ts'
import type { Scope } from './scope.ts'
import type { Source, WholePlan } from './whole-plan.ts'

/** So much is read within seconds; of a larger backup only what will be sent. */
export const fewBytes = 512 * 1024 * 1024

export const bytesOf = ({ files, database }: Manifest): number => (files?.bytes ?? 0) + (database?.bytes ?? 0)

/** Throws `PackDamage` when any of it cannot be read; the others are read all the same, so that all that is lost is known. */
export async function readThrough(job: Running, { read }: Source, blobs: AsyncIterable<string> | Iterable<string>): Promise<void> {
  let damage: PackDamage | undefined
  for await (const id of blobs) {
    job.signal.throwIfAborted()
    try {
      discard(await read(id))
    } catch (error) {
      if (!(error instanceof PackDamage)) throw error
      damage = error
    }
  }
  if (damage) throw damage
}

/** All that the backup holds of what is meant. */
export async function* blobsIn({ manifest, read }: Source, scope: Scope): AsyncGenerator<string, void, undefined> {
  if (scope.files) for await (const { root, path, blobs } of readFiles(manifest, read)) if (scope.hasPath(root, path)) yield* blobs
  if (scope.tables)
    for await (const { name, ranges } of readTables(manifest, read)) if (scope.hasTable(name)) for (const { blobs } of ranges) yield* blobs
}

/** What will be sent. */
export function* blobsOf({ files, tables }: WholePlan): Generator<string, void, undefined> {
  for (const { blobs } of files?.contents ?? []) yield* blobs
  for (const { ranges } of tables ?? []) for (const { blobs } of ranges) yield* blobs
}
