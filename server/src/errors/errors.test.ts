import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { meet } from '../../test/fake-errors.ts'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { gather } from '../notifications/gather.ts'
import { tokens } from '../projections/mcp-tools.ts'
import { Collecting } from './collect.ts'
import type { ErrorWithTrace, PhpError } from './schema.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

const minuteMs = 60_000
/** Times of sites are in seconds; a clock that moves by minutes is one that no site follows. */
const shortlyMs = 2_000
const now = () => here.world.now().getTime()

/** A site that was asked once, so that what comes is new. */
async function watched() {
  const { id, fake } = await here.site()
  const ask = () => here.call('errors.collect', { site_id: id })
  const list = async (over: object = {}) => (await here.call('errors.list', { site_id: id, ...over })).errors as PhpError[]
  const met = (over: Parameters<typeof meet>[1] = {}) => meet(fake, over)
  const summary = async () => ((await here.call('sites.get', { site_id: id })) as { php_errors: object | null }).php_errors
  await ask()
  return { id, fake, ask, list, met, summary }
}

test('an error is one row however often it is met, and what is told twice counts once', async () => {
  const { fake, ask, list, met } = await watched()
  met({ count: 3 })
  await ask()
  const [first] = await list()
  assert.partialDeepStrictEqual(first, {
    level: 'fatal',
    message: 'Uncaught Error: Call to undefined function sow()',
    file: 'wp-content/plugins/garden/garden.php',
    line: 12,
    component: { type: 'plugin', slug: 'garden' },
    status: 'open',
    count: 3,
    after: null,
    regressed_at: null,
    path: '/shop/',
    php_version: '8.2.30',
  })
  assert.match(first?.fingerprint ?? '', /^[0-9a-f]{32}$/)
  assert.equal(fake.state.phpErrors.length, 1, 'the site keeps it until it hears that the service has it')
  met()
  await ask()
  assert.equal((await list())[0]?.count, 4, 'one more while it was on its way')
  await ask()
  assert.equal(fake.state.phpErrors.length, 0, 'it was taken')
  met({ line: 40 })
  met({ count: 2, message: 'Undefined variable $seeds', level: 'warning' })
  await ask()
  const all = await list()
  assert.deepEqual(
    all.map(({ level, count, line }) => [level, count, line]),
    [
      ['fatal', 5, 40],
      ['warning', 2, 12],
    ],
    'a line that moved makes no other error; the worst stands first',
  )
})

test('an answer that was lost on its way is asked for again, and counts once', async () => {
  const { fake, ask, list, met } = await watched()
  met({ count: 2 })
  let lost = 0
  fake.state.fault = (verb, moment) => (verb === 'errors.collect' && moment === 'after' && lost++ < 1 ? 'cut' : undefined)
  await assert.rejects(ask(), { code: 'site_unreachable' })
  await ask()
  fake.state.fault = undefined
  await ask()
  await ask()
  assert.deepEqual(
    (await list()).map(({ count }) => count),
    [2],
  )
})

test('what differs from time to time makes no other error, and what is in the log as well counts once', async () => {
  const { fake, ask, list, met } = await watched()
  met({ message: 'Post 17 has no meta 0xff00aa11' })
  met({ message: 'Post 9 has no meta 0xff' })
  met({ message: 'Allowed memory size of 134217728 bytes exhausted' })
  const at = Math.floor(Date.now() / 1000)
  const { id: _, ...told } = met({ message: 'Undefined array key "sky"', level: 'notice', count: 5 })
  fake.state.phpLog = [{ ...told, first: at - 60, last: at, count: 8 }]
  await ask()
  assert.deepEqual((await list()).map(({ message, count }) => [message, count]).sort(), [
    ['Allowed memory size of 134217728 bytes exhausted', 1],
    ['Post 9 has no meta 0xff', 2],
    ['Undefined array key "sky"', 8],
  ])
  fake.state.phpLog.push({ ...told, first: at, last: at, count: 1 })
  await ask()
  assert.equal((await list({ level: 'notice' }))[0]?.count, 9, 'the log is read on from where it was')
})

test('one that comes again after it was resolved is open again, and one that is muted stays so', async () => {
  const { id, ask, list, met, summary } = await watched()
  met()
  met({ message: 'Undefined variable $wood', level: 'warning' })
  await ask()
  const [fatal, warning] = await list()
  const error = (error_id = '') => ({ site_id: id, error_id })
  assert.deepEqual(await summary(), { open: 2, fatal: 1 })
  await here.call('errors.resolve', error(fatal?.id))
  await here.call('errors.mute', { ...error(warning?.id), reason: 'The vendor knows' })
  assert.deepEqual(await summary(), { open: 0, fatal: 0 })
  here.clock.add(shortlyMs)
  met()
  met({ message: 'Undefined variable $wood', level: 'warning' })
  await ask()
  const again = (await here.call('errors.get', error(fatal?.id))) as unknown as ErrorWithTrace
  assert.equal(again.status, 'open')
  assert.notEqual(again.regressed_at, null)
  assert.equal(again.resolved, null)
  assert.deepEqual(again.frames, ['wp-includes/class-wp-hook.php:324'])
  const muted = (await here.call('errors.get', error(warning?.id))) as unknown as ErrorWithTrace
  assert.deepEqual([muted.status, muted.count, muted.muted?.reason], ['muted', 2, 'The vendor knows'])
  assert.deepEqual(await summary(), { open: 1, fatal: 1 })
  await here.call('errors.reopen', error(warning?.id))
  assert.deepEqual(await summary(), { open: 2, fatal: 1 })
  await assert.rejects(here.call('errors.resolve', error('phperror_01k0000000000000000000000a')), /no such PHP error/)
})

test('what was met before it was resolved, and is told later, makes it no regression', async () => {
  const { id, fake, ask, list, met } = await watched()
  met()
  await ask()
  const [one] = await list()
  here.clock.add(shortlyMs)
  await here.call('errors.resolve', { site_id: id, error_id: one?.id })
  meet(fake, {}, minuteMs)
  await ask()
  const [resolved] = await list({ status: 'resolved' })
  assert.deepEqual([resolved?.id, resolved?.count, resolved?.regressed_at], [one?.id, 2, null])
})

test('an error is told with the update it came after, and with the version it came with', async () => {
  const { id, fake, ask, list, met } = await watched()
  fake.state.items = [aPlugin('garden', { update: anOffer('2.0') }), aPlugin('shed')]
  await here.call('inventory.get', { site_id: id })
  met({ message: 'Undefined variable $before', level: 'warning' })
  await ask()
  const job = await here.job(String((await here.call('updates.apply', { site_id: id, plugins: ['garden'] })).job_id))
  assert.equal(job.status, 'completed', JSON.stringify(job))
  here.clock.add(shortlyMs)
  await here.call('inventory.get', { site_id: id })
  met({ message: 'Undefined variable $after' })
  met({ message: 'Undefined variable $elsewhere', level: 'notice', component: { type: 'plugin', slug: 'shed' } })
  await ask()
  const told = new Map((await list()).map((error) => [error.message, error]))
  assert.equal(told.get('Undefined variable $before')?.after, null)
  assert.equal(told.get('Undefined variable $before')?.component.version, '1.0')
  assert.partialDeepStrictEqual(told.get('Undefined variable $after'), {
    component: { type: 'plugin', slug: 'garden', version: '2.0' },
    after: { job_id: job.id, type: 'update', item: { slug: 'garden', from_version: '1.0', to_version: '2.0' } },
  })
  assert.partialDeepStrictEqual(told.get('Undefined variable $elsewhere'), { after: { job_id: job.id, item: null } })
})

test('an error that is met while an update is at work is told with that update', async () => {
  const { id, fake, ask, list, met } = await watched()
  fake.state.items = [aPlugin('garden', { update: anOffer('2.0') })]
  const began = Promise.withResolvers<void>()
  fake.state.fault = (verb, moment) => {
    if (verb === 'updates.guard' && moment === 'before') began.resolve()
    return undefined
  }
  const { job_id } = await here.call('updates.apply', { site_id: id, plugins: ['garden'] })
  await began.promise
  here.clock.add(shortlyMs)
  met()
  await ask()
  await here.job(String(job_id))
  assert.deepEqual((await list())[0]?.after?.job_id, job_id)
})

test('of what was there at the first look nobody knows what it came after', async () => {
  const { id, fake } = await here.site()
  fake.state.items = [aPlugin('garden', { update: anOffer('2.0') })]
  await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
  here.clock.add(shortlyMs)
  meet(fake)
  await here.call('errors.collect', { site_id: id })
  const { errors } = (await here.call('errors.list', { site_id: id })) as unknown as { errors: PhpError[] }
  assert.deepEqual(
    errors.map(({ after }) => after),
    [null],
  )
})

test('people are told of a new fatal error once, and again with each regression', async () => {
  const { id, ask, list, met } = await watched()
  const notices = async () => {
    await gather(here.world)
    const { rows } = await sql<{
      kind: string
      message: string
    }>`SELECT kind, message FROM notices WHERE site_id = ${id} AND kind LIKE 'fatal%'
      ORDER BY id`.execute(here.world.db)
    return rows
  }
  met({ count: 2 })
  met({ message: 'Undefined variable $oak', level: 'warning' })
  await ask()
  const told = { kind: 'fatal_error', message: 'A fatal PHP error in the plugin garden, met 2 times so far.' }
  assert.deepEqual(await notices(), [told])
  met()
  await ask()
  assert.deepEqual(await notices(), [told])
  const error_id = (await list())[0]?.id
  for (const round of [1, 2]) {
    here.clock.add(shortlyMs)
    await here.call('errors.resolve', { site_id: id, error_id })
    here.clock.add(shortlyMs)
    met()
    await ask()
    assert.equal((await notices()).filter(({ kind }) => kind === 'fatal_error_again').length, round)
  }
})

test('a site is asked in its turn, at once when an update has ended, and no more when it has left', async () => {
  const { id, fake, list, met } = await watched()
  const collecting = new Collecting(here.world)
  const pass = async () => {
    await collecting.pass()
    await collecting.finish()
  }
  const asked = () => fake.requests.filter(({ verb }) => verb === 'errors.collect').length
  const due = (at: Date) => sql`UPDATE turns SET due_at = ${at} WHERE kind = 'errors' AND site_id = ${id}`.execute(here.world.db)
  await pass()
  const before = asked()
  met()
  await due(here.world.now())
  await pass()
  assert.ok(asked() > before, here.logs.slice(-5).join('\n'))
  assert.equal((await list()).length, 1)
  const settled = asked()
  await pass()
  assert.equal(asked(), settled, 'its turn has not come again')
  await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
  await pass()
  assert.equal(asked(), settled + 1, 'an update has ended')
  await here.disconnect({ id, fake })
  await sql`UPDATE php_error_collections SET error = NULL WHERE site_id = ${id}`.execute(here.world.db)
  await due(here.world.now())
  await pass()
  assert.equal(asked(), settled + 1, 'nobody asks a site that has left')
  assert.equal(((await here.call('errors.list', { site_id: id })) as { collection: { error: object | null } }).collection.error, null)
})

test('two who ask at once write down one answer', async () => {
  const { id, fake, list, met } = await watched()
  const { id: _, ...told } = met({ count: 3 })
  fake.state.phpLog = [{ ...told, count: 7 }]
  const collect = () => here.call('errors.collect', { site_id: id })
  const came = () => fake.requests.filter(({ verb }) => verb === 'errors.collect').length
  const before = came()
  const asked = Promise.withResolvers<void>()
  // The first three are answered once all of them have asked.
  fake.misbehave('slow', { until: asked.promise })
  const collecting = [collect(), collect(), collect()]
  await until(() => came() === before + 3)
  asked.resolve()
  await Promise.all(collecting)
  fake.misbehave()
  await collect()
  assert.deepEqual(
    (await list()).map(({ count }) => count),
    [7],
  )
})

test('a site that was never asked is unknown, and an older connector says so', async () => {
  const { id, fake } = await here.site()
  assert.equal(((await here.call('sites.get', { site_id: id })) as { php_errors: object | null }).php_errors, null)
  assert.partialDeepStrictEqual(await here.call('errors.list', { site_id: id }), {
    errors: [],
    counts: null,
    gaps: ['Nobody has looked for PHP errors yet.'],
    collection: { collected_at: null, capturing: null },
  })
  fake.state.fault = (verb, moment) =>
    verb === 'errors.collect' && moment === 'before'
      ? { code: 'unknown_verb', message: 'This version does not know that verb.' }
      : undefined
  await assert.rejects(here.call('errors.collect', { site_id: id }), /too old for this/)
  const { collection } = (await here.call('errors.list', { site_id: id })) as {
    collection: { collected_at: string | null; error: { message: string } }
  }
  assert.equal(collection.collected_at, null)
  assert.match(collection.error.message, /older/)
  const { gaps } = (await here.call('errors.list', {})) as { gaps: string[] }
  assert.match(String(gaps), /^Nobody has looked for PHP errors yet on \d+ of \d+ sites\.$/)
})

test('where WordPress does not start, the site is asked beside it', async () => {
  const { id, fake, list, met } = await watched()
  met({ message: 'Uncaught Error: Class "Sundial" not found' })
  fake.state.dead = () => true
  await assert.rejects(here.call('errors.collect', { site_id: id }), /HTTP 500: WordPress reports a critical error/)
  assert.equal((await list()).length, 0)
  fake.state.standing = '/wp-content/plugins/svc-connector/standing-door.php'
  await sql`UPDATE sites SET hello = jsonb_set(hello, '{standing}', to_jsonb(${fake.state.standing}::text)) WHERE id = ${id}`.execute(
    here.world.db,
  )
  await here.call('errors.collect', { site_id: id })
  assert.equal((await list()).length, 1)
})

test('the clock of a site may be wrong', async () => {
  const { id, fake, ask, list } = await watched()
  fake.state.skewSeconds = 240
  await here.call('sites.ping', { site_id: id })
  const before = now()
  meet(fake, {}, 10 * minuteMs)
  await ask()
  const [one] = await list()
  // It was met between the two, however long it took to tell.
  const [early, late] = [before, now()].map((at) => Date.parse(one?.last_seen_at ?? '') + 10 * minuteMs - at)
  assert.ok(Number(early) > -5_000 && Number(late) < 5_000, `off by ${early} to ${late} ms`)
})

test('other workspaces see nothing of it', async () => {
  const { id, ask, list, met } = await watched()
  met()
  await ask()
  const [one] = await list()
  const caller = here.caller({ workspaceId: await here.workspace('Other') })
  await assert.rejects(here.call('errors.get', { site_id: id, error_id: one?.id }, { caller }), /no such site/)
  assert.deepEqual((await here.call('errors.list', {}, { caller })).errors, [])
})

test('an agent is told of 300 sites with long messages within 1,500 tokens, the worst first, and how to read on', async () => {
  const workspaceId = await here.workspace('Large')
  await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
    SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Garden ' || n, '', '', 'disconnected', '', '', '', '', now(), now()
    FROM generate_series(1, 300) n`.execute(here.world.db)
  await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, frames, status,
      captured, logged, first_seen_at, last_seen_at)
    SELECT ${workspaceId}, 'phperror_' || lpad(n::text, 26, '0'), 'site_' || lpad(n::text, 26, '0'), n, 1, CASE WHEN n % 100 = 0 THEN 'fatal' ELSE 'warning' END,
      rpad('Undefined variable ' || n || ' ', 500, 'x'), rpad('wp-content/plugins/garden/', 300, 'y'), '{12}', '{"type":"plugin","slug":"garden"}', '[]', 'open',
      n, 0, now(), now() - n * interval '1 second' FROM generate_series(1, 300) n`.execute(here.world.db)
  const agent = agentOf(here, (await here.token('read', { workspaceId })).token)
  interface Answer {
    errors: PhpError[]
    total: number
    limit: number
    next_cursor: string
    notice: string
  }
  const ask = async (given: object) => (await agent.call('get_errors', given)).structuredContent as unknown as Answer
  const told = await ask({})
  assert.ok(tokens(told) <= 1500, `${tokens(told)}`)
  assert.deepEqual([told.errors.length, told.limit, told.total], [3, 3, 300])
  assert.deepEqual(
    told.errors.map(({ level }) => level),
    ['fatal', 'fatal', 'fatal'],
  )
  assert.equal(told.errors[0]?.site_name, 'Garden 100', 'of the fleet each names its site')
  assert.match(told.notice, /pass next_cursor as cursor/)
  const next = await ask({ cursor: told.next_cursor })
  assert.deepEqual([next.errors[0]?.count, tokens(next) <= 1500], [1, true], 'it goes on where the page was cut')
  assert.equal((await ask({ limit: 20 })).errors.length, 20, 'more is told to who asks for more')
})
