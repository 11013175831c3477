import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { PostgresQueryCompiler, sql } from 'kysely'
import { urlOf } from '../../test/database.ts'
import { putFile } from '../../test/fake-state.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { startServiceProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { type JobKind, LostJob, type Running } from '../kernel/job.ts'
import { Problem, problems } from '../kernel/problem.ts'
import { WrittenPage } from '../kernel/written-page.ts'
import { openService } from '../service.ts'
import { domainOf } from '../sites/address.ts'
import { domainIn } from '../sites/store.ts'
import type { Context, World } from '../world.ts'
import { pageOfJobs, startJob, waitForJob, waitUntil } from './service.ts'
import { claimJob } from './store.ts'
import { sweepJobs } from './sweep.ts'
import { buryJob, runJob } from './worker.ts'

/** Work that a test holds in its hand. */
interface Held {
  job: Running
  release(result?: unknown): void
  fail(error: unknown): void
}

describe('jobs', () => {
  let here: TestWorld
  let site: string
  const begun: Held[] = []
  const ended: string[] = []
  /** Runs until it is released, and says so when it is canceled. */
  const held: JobKind<World> = {
    type: 'held',
    retries: 2,
    changesSite: false,
    async work(_world, job) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      begun.push({ job, release: resolve, fail: reject })
      job.signal.addEventListener('abort', () => reject(job.signal.reason), { once: true })
      return promise
    },
    summarize: (result) => ({ outcome: 'partly', summary: `It came to ${JSON.stringify(result)}.` }),
    happening: (result) => (result === undefined ? 'backup_failed' : undefined),
    async ended(_world, job) {
      ended.push(`${job.id} ${job.status}`)
    },
  }
  before(async () => {
    here = await aWorld()
    const kinds = here.world.jobKinds as Map<string, JobKind<World>>
    kinds.set('held', held)
    site = (await here.site()).id
  })
  after(() => here.close())

  const contextOf = (db = here.world.db): Context => ({
    ...here.world,
    db,
    caller: here.caller(),
    workspaceId: here.workspaceId,
    face: 'api',
    requestId: 'req_test',
    touched: new Set(),
  })
  const start = (siteId: string | null = site, type = 'held') =>
    here.world.db.transaction().execute(async (db) => (await startJob(contextOf(db), { type }, siteId, {})).job_id)
  const read = (job_id: string, wait_seconds = 0) => here.call('jobs.get', { job_id, wait_seconds })
  const statusOf = async (id: string) => (await read(id)).status
  const begins = (id: string, attempt = 1) => until(() => begun.find(({ job }) => job.id === id && job.fence === attempt))
  /** Whoever failed pauses until the test says that it is over: a busy machine may take longer than any pause. */
  const holdPauses = (t: TestContext) => {
    const { queue } = here.world
    const send: typeof queue.send = (db, job) => queue.send(db, job.delaySeconds ? { ...job, delaySeconds: 3600 } : job)
    here.world.queue = { ...queue, send }
    t.after(() => {
      here.world.queue = queue
    })
    return (id: string) =>
      sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'jobId' = ${id} AND state < 'active'`.execute(here.world.db)
  }
  const tickets = async (id: string) =>
    (await sql`SELECT 1 FROM pgboss.job WHERE data->>'jobId' = ${id} AND state < 'completed'`.execute(here.world.db)).rows.length

  test('a job is queued, runs and completes, and tells each state with its times', async () => {
    const id = await start()
    assert.equal((await read(id)).id, id)
    const work = await begins(id)
    const running = await read(id)
    assert.deepEqual([running.status, running.attempt, running.completed_at, running.job_id], ['running', 1, null, id])
    await work.job.phase('digging')
    await work.job.progress({ percent: 40, done: 2, total: 5, unit: 'holes' })
    const halfway = await read(id)
    assert.deepEqual([halfway.phase, halfway.progress], ['digging', { percent: 40, done: 2, total: 5, unit: 'holes' }])
    await work.job.progress({ percent: 120, done: 6, total: 5, unit: 'holes' })
    assert.deepEqual((await read(id)).progress, { percent: 100, done: 6, total: 6, unit: 'holes' }, 'never more than there is')
    await work.job.progress({ percent: 50, done: 4, total: 8, unit: 'holes' })
    work.release({ holes: 5 })
    const done = await here.job(id)
    assert.deepEqual([done.status, done.result, done.error], ['completed', { holes: 5 }, null])
    assert.match(String(done.completed_at), /^\d{4}-.*Z$/)
    assert.deepEqual(done.progress, { percent: 100, done: 8, total: 8, unit: 'holes' })
    assert.deepEqual(done.requested_by, { type: 'user', id: 'user_test', name: 'Tess' })
  })

  test('what its kind says of it stands in its row, for triggers: whether it changes its site, and what of its end people are told', async () => {
    const rowOf = async (id: string) =>
      (
        await sql<{ changes_site: boolean; happening: string | null }>`SELECT changes_site, happening FROM jobs WHERE id = ${id}`.execute(
          here.world.db,
        )
      ).rows[0]
    const done = await start()
    const failed = await start()
    ;(await begins(done)).release({})
    assert.equal((await here.job(done)).status, 'completed')
    ;(await begins(failed)).fail(new Problem('conflict', 'It cannot be done.', { retryable: false }))
    assert.equal((await here.job(failed)).status, 'failed')
    const canceled = await start()
    await begins(canceled)
    await here.call('jobs.cancel', { job_id: canceled })
    await until(async () => (await statusOf(canceled)) === 'canceled')
    assert.deepEqual(await rowOf(done), { changes_site: false, happening: null })
    assert.deepEqual(await rowOf(failed), { changes_site: false, happening: 'backup_failed' })
    assert.deepEqual(await rowOf(canceled), { changes_site: false, happening: null })
    const kinds = here.world.jobKinds as Map<string, JobKind<World>>
    kinds.set('held', { ...held, changesSite: true })
    const changing = await start()
    kinds.set('held', held)
    assert.deepEqual(await rowOf(changing), { changes_site: true, happening: null })
    ;(await begins(changing)).release({})
  })

  test('wait_seconds answers as soon as the job ends, and after that time at the latest', async () => {
    const id = await start()
    const work = await begins(id)
    // Only a clock can show that it waits at all where nothing happens; a busy machine makes it longer.
    const began = performance.now()
    assert.equal((await read(id, 1)).status, 'running')
    assert.ok(performance.now() - began >= 990)
    // Longer than any test may take, so that only the end of the job can answer.
    const waiting = waitForJob(contextOf(), id, 3600)
    work.release()
    assert.equal((await waiting).status, 'completed')
    assert.equal((await read(id, 25)).status, 'completed')
    await assert.rejects(read(id, 26), { code: 'invalid_payload' })
  })

  test('who waits for an hour looks no more once it is over', async () => {
    let looks = 0
    const look = async () => (++looks <= 2 ? looks : assert.fail('it was over at the second look'))
    assert.equal(await waitUntil(contextOf(), { seconds: 3600, read: look, over: (found) => found === 2 }), 2)
  })

  test('the list is newest first, pages, and filters by site, type and status', async () => {
    const other = (await here.site()).id
    const mine = [await start(other)]
    here.clock.add(1) // Within a millisecond there is no order.
    mine.push(await start(other))
    const { jobs, total } = (await here.call('jobs.list', { site_id: other, type: 'held' })) as { jobs: { id: string }[]; total: number }
    assert.deepEqual([jobs.map(({ id }) => id), total], [mine.toReversed(), 2])
    const first = (await here.call('jobs.list', { site_id: other, limit: 1 })) as { jobs: { id: string }[]; next_cursor: string }
    const second = (await here.call('jobs.list', { site_id: other, limit: 1, cursor: first.next_cursor })) as { jobs: { id: string }[] }
    assert.deepEqual([first.jobs[0]?.id, second.jobs[0]?.id], mine.toReversed())
    await begins(mine[0] ?? '')
    const running = (await here.call('jobs.list', { site_id: other, status: 'running' })) as { jobs: { id: string }[] }
    assert.deepEqual(
      running.jobs.map(({ id }) => id),
      [mine[0]],
    )
    await assert.rejects(here.call('jobs.list', { status: 'sleeping' }), { code: 'invalid_payload' })
    await assert.rejects(here.call('jobs.list', { site_id: 'site_01k0000000000000000000000a' }), { code: 'not_found' })
    for (const id of mine) (await begins(id)).release()
  })

  test('a page and its total are one statement, and what is not shown of them is not read', async () => {
    const asked: string[] = []
    const compiler = new PostgresQueryCompiler()
    const db = here.world.db.withPlugin({
      transformQuery({ node, queryId }) {
        asked.push(compiler.compileQuery(node, queryId).sql)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const page = await pageOfJobs({ ...contextOf(db), shows: ['status'] }, {}, { limit: 1 })
    assert.ok(page instanceof WrittenPage)
    const { jobs, total } = page.read() as { jobs: object[]; total: number }
    assert.deepEqual([jobs.map((job) => Object.keys(job)), asked.length], [[['id', 'status']], 1])
    assert.ok(total > 1)
    assert.doesNotMatch(asked.join(), /job_steps|result/)
  })

  test('how a job ended is told in a word and a sentence, by which lists filter', async () => {
    const [told, lost, canceled] = [await start(), await start(null), await start()]
    ;(await begins(told)).release({ holes: 5 })
    ;(await begins(lost)).fail(new Problem('site_failed', 'It was taken back.', { retryable: false, takenBack: true }))
    await here.call('jobs.cancel', { job_id: canceled })
    const ends = await Promise.all([told, lost, canceled].map((id) => here.job(id)))
    assert.deepEqual(
      ends.map(({ status, outcome, summary }) => [status, outcome, summary]),
      [
        ['completed', 'partly', 'It came to {"holes":5}.'],
        ['failed', 'taken_back', 'It was taken back.'],
        ['canceled', null, null],
      ],
    )
    const found = async (outcome: string) => (await here.call('jobs.list', { outcome })) as { jobs: { id: string }[]; total: number }
    assert.deepEqual([(await found('taken_back')).jobs[0]?.id, (await found('taken_back')).total], [lost, 1])
    assert.ok((await found('partly')).jobs.some(({ id }) => id === told))
    assert.ok((await found('failed')).jobs.every(({ id }) => ![told, lost, canceled].some((mine) => mine === id)))
    await assert.rejects(found('fine'), { code: 'invalid_payload' })
  })

  test('a job names its site by its domain: in a list, alone, to agents; of no site it names none', async () => {
    const { id: site_id, fake } = await here.site()
    const domain = new URL(fake.url).host
    const [id, ofNone] = [await start(site_id), await start(null)]
    const { jobs } = (await here.call('jobs.list', { limit: 2 })) as { jobs: { id: string; site: string | null }[] }
    assert.deepEqual(
      jobs.map((job) => [job.id, job.site]),
      [
        [ofNone, null],
        [id, domain],
      ],
    )
    assert.deepEqual([(await read(id)).site, (await read(ofNone)).site], [domain, null])
    const agent = agentOf(here, (await here.token('read')).token)
    const { structuredContent } = await agent.call('list_jobs', { site_id })
    assert.partialDeepStrictEqual(structuredContent, { jobs: [{ id, site: domain }] })
    for (const each of [id, ofNone]) (await begins(each)).release()
  })

  test('the domain in a page of jobs is the one that sites are told apart by', async () => {
    const urls = ['https://Example.com', 'http://example.com:8080/', 'HTTPS://example.com/Blog//', 'https://www.example.com/http://a']
    const { rows } = await sql<{
      domain: string
    }>`SELECT ${sql.raw(domainIn('url'))} AS domain FROM unnest(${urls}::text[]) WITH ORDINALITY AS u (url, n)
      ORDER BY n`.execute(here.world.db)
    assert.deepEqual(
      rows.map(({ domain }) => domain),
      urls.map(domainOf),
    )
  })

  test('of a job of his own on a site that he does not see, nobody is told which site that is', async () => {
    const other = await here.site()
    const [mine, seen] = [await start(other.id), await start()]
    for (const each of [mine, seen]) (await begins(each)).release()
    const caller = here.caller({ sees: { site_ids: [site] } })
    const siteOf = async (job_id: string) => (await here.call('jobs.get', { job_id }, { caller })).site
    assert.equal(await siteOf(mine), null)
    assert.equal(await siteOf(seen), (await read(seen)).site)
  })

  test('a job of another workspace is not there', async () => {
    const id = await start()
    const theirs = { caller: here.caller({ workspaceId: await here.workspace('Theirs') }) }
    await assert.rejects(here.call('jobs.get', { job_id: id }, theirs), { code: 'not_found' })
    await assert.rejects(here.call('jobs.cancel', { job_id: id }, theirs), { code: 'not_found' })
    ;(await begins(id)).release()
  })

  test('one job at a time runs for a site, in the order they came, and other sites do not wait for it', async () => {
    const other = (await here.site()).id
    const [first, second, third] = [await start(), await start(), await start(other)]
    const blocking = await begins(first)
    await begins(third)
    assert.equal(await statusOf(second), 'queued', 'the third has begun, which came later')
    blocking.release()
    ;(await begins(second)).release()
    ;(await begins(third)).release()
  })

  test('many jobs that wait for one site do not keep the others from starting', async () => {
    const other = (await here.site()).id
    const first = await start()
    const blocking = await begins(first)
    const waiting: string[] = []
    for (let n = 0; n < 40; n++) waiting.push(await start())
    const free = await begins(await start(other))
    assert.deepEqual(await Promise.all(waiting.map(statusOf)), Array(40).fill('queued'), 'it passed those that wait')
    for (const job_id of waiting) await here.call('jobs.cancel', { job_id })
    for (const work of [blocking, free]) work.release()
    assert.equal((await here.job(first)).status, 'completed')
  })

  test('many sites run in parallel', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => start(null)))
    const works = await Promise.all(ids.map((id) => begins(id)))
    assert.equal(works.length, 8)
    for (const work of works) work.release()
    for (const id of ids) assert.equal((await here.job(id)).status, 'completed')
  })

  test('a waiting job that is canceled ends at once and leaves the queue', async () => {
    const [first, second] = [await start(), await start()]
    const work = await begins(first)
    const canceled = await here.call('jobs.cancel', { job_id: second })
    assert.equal(canceled.status, 'canceled')
    await until(async () => (await tickets(second)) === 0 || undefined)
    assert.deepEqual(
      ended.filter((each) => each.startsWith(second)),
      [`${second} canceled`],
    )
    assert.equal((await here.call('jobs.cancel', { job_id: second })).status, 'canceled', 'asking twice is the same')
    work.release()
    assert.equal((await here.job(first)).status, 'completed')
    assert.equal(
      begun.some(({ job }) => job.id === second),
      false,
    )
  })

  test('a running job that is canceled is told so and ends as canceled', async () => {
    const id = await start()
    await begins(id)
    await here.call('jobs.cancel', { job_id: id })
    assert.equal((await here.job(id)).status, 'canceled')
    assert.deepEqual(
      ended.filter((each) => each.startsWith(id)),
      [`${id} canceled`],
    )
    await until(async () => (await tickets(id)) === 0 || undefined)
  })

  test('a job that has ended cannot be canceled', async () => {
    const id = await start()
    ;(await begins(id)).release()
    await here.job(id)
    await assert.rejects(here.call('jobs.cancel', { job_id: id }), {
      code: 'conflict',
      retryable: false,
      next: /^Leave it: nothing is left to cancel\./,
    })
  })

  test('a job that has ended is not begun again by a ticket that comes late', async () => {
    const id = await start()
    ;(await begins(id)).release()
    await here.job(id)
    assert.equal(await claimJob({ ...here.world, workspaceId: here.workspaceId }, id), undefined)
    assert.equal(await statusOf(id), 'completed')
  })

  test('a passing failure is tried again after a pause, a lasting one is not', async (t) => {
    const pauseIsOver = holdPauses(t)
    const id = await start()
    ;(await begins(id)).fail(new Problem('site_timeout', 'Slow.'))
    const waiting = await until(async () => ((await statusOf(id)) === 'queued' ? read(id) : undefined))
    assert.deepEqual(waiting.error, { code: 'site_timeout', message: 'Slow.', next: problems.site_timeout.next, retryable: true })
    await pauseIsOver(id)
    ;(await begins(id, 2)).fail(new Problem('site_refused', 'Never.'))
    const failed = await here.job(id)
    assert.deepEqual(
      [failed.status, failed.attempt, failed.error],
      ['failed', 2, { code: 'site_refused', message: 'Never.', next: problems.site_refused.next, retryable: false }],
    )
    assert.deepEqual(
      ended.filter((each) => each.startsWith(id)),
      [`${id} failed`],
    )
  })

  test('an unexpected error is told without its words, and tried no more often than the kind says', async () => {
    const id = await start()
    for (const attempt of [1, 2, 3]) (await begins(id, attempt)).fail(new Error('password=hunter2'))
    await until(async () => {
      assert.ok(!begun.some(({ job }) => job.id === id && job.fence > 3), 'a fourth time')
      return (await statusOf(id)) === 'failed'
    })
    const failed = await read(id)
    const next = 'Start it again once; if it stays, give the id of the job to the operator.'
    assert.deepEqual(
      [failed.status, failed.attempt, failed.error],
      ['failed', 3, { code: 'internal', message: 'Something broke on our side.', next, retryable: true }],
    )
    await until(async () => (await tickets(id)) === 0 || undefined)
  })

  test('while a failed job pauses, other jobs of its site go ahead', async (t) => {
    const pauseIsOver = holdPauses(t)
    const id = await start()
    ;(await begins(id)).fail(new Problem('site_timeout', 'Slow.'))
    await until(async () => (await statusOf(id)) === 'queued' || undefined)
    const next = await start()
    ;(await begins(next)).release()
    assert.equal((await here.job(next)).status, 'completed')
    await pauseIsOver(id)
    ;(await begins(id, 2)).release()
  })

  test('an attempt that was taken over can write nothing more', async () => {
    const id = await start()
    const old = await begins(id)
    const never = new AbortController().signal
    const second = runJob(here.world, { jobId: id, workspaceId: here.workspaceId }, { lost: never, stopping: never })
    const newer = await begins(id, 2)
    for (const write of [
      () => old.job.phase('late'),
      () => old.job.progress({ percent: 1, done: 1, total: 1, unit: 'x' }),
      () => old.job.saveState('step', { late: true }),
      () => old.job.finishStep('step'),
    ])
      await assert.rejects(write, LostJob)
    old.release({ late: true })
    await until(async () => (await tickets(id)) === 0)
    assert.deepEqual([await statusOf(id), await newer.job.stateOf('step')], ['running', undefined])
    newer.release({ good: true })
    await second
    const done = await read(id)
    assert.deepEqual([done.status, done.result, done.attempt], ['completed', { good: true }, 2])
  })

  test('a job whose workers were killed too often is given up, and its capability hears of it', async () => {
    const id = await start(null)
    const work = await begins(id)
    await buryJob(here.world, { jobId: id, workspaceId: here.workspaceId })
    const failed = await read(id)
    assert.equal(failed.status, 'failed')
    assert.match(String((failed.error as { message: string }).message), /interrupted too often/)
    assert.ok(ended.includes(`${id} failed`))
    work.release()
    await until(async () => (await tickets(id)) === 0)
    assert.equal(await statusOf(id), 'failed')
  })

  test('a job that lost its ticket is found and runs all the same; one that has its ticket is left alone', async () => {
    const blocked = await start()
    const blocking = await begins(blocked)
    const lost = await start()
    await sql`DELETE FROM pgboss.job WHERE data->>'jobId' = ${lost}`.execute(here.world.db)
    assert.deepEqual(await sweepJobs(here.world), [lost])
    assert.deepEqual(await sweepJobs(here.world), [])
    blocking.release()
    ;(await begins(lost)).release()
    assert.equal((await here.job(lost)).status, 'completed')
  })

  test('a job that says it was lost though it was not is failed, not left running', async () => {
    const { LostJob } = await import('../kernel/job.ts')
    const id = await start()
    for (const attempt of [1, 2, 3]) (await begins(id, attempt)).fail(new LostJob('a row is gone'))
    assert.equal((await here.job(id)).status, 'failed')
  })

  test('a job whose database connection is lost in the middle of a transaction goes on in another attempt', async () => {
    let attempts = 0
    const kinds = here.world.jobKinds as Map<string, JobKind<World>>
    kinds.set('bereft', {
      type: 'bereft',
      retries: 1,
      changesSite: false,
      summarize: () => ({ outcome: 'done', summary: 'Done.' }),
      work: ({ db }) =>
        db.transaction().execute(async (transaction) => {
          const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(transaction)
          if (++attempts === 1) await sql`SELECT pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(here.world.db)
          await sql`SELECT 1`.execute(transaction)
        }),
    })
    const id = await start(null, 'bereft')
    assert.equal((await here.job(id)).status, 'completed')
    assert.equal(attempts, 2)
  })

  test('a service that stops puts its running jobs back, and another goes on without losing a try', async () => {
    const parts = {
      config: { ...here.world.config, role: 'work' as const },
      log: here.world.log,
      address: here.address,
      now: here.world.now,
    }
    const first = await aWorldWithout(here)
    const ids = await Promise.all([start(null), start(null), start(null)])
    await Promise.all(ids.map((id) => begins(id)))
    await first.stop()
    const { rows } = await sql`SELECT status, failures, error FROM jobs WHERE id = ANY(${ids})`.execute(here.world.db)
    assert.deepEqual(rows, Array(3).fill({ status: 'queued', failures: 0, error: null }))
    const second = await openService(parts)
    for (const id of ids) (await begins(id, 2)).release()
    for (const id of ids) assert.deepEqual([(await here.job(id)).status, (await read(id)).error], ['completed', null])
    await second.close()
  })

  /** Only a worker of its own is stopped: the world's own queue pauses for good. */
  async function aWorldWithout(world: TestWorld) {
    await (world.world.queue as unknown as { pause(): Promise<void> }).pause()
    const parts = {
      config: { ...world.world.config, role: 'work' as const },
      log: world.world.log,
      address: world.address,
      now: world.world.now,
    }
    const service = await openService(parts)
    return { stop: () => service.close() }
  }
})

test('a killed worker’s job is taken by another, goes on where it was, and reads little twice', async () => {
  const here = await aWorld({ SERVICE_ROLE: 'serve' })
  const env = {
    DATABASE_URL: urlOf(here),
    SERVICE_DATA_DIR: here.dataDir,
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
  }
  const first = await startServiceProcess('work', env)
  const { id, fake } = await here.site()
  for (let n = 0; n < 40; n++) putFile(fake.state, `wp-content/uploads/big-${n}.bin`, randomBytes(1024 * 1024))
  const reads = () => fake.requests.filter(({ verb }) => verb === 'files.read').length
  fake.misbehave('slow', { slowMs: 60 })
  // It comes no further than thirty of them before it is killed, however late that is.
  const killed = Promise.withResolvers<void>()
  fake.state.fault = (verb) => {
    if (verb === 'files.read' && reads() >= 30) fake.misbehave('slow', { until: killed.promise })
    return undefined
  }
  const { job_id } = (await here.call('backups.create', { site_id: id, type: 'files' })) as { job_id: string }
  await until(() => reads() >= 20)
  const saved = async () =>
    (await sql`SELECT 1 FROM job_steps WHERE job_id = ${job_id} AND state IS NOT NULL`.execute(here.world.db)).rows.length > 0
  await until(saved)
  first.kill('SIGKILL')
  await first.exited
  fake.state.fault = undefined
  fake.misbehave('slow', { slowMs: 60 })
  killed.resolve()
  const since = performance.now()
  const before = reads()
  const second = await startServiceProcess('work', env)
  await until(async () => Number((await here.call('jobs.get', { job_id })).attempt) >= 2)
  const takenMs = performance.now() - since
  fake.misbehave()
  const done = await here.job(job_id)
  assert.equal(done.status, 'completed')
  assert.ok(reads() - before < 45 - before + 12, `${before} reads before the kill, ${reads() - before} after it`)
  console.log(`taken after ${Math.round(takenMs)} ms; ${before} reads before the kill, ${reads() - before} after it`)
  second.kill('SIGTERM')
  assert.equal(await second.exited, 0)
  await here.close()
})
