// The machine is gone. What is left: a bucket, and the recovery kit that was kept elsewhere.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { s3Keys, startFakeS3 } from '../../server/test/fake-s3.ts'
import { startFakeSite } from '../../server/test/fake-site.ts'
import { putFile } from '../../server/test/fake-state.ts'
import { admin, databaseEnded, freePort, inherited, type ServiceProcess, startServiceProcess } from '../../server/test/service-process.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'svc-disaster-'))
const s3 = await startFakeS3()
const site = await startFakeSite({})
const running: ServiceProcess[] = []
after(async () => {
  for (const service of running) service.kill('SIGKILL')
  await Promise.all([...running.map((service) => service.exited), s3.stop(), site.stop()])
  for (const machine of ['old', 'new']) await databaseEnded(path.join(dir, machine))
  rmSync(dir, { recursive: true, force: true })
})

const settings = (machine: string) => ({
  SERVICE_DATA_DIR: path.join(dir, machine),
  SERVICE_STORAGE_URL: s3.url('agency'),
  SERVICE_ALLOW_PRIVATE_SITES: 'true',
  AWS_ACCESS_KEY_ID: s3Keys.id,
  AWS_SECRET_ACCESS_KEY: s3Keys.secret,
})
const start = async (env: Record<string, string>) => {
  const service = await startServiceProcess('serve', { ...env, SERVICE_PORT: String(await freePort()) })
  running.push(service)
  return service
}
const tokenFor = (env: Record<string, string>) => admin(env, 'token', 'create', '--workspace', 'Agency', '--name', 'x', '--scope', 'write')
const ask = async (service: ServiceProcess, token: string, request: string, body?: object) => {
  const [method = '', at = ''] = request.split(' ')
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(`${service.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  assert.ok(response.ok, `${request}: ${response.status}`)
  return response
}
const digestOf = async (service: ServiceProcess, token: string, siteId: string, backup: string) => {
  const bytes = await (await ask(service, token, `GET /sites/${siteId}/backups/${backup}/download`)).arrayBuffer()
  return createHash('sha256').update(Buffer.from(bytes)).digest('hex')
}

test('from a bucket and a kit a new machine has every backup back, and its master key survives kill -9 while it is replaced', async () => {
  const old = settings('old')
  const first = await start(old)
  await admin(old, 'owner', 'create', '--email', 'owner@example.com', '--workspace', 'Agency')
  const { siteId } = await site.enrol(first.url, await admin(old, 'site', 'code', '--workspace', 'Agency'))
  const token = await tokenFor(old)
  const digests = new Map<string, string>()
  for (const type of ['full', 'db', 'files']) {
    putFile(site.state, `wp-content/uploads/${type}.bin`, randomBytes(700_000))
    const made = (await (await ask(first, token, `POST /sites/${siteId}/backups`, { type })).json()) as {
      job_id: string
      backup_id: string
    }
    for (let status = ''; status !== 'completed'; await sleep(50)) {
      status = ((await (await ask(first, token, `GET /jobs/${made.job_id}`)).json()) as { status: string }).status
      assert.ok(!['failed', 'canceled'].includes(status), status)
    }
    digests.set(made.backup_id, await digestOf(first, token, siteId, made.backup_id))
  }
  const kit = await admin(old, 'keys', 'export')
  first.kill('SIGKILL')
  await first.exited
  await databaseEnded(old.SERVICE_DATA_DIR)
  rmSync(old.SERVICE_DATA_DIR, { recursive: true })

  const fresh = settings('new')
  const kitFile = path.join(dir, 'kit.json')
  writeFileSync(kitFile, kit, { mode: 0o600 })
  assert.equal(await admin(fresh, 'keys', 'import', kitFile), '1 workspaces brought in, 0 were here already.')
  const keyFile = path.join(fresh.SERVICE_DATA_DIR, 'master.key')
  assert.equal(readFileSync(keyFile, 'utf8').trim(), (JSON.parse(kit) as { master_key: string }).master_key)
  const rebuilt = JSON.parse(await admin(fresh, 'storage', 'rebuild', '--json')) as { workspaces: { backups_added: string[] }[] }
  assert.deepEqual(rebuilt.workspaces[0]?.backups_added.toSorted(), [...digests.keys()].toSorted())

  const second = await start(fresh)
  const again = await tokenFor(fresh)
  const rows = (await (await ask(second, again, `GET /sites/${siteId}/backups`)).json()) as { id: string; status: string }[]
  assert.deepEqual(rows.map(({ id, status }) => [id, status]).toSorted(), [...digests.keys()].map((id) => [id, 'completed']).toSorted())

  let replaced = 0
  await admin(fresh, 'keys', 'rotate')
  for (let round = 0; round < 6; round++) {
    const before = readFileSync(keyFile, 'utf8')
    const main = path.join(import.meta.dirname, '../../server/src/main.ts')
    const child = spawn(process.execPath, [main, 'admin', 'keys', 'rotate'], { env: { ...inherited, ...fresh }, stdio: 'ignore' })
    // The new key lies beside the old one now: nothing is sealed under it yet, or all is, or its file is just taking the old one's place.
    const begun = watch(fresh.SERVICE_DATA_DIR, (_, name) => {
      const staged = /^master\.key\.[0-9a-f]{16}$/.test(name ?? '') && existsSync(path.join(fresh.SERVICE_DATA_DIR, name ?? ''))
      if (staged) setTimeout(() => child.kill('SIGKILL'), 5 * round)
    })
    await once(child, 'exit')
    begun.close()
    assert.match(await admin(fresh, 'storage', 'check', '--deep'), /all there/)
    replaced += readFileSync(keyFile, 'utf8') === before ? 0 : 1
  }
  console.log(`the master key was replaced in ${replaced} of 6 rounds`)
  for (const [id, digest] of digests) assert.equal(await digestOf(second, again, siteId, id), digest)
  await assert.rejects(execFileText(fresh, 'keys', 'import', path.join(dir, 'none')), /cannot be read/)
  second.kill('SIGTERM')
  assert.equal(await second.exited, 0)
  const third = await start(fresh)
  for (const [id, digest] of digests) assert.equal(await digestOf(third, again, siteId, id), digest)
})

function execFileText(env: Record<string, string>, ...words: string[]): Promise<string> {
  const main = path.join(import.meta.dirname, '../../server/src/main.ts')
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [main, 'admin', ...words], { env: { ...inherited, ...env } }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    ),
  )
}
