// The ways into a WordPress site: six doors, two modes each, in the order in which they are tried.
export type Door = 'front' | 'rest' | 'rest_route' | 'ajax' | 'xmlrpc' | 'cron' | 'rescue'
export type Mode = 'headers' | 'envelope'
export type SiteAddress = { url: string; home: string }

/** Where to look for the connector; `rescue` is open only while a restore is at work, and is asked by name. */
export const DOORS: readonly Door[] = ['front', 'rest', 'rest_route', 'ajax', 'xmlrpc', 'cron']
export const MODES: readonly Mode[] = ['headers', 'envelope']

const PATHS: Record<Door, { base: keyof SiteAddress; path: string }> = {
  front: { base: 'home', path: '/?svc-connector=1' },
  rest: { base: 'home', path: '/wp-json/svc/v1/rpc' },
  rest_route: { base: 'home', path: '/?rest_route=/svc/v1/rpc' },
  ajax: { base: 'url', path: '/wp-admin/admin-ajax.php?action=svc' },
  xmlrpc: { base: 'url', path: '/xmlrpc.php?svc-connector=1' },
  rescue: { base: 'home', path: '/?svc-connector=rescue' },
  cron: { base: 'url', path: '/wp-cron.php?svc-connector=1' },
}

/** The address of a door; a site may live in a folder. Throws a TypeError when the site's address is no URL. */
export function doorUrl(site: SiteAddress, door: Door): string {
  const { base, path } = PATHS[door]
  const root = new URL(site[base])
  return `${root.origin}${root.pathname.replace(/\/+$/, '')}${path}`
}
