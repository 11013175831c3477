import type { Item } from '../api.ts'

export type Kind = Item<'notifications.list'>['kind']

/** What can be told, in words. */
export const kinds: Record<Kind, string> = {
  site_down: 'A site is down',
  site_back: 'A site is up again',
  wordpress_down: 'Only a cache answers for WordPress',
  wordpress_back: 'WordPress answers again',
  connector_silent: 'A connector is silent',
  connector_back: 'A connector answers again',
  certificate_expiring: 'A certificate ends soon',
  dns_changed: 'Addresses in DNS have changed',
  backup_failed: 'A backup failed',
  update_taken_back: 'An update was taken back',
  update_harmed: 'An update harmed a site',
  critical_finding: 'A critical finding',
  fatal_error: 'A new fatal PHP error',
  fatal_error_again: 'A fatal PHP error came again',
  approval_waiting: 'An agent waits for approval',
}

export const kindOf = (kind: string) => kinds[kind as Kind] ?? kind
