// The tasks that only ask.
import { calendarOf, calendars, client, longAgo, neverBackedUp, nightly, ofClient, one, onPhp81, silent, vulnerable } from './numbers.ts'
import { dayMs } from './place.ts'
import type { Task } from './task.ts'

const sorted = (numbers: (number | undefined)[]) => numbers.toSorted((a, b) => (a ?? 0) - (b ?? 0))
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

export const questions: Record<number, Task> = {
  1: {
    task: 'Which sites have known vulnerabilities, and when was each last backed up?',
    async work({ call }, { numberOf }) {
      const { sites, unknown } = await call('list_sites', { vulnerable: true, fields: 'url,last_good_backup.completed_at' })
      const found = sites.map(({ url, last_good_backup: last }: { url: string; last_good_backup: { completed_at: string } | null }) => [
        numberOf(url),
        last?.completed_at.slice(0, 10) ?? 'never',
      ])
      return { found: Object.fromEntries(found), unknown }
    },
    right: ({ yesterday }) => ({
      found: Object.fromEntries(vulnerable.map((n) => [n, neverBackedUp.includes(n) ? 'never' : yesterday])),
      unknown: silent.length,
    }),
  },
  3: {
    task: `Why did the last job on customer ${one.takenBack} go wrong?`,
    async work({ call }, { site }) {
      const { jobs } = await call('list_jobs', { site_id: site(one.takenBack).id, limit: 1 })
      return [jobs[0].type, jobs[0].outcome, jobs[0].summary]
    },
    right: () => [
      'update',
      'taken_back',
      'The update of “seeds” to 1.1 was not installed because in its trial, which no visitor met, the front page answers with 500.',
    ],
  },
  5: {
    task: `What changed this week on customer ${one.eventful}?`,
    async work({ call }, { site }) {
      const { activity } = await call('get_activity', { site_id: site(one.eventful).id, since: daysAgo(7) })
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
    async work({ call }, { numberOf }) {
      const { sites, total, unknown } = await call('list_sites', { php_version: '8.1', fields: 'url' })
      return { sites: sorted(sites.map(({ url }: { url: string }) => numberOf(url))), total, unknown }
    },
    right: () => ({ sites: onPhp81, total: onPhp81.length, unknown: silent.length }),
  },
  8: {
    task: 'Who has the plugin calendar, and in which version?',
    async work({ call }, { numberOf }) {
      const { found, items } = await call('get_inventory', { slug: 'calendar', fields: 'site,version' })
      const versions = items.map(({ site, version }: { site: string; version: string }) => [numberOf(site), version])
      return { versions: found[0].versions, sites: Object.fromEntries(versions) }
    },
    right: () => ({
      versions: {
        '2.0': calendars.filter((n) => calendarOf(n) === '2.0').length,
        '2.1': calendars.filter((n) => calendarOf(n) === '2.1').length,
      },
      sites: Object.fromEntries(calendars.map((n) => [n, calendarOf(n)])),
    }),
  },
  9: {
    task: `Are customers ${one.up} and ${one.down} up now?`,
    async work({ call }, { site }) {
      const states = []
      for (const n of [one.up, one.down]) states.push((await call('get_uptime', { site_id: site(n).id, fields: 'state,problem' })).sites[0])
      return states.map(({ state, problem }) => (state === 'up' ? state : `${state}: ${problem}`))
    },
    right: () => ['up', 'down: The site answers with 500.'],
  },
  11: {
    task: 'Which sites were not backed up for a week?',
    async work({ call }, { numberOf }) {
      const { sites, total } = await call('list_sites', { not_backed_up_since: daysAgo(7), fields: 'url' })
      return { total, sites: sorted(sites.map(({ url }: { url: string }) => numberOf(url))) }
    },
    right: () => ({
      total: longAgo.length + neverBackedUp.length + silent.length,
      sites: sorted([...longAgo, ...neverBackedUp, ...silent]),
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
      const { counts } = await call('get_activity', { since: yesterday, until: yesterday, limit: 5 })
      const told = counts.map(
        (each: { performed_by: string; category: string; entries: number; sites: number }) =>
          `${each.performed_by}: ${each.category} ${each.entries} on ${each.sites}`,
      )
      return told.filter((line: string) => !/security/.test(line))
    },
    right: () => [`night watch: backup ${nightly.length} on ${nightly.length}`, 'Mia: maintenance 2 on 2', 'robot two: update 2 on 2'],
  },
  20: {
    task: 'Is the last backup of the Harbour proven?',
    async work({ call }, { real: [harbour] }) {
      const { backups } = await call('list_backups', { site_id: harbour?.id, limit: 1 })
      return backups[0].verification ?? 'unknown'
    },
    right: () => 'restored',
  },
  21: {
    task: 'Are daily backups on, for everybody?',
    async work({ call }, { numberOf }) {
      const { sites, total } = await call('list_sites', { scheduled: false, fields: 'url' })
      return { total, without: sites.map(({ url }: { url: string }) => numberOf(url)) }
    },
    right: () => ({ total: 1, without: [one.unscheduled] }),
  },
  24: {
    task: `Which PHP errors came up on customer ${one.erring} since its update?`,
    async work({ call }, { site }) {
      const { errors } = await call('get_errors', { site_id: site(one.erring).id })
      return errors.map(({ message, count, after }: { message: string; count: number; after: { type: string; summary: string } }) => [
        message,
        count,
        after.type,
        after.summary,
      ])
    },
    right: () => [['Uncaught Error: Call to undefined function sow()', 7, 'update', 'Updated “seeds” from 1.0 to 1.1.']],
  },
  25: {
    task: `What was done for ${client} this month, and how are its sites?`,
    async work({ call }, { numberOf }) {
      const { counts } = await call('get_activity', { client, since: daysAgo(30), limit: 1 })
      const { sites } = await call('list_sites', {
        client,
        fields: 'url,uptime.state,security.vulnerabilities,broken_links,performance,php_errors,last_good_backup.completed_at',
      })
      const sum = (category: string) =>
        counts
          .filter((each: { category: string }) => each.category === category)
          .reduce((all: number, { entries }: { entries: number }) => all + entries, 0)
      return {
        backups: sum('backup'),
        updates: sum('update'),
        maintenance: sum('maintenance'),
        up: sorted(
          sites.flatMap((each: { url: string; uptime: { state: string } }) => (each.uptime.state === 'up' ? [numberOf(each.url)] : [])),
        ),
        vulnerabilities: sites.map((each: { security: { vulnerabilities: number } }) => each.security.vulnerabilities),
        unknown: ['broken_links', 'performance', 'php_errors'].filter((part) =>
          sites.every((each: Record<string, unknown>) => each[part] === null),
        ),
      }
    },
    right: () => ({
      ...{ backups: 5, updates: 1, maintenance: 2 },
      ...{ up: [...ofClient], vulnerabilities: [0, 0, 0, 0], unknown: ['broken_links', 'performance', 'php_errors'] },
    }),
  },
}
