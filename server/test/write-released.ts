// Records the migrations of a release and the data of a small installation, once, when it is released: node server/test/write-released.ts 0.2.0
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { version } from '../src/version.ts'
import { checksums, readRows, writeReleased } from './released.ts'
import { aWorld } from './world.ts'

const here = await aWorld()
const [first, second] = [await here.site(), await here.site()]
const site = { site_id: first.id }
const done = async (name: string, input: object) => {
  const { job_id } = await here.call(name, input)
  if (job_id) await here.job(String(job_id))
}
await done('backups.create', { ...site, type: 'full' })
await done('backups.create', { ...site, type: 'db' })
await done('security.check', site)
await here.call('schedules.set_default', { enabled: true, type: 'full', at: '03:30' })
await here.call('schedules.set', { ...site, enabled: true, type: 'db', at: '05:00' })
await here.call('activity.log', { ...site, summary: 'Replaced the contact form plugin' })
await here.call('pairing.create_code', {})
await here.disconnect(second)
const { token } = await here.token('read')

const paths = ['/sites', `/sites/${first.id}`, `/sites/${first.id}/backups`, '/jobs', '/activity', '/security', '/schedule']
const answers: Record<string, unknown> = {}
for (const at of paths) {
  const { status, json } = await here.rest('GET', `/api/v1${at}`, { token })
  if (status !== 200) throw new Error(`${at} answered ${status}`)
  answers[at] = json
}
// Every test world makes a workspace of this name.
await sql`UPDATE workspaces SET name = 'Released'`.execute(here.world.db)
const masterKey = fs.readFileSync(path.join(here.dataDir, 'master.key'), 'utf8')
const rows = await readRows(here.world.db)
writeReleased(process.argv[2] ?? version, { migrations: Object.keys(checksums()), masterKey, token, answers, rows })
await here.close()
