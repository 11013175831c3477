// A backup as its owner meets it: started, watched, downloaded, unpacked.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Description, unpack } from './archive.ts'
import type { House, Job } from './house.ts'

export interface BackUp {
  folder: string
  /** Every look at the job. */
  seen: Job<unknown>[]
  described: Description
  listed: Listed
}
export interface Listed {
  id: string
  status: string
  consistency: string | null
  rows_count: number | null
  rows_read: number | null
  stored_bytes: number | null
  parent: string | null
  increment: number | null
  fuzzy_tables: string[] | null
  unreadable_count: number | null
  outside_count: number | null
  roots: { id: string; path: string }[] | null
  omitted: { database: string[] } | null
}

/** Throws when the backup did not complete. */
export async function backUp(house: House, siteId: string, type: 'full' | 'db' | 'files'): Promise<BackUp> {
  const backups = `/sites/${siteId}/backups`
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', backups, { type })
  const seen: Job<unknown>[] = []
  const { status, error } = await house.finished(job_id, (look) => seen.push(look))
  if (status !== 'completed') throw new Error(`The backup ${status}: ${JSON.stringify(error)}`)
  await mkdir(join(house.dir, 'backups'), { recursive: true })
  const folder = await mkdtemp(join(house.dir, 'backups', `${type}-`))
  const answer = await house.send('GET', `${backups}/${backup_id}/download?format=tar.zst`)
  await writeFile(join(folder, 'archive.tar.zst'), await answer.bytes())
  const listed = (await house.ask<Listed[]>('GET', backups)).find(({ id }) => id === backup_id)
  if (!listed) throw new Error('The backup is not in the list.')
  const unpacked = join(folder, 'unpacked')
  return { folder: unpacked, seen, described: await unpack(join(folder, 'archive.tar.zst'), unpacked), listed }
}
