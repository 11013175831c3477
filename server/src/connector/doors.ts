// The ways into a WordPress site: six doors, two modes each, in the order in which they are tried.
/** `admin:plugins` is the screen `plugins.php` of wp-admin, asked by name. */
export type Door = 'front' | 'rest' | 'rest_route' | 'ajax' | 'xmlrpc' | 'cron' | 'rescue' | 'alone' | 'standing' | Screen
export type Screen = `admin:${string}`
export type Mode = 'headers' | 'envelope'
/**
 * `alone`: the path of a door that needs nothing of WordPress, while WordPress itself is replaced. `standing`: that of the one that always
 * stands, from the root of the address, as the site told it.
 */
export type SiteAddress = { url: string; home: string; alone?: string | undefined; standing?: string | undefined }

/** Where to look for the connector; `rescue` and `alone` are open only while a restore or an update is at work, and are asked by name. */
export const DOORS: readonly Door[] = ['front', 'rest', 'rest_route', 'ajax', 'xmlrpc', 'cron']
export const MODES: readonly Mode[] = ['headers', 'envelope']

/** Also beside WordPress: for what puts a site back that does not start. */
export const ALL_DOORS: readonly Door[] = [...DOORS, 'standing']

const STANDING = '/wp-content/plugins/svc-connector/standing-door.php'
const PATHS: Record<Exclude<Door, 'alone' | 'standing' | Screen>, { base: 'url' | 'home'; path: string }> = {
  front: { base: 'home', path: '/?svc-connector=1' },
  rest: { base: 'home', path: '/wp-json/svc-connector/v1/rpc' },
  rest_route: { base: 'home', path: '/?rest_route=/svc-connector/v1/rpc' },
  ajax: { base: 'url', path: '/wp-admin/admin-ajax.php?action=svc_connector' },
  xmlrpc: { base: 'url', path: '/xmlrpc.php?svc-connector=1' },
  rescue: { base: 'home', path: '/?svc-connector=rescue' },
  cron: { base: 'url', path: '/wp-cron.php?svc-connector=1' },
}

/** Those at the address where visitors find the site. */
export const HOME_DOORS = DOORS.filter((door) => door in PATHS && PATHS[door as keyof typeof PATHS].base === 'home')

/** The address of a door; a site may live in a folder. Throws a TypeError when the site's address is no URL. */
export function doorUrl(site: SiteAddress, door: Door): string {
  if (door === 'standing' && site.standing) return new URL(site.url).origin + site.standing
  const { base, path } = placeOf(site, door)
  const root = new URL(base === 'url' ? site.url : site.home)
  return `${root.origin}${root.pathname.replace(/\/+$/, '')}${path}`
}

const isScreen = (door: Door): door is Screen => door.startsWith('admin:')

function placeOf({ alone = '' }: SiteAddress, door: Door): { base: 'url' | 'home'; path: string } {
  if (door === 'alone') return { base: 'url', path: `${alone}?svc-connector=rescue` }
  if (isScreen(door)) return { base: 'url', path: `/wp-admin/${door.slice('admin:'.length)}.php?svc-connector=1` }
  return door === 'standing' ? { base: 'url', path: STANDING } : PATHS[door]
}

/** What is there already stays as it is written. */
export function withQuery(url: string, query: Record<string, string>): string {
  const [address = ''] = url.split('#')
  const added = new URLSearchParams(query).toString()
  return added === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${added}`
}
