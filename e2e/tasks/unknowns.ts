// Questions about what nobody looked at: the only right answer is that it is not known.
import { one, silent } from './numbers.ts'
import type { Task } from './task.ts'

const unheard = `customer ${silent[0]}`
const heard = `customer ${one.up}`
const isUnknown = (known: unknown) => (known === null || known === undefined ? 'unknown' : known)

export const beforeTheFeed: Task = {
  task: 'Which sites have known vulnerabilities? (There is no feed of them.)',
  async work({ call }) {
    const { total, unknown } = await call('list_sites', { vulnerable: true, limit: 1 })
    const { gaps } = await call('get_security', { kind: 'vulnerability', limit: 1 })
    return { total, unknown, told: gaps.find((gap: string) => /vulnerabilities/.test(gap)) }
  },
  right: () => ({ total: 0, unknown: 300, told: 'Nobody looked for known vulnerabilities: there is no feed of them.' }),
}

export const unknowns: Task[] = [
  {
    task: 'Is a site up that nobody has asked yet?',
    async work({ call }) {
      const { sites } = await call('get_uptime', { site_id: unheard })
      return [sites[0].state, sites[0].since]
    },
    right: () => ['unknown', null],
  },
  {
    task: 'What is installed on a site that never answered?',
    async work({ refused }) {
      const { code, message } = await refused('get_inventory', { site_id: unheard })
      return [code, /connect/.test(message)]
    },
    right: () => ['conflict', true],
  },
  {
    task: 'How secure is a site that was never examined?',
    async work({ call }) {
      const { score, counts, gaps, total } = await call('get_security', { site_id: unheard })
      return [isUnknown(score), isUnknown(counts), total, gaps.length > 0]
    },
    right: () => ['unknown', 'unknown', 0, true],
  },
  {
    task: 'Has a site broken links that nobody has read?',
    async work({ call }) {
      const { scan, counts, gaps } = await call('get_broken_links', { site_id: heard })
      return [isUnknown(scan), isUnknown(counts), gaps]
    },
    right: () => ['unknown', 'unknown', ['Nobody has looked for broken links yet.']],
  },
  {
    task: 'How fast is a site that nobody has measured?',
    async work({ call }) {
      const { sites } = await call('get_performance', { site_id: heard })
      return isUnknown(sites[0]?.collected_at)
    },
    right: () => 'unknown',
  },
  {
    task: 'Has a site PHP errors that was never asked for them?',
    async work({ call }) {
      const { counts, collection, gaps } = await call('get_errors', { site_id: heard })
      return [isUnknown(counts), isUnknown(collection.collected_at), gaps]
    },
    right: () => ['unknown', 'unknown', ['Nobody has looked for PHP errors yet.']],
  },
  {
    task: 'Is a backup proven that nobody has tried out?',
    async work({ call }) {
      const { backups } = await call('list_backups', { site_id: heard, limit: 1 })
      return isUnknown(backups[0].verification)
    },
    right: () => 'unknown',
  },
]
