import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { newToken } from '../../server/src/tokens/secret.ts'
import { startFakeSite } from '../../server/test/fake-site.ts'
import { checkLogs, fuzz } from '../../server/test/fuzz.ts'
import { seed } from '../../server/test/seed.ts'
import { admin, databaseEnded, startServiceProcess } from '../../server/test/service-process.ts'

const { FUZZ_REQUESTS = '24000' } = process.env
const requests = Number(FUZZ_REQUESTS)
/** MiB that the least memory of the second half may lie above the most of the first: the heap goes up and down, a leak only up. */
const mostGrowth = 32
const parts = 6

test(`${requests} requests of every kind at a service, seed ${seed}`, async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-fuzz-'))
  const env = { SERVICE_DATA_DIR: path.join(dir, 'data'), SERVICE_ALLOW_PRIVATE_SITES: 'true', SERVICE_CALLS_PER_MINUTE: '10000000' }
  const service = await startServiceProcess('serve', env)
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024
  const operator = (...words: string[]) => admin(env, ...words)
  const workspace = (name: string) => operator('owner', 'create', '--email', 'owner@example.com', '--workspace', name)
  const token = (...more: string[]) => operator('token', 'create', '--workspace', 'Fuzz', '--name', 'fuzz', '--scope', ...more)
  const pair = async (name: string) => {
    const fake = await startFakeSite({})
    return { fake, id: (await fake.enrol(service.url, await operator('site', 'code', '--workspace', name))).siteId }
  }
  const sites: Awaited<ReturnType<typeof pair>>[] = []
  try {
    await workspace('Fuzz')
    await workspace('Other')
    for (const name of ['Fuzz', 'Fuzz', 'Other']) sites.push(await pair(name))
    const [mine, down, theirs] = sites
    assert.ok(mine && down && theirs)
    await down.fake.stop()
    const secrets = [await token('write'), await token('read'), await token('write', '--approval-only'), await token('write')]
    const listed = JSON.parse(await operator('token', 'list', '--workspace', 'Fuzz', '--json')) as { id: string; prefix: string }[]
    await operator('token', 'revoke', listed.find(({ prefix }) => secrets[3]?.startsWith(prefix))?.id ?? '')
    const headers = { authorization: `Bearer ${secrets[0]}` }
    const jobs = (await (await fetch(`${service.url}/api/v1/jobs`, { headers })).json()) as { id: string }[]
    const ids = {
      site_id: [
        mine.id,
        mine.id,
        mine.id,
        down.id,
        theirs.id,
        new URL(mine.fake.url).host,
        'Fake Garden',
        'site_01k0000000000000000000000a',
      ],
      job_id: [...jobs.map(({ id }) => id), 'job_01k0000000000000000000000a'],
      backup_id: ['backup_01k0000000000000000000000a'],
    }
    const authorizations = [
      ...secrets.map((secret) => `Bearer ${secret}`),
      `Bearer ${newToken()}`,
      'Bearer',
      'Basic YTpi',
      'Bearer svc_é',
      undefined,
    ]
    const target = { url: service.url, authorizations, ids }
    const memory: number[] = []
    for (let part = 0; part < parts; part++) {
      const report = await fuzz(target, Math.ceil(requests / parts), seed + part)
      memory.push(Math.round(rss()))
      t.diagnostic(JSON.stringify({ part, memory: memory.at(-1), ...report }))
    }
    const [first, second] = [memory.slice(0, parts / 2), memory.slice(parts / 2)]
    const grown = Math.min(...second) - Math.max(...first)
    assert.ok(grown < mostGrowth, `it grew by ${grown} MiB: ${memory.join(', ')}`)
    service.kill('SIGTERM')
    assert.equal(await service.exited, 0)
    const lines = service.output().split('\n')
    checkLogs(
      lines.filter((line) => line.startsWith('{')),
      secrets.map((secret) => secret.slice(12)),
    )
  } finally {
    service.kill('SIGKILL')
    await Promise.all([service.exited, ...sites.map(({ fake }) => fake.stop())])
    await databaseEnded(env.SERVICE_DATA_DIR)
    rmSync(dir, { recursive: true, force: true })
  }
})
