// What tests ask of the backups of a site.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { RunningFakeSite } from './fake-site.ts'
import { putFile } from './fake-state.ts'
import type { TestWorld } from './world.ts'

interface Started {
  job_id: string
  backup_id: string
}
export type BackupRow = Record<string, never> & { id: string; status: string; error: { code: string; message: string } | null }

interface Asking {
  /** A new write token where none is given. */
  token?: string | undefined
  query?: string
  headers?: Record<string, string>
}

export type BackupCalls = ReturnType<typeof backupCalls>

export function backupCalls(here: TestWorld) {
  const start = (type: string, at: string) => here.call('backups.create', { site_id: at, type }) as unknown as Promise<Started>
  const rowOf = async (id: string, at: string) => {
    const { backups } = (await here.call('backups.list', { site_id: at })) as unknown as { backups: BackupRow[] }
    const row = backups.find((each) => each.id === id)
    assert.ok(row)
    return row
  }
  return {
    start,
    rowOf,
    async done(type: string, at: string) {
      const { job_id, backup_id } = await start(type, at)
      const job = await here.job(job_id)
      return { job, row: await rowOf(backup_id, at) }
    },
    async download(id: string, at: string, { token, query = '', headers = {} }: Asking = {}) {
      const authorization = `Bearer ${token ?? (await here.token('write')).token}`
      return fetch(`${here.url}/api/v1/sites/${at}/backups/${id}/download${query}`, { headers: { authorization, ...headers } })
    },
    /** A site with so much in it that a backup takes many slices. */
    async largeSite(): Promise<{ id: string; fake: RunningFakeSite }> {
      const large = await here.site()
      for (let n = 0; n < 24; n++) putFile(large.fake.state, `wp-content/uploads/${n}.bin`, randomBytes(1024 * 1024))
      return large
    },
  }
}

export const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
