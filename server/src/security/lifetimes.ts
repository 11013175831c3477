// Until when versions of PHP and of databases get security fixes from their makers. State: November 2026.

/** branch → last day, UTC. */
type Lifetimes = Readonly<Record<string, string>>

/** https://www.php.net/supported-versions.php and https://www.php.net/eol.php */
const php: Lifetimes = {
  '5.6': '2018-12-31',
  '7.0': '2019-01-10',
  '7.1': '2019-12-01',
  '7.2': '2020-11-30',
  '7.3': '2021-12-06',
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
}

/** https://mariadb.org/about/#maintenance-policy */
const mariadb: Lifetimes = {
  '5.5': '2020-04-11',
  '10.0': '2019-03-31',
  '10.1': '2020-10-17',
  '10.2': '2022-05-23',
  '10.3': '2023-05-25',
  '10.4': '2024-06-18',
  '10.5': '2025-06-24',
  '10.6': '2026-07-06',
  '10.11': '2028-02-16',
  '11.4': '2029-05-29',
}

/** https://www.mysql.com/support/eol-notice.html and Oracle’s lifetime support policy */
const mysql: Lifetimes = { '5.5': '2018-12-31', '5.6': '2021-02-28', '5.7': '2023-10-31', '8.0': '2026-04-30', '8.4': '2032-04-30' }

const makers = { php, mariadb, mysql }

/** The last day of support, when it is over; undefined while it lasts, and for branches that are not in the table. */
export function endedOn(maker: keyof typeof makers, version: string, now: Date): string | undefined {
  const branch = /(\d+\.\d+)/.exec(maker === 'mariadb' ? version.replace(/^5\.5\.5-/, '') : version)?.[1] ?? ''
  const last = Object.hasOwn(makers[maker], branch) ? makers[maker][branch] : olderThanAll(makers[maker], branch)
  return last !== undefined && now.getTime() > Date.parse(`${last}T23:59:59Z`) ? last : undefined
}

/** A branch from before the table ended no later than the first one in it. */
function olderThanAll(lifetimes: Lifetimes, branch: string): string | undefined {
  const [first] = Object.keys(lifetimes)
  return branch !== '' && first !== undefined && Number.parseFloat(branch) < Number.parseFloat(first) ? lifetimes[first] : undefined
}
