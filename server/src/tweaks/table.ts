// The one table of tweaks. docs/tweaks.md, the tools and the dashboard say what stands here.
import type { Tweak, TweakId } from './schema.ts'

export interface Known extends Pick<Tweak, 'name' | 'description' | 'category' | 'risk' | 'side_effects' | 'reversible'> {
  id: TweakId
  /** How it works: hooks of the connector, rules of Apache and LiteSpeed, or wp-config.php. */
  by: 'hooks' | 'rules' | 'config'
  /** A look from outside tells that it works. The rest is seen by a signed request alone. */
  outside: boolean
  /** A look from outside sees only part of it, so a clean look does not mean that somebody else sees to it. */
  partial?: true
  /** The same for nginx; `{uploads}` is the path of the folder. */
  nginx?: string
  /** For the client. */
  done: string
  undone: string
}

export const table: readonly Known[] = [
  {
    id: 'file_editor_off',
    name: 'File editor off',
    description: 'Nobody can edit the code of plugins and themes in the admin area, so a stolen administrator session cannot either.',
    category: 'code',
    risk: 'low',
    side_effects: ['The editors for plugins and themes disappear from the admin area.'],
    reversible: true,
    by: 'hooks',
    outside: false,
    done: 'Switched off the code editor in the admin area',
    undone: 'Switched the code editor in the admin area on again',
  },
  {
    id: 'xmlrpc_off',
    name: 'XML-RPC off',
    description: 'Closes xmlrpc.php, which lets hundreds of passwords be tried in one request.',
    category: 'login',
    risk: 'medium',
    side_effects: ['The WordPress app on phones, Jetpack and other services that use XML-RPC can no longer reach the site.'],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Closed XML-RPC, an old door that is used to guess passwords',
    undone: 'Opened XML-RPC again',
  },
  {
    id: 'pingbacks_off',
    name: 'Pingbacks off',
    description: 'The site takes and sends no pingbacks or trackbacks, so it cannot be used to attack others.',
    category: 'network',
    risk: 'low',
    side_effects: ['Links from other blogs no longer appear as comments by themselves.'],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Switched off pingbacks, which are used for spam and attacks',
    undone: 'Switched pingbacks on again',
  },
  {
    id: 'user_enumeration_off',
    name: 'User names hidden',
    description:
      'Strangers cannot list user names: author pages, the REST route of users, the sitemap of users and oEmbed are closed to them, feeds name no login, and login messages do not tell whether a name exists.',
    category: 'login',
    risk: 'medium',
    side_effects: ['Author pages answer “not found”, for search engines too.', 'A registration form still says when a name is taken.'],
    reversible: true,
    by: 'hooks',
    outside: true,
    partial: true,
    done: 'Hid the user names from strangers',
    undone: 'Made author pages and user names public again',
  },
  {
    id: 'directory_listing_off',
    name: 'Directory listing off',
    description: 'A folder without an index page no longer shows its files.',
    category: 'exposure',
    risk: 'low',
    side_effects: ['Folders that are listed on purpose are no longer.'],
    reversible: true,
    by: 'rules',
    outside: true,
    nginx: 'autoindex off;',
    done: 'Stopped the server from listing the files of folders',
    undone: 'Let the server list the files of folders again',
  },
  {
    id: 'uploads_php_off',
    name: 'No PHP in uploads',
    description: 'A PHP file that gets into the folder of uploads does not run.',
    category: 'code',
    risk: 'low',
    side_effects: ['A plugin that keeps PHP files for visitors in uploads stops working; few do.'],
    reversible: true,
    by: 'rules',
    outside: true,
    nginx: 'location ~* ^{uploads}.*\\.(?:php[0-9]?|phtml|phar|phps|pht)(?:$|[./]) { deny all; }  # before the location of PHP',
    done: 'Made sure that uploaded files cannot run as programs',
    undone: 'Let PHP files in uploads run again',
  },
  {
    id: 'version_hidden',
    name: 'Version hidden',
    description: 'Pages, feeds and the addresses of scripts do not tell the version of WordPress.',
    category: 'exposure',
    risk: 'low',
    side_effects: ['Scripts and styles are fetched once more by returning visitors.', 'readme.html is a tweak of its own.'],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Hid the version of WordPress',
    undone: 'Showed the version of WordPress again',
  },
  {
    id: 'readme_blocked',
    name: 'Readme files blocked',
    description: 'readme.html, license.txt and the readme files of plugins, which tell versions, are not shown.',
    category: 'exposure',
    risk: 'low',
    side_effects: ['Files of those names are refused everywhere on the site, also your own.'],
    reversible: true,
    by: 'rules',
    outside: true,
    nginx: 'location ~* /(?:readme|license|licence|licencia|liesmich|changelog)\\.(?:html?|txt|md)$ { deny all; }',
    done: 'Blocked files that tell strangers which software the site runs',
    undone: 'Showed readme files again',
  },
  {
    id: 'application_passwords_off',
    name: 'Application passwords off',
    description: 'Passwords for programs are neither offered nor taken.',
    category: 'login',
    risk: 'medium',
    side_effects: ['Programs that log in with an application password stop working until this is taken back.'],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Switched off application passwords',
    undone: 'Switched application passwords on again',
  },
  {
    id: 'security_headers',
    name: 'Security headers',
    description:
      'Pages tell browsers not to guess file types, not to let other sites frame them, to pass on little about where visitors come from, and, on https, to stay there.',
    category: 'network',
    risk: 'medium',
    side_effects: [
      'Other sites can no longer show pages of this site in a frame; posts that are embedded on purpose still work.',
      'On https, browsers remember for 30 days to use https only, also after this is taken back. Subdomains are not included.',
      'Only pages that PHP makes carry the headers, not files that the web server sends itself.',
    ],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Added security headers that protect visitors’ browsers',
    undone: 'Removed the security headers',
  },
  {
    id: 'ssl_admin_forced',
    name: 'Admin area on https only',
    description: 'Logging in and the admin area work over https only. Refused where https does not really work.',
    category: 'login',
    risk: 'medium',
    side_effects: [
      'Sessions that were begun over http must log in again.',
      'Should the certificate expire, nobody can log in without a warning.',
    ],
    reversible: true,
    by: 'hooks',
    outside: true,
    done: 'Made logging in work over an encrypted connection only',
    undone: 'Allowed logging in without encryption again',
  },
  {
    id: 'login_limited',
    name: 'Login attempts limited',
    description:
      'After 5 wrong passwords for one account or 20 in all from one address, that address waits 15 minutes. An account alone is never locked.',
    category: 'login',
    risk: 'medium',
    side_effects: [
      'People who share an address, as in an office, share the 20 attempts.',
      'The address is that of the connection. Behind a proxy, wp-config.php must name its header: SVC_CONNECTOR_ADDRESS_HEADER.',
      'One-click login from this service is never limited.',
    ],
    reversible: true,
    by: 'hooks',
    outside: false,
    done: 'Limited how often a password can be guessed',
    undone: 'Removed the limit on login attempts',
  },
  {
    id: 'debug_display_off',
    name: 'Errors not shown',
    description: 'Errors of PHP and of the database are never shown to visitors; logs still get them.',
    category: 'exposure',
    risk: 'low',
    side_effects: ['Whoever develops on the live site must look into the log.'],
    reversible: true,
    by: 'hooks',
    outside: false,
    done: 'Stopped technical error messages from being shown to visitors',
    undone: 'Let technical error messages be shown again',
  },
  {
    id: 'salts_rotated',
    name: 'Secret keys renewed',
    description: 'The eight secrets in wp-config.php that sessions are signed with are replaced by new random ones.',
    category: 'login',
    risk: 'high',
    side_effects: [
      'Everybody is logged out at once.',
      'Plugins that encrypt settings with these secrets, as some mail and payment plugins do, must be given those settings again.',
      'It cannot be taken back.',
    ],
    reversible: false,
    by: 'config',
    outside: false,
    done: 'Renewed the secret keys that protect logins',
    undone: 'Renewed the secret keys that protect logins',
  },
]

const byId = new Map(table.map((tweak) => [tweak.id, tweak]))

export function known(id: TweakId): Known {
  const tweak = byId.get(id)
  if (!tweak) throw new Error(`The table of tweaks lacks ${id}.`)
  return tweak
}
