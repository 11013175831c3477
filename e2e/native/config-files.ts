// The configuration of a native fleet's PHP and web server.
import { join } from 'node:path'
import { clockOf, WEB_USER } from './daemons.ts'
import { PHP_VERSION } from './debian.ts'

export interface Place {
  number: number
  /** `127.1.x.y`: every site is an origin of its own, and 8080 is a port WordPress calls safe. */
  address: string
  /** State folder; the document root is `www` below it. */
  dir: string
  /** Folder of WordPress below the document root; '' is the usual. */
  core: string
  /** Folder of its content below the document root. */
  content: string
  prefix: string
  /** Number of the place whose database it lives in. */
  livesIn: number
  /** Those of the others in that database. */
  otherPrefixes: string[]
  /** php.ini settings of this site over the usual limits. */
  php: Record<string, string>
  /** With open_basedir. */
  confined: boolean
  /** Apache in the place of nginx, with what its .htaccess files may say (`All`, `None`, `FileInfo AuthConfig`). */
  apache?: Apache
  /** Also on ports 80 and 443, where its address then is; certificate and key lie in `dir`. */
  https?: boolean
  /** Lines for this site's nginx. */
  nginx?: string
  pageCache: boolean
  /** nginx has no rule against files whose names begin with a dot, as it comes. */
  dotFiles?: boolean
  /** Largest request body nginx takes, in its own words. */
  bodies?: string
  /** More lines for its pool of PHP-FPM. */
  pool?: string[]
}

export interface Apache {
  overrides: string
  /** The same for the folder of uploads, where it is different. */
  uploads?: string
  /** PHP in Apache's own processes (mod_php), one request each, in the place of FPM. */
  module?: true
}

export const PORT = 8080

/** What a cheap shared host allows. */
export const LIMITS = {
  memory_limit: '128M',
  max_execution_time: '10',
  post_max_size: '1M',
  upload_max_filesize: '1M',
  disable_functions: 'exec,shell_exec,passthru,system,proc_open,popen',
}

export function phpIni(): string {
  // Every site has files of its own: those of a large fleet need more than the usual 128 MB and 10,000 files.
  const cache = ['opcache.enable=1', 'opcache.revalidate_freq=0', 'opcache.memory_consumption=768', 'opcache.max_accelerated_files=60000']
  return [...cache, 'date.timezone=UTC', 'display_errors=0', 'log_errors=1'].join('\n')
}

export function fpmConfig(folder: string, places: Place[]): string {
  const head = ['[global]', `pid = ${join(folder, 'run', 'fpm.pid')}`, `error_log = ${join(folder, 'log', 'fpm.log')}`]
  return `${[...head, ...places.flatMap((place) => pool(folder, place))].join('\n')}\n`
}

/** What php.ini says for this site. */
function settingsOf(place: Place): Record<string, string> {
  const tmp = join(place.dir, 'tmp')
  const paths = { sys_temp_dir: tmp, upload_tmp_dir: tmp, error_log: join(place.dir, 'log', 'php.log') }
  // The machine's /tmp is shared between sites and therefore stays closed.
  return { ...LIMITS, ...paths, ...(place.confined && { open_basedir: `${place.dir}/` }), ...place.php }
}

function pool(folder: string, place: Place): string[] {
  return [
    `[site${place.number}]`,
    ...[`user = ${WEB_USER}`, `group = ${WEB_USER}`, `listen = ${socketOf(folder, place)}`, `listen.owner = ${WEB_USER}`],
    ...[
      'pm = ondemand',
      'pm.max_children = 4',
      'pm.process_idle_timeout = 10s',
      'request_terminate_timeout = 20s',
      'catch_workers_output = yes',
    ],
    ...(place.pool ?? []),
    // A pool begins with no variables but these.
    ...Object.entries(clockOf(folder)).map(([name, value]) => `env[${name}] = ${value}`),
    ...Object.entries(settingsOf(place)).map(([name, value]) => `php_admin_value[${name}] = ${value.replaceAll('{place}', place.dir)}`),
  ]
}

export function nginxConfig(folder: string, places: Place[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, 'tmp', name)};`)
  return [
    ...[`user ${WEB_USER};`, 'daemon off;', 'worker_processes 1;', `pid ${join(folder, 'run', 'nginx.pid')};`],
    ...['events { worker_connections 1024; }', 'http {', 'include /etc/nginx/mime.types;', 'access_log off;', 'server_tokens off;'],
    ...[
      ...(places.some((place) => place.pageCache) ? [`fastcgi_cache_path ${join(folder, 'tmp', 'pages')} keys_zone=pages:1m;`] : []),
      ...temporary,
      ...places.filter((place) => !place.apache).map((place) => server(folder, place)),
      '}',
    ],
  ].join('\n')
}

function server(folder: string, place: Place): string {
  return `server {
  listen ${place.address}:${PORT};
  ${place.https ? encrypted(place) : ''}
  root ${join(place.dir, 'www')};
  client_max_body_size ${place.bodies ?? '1m'};
  index index.php;
  ${place.nginx ?? ''}
  location ~ ${place.dotFiles ? '' : '/\\.|'}^/wp-content/database/ { return 403; }
  location / { try_files $uri $uri/ /index.php?$args; }
  location ~ \\.php$ {
    try_files $uri =404;
    include /etc/nginx/fastcgi_params;
    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
    fastcgi_param HTTP_HOST $http_host;
    fastcgi_read_timeout 60;
    fastcgi_buffers 16 32k;
    fastcgi_buffer_size 32k;
    fastcgi_pass unix:${socketOf(folder, place)};
    ${place.pageCache ? PAGE_CACHE : ''}
  }
}`
}

/** What a careless host does: pages by their path alone, kept whatever they say, given when the site fails; the login is left alone. */
const PAGE_CACHE = `set $page $request_uri;
    if ($request_uri ~ "^([^?]*)") { set $page $1; }
    set $private 0;
    if ($request_uri ~ "^/wp-(login|admin|json|cron)") { set $private 1; }
    fastcgi_cache pages;
    fastcgi_cache_key $page;
    fastcgi_cache_valid 200 10m;
    fastcgi_cache_bypass $private;
    fastcgi_no_cache $private;
    fastcgi_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires;
    fastcgi_cache_use_stale error timeout invalid_header updating http_500 http_503;`

const socketOf = (folder: string, place: Place) => join(folder, 'run', `site${place.number}.sock`)

const encrypted = ({ address, dir }: Place) =>
  `listen ${address}:80; listen ${address}:443 ssl; ssl_certificate ${join(dir, 'cert.pem')}; ssl_certificate_key ${join(dir, 'key.pem')};`

const MODULES = ['authz_core', 'authz_host', 'dir', 'mime', 'rewrite', 'autoindex', 'setenvif', 'proxy', 'proxy_fcgi']

/** mod_php does not bear threads, and has all of its settings from Apache: what stands in php.ini alone (disable_functions) is not a site's. */
const moduleOf = (folder: string): string[] => [
  'LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so',
  `LoadModule php_module /usr/lib/apache2/modules/libphp${PHP_VERSION}.so`,
  // A visitor who comes back each second would else keep one of the eight for a hundred requests, and who is behind them waits for minutes.
  ...[`PHPIniDir ${folder}`, 'StartServers 2', 'MaxRequestWorkers 8', 'MaxKeepAliveRequests 5'],
]
const THREADS = ['LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so', 'StartServers 1', 'ThreadsPerChild 25']

/** Apache as cheap hosts run it: folders without an index listed; PHP by FPM, or in its own processes for all, where one site has it so. */
export function apacheConfig(folder: string, places: Place[]): string {
  return [
    ...[
      `ServerRoot ${folder}`,
      'ServerName localhost',
      `PidFile ${join(folder, 'run', 'apache.pid')}`,
      `DefaultRuntimeDir ${join(folder, 'run')}`,
    ],
    ...[`ErrorLog ${join(folder, 'log', 'apache.log')}`, `User ${WEB_USER}`, `Group ${WEB_USER}`, 'ServerTokens Prod'],
    ...(places.some(({ apache }) => apache?.module) ? moduleOf(folder) : THREADS),
    ...MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    ...[
      'TypesConfig /dev/null',
      'AddType text/html .html',
      'AddType text/css .css',
      'AddType text/javascript .js',
      'AddType text/plain .txt',
    ],
    'LimitRequestBody 1048576',
    ...places.flatMap((place) => (place.apache ? virtualHost(folder, place, place.apache) : [])),
    '',
  ].join('\n')
}

const proxied = (folder: string, place: Place) => `"proxy:unix:${socketOf(folder, place)}|fcgi://site${place.number}/"`

function virtualHost(folder: string, place: Place, { overrides, uploads = overrides, module }: Apache): string[] {
  const root = join(place.dir, 'www')
  return [
    ...[`Listen ${place.address}:${PORT}`, `<VirtualHost ${place.address}:${PORT}>`, `DocumentRoot ${root}`],
    ...[`<Directory ${root}>`, 'Options Indexes FollowSymLinks', `AllowOverride ${overrides}`, 'Require all granted', '</Directory>'],
    ...[`<Directory ${join(root, 'wp-content/uploads')}>`, `AllowOverride ${uploads}`, '</Directory>'],
    // As Debian has it.
    ...['<FilesMatch "^\\.ht">', 'Require all denied', '</FilesMatch>'],
    ...['DirectoryIndex index.php', 'SetEnvIf Authorization "(.+)" HTTP_AUTHORIZATION=$1'],
    ...[`<FilesMatch "\\.php$">`, `SetHandler ${module ? 'application/x-httpd-php' : proxied(folder, place)}`, '</FilesMatch>'],
    ...(module ? Object.entries(settingsOf(place)).map(([name, value]) => `php_admin_value ${name} "${value}"`) : []),
    '</VirtualHost>',
  ]
}
