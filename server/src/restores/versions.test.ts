import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aPlugin } from '../../test/fake-items.ts'
import { type FakeState, putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

const header = (name: string, version: string) => `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\r\n */\n`
const plan = async (id: string, backup_id: string, more: object = {}) => {
  const { plan } = await here.call('restores.create', { site_id: id, backup_id, dry_run: true, ...more })
  return plan as { changes: string[] | null; warnings: string[] }
}

/** A site that went another way since its backup. */
async function moved() {
  const { id, fake } = await here.site()
  const { state } = fake
  putFile(state, 'wp-content/plugins/garden/garden.php', header('Garden', '1.0.0'))
  putFile(state, 'wp-content/plugins/lost/main.php', header('Lost', '3.1'))
  putFile(state, 'wp-content/plugins/lost/other.php', '<?php // no plugin\n')
  putFile(state, 'wp-content/themes/meadow/style.css', '/*\nTheme Name: Meadow\nVersion: 2.2\n*/')
  const { job_id, backup_id } = (await here.call('backups.create', { site_id: id })) as { job_id: string; backup_id: string }
  assert.equal((await here.job(job_id)).status, 'completed')
  putFile(state, 'wp-content/plugins/garden/garden.php', header('Garden', '1.1.0'))
  putFile(state, 'wp-content/plugins/rose.php', header('Rose', '5.0'))
  putFile(state, 'wp-content/themes/meadow/style.css', '/*\nTheme Name: Meadow\nVersion: 2.3.0\n*/')
  for (const name of ['main', 'other']) state.files.delete(`wp-content/plugins/lost/${name}.php`)
  state.items = state.items.map((item) => (item.slug === 'garden' ? { ...item, version: '1.1.0' } : item))
  state.items.push(aPlugin('rose', { file: 'rose.php', version: '5.0' }))
  return { id, state, backup_id }
}

test('the plan of a restore tells from which version to which plugins and themes would go, what would come and what would go', async () => {
  const { id, backup_id } = await moved()
  assert.deepEqual((await plan(id, backup_id)).changes?.toSorted(), [
    'the plugin “garden” would go from 1.1.0 to 1.0.0',
    'the plugin “lost” would be added (3.1)',
    'the plugin “rose” would be removed',
    'the theme “meadow” would go from 2.3 to 2.2',
  ])
  const part = await plan(id, backup_id, { include: ['plugin:garden'] })
  assert.deepEqual([part.changes, part.warnings], [['the plugin “garden” would go from 1.1.0 to 1.0.0'], []])
  assert.deepEqual((await plan(id, backup_id, { type: 'db' })).changes, [], 'a database brings no versions')
})

const isUnknown = ({ changes, warnings }: Awaited<ReturnType<typeof plan>>, because: RegExp) => {
  assert.equal(changes, null)
  assert.ok(
    warnings.some((warning) => because.test(warning)),
    warnings.join('\n'),
  )
}

/** Its door that needs no WordPress is there. */
async function stops(id: string, state: FakeState) {
  const standing = '/app/plugins/svc-connector/standing-door.php'
  Object.assign(state, { standing, dead: () => true })
  await sql`UPDATE sites SET hello = hello || ${JSON.stringify({ standing })}::jsonb WHERE id = ${id}`.execute(here.world.db)
}

test('where WordPress does not start nobody knows it, which is said, and not told as no change', async () => {
  const { id, state, backup_id } = await moved()
  await stops(id, state)
  isUnknown(await plan(id, backup_id), /^Which plugins and themes would change is not known: the site does not tell what is installed now/)
})

test('what takes the place of a whole folder leaves its version unknown', async () => {
  const { id, state } = await moved()
  const folder = 'wp-content/plugins/garden'
  state.files.delete(`${folder}/garden.php`)
  putFile(state, folder, 'a file')
  const { job_id, backup_id } = (await here.call('backups.create', { site_id: id, type: 'files' })) as { job_id: string; backup_id: string }
  assert.equal((await here.job(job_id)).status, 'completed')
  state.files.delete(folder)
  putFile(state, `${folder}/garden.php`, header('Garden', '1.1.0'))
  isUnknown(await plan(id, backup_id), /something else takes the place of a folder/)
})

test('a site whose connector answers, but whose WordPress does not start to its end, is planned for all the same', async () => {
  const { id, state, backup_id } = await moved()
  state.fault = (verb) => (verb === 'inventory' ? { code: 'failed', message: 'WordPress does not start.' } : undefined)
  isUnknown(await plan(id, backup_id), /^Which plugins and themes would change is not known: the site does not tell what is installed now/)
})
