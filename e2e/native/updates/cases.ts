// Every way in which an update can go wrong, each as it is tried on a real site.
import assert from 'node:assert/strict'
import { chmod, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HARMLESS } from '../../../demo/harmless-versions.ts'
import type { Offer } from '../../../demo/mirror-answers.ts'
import { SAMPLE_THEME, TRANSLATION } from '../../../demo/mirror-packages.ts'
import { run } from '../../../demo/npm.ts'
import { KINDS, SAMPLE_PLUGIN, type SampleKind } from '../../../demo/sample-plugin.ts'
import type { SiteSpec } from '../fleet.ts'
import { forbidTrials, type Managed } from '../managed.ts'
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
  /** What WordPress itself writes when it meets that trouble, and keeps. */
  leaves?: string
  /** Of a kind that another case is of as well: tried by `npm run prove:updates` alone. */
  long?: true
  /** A restore was a part of it: the site keeps what it needs to undo that for a day. */
  undoable?: true
  /** No trial comes first: it is installed, and on offer still once it was taken back. */
  untried?: true
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
const refused = (name: string, kind: SampleKind, reason?: RegExp): Case => ({ ...broken(name, kind, reason), ends: 'failed' })

const fileHas = (path: string, text: RegExp) => async (one: Managed) => text.test(await readFile(join(one.native.dir, path), 'utf8'))
const themes = (version: string): Offer => ({ themes: { [SAMPLE_THEME]: version } })

const heardBy = ({ native }: Managed) => join(native.dir, '../tmp/heard')

/** Signed requests, beside those of the backup before it, `hello` and `db.…`, and looks into wp-admin. */
const mostRequests = 8

const goodPlugin: Case = {
  ...{ name: `a good plugin, with ${mostRequests} requests`, offer: plugin('good_new'), ends: 'updated' },
  async arrange(one) {
    await rm(heardBy(one), { force: true })
    return async () => undefined
  },
  async proof(one) {
    const heard = (await readFile(heardBy(one), 'utf8')).trim().split('\n')
    const own = heard.filter((verb) => !/^(hello$|db\.|updates\.page$)/.test(verb))
    assert.ok(own.length <= mostRequests, own.join(', '))
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
const translation: Case = {
  ...{ name: 'a translation', offer: { translation: true }, ends: 'updated' },
  proof: fileHas(`wp-content/languages/plugins/${TRANSLATION.slug}-${TRANSLATION.language}.po`, /PO-Revision-Date/),
}

const killedByTimeLimit: Case = {
  ...{
    name: 'PHP is killed by its time limit between the old version and the new',
    offer: plugin('good_new'),
    ends: ['rolled_back', 'failed'],
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

/** WordPress's own update was killed so many seconds ago: its lock and its notice are still there. */
const killedCore = (name: string, ago: number, ends: Ending[], reason?: RegExp): Case => ({
  ...{ name, offer: { core: '6.1.10' }, ends, only: { core: true } },
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
  async arrange({ native }) {
    await forbidTrials(native)
    return () => chmod(native.dir, 0o755)
  },
})

/** Twenty visitors who come again and again, to a site whose folder lets nobody open a way before WordPress: no version can be tried there. */
const crowded: Case = {
  ...broken('every request hangs under twenty visitors, and nothing could be tried', 'hangs', /answer/),
  async arrange({ native }) {
    await forbidTrials(native)
    const over = new AbortController()
    const visitors = Array.from({ length: 20 }, async () => {
      while (!over.signal.aborted) {
        await fetch(native.url, { signal: over.signal })
          .then((answer) => answer.text())
          .catch(() => undefined)
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
export const deadAdmin = broken('a dead wp-admin', 'dead_admin', /wp-admin/)

/** After each page, so that its trial shows nothing of it. */
const emptiesPosts: Case = {
  ...broken(
    'the database is spoilt beyond what the files and the options heal',
    'empties_posts',
    /did not heal the site, so \d+ tables? .* came back from/,
  ),
  ...{ undoable: true, only: { plugins: [SAMPLE_PLUGIN] } },
}

/** One after another on one site: each is a higher version than the one before. */
const harmless = Object.keys(HARMLESS).map((kind) =>
  long({ name: `harmless: ${kind.replaceAll('_', ' ')}`, offer: plugin(kind as SampleKind), ends: 'updated' }),
)

export const LANES: Lane[] = [
  {
    name: 'MariaDB, code that breaks',
    spec: modern('mariadb'),
    cases: [
      broken('a fatal error at load', 'fatal_at_load', /does not start/),
      long(broken('a fatal error on the front page alone', 'fatal_on_front_page')),
      long(broken('a fatal error on the login page alone', 'fatal_on_login_page')),
      long(broken('a redirect loop', 'redirect_loop')),
      broken('it deactivates itself', 'deactivates_itself', /active/i),
      goodPlugin,
    ],
  },
  {
    name: 'SQLite, code that breaks',
    spec: modern('sqlite'),
    cases: [
      broken('a parse error', 'parse_error'),
      long(broken('a 500 page', 'error_500_page', /500/)),
      broken('a blank page with 200', 'blank_200_page'),
      long(broken('a fatal error at load', 'fatal_at_load')),
      long(broken('it deactivates itself', 'deactivates_itself', /active/i)),
      long(goodPlugin),
    ],
  },
  {
    name: 'display_errors on, so that a dead page is a 200',
    spec: modern('mariadb', { php: { display_errors: '1' } }),
    cases: [
      long(broken('a white screen: fatal at load', 'fatal_at_load')),
      long(broken('a white screen: fatal on the front page alone', 'fatal_on_front_page')),
      long(refused('no zip', 'not_a_zip')),
      goodTheme,
      long(brokenTheme),
    ],
  },
  {
    name: 'what a visitor of the front page does not meet',
    spec: modern('mariadb'),
    admin: true,
    cases: [
      long(broken('a dead editor', 'dead_editor', /editor/)),
      long(broken('a dead REST API', 'dead_rest', /REST|PHP met errors/)),
      long(broken('a REST API that says more than JSON', 'noisy_rest', /REST/)),
      long(broken('a REST API at another address', 'moves_rest', /REST API below/)),
      broken('nobody can sign in', 'nobody_signs_in', /lets nobody in/),
      long(broken('a feed that no reader reads', 'broken_feed', /feed/)),
      long(broken('a dead search', 'fatal_on_search', /search|PHP met errors/)),
      broken('WP-Cron loses its events', 'forgets_events', /WP-Cron/),
      long(goodPlugin),
    ],
  },
  {
    name: 'what changes options',
    spec: modern('mariadb'),
    cases: [
      long(broken('every plugin is switched off', 'switches_all_off')),
      long(broken('the address is another one', 'moves_the_site', /a copy/)),
      long({ ...broken('the theme is one that is not there', 'loses_the_theme'), leaves: 'theme_mods_none: undefined' }),
      long(broken('there are no roles', 'loses_roles')),
      emptiesPosts,
    ],
  },
  {
    name: 'what is installed for everybody, because nothing can be tried there',
    spec: modern('mariadb'),
    cases: [
      untried('every plugin is switched off', 'switches_all_off', /active/),
      long(untried('the address is another one', 'moves_the_site')),
      long({ ...untried('the theme is one that is not there', 'loses_the_theme'), leaves: 'theme_mods_none: undefined' }),
      long(untried('there are no roles', 'loses_roles')),
      untried('a dead wp-admin', 'dead_admin', /wp-admin/),
    ],
  },
  {
    name: 'what is a 200 all the same',
    spec: modern('sqlite'),
    cases: [
      broken('the contents are gone', 'contents_gone', /lost most of its words/),
      long(broken('a style hides the page', 'hides_the_page', /hidden/)),
      long(broken('it leads elsewhere', 'leads_away', /elsewhere/)),
      long(broken('members only', 'members_only', /asks to sign in/)),
      long(broken('very slow', 'very_slow', /takes \d/)),
      long(broken('every plugin is switched off', 'switches_all_off')),
      long(broken('the address is another one', 'moves_the_site')),
      long(goodPlugin),
      long(emptiesPosts),
    ],
  },
  {
    name: 'what never ends, on a host that ends nothing',
    spec: modern('mariadb', { pool: ['request_terminate_timeout = 0'] }),
    cases: [
      broken('every request hangs', 'hangs', /answer/),
      long(broken('every page hangs', 'hangs_on_pages', /answer/)),
      long(broken('every request counts for ever', 'spins', /does not start|answer/)),
      long(crowded),
    ],
  },
  { name: 'what only looks like harm, on MariaDB', spec: modern('mariadb'), cases: harmless },
  { name: 'what only looks like harm, on SQLite', spec: modern('sqlite'), cases: harmless },
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
      refused('a file in it leads out of it', 'climbs_out', /lead out/),
      long(refused('the plugin is not in it', 'without_main', /does not hold/)),
      { ...broken('a download that stops half way', 'stalled_download'), ends: ['rolled_back', 'failed'] },
      killedByTimeLimit,
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
    ],
  },
  {
    name: 'a page cache that hides a dead site',
    spec: modern('mariadb', { pageCache: true }),
    cases: [long(broken('a fatal error at load', 'fatal_at_load')), broken('a fatal error on the front page alone', 'fatal_on_front_page')],
  },
  {
    name: 'WordPress 6.1.9 and its own update',
    spec: { wp: '6.1.9', db: 'mariadb' },
    cases: [
      long(broken('a fatal error at load', 'fatal_at_load')),
      { name: 'a WordPress with a fatal error', offer: { core: '6.1.11' }, ends: 'rolled_back', only: { core: true } },
      // Whoever runs the gate meets this and the good one in undo-core.test.ts.
      long({
        name: 'a WordPress that fails before it reads anything',
        offer: { core: '6.1.12' },
        ends: 'rolled_back',
        only: { core: true },
      }),
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
