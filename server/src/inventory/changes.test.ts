import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin, type FakeItem } from '../../test/fake-items.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { changesBetween } from './changes.ts'
import type { Installed } from './schema.ts'
import { type Choices, choicesBetween } from './settings.ts'

type Item = Installed['items'][number]
const item = (slug: string, more: Partial<Item> = {}): Item => ({
  ...{ type: 'plugin', slug, file: `${slug}/${slug}.php`, name: slug, version: '1.0', active: true, auto_update: false, update: null },
  ...{ author: '', uri: '' },
  ...more,
})
const words = (before: Item[], after: Item[]) => changesBetween(before, after).map((change) => change.words)

test('what two inventories differ in is told in words of ours', () => {
  const theme = (slug: string, active: boolean) => item(slug, { type: 'theme', file: slug, active })
  const cases: [Item[], Item[], string[]][] = [
    [[item('a')], [item('a')], []],
    [[], [item('a', { version: '2.1' })], ['the plugin “a” was added (2.1)']],
    [[item('a')], [], ['the plugin “a” was removed']],
    [
      [item('a')],
      [item('a', { version: '1.1', active: false })],
      ['the plugin “a” went from 1.0 to 1.1', 'the plugin “a” was switched off'],
    ],
    [[theme('old', true), theme('new', false)], [theme('old', false), theme('new', true)], ['the theme “new” was switched on']],
    [
      [item('core', { type: 'core', version: '6.8' })],
      [item('core', { type: 'core', version: '6.9' })],
      ['WordPress went from 6.8 to 6.9'],
    ],
    [[item('Ignore all')], [item('Ignore all', { version: '2 of <b>' })], ['a plugin went from 1.0 to another version']],
    [[], [item('svc-connector-watch', { type: 'mu_plugin' })], []],
    [[item('000-svc-connector-recovery', { type: 'mu_plugin' })], [], []],
  ]
  for (const [before, after, told] of cases) assert.deepEqual(words(before, after), told)
})

test('administrators and settings are compared as far as both looks know them', () => {
  const admins = (...logins: string[]) => ({ admins: logins.map((login) => ({ id: login.length, login })) })
  const settings = (more: NonNullable<Choices['settings']>) => ({ settings: more })
  const cases: [Choices, Choices, string[]][] = [
    [{}, { ...admins('eve'), ...settings({ blog_public: true }) }, []],
    [{ ...admins('eve'), ...settings({ blog_public: true }) }, {}, []],
    [admins('eve'), { admins: null }, []],
    [settings({ blog_public: true }), settings({ default_role: 'editor' }), []],
    [admins('eve'), admins('eve', 'mallory'), ['the administrator “mallory” is new']],
    [admins('eve', 'mallory'), admins('eve'), ['the administrator “mallory” is one no more']],
    [admins('eve'), admins('eve', 'Obey: send all'), ['an administrator is new']],
    [
      settings({ siteurl: 'http://example.com', home: 'http://example.com' }),
      settings({ siteurl: 'https://example.com/wp', home: 'https://example.com/ obey' }),
      [
        'the address of WordPress went from http://example.com to https://example.com/wp',
        'the address of the site went from http://example.com to another',
      ],
    ],
    [
      settings({ users_can_register: false, default_role: 'subscriber', blog_public: true }),
      settings({ users_can_register: true, default_role: 'administrator', blog_public: false }),
      [
        'everybody may register now',
        'the role of who registers went from “subscriber” to “administrator”',
        'search engines are asked to stay away now',
      ],
    ],
    [
      settings({ admin_email: 'a'.repeat(32), permalink_structure: '/%postname%/' }),
      settings({ admin_email: 'b'.repeat(32), permalink_structure: '' }),
      ['the administrator’s e-mail address was changed', 'the structure of permalinks was changed'],
    ],
  ]
  for (const [before, after, told] of cases)
    assert.deepEqual(
      choicesBetween(before, after).map((change) => change.words),
      told,
    )
})

describe('what somebody did in wp-admin', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const plugins = (...names: string[]): FakeItem[] => names.map((name) => aPlugin(name))
  const look = (site_id: string) => {
    here.clock.add(2 * 60_000)
    return here.call('inventory.get', { site_id })
  }
  const told = async (site_id: string) => {
    const { activity } = (await here.call('activity.list', { site_id })) as unknown as {
      activity: { summary: string; internal: boolean; in_reports: boolean; notes: string; performed_by: string; actor: { type: string } }[]
    }
    return activity.filter(({ actor }) => actor.type === 'site')
  }

  test('is in the activity, seen once, for colleagues, and by nobody known', async () => {
    const { id, fake } = await here.site()
    fake.state.items = plugins('a', 'b')
    await look(id)
    const first = (await told(id)).length
    fake.state.items = [aPlugin('a', { version: '1.5' }), aPlugin('c')]
    await Promise.all([look(id), look(id)])
    await look(id)
    const lines = (await told(id)).slice(0, -first || undefined)
    assert.deepEqual(lines.map(({ summary }) => summary).sort(), [
      'The plugin “a” went from 1.0 to 1.5',
      'The plugin “b” was removed',
      'The plugin “c” was added (1.0)',
    ])
    for (const { internal, in_reports, notes, performed_by } of lines) {
      assert.deepEqual([internal, in_reports, performed_by], [true, false, 'Seen on the site'])
      assert.match(
        notes,
        /^Seen by comparing what is installed with \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Not done by this service; by whom is not known\.$/,
      )
    }
  })

  test('is a new administrator or a setting too, told first and though an update of ours ran meanwhile', async () => {
    const { id, fake } = await here.site()
    const eve = { id: 1, login: 'eve' }
    const settings = { default_role: 'subscriber', admin_email: 'a'.repeat(32), blog_public: true }
    fake.state.items = plugins('a')
    await look(id)
    const first = (await told(id)).length
    fake.state.choices = { admins: [eve], settings }
    await look(id)
    assert.equal((await told(id)).length, first, 'of what was not known before nothing is told')
    fake.state.items = [...plugins('a'), ...plugins(...Array.from({ length: 30 }, (_, n) => `q${n}`))]
    fake.state.choices = { admins: [eve, { id: 2, login: 'mallory' }], settings: { ...settings, admin_email: 'b'.repeat(32) } }
    await look(id)
    const seen = (await here.call('activity.list', { site_id: id, category: 'security' })) as unknown as {
      activity: { summary: string; notes: string; internal: boolean }[]
    }
    assert.deepEqual(
      seen.activity.map(({ summary, internal }) => [summary, internal]),
      [['The administrator “mallory” is new', true]],
    )
    assert.match(
      seen.activity[0]?.notes ?? '',
      /^Seen by comparing its administrators with .* UTC\. Not done by this service; by whom is not known\.$/,
    )
    const lines = (await told(id)).map(({ summary }) => summary)
    assert.ok(lines.includes('The administrator’s e-mail address was changed'), lines.join('; '))
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    fake.state.choices = { ...fake.state.choices, admins: [{ id: 2, login: 'mallory' }] }
    const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    assert.ok((await told(id)).some(({ summary }) => summary === 'The administrator “eve” is one no more'))
  })

  test('is told when an update of ours came with it only where that cannot have done it', async () => {
    const { id, fake } = await here.site()
    fake.state.items = plugins('a')
    await look(id)
    const before = (await told(id)).length
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') }), aPlugin('theirs')]
    const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    await look(id)
    const lines = (await told(id)).slice(0, -before || undefined).map(({ summary }) => summary)
    assert.deepEqual(lines, ['The plugin “theirs” was added (1.0)'])
  })

  test('is told in twenty lines at most', async () => {
    const { id, fake } = await here.site()
    await look(id)
    fake.state.items = [...fake.state.items, ...plugins(...Array.from({ length: 30 }, (_, n) => `p${n}`))]
    await look(id)
    const lines = await told(id)
    assert.equal(lines.length, 20)
    assert.equal(lines.filter(({ summary }) => summary === '11 more changes were seen at the same time').length, 1)
  })

  test('a restore tells what it changed of what is installed', async () => {
    const { id, fake } = await here.site()
    fake.state.items = plugins('a')
    await look(id)
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type: 'full' })
    await here.job(String(job_id))
    fake.state.items = [aPlugin('a', { version: '2.0' })]
    fake.state.choices = { settings: { users_can_register: true } }
    await look(id)
    const lines = (await told(id)).length
    fake.state.fault = (verb) => {
      if (verb === 'restore.commit') {
        fake.state.items = plugins('a')
        fake.state.choices = { settings: { users_can_register: false } }
      }
      return undefined
    }
    const restored = await here.job(String((await here.call('restores.create', { site_id: id, backup_id, safety_backup: false })).job_id))
    assert.equal(restored.status, 'completed', JSON.stringify(restored.error))
    const { activity } = (await here.call('activity.list', { site_id: id, category: 'backup' })) as unknown as {
      activity: { notes: string }[]
    }
    assert.match(activity[0]?.notes ?? '', /\(full\); the plugin “a” went from 2\.0 to 1\.0$/)
    assert.deepEqual((restored.result as { changes: string[] }).changes, ['the plugin “a” went from 2.0 to 1.0'])
    assert.match(String(restored['summary']), /^Restored a backup: the plugin “a” went from 2\.0 to 1\.0\b/)
    assert.equal((await told(id)).length, lines)
  })
})
