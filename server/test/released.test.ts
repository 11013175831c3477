import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { migrate } from '../src/platform/migrate.ts'
import { aDatabase } from './database.ts'
import { landed, wrongSince } from './landed.ts'
import { checksums, installations, loadRows, MIGRATIONS, released } from './released.ts'
import { aWorld } from './world.ts'

test('what was released is neither changed nor taken away, and what is added comes after it', () => {
  const now = checksums()
  const before = released()
  for (const [name, checksum] of Object.entries(before))
    assert.equal(now[name], checksum, `${name} was released: what comes next is a migration of its own, with the next number`)
  assert.deepEqual(Object.keys(now).slice(0, Object.keys(before).length), Object.keys(before))
})

test('what has landed is neither changed nor preceded by another, and all have landed', () => {
  const now = checksums()
  assert.equal(wrongSince(landed(), now), undefined)
  // Those of the release are the first of them.
  assert.deepEqual(Object.fromEntries(landed().slice(0, Object.keys(released()).length)), released())
  const [last = ''] = Object.keys(now).slice(-1)
  assert.match(wrongSince(landed(), { ...now, [last]: 'other' }) ?? '', /is another one now/)
  const { [last]: _, ...fewer } = now
  assert.match(wrongSince(landed(), fewer) ?? '', /or gone/)
  const between = Object.fromEntries(Object.entries({ ...now, '0098_between.sql': 'x' }).sort(([a], [b]) => (a < b ? -1 : 1)))
  assert.match(wrongSince(landed(), between) ?? '', /^0098_between.sql comes before/)
  assert.match(wrongSince(landed(), { ...now, '9999_next.sql': 'x' }) ?? '', /^9999_next.sql is not among those that landed/)
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
