// The tasks that only ask.
import { clientsMonth } from './month.ts'
import { calendarOf, calendars, handover, longAgo, neverBackedUp, nightly, one, onPhp81, silent, vulnerable } from './numbers.ts'
import { daysAgo, urlsOf } from './place.ts'
import type { Task } from './task.ts'

const sortedUrls = (sites: { url: string }[]) => sites.map(({ url }) => url).sort()

export const questions: Record<number, Task> = {
  1: {
    task: 'Which sites have known vulnerabilities, and when was each last backed up?',
    async work({ call }) {
      const { sites, unknown } = await call('list_sites', { vulnerable: true, fields: 'url,last_good_backup.completed_at' })
      const found = sites.map(({ url, last_good_backup: last }: { url: string; last_good_backup: { completed_at: string } | null }) => [
        url,
        last?.completed_at.slice(0, 10) ?? 'never',
      ])
      return { found: Object.fromEntries(found), unknown }
    },
    right: ({ yesterday, site }) => ({
      found: Object.fromEntries(vulnerable.map((n) => [site(n).url, neverBackedUp.includes(n) ? 'never' : yesterday])),
      unknown: silent.length,
    }),
  },
  3: {
    task: 'The last job that went wrong: on which site was it, and why?',
    async work({ call }) {
      const { jobs } = await call('list_jobs')
      const last = jobs.find(({ outcome }: { outcome: string | null }) => outcome === 'failed' || outcome === 'taken_back')
      return [last?.site, last?.type, last?.outcome, last?.summary]
    },
    right: ({ site }) => [
      site(one.takenBack).domain,
      'update',
      'taken_back',
      'The update of “seeds” to 1.1 was not installed because in its trial, which no visitor met, the front page answers with 500.',
    ],
  },
  5: {
    task: `What changed this week on customer ${one.eventful}?`,
    async work({ call }) {
      const { activity } = await call('get_activity', { site_id: `customer ${one.eventful}`, since: daysAgo(7) })
      return activity.map(({ summary, performed_by }: { summary: string; performed_by: string }) => `${performed_by}: ${summary}`)
    },
    right: () => [
      'night watch: Backed up the database',
      'Mia: Answered the client about the shop',
      'Seen on the site: The plugin “garden” was switched off',
      'robot: Updated “seeds” from 1.0 to 1.1',
      'robot: Backed up the database',
    ],
  },
  7: {
    task: 'Which sites are on PHP 8.1?',
    async work({ call }) {
      const { sites, total, unknown } = await call('list_sites', { php_version: '8.1', fields: 'url' })
      return { sites: sortedUrls(sites), total, unknown }
    },
    right: (planted) => ({ sites: urlsOf(planted, onPhp81), total: onPhp81.length, unknown: silent.length }),
  },
  8: {
    task: 'Who has the plugin calendar, and in which version?',
    async work({ call }) {
      const { found, items } = await call('get_inventory', { slug: 'calendar', fields: 'site,version' })
      const versions = items.map(({ site, version }: { site: string; version: string }) => [site, version])
      return { versions: found[0].versions, sites: Object.fromEntries(versions) }
    },
    right: ({ site }) => ({
      versions: {
        '2.0': calendars.filter((n) => calendarOf(n) === '2.0').length,
        '2.1': calendars.filter((n) => calendarOf(n) === '2.1').length,
      },
      sites: Object.fromEntries(calendars.map((n) => [site(n).domain, calendarOf(n)])),
    }),
  },
  9: {
    task: `Are customers ${one.up} and ${one.down} up now?`,
    async work({ call }) {
      const states = []
      for (const n of [one.up, one.down])
        states.push((await call('get_uptime', { site_id: `customer ${n}`, fields: 'state,problem' })).sites[0])
      return states.map(({ state, problem }) => (state === 'up' ? state : `${state}: ${problem}`))
    },
    right: () => ['up', 'down: The site answers with 500.'],
  },
  11: {
    task: 'Which sites were not backed up for a week?',
    async work({ call }) {
      const { sites, total } = await call('list_sites', { not_backed_up_since: daysAgo(7), fields: 'url' })
      return { total, sites: sortedUrls(sites) }
    },
    right: (planted) => ({
      total: longAgo.length + neverBackedUp.length + silent.length,
      sites: urlsOf(planted, [...longAgo, ...neverBackedUp, ...silent]),
    }),
  },
  16: {
    task: 'The security of the fleet in a paragraph.',
    async work({ call }) {
      const { checks, gaps } = await call('get_security', { limit: 1 })
      return { worst: checks[0], unlooked: gaps.filter((gap: string) => /files|vulnerabilities/.test(gap)) }
    },
    right: () => ({
      worst: { check: 'known_vulnerability', severity: 'high', findings: vulnerable.length, sites: vulnerable.length },
      unlooked: [
        'Nobody has looked for changed files yet on 300 of 300 sites.',
        'Nobody has looked for known vulnerabilities yet on 2 of 300 sites.',
      ],
    }),
  },
  17: {
    task: 'Who did what yesterday?',
    async work({ call }, { yesterday }) {
      const that = { since: yesterday, until: yesterday }
      const { counts } = await call('get_activity', { ...that, limit: 5 })
      const { activity } = await call('get_activity', { ...that, category: 'maintenance' })
      return {
        counts: counts.map(
          (each: { performed_by: string; category: string; entries: number; sites: number }) =>
            `${each.performed_by}: ${each.category} ${each.entries} on ${each.sites}`,
        ),
        byHand: activity.map(({ site_name, performed_by, summary, notes }: Record<string, string | null>) => [
          ...[site_name, performed_by, summary, notes],
        ]),
      }
    },
    right: () => ({
      counts: [`night watch: backup ${nightly.length} on ${nightly.length}`, 'Mia: maintenance 2 on 2', 'robot two: update 2 on 2'],
      byHand: handover.toReversed().map(({ n, summary, notes }) => [`Customer ${n}`, 'Mia', summary, notes]),
    }),
  },
  20: {
    task: 'Is the last backup of the Harbour proven?',
    async work({ call }) {
      const { backups } = await call('list_backups', { site_id: 'the Harbour', limit: 1 })
      return backups[0].verification ?? 'unknown'
    },
    right: () => 'restored',
  },
  21: {
    task: 'Are daily backups on, for everybody?',
    async work({ call }) {
      const { sites, total } = await call('list_sites', { scheduled: false, fields: 'url' })
      return { total, without: sortedUrls(sites) }
    },
    right: (planted) => ({ total: 1, without: urlsOf(planted, [one.unscheduled]) }),
  },
  24: {
    task: `Which PHP errors came up on customer ${one.erring} since its update?`,
    async work({ call }) {
      const site_id = `customer ${one.erring}`
      const { jobs } = await call('list_jobs', { site_id, type: 'update', limit: 1 })
      const { errors } = await call('get_errors', { site_id })
      const since = Date.parse(jobs[0].completed_at)
      return errors
        .filter(({ first_seen_at }: { first_seen_at: string }) => Date.parse(first_seen_at) >= since)
        .map(({ message, count, after }: { message: string; count: number; after: { type: string; summary: string } }) => [
          ...[message, count, after.type, after.summary],
        ])
    },
    right: () => [['Uncaught Error: Call to undefined function sow()', 7, 'update', 'Updated “seeds” from 1.0 to 1.1.']],
  },
  25: clientsMonth,
}
