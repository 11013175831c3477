// What hosts forbid, and what stands before a site.
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../demo/npm.ts'
import { WEB_USER } from '../daemons.ts'
import { query } from '../mariadb.ts'
import type { Ground, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const

/**
 * Before every request PHP looks at its body and may refuse it, as firewalls do. It stands beside the site, so that no accident
 * takes it away, and keeps what it refused: in the backup and in the restores it must have stood in the way.
 */
const firewall = (refuses: string, status: number): Pick<World, 'site' | 'lay' | 'meanwhile' | 'atLast'> => ({
  site: { ...site, php: { auto_prepend_file: '{place}/tmp/firewall.php' } },
  lay: ({ place }) =>
    writeFile(
      join(place, 'tmp/firewall.php'),
      `<?php
$body = file_get_contents( 'php://input' );
if ( ${refuses} ) {
	file_put_contents( __DIR__ . '/refused', strlen( $body ) . ' ' . substr( $body, 0, 40 ) . "\n", FILE_APPEND );
	http_response_code( ${status} );
	exit( '<html><body>Not acceptable!</body></html>' );
}
`,
    ),
  meanwhile: stoodInTheWay,
  atLast: stoodInTheWay,
})

async function stoodInTheWay({ place }: Ground): Promise<void> {
  const kept = join(place, 'tmp/refused')
  const refused = await readFile(kept, 'utf8').catch(() => '')
  assert.notEqual(refused, '', 'The firewall refused nothing.')
  await rm(kept)
}

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
    warned: /could not read it; what is there stays: wp-content\/uploads\/b\.txt\.$/,
  },
  {
    name: 'a firewall that knows words',
    ...firewall("preg_match( '/base64|SELECT|UNION|INSERT INTO|<script|\\.\\.\\//i', $body ) || strlen( $body ) > 900000", 406),
  },
  {
    name: 'a firewall that knows names of files',
    ...firewall("preg_match( '/wp-config\\.|\\.htaccess|debug\\.log|passwd|\\.sql/', $body )", 403),
  },
  {
    name: 'a password of the web server',
    site: { ...site, nginx: 'auth_basic "staging"; auth_basic_user_file $document_root/../tmp/htpasswd;' },
    lay: ({ place }) => writeFile(join(place, 'tmp/htpasswd'), 'harbour:{PLAIN}password\n'),
    refused: /asks for a password/,
  },
  {
    name: 'a password of the web server and a header that a firewall wants, and the service is told',
    site: {
      ...site,
      nginx: 'auth_basic "staging"; auth_basic_user_file $document_root/../tmp/htpasswd; if ($http_x_pass != "let me in") { return 403; }',
    },
    lay: ({ place }) => writeFile(join(place, 'tmp/htpasswd'), 'harbour:{PLAIN}password\n'),
    refused: /HTTP 403/,
    access: { basic: { user: 'harbour', password: 'password' }, header: { name: 'X-Pass', value: 'let me in' } },
  },
  {
    name: 'PHP that prints around every answer',
    site: { ...site, php: { display_errors: '1', error_reporting: '-1' } },
    muPlugins: [join(import.meta.dirname, '../mu-noise.php')],
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
