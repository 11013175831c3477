import type { Item, Output } from '../api.ts'
import { t } from '../text.ts'

export type Channel = Output<'notifications.channels'>['channels'][number]
export type Kind = Item<'notifications.list'>['kind']

/** What can be told, in words. */
export const kinds: Record<Kind, string> = {
  site_down: t('A site is down'),
  site_back: t('A site is up again'),
  wordpress_down: t('Only a cache answers for WordPress'),
  wordpress_back: t('WordPress answers again'),
  connector_silent: t('A connector is silent'),
  connector_back: t('A connector answers again'),
  watch_troubled: t('Whether sites are up is not known'),
  certificate_expiring: t('A certificate ends soon'),
  dns_changed: t('Addresses in DNS have changed'),
  backup_failed: t('A backup failed'),
  update_taken_back: t('An update was taken back'),
  update_harmed: t('An update failed or harmed a site'),
  critical_finding: t('A critical finding'),
  fatal_error: t('A new fatal PHP error'),
  fatal_error_again: t('A fatal PHP error came again'),
  report_waiting: t('The draft of a report waits'),
  report_to_send: t('A report is going to be sent'),
  report_returned: t('A report did not arrive'),
  approval_waiting: t('An agent waits for approval'),
}

export const kindOf = (kind: string) => kinds[kind as Kind] ?? kind
