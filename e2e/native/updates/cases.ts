// Every way in which an update can go wrong, each as it is tried on a real site.
import assert from 'node:assert/strict'
import { chmod, copyFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HARMLESS } from '../../../demo/harmless-versions.ts'
import type { Offer } from '../../../demo/mirror-answers.ts'
import { SAMPLE_THEME, TRANSLATION } from '../../../demo/mirror-packages.ts'
import { run } from '../../../demo/npm.ts'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../../demo/sample-plugin.ts'
import { until } from '../../house.ts'
import { visit } from '../../visitor.ts'
import type { SiteSpec } from '../fleet.ts'
import { forbidTrials, type Managed } from '../managed.ts'
import { query } from '../mariadb.ts'
import { onSmallDisk } from './disk.ts'

export type Ending = 'updated' | 'rolled_back' | 'failed' | 'skipped'

export interface Case {
  name: string
  offer: Offer
  ends: Ending | Ending[]
  reason?: RegExp
  /** What to name in the request; everything that waits when absent. */
  only?: object
  /** Makes the trouble; the result takes it away when the update has ended. */
  arrange?: (one: Managed) => Promise<() => Promise<void>>
  /** Of a kind that another case is of as well: tried by `npm run prove:updates` alone. */
  long?: true
  /** A restore was a part of it: the site keeps what it needs to undo that for a day. */
  undoable?: true
  /** No visitor gets another page than before or after. */
  unnoticed?: true
  /** No trial comes first: it is installed, and on offer still once it was taken back. */
  untried?: true
  /** Why its trial shows nothing of it. Every other plugin that harms its site is met there, and by no visitor. */
  unmet?: string
  /** Why visitors may be without the page for longer than ten seconds, though never for longer than a minute, or than this. */
  isDownBecause?: string
  mostDownMs?: number
  /** Of a good update: what is to be seen then. */
  proof?: (one: Managed) => Promise<boolean>
}

/** Cases tried one after another on one site; lanes run side by side. */
export interface Lane {
  name: string
  spec: SiteSpec
  cases: Case[]
  /** Where `deadAdmin` comes first. */
  admin?: boolean
}

const plugin = (kind: SampleKind): Offer => ({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
const broken = (name: string, kind: SampleKind, reason?: RegExp): Case => ({
  ...{ name, offer: plugin(kind), ends: 'rolled_back' },
  ...(reason && { reason }),
})
const long = (each: Case): Case => ({ ...each, long: true })

/** A shop as far as its cart and its checkout, which are pages like others. */
async function openShop({ native }: Managed): Promise<() => Promise<void>> {
  const shop = join(native.dir, 'wp-content/mu-plugins/shop.php')
  await writeFile(shop, '<?php\nfunction wc_get_page_id( $name ) {\n\treturn get_page_by_path( $name )->ID;\n}\n')
  const ids: string[] = []
  for (const name of ['cart', 'checkout'])
    ids.push(await native.wpCli(['post', 'create', '--post_type=page', '--post_status=publish', `--post_title=${name}`, '--porcelain']))
  return async () => {
    await rm(shop)
    await native.wpCli(['post', 'delete', ...ids, '--force', '--skip-plugins', '--skip-themes'])
  }
}

/** Another plugin that is active. */
async function besideIt({ native }: Managed): Promise<() => Promise<void>> {
  const beside = join(native.dir, 'wp-content/plugins/beside.php')
  const active = await native.wpCli(['option', 'get', 'active_plugins', '--format=json'])
  const write = (plugins: string) => native.wpCli(['option', 'update', 'active_plugins', plugins, '--format=json', '--skip-plugins'])
  await writeFile(beside, '<?php\n/* Plugin Name: Beside */\n')
  await write(JSON.stringify([...Object.values<string>(JSON.parse(active)), 'beside.php']))
  return async () => {
    await write(active)
    await rm(beside)
  }
}

/** What WordPress knows of its options outlives the request. */
async function keepOptions({ native }: Managed): Promise<() => Promise<void>> {
  const kept = join(native.dir, '../tmp/kept')
  const dropIn = join(native.dir, 'wp-content/object-cache.php')
  await mkdir(kept)
  await run('chown', ['www-data:', kept])
  await copyFile(join(import.meta.dirname, 'object-cache.php'), dropIn)
  await visit(native.url)
  assert.ok((await readdir(kept)).length > 0, 'the cache has options')
  return async () => {
    await rm(dropIn)
    await rm(kept, { recursive: true })
  }
}

/** Every way in which the code of a plugin harms its site, with what is said of it. */
const HARMFUL = {
  fatal_at_load: ['a fatal error at load', /does not start/],
  parse_error: ['a parse error'],
  fatal_on_front_page: ['a fatal error on the front page alone'],
  fatal_on_login_page: ['a fatal error on the login page alone'],
  fatal_on_posts: ['a fatal error on posts alone'],
  fatal_in_cart: ['a dead cart of a shop', /cart of the shop/, { arrange: openShop }],
  fatal_in_checkout: ['a dead checkout of a shop', /checkout of the shop/, { arrange: openShop }],
  fatal_on_search: ['a dead search', /search|PHP met errors/],
  error_500_page: ['a 500 page', /500/],
  blank_200_page: ['a blank page with 200'],
  redirect_loop: ['a redirect loop'],
  deactivates_itself: ['it deactivates itself', /active/i],
  dead_admin: ['a dead wp-admin', /wp-admin/],
  dead_editor: ['a dead editor', /editor/],
  dead_rest: ['a dead REST API', /REST|PHP met errors/],
  noisy_rest: ['a REST API that says more than JSON', /REST/],
  moves_rest: ['a REST API at another address', /REST API below/],
  rest_refuses_editors: ['a REST API that refuses editors', /REST API for editors/],
  nobody_signs_in: ['nobody can sign in', /lets nobody in/],
  refuses_each_user: ['each user is refused before the password is looked at', /lets nobody in/],
  broken_feed: ['a feed that no reader reads', /feed/],
  forgets_events: ['WP-Cron loses its events', /WP-Cron/],
  dies_in_cron: ['a fatal error in WP-Cron alone', /WP-Cron|PHP met errors/],
  contents_gone: ['the contents are gone', /lost most of its words/],
  hides_the_page: ['a style hides the page', /hidden/],
  leads_away: ['it leads elsewhere', /elsewhere/],
  members_only: ['members only', /asks to sign in/],
  very_slow: ['very slow', /takes \d/, { unmet: 'what is slow once is slow in each trial' }],
  switches_all_off: ['every plugin is switched off'],
  moves_the_site: ['the address is another one', /a copy/],
  loses_the_theme: [
    'the theme is one that is not there',
    undefined,
    { unmet: 'the theme is looked up before its name is lost, so only the next request is without' },
  ],
  loses_roles: ['there are no roles', undefined, { unmet: 'the roles are read before they are lost, so only the next request is without' }],
  switches_all_off_at_the_end: [
    'every plugin is switched off when a page ends, and a cache keeps that',
    undefined,
    { arrange: keepOptions, unmet: 'it strikes when each page has ended', isDownBecause: 'it is taken back after three looks' },
  ],
  moves_the_site_at_the_end: [
    'the address is another one when a page ends, and a cache keeps that',
    undefined,
    { arrange: keepOptions, unmet: 'it strikes when each page has ended', isDownBecause: 'it is taken back after three looks' },
  ],
  empties_posts: [
    'the database is spoilt beyond what the files and the options heal',
    /did not heal the site, so \d+ tables? .* came back from/,
    {
      ...{ undoable: true, only: { plugins: [SAMPLE_PLUGIN] }, unmet: 'it strikes when each page has ended' },
      isDownBecause: 'a part of a backup comes back',
    },
  ],
  empties_options: [
    'all settings are empty, those of the connection too',
    /did not heal the site, so \d+ tables? .* came back from/,
    {
      ...{ undoable: true, only: { plugins: [SAMPLE_PLUGIN] }, unmet: 'it strikes when each page has ended' },
      isDownBecause: 'a part of a backup comes back',
    },
  ],
  breaks_around: [
    'a drop-in that dies, and rules that no web server understands',
    undefined,
    {
      unmet: 'what it writes outside of its folder is undone with each request of its trial',
      isDownBecause:
        'it is taken back after three looks, after half a minute where it may be an outage, after a minute where no door opens',
      mostDownMs: 90_000,
    },
  ],
  dies_without_a_word: ['PHP dies without a word on every page', /answers with 502/],
  trips_over_itself: [
    'a wp-admin that dies of what the version wrote',
    /wp-admin|PHP met errors/,
    { unmet: 'what is written when a page has ended is there for the next one alone' },
  ],
  asks_and_dies: ['a fatal error on the front page, and a question to another server in wp-admin', /front page/],
  leads_to_the_front: ['posts lead to the front page', /leads to the front page/],
  switches_another_off: ['another plugin is switched off', /switches “beside.php” off/, { arrange: besideIt }],
  forgets_others_events: ['WP-Cron loses the events of others', /events of others/],
  hangs: ['every request hangs', /answer/],
  hangs_on_pages: ['every page hangs', /answer/],
  writes_and_hangs: ['every request hangs with what it has locked', /answer/],
  spins: ['every request counts for ever', /does not start|answer/],
  hangs_and_alters: [
    'every request hangs, and changes a table first',
    /answer|took the update back/,
    {
      unmet: 'a change of tables is held back in its trial',
      isDownBecause: 'a request that hangs is given 15 s, and the site half a minute',
    },
  ],
} satisfies Partial<Record<SampleKind, [name: string, reason?: RegExp | undefined, more?: Partial<Case>]>>
export type HarmfulKind = keyof typeof HARMFUL

const harm = (kind: HarmfulKind): Case => {
  const [name, reason, more]: [string, (RegExp | undefined)?, Partial<Case>?] = HARMFUL[kind]
  return { ...broken(name, kind, reason), ...more }
}
const refused = (name: string, kind: SampleKind, reason?: RegExp): Case => ({ ...broken(name, kind, reason), ends: 'failed' })

const fileHas = (path: string, text: RegExp) => async (one: Managed) => text.test(await readFile(join(one.native.dir, path), 'utf8'))
const themes = (version: string): Offer => ({ themes: { [SAMPLE_THEME]: version } })

const heardBy = ({ native }: Managed) => join(native.dir, '../tmp/heard')

/** Signed requests, beside those of the backup before it, `hello` and `db.…`, and looks into wp-admin. */
const mostRequests = 8

const goodPlugin: Case = {
  ...{ name: `a good plugin, with ${mostRequests} requests, and a second between the old folder and the new`, offer: plugin('good_new') },
  ...{ ends: 'updated', unnoticed: true },
  async arrange(one) {
    await rm(heardBy(one), { force: true })
    const flag = join(one.native.dir, '../tmp/slow-exchange')
    await writeFile(flag, '')
    return () => rm(flag)
  },
  async proof(one) {
    const heard = (await readFile(heardBy(one), 'utf8')).trim().split('\n')
    const own = heard.filter((verb) => !/^(hello$|db\.|updates\.page$)/.test(verb))
    // A page that a busy machine made slow is looked at again, with a probe each time; server/src/updates/requests.test.ts counts those too.
    const again = Math.max(0, own.filter((verb) => verb === 'updates.probe').length - 2)
    assert.ok(own.length - again <= mostRequests, own.join(', '))
    return /Harbour Notices 1\.1\.0/.test(await (await fetch(`${one.native.url}/?fresh`)).text())
  },
}
const goodTheme: Case = {
  ...{ name: 'a good theme', offer: themes('1.1.0'), ends: 'updated' },
  proof: fileHas(`wp-content/themes/${SAMPLE_THEME}/style.css`, /^Version: 1\.1\.0$/m),
}
const brokenTheme: Case = {
  name: 'a theme with a fatal error',
  offer: themes('1.2.0'),
  ends: 'rolled_back',
  reason: /does not start/,
}
/** What shows a parent theme is its child, which a trial does not boot with. */
const brokenParent: Case = {
  ...{ ...brokenTheme, name: 'a parent theme with a fatal error', isDownBecause: 'it is taken back after three looks' },
  async arrange({ native }) {
    const child = join(native.dir, 'wp-content/themes/harbour-child')
    await mkdir(child)
    await writeFile(join(child, 'style.css'), `/*\nTheme Name: Harbour child\nTemplate: ${SAMPLE_THEME}\nVersion: 1.0.0\n*/\n`)
    await native.wpCli(['option', 'update', 'stylesheet', 'harbour-child'])
    return async () => {
      await native.wpCli(['option', 'update', 'stylesheet', SAMPLE_THEME])
      await native.wpCli(['option', 'delete', 'theme_mods_harbour-child']).catch(() => undefined)
      await rm(child, { recursive: true })
    }
  },
}

/** A table that keeps what is written in a transaction that is rolled back. */
const outsideOfTransactions: Case = {
  ...broken('a fatal error after a row in a table without transactions', 'counts_and_dies', /front page/),
  ...{ unmet: 'such a row is held back in its trial', isDownBecause: 'it is taken back after three looks' },
  async arrange({ fleet, database }) {
    await query(fleet, database ?? '', 'CREATE TABLE wp_old_counter (n int) ENGINE=MyISAM')
    return async () => void (await query(fleet, database ?? '', 'DROP TABLE wp_old_counter'))
  },
}

/** With it goes all that WordPress starts with. */
const withoutOptions: Case = {
  ...broken('the table of options is dropped', 'drops_options', /did not heal the site, so \d+ tables? .* came back from/),
  ...{ undoable: true, only: { plugins: [SAMPLE_PLUGIN] }, unmet: 'a table that is dropped is held back in its trial' },
  isDownBecause: 'a part of a backup comes back',
}

const translation: Case = {
  ...{ name: 'a translation', offer: { translation: true }, ends: 'updated' },
  proof: fileHas(`wp-content/languages/plugins/${TRANSLATION.slug}-${TRANSLATION.language}.po`, /PO-Revision-Date/),
}

const killedByTimeLimit: Case = {
  ...{
    name: 'PHP is killed by its time limit between the old version and the new',
    offer: plugin('good_new'),
    ends: ['rolled_back', 'failed'],
    isDownBecause: 'between the two PHP works until its time limit, which is 20 s',
  },
  async arrange({ native }) {
    const flag = join(native.dir, '../tmp/slow-copy')
    await writeFile(flag, '')
    return () => rm(flag)
  },
}

const fullDisk = (name: string, folder: string, spareKib: number): Case => ({
  ...{ name, offer: plugin('too_large'), ends: ['rolled_back', 'failed'] },
  arrange: ({ native }) => onSmallDisk(join(native.dir, folder), spareKib),
})

/** Of WordPress itself nothing can be tried. */
const brokenCore = (name: string, core: string): Case => ({
  ...{ name, offer: { core }, ends: 'rolled_back', only: { core: true }, isDownBecause: 'it is taken back after three looks' },
})

/** WordPress's own update was killed so many seconds ago: its lock and its notice are still there. */
const killedCore = (name: string, ago: number, ends: Ending[], reason?: RegExp): Case => ({
  ...{ name, offer: { core: '6.1.10' }, ends, only: { core: true }, isDownBecause: 'that update left a notice in the way of visitors' },
  ...(reason && { reason }),
  async arrange({ native }) {
    const since = Math.floor(Date.now() / 1000) - ago
    await native.wpCli(['option', 'update', 'core_updater.lock', String(since)])
    await writeFile(join(native.dir, '.maintenance'), `<?php $upgrading = ${since}; ?>`)
    await utimes(join(native.dir, '.maintenance'), since, since)
    await run('chown', ['www-data:', join(native.dir, '.maintenance')])
    return async () => {
      // Ten minutes long nothing of WordPress runs, so nobody can take the notice away.
      if (ago < 600) await rm(join(native.dir, '.maintenance'))
      await native.wpCli(['option', 'delete', 'core_updater.lock']).catch(() => undefined)
    }
  },
})

/** In a folder in which nobody can open a way before WordPress. */
const untried = (name: string, kind: SampleKind, reason?: RegExp): Case => ({
  ...broken(name, kind, reason),
  untried: true,
  isDownBecause: 'it is taken back after three looks, or half a minute where it may be an outage',
  async arrange({ native }) {
    await forbidTrials(native)
    return () => chmod(native.dir, 0o755)
  },
})

/** Twenty visitors who come again and again, to a site whose folder lets nobody open a way before WordPress: no version can be tried there. */
const crowded: Case = {
  ...broken('every request hangs under twenty visitors, and nothing could be tried', 'hangs', /answer/),
  ...{ unmet: 'there is none', isDownBecause: 'a request that hangs is given 15 s, and the site half a minute' },
  async arrange({ native }) {
    await forbidTrials(native)
    const over = new AbortController()
    const visitors = Array.from({ length: 20 }, async () => {
      while (!over.signal.aborted) {
        await visit(native.url, { signal: over.signal }).catch(() => undefined)
        await sleep(1_000, undefined, { signal: over.signal }).catch(() => undefined)
      }
    })
    return async () => {
      over.abort()
      await Promise.all(visitors)
      await chmod(native.dir, 0o755)
    }
  },
}

const modern = (db: 'mariadb' | 'sqlite', more: Partial<SiteSpec> = {}): SiteSpec => ({ wp: '7.1.1', db, ...more }) as SiteSpec

/** Seen by whoever signs in alone. */
export const deadAdmin = harm('dead_admin')

/** What a request that hangs has locked is free again all the same. */
const lockedByWhatHangs: Case = {
  ...harm('writes_and_hangs'),
  name: 'every request hangs with what it has locked, and nobody can end it',
  arrange: async (one) => () => transactionsEnd(one),
}

/** Of those that have written into the site's database: a visitor's own is there for a moment, what hangs would be for an hour. */
async function transactionsEnd({ fleet, database }: Managed): Promise<void> {
  const sql = `SELECT trx_id FROM information_schema.INNODB_TRX JOIN information_schema.PROCESSLIST ON id = trx_mysql_thread_id
    WHERE db = DATABASE() AND trx_rows_modified > 0`
  const open = async () => (await query(fleet, database ?? '', sql)).split('\n').filter(Boolean)
  const first = await open()
  await until('the end of what the trial has locked', async () => ((await open()).some((id) => first.includes(id)) ? undefined : true))
}

const patientPool = { pool: ['request_terminate_timeout = 120s'], php: { max_execution_time: '60' } }

/** One after another on one site: each is a higher version than the one before. */
const harmless = [...Object.keys(HARMLESS), 'large', 'many_files'].map((kind) =>
  long({ name: `harmless: ${kind.replaceAll('_', ' ')}`, offer: plugin(kind as SampleKind), ends: 'updated' }),
)

const lanes: Lane[] = [
  {
    name: 'MariaDB, code that breaks',
    spec: modern('mariadb', { confined: true }),
    cases: [
      harm('fatal_at_load'),
      long(harm('fatal_on_front_page')),
      long(harm('fatal_on_login_page')),
      long(harm('redirect_loop')),
      harm('deactivates_itself'),
      goodPlugin,
    ],
  },
  {
    name: 'SQLite, code that breaks',
    spec: modern('sqlite'),
    cases: [
      harm('parse_error'),
      long(harm('error_500_page')),
      long(harm('blank_200_page')),
      long(harm('fatal_at_load')),
      long(harm('deactivates_itself')),
      long(goodPlugin),
    ],
  },
  {
    name: 'display_errors on, so that a dead page is a 200',
    spec: modern('mariadb', { php: { display_errors: '1' } }),
    cases: [
      long(harm('fatal_at_load')),
      long(harm('fatal_on_front_page')),
      long(refused('no zip', 'not_a_zip')),
      // story.test.ts updates one on every kind of site.
      long(goodTheme),
      long(brokenTheme),
    ],
  },
  {
    name: 'what a visitor of the front page does not meet',
    spec: modern('mariadb'),
    admin: true,
    cases: [
      long(harm('dead_editor')),
      long(harm('dead_rest')),
      long(harm('noisy_rest')),
      long(harm('moves_rest')),
      long(harm('rest_refuses_editors')),
      long(harm('dies_in_cron')),
      long(harm('fatal_on_posts')),
      long(harm('fatal_in_cart')),
      long(harm('fatal_in_checkout')),
      long(harm('nobody_signs_in')),
      long(harm('broken_feed')),
      long(harm('fatal_on_search')),
      harm('forgets_events'),
      long(goodPlugin),
    ],
  },
  {
    name: 'what changes options',
    spec: modern('mariadb'),
    cases: [
      long(harm('switches_all_off')),
      long(harm('moves_the_site')),
      long(harm('loses_the_theme')),
      long(harm('loses_roles')),
      long(outsideOfTransactions),
      harm('empties_posts'),
      long(harm('empties_options')),
      long(withoutOptions),
    ],
  },
  {
    name: 'what is installed for everybody, because nothing can be tried there',
    spec: modern('mariadb'),
    cases: [
      // What visitors meet is tried in undo.test.ts.
      long(untried('every plugin is switched off', 'switches_all_off', /active/)),
      long(untried('the address is another one', 'moves_the_site')),
      long(untried('the theme is one that is not there', 'loses_the_theme')),
      long(untried('there are no roles', 'loses_roles')),
      untried('a dead wp-admin', 'dead_admin', /wp-admin/),
    ],
  },
  {
    name: 'what is a 200 all the same',
    spec: modern('sqlite'),
    cases: [
      harm('contents_gone'),
      long(harm('hides_the_page')),
      long(harm('leads_away')),
      long(harm('members_only')),
      long(harm('very_slow')),
      long(harm('switches_all_off')),
      long(harm('moves_the_site')),
      long(goodPlugin),
      long(harm('empties_posts')),
    ],
  },
  {
    name: 'Apache, which a broken .htaccess stops',
    spec: modern('mariadb', { apache: { overrides: 'All' } }),
    cases: [long(harm('breaks_around'))],
  },
  {
    name: 'what never ends, on a host that ends nothing',
    spec: modern('mariadb', { pool: ['request_terminate_timeout = 0'] }),
    cases: [long(harm('hangs')), long(harm('hangs_on_pages')), long(harm('spins')), long(harm('hangs_and_alters')), long(crowded)],
  },
  {
    name: 'what never ends, with PHP in the processes of Apache',
    spec: modern('mariadb', { apache: { overrides: 'All', module: true } }),
    cases: [long(harm('hangs')), long(harm('hangs_on_pages')), long(harm('spins')), long(harm('hangs_and_alters')), long(crowded)],
  },
  {
    name: 'what hangs where no process can be ended',
    spec: modern('mariadb', { pool: ['request_terminate_timeout = 0', 'pm.max_children = 12'], php: { disable_functions: 'posix_kill' } }),
    cases: [lockedByWhatHangs],
  },
  {
    name: 'a cache that outlives each request',
    spec: modern('mariadb'),
    cases: [long(harm('switches_all_off_at_the_end')), long(harm('moves_the_site_at_the_end')), long(goodPlugin)],
  },
  {
    name: 'what hangs on SQLite',
    spec: modern('sqlite'),
    cases: [long(harm('hangs')), long(harm('hangs_on_pages')), long(harm('writes_and_hangs')), long(harm('spins'))],
  },
  // On a busy machine WordPress takes longer to unpack three thousand files than a host's 20 s.
  { name: 'what only looks like harm, on MariaDB', spec: modern('mariadb', patientPool), cases: harmless },
  { name: 'what only looks like harm, on SQLite', spec: modern('sqlite', patientPool), cases: harmless },
  {
    name: 'packages that do not arrive whole',
    spec: modern('mariadb'),
    cases: [
      long(refused('no zip', 'not_a_zip')),
      refused('half a zip', 'truncated_zip'),
      long(refused('the package needs a newer PHP, of which the offer says nothing', 'needs_newer_php', /PHP/)),
      {
        ...refused('the offer says that it needs a newer PHP', 'good_new', /PHP 9/),
        offer: { ...plugin('good_new'), requiresPhp: '9.0' },
        ends: 'skipped',
      },
      long(refused('it comes in another folder', 'other_folder', /another folder/)),
      long(refused('there are two plugins in it', 'two_plugins', /more than one/)),
      long(refused('a file in it leads out of it', 'climbs_out', /lead out/)),
      long(refused('the plugin is not in it', 'without_main', /does not hold/)),
      long({ ...broken('a download that stops half way', 'stalled_download'), ends: ['rolled_back', 'failed'] }),
      long(killedByTimeLimit),
      translation,
    ],
  },
  {
    name: 'a full disk',
    spec: modern('mariadb'),
    cases: [
      long(fullDisk('the disk is full while it is unpacked', 'wp-content/upgrade', 2000)),
      fullDisk('the disk is full while it is copied into its place', 'wp-content/plugins', 3000),
      long(fullDisk('the disk is full from the beginning', 'wp-content', 16)),
      brokenTheme,
      long(brokenParent),
    ],
  },
  {
    name: 'a page cache that hides a dead site',
    spec: modern('mariadb', { pageCache: true }),
    cases: [long(harm('fatal_at_load')), harm('fatal_on_front_page')],
  },
  {
    name: 'WordPress 6.1.9 and its own update',
    spec: { wp: '6.1.9', db: 'mariadb' },
    cases: [
      long(harm('fatal_at_load')),
      long(refused('a file in it leads out of it', 'climbs_out', /lead out/)),
      brokenCore('a WordPress with a fatal error', '6.1.11'),
      // This and the good one are in undo-core.test.ts too.
      long(brokenCore('a WordPress that fails before it reads anything', '6.1.12')),
      long(killedCore('a core update that was killed a minute ago, with its lock and its notice', 60, ['failed'], /maintenance/)),
      killedCore('a core update that was killed eleven minutes ago, with its lock and its notice', 660, ['failed', 'updated']),
      long({
        name: 'a good WordPress',
        offer: { core: '6.1.13' },
        ends: 'updated',
        only: { core: true },
        proof: fileHas('wp-includes/version.php', /'6\.1\.13'/),
      }),
    ],
  },
]

/** What a version of each engine's lanes does; whatever is in `HARMFUL` is tried on each engine. */
export const kindsOn = (db: 'mariadb' | 'sqlite', among: Lane[]): Set<HarmfulKind> => {
  const offered = among.filter(({ spec }) => spec.db === db).flatMap(({ cases, admin }) => (admin ? [...cases, deadAdmin] : cases))
  const isTried = (kind: HarmfulKind) =>
    offered.some(({ offer, ends }) => ends === 'rolled_back' && offer.plugins?.[SAMPLE_PLUGIN] === KINDS[kind].version)
  return new Set((Object.keys(HARMFUL) as HarmfulKind[]).filter(isTried))
}

/** What no lane of that engine has tried yet. */
const others = (name: string, db: 'mariadb' | 'sqlite'): Lane => {
  const known = kindsOn(db, lanes)
  const left = (Object.keys(HARMFUL) as HarmfulKind[]).filter((kind) => !known.has(kind))
  // What a restore keeps for its undo would be found beside those that come after it.
  const cases = left.map((kind) => long(harm(kind))).toSorted((a, b) => Number(a.undoable ?? false) - Number(b.undoable ?? false))
  return { name, spec: modern(db), cases }
}

export const LANES: Lane[] = [...lanes, others('MariaDB, what else harms', 'mariadb'), others('SQLite, what else harms', 'sqlite')]
