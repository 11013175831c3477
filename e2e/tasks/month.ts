// What a client is told at the end of a month, with what nobody looked at.
import { asked, client, frontPage, handover, measured, ofClient, scanned } from './numbers.ts'
import { daysAgo } from './place.ts'
import type { Task } from './task.ts'

interface Site {
  id: string
  url: string
  uptime: { state: string } | null
  security: { vulnerabilities: number | null }
  performance: { page_bytes: number } | null
  php_errors: { open: number } | null
  broken_links: { broken: number } | null
  last_good_backup: { completed_at: string } | null
}
const fields =
  'id,url,uptime.state,security.vulnerabilities,performance.page_bytes,php_errors.open,broken_links.broken,last_good_backup.completed_at'

const unknown = 'unknown'

export const clientsMonth: Task = {
  task: `What was done for ${client} this month, and how are its sites?`,
  async work({ call }) {
    const { activity } = await call('get_activity', { client, since: daysAgo(30) })
    const { sites } = (await call('list_sites', { client, fields })) as { sites: Site[] }
    const found = []
    for (const { id, url, ...known } of sites) {
      const [uptime] = (await call('get_uptime', { site_id: id, fields: 'ratio_30d' })).sites
      const { errors } = known.php_errors?.open ? await call('get_errors', { site_id: id, fields: 'message,count' }) : { errors: [] }
      const { links } = known.broken_links?.broken
        ? await call('get_broken_links', { site_id: id, fields: 'url,anchor_text,reason' })
        : { links: [] }
      found.push({
        url,
        uptime: `${known.uptime?.state ?? unknown}, ${uptime.ratio_30d ?? unknown}`,
        backedUp: known.last_good_backup?.completed_at.slice(0, 10) ?? unknown,
        vulnerabilities: known.security.vulnerabilities ?? unknown,
        page_bytes: known.performance?.page_bytes ?? unknown,
        errors: known.php_errors ? errors.map(({ message, count }: Record<string, unknown>) => `${count} × ${message}`) : unknown,
        links: known.broken_links ? links.map((link: Record<string, string>) => `${link.anchor_text}: ${link.reason}`) : unknown,
      })
    }
    return { done: activity.map(({ performed_by, summary }: Record<string, string>) => `${performed_by}: ${summary}`).sort(), sites: found }
  },
  right: ({ site, yesterday }) => ({
    done: [
      ...handover.map(({ summary }) => `Mia: ${summary}`),
      ...ofClient.map(() => 'Pairing: The site was connected'),
      ...ofClient.map(() => 'Pairing: The site was paired with a code for new sites'),
      ...ofClient.map(() => 'night watch: Backed up the database'),
      ...['robot: Backed up the database', 'robot: Updated “seeds” from 1.0 to 1.1'],
    ],
    sites: ofClient.map((n) => ({
      url: site(n).url,
      uptime: 'up, 1',
      backedUp: yesterday,
      vulnerabilities: 0,
      page_bytes: measured.includes(n) ? frontPage.length : unknown,
      errors: asked.includes(n) ? (n === ofClient[0] ? ['3 × Undefined variable $price'] : []) : unknown,
      links: scanned.includes(n) ? ['Our brochure: not_found'] : unknown,
    })),
  }),
}
