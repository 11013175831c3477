// The tasks that change something.
import { until } from '../../server/test/until.ts'
import { broken, forms, one, shops, staging } from './numbers.ts'
import type { Planted } from './place.ts'
import { lookAtPlugin } from './real.ts'
import type { Task } from './task.ts'

const harbour = ({ real: [it] }: Pick<Planted, 'real'>) => it ?? fail()
const lighthouse = ({ real: [, it] }: Pick<Planted, 'real'>) => it ?? fail()
const fail = (): never => {
  throw new Error('There are fewer real sites.')
}
const plugin = 'harbour-notices'
/** Until then the site that is slow answers nothing. */
const goesOn = Promise.withResolvers<void>()

const updated = forms.filter((n) => !shops.includes(n))

export const works: Record<number, Task> = {
  2: {
    task: 'Restore the plugin harbour-notices of the Harbour from its last backup.',
    async work({ call, ended }, planted) {
      const site_id = harbour(planted).id
      const { backups } = await call('list_backups', { site_id, limit: 3, fields: 'id,type,status,completed_at' })
      const asked = { site_id, backup_id: backups[0].id, include: [`plugin:${plugin}`], safety_backup: false }
      await call('restore_backup', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('restore_backup', asked)).job_id)
      return { outcome, ...(await lookAtPlugin(harbour(planted))) }
    },
    right: () => ({ outcome: 'done', version: '1.0.0', spoiled: false }),
  },
  4: {
    task: 'Write down that yesterday I renewed the certificate of customer 101.',
    async work({ call }, { site, yesterday }) {
      const said = await call('log_activity', { site_id: site(101).id, summary: 'Renewed the certificate', performed_at: yesterday })
      return [said.performed_at, said.summary, said.in_reports]
    },
    right: ({ yesterday }) => [`${yesterday}T00:00:00.000Z`, 'Renewed the certificate', true],
  },
  6: {
    task: 'Update the plugin forms everywhere but in the shops, wait, and say what broke.',
    async work({ call, ended }, { numberOf }) {
      const asked = { every_site: true, except: ['shops'], plugins: ['forms'] }
      const plan = await call('update_site', { ...asked, dry_run: true })
      const { result } = await ended((await call('update_site', asked)).job_id)
      const broke = result.sites.filter(({ status }: { status: string }) => status === 'rolled_back')
      return {
        would: Object.fromEntries(plan.would.map(({ slug, sites }: { slug: string; sites: number }) => [slug, sites])),
        updated: result.counts.updated,
        broke: broke.map(({ site_id }: { site_id: string }) => numberOf(site_id)).sort(),
      }
    },
    right: () => ({
      would: { forms: updated.length },
      updated: updated.length - broken.length,
      broke: [...broken].sort(),
    }),
  },
  10: {
    task: 'Back up all databases.',
    async work({ call, ended }) {
      const { job_id, total, skipped } = await call('create_backup', { every_site: true, type: 'db' })
      const { outcome, result } = await ended(job_id)
      return { total, skipped, outcome, counts: result.counts }
    },
    right: () => ({ total: 298, skipped: 2, outcome: 'partly', counts: { done: 298, skipped: 2 } }),
  },
  12: {
    task: 'Give me a login for the editor of the Harbour.',
    async work({ refused }, { real: [it] }) {
      const { code, message } = await refused('site_login_url', { site_id: it?.id, user: 'editor' })
      return [code, message]
    },
    right: () => [
      'invalid_payload',
      'site_login_url was not called. Its arguments are not valid. user: No administrator of this site has that login or e-mail address, and nobody else is let in. Leave it out for the one who paired the site. The arguments are: site_id (required), user, idempotency_key, why. Correct them and call site_login_url again.',
    ],
  },
  13: {
    task: `Apply what is of low risk to customer ${one.fixed}.`,
    async work({ call, ended }, { site }) {
      const { tweaks } = await call('list_site_tweaks', { site_id: site(one.fixed).id })
      const tweak_ids = tweaks
        .filter((each: { risk: string; state: string }) => each.risk === 'low' && each.state === 'not_applied')
        .map(({ id }: { id: string }) => id)
      await call('apply_security_fix', { site_id: site(one.fixed).id, tweak_ids, dry_run: true })
      const { outcome } = await ended((await call('apply_security_fix', { site_id: site(one.fixed).id, tweak_ids })).job_id)
      return { outcome, on: [...site(one.fixed).fake.state.tweaks.on].sort() }
    },
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
    async work({ call, ended }, { site }) {
      const asked = { site_id: site(one.protected).id, tweak_ids: ['xmlrpc_off'], action: 'revert' }
      const { outcome } = await ended((await call('apply_security_fix', asked)).job_id)
      return { outcome, on: [...site(one.protected).fake.state.tweaks.on] }
    },
    right: () => ({ outcome: 'done', on: [] }),
  },
  15: {
    task: `Customer ${one.protected} has no HTTPS, and that is all right until the new year.`,
    async work({ call }, { site }) {
      const site_id = site(one.protected).id
      const { findings } = await call('get_security', { site_id, check: 'no_https' })
      const until = `${new Date().getUTCFullYear() + 1}-01-01`
      const { status } = await call('ignore_finding', { site_id, finding_id: findings[0].id, reason: 'Behind the gateway', until })
      return status
    },
    right: () => 'ignored',
  },
  18: {
    task: `Cancel the backup of customer ${one.slow}.`,
    async before({ here, site }) {
      const { id, fake } = site(one.slow)
      fake.misbehave('slow', { until: goesOn.promise })
      const { job_id } = await here.call('backups.create', { site_id: id, type: 'full' })
      await until(async () => (await here.call('jobs.get', { job_id })).status === 'running')
    },
    async work({ call, ended }, { site }) {
      const { jobs } = await call('list_jobs', { site_id: site(one.slow).id, status: 'running', type: 'backup' })
      await call('cancel_job', { job_id: jobs[0].id })
      goesOn.resolve()
      site(one.slow).fake.misbehave()
      const { status } = await ended(jobs[0].id)
      return [jobs.length, status]
    },
    right: () => [1, 'canceled'],
  },
  19: {
    task: 'Undo the restore of the Harbour.',
    async work({ call, ended }, planted) {
      const { outcome } = await ended((await call('undo_restore', { site_id: harbour(planted).id })).job_id)
      return { outcome, ...(await lookAtPlugin(harbour(planted))) }
    },
    right: () => ({ outcome: 'done', version: '1.0.0', spoiled: true }),
  },
  22: {
    task: 'Update WordPress itself, on staging only.',
    async work({ call, ended }, { site }) {
      const asked = { tag: 'staging', core: true }
      const plan = await call('update_site', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('update_site', asked)).job_id)
      const versions = new Set(staging.map((n) => site(n).fake.state.wpVersion))
      return { would: plan.would, outcome, versions: [...versions], other: site(1).fake.state.wpVersion }
    },
    right: () => ({
      would: [{ type: 'core', slug: 'wordpress', to_version: '6.8.2', sites: staging.length }],
      ...{ outcome: 'done', versions: ['6.8.2'], other: '6.8.1' },
    }),
  },
  23: {
    task: 'Put the plugin harbour-notices of the Lighthouse back to its version before the update.',
    async work({ call, ended }, planted) {
      const site_id = lighthouse(planted).id
      const { backups } = await call('list_backups', { site_id, fields: 'id,type,completed_at' })
      const whole = backups.find(({ type }: { type: string }) => type === 'full')
      const asked = { site_id, backup_id: whole.id, include: [`plugin:${plugin}`], safety_backup: false }
      const { plan } = await call('restore_backup', { ...asked, dry_run: true })
      const { outcome } = await ended((await call('restore_backup', asked)).job_id)
      return { would: plan.changes, outcome, ...(await lookAtPlugin(lighthouse(planted))) }
    },
    right: () => ({
      would: [`the plugin “${plugin}” would go from 1.1.0 to 1.0.0`],
      ...{ outcome: 'done', version: '1.0.0', spoiled: false },
    }),
  },
}
