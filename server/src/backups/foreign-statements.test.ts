import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { rewriteBackup } from '../../test/old-backup.ts'
import { damage, pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Backup, VerificationReport } from './schema.ts'

const COMMAND = '\\! touch /tmp/pwned'

describe('a site that sends more than definitions and rows', () => {
  let here: TestWorld
  let token: string
  before(async () => {
    here = await aWorld()
    token = (await here.token('write')).token
  })
  after(() => here.close())

  type Managed = { id: string; fake: RunningFakeSite }
  const backUp = async ({ id }: Managed): Promise<Backup> => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type: 'db' })
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    const { backups } = (await here.call('backups.list', { site_id: id })) as unknown as { backups: Backup[] }
    return backups.find((backup) => backup.id === backup_id) ?? assert.fail()
  }
  const fetched = (site: string, backup: string, headers: Record<string, string> = {}) =>
    fetch(`${here.url}/api/v1/sites/${site}/backups/${backup}/download`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  /** Of a backup of the database alone: the archive holds two files. */
  const dumpOf = async ({ id }: Managed, backup: string) => {
    const tar = Buffer.from(await (await fetched(id, backup)).arrayBuffer())
    const size = Number.parseInt(tar.toString('latin1', 124, 135), 8)
    const rest = tar.subarray(512 + Math.ceil(size / 512) * 512)
    const told = rest.toString('utf8', 512, 512 + Number.parseInt(rest.toString('latin1', 124, 135), 8))
    return { tar, sql: tar.toString('latin1', 512, 512 + size), manifest: JSON.parse(told) as { omissions: Record<string, string>[] } }
  }
  const tableOf = ({ fake }: Managed, name: string) => fake.state.tables.find((table) => table.name === name) ?? assert.fail()
  const activity = async ({ id }: Managed) =>
    ((await here.call('activity.list', { site_id: id })) as { activity: { summary: string; notes: string | null }[] }).activity

  test('a definition that is more than one statement leaves its table out, by name, and all others are there', async () => {
    const site = await here.site()
    const first = await backUp(site)
    tableOf(site, 'wp_blobs').create += `;\n${COMMAND}\n`
    const row = await backUp(site)
    assert.deepEqual([row.tables_count, row.rows_count, first.rows_count, row.fuzzy_tables], [2, 145, 147, []])
    assert.match(row.omitted?.tables.join() ?? '', /^wp_blobs \(its definition is not one statement that makes a table\)$/)
    const { backups } = (await agentOf(here, token).call('list_backups', { site_id: site.id })).structuredContent as { backups: object[] }
    assert.partialDeepStrictEqual(backups, [{ id: row.id, omitted: { tables: row.omitted?.tables } }, { id: first.id }])
    assert.ok(!('omitted' in (backups[1] ?? {})))
    const { sql, manifest } = await dumpOf(site, row.id)
    assert.ok(!sql.includes('\\!') && !sql.includes('wp_blobs') && sql.includes('INSERT INTO `wp_keyless`'))
    assert.deepEqual(manifest.omissions, [
      { kind: 'table', table: 'wp_blobs', why: 'its definition is not one statement that makes a table' },
    ])
    assert.ok((await activity(site)).some(({ notes }) => notes?.includes('omitted of the backup names them')))
    assert.deepEqual((await backUp(site)).rows_read, 0, 'the next one builds on it')
  })

  test('rows that are anything else than rows leave their table out, told at once or in slices', async () => {
    for (const snapshots of [true, false]) {
      const site = await here.site()
      site.fake.state.snapshots = snapshots
      const lies: ((sql: string) => string)[] = [
        (sql) => `${sql}${COMMAND}\n`,
        (sql) => sql.replace("'option_7'", `'option_7');\n${COMMAND}\n-- '`),
        (sql) => sql.replace("'option_7'", "'option\0'"),
        (sql) => sql.replace('`wp_options`', '`wp_users`'),
        (sql) => sql.replace("'option_7'", "LOAD_FILE('/etc/passwd')"),
      ]
      for (const lie of snapshots ? lies : lies.slice(0, 2)) {
        site.fake.state.told = (sql, { name }) => (name === 'wp_options' ? lie(sql) : sql)
        const row = await backUp(site)
        assert.deepEqual([row.tables_count, row.rows_count, row.fuzzy_tables], [2, 27, []], lie.toString())
        assert.match(row.omitted?.tables.join() ?? '', /^wp_options \(/)
        const { sql } = await dumpOf(site, row.id)
        assert.ok(!sql.includes('\\!') && !sql.includes('LOAD_FILE') && !sql.includes('wp_users') && sql.includes('`wp_blobs`'))
      }
      delete site.fake.state.told
      const honest = await backUp(site)
      assert.deepEqual([honest.omitted, honest.tables_count, honest.rows_count], [null, 3, 147])
    }
  })

  test('a snapshot that tells another definition than the list of tables is not taken', async () => {
    const site = await here.site()
    const table = tableOf(site, 'wp_blobs')
    // Only the counter may differ; here it splits an escaped quote.
    table.create = `CREATE TABLE \`wp_blobs\` (\`id\` varbinary(8) NOT NULL, \`bytes\` longblob, PRIMARY KEY (\`id\`)) COMMENT='a\\' ${COMMAND} '`
    const { create } = table
    site.fake.state.fault = (verb, moment) => {
      if (verb === 'db.snapshot') table.create = moment === 'before' ? create.replace("\\'", "\\ AUTO_INCREMENT=1'") : create
      return undefined
    }
    const row = await backUp(site)
    assert.equal(row.consistency, 'settled')
    assert.ok(!(await dumpOf(site, row.id)).sql.includes('AUTO_INCREMENT=1'))
  })

  test('of a backup that nobody judged, neither leaves the store as a dump, and the length is as it was told', async () => {
    const site = await here.site()
    const { id } = await backUp(site)
    await rewriteBackup(here, id, {
      table: (entry) => (entry.name === 'wp_keyless' ? { ...entry, create: `${entry.create};\n${COMMAND}` } : entry),
      rows: (text, { name }) =>
        name === 'wp_options' ? text.replace("'option_7'", `'option_7');\n${COMMAND}\n${text.slice(0, text.indexOf('('))}(1,'x`) : text,
    })
    const { sql, tar, manifest } = await dumpOf(site, id)
    assert.ok(!sql.includes('\\!') && !sql.includes('wp_keyless') && sql.includes('INSERT INTO `wp_blobs`'))
    assert.match(sql, /\n-- What stood here was no rows of this table\. -+\n/)
    assert.deepEqual(
      manifest.omissions.map(({ kind, table }) => [kind, table]),
      [['table', 'wp_keyless']],
    )
    assert.equal(Number((await fetched(site.id, id)).headers.get('content-length')), tar.length)
    const part = Buffer.from(await (await fetched(site.id, id, { range: 'bytes=3000-9000' })).arrayBuffer())
    assert.ok(part.equals(tar.subarray(3000, 9001)))
    const { job_id } = await here.call('backups.verify', { site_id: site.id, backup_id: id })
    const report = (await here.job(String(job_id))).result as VerificationReport
    assert.equal(report.level, 'content')
    assert.match(report.doubts.join('\n'), /wp_keyless: its definition is not one statement/)
    assert.match(report.doubts.join('\n'), /wp_options: a row has 2 values instead of 3/)
  })

  test('a restore leaves what the site has in the place of such a table as it is, and says so', async () => {
    const site = await here.site()
    const table = tableOf(site, 'wp_keyless')
    table.create += ` ENGINE=FEDERATED CONNECTION='mysql://a@example.net/b/c'`
    const { id } = await backUp(site)
    const kept = structuredClone(table)
    damage(site.fake.state)
    const input = { site_id: site.id, backup_id: id, type: 'db', safety_backup: false }
    const { plan } = (await here.call('restores.create', { ...input, dry_run: true })) as {
      plan: { warnings: string[]; kept: string[]; tables: { name: string }[] }
    }
    assert.match(plan.warnings.join(), /wp_keyless does not come back/)
    assert.ok(plan.kept.some((each) => each.startsWith('wp_keyless')) && !plan.tables.some(({ name }) => name === 'wp_keyless'))
    const { job_id } = await here.call('restores.create', input)
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    assert.deepEqual(tableOf(site, 'wp_keyless').rows, kept.rows)
    assert.ok(pictureOf(site.fake.state).includes('wp_blobs'))
  })
})
