// Sends attempts and holds each against what may come of it: a refusal that changed nothing anywhere, or a read.

import assert from 'node:assert/strict'
import http from 'node:http'
import { sql } from 'kysely'
import { operations } from '../src/capabilities.ts'
import { newId } from '../src/kernel/ids.ts'
import { forTokens, manifest } from '../src/projections/manifest.ts'
import { finding } from '../src/security/checks.ts'
import { recordFindings } from '../src/security/record.ts'
import { aChromium } from './fake-chromium.ts'
import { randomOf } from './fuzz-requests.ts'
import { stateOf } from './state-of.ts'
import { aWorld, type TestWorld } from './world.ts'
import type { Attempt } from './wrong-case.ts'
import type { Ids } from './wrong-forms.ts'
import { rightRequests, wrongAttempt } from './wrong-places.ts'

/** So many are sent before the world is looked at again. */
const batch = 50
const atOnce = 10

export interface HeardReport {
  refused: number
  answered: number
  operations: number
  ways: Record<string, number>
}

/** A PNG of one point. */
const aPicture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** One of everything, in a state in which whatever an operation can do it would do. */
export async function belongings(here: TestWorld) {
  const { id: site_id, fake } = await here.site()
  const { job_id, backup_id } = await here.call('backups.create', { site_id, type: 'db' })
  await here.job(String(job_id))
  await here.call('activity.log', { site_id, summary: 'Swept the path' })
  const observation = { workspaceId: here.workspaceId, siteId: site_id, source: 'outside' as const, at: here.world.now() }
  const [finding_id = ''] = (await recordFindings(here.world.db, observation, [finding('xmlrpc', { evidence: [] })])).opened
  const link_id = await aLink(here, site_id)
  const error_id = await anError(here, site_id, here.workspaceId)
  const picture_id = await aPictureOf(here, site_id, here.workspaceId)
  const { rollout_id } = await here.call('rollouts.start', { site_ids: [site_id], plugins: ['nothing-such'] })
  await here.call('rollouts.get', { rollout_id, wait_seconds: 25 })
  for (let open = 1; open > 0; ) {
    const { jobs } = (await here.call('jobs.list', { limit: 200 })) as unknown as { jobs: { id: string; status: string }[] }
    const going = jobs.filter(({ status }) => status === 'queued' || status === 'running')
    for (const { id } of going) await here.job(id)
    open = going.length
  }
  const client = await here.call('clients.create', { name: 'Heard Ltd', logo: aPicture, recipients: ['owner@heard.example'] })
  const report = await here.call('reports.draft', { client_id: client.id })
  // Its next wave waits for somebody.
  await sql`UPDATE rollouts SET status = 'running', completed_at = NULL, wave = 1, waves = 2, asks_wave = 2, waits_for = 'apr_none'
    WHERE id = ${String(rollout_id)}`.execute(here.world.db)
  const told = await here.call('reports.draft', { client_id: client.id, month: '2026-01' })
  await here.call('reports.publish', { report_id: told.id })
  const link = await here.call('reports.link', { report_id: told.id })
  const { id: asker } = await here.token('write', { approval_only: true })
  const caller = here.caller({ type: 'token', id: asker, scopes: new Set(['read', 'write']), approvalOnly: true })
  const { approval_id } = await here.call('backups.create', { site_id }, { caller })
  const ids: Ids = {
    approval_id: String(approval_id),
    site_id,
    job_id: String(job_id),
    backup_id: String(backup_id),
    finding_id,
    link_id,
    error_id,
    picture_id,
    rollout_id: String(rollout_id),
    client_id: String(client.id),
    report_id: String(report.id),
    published_report_id: String(told.id),
    report_link_id: String(link.id),
  }
  return { ids, fake }
}

/** One that leads nowhere. */
export async function aLink({ world, workspaceId }: TestWorld, siteId: string): Promise<string> {
  const id = newId('link', world.now())
  await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, places, places_count, first_seen_at, last_checked_at)
    VALUES (${workspaceId}, ${id}, ${siteId}, ${`https://example.com/${id}`}, false, 'broken', 'not_found', '[]', 0, now(), now())`.execute(
    world.db,
  )
  return id
}

/** Of an update, before and after. */
export async function aPictureOf({ world }: Pick<TestWorld, 'world'>, siteId: string, workspaceId: string): Promise<string> {
  const id = newId('picture', world.now())
  const bytes = Buffer.from('RIFF....WEBP')
  await sql`INSERT INTO update_pictures (workspace_id, id, site_id, taken_at, before, after, drawn, steady)
    VALUES (${workspaceId}, ${id}, ${siteId}, ${world.now()}, ${bytes}, ${bytes}, '', '')`.execute(world.db)
  return id
}

/** One that is open. */
export async function anError({ world }: Pick<TestWorld, 'world'>, siteId: string, workspaceId: string): Promise<string> {
  const id = newId('phperror', world.now())
  await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, frames, status,
      captured, logged, first_seen_at, last_seen_at) VALUES (${workspaceId}, ${id}, ${siteId}, ${id}, 1, 'warning', 'Undefined', 'x.php', '{1}',
      '{"type": "core", "slug": "core"}', '[]', 'open', 1, 0, now(), now())`.execute(world.db)
  return id
}

/** A world in which every operation can answer. */
export async function aHeardWorld(): Promise<TestWorld> {
  const browser = aChromium('prints')
  const env = {
    SERVICE_CALLS_PER_MINUTE: '10000000',
    SERVICE_SECURITY_CHECKS: 'off',
    SERVICE_CHROMIUM: browser.program,
    SERVICE_SMTP_URL: 'smtp://127.0.0.1:9',
  }
  const here = await aWorld(env)
  return { ...here, close: () => here.close().finally(browser.stop) }
}

/** Throws with the first attempt of which came what should not. */
export async function heard(here: TestWorld, { requests, seed }: { requests: number; seed: number }): Promise<HeardReport> {
  const { ids, fake } = await belongings(here)
  const { token } = await here.token('write')
  // A stream does not end by itself; events.test.ts asks for it.
  const entries = forTokens(manifest(operations)).operations.filter(({ stream }) => !stream)
  const random = randomOf(seed)
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  const report: HeardReport = { refused: 0, answered: 0, operations: 0, ways: {} }
  const seen = new Set<string>()
  const lookAround = async () => [`${fake.requests.length} requests at the site`, ...(await stateOf(here.world)).split('\n')]
  try {
    // A dry run of a tweak looks at the site, and what was seen is kept.
    const decided = async () => (await lookAround()).filter((line) => !/^site_tweaks |at the site$/.test(line))
    const state = await decided()
    for (const request of rightRequests(random, entries, ids)) {
      const answer = await send(here.url, agent, request, token)
      assert.ok(!isRefused(request, answer), `nothing is wrong with it: ${JSON.stringify(request)} ${answer.status} ${answer.text}`)
    }
    assert.deepEqual(await decided(), state, 'reads and dry runs change nothing')
    let before = await lookAround()
    for (let sent = 0; sent < requests; sent += batch) {
      const attempts = Array.from({ length: Math.min(batch, requests - sent) }, () => wrongAttempt(random, entries, ids))
      const waiting = [...attempts]
      const client = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) judge(next, await send(here.url, agent, next.request, token), report)
      }
      await Promise.all(Array.from({ length: atOnce }, client))
      for (const { operation, how } of attempts) {
        seen.add(operation)
        report.ways[how] = (report.ways[how] ?? 0) + 1
      }
      const now = await lookAround()
      const changed = now.filter((line, n) => line !== before[n])
      assert.deepEqual(changed, [], `one of these had an effect: ${JSON.stringify(attempts)}`)
      before = now
    }
  } finally {
    agent.destroy()
  }
  return { ...report, operations: seen.size }
}

interface Answer {
  status: number
  type: string
  text: string
}

function send(url: string, agent: http.Agent, request: Attempt['request'], token: string): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const { method, path, body } = request
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = { authorization: `Bearer ${token}`, ...request.headers, ...length }
  return new Promise((resolve, reject) => {
    const asked = http.request({ agent, hostname, port, method, path, headers, timeout: 60_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }))
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer: it hangs')))
    asked.on('error', reject).end(body)
  })
}

function judge(attempt: Attempt, answer: Answer, report: HeardReport): void {
  const { allowed, named, request } = attempt
  const shown = `${JSON.stringify(attempt)}\n${answer.status} ${answer.text.slice(0, 600)}`
  assert.ok(answer.status < 500, shown)
  const refused = isRefused(request, answer)
  if (allowed && !refused) return void report.answered++
  assert.ok(refused, `it was not refused: ${shown}`)
  report.refused++
  assert.doesNotMatch(answer.text, /Too (small|big)|Invalid (input|option|string|ISO)|, received/, `words of the validator: ${shown}`)
  if (!request.path.startsWith('/api/mcp')) assert.match(answer.type, /^application\/problem\+json/, shown)
  if (named) assert.ok(answer.text.includes(named), `the refusal does not name the field: ${shown}`)
}

/** Of a tool also an error of the protocol, or a result that says that nothing was done. */
function isRefused({ path }: Attempt['request'], { status, text }: Answer): boolean {
  if (status >= 400 || !path.startsWith('/api/mcp')) return status >= 400
  const [answer] = [JSON.parse(text)].flat() as { error?: object; result?: { isError?: boolean } }[]
  return answer?.error !== undefined || answer?.result?.isError === true
}
