// A backup as an older service may have stored it, or somebody who has the keys: what is in it was never judged.
import { sql } from 'kysely'
import { blobReader } from '../src/backups/blobs.ts'
import { readManifest, readTables, type TableEntry, writeManifest } from '../src/backups/engine/manifest.ts'
import { openPacker } from '../src/backups/engine/packer.ts'
import { RecordWriter } from '../src/backups/engine/record-tree.ts'
import { announceObject, recordHeldPack } from '../src/backups/prune-store.ts'
import { workspaceKey } from '../src/workspaces/keys.ts'
import type { TestWorld } from './world.ts'

/** Changes the tables of a stored backup; `rows` gets the text of all rows of one. */
export async function rewriteBackup(
  { world, workspaceId }: TestWorld,
  backupId: string,
  change: { table?: (entry: TableEntry) => TableEntry; rows?: (text: string, entry: TableEntry) => string },
): Promise<void> {
  const here = { ...world, workspaceId }
  const { rows } = await sql<{ manifest: string; job_id: string }>`SELECT manifest, job_id FROM backups WHERE id = ${backupId}`.execute(
    world.db,
  )
  const [{ manifest: id, job_id }] = rows as [{ manifest: string; job_id: string }]
  const read = await blobReader(here, workspaceId)
  const manifest = await readManifest(id, read)
  const packer = openPacker({
    workspace: workspaceId,
    workspaceKey: (await workspaceKey(here, workspaceId)).bytes,
    storage: {
      put: async (key, bytes) => {
        await announceObject(here, key, job_id)
        await world.storage.put(key, bytes)
      },
    },
    index: { has: async () => new Set(), record: (pack, blobs) => recordHeldPack(here, job_id, pack, blobs) },
  })
  const tables = new RecordWriter((bytes) => packer.add('manifest', bytes))
  for await (const entry of readTables(manifest, read)) {
    const told = change.table?.(entry) ?? entry
    const ranges = told.ranges.map(async (range) => {
      const text = Buffer.concat(await Promise.all(range.blobs.map(read))).toString('latin1')
      const bytes = Buffer.from(change.rows?.(text, entry) ?? text, 'latin1')
      return { ...range, bytes: bytes.length, blobs: [await packer.add('rows', bytes)] }
    })
    await tables.write({ ...told, ranges: await Promise.all(ranges) })
  }
  const nodes = await tables.cut()
  const database = manifest.database && { ...manifest.database, nodes }
  const written = await writeManifest({ ...manifest, database }, (bytes) => packer.add('manifest', bytes))
  await packer.flush()
  await packer.close()
  await sql`UPDATE backups SET manifest = ${written}, tar_map = NULL WHERE id = ${backupId}`.execute(world.db)
}
