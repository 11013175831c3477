import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { openService } from '../service.ts'
import { visit } from './links.ts'

const dayMs = 86_400_000
/** Against the database itself; GUESSES=100000 for all of them. */
const guesses = Number(process.env.GUESSES ?? 1000)

describe('a private link', () => {
  let here: TestWorld
  let reportId: string
  before(async () => {
    here = await aWorld({ SERVICE_REPORT_HOSTS: 'reports.fern.example papers.example' })
    await here.call('clients.create', { name: 'Ann' })
    reportId = String((await here.call('reports.draft', { client_id: 'Ann' })).id)
    await assert.rejects(here.call('reports.link', { report_id: reportId }), { code: 'conflict' }, 'a draft has none')
    await here.call('reports.publish', { report_id: reportId })
  })
  after(() => here.close())

  const aLink = async (days = 30) => {
    const { id, url } = await here.call('reports.link', { report_id: reportId, days })
    return { id: String(id), path: new URL(String(url)).pathname }
  }
  /** As whoever asks under this name is answered. */
  const under = (host: string, path: string, accept = 'text/html') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      http
        .get(here.url + path, { headers: { host, accept } }, (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part) => parts.push(part))
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
        })
        .on('error', reject)
    })

  test('begins with the domain that was chosen, under which nothing else of the service answers', async () => {
    await here.call('reports.set_settings', { link_base: 'https://reports.fern.example' })
    const { url } = await here.call('reports.link', { report_id: reportId })
    assert.match(String(url), /^https:\/\/reports\.fern\.example\/r\/[\w-]{43}$/)
    const { pathname } = new URL(String(url))
    for (const host of ['reports.fern.example', 'REPORTS.fern.example:8443']) {
      assert.equal((await under(host, pathname)).status, 200)
      for (const path of ['/', '/docs', '/api/v1/sites', '/api/mcp', '/readyz', '/openapi.json', '/login', '/R/x', `//r/../docs`]) {
        const { status, text } = await under(host, path)
        assert.deepEqual([path, status], [path, 404])
        assert.doesNotMatch(text, /svc/i, path)
      }
    }
    assert.equal((await under('fleet.example', '/docs')).status, 200, 'under its own name it is as ever')
    await here.call('reports.set_settings', { link_base: '' })
    assert.ok(String((await here.call('reports.link', { report_id: reportId })).url).startsWith(`${here.world.config.baseUrl}/r/`))
  })

  const anotherNode = async () => {
    const { config, log, now } = here.world
    let shiftMs = 0
    const service = await openService({
      config: { ...config, role: 'serve' },
      log,
      now: () => new Date(now().getTime() + shiftMs),
      address: here.address,
    })
    const url = await service.server?.listen({ host: '127.0.0.1', port: 0 })
    return { url: url ?? assert.fail('it does not serve'), later: (ms: number) => (shiftMs += ms), close: () => service.close() }
  }
  const statusOf = async (path: string, init = {}) => (await fetch(here.url + path, init)).status
  const linkOf = async (id: string) => {
    const { links } = (await here.call('reports.get', { report_id: reportId })) as unknown as {
      links: { id: string; visits: number; status: string }[]
    }
    return links.find((link) => link.id === id) ?? assert.fail(id)
  }

  test('shows the page that was published, to be kept and indexed by nobody', async () => {
    const { path } = await aLink()
    const answer = await fetch(here.url + path)
    const headers = Object.fromEntries(answer.headers)
    assert.equal(answer.status, 200)
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(headers['x-robots-tag'] ?? '', /noindex/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(
      headers['content-security-policy'] ?? '',
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; .*frame-ancestors 'none'; sandbox/,
    )
    assert.equal(headers['set-cookie'], undefined)
    assert.match(await answer.text(), /Report for Ann/)
  })

  test('is told once: neither the database nor any answer has it', async () => {
    const { path } = await aLink()
    const secret = path.slice('/r/'.length)
    assert.match(secret, /^[\w-]{43}$/)
    assert.equal(JSON.stringify(await here.call('reports.get', { report_id: reportId })).includes(secret), false)
    const { rows } = await sql<{ all: string }>`SELECT string_agg(l::text, '') AS all FROM report_links l`.execute(here.world.db)
    assert.equal(rows[0]?.all.includes(secret), false)
    await here.audited()
    assert.equal(here.logs.join('').includes(secret), false)
  })

  test('counts its visits, and a look at its head is none', async () => {
    const { id, path } = await aLink()
    await statusOf(path)
    await statusOf(path)
    assert.equal(await statusOf(path, { method: 'HEAD' }), 200)
    assert.equal((await linkOf(id)).visits, 2)
  })

  test('leads nowhere once it is revoked or has expired, on another node neither', async () => {
    const [revoked, expiring] = [await aLink(), await aLink(1)]
    const other = await anotherNode()
    try {
      for (const { path } of [revoked, expiring]) assert.equal((await fetch(other.url + path)).status, 200)
      await here.call('reports.revoke_link', { report_id: reportId, report_link_id: revoked.id })
      for (const url of [here.url, other.url]) assert.equal((await fetch(url + revoked.path)).status, 404)
      assert.equal((await linkOf(revoked.id)).status, 'revoked')
      other.later(dayMs + 1)
      assert.equal((await fetch(other.url + expiring.path)).status, 404)
    } finally {
      await other.close()
    }
  })

  test('leads nowhere once its client is removed, and what was still to be mailed is not', async () => {
    const { id: client_id } = await here.call('clients.create', { name: 'Leaving' })
    const { id } = await here.call('reports.draft', { client_id })
    await here.call('reports.publish', { report_id: id })
    const { url } = await here.call('reports.link', { report_id: id })
    const { pathname } = new URL(String(url))
    await sql`INSERT INTO report_mails (workspace_id, id, report_id, address, status, due_at, created_at)
      VALUES (${here.workspaceId}, 'reportmail_leaving', ${id}, 'ann@example.com', 'waiting', now(), now())`.execute(here.world.db)
    assert.equal(await statusOf(pathname), 200)
    await here.call('clients.remove', { client_id })
    const gone = await fetch(here.url + pathname)
    assert.deepEqual(
      [gone.status, gone.headers.get('cache-control'), gone.headers.get('x-robots-tag')],
      [404, 'no-store', 'noindex, nofollow, noarchive'],
    )
    await assert.rejects(here.call('reports.get', { report_id: id }), { code: 'not_found' })
    const { rows } = await sql`SELECT 1 FROM report_mails WHERE id = 'reportmail_leaving'`.execute(here.world.db)
    assert.equal(rows.length, 0)
  })

  test(`${guesses} guesses find nothing, and those that are near it neither`, async () => {
    const { path } = await aLink()
    const secret = path.slice('/r/'.length)
    const { world } = here
    let found = 0
    for (let tried = 0; tried < guesses; tried += 50) {
      const many = Array.from({ length: 50 }, () => visit(world, randomBytes(32).toString('base64url'), true))
      found += (await Promise.all(many)).filter(Boolean).length
    }
    const near = [
      secret.slice(1),
      `${secret}A`,
      secret.toLowerCase(),
      secret.toUpperCase(),
      `${secret.slice(0, -1)}`,
      '%00',
      'null',
      `${secret.slice(0, 42)}%`,
    ]
    for (const guess of near) if (guess !== secret) found += (await visit(world, guess, true)) ? 1 : 0
    assert.equal(found, 0)
    assert.ok(await visit(world, secret, false))
  })

  test('is not guessed at for long from one address', async () => {
    const other = await anotherNode()
    try {
      const statuses = []
      for (let n = 0; n < 30; n++) statuses.push((await fetch(`${other.url}/r/${randomBytes(32).toString('base64url')}`)).status)
      assert.deepEqual([...new Set(statuses)], [404, 429])
      assert.equal(statuses.filter((status) => status === 404).length, 20)
    } finally {
      await other.close()
    }
  })
})
