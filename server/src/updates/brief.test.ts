import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { agentOf } from '../../test/mcp-agent.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { endJob, insertJob } from '../jobs/store.ts'
import { newId } from '../kernel/ids.ts'
import { tokens } from '../projections/mcp-tools.ts'
import type { Health, ItemResult, UpdateResult } from './schema.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

const health = (problem: string | null): Health => ({
  ...{
    ok: problem === null,
    connector_answers: true,
    checked_at: '2026-01-01T00:00:00Z',
    problem,
    site_said: null,
    errors_meanwhile: null,
  },
  pages: Array.from({ length: 20 }, (_, i) => ({
    ...{ page: `wp-admin/screen-${i}`, status: 200, bytes: 40_000, live: true },
    problem: i === 3 ? problem : null,
  })),
})
const item = (n: number, status: ItemResult['status'], problem: string | null = null): ItemResult => ({
  ...{
    type: 'plugin',
    slug: `plugin-${n}`,
    file: `plugin-${n}/plugin-${n}.php`,
    name: `Plugin ${n}`,
    from_version: '1.0',
    to_version: '2.0',
  },
  ...{ status, reason: problem, site_said: null, health: { before: health(null), after: health(problem) }, seconds: 12 },
})

/** An update of so many plugins of a site, that has ended. */
async function updated(items: ItemResult[]): Promise<string> {
  const context = { ...here.world, workspaceId: here.workspaceId }
  const job = { id: newId('job', here.world.now()), type: 'update', siteId: null, changesSite: true, approved: undefined, input: {} }
  await insertJob(context, { ...job, requestedBy: { type: 'system', id: 'test', name: 'test' } })
  const result: UpdateResult = { backup_id: null, backup_reused: false, items }
  await endJob(context, job.id, null, { status: 'completed', result, summary: { outcome: 'partly', summary: 'Updated most.' } })
  return job.id
}

test('an agent reads of an update of very many plugins what went wrong first, and how many are left out', async () => {
  const lame = 'The screen wp-admin/screen-3 answers with 500.'
  const bad = [item(900, 'rolled_back', lame), item(901, 'failed', lame)]
  const job_id = await updated([...Array.from({ length: 100 }, (_, n) => item(n, 'updated')), ...bad])
  const { structuredContent } = await agentOf(here, (await here.token('read')).token).call('get_job', { job_id })
  const told = structuredContent as unknown as { notice: string; result: { items: ItemResult[]; items_left_out: number } }
  assert.ok(tokens(told) <= 3500, `${tokens(told)} tokens`)
  assert.match(told.notice, /Pages that were well are counted.* fields: all shows everything\./)
  const { items, items_left_out } = told.result
  assert.deepEqual(
    items.slice(0, 3).map(({ slug }) => slug),
    ['plugin-901', 'plugin-900', 'plugin-0'],
  )
  assert.equal(items.length + items_left_out, 102)
  assert.deepEqual(
    items[0]?.health?.after?.pages.map(({ problem }) => problem),
    [lame],
  )
  const whole = (await here.call('jobs.get', { job_id })) as unknown as { result: UpdateResult; brief?: unknown }
  assert.equal(whole.result.items[0]?.health?.after?.pages.length, 20)
  assert.equal(whole.brief, undefined, 'it leaves with no face')
})

test('of a short one too the pages that were well are only counted; all of them stand there when asked for', async () => {
  const noted = { ...item(1, 'updated'), reason: 'The site was busy.' }
  const job_id = await updated([noted])
  const agent = agentOf(here, (await here.token('read')).token)
  const { structuredContent: brief } = await agent.call('get_job', { job_id })
  assert.partialDeepStrictEqual((brief as { result: object }).result, {
    items: [{ slug: 'plugin-1', status: 'updated', pages_well: 20, reason: 'The site was busy.' }],
  })
  assert.ok(tokens(brief) <= 350, `${tokens(brief)} tokens`)
  const { structuredContent: whole } = await agent.call('get_job', { job_id, fields: 'all' })
  const { result, notice } = whole as unknown as { result: UpdateResult; notice?: string }
  assert.deepEqual([result.items[0]?.health?.after?.pages.length, notice], [20, undefined])
  const wrong = await agent.call('get_job', { job_id, fields: 'result' })
  assert.match(JSON.stringify(wrong), /fields: all, or leave it out\./)
})

test('what was taken back is told with what ran when the site was seen well', async () => {
  const job_id = await updated([{ ...item(1, 'rolled_back'), reason: 'The front page answered with 500.' }])
  const { structuredContent } = await agentOf(here, (await here.token('read')).token).call('get_job', { job_id })
  const [told] = (structuredContent as unknown as { result: UpdateResult }).result.items
  assert.partialDeepStrictEqual(told, {
    status: 'rolled_back',
    health: { after_shows: 'version_before', after: { ok: true, pages_well: 20 } },
  })
  const words = JSON.stringify(told)
  assert.ok(words.indexOf('rolled_back') < words.indexOf('"ok"') && words.indexOf('500') < words.indexOf('"ok"'), 'the verdict comes first')
})
