import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FakeState, FakeTable } from '../../test/fake-state.ts'
import { pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { DatabasePart } from '../backups/engine/manifest.ts'
import type { Backup } from '../backups/schema.ts'
import { boundPlan } from './describe.ts'
import type { RestorePlan } from './schema.ts'
import { scopeOf } from './scope.ts'

const TRIGGER = {
  name: 'seen',
  create: 'CREATE DEFINER=`a`@`b` TRIGGER `seen` AFTER INSERT ON `wp_blobs` FOR EACH ROW SET @a = 1',
  ...{ sql_mode: 'ANSI_QUOTES', charset: 'utf8mb4', collation: 'utf8mb4_general_ci' },
}
const EVENT = {
  ...TRIGGER,
  name: 'tidy',
  create: 'CREATE EVENT `tidy` ON SCHEDULE EVERY 1 DAY DO DELETE FROM wp_blobs',
  time_zone: 'SYSTEM',
}
const VIEW: FakeTable = {
  ...{ name: 'wp_view', kind: 'view', create: 'CREATE VIEW `wp_view` AS SELECT 1 AS `one`', auto_increment: null, key: [], rows: [] },
  columns: [{ name: 'one', type: 'int', binary: false, generated: false }],
}

describe('tables and what hangs on them', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const backUp = async (site: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site, type: 'db' })
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    const { backups } = (await here.call('backups.list', { site_id: site })) as unknown as { backups: Backup[] }
    return backups.find(({ id }) => id === backup_id) ?? assert.fail()
  }
  const planned = async (site_id: string, backup_id: string, more: object = {}) =>
    (await here.call('restores.create', { site_id, backup_id, dry_run: true, ...more }))['plan'] as unknown as RestorePlan
  const restored = async (site_id: string, backup_id: string, more: object = {}) => {
    const { job_id } = await here.call('restores.create', { site_id, backup_id, safety_backup: false, ...more })
    const { status, error, result } = await here.job(String(job_id))
    assert.equal(status, 'completed', JSON.stringify(error))
    return result as unknown as { kept: string[]; warnings: string[] }
  }
  const tableOf = ({ tables }: FakeState, name: string) => tables.find((table) => table.name === name) ?? assert.fail(name)
  const rich = async () => {
    const site = await here.site()
    const { state } = site.fake
    tableOf(state, 'wp_blobs').triggers = [TRIGGER]
    state.tables.push(VIEW)
    state.database = { events: [EVENT] }
    return { id: site.id, state }
  }

  test('triggers, views and events come back with their tables', async () => {
    const { id, state } = await rich()
    const good = pictureOf(state)
    const { id: backup, omitted } = await backUp(id)
    assert.equal(omitted, null)
    state.tables = state.tables.filter(({ name }) => name !== 'wp_blobs' && name !== 'wp_view')
    state.tables.push({ ...VIEW, name: 'wp_other' })
    const { tables } = await planned(id, backup)
    assert.ok(tables?.some(({ name, what }) => name === 'wp_view' && what === 'add'))
    assert.ok(tables?.some(({ name, what }) => name === 'wp_other' && what === 'remove'))
    await restored(id, backup)
    assert.deepEqual([pictureOf(state), tableOf(state, 'wp_blobs').triggers, state.restore?.events], [good, [TRIGGER], [EVENT]])
  })

  test('an event that came later goes, told by name, but not where the backup knows of none', async () => {
    const { id, state } = await rich()
    state.database = { events: [EVENT], other_events: ['shared'] }
    const { id: backup } = await backUp(id)
    const names = () => state.restore?.asked.events
    const [later, theirs, shared] = ['later', 'theirs', 'shared'].map((name) => ({ ...EVENT, name }))
    state.database = { events: [EVENT, later, theirs, shared], other_events: ['theirs'] }
    assert.match((await planned(id, backup)).warnings.join(), /The event later, which the backup does not have, goes\./)
    assert.deepEqual((await restored(id, backup)).warnings, ['The event later, which the backup does not have, goes.'])
    assert.deepEqual(names(), ['tidy', 'later'])
    await restored(id, backup, { include: ['table:blobs'] })
    assert.equal(names(), undefined)
    const nobodyLooked = [{}, { events: [] }, { events: [], other_events: [], unseen: ['EVENT'] }]
    for (const database of nobodyLooked) {
      const blind = await rich()
      blind.state.database = database
      const { id: other } = await backUp(blind.id)
      blind.state.database = { events: [EVENT] }
      assert.deepEqual((await restored(blind.id, other)).warnings, [])
      assert.equal(blind.state.restore?.asked.events, undefined)
    }
    assert.equal(DatabasePart.shape.other_events.parse(undefined), null, 'an older backup')
  })

  test('an event that was somebody else’s stays however many there were, and an approval is given for those that go', async () => {
    const { id, state } = await rich()
    const others = Array.from({ length: 60 }, (_, n) => `other${n}`)
    state.database = { events: [], other_events: others }
    const { id: backup } = await backUp(id)
    state.database = { events: ['later', ...others].map((name) => ({ ...EVENT, name })), other_events: [] }
    const plan = await planned(id, backup)
    assert.deepEqual([plan.events_removed, boundPlan(plan).events_removed], [['later'], ['later']])
    assert.equal('events_removed' in boundPlan(await planned(id, backup, { include: ['table:blobs'] })), false)
  })

  test('a plan says which backup it is of and when that was made', async () => {
    const { id } = await rich()
    const { id: first, type, created_at } = await backUp(id)
    await backUp(id)
    const plan = await planned(id, first)
    assert.deepEqual(plan.backup, { id: first, type, created_at })
    assert.equal('backup' in boundPlan(plan), false, 'the input names it; what was shown before stays bound to what it was')
  })

  test('triggers that the database does not show are a warning of every restore that replaces tables', async () => {
    const { id, state } = await rich()
    const { id: backup } = await backUp(id)
    state.database = { unseen: ['TRIGGER'] }
    assert.match((await planned(id, backup)).warnings.join(), /does not show triggers/)
    assert.match((await restored(id, backup)).warnings.join(), /does not show triggers/)
  })

  test('a table stays where what hangs on it could not be made again, and one that is lost comes back without', async () => {
    const { id, state } = await rich()
    const keyed = tableOf(state, 'wp_keyless')
    keyed.create = keyed.create.replace(') ENGINE', ',\n  CONSTRAINT `k` FOREIGN KEY (`a`) REFERENCES `wp_blobs` (`id`)\n) ENGINE')
    const { id: backup } = await backUp(id)
    const hindered = [
      { table: 'wp_blobs', why: 'triggers' },
      { table: 'wp_keyless', why: 'keys' },
      { table: 'wp_later', why: 'keys' },
    ]
    Object.assign(state.survey, { hindered })
    const blobs = tableOf(state, 'wp_blobs')
    blobs.rows = []
    state.tables.push({ ...blobs, name: 'wp_later', triggers: [] })
    const { tables, warnings } = await planned(id, backup)
    assert.deepEqual(
      tables?.map(({ name }) => name),
      ['wp_options', 'wp_view'],
    )
    assert.match(warnings.join(), /wp_blobs stays as it is on the site: the database does not let the site’s user make triggers/)
    assert.match(
      warnings.join(),
      /wp_keyless stays as it is on the site: a foreign key between it and another table could not be made again,/,
    )
    const { kept } = await restored(id, backup)
    for (const { table } of hindered) assert.ok(kept.includes(`${table} (a table that cannot be exchanged)`), table)
    assert.deepEqual([tableOf(state, 'wp_blobs').rows, tableOf(state, 'wp_later').name], [[], 'wp_later'])
    assert.deepEqual([state.surveyed['triggers'], state.surveyed['keys']], [['wp_blobs'], ['wp_keyless']])
    state.tables = state.tables.filter(({ name }) => name !== 'wp_blobs' && name !== 'wp_keyless')
    const lost = await restored(id, backup)
    assert.match(lost.warnings.join(), /wp_blobs, which the site has lost, comes back without its triggers/)
    assert.match(
      lost.warnings.join(),
      /wp_keyless, which the site has lost, does not come back: a foreign key between it and another table could not be made there, because the two do not fit/,
    )
    assert.ok(!lost.kept.join().includes('wp_keyless'), 'what is lost is not kept')
    assert.deepEqual([tableOf(state, 'wp_blobs').rows.length > 0, tableOf(state, 'wp_blobs').triggers], [true, undefined])
  })

  test('a table that the database does not make any more stays out alone; what the site has in the same form, with a key, is not tried', async () => {
    const { id, state } = await rich()
    const { id: backup } = await backUp(id)
    const { warnings } = await planned(id, backup)
    const keyless = { table: 'wp_keyless', create: tableOf(state, 'wp_keyless').create }
    assert.deepEqual([state.surveyed['creates'], warnings], [[keyless], []])
    const { create } = tableOf(state, 'wp_blobs')
    tableOf(state, 'wp_blobs').create = create.replace(') ENGINE', ',\n  `more` int\n) ENGINE').replace(/$/, ' AUTO_INCREMENT=7')
    const lost = tableOf(state, 'wp_keyless')
    state.tables = state.tables.filter((table) => table !== lost)
    Object.assign(state.survey, { hindered: ['wp_blobs', 'wp_keyless'].map((table) => ({ table, why: 'definition' })) })
    const plan = await planned(id, backup)
    assert.deepEqual(state.surveyed['creates'], [{ table: 'wp_blobs', create }, keyless])
    assert.deepEqual(
      plan.tables?.map(({ name }) => name),
      ['wp_options', 'wp_view'],
    )
    assert.match(
      plan.warnings.join(),
      /wp_blobs stays as it is on the site: the database of the site does not make a table as the backup has it/,
    )
    assert.match(plan.warnings.join(), /wp_keyless, which the site has lost, does not come back: the database of the site does not make/)
    const { kept } = await restored(id, backup)
    assert.ok(kept.includes('wp_blobs (a table that cannot be exchanged)') && !kept.join().includes('wp_keyless'))
    assert.match(tableOf(state, 'wp_blobs').create, /`more`/)
  })

  for (const trouble of ['small_bodies', 'long_filtered'] as const)
    test(`a site that lost many tables is asked about them in small requests, and gets them back (${trouble})`, async () => {
      const site = await here.site()
      const { state } = site.fake
      const blobs = tableOf(state, 'wp_blobs')
      const comment = 'x'.repeat(2_000)
      const names = Array.from({ length: 90 }, (_, i) => `wp_more_${i}`)
      const create = (name: string) => `${blobs.create.replace('wp_blobs', name)} COMMENT='${comment}'`
      state.tables.push(...names.map((name) => ({ ...blobs, name, create: create(name), rows: blobs.rows.slice(0, 1) })))
      const good = pictureOf(state)
      const { id: backup } = await backUp(site.id)
      state.tables = state.tables.filter(({ name }) => !names.includes(name))
      site.fake.misbehave(trouble)
      const asked = site.fake.requests.length
      await restored(site.id, backup)
      assert.deepEqual(pictureOf(state), good)
      const surveys = site.fake.requests.slice(asked).filter(({ verb }) => verb === 'restore.survey')
      assert.ok(
        surveys.every(({ bytes }) => bytes < 48 * 1024),
        'in an envelope each stays below 64 KiB',
      )
    })

  test('rows of others that refer to what went are told by table and key, of a restore and of an undo', async () => {
    const { id, state } = await rich()
    const { id: backup } = await backUp(id)
    state.orphans = [{ table: 'shop_orders', key: 'shop_orders_ibfk_1', rows: 3 }]
    const said = /By the key shop_orders_ibfk_1, 3 rows of the table refer to what is not there as the site is now: shop_orders\./
    assert.match((await restored(id, backup)).warnings.join(), said)
    const { job_id } = await here.call('restores.undo', { site_id: id })
    assert.match(JSON.stringify((await here.job(String(job_id))).result), said)
  })

  test('rows of others that could not be looked at to the end are told by the number of keys, of a restore and of an undo', async () => {
    const { id, state } = await rich()
    const { id: backup } = await backUp(id)
    state.unlooked = 2
    const said =
      /as the site is now was not looked at to the end: 2 keys between tables that were exchanged and others would have taken too/
    assert.match((await restored(id, backup)).warnings.join(), said)
    const { job_id } = await here.call('restores.undo', { site_id: id })
    assert.match(JSON.stringify((await here.job(String(job_id))).result), said)
  })

  test('an older connector is asked for nothing it does not know', async () => {
    const { id, state } = await rich()
    state.survey = {}
    const { id: backup } = await backUp(id)
    state.tables = state.tables.filter(({ name }) => name !== 'wp_view')
    const { kept } = await restored(id, backup)
    assert.ok(kept.includes('wp_view (a view)'))
    assert.deepEqual(state.restore?.events, [])
  })

  test('tables of a neighbour, which an older backup has, are left alone by name', async () => {
    const { id, state } = await rich()
    const blobs = tableOf(state, 'wp_blobs')
    state.tables.push({ ...blobs, name: 'wp_b_posts', create: blobs.create.replace('wp_blobs', 'wp_b_posts') })
    const { id: backup } = await backUp(id)
    const theirs = tableOf(state, 'wp_b_posts')
    theirs.rows = []
    Object.assign(state.survey, { beside: ['wp_b_posts'] })
    const { tables, warnings } = await planned(id, backup)
    assert.ok(!tables?.some(({ name }) => name === 'wp_b_posts'))
    assert.match(warnings.join(), /tables of another WordPress in the same database; they are left alone: wp_b_posts\./)
    const { kept } = await restored(id, backup)
    assert.ok(kept.includes('wp_b_posts (a table of another WordPress)'))
    assert.deepEqual(tableOf(state, 'wp_b_posts').rows, [])
  })

  test('what was a neighbour’s when the backup was made never goes, nor do users that lie elsewhere', async () => {
    const { id, state } = await rich()
    const blobs = tableOf(state, 'wp_blobs')
    state.database = { beside: ['wp_b_'] }
    const { id: backup } = await backUp(id)
    state.database = {}
    for (const name of ['wp_b_posts', 'wp_later', 'members'])
      state.tables.push({ ...blobs, name, create: blobs.create.replace('wp_blobs', name) })
    const { tables } = await planned(id, backup)
    assert.deepEqual(
      tables?.filter(({ what }) => what === 'remove').map(({ name }) => name),
      ['wp_later'],
    )
    const { kept } = await restored(id, backup)
    assert.ok(kept.includes('wp_b_posts (a table of another WordPress)'))
    assert.ok(tableOf(state, 'wp_b_posts') && tableOf(state, 'members'))
    assert.ok(!state.tables.some(({ name }) => name === 'wp_later'))
  })

  test('a table that cannot be exchanged stays out alone, told with the backup and by the dry run, also where the site has lost it', async () => {
    const { id, state } = await rich()
    tableOf(state, 'wp_keyless').create += ' WITH SYSTEM VERSIONING'
    state.database = {
      beside: ['wp_b_'],
      hindered: [{ table: 'wp_blobs', why: 'elsewhere' }],
      other_events: ['theirs'],
      unseen: ['TRIGGER'],
      routines: 2,
    }
    const { id: backup, omitted } = await backUp(id)
    for (const said of [
      /prefix wp_b_, are left alone/,
      /wp_blobs is in the backup, but a restore leaves it alone: a table of another database refers to it/,
      /wp_keyless is in the backup, but a restore leaves it alone: its definition/,
      /event theirs is in no backup/,
      /does not show triggers/,
      /The database has 2 functions and procedures, of this site or of others: in no backup/,
    ])
      assert.match(omitted?.database.join('\n') ?? '', said)
    state.tables = state.tables.filter(({ name }) => name !== 'wp_keyless')
    tableOf(state, 'wp_blobs').rows = []
    const { tables, warnings, obstacle } = await planned(id, backup)
    assert.deepEqual([tables?.map(({ name }) => name), obstacle], [['wp_options', 'wp_view'], null])
    assert.match(warnings.join(), /wp_blobs stays as it is.*wp_keyless, which the site has lost, does not come back: its definition/)
    const { kept } = await restored(id, backup)
    assert.ok(kept.includes('wp_blobs (a table that cannot be exchanged)'))
    assert.ok(!kept.join().includes('wp_keyless'), 'what is lost is not kept')
    assert.deepEqual(tableOf(state, 'wp_blobs').rows, [])
  })

  test('a table with a conditional comment is restored where the connector makes it', async () => {
    for (const conditional of [true, undefined]) {
      const { id, state } = await rich()
      tableOf(state, 'wp_keyless').create += ' /*!50100 PARTITION BY HASH (`a`) */'
      state.database = { conditional }
      const { id: backup, omitted } = await backUp(id)
      assert.equal(omitted?.database.join().includes('wp_keyless') === true, conditional === undefined)
      const { tables } = await planned(id, backup)
      assert.equal(
        tables?.some(({ name }) => name === 'wp_keyless'),
        conditional === true,
      )
    }
  })

  test('a table that would go stays where others refer to it', async () => {
    const { id, state } = await rich()
    const { id: backup } = await backUp(id)
    const blobs = tableOf(state, 'wp_blobs')
    state.tables.push({ ...blobs, name: 'wp_later' }, { ...blobs, name: 'wp_needed' })
    Object.assign(state.survey, { needed: ['wp_needed'] })
    const { warnings } = await restored(id, backup)
    assert.match(warnings.join(), /wp_needed, which the backup does not have, stays/)
    const names = state.tables.map(({ name }) => name)
    assert.deepEqual([names.includes('wp_needed'), names.includes('wp_later')], [true, false])
  })

  test('one site of a network is its tables and its uploads, and what came to them since goes', () => {
    const scope = scopeOf('full', ['subsite:3'], { prefix: 'wp_2_', base_prefix: 'wp_' }, new Map())
    const tables = ['wp_3_posts', 'wp_31_posts', 'wp_posts', 'wp_2_3_posts', 'wp_3x']
    assert.deepEqual([tables.filter(scope.hasTable), tables.filter(scope.clears)], [['wp_3_posts'], ['wp_3_posts']])
    const paths = ['uploads/sites/3/a.png', 'uploads/sites/31/a.png', 'blogs.dir/3/files/a.png', 'uploads/a.png']
    const meant = paths.filter((path) => scope.hasPath('abspath', Buffer.from(`wp-content/${path}`)))
    assert.deepEqual([meant, scope.files, scope.tables, scope.whole], [[paths[0], paths[2]], true, true, false])
    assert.deepEqual(scopeOf('db', ['table:posts'], { prefix: 'wp_' }, new Map()).clears('wp_posts'), false)
  })
})
