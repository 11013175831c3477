// The tasks that change something.
import { until } from '../../server/test/until.ts'
import { broken, forms, one, shops, silent, staging } from './numbers.ts'
import { domainsOf, type Planted } from './place.ts'
import { lookAtPlugin } from './real.ts'
import type { Task } from './task.ts'

const harbour = ({ real: [it] }: Pick<Planted, 'real'>) => it ?? fail()
const lighthouse = ({ real: [, it] }: Pick<Planted, 'real'>) => it ?? fail()
const fail = (): never => {
  throw new Error('There are fewer real sites.')
}
const plugin = 'harbour-notices'

/** Of a list of backups. */
interface Row {
  type: string
  status: string
  completed_at: string
}

type Told = Record<'site' | 'status' | 'reason', string>
/** Of a job on many sites: those that ended so, each with why. */
const withReasons = (sites: Told[], ending: string) =>
  sites
    .filter(({ status }) => status === ending)
    .map(({ site, reason }) => [site, reason])
    .sort()

const updated = forms.filter((n) => !shops.includes(n))

export const works: Record<number, Task> = {
  2: {
    task: 'Restore the plugin harbour-notices of the Harbour from its last backup.',
    async before(planted) {
      const { job_id } = await planted.here.call('backups.create', { site_id: harbour(planted).id, type: 'db' })
      await planted.here.job(String(job_id))
    },
    async work({ call, ended }) {
      const { backups } = await call('list_backups', { site_id: 'the Harbour', limit: 5, fields: 'id,site_id,type,status,completed_at' })
      const { id, site_id } = backups.find(({ type, status }: Row) => type !== 'db' && status === 'completed')
      const asked = { site_id, backup_id: id, include: [`plugin:${plugin}`], safety_backup: false }
      await call('restore_backup', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('restore_backup', asked)).job_id)
      return { outcome, newest: backups[0].type }
    },
    seen: (planted) => lookAtPlugin(harbour(planted)),
    right: () => ({ outcome: 'done', newest: 'db', version: '1.0.0', spoiled: false }),
  },
  4: {
    task: 'Write down that yesterday I renewed the certificate of customer 101.',
    async work({ call, idOf }, { yesterday }) {
      const site_id = await idOf('customer 101')
      const said = await call('log_activity', { site_id, summary: 'Renewed the certificate', performed_at: yesterday })
      return [said.site_name, said.performed_at, said.summary, said.in_reports]
    },
    right: ({ yesterday }) => ['Customer 101', `${yesterday}T00:00:00.000Z`, 'Renewed the certificate', true],
  },
  6: {
    task: 'Update the plugin forms everywhere but in the shops, wait, and say what broke.',
    async work({ call, ended }) {
      const asked = { every_site: true, except: ['shops'], plugins: ['forms'] }
      const plan = await call('update_site', { ...asked, dry_run: true })
      const { result } = await ended((await call('update_site', asked)).job_id)
      return {
        would: Object.fromEntries(plan.would.map(({ slug, sites }: { slug: string; sites: number }) => [slug, sites])),
        updated: result.counts.updated,
        broke: withReasons(result.sites, 'rolled_back'),
      }
    },
    right: (planted) => ({
      would: { forms: updated.length },
      updated: updated.length - broken.length,
      broke: domainsOf(planted, broken).map((site) => [site, 'In its trial, which no visitor met, the front page answers with 500.']),
    }),
  },
  10: {
    task: 'Back up all databases.',
    async work({ call, ended }) {
      const { job_id, total, skipped } = await call('create_backup', { every_site: true, type: 'db' })
      const { outcome, result } = await ended(job_id)
      return { total, skipped, outcome, counts: result.counts, without: withReasons(result.sites, 'skipped') }
    },
    right: (planted) => ({
      ...{ total: 298, skipped: 2, outcome: 'partly', counts: { done: 298, skipped: 2 } },
      without: domainsOf(planted, silent).map((site) => [site, 'The site is pending.']),
    }),
  },
  12: {
    task: 'Give me a login for the editor of the Harbour.',
    async work({ refused, idOf }) {
      const { code, message } = await refused('site_login_url', { site_id: await idOf('the Harbour'), user: 'editor' })
      return [code, message]
    },
    right: () => [
      'invalid_payload',
      'site_login_url was not called. Its arguments are not valid. user: No administrator of this site has that login or e-mail address, and nobody else is let in. Leave it out for the one who paired the site. The arguments are: site_id (required), user, idempotency_key, why. Correct them and call site_login_url again.',
    ],
  },
  13: {
    task: `Apply what is of low risk to customer ${one.fixed}.`,
    async work({ call, ended }) {
      const { site_id, tweaks } = await call('list_site_tweaks', { site_id: `customer ${one.fixed}` })
      const tweak_ids = tweaks
        .filter((each: { risk: string; state: string }) => each.risk === 'low' && each.state === 'not_applied')
        .map(({ id }: { id: string }) => id)
      await call('apply_security_fix', { site_id, tweak_ids, dry_run: true })
      const { outcome } = await ended((await call('apply_security_fix', { site_id, tweak_ids })).job_id)
      return { outcome }
    },
    seen: ({ site }) => ({ on: [...site(one.fixed).fake.state.tweaks.on].sort() }),
    right: () => ({
      outcome: 'done',
      on: [
        'debug_display_off',
        'directory_listing_off',
        'file_editor_off',
        'pingbacks_off',
        'readme_blocked',
        'uploads_php_off',
        'version_hidden',
      ],
    }),
  },
  14: {
    task: `Open XML-RPC again on customer ${one.protected}: an app needs it.`,
    async work({ call, ended, idOf }) {
      const asked = { site_id: await idOf(`customer ${one.protected}`), tweak_ids: ['xmlrpc_off'], action: 'revert' }
      const { outcome } = await ended((await call('apply_security_fix', asked)).job_id)
      return { outcome }
    },
    seen: ({ site }) => ({ on: [...site(one.protected).fake.state.tweaks.on] }),
    right: () => ({ outcome: 'done', on: [] }),
  },
  15: {
    task: `Customer ${one.protected} has no HTTPS, and that is all right until the new year.`,
    async work({ call }) {
      const { findings } = await call('get_security', { site_id: `customer ${one.protected}`, check: 'no_https' })
      const [{ site, id }] = findings
      const until = `${new Date().getUTCFullYear() + 1}-01-01`
      const { status } = await call('ignore_finding', { site_id: site, finding_id: id, reason: 'Behind the gateway', until })
      return [site, status]
    },
    right: ({ site }) => [site(one.protected).domain, 'ignored'],
  },
  18: {
    task: `Cancel the backup of customer ${one.slow}.`,
    async before({ here, site }) {
      const { id, fake } = site(one.slow)
      fake.misbehave('slow')
      const { job_id } = await here.call('backups.create', { site_id: id, type: 'full' })
      await until(async () => (await here.call('jobs.get', { job_id })).status === 'running')
    },
    async work({ call, ended }) {
      const { jobs } = await call('list_jobs', { site_id: `customer ${one.slow}`, status: 'running', type: 'backup' })
      await call('cancel_job', { job_id: jobs[0].id })
      const { status } = await ended(jobs[0].id)
      return { running: jobs.length, status }
    },
    seen({ site }) {
      site(one.slow).fake.misbehave()
      return {}
    },
    right: () => ({ running: 1, status: 'canceled' }),
  },
  19: {
    task: 'Undo the restore of the Harbour.',
    async work({ call, ended, idOf }) {
      const { outcome } = await ended((await call('undo_restore', { site_id: await idOf('the Harbour') })).job_id)
      return { outcome }
    },
    seen: (planted) => lookAtPlugin(harbour(planted)),
    right: () => ({ outcome: 'done', version: '1.0.0', spoiled: true }),
  },
  22: {
    task: 'Update WordPress itself, on staging only.',
    async work({ call, ended }) {
      const asked = { tag: 'staging', core: true }
      const plan = await call('update_site', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('update_site', asked)).job_id)
      return { would: plan.would, outcome }
    },
    seen({ site }) {
      const versions = new Set(staging.map((n) => site(n).fake.state.wpVersion))
      return { versions: [...versions], other: site(1).fake.state.wpVersion }
    },
    right: () => ({
      would: [{ type: 'core', slug: 'wordpress', to_version: '6.8.2', sites: staging.length }],
      ...{ outcome: 'done', versions: ['6.8.2'], other: '6.8.1' },
    }),
  },
  23: {
    task: 'Put the plugin harbour-notices of the Lighthouse back to its version before the update.',
    async work({ call, ended }) {
      const named = { site_id: 'the Lighthouse' }
      const { jobs } = await call('list_jobs', { ...named, type: 'update', limit: 1 })
      const { backups } = await call('list_backups', { ...named, fields: 'id,site_id,type,status,completed_at' })
      const whole = backups.filter(({ type, status }: Row) => type !== 'db' && status === 'completed')
      const { id, site_id } = whole.find(({ completed_at }: Row) => completed_at <= jobs[0].created_at)
      const asked = { site_id, backup_id: id, include: [`plugin:${plugin}`], safety_backup: false }
      const { plan } = await call('restore_backup', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('restore_backup', asked)).job_id)
      return { update: jobs[0].summary, whole: whole.length, would: plan.changes, outcome }
    },
    seen: (planted) => lookAtPlugin(lighthouse(planted)),
    right: () => ({
      update: 'Updated “harbour-notices” from 1.0.0 to 1.1.0.',
      whole: 2,
      would: [`the plugin “${plugin}” would go from 1.1.0 to 1.0.0`],
      ...{ outcome: 'done', version: '1.0.0', spoiled: false },
    }),
  },
}
