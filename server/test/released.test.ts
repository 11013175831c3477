import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { migrate } from '../src/platform/migrate.ts'
import { aDatabase } from './database.ts'
import { checksums, installations, loadRows, MIGRATIONS, released } from './released.ts'
import { aWorld } from './world.ts'

test('what was released is neither changed nor taken away, and what is added comes after it', () => {
  const now = checksums()
  const before = released()
  for (const [name, checksum] of Object.entries(before))
    assert.equal(now[name], checksum, `${name} was released: what comes next is a migration of its own, with the next number`)
  assert.deepEqual(Object.keys(now).slice(0, Object.keys(before).length), Object.keys(before))
})

for (const [version, installation] of installations())
  test(`an installation of ${version} is brought up to date and answers as it did`, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-released-'))
    for (const name of installation.migrations) fs.copyFileSync(path.join(MIGRATIONS, name), path.join(folder, name))
    const database = await aDatabase({ empty: true })
    await migrate(database.pool, folder)
    await loadRows(database.db, installation.rows)
    const keyFile = path.join(folder, 'master.key')
    fs.writeFileSync(keyFile, installation.masterKey, { mode: 0o600 })
    // It only serves: what is due since then is not done.
    const here = await aWorld({ SERVICE_ROLE: 'serve', SERVICE_MASTER_KEY_FILE: keyFile }, database)
    try {
      for (const [at, answer] of Object.entries(installation.answers)) {
        const { status, json } = await here.rest('GET', `/api/v1${at}`, { token: installation.token })
        assert.equal(status, 200)
        assert.partialDeepStrictEqual(json, answer as typeof json, at)
      }
      const [workspace] = installation.rows.workspaces as { id: string }[]
      const [site] = installation.rows.sites as { id: string }[]
      const caller = here.caller({ workspaceId: workspace?.id ?? '' })
      const written = await here.call('activity.log', { site_id: site?.id, summary: 'Brought up to date' }, { caller })
      const { activity } = await here.call('activity.list', { limit: 1 }, { caller })
      assert.deepEqual(activity, [written])
    } finally {
      await here.close()
      fs.rmSync(folder, { recursive: true })
    }
  })
