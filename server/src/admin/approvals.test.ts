import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { aDatabase, type TestDatabase, urlOf } from '../../test/database.ts'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import { freePort, type ServiceProcess, startServiceProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { admin as run } from './main.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-approvals-'))
let env: Record<string, string>
let database: TestDatabase
let service: ServiceProcess
let fake: RunningFakeSite

before(async () => {
  database = await aDatabase()
  env = {
    DATABASE_URL: urlOf(database),
    SERVICE_DATA_DIR: dir,
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
    SERVICE_PORT: String(await freePort()),
    SERVICE_VULNERABILITY_FEED: '',
  }
  service = await startServiceProcess('serve', env)
  fake = await startFakeSite({})
})
after(async () => {
  service.kill('SIGKILL')
  await service.exited
  await fake.stop()
  await database.drop()
  fs.rmSync(dir, { recursive: true, force: true })
})

async function admin(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const ended = { code: 0, out: '', err: '' }
  const out = (text: string) => {
    ended.out += text
  }
  const err = (text: string) => {
    ended.err += text
  }
  ended.code = await run(words, { env, out, err, input: Readable.from(['']) })
  return ended
}
async function good(...words: string[]): Promise<string> {
  const { code, out, err } = await admin(...words)
  assert.deepEqual([code, err], [0, ''], words.join(' '))
  return out.trimEnd()
}

test('a request is listed, shown, approved beside a running service, which does it; agents are paused and go on', async () => {
  await good('owner', 'create', '--email', 'ann@example.com', '--workspace', 'Mine')
  const ours = ['--workspace', 'Mine']
  const code = JSON.parse(await good('site', 'code', ...ours, '--json'))
  const { siteId } = await fake.enrol(service.url, code.code)
  const strict = await good('policy', 'set', 'backups', 'ask', ...ours, '--by', 'ann@example.com')
  assert.match(strict, /^ask {4}Backups and their checks$/m)
  assert.equal(await good('policy', 'list', ...ours), strict)
  const looser = await admin('policy', 'set', 'backups', 'auto', ...ours, '--by', 'ann@example.com')
  assert.deepEqual([looser.code, looser.out], [3, ''])
  assert.match(looser.err, /second factor/)
  const secret = await good('token', 'create', ...ours, '--name', 'Claude', '--scope', 'write', '--approval-only')
  const call = async (method: string, at: string, body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, json: (await answer.json()) as Record<string, string> }
  }
  await until(async () => (await call('GET', `/sites/${siteId}`)).json.status === 'connected')
  assert.equal(await good('approval', 'list', ...ours), 'Nothing is pending.')
  const asked = await call('POST', `/sites/${siteId}/backups`, { type: 'db' })
  assert.equal(asked.status, 202)
  const { approval_id = '' } = asked.json
  assert.match(await good('approval', 'list', ...ours), new RegExp(`^${approval_id}  pending  .*Start a backup, 1 site  Claude$`))
  assert.equal(JSON.parse(await good('approval', 'show', approval_id, ...ours)).input.values.type, 'db')

  const refused = await admin('approval', 'approve', approval_id, ...ours, '--by', 'nobody@example.com')
  assert.deepEqual([refused.code, refused.out], [4, ''])
  const approved = JSON.parse(
    await good('approval', 'approve', approval_id, ...ours, '--by', 'ann@example.com', '--note', 'Go on.', '--json'),
  )
  assert.deepEqual([approved.status, approved.decided_by.name, approved.note], ['dispatched', 'ann@example.com', 'Go on.'])
  await until(async () => (await call('GET', `/jobs/${approval_id}`)).json.status === 'completed')

  const { json } = await call('POST', `/sites/${siteId}/backups`, { type: 'files' })
  assert.equal(
    JSON.parse(await good('approval', 'deny', json.approval_id ?? '', ...ours, '--by', 'ann@example.com', '--json')).status,
    'rejected',
  )

  assert.equal(await good('agents', 'pause', ...ours), 'All agents of "Mine" are paused.')
  assert.equal((await call('GET', '/sites')).status, 403)
  assert.equal(await good('agents', 'resume', ...ours), 'The agents of "Mine" may work.')
  assert.equal((await call('GET', '/sites')).status, 200)
})
