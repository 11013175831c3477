import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type FakeFault, type FakeState, putFile } from '../../test/fake-state.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { aJob, damage, keeper, once, pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'

type Ended = {
  status: string
  attempt: number
  error: { code: string; message: string; site_said?: object } | null
  result: Record<string, unknown> | null
}
type Answer = { job_id: string; plan: Record<string, never> | null }

const nothingNamed =
  'invalid_payload: include: Nothing in the backup matches. Name another part, or choose a backup from when it was there.'

const GARDEN = 'wp-content/plugins/garden/garden.php'

describe('restores', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const start = async (id: string, backup_id: string, more: object = {}) =>
    (await here.call('restores.create', { site_id: id, backup_id, safety_backup: false, ...more })) as unknown as Answer
  const ended = async (job: string) => (await here.job(job)) as unknown as Ended
  /** A site with a backup, damaged since. */
  const damaged = async () => {
    const site = await here.site()
    const { job_id, backup_id } = (await here.call('backups.create', { site_id: site.id })) as { job_id: string; backup_id: string }
    assert.equal((await here.job(job_id)).status, 'completed')
    const good = pictureOf(site.fake.state)
    damage(site.fake.state)
    return { ...site, state: site.fake.state, backup_id, good, bad: pictureOf(site.fake.state) }
  }

  test('however many files it asks for, and however long their names, no request that names them is above 64 KB', async () => {
    const site = await here.site()
    const { state } = site.fake
    const names = Array.from({ length: 1_000 }, (_, n) => `wp-content/uploads/${String(n).padStart(4, '0')}${'n'.repeat(150)}`)
    for (const name of names) putFile(state, name, `good ${name}`)
    const { job_id, backup_id } = (await here.call('backups.create', { site_id: site.id, type: 'files' })) as Record<string, string>
    assert.equal((await here.job(String(job_id))).status, 'completed')
    const good = pictureOf(state)
    for (const name of names) putFile(state, name, `evil ${name}`)
    site.fake.requests.length = 0
    const { job_id: restore } = await start(site.id, String(backup_id))
    assert.equal((await ended(restore)).status, 'completed')
    assert.equal(pictureOf(state), good)
    const listing = site.fake.requests.filter(({ verb }) => verb === 'files.digest' || verb === 'restore.have')
    assert.ok(listing.length > 4)
    assert.ok(Math.max(...listing.map(({ bytes }) => bytes)) < 64 * 1024)
  })

  test('a full restore brings files and rows back, keeps the site paired, and is told in the activity', async () => {
    const { id, state, backup_id, good } = await damaged()
    const { job_id } = await start(id, backup_id, { safety_backup: true })
    const { status, result, error } = await ended(job_id)
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.equal(pictureOf(state), good)
    assert.deepEqual([state.maintenance, state.marker, state.restore?.phase], [false, '', 'committed'])
    const { backups } = (await here.call('backups.list', { site_id: id })) as unknown as {
      backups: { id: string; trigger: string; status: string }[]
    }
    assert.deepEqual(
      backups.map(({ trigger, status }) => [trigger, status]),
      [
        ['pre_restore', 'completed'],
        ['manual', 'completed'],
      ],
    )
    assert.equal(result?.['safety_backup_id'], backups[0]?.id)
    assert.match(String(result?.['kept_until']), /^\d{4}-\d\d-\d\dT.*Z$/)
    const { activity } = (await here.call('activity.list', { site_id: id })) as unknown as {
      activity: { summary: string; notes: string | null }[]
    }
    assert.ok(activity.some(({ summary, notes }) => summary === 'Restored a backup' && notes?.includes(backup_id)))
    assert.equal((await here.call('sites.ping', { site_id: id }))['ok'], true)
  })

  test('a dry run tells what would change and changes nothing', async () => {
    const { id, state, fake, backup_id, bad } = await damaged()
    fake.requests.length = 0
    const { plan, job_id } = await start(id, backup_id, { dry_run: true })
    const { files, tables, wordpress, obstacle, kept } = plan as unknown as {
      files: Record<string, number>
      tables: { name: string; what: string; rows: number }[]
      wordpress: object
      obstacle: null
      kept: string[]
    }
    assert.deepEqual(
      [job_id, obstacle, wordpress, kept],
      [null, null, { from: '6.8.1', to: '6.8.1' }, ['wp-config.php', 'wp-content/plugins/svc-connector']],
    )
    assert.deepEqual([files['replace'], files['add'], files['remove'], files['unchanged']], [1, 1, 1, 5])
    assert.deepEqual(
      tables.map(({ name, what, rows }) => `${what} ${name} ${rows}`),
      ['replace wp_options 120', 'add wp_blobs 2', 'replace wp_keyless 25', 'remove wp_evil 0'],
    )
    assert.equal(pictureOf(state), bad)
    assert.deepEqual([...new Set(fake.requests.map(({ verb }) => verb))].sort(), [
      'db.tables',
      'files.digest',
      'files.list',
      'hello',
      'inventory',
      'restore.survey',
    ])
  })

  test('a part is restored alone', async () => {
    const { id, state, backup_id } = await damaged()
    const one = await start(id, backup_id, { include: ['plugin:garden'] })
    assert.equal((await ended(one.job_id)).status, 'completed')
    assert.match(String(state.files.get(GARDEN)?.bytes), /Plugin Name: Garden/)
    assert.ok(state.files.has('wp-content/evil.php'))
    assert.equal(state.tables.find(({ name }) => name === 'wp_options')?.rows.length, 119)
    const other = await start(id, backup_id, { include: ['table:options'] })
    assert.equal((await ended(other.job_id)).status, 'completed')
    assert.equal(state.tables.find(({ name }) => name === 'wp_options')?.rows.length, 120)
    assert.ok(state.tables.some(({ name }) => name === 'wp_evil'))
    const nothing = await ended((await start(id, backup_id, { include: ['plugin:nowhere'] })).job_id)
    assert.deepEqual([nothing.status, nothing.error?.code], ['failed', 'invalid_payload'])
  })

  const refusedAtOnce = (id: string, backup_id: string, more: object = {}) =>
    start(id, backup_id, more).then(
      () => 'taken',
      (error: unknown) => {
        assert.ok(error instanceof Problem, String(error))
        return `${error.code}: ${error.errors?.map(({ path, message }) => `${path}: ${message}`).join() ?? `${error.message} ${error.next}`}`
      },
    )

  test('what a backup of this type cannot hold is refused at once, planned or not, with the backup that would have it', async () => {
    const site = await here.site()
    const made = async (type: string) => {
      const { job_id, backup_id } = (await here.call('backups.create', { site_id: site.id, type })) as Record<string, string>
      assert.equal((await here.job(String(job_id))).status, 'completed')
      return String(backup_id)
    }
    const [db, files, full] = [await made('db'), await made('files'), await made('full')]
    const shown = 'list_backups (GET /sites/{site_id}/backups) shows them.'
    const onlyDatabase = `conflict: This backup holds only the database. Choose a full or files backup. ${shown}`
    const cases: [string, object, string][] = [
      [db, { include: ['plugin:garden'] }, onlyDatabase],
      [db, { include: ['plugin:garden', 'table:options'] }, onlyDatabase.replace('full or files', 'full')],
      [db, { type: 'files' }, onlyDatabase],
      [files, { include: ['table:options'] }, `conflict: This backup holds only files. Choose a full or db backup. ${shown}`],
      [files, { type: 'full' }, `conflict: This backup holds only files. Choose a full backup. ${shown}`],
      [
        full,
        { type: 'db', include: ['plugin:garden'] },
        'invalid_payload: type: Leaves out what include names. Leave it out, or take full.',
      ],
    ]
    for (const [backup, more, told] of cases)
      for (const dry_run of [false, true]) assert.equal(await refusedAtOnce(site.id, backup, { ...more, dry_run }), told)
    assert.equal(await refusedAtOnce(site.id, db, { include: ['subsite:2'], dry_run: true }), nothingNamed)
    const { token } = await here.token('write')
    const { status, json } = await here.rest('POST', `/api/v1/sites/${site.id}/backups/${db}/restore`, {
      token,
      body: { include: ['plugin:garden'] },
    })
    const { detail, next } = json as unknown as { detail: string; next: string }
    assert.deepEqual([status, `conflict: ${detail} ${next}`], [409, onlyDatabase])
    const { isError, content } = await agentOf(here, token).call('restore_backup', {
      site_id: site.id,
      backup_id: db,
      include: ['plugin:garden'],
    })
    assert.equal(isError, true)
    assert.match(
      content[0]?.text ?? '',
      /restore_backup failed\. This backup holds only the database\. Choose a full or files backup\. list_backups shows them\./,
    )
  })

  test('another site’s backup, an incomplete one and a damaged one are refused with the reason', async () => {
    const { id, backup_id, bad, state } = await damaged()
    const other = await here.site()
    const refusal = (at: string, backup = backup_id) =>
      start(at, backup).then(
        () => 'taken',
        (error: unknown) => (error instanceof Problem ? `${error.code}: ${error.message}` : String(error)),
      )
    assert.match(await refusal(other.id), /^not_found: There is no such backup of this site/)
    assert.match(await refusal(id, newId('backup', new Date())), /^not_found/)
    const set = (what: ReturnType<typeof sql>) => sql`UPDATE backups SET ${what} WHERE id = ${backup_id}`.execute(here.world.db)
    await set(sql`verification = 'damaged'`)
    assert.match(await refusal(id), /^damaged: This backup is damaged/)
    await set(sql`verification = NULL, status = 'running'`)
    assert.match(await refusal(id), /^conflict: This backup is running; only a completed one/)
    await set(sql`status = 'completed', manifest = ${'A'.repeat(43)}`)
    const { error } = await ended((await start(id, backup_id)).job_id)
    assert.match(`${error?.code}: ${error?.message}`, /^damaged: This backup is damaged: a part of the list/)
    assert.equal(pictureOf(state), bad)
  })

  test('a site that could not take it says why, and nothing is begun', async () => {
    const { id, state, backup_id, bad } = await damaged()
    state.obstacle = 'wp-config.php has no salts of its own'
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, error?.code], ['failed', 'site_refused'])
    assert.match(error?.message ?? '', /^This site cannot take a restore\./)
    assert.deepEqual(error?.site_said, { untrusted: true, text: state.obstacle })
    assert.deepEqual([state.restore?.phase, pictureOf(state)], [undefined, bad])
  })

  test('what passes by itself is waited for, at the first look and at the second', async () => {
    for (const met of [1, 2]) {
      const { id, state, backup_id, good } = await damaged()
      let surveys = 0
      state.fault = (verb, moment) => {
        if (verb !== 'restore.survey' || moment !== 'before') return undefined
        surveys += 1
        Object.assign(state, { obstacle: surveys === met ? 'an update may be running' : '' })
        Object.assign(state.survey, { passes: surveys === met })
        return undefined
      }
      const { status, attempt, error } = await ended((await start(id, backup_id)).job_id)
      assert.deepEqual([status, attempt], ['completed', 2], JSON.stringify(error))
      assert.equal(pictureOf(state), good)
    }
  })

  test('a site that does not bear the restore is put back as it was', async () => {
    const { id, state, backup_id, bad } = await damaged()
    state.broken = () => state.marker !== ''
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, error?.code], ['failed', 'site_failed'])
    assert.match(error?.message ?? '', /taken back, the site is as it was\. The front page answers with 500/)
    assert.deepEqual([pictureOf(state), state.restore?.phase, state.maintenance], [bad, undefined, false])
  })

  test('what could not be made again when a site was put back is told, of a restore and of an undo', async () => {
    const { id, state, backup_id } = await damaged()
    state.lacks = ['counts', 'b', 'c', 'd', 'e', 'f', 'g']
    const lost = /The key, trigger, view or event counts could not be made again/
    state.broken = () => state.marker !== ''
    const { error } = await ended((await start(id, backup_id)).job_id)
    assert.match(error?.message ?? '', /as it was but for what follows\. The key.*\. The front page answers with 500/)
    assert.match(error?.message ?? '', lost)
    assert.match(error?.message ?? '', /event e could not .*\. And 2 more could not be made again\. The front page/)
    state.broken = () => false
    assert.equal((await ended((await start(id, backup_id)).job_id)).status, 'completed')
    const { job_id } = (await here.call('restores.undo', { site_id: id })) as { job_id: string }
    assert.match(String((await ended(job_id)).result?.['warnings']), lost)
    const { activity } = (await here.call('activity.list', { site_id: id })) as unknown as { activity: { notes: string | null }[] }
    assert.ok(activity.some(({ notes }) => notes?.startsWith('The site is as it was before it, but for what could not be made again.')))
  })

  test('a lost link stays away, by name, where PHP makes none, and everything else comes back', async () => {
    const { id, state } = await here.site().then(({ id, fake }) => ({ id, state: fake.state }))
    const file = state.files.get(GARDEN) ?? assert.fail()
    state.files.set('wp-content/uploads/latest', { ...file, bytes: Buffer.alloc(0), target: '2026' })
    const { job_id, backup_id } = (await here.call('backups.create', { site_id: id })) as { job_id: string; backup_id: string }
    assert.equal((await here.job(job_id)).status, 'completed')
    state.files.delete('wp-content/uploads/latest')
    const without = pictureOf(state)
    damage(state)
    Object.assign(state.survey, { links: false })
    const named = 'wp-content/uploads/latest (a link, which PHP cannot make on this host)'
    const { plan } = await start(id, backup_id, { dry_run: true })
    assert.ok(String(plan?.['kept']).includes(named))
    const { status, result } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, pictureOf(state)], ['completed', without])
    assert.ok(String(result?.['kept']).includes(named))
  })

  test('a site that answers from other tables than the restored ones is put back as it was', async () => {
    const { id, state, backup_id, bad } = await damaged()
    once(state, 'restore.swap', 'after', () => {
      state.marker = 'of another restore'
    })
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, error?.code], ['failed', 'site_failed'])
    assert.match(error?.message ?? '', /taken back, the site is as it was\. The restored tables are not in use\./)
    assert.deepEqual([pictureOf(state), state.restore?.phase, state.maintenance], [bad, undefined, false])
  })

  const shows = (body: string) => `<!doctype html><html><title>${body}</title><body>${body.repeat(40)}</body></html>`

  test('a white page after a restore is seen as wrong, and the site is put back as it was', async () => {
    const { id, state, backup_id, bad } = await damaged()
    state.page = (method) => (method === 'GET' && state.marker !== '' ? { status: 200, body: '' } : undefined)
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, error?.code], ['failed', 'site_failed'])
    assert.match(error?.message ?? '', /taken back, the site is as it was\. The front page is blank\./)
    assert.deepEqual([pictureOf(state), state.restore?.phase, state.maintenance], [bad, undefined, false])
  })

  test('a restore may bring another page than there was, as short and unfinished as it likes', async () => {
    const { id, state, backup_id, good } = await damaged()
    const old = { status: 200, body: '<title>Before</title><p>This theme ends without a word.' }
    state.page = (method) => (method === 'GET' ? (state.marker === '' ? { status: 200, body: shows('Defaced') } : old) : undefined)
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.equal(pictureOf(state), good)
  })

  test('what no visitor saw before the restore may stay so, and the result says it', async () => {
    const { id, state, backup_id, good } = await damaged()
    state.broken = () => true
    const { status, result } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, pictureOf(state)], ['completed', good])
    assert.deepEqual(result?.['warnings'], [
      'The front page answers with 500, as it was before the restore.',
      'The login page answers with 500, as it was before the restore.',
    ])
  })

  test('visitors who saw a notice before must not see an error after', async () => {
    const { id, state, backup_id, bad } = await damaged()
    state.page = (method) => (method === 'GET' && state.marker === '' ? { status: 503, body: shows('Coming soon') } : undefined)
    state.broken = () => state.marker !== ''
    const { status, error } = await ended((await start(id, backup_id)).job_id)
    assert.deepEqual([status, pictureOf(state)], ['failed', bad])
    assert.match(error?.message ?? '', /The front page answers with 500/)
  })

  test('the last restore is undone within a day, and not after it', async () => {
    const { id, state, backup_id, good, bad } = await damaged()
    const undo = async () => ended(((await here.call('restores.undo', { site_id: id })) as { job_id: string }).job_id)
    const nothing = async () => {
      const started = async () => (await here.call('jobs.list', { site_id: id, type: 'undo_restore' })).total
      const before = await started()
      await assert.rejects(undo(), {
        code: 'conflict',
        retryable: false,
        message: /no restore of the last 24 hours.* Restore the safety backup/,
        next: /^list_backups/,
      })
      assert.equal(await started(), before, 'no job was started')
    }
    await nothing()
    assert.equal((await ended((await start(id, backup_id)).job_id)).status, 'completed')
    assert.equal(pictureOf(state), good)
    assert.equal((await undo()).status, 'completed')
    assert.deepEqual([pictureOf(state), state.restore?.phase, state.maintenance], [bad, undefined, false])
    await nothing()
    assert.equal((await ended((await start(id, backup_id)).job_id)).status, 'completed')
    await sql`UPDATE jobs SET completed_at = completed_at - interval '25 hours' WHERE site_id = ${id}`.execute(here.world.db)
    await nothing()
  })

  test('a completed restore has no step that is still open', async () => {
    const { id, backup_id } = await damaged()
    const { job_id } = await start(id, backup_id)
    await ended(job_id)
    const { steps } = (await here.call('jobs.get', { job_id })) as unknown as { steps: { name: string; finished_at: string | null }[] }
    assert.ok(steps.length > 2)
    assert.deepEqual(
      steps.filter(({ finished_at }) => finished_at === null),
      [],
    )
  })

  test('a cancel before the swap leaves no debris, one after it comes too late', async () => {
    for (const [verb, status] of [
      ['restore.put', 'canceled'],
      ['restore.load', 'canceled'],
      ['restore.arm', 'canceled'],
      ['restore.commit', 'completed'],
    ] as const) {
      const { id, state, backup_id, good, bad } = await damaged()
      const cancel = Promise.withResolvers<void>()
      once(state, verb, 'before', () => cancel.resolve())
      const { job_id } = await start(id, backup_id)
      await cancel.promise
      // The last step may be over before the cancel arrives; that is a conflict, and as good.
      await here
        .call('jobs.cancel', { job_id })
        .catch((error: { code: string }) => assert.deepEqual([verb, error.code], ['restore.commit', 'conflict']))
      const found = await ended(job_id)
      const expected = found.status === 'completed' ? good : bad
      assert.equal(pictureOf(state), expected, verb)
      if (status === 'completed') assert.equal(found.status, 'completed')
      if (found.status === 'canceled') assert.deepEqual([state.restore?.phase, state.maintenance], [undefined, false], verb)
    }
  })

  describe('the crash matrix', () => {
    const READING = [
      'restore.status',
      'hello',
      'restore.survey',
      'files.list',
      'files.digest',
      'db.tables',
      'restore.have',
      'restore.check',
    ]
    const WRITING = ['restore.begin', 'restore.put', 'restore.load', 'restore.prepare', 'restore.arm', 'restore.swap', 'restore.commit']
    /** Those that change nothing on the site are for `npm run prove:backups`; of them, two are tried always. */
    const VERBS = process.env.CRASHES === 'all' ? [...READING, ...WRITING] : ['restore.survey', 'files.digest', ...WRITING]

    let shared: Awaited<ReturnType<typeof damaged>>
    let reset: () => void
    before(async () => {
      shared = await damaged()
      reset = keeper(shared.state)
    })

    /** The same damaged site each time. */
    const prepared = async () => {
      reset()
      const job = await aJob(here, 'restore', shared.id, { backup_id: shared.backup_id, type: 'full', safety_backup: false })
      // The sweep may have found the job without a ticket and given it to the queue.
      return { ...shared, ...job, look: () => ended(job.id), siteId: shared.id }
    }

    for (const verb of VERBS)
      for (const moment of ['before', 'after'] as const)
        test(`the attempt is killed ${moment} ${verb}`, async () => {
          const { state, attempt, look, good } = await prepared()
          const kill = new AbortController()
          once(state, verb, moment, () => kill.abort())
          await attempt(kill.signal)
          await attempt()
          assert.equal((await look()).status, 'completed')
          assert.deepEqual([pictureOf(state) === good, state.maintenance], [true, false])
        })

    for (const verb of VERBS)
      for (const moment of ['before', 'after'] as const)
        test(`the line is cut ${moment} ${verb}`, async () => {
          const { state, attempt, look, good } = await prepared()
          once(state, verb, moment, () => 'cut')
          await attempt()
          assert.equal((await look()).status, 'completed')
          assert.deepEqual([pictureOf(state) === good, state.maintenance], [true, false])
        })

    for (const verb of VERBS.filter((each) => each.startsWith('restore.') && each !== 'restore.status'))
      test(`the disk is full at ${verb}`, async () => {
        const { state, attempt, look, bad } = await prepared()
        state.fault = (name, moment) =>
          name === verb && moment === 'before' ? { code: 'failed', message: 'The disk of the site is full.' } : undefined
        await attempt()
        const { status, error } = await look()
        assert.deepEqual([status, error?.code], ['failed', 'site_failed'])
        assert.deepEqual([pictureOf(state) === bad, state.maintenance, state.restore?.phase], [true, false, undefined])
      })

    for (const verb of VERBS)
      test(`the claim is lost at ${verb}`, async () => {
        const { id, state, attempt, look, good } = await prepared()
        let stolen: Promise<unknown> = Promise.resolve()
        once(state, verb, 'before', () => {
          stolen = sql`UPDATE jobs SET fence = fence + 1 WHERE id = ${id}`.execute(here.world.db)
        })
        await attempt()
        await stolen
        await attempt()
        assert.equal((await look()).status, 'completed')
        assert.deepEqual([pictureOf(state) === good, state.maintenance], [true, false])
      })

    test('the service never comes back after the site was armed: the site takes itself back, and a late attempt says so', async () => {
      for (const verb of ['restore.swap', 'restore.commit']) {
        const { state, attempt, look, bad, fake } = await prepared()
        const kill = new AbortController()
        once(state, verb, 'before', () => {
          kill.abort()
          return 'cut'
        })
        state.fault = firstThen(state.fault, () => (kill.signal.aborted ? 'cut' : undefined))
        const running = attempt(kill.signal)
        await new Promise((resolve) => kill.signal.addEventListener('abort', resolve))
        state.restore = state.restore && { ...state.restore, deadline: 0 }
        await fetch(fake.url)
        assert.deepEqual([pictureOf(state) === bad, state.maintenance], [true, false])
        state.fault = undefined
        await running
        await attempt()
        const { status, error } = await look()
        assert.equal(status, 'failed')
        assert.match(error?.message ?? '', /as it was/)
        assert.deepEqual([pictureOf(state) === bad, state.restore?.phase], [true, undefined])
      }
    })
  })
})

function firstThen(first: FakeState['fault'], then: () => FakeFault): FakeState['fault'] {
  return (verb, moment) => first?.(verb, moment) ?? then()
}
