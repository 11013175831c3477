// What a new user tries first: a real site is stopped and started again, breaks, slows down, has a dead link, and people and agents are told.
import assert from 'node:assert/strict'
import { chown, copyFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { connectPool } from '../../server/src/platform/database.ts'
import { clusterFolder } from '../../server/src/platform/embedded-postgres.ts'
import { findServer } from '../../server/src/platform/postgres-pid-file.ts'
import { type MailServer, startMailServer } from '../../server/test/mail-server.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, until } from '../house.ts'
import { visit } from '../visitor.ts'
import { type Daemon, startNginx } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'

interface Answer {
  type: string
  data: { notices: { kind: string; site_id: string; subject_id: string; message: string }[] }
}
interface Incident {
  id: string
  kind: string
  cause: string
  duration_s: number
  ended_at: string | null
}

const parts = (name: string) => join(import.meta.dirname, name)

let house: House
let fleet: Fleet
let one: Managed
let smtp: MailServer
let database: ReturnType<typeof connectPool>
let again: Daemon | undefined
const posts: { signature: string | undefined; told: Answer }[] = []
const receiver = createServer(async (request, response) => {
  posts.push({ signature: request.headers['webhook-signature'] as string | undefined, told: JSON.parse(await text(request)) as Answer })
  response.end('ok')
})

before(async () => {
  smtp = await startMailServer()
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
  house = await openHouse({ SERVICE_UPTIME_CHECKS: 'on', SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>' })
  await house.ask('POST', '/uptime/settings', { interval_s: 30, recovery_s: 0 })
  const { socketDir } = findServer(clusterFolder(join(house.dir, 'data'))) ?? assert.fail()
  database = connectPool({ socketDir }, { warn() {} })
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  for (const channel of [
    { name: 'On call', type: 'email', to: ['captain@example.com'] },
    { name: 'Programs', type: 'webhook', url },
  ]) {
    const { id } = await house.ask<{ id: string }>('POST', '/notifications/channels', channel)
    await house.ask('POST', '/notifications/rules', { channel_id: id, kinds: ['site_down', 'site_back'] })
  }
  fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb' }], {
    plugins: [CONNECTOR],
    muPlugins: [parts('watching/harbour-strangers.php')],
  })
  one = (await connectAll(house, fleet))[0] ?? assert.fail()
})
after(async () => {
  await again?.stop()
  await fleet?.stop()
  await database?.end()
  await house?.close()
  receiver.close()
  await smtp?.stop()
})

/** As the site's own PHP would have written it. */
async function put(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(one.native.content)
  await copyFile(from, join(one.native.content, to))
  await chown(join(one.native.content, to), uid, gid)
}

/** What a tool answers an agent that may only read. */
async function tool<Answer>(name: string, args: object): Promise<Answer> {
  const answer = await fetch(`${house.url}/api/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.reader}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { site_id: one.site.id, ...args } } }),
  })
  return ((await answer.json()) as { result: { structuredContent: Answer } }).result.structuredContent
}

async function done(path: string, body: object = {}): Promise<void> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/${path}`, body)
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
}

const state = async () => (await tool<{ sites: { state: string }[] }>('get_uptime', {})).sites[0]?.state
/** Its turn is now, instead of within half a minute. */
const becomes = (wanted: string) =>
  until(`the site is ${wanted}`, async () => {
    await database.query("UPDATE turns SET due_at = now() WHERE kind = 'uptime'")
    return (await state()) === wanted ? wanted : undefined
  })
const newest = async () => (await house.ask<Incident[]>('GET', `/sites/${one.site.id}/uptime/incidents`))[0]
/** Both receivers have heard of it. */
const told = async (kind: string, words: RegExp) => {
  const post = await until(`a webhook of ${kind}`, async () =>
    posts.find(({ told: { data } }) => data.notices.some((notice) => notice.kind === kind)),
  )
  const mail = await until(`a mail of ${kind}`, async () => smtp.mails.find((each) => words.test(each.text)))
  return { post, mail }
}

test('a dead link that somebody planted is found when it is asked for', async () => {
  const { wpCli, url } = one.native
  const link = `<a href="${url}/sunken/">The wreck</a>`
  await wpCli(['post', 'create', '--post_type=page', '--post_status=publish', '--post_title=Chart', `--post_content=${link}`])
  await done('links/scan', { max_pages: 20 })
  const { links, counts } = await tool<{ links: object[]; counts: { broken: number } }>('get_broken_links', {})
  assert.equal(counts.broken, 1, JSON.stringify(links))
  assert.partialDeepStrictEqual(links[0], {
    ...{ url: `${url}/sunken/`, source_url: `${url}/chart/`, anchor_text: 'The wreck' },
    ...{ element: 'a[href]', status_code: 404, reason: 'not_found', confidence: 'broken' },
  })
})

test('a PHP error that a visitor met is read by an agent, with the plugin named', async () => {
  await put(parts('errors/harbour-faults.php'), 'plugins/harbour-faults.php')
  await one.native.wpCli(['plugin', 'activate', 'harbour-faults'])
  assert.equal((await visit(`${one.native.url}/?fault=call`)).status, 500)
  await house.ask('POST', `/sites/${one.site.id}/errors/collect`)
  const { errors } = await tool<{ errors: object[] }>('get_errors', { level: 'fatal' })
  assert.partialDeepStrictEqual(errors[0], {
    message: 'Uncaught Error: Call to undefined function harbour_no_such_function()',
    component: { type: 'plugin', slug: 'harbour-faults' },
    count: 1,
  })
})

test('a must-use plugin that slows the site down shows in its trend', async () => {
  for (let sample = 0; sample < 3; sample++) await done('performance/measure')
  await put(parts('watching/harbour-slow.php'), 'mu-plugins/harbour-slow.php')
  await done('performance/measure')
  const { trends } = await tool<{ trends: { metric: string; direction: string; before: number; now: number; since: string | null }[] }>(
    'get_performance',
    {},
  )
  const ttfb = trends.find(({ metric }) => metric === 'ttfb_ms')
  console.log(`  ${ttfb?.before} ms, then ${ttfb?.now} ms`)
  assert.equal(ttfb?.direction, 'worse', JSON.stringify(trends))
  assert.ok(ttfb.now >= 3000 && ttfb.since !== null)
})

test('a site that is stopped is an incident, which is told by mail and by webhook, once', async () => {
  await becomes('up')
  process.kill(fleet.pids.nginx, 'SIGTERM')
  await becomes('down')
  const incident = await newest()
  assert.partialDeepStrictEqual(incident, { kind: 'down', cause: 'connect', ended_at: null })
  const { post, mail } = await told('site_down', /is down/)
  assert.match(post.signature ?? '', /^v1,/)
  assert.deepEqual(
    post.told.data.notices.map(({ kind, site_id, subject_id }) => [kind, site_id, subject_id]),
    [['site_down', one.site.id, incident?.id]],
  )
  assert.deepEqual(mail.to, ['captain@example.com'])
})

test('when it is started again the incident ends, and that is told too', async () => {
  again = await startNginx(fleet.dir)
  await becomes('up')
  const incident = await newest()
  assert.ok(incident?.kind === 'down' && incident.ended_at !== null && incident.duration_s > 0, JSON.stringify(incident))
  const { post } = await told('site_back', /is up again/)
  assert.equal(post.told.data.notices[0]?.subject_id, incident.id)
  assert.deepEqual(
    posts.map(({ told: { data } }) => data.notices.map(({ kind }) => kind)),
    [['site_down'], ['site_back']],
  )
})
