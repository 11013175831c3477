import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import type { NextStep } from '../kernel/job.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

/** The steps that a job leads to; each is a call that its tool takes. */
async function stepsOf(started: Record<string, unknown>): Promise<NextStep[]> {
  const { next_steps: steps } = (await here.job(String(started.job_id))) as { next_steps: NextStep[] }
  for (const { tool, input, why } of steps) {
    const operation = operations.find((each) => each.tool === tool) ?? assert.fail(tool)
    operation.input.parse(input)
    assert.match(why, /^[A-Z].*\.$/)
  }
  return steps
}
const toolsOf = (steps: NextStep[]) => steps.map(({ tool }) => tool)

test('a backup leads to its proof, a tweak to its end, and a check to what it found', async () => {
  const { id } = await here.site()
  const backup = await here.call('backups.create', { site_id: id, type: 'db' })
  assert.deepEqual(
    (await stepsOf(backup)).map(({ input }) => input),
    [{ site_id: id, backup_id: backup.backup_id }],
  )
  const [revert] = await stepsOf(await here.call('tweaks.apply', { site_id: id, tweak_ids: ['xmlrpc_off'] }))
  assert.deepEqual(revert?.input, { site_id: id, tweak_ids: ['xmlrpc_off'], action: 'revert' })
  assert.deepEqual(await stepsOf(await here.call('tweaks.apply', { ...revert?.input })), [], 'what was taken back leads nowhere')
  assert.deepEqual(toolsOf(await stepsOf(await here.call('security.check', { site_id: id }))), ['get_security'])
})

test('an update is undone by the last backup of the files before it, where there is one', async () => {
  const { id, fake } = await here.site()
  fake.state.items.push(aPlugin('seeds', { update: anOffer('2.0') }), aPlugin('weeds', { update: anOffer('2.0') }))
  await here.call('inventory.get', { site_id: id })
  const risks = async (slug: string) => {
    const plan = (await here.call('updates.apply', { site_id: id, plugins: [slug], dry_run: true })) as { items: { risks: string[] }[] }
    return plan.items.flatMap((item) => item.risks).filter((risk) => /undone/.test(risk))
  }
  assert.deepEqual(await risks('seeds'), ['This cannot be undone from here: no backup holds the files.'])
  const started = await here.call('updates.apply', { site_id: id, plugins: ['seeds'] })
  assert.deepEqual(await stepsOf(started), [
    {
      why: 'It cannot be undone: no sound backup from before it holds the files. For the next time: have the whole site backed up before each update.',
      ...{ tool: 'set_schedule', input: { site_id: id, pre_update: 'full' } },
    },
  ])
  await here.call('schedules.set', { site_id: id, pre_update: 'full' })
  assert.deepEqual(toolsOf(await stepsOf(started)), ['list_backups'], 'it is set already')
  await here.call('schedules.set', { site_id: id, pre_update: 'db' })
  const whole = await here.call('backups.create', { site_id: id, type: 'full' })
  await here.job(String(whole.job_id))
  assert.deepEqual(await risks('weeds'), [])
  const undo = await stepsOf(await here.call('updates.apply', { site_id: id, plugins: ['weeds'] }))
  assert.deepEqual(
    undo.map(({ tool, input }) => [tool, input]),
    [['restore_backup', { site_id: id, backup_id: whole.backup_id, include: ['plugin:weeds'] }]],
  )
})

test('WordPress is undone with the whole site alone, and translations by their folder, which the plan says before', async () => {
  const { id, fake } = await here.site()
  fake.state.translations = 2
  await here.call('inventory.get', { site_id: id })
  const risks = async () => {
    const plan = (await here.call('updates.apply', { site_id: id, core: true, translations: true, dry_run: true })) as {
      items: { risks: string[] }[]
    }
    return plan.items.map((item) => item.risks.filter((risk) => /undone/.test(risk)).join())
  }
  const none = 'no backup holds the files.'
  assert.deepEqual(await risks(), [
    'WordPress cannot be undone from here: there is no full backup. Make one first; restored, it brings the whole site back.',
    `This cannot be undone from here: ${none}`,
  ])
  await here.job(String((await here.call('backups.create', { site_id: id, type: 'files' })).job_id))
  assert.deepEqual(
    (await risks()).map((risk) => /there is no full backup/.test(risk)),
    [true, false],
  )
  await here.call('schedules.set', { site_id: id, pre_update: 'full', reuse_hours: 0 })
  assert.deepEqual(await risks(), [
    'WordPress is undone with the whole site only: a full backup from before is restored, and what changed since is lost.',
    '',
  ])
  const started = await here.call('updates.apply', { site_id: id, core: true, translations: true })
  const undo = await stepsOf(started)
  const { backup_id } = (await here.job(String(started.job_id))).result as { backup_id: string }
  assert.deepEqual(
    undo.map(({ tool, input }) => [tool, input]),
    [
      ['restore_backup', { site_id: id, backup_id, include: ['folder:wp-content/languages'] }],
      ['restore_backup', { site_id: id, backup_id }],
    ],
    'the backup that was made before it is the last one',
  )
})

test('of WordPress and a plugin, what a backup of the files alone undoes is told beside what nothing does', async () => {
  const { id, fake } = await here.site()
  fake.state.items.push(aPlugin('seeds', { update: anOffer('2.0') }))
  await here.call('inventory.get', { site_id: id })
  await here.job(String((await here.call('backups.create', { site_id: id, type: 'files' })).job_id))
  const steps = await stepsOf(await here.call('updates.apply', { site_id: id, core: true, plugins: ['seeds'] }))
  assert.deepEqual(toolsOf(steps), ['restore_backup', 'set_schedule'])
  assert.match(steps[1]?.why ?? '', /^WordPress cannot be undone: there is no sound full backup from before it\. For the next time: /)
})

test('an update that was taken back leads to the errors of the site, and a restore to its undo for a day', async () => {
  const { id, fake } = await here.site()
  fake.state.items.push(aPlugin('seeds', { update: anOffer('2.0') }))
  fake.state.defects['seeds/seeds.php@2.0'] = 'front_500'
  await here.call('inventory.get', { site_id: id })
  assert.deepEqual(toolsOf(await stepsOf(await here.call('updates.apply', { site_id: id, plugins: ['seeds'] }))), ['get_errors'])
  const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type: 'full' })
  await here.job(String(job_id))
  const restore = await here.call('restores.create', { site_id: id, backup_id, safety_backup: false })
  assert.deepEqual(toolsOf(await stepsOf(restore)), ['undo_restore'])
  const again = await here.call('restores.create', { site_id: id, backup_id, safety_backup: false })
  assert.deepEqual(toolsOf(await stepsOf(again)), ['undo_restore'])
  assert.deepEqual(await stepsOf(restore), [], 'only the last one is undone')
  await here.job(String((await here.call('restores.undo', { site_id: id })).job_id))
  assert.deepEqual(await stepsOf(again), [], 'and once')
  const last = await here.call('restores.create', { site_id: id, backup_id, safety_backup: false })
  assert.deepEqual(toolsOf(await stepsOf(last)), ['undo_restore'])
  here.clock.add(86_400_001)
  assert.deepEqual(await stepsOf(last), [], 'it is too late')
})

test('what broke on our side leads nobody to the site', async () => {
  const { id, fake } = await here.site()
  fake.state.fault = (verb) => (verb === 'db.tables' ? { code: 'failed', message: 'No.' } : undefined)
  const failed = await here.call('backups.create', { site_id: id, type: 'db' })
  assert.equal((await here.job(String(failed.job_id))).status, 'failed')
  for (const code of ['internal', 'unavailable']) {
    await sql`UPDATE jobs SET error = jsonb_set(error, '{code}', to_jsonb(${code}::text)) WHERE id = ${failed.job_id}`.execute(
      here.world.db,
    )
    assert.deepEqual(await stepsOf(failed), [], code)
  }
})

test('what failed leads to what its site says, and a list says that only get_job tells', async () => {
  const { id, fake } = await here.site()
  fake.misbehave('down')
  const started = await here.call('restores.create', { site_id: id, backup_id: 'backup_01k0000000000000000000000a' }).catch(() => undefined)
  assert.equal(started, undefined)
  fake.misbehave()
  fake.state.fault = (verb) => (verb === 'db.tables' ? { code: 'failed', message: 'No.' } : undefined)
  const failed = await here.call('backups.create', { site_id: id, type: 'db' })
  const { status, error } = (await here.job(String(failed.job_id))) as { status: string; error: { next: string } }
  assert.equal(status, 'failed')
  assert.match(error.next, /^Look for its PHP errors with get_errors/)
  assert.deepEqual(toolsOf(await stepsOf(failed)), ['get_site'])
  const { jobs } = (await here.call('jobs.list', { site_id: id })) as { jobs: { next_steps: null }[] }
  assert.equal(jobs[0]?.next_steps, null)
})
