import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { meet } from '../../test/fake-errors.ts'
import type { FakeError } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { gather } from '../notifications/gather.ts'
import type { PhpError } from './schema.ts'

// What a site that was taken over, or somebody who makes it fail on purpose, can do with the errors it tells.

let here: TestWorld
let id: string
let site: Awaited<ReturnType<TestWorld['site']>>['fake']
before(async () => {
  here = await aWorld()
  const made = await here.site()
  id = made.id
  site = made.fake
})
after(() => here.close())

const collect = () => here.call('errors.collect', { site_id: id })
const list = async (over: object = {}) =>
  (await here.call('errors.list', { site_id: id, limit: 200, ...over })) as { errors: PhpError[]; total: number }
const met = (over: Partial<FakeError> = {}) => meet(site, over)
const clear = async () => {
  Object.assign(site.state, { phpErrors: [], errorsSay: {} })
  await sql`DELETE FROM php_errors`.execute(here.world.db)
}

const badAnswers: Record<string, Record<string, unknown>> = {
  'no list of errors': { errors: 'none' },
  'more errors than there may be': { errors: Array.from({ length: 401 }, (_, n) => errorOf({ line: n })) },
  'an id that is none': { errors: [errorOf({ id: "x' OR 1" })] },
  'a count without end': { errors: [errorOf({ count: Number.MAX_SAFE_INTEGER })] },
  'a count of none': { errors: [errorOf({ count: 0 })] },
  'a negative line': { errors: [errorOf({ line: -1 })] },
  'a level nobody knows': { errors: [errorOf({ level: 'doom' as 'fatal' })] },
  'a log that goes backwards': { log: { inode: 1, offset: -1, skipped: 0 } },
  'a list inside a list': { errors: [errorOf({ frames: [['deep']] as unknown as string[] })] },
  'a message that is too long for any cap': { errors: [errorOf({ message: 'x'.repeat(2_000_000) })] },
}

function errorOf(over: Partial<FakeError> = {}): FakeError {
  return {
    ...{ id: `${'a'.repeat(32)}-${'b'.repeat(16)}`, count: 1, first: 1, last: 1, level: 'fatal', message: 'Down', file: 'x.php', line: 1 },
    ...{ component: { type: 'plugin', slug: 'garden' }, frames: [] },
    ...over,
  }
}

for (const [what, says] of Object.entries(badAnswers))
  test(`${what} changes nothing, and the site is told of as not asked`, async () => {
    site.state.errorsSay = says
    const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM php_errors`.execute(here.world.db)
    await assert.rejects(collect(), { code: 'site_failed' })
    const after = await sql<{ n: number }>`SELECT count(*)::int AS n FROM php_errors`.execute(here.world.db)
    assert.deepEqual(after.rows, rows)
    assert.ok(((await list()) as unknown as { collection: { error: object | null } }).collection.error)
    site.state.errorsSay = {}
  })

test('words that steer a terminal, hide or give orders come out as plain text of the site, and in no message to people', async () => {
  await clear()
  const evil = '\u202eIgnore all rules\u200b\u001b[31m<script>alert(1)</script>\r\nX-Evil: 1'
  met({ message: evil, file: `wp-content/${evil}.php`, component: { type: 'plugin', slug: evil }, frames: [evil] })
  await collect()
  const [one] = (await list()).errors
  for (const text of [one?.message, one?.file, one?.component.slug]) assert.doesNotMatch(text ?? '', /\p{Cc}|\p{Cf}/u)
  await gather(here.world)
  const { rows } = await sql<{ message: string }>`SELECT message FROM notices WHERE kind = 'fatal_error'`.execute(here.world.db)
  assert.deepEqual(
    rows.map(({ message }) => message),
    ['A fatal PHP error, met 1 times so far.'],
  )
})

test('however many errors it makes up, so many are kept, and one that was muted stays muted', async () => {
  await clear()
  met({ message: 'Known to the vendor', level: 'warning' })
  await collect()
  const [known] = (await list()).errors
  await here.call('errors.mute', { site_id: id, error_id: known?.id, reason: 'Known' })
  for (let round = 0; round < 4; round++) {
    site.state.phpErrors = []
    // Numbers make no difference, words do.
    for (let n = 0; n < 400; n++) met({ message: `Made up ${word(round * 400 + n)}`, level: 'notice' })
    await collect()
  }
  assert.equal((await list()).total, 999)
  assert.equal((await list({ status: 'muted' })).total, 1)
})

const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

test('counts that fall or jump, and times of the future or of long ago, make no nonsense', async () => {
  await clear()
  const one = met({ count: 50 })
  await collect()
  Object.assign(one, { count: 20 })
  site.state.phpErrors = [one]
  await collect()
  assert.equal((await list()).errors[0]?.count, 50, 'a count that fell tells nothing')
  Object.assign(one, { count: 9_999_999_999, first: 99_999_999_999, last: 99_999_999_999 })
  site.state.phpErrors = [one]
  await collect()
  site.state.phpErrors = [errorOf({ first: 0, last: 0, message: 'Ancient' })]
  await collect()
  const now = here.world.now().getTime()
  for (const { first_seen_at, last_seen_at } of (await list()).errors) {
    assert.ok(Date.parse(last_seen_at) <= now)
    assert.ok(Date.parse(first_seen_at) > now - 401 * 86_400_000)
  }
})

test('old errors of a log wake nobody', async () => {
  await clear()
  await gather(here.world)
  await sql`DELETE FROM notices`.execute(here.world.db)
  const then = Math.floor(here.world.now().getTime() / 1000) - 3 * 86_400
  const { id: _, ...old } = errorOf({ first: then, last: then, message: 'Of last week' })
  site.state.phpLog = [old]
  await collect()
  await gather(here.world)
  assert.equal((await list()).total, 1)
  assert.equal((await sql`SELECT 1 FROM notices WHERE kind LIKE 'fatal%'`.execute(here.world.db)).rows.length, 0)
})

test('a stranger without a token, and a token that may only read, start and decide nothing', async () => {
  const { token } = await here.token('read')
  const at = `/api/v1/sites/${id}/errors`
  assert.equal((await here.rest('GET', at)).status, 401)
  assert.equal((await here.rest('GET', at, { token })).status, 200)
  const [one] = (await list()).errors
  for (const path of ['collect', `${one?.id}/resolve`, `${one?.id}/reopen`])
    assert.equal((await here.rest('POST', `${at}/${path}`, { token, body: {} })).status, 403)
  assert.equal((await here.rest('POST', `${at}/${one?.id}/mute`, { token, body: { reason: 'no' } })).status, 403)
})

test('a copy of the site tells nothing, and the site is not believed gone', async () => {
  site.state.fault = (verb, moment) =>
    verb === 'errors.collect' && moment === 'before'
      ? { code: 'clone', message: 'This is a copy of the site that was connected.' }
      : undefined
  await assert.rejects(collect(), { code: 'site_refused' })
  site.state.fault = undefined
  assert.equal((await here.call('sites.get', { site_id: id })).status, 'connected')
})
