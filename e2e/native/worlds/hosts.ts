// What hosts forbid, and what stands before a site.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../demo/npm.ts'
import { WEB_USER } from '../daemons.ts'
import { query } from '../mariadb.ts'
import type { Ground, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const

/** PHP runs this before every request; written before the first one. */
const filter = async ({ native, place }: Ground, code: string): Promise<void> => {
  await writeFile(join(place, 'tmp/filter.php'), `<?php\n$body = file_get_contents( 'php://input' );\n${code}`)
  await writeFile(join(native.dir, '.user.ini'), `auto_prepend_file = ${join(place, 'tmp/filter.php')}\n`)
}
const refuse = (pattern: string, status: number, more = 'false') =>
  `if ( preg_match( '${pattern}', $body ) || ${more} ) { http_response_code( ${status} ); exit( '<html><body>Not acceptable!</body></html>' ); }`

/** ini_set is not among them: WordPress itself does not start without it. */
const DISABLED = [
  ...[
    'exec',
    'shell_exec',
    'passthru',
    'system',
    'proc_open',
    'popen',
    'symlink',
    'link',
    'chown',
    'chgrp',
    'dl',
    'show_source',
    'pcntl_fork',
  ],
  ...['set_time_limit', 'disk_free_space', 'disk_total_space', 'php_uname', 'getmypid', 'posix_getpwuid', 'posix_kill', 'fsockopen'],
  ...['parse_ini_file', 'highlight_file', 'gethostbyname', 'error_log', 'sys_getloadavg', 'ignore_user_abort', 'opcache_reset'],
]

export const hosts: World[] = [
  {
    name: 'PHP with little time and few functions',
    site: { ...site, php: { disable_functions: DISABLED.join(','), memory_limit: '128M', max_execution_time: '10' } },
  },
  {
    name: 'PHP that may not read links',
    site: { ...site, php: { disable_functions: [...DISABLED, 'readlink'].join(',') } },
    plant: ({ sh }) =>
      sh('mkdir -p www/wp-content/uploads; echo a >www/wp-content/uploads/a.txt; ln -s a.txt www/wp-content/uploads/b.txt'),
    omits: ['www/wp-content/uploads/b.txt'],
  },
  {
    name: 'a firewall that knows words',
    site,
    lay: (ground) =>
      filter(
        ground,
        refuse(
          '/base64|SELECT|UNION|INSERT INTO|<script|\\\\.\\\\.\\\\//i',
          406,
          '! isset( $_SERVER["HTTP_SVC_NEVER"] ) && strlen( $body ) > 900000',
        ),
      ),
  },
  {
    name: 'a firewall that knows names of files',
    site,
    lay: (ground) => filter(ground, refuse('/wp-config\\\\.|\\\\.htaccess|debug\\\\.log|passwd|\\\\.sql/', 403)),
  },
  {
    name: 'a password of the web server',
    site: { ...site, nginx: 'auth_basic "staging"; auth_basic_user_file $document_root/../tmp/htpasswd;' },
    lay: ({ place }) => writeFile(join(place, 'tmp/htpasswd'), 'harbour:{PLAIN}password\n'),
    refused: /asks for a password/,
    common: true,
  },
  {
    name: 'DISALLOW_FILE_MODS',
    site: { ...site, constants: { DISALLOW_FILE_MODS: true } },
    // As docs/connector.md says: everything works but updates, restores of files and the tweaks that change a file.
    obstacle: {
      said: /forbids changes of files/,
      clear: ({ sh }) => sh("sed -i '/DISALLOW_FILE_MODS/d' www/wp-config.php"),
      becomes: ['www/wp-config.php'],
    },
  },
  {
    name: 'a folder of WordPress that belongs to root',
    site,
    lay: ({ native }) => run('chown', ['root', native.dir]),
    harm: ({ native }) => run('chown', ['root', native.dir]),
    obstacle: { said: /PHP may not write to the folder of WordPress/, clear: ({ native }) => run('chown', [WEB_USER, native.dir]) },
  },
  {
    name: 'a WordPress that is too old',
    site: { wp: '6.1.9', db: 'mariadb' },
    lay: async ({ native }) => {
      const file = join(native.dir, 'wp-includes/version.php')
      await writeFile(file, (await readFile(file, 'utf8')).replace(/\$wp_version = '[^']+'/, "$wp_version = '5.7.14'"))
    },
    refused: /5\.9/,
  },
  {
    name: 'a database in another time zone',
    site,
    lay: ({ fleet }) => query(fleet.dir, '', "SET GLOBAL time_zone = '+11:30', GLOBAL init_connect = 'SET time_zone = \"-09:30\"'"),
  },
]
