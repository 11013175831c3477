import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError, type SiteReason } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { surveyOf } from './survey.ts'

type Asked = Params<'restore.survey'>

const definitions = (count: number, characters: number) =>
  Array.from({ length: count }, (_, i) => ({ table: `t${i}`, create: 'x'.repeat(characters) }))
const question = (count: number): Asked => ({
  ...{ files: true, tables: [...definitions(count, 0).map(({ table }) => table), 'gone'], extra: ['gone'] },
  ...{ triggers: ['t1'], keys: ['t0', 't2'], bytes: 0 },
})
const untied = new Map()
const answer = { obstacle: '', leave: [], free: null, prefix: 'wp_', needed: ['gone'] }

/** A site that answers each question so, and what it was asked. */
function aSite(say: (asked: Asked) => Partial<Result<'restore.survey'>> = () => ({})) {
  const asked: Asked[] = []
  const ask = async (_verb: string, params: Asked) => {
    asked.push(params)
    return { ...answer, ...say(params) }
  }
  return { asked, site: { ask } as unknown as SiteClient }
}
const refuse = (reason: SiteReason, status: number) => (): never => {
  throw new SiteError(reason, 'No.', { status })
}

test('few definitions go with the question; many go before it, each once, so that what stays is known to it', async () => {
  const few = aSite()
  await surveyOf(few.site, question(5), definitions(5, 1_000), untied)
  assert.deepEqual([few.asked.length, few.asked[0]?.creates?.length], [1, 5])
  const many = aSite(({ tables, extra }) =>
    extra
      ? { hindered: [{ table: 'gone', why: 'triggers' }] }
      : { hindered: tables.includes('t7') ? [{ table: 't7', why: 'definition' }] : [] },
  )
  const survey = await surveyOf(many.site, question(100), definitions(100, 2_000), untied)
  const tried = many.asked.slice(0, -1)
  assert.deepEqual(
    tried.flatMap(({ creates = [] }) => creates.map(({ table }) => table)),
    definitions(100, 0).map(({ table }) => table),
  )
  assert.ok(tried.every((each) => JSON.stringify(each).length < 48 * 1024 && !each.files && !each.extra))
  assert.deepEqual([tried[0]?.triggers, tried[0]?.keys, tried[1]?.keys], [['t1'], ['t0', 't2'], []])
  const last = many.asked.at(-1)
  assert.deepEqual([last?.creates, last?.tables.length, last?.tables.includes('t7'), last?.extra], [undefined, 100, false, ['gone']])
  assert.deepEqual(
    survey.hindered,
    ['gone', 't7'].map((table) => ({ table, why: table === 'gone' ? 'triggers' : 'definition' })),
  )
  assert.deepEqual([survey.needed, survey.untried], [['gone'], []])
})

for (const [reason, status] of [
  ['http_status', 413],
  ['http_status', 403],
  ['security_plugin', 406],
  ['connect', 0],
] as const)
  test(`where a request does not pass, smaller ones do (${reason} ${status})`, async () => {
    const { asked, site } = aSite(({ creates }) => (JSON.stringify(creates ?? []).length > 12_000 ? refuse(reason, status)() : {}))
    const survey = await surveyOf(site, question(40), definitions(40, 2_000), untied)
    assert.deepEqual(survey.untried, [])
    assert.ok(asked.length < 24)
  })

test('a definition too long to pass, one that takes too long and what is beyond all requests are named as not tried', async () => {
  const long = [...definitions(40, 2_000), { table: 'long', create: 'x'.repeat(50_000) }]
  const { site } = aSite(({ creates = [] }) => {
    if (JSON.stringify(creates).length > 45_000) refuse('http_status', 413)()
    return { untried: creates.some(({ table }) => table === 't3') ? ['t3'] : [] }
  })
  assert.deepEqual((await surveyOf(site, question(40), long, untied)).untried, ['t3', 'long'])
  const { asked, site: huge } = aSite()
  const { untried = [] } = await surveyOf(huge, question(900), definitions(900, 2_000), untied)
  assert.deepEqual([asked.length, untried.length, untried.at(-1)], [25, 900 - 24 * 20, 't899'])
})

/** Each of these refers to the next. */
const chain = (...names: string[]) => {
  const ties = new Map<string, Set<string>>()
  for (const [i, name] of names.entries()) ties.set(name, new Set([names[i - 1], names[i + 1]].filter((each) => each !== undefined)))
  return ties
}
const named = ({ creates = [] }: Asked) => creates.map(({ table }) => table)

test('tables that foreign keys tie to each other go in one request; what a request cannot know is named in it, and its keys are told as not tried', async () => {
  const { asked, site } = aSite()
  const together = await surveyOf(site, question(60), definitions(60, 2_000), chain('t3', 't55', 't30'))
  assert.deepEqual(
    asked.slice(0, -1).map((each) => ['t3', 't55', 't30'].filter((name) => named(each).includes(name))),
    [['t3', 't55', 't30'], [], []],
  )
  assert.deepEqual([asked.some((each) => 'apart' in each), together.untried], [false, []])
  const { asked: parts, site: other } = aSite()
  const names = definitions(30, 0).map(({ table }) => table)
  const broken = await surveyOf(other, question(30), definitions(30, 2_000), chain(...names, 'gone'))
  assert.deepEqual(
    parts.slice(0, -1).map((each) => each.apart),
    [['t20'], ['t19', 'gone']],
    'a table that goes is not told to requests of definitions either',
  )
  assert.deepEqual(broken.untried, ['t19', 't20', 't29'])
})

test('tied tables of which one is late are tried together once more, without what stays; only then apart', async () => {
  const { asked, site } = aSite((each) => {
    const all = named(each)
    if (!all.includes('t5')) return {}
    return { hindered: all.includes('t7') ? [{ table: 't7', why: 'keys' }] : [], untried: all.length > 1 ? ['t5', 't6'] : [] }
  })
  const survey = await surveyOf(site, question(25), definitions(25, 2_000), chain('t5', 't6', 't7'))
  assert.deepEqual(
    asked.slice(1, 4).map((each) => [named(each), each.apart]),
    [
      [['t5', 't6'], undefined],
      [['t5'], ['t6']],
      [['t6'], ['t5']],
    ],
  )
  assert.deepEqual([survey.untried, survey.hindered], [['t5', 't6'], [{ table: 't7', why: 'keys' }]])
})

test('what is no matter of size ends it', async () => {
  const { site } = aSite(({ creates }) => (creates ? refuse('clone', 409)() : {}))
  await assert.rejects(surveyOf(site, question(40), definitions(40, 2_000), untied), { reason: 'clone' })
})
