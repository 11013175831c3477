// What is asked again and again must not read more the more rows there are. Judged by plans and rows read, never by time.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { mostSearched } from '../src/activity/schema.ts'
import { countActivity, listActivity } from '../src/activity/store.ts'
import { findFreshBackup } from '../src/backups/keep-store.ts'
import { backupsKept, mostKept } from '../src/backups/kept.ts'
import { addLive, condemn, listSparse, nextPortion, openLive } from '../src/backups/prune-store.ts'
import { endBackup } from '../src/backups/store.ts'
import { tellBackups } from '../src/backups/told.ts'
import { listJobs } from '../src/jobs/list-store.ts'
import { listTogether } from '../src/jobs/list-together.ts'
import { changingJobsSince, findAtWork, listOpenJobs } from '../src/jobs/store.ts'
import { mostCounted } from '../src/kernel/cursor.ts'
import { sumScans } from '../src/links/store.ts'
import { claimDeliveries } from '../src/notifications/deliver-store.ts'
import { takeHappenings } from '../src/notifications/gather-store.ts'
import { saidGoodbyeInVain } from '../src/pairing/store.ts'
import { listChanges } from '../src/performance/store.ts'
import { claimTurn, moveTurn } from '../src/platform/clock-store.ts'
import { listRestored } from '../src/restores/store.ts'
import { capability as rollouts } from '../src/rollouts/capability.ts'
import { listUpdated } from '../src/updates/done-store.ts'
import { atWork } from '../src/uptime/excuse-store.ts'
import { listIncidents, listPoints } from '../src/uptime/store.ts'
import { claimDue } from '../src/uptime/sweep-store.ts'
import type { Context } from '../src/world.ts'
import { aDatabase, type TestDatabase } from './database.ts'
import { type Ask, rowsRead } from './rows-read.ts'

const years = { jobs: 40_000, activity: 30_000, backups: 10_000, sites: 5_000, packs: 2_000, blobsOfPack: 20, rollouts: 1_000 }
const sitesOfRollout = 20
const workspaceId = 'ws_rows'
const now = () => new Date('2026-06-01T00:00:00Z')

let house: TestDatabase
before(async () => {
  house = await aDatabase()
  await fill(house.db)
})
after(() => house.drop())

describe('with years of rows', () => {
  test('a page of jobs and its total read the page and no more than is counted, whatever is filtered', async () => {
    const page = { limit: 51, after: undefined }
    const totalOf = async (filter: object) => JSON.parse((await listJobs({ db: house.db, workspaceId }, filter, page)).text).total as number
    const filters = [
      {},
      { status: 'failed' as const },
      { type: 'restore' },
      { siteId: 'site_7' },
      { type: 'backup', status: 'failed' as const },
    ]
    for (const filter of filters) {
      const total = await totalOf(filter)
      const listed = await read((db) => listJobs({ db, workspaceId }, filter, page))
      assert.ok(listed <= 51 * 3 + total, `${JSON.stringify(filter)}: ${listed} rows read for a page and a total of ${total}`)
    }
    assert.equal(await totalOf({}), mostCounted)
    assert.equal(await totalOf({ type: 'restore' }), years.jobs / 1000)
  })

  test('rollouts among them are read as far as the page goes, and counted', async () => {
    const listed = [rollouts.followed?.rollout?.listed ?? assert.fail('rollouts are not listed')]
    const page = { limit: 51, after: undefined }
    const ask = (db: Kysely<unknown>, filter: object) =>
      listTogether({ db, workspaceId, caller: {} } as unknown as Context, listed, filter, page)
    const told = async (filter: object) => JSON.parse(await ask(house.db, filter)) as { total: number; items: { type: string }[] }
    for (const filter of [{}, { status: 'completed' as const }])
      assert.ok((await read((db) => ask(db, filter))) <= 51 * 3 + mostCounted + years.rollouts)
    const { total, items } = await told({ type: 'rollout' })
    assert.deepEqual([total, items.length], [years.rollouts, 51])
    const { total: few } = await told({ status: 'running' })
    assert.equal(few, 0)
    const shown = 51 * (1 + 3 * sitesOfRollout)
    assert.ok((await read((db) => ask(db, { type: 'rollout' }))) <= shown + years.rollouts)
  })

  test('so do those of the activity, deep pages too', async () => {
    const deep = ['2025-03-01T00:00:00.000Z', 'act_9']
    for (const after of [undefined, deep])
      assert.ok((await read((db) => listActivity({ db, workspaceId }, {}, { limit: 51, after }))) <= 51 * 3)
    assert.ok((await read((db) => countActivity({ db, workspaceId }, {}))) <= mostCounted)
    const nowhere = { q: 'a word that stands nowhere' }
    assert.ok((await read((db) => listActivity({ db, workspaceId }, nowhere, { limit: 51, after: undefined }))) <= mostSearched)
    assert.ok((await read((db) => countActivity({ db, workspaceId }, nowhere))) <= mostSearched)
  })

  test('the sweep reads the open jobs, the end of a backup its row, a turn its own', async () => {
    assert.ok((await read((db) => listOpenJobs(db))) <= years.jobs / 1000)
    assert.ok((await read((db) => endBackup({ db, workspaceId, now }, 'job_9', 'failed', null))) <= 2)
    assert.ok((await read((db) => moveTurn({ db, workspaceId }, 'backup', 'site_9', now()))) <= 2)
    assert.ok((await read((db) => moveTurn({ db, workspaceId }, 'prune', null, now()))) <= 2)
    assert.ok((await read((db) => claimTurn(db, 'trial', now()))) <= 2, 'however many of another kind are overdue')
  })

  test('what ended on a site of late is read, not all that ever did', async () => {
    const to = new Date('2025-02-20T00:00:00Z')
    const span = { siteIds: ['site_8'], from: new Date(to.getTime() - 86_400_000), to, timeZone: 'UTC', step: 'day' as const }
    const sites = [{ workspace_id: workspaceId, site_id: 'site_8' }]
    const late = new Date('2025-02-19T00:00:00Z')
    const asked: Record<string, Ask> = {
      'what is at work': (db) => atWork(db, sites, ['update', 'link_scan'], span.from),
      'what came before a slow page': (db) =>
        listChanges({ db, workspaceId }, 'site_8', ['link_scan'], [span.from.toISOString(), span.to.toISOString()]),
      'a goodbye that was none': (db) => saidGoodbyeInVain({ db, workspaceId }, 'site_8', { type: 'link_scan', now: to }),
      'the backups of a report': (db) => tellBackups({ db, workspaceId }, span.siteIds, span),
      'its updates': (db) => listUpdated({ db, workspaceId }, span),
      'its links': (db) => sumScans({ db, workspaceId }, span),
      'its restores': (db) => listRestored({ db, workspaceId }, span),
      'which jobs changed it': (db) => changingJobsSince({ db, workspaceId }, 'site_8', { since: late, apartFrom: [] }),
      'what was at work meanwhile': (db) => findAtWork({ db, workspaceId }, 'site_8', { since: late, types: ['restore'] }),
      'a backup from before an update': (db) =>
        findFreshBackup({ db, workspaceId }, 'site_8', { types: ['full'], since: new Date('2024-02-01') }, { jobId: null, types: [] }),
    }
    for (const [what, ask] of Object.entries(asked)) {
      const rows = await read(ask)
      assert.ok(rows <= 96 * 5, `${what}: ${rows} rows read`)
    }
  })

  test('watching reads what is due, a page, or the days that are asked for, whatever lies in the tables', async () => {
    assert.ok((await read((db) => claimDue(db, now(), 20))) <= 20 * 12)
    const stretch = { step: 'day' as const, since: new Date('2026-03-03T00:00:00Z'), until: now() }
    assert.ok((await read((db) => listPoints({ db, workspaceId }, 'site_7', stretch))) <= 90)
    const page = { limit: 51, after: undefined }
    for (const filter of [{}, { siteId: 'site_7' }, { open: true, siteId: 'site_7' }])
      assert.ok((await read((db) => listIncidents({ db, workspaceId }, filter, page))) <= 51 * 3, JSON.stringify(filter))
    assert.ok((await read((db) => takeHappenings(db, now(), 20))) <= 20 * 12)
    assert.ok((await read((db) => claimDeliveries(db, now(), now(), 16))) <= 16 * 3)
  })

  test('what is stored is added up from the packs and the figures of backups, and reads no blob', async () => {
    const rows = await house.db.connection().execute((db) =>
      rowsRead(db, async (on) => {
        await backupsKept({ db: on, workspaceId })
        await mostKept({ db: on, workspaceId }, 10)
      }),
    )
    assert.ok(rows <= years.packs + 2 * years.backups + years.sites, `${rows} rows read`)
  })

  test('a portion of the store reads the packs of that portion and their blobs', async () => {
    await house.db.connection().execute(async (db) => {
      await openLive(db)
      await addLive(
        db,
        Array.from({ length: years.packs }, (_, n) => blobId(n * years.blobsOfPack)),
      )
      const portion = await nextPortion({ db, workspaceId }, Buffer.alloc(0), 100)
      const most = 100 * (2 + 3 * years.blobsOfPack)
      const condemned = await readOn(db, (on) => condemn({ db: on, workspaceId, now }, portion))
      assert.ok(condemned <= 2 * most, `${condemned} rows read to condemn`)
      const sparse = await readOn(db, (on) => listSparse({ db: on, workspaceId }, portion, 0.4, 64))
      assert.ok(sparse <= most, `${sparse} rows read to find what is sparse`)
    })
  })
})

/** None of the statements of `ask` may read a whole table. */
const readOn = (db: Kysely<unknown>, ask: Ask): Promise<number> => rowsRead(db, ask, mostCounted)
const read = (ask: Ask): Promise<number> => house.db.connection().execute((db) => readOn(db, ask))

const blobId = (n: number) => Buffer.from(n.toString(16).padStart(64, '0'), 'hex').toString('base64url')

/** A fleet as it is after years: one row in fifty of the jobs failed, one in a thousand is open or a restore. */
async function fill(db: Kysely<unknown>): Promise<void> {
  const series = (most: number) => sql`generate_series(0, ${most - 1}) AS n`
  const site = sql`'site_' || n % ${years.sites}`
  const day = sql`timestamptz '2024-01-01' + n * interval '15 min'`
  await sql`INSERT INTO workspaces (id, name, sealed_key) VALUES (${workspaceId}, 'Rows', '')`.execute(db)
  await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
    SELECT ${workspaceId}, 'site_' || n, '', n || '.example', '', 'connected', '', '', '', '', ${now()}, ${now()} FROM ${series(years.sites)}`.execute(
    db,
  )
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
    SELECT ${workspaceId}, 'job_' || n, CASE n % 1000 WHEN 7 THEN 'restore' ELSE 'backup' END, ${site},
      CASE WHEN n % 1000 = 3 THEN 'queued' WHEN n % 50 = 1 THEN 'failed' ELSE 'completed' END, '{}', '{}', ${day} FROM ${series(years.jobs)}`.execute(
    db,
  )
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at, completed_at)
    SELECT ${workspaceId}, 'job_busy_' || n, 'link_scan', 'site_8', 'completed', '{}', '{}', ${day}, ${day} FROM ${series(years.jobs)}`.execute(
    db,
  )
  await sql`INSERT INTO rollouts (workspace_id, id, status, input, waves, requested_by, created_at, completed_at)
    SELECT ${workspaceId}, 'rollout_' || n, 'completed', '{}', 1, '{}', ${day}, ${day} FROM ${series(years.rollouts)}`.execute(db)
  await sql`INSERT INTO rollout_sites (workspace_id, rollout_id, site_id, wave, place, status)
    SELECT ${workspaceId}, 'rollout_' || n, 'site_' || s, 1, s, 'updated' FROM ${series(years.rollouts)}, generate_series(1, ${sitesOfRollout}::int) s`.execute(
    db,
  )
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, performed_at, internal, in_reports, actor, source, created_at)
    SELECT ${workspaceId}, 'act_' || n, ${site}, 'event', 'backup', 'Done', ${day}, false, true, '{}', 'api', ${day}
    FROM ${series(years.activity)}`.execute(db)
  await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, created_at)
    SELECT ${workspaceId}, 'backup_' || n, ${site}, 'job_' || n, 'full', CASE n WHEN 9 THEN 'running' ELSE 'completed' END, 'schedule', '{}', ${day}
    FROM ${series(years.backups)}`.execute(db)
  await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at)
    SELECT ${workspaceId}, 'site_' || n, kind, CASE kind WHEN 'backup' THEN timestamptz '2026-01-01' ELSE timestamptz '2026-05-01' END
    FROM ${series(years.sites)}, unnest(ARRAY['backup', 'trial']) AS kind`.execute(db)
  await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at)
    SELECT ${workspaceId}, 'site_' || n, 'uptime', timestamptz '2026-06-01' + n * interval '1 second' - interval '1 minute' FROM ${series(years.sites)}`.execute(
    db,
  )
  await sql`INSERT INTO uptime_days (workspace_id, site_id, location, day, checks, ups, excluded, ms_sum, ms_histogram)
    SELECT ${workspaceId}, 'site_' || n % 50, 'here', timestamptz '2023-06-01' + (n / 50) * interval '1 day', 1440, 1440, 0, 1, '{1}'
    FROM ${series(50 * 1095)}`.execute(db)
  await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, started_at, ended_at)
    SELECT ${workspaceId}, 'incident_' || n, ${site}, 'here', 'down', 'dns', '', ${day}, ${day} FROM ${series(years.activity)}`.execute(db)
  await sql`INSERT INTO channels (workspace_id, id, name, type, shown, sealed, created_at) VALUES (${workspaceId}, 'channel', '', 'slack', '', '', ${now()})`.execute(
    db,
  )
  await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
    SELECT ${workspaceId}, 'delivery_' || n, 'channel', 'sent', '{}', ${day}, ${day} FROM ${series(years.activity)}`.execute(db)
  await sql`DELETE FROM happenings WHERE seq % 1000 > 0`.execute(db)
  await sql`INSERT INTO turns (workspace_id, kind, due_at) VALUES (${workspaceId}, 'prune', ${now()})`.execute(db)
  const id = (n: unknown) => sql`decode(lpad(to_hex(${n}), 64, '0'), 'hex')`
  await sql`INSERT INTO packs (workspace_id, id, salt, bytes, created_at)
    SELECT ${workspaceId}, ${id(sql`n`)}, '', ${years.blobsOfPack * 1000}, ${now()} FROM ${series(years.packs)}`.execute(db)
  await sql`INSERT INTO blobs (workspace_id, id, pack_id, type, slot, "offset", length, plain_length)
    SELECT ${workspaceId}, ${id(sql`n`)}, ${id(sql`n / ${years.blobsOfPack}`)}, 'file', n % ${years.blobsOfPack}, 0, 1000, 1000
    FROM ${series(years.packs * years.blobsOfPack)}`.execute(db)
  await sql`ANALYZE`.execute(db)
}
