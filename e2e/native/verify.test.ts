// Backups of real sites tried out where a MariaDB is set: imported, compared row by row, and thrown away.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { VerificationReport } from '../../server/src/backups/schema.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { CONNECTOR } from '../guest.ts'
import { databaseSocket } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { importSql, query } from './mariadb.ts'

let fleet: Fleet
let here: TestWorld

before(async () => {
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [CONNECTOR] },
  )
  await importSql(fleet.dir, 'wp_1', join(import.meta.dirname, 'types.sql'))
  await query(fleet.dir, 'mysql', "CREATE USER 'trial' IDENTIFIED BY 'it\"s \\\\ secret'; GRANT ALL ON `svc\\_verify\\_%`.* TO 'trial'")
  const socket = encodeURIComponent(databaseSocket(fleet.dir))
  here = await aWorld({ SERVICE_SCRATCH_MYSQL_URL: `mysql://trial:${encodeURIComponent('it"s \\ secret')}@localhost/?socket=${socket}` })
})
after(async () => {
  await here?.close()
  await fleet?.stop()
})

const connect = async (number: number): Promise<string> => {
  const native = fleet.sites[number] ?? assert.fail()
  const { code } = await here.call('pairing.create_code', {})
  await native.wpCli(['svc-connector', 'connect', `--service=${here.url}`, `--code=${code}`])
  const { sites } = (await here.call('sites.list', {})) as unknown as { sites: { id: string; url: string }[] }
  const { id } = sites.find(({ url }) => url === native.url) ?? assert.fail('not connected')
  const { jobs } = (await here.call('jobs.list', { site_id: id, type: 'connect' })) as { jobs: { id: string }[] }
  await here.job(jobs[0]?.id ?? '')
  return id
}
const backUp = async (site_id: string, type: string): Promise<string> => {
  const { job_id, backup_id } = await here.call('backups.create', { site_id, type })
  const { status, error } = await here.job(String(job_id))
  assert.equal(status, 'completed', JSON.stringify(error))
  return String(backup_id)
}
const verify = async (site_id: string, backup_id: string): Promise<VerificationReport> => {
  const { job_id } = await here.call('backups.verify', { site_id, backup_id })
  const { status, error, result } = await here.job(String(job_id))
  assert.equal(status, 'completed', JSON.stringify(error))
  return result as VerificationReport
}
const databases = async () => (await query(fleet.dir, 'mysql', "SHOW DATABASES LIKE 'svc%'")).trim()
const nothingStays = async () => {
  assert.equal(await databases(), '')
  assert.deepEqual(readdirSync(join(here.dataDir, 'scratch')), [])
}

test('a site with every type of column is imported and is, row by row, what was backed up', async () => {
  const id = await connect(0)
  const report = await verify(id, await backUp(id, 'full'))
  assert.deepEqual([report.damage, report.doubts, report.imported?.reason], [[], [], null])
  assert.equal(report.level, 'imported')
  assert.equal(report.imported?.rows, report.rows)
  assert.ok(report.rows > 10_000 && report.files > 1000, `${report.rows} rows, ${report.files} files`)
  await nothingStays()
})

test('a site on SQLite is imported too', async () => {
  const id = await connect(1)
  const report = await verify(id, await backUp(id, 'db'))
  assert.deepEqual([report.level, report.imported?.reason], ['imported', null])
  assert.equal(report.imported?.rows, report.rows)
})

test('what cannot be imported, or is another thing once it is, is told and takes the level away', async () => {
  const { id, fake } = await here.site()
  const [table] = fake.state.tables
  assert.ok(table)
  const { create } = table
  const tried = async (text: string) => {
    table.create = text
    const { level, imported } = await verify(id, await backUp(id, 'db'))
    await nothingStays()
    return [level, [imported?.reason, imported?.site_said?.text].filter(Boolean).join(' ') || null] as const
  }
  const columns = (type: string) => table.columns.map(({ name }) => `\`${name}\` ${type}`).join(', ')
  assert.deepEqual(await tried(`CREATE TABLE \`${table.name}\` (${columns('longblob')})`), ['imported', null])
  const short = await tried(`CREATE TABLE \`${table.name}\` (${columns('char(1)')})`)
  assert.equal(short[0], 'restored')
  assert.match(short[1] ?? '', new RegExp(`Not what was backed up.*${table.name}`))
  const unknown = await tried(`CREATE TABLE \`${table.name}\` (${columns('text COLLATE nowhere_ci')})`)
  assert.equal(unknown[0], 'restored')
  assert.match(unknown[1] ?? '', /Unknown collation/)
  const evil = await tried(`${create}; CREATE DATABASE svc_evil`)
  assert.deepEqual(evil, ['imported', null], 'its table is no part of the backup, and the others are imported')
})

test('a database that a killed process left is dropped, and another installation’s is not', async () => {
  const { id } = await here.site()
  const first = await verify(id, await backUp(id, 'db'))
  assert.ok(first.imported)
  const own = (await import('node:crypto')).hash('sha256', here.world.masterKey.id).slice(0, 8)
  await query(fleet.dir, 'mysql', `CREATE DATABASE svc_verify_${own}_00000000000000000000000000; CREATE DATABASE svc_verify_ffffffff_0000`)
  await verify(id, await backUp(id, 'db'))
  assert.equal(await databases(), 'svc_verify_ffffffff_0000')
  await query(fleet.dir, 'mysql', 'DROP DATABASE svc_verify_ffffffff_0000')
})

test('a server that does not answer costs the level and nothing else', async () => {
  const { id } = await here.site()
  const backup = await backUp(id, 'db')
  await query(fleet.dir, 'mysql', "ALTER USER 'trial' ACCOUNT LOCK")
  const { level, imported } = await verify(id, backup)
  assert.equal(level, 'restored')
  assert.match(imported?.site_said?.text ?? '', /locked/i)
  await query(fleet.dir, 'mysql', "ALTER USER 'trial' ACCOUNT UNLOCK")
  assert.equal((await verify(id, backup)).level, 'imported')
})
