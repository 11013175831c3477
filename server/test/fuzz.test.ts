import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newToken } from '../src/tokens/secret.ts'
import { checkLogs, fuzz, wrapBadly } from './fuzz.ts'
import { seed } from './seed.ts'
import { aWorld, type TestWorld } from './world.ts'

const requests = 400

let here: TestWorld
before(async () => {
  here = await aWorld({ SERVICE_CALLS_PER_MINUTE: '10000000' })
})
after(() => here.close())

test(`${requests} requests of every kind, seed ${seed}: each answer is as described, none is our fault`, async (t) => {
  const [mine, down, other] = [await here.site(), await here.site(), await here.workspace('Other')]
  const theirs = await here.site(other)
  await down.fake.stop()
  const { jobs } = (await here.call('jobs.list')) as { jobs: { id: string }[] }
  const backup = await here.call('backups.create', { site_id: mine.id, type: 'db' })
  const tokens = [
    await here.token('write'),
    await here.token('read'),
    await here.token('write', { approval_only: true }),
    await here.token('write'),
  ]
  const gone = await here.token('write')
  await here.call('tokens.revoke', { token_id: gone.id })
  const secrets = [...tokens, gone].map(({ token }) => token)
  const authorizations = [
    ...secrets.map((token) => `Bearer ${token}`),
    `Bearer ${newToken()}`,
    'Bearer',
    'Basic YTpi',
    `bearer  ${secrets[0]}`,
    'Bearer svc_é',
    '',
    undefined,
  ]
  const ids = {
    site_id: [mine.id, mine.id, down.id, theirs.id, 'Fake Garden', new URL(mine.fake.url).host, 'site_01k0000000000000000000000a'],
    job_id: [...jobs.map(({ id }) => id), String(backup.job_id), 'job_01k0000000000000000000000a'],
    backup_id: [String(backup.backup_id), 'backup_01k0000000000000000000000a'],
  }
  const report = await fuzz({ url: here.url, authorizations, ids }, requests, seed)
  t.diagnostic(JSON.stringify(report))
  assert.ok(Object.keys(report.statuses).length > 15, 'it reached much')
  await here.audited()
  checkLogs(
    here.logs,
    secrets.map((token) => token.slice(12)),
  )
})

test('every route with every bad type, encoding, form and size of a body: refused as it says, or done without it', async (t) => {
  const { token } = await here.token('write')
  const { id } = await here.site()
  const report = await wrapBadly({ url: here.url, authorizations: [`Bearer ${token}`], ids: { site_id: [id] } })
  t.diagnostic(JSON.stringify(report))
  for (const status of [400, 413, 415]) assert.ok((report.statuses[`rest ${status}`] ?? 0) > 20, `${status} was met`)
})
