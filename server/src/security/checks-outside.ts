import { type Check, check } from './check-entry.ts'

/** What every stranger sees. */
export const checksOutside: readonly Check[] = [
  check('uploads_run_php', 'outside', 'misconfiguration', 'high', 'uploads_php_off', [
    'The web server runs PHP in the uploads',
    'Whoever can upload a file can then take the site over.',
    'A harmless file of ours, put there for a moment under a random name, was executed.',
  ]),
  check('directory_listing', 'outside', 'exposure', 'medium', 'directory_listing_off', [
    'Folders can be browsed',
    'The web server lists their files, so that nothing in them stays unknown.',
    'The uploads, plugins and wp-includes are asked for.',
  ]),
  check('readme_exposed', 'outside', 'exposure', 'info', 'readme_blocked', [
    'readme.html or license.txt can be read',
    'They tell that this is WordPress, and roughly which.',
    'Both are asked for and recognised by their content.',
  ]),
  check('config_exposed', 'outside', 'exposure', 'critical', null, [
    'A copy of wp-config.php can be downloaded',
    'It holds the database password and the secret keys. Delete the copy, then change both.',
    'Usual names of copies are asked for and recognised by their content, which is not kept.',
  ]),
  check('vcs_exposed', 'outside', 'exposure', 'high', null, [
    'The repository of the code can be downloaded',
    'With it come the history and often secrets. Remove the folder or have the web server refuse it.',
    '.git/HEAD and .svn/wc.db are asked for and recognised by their content.',
  ]),
  check('env_exposed', 'outside', 'exposure', 'critical', null, [
    'A file with secrets can be downloaded',
    'A .env file holds passwords and keys. Remove it from the web folder, then change what it held.',
    '.env is asked for and recognised by its content, which is not kept.',
  ]),
  check('backup_exposed', 'outside', 'exposure', 'critical', null, [
    'A backup can be downloaded',
    'It holds the users’ password hashes and the configuration. Delete it; count what it held as known.',
    'Usual names of archives and database dumps are asked for and recognised by their first bytes.',
  ]),
  check('debug_log_exposed', 'outside', 'exposure', 'high', null, [
    'The error log can be read',
    'It tells paths, plugins and sometimes personal data. Delete it and write it elsewhere.',
    'wp-content/debug.log and error_log are asked for and recognised by their content.',
  ]),
  check('phpinfo_exposed', 'outside', 'exposure', 'medium', null, [
    'phpinfo() can be read',
    'It tells the whole configuration of the server, often with secrets. Delete the file.',
    'Usual names are asked for and recognised by their content.',
  ]),
  check('xmlrpc', 'outside', 'misconfiguration', 'medium', 'xmlrpc_off', [
    'XML-RPC answers',
    'An old door by which hundreds of passwords can be tried in one request. Few sites need it.',
    'system.listMethods names methods that take a password, and the site says they are on.',
  ]),
  check('pingbacks', 'outside', 'misconfiguration', 'low', 'pingbacks_off', [
    'Pingbacks are accepted',
    'Attackers use them to have this site attack others.',
    'system.listMethods names pingback.ping.',
  ]),
  check('user_enumeration', 'outside', 'exposure', 'low', 'user_enumeration_off', [
    'Login names can be found out',
    'Half of what is needed to log in is told to anybody. The evidence names each way.',
    'Author archives, both ways to the REST API, oEmbed, the error text of a login, the sitemap of users, feeds.',
  ]),
  check('no_https', 'outside', 'misconfiguration', 'high', null, [
    'The site has no encryption',
    'Passwords and cookies travel readable. Install a certificate and change the address to https.',
    'The address of the site.',
  ]),
  check('http_not_redirected', 'outside', 'misconfiguration', 'medium', null, [
    'http does not lead to https',
    'Visitors who type the address stay without encryption. Redirect in the web server.',
    'The front page is asked for over http.',
  ]),
  check('certificate_expired', 'outside', 'misconfiguration', 'high', null, [
    'The certificate has expired',
    'Browsers refuse the site. Renew it.',
    'The date in the TLS handshake.',
  ]),
  check('certificate_expiring', 'outside', 'misconfiguration', 'medium', null, [
    'The certificate expires soon',
    'It ends within 14 days; automatic renewal would have happened by now.',
    'The date in the TLS handshake.',
  ]),
  check('certificate_invalid', 'outside', 'misconfiguration', 'high', null, [
    'The certificate is not valid',
    'It is for another name, or not from an authority that browsers trust.',
    'The TLS handshake.',
  ]),
  check('tls_outdated', 'outside', 'misconfiguration', 'medium', null, [
    'Outdated TLS is accepted',
    'TLS 1.0 and 1.1 are broken. Switch them off in the web server.',
    'A handshake that offers only these.',
  ]),
  check('security_headers', 'outside', 'misconfiguration', 'low', 'security_headers', [
    'Security headers are missing',
    'They tell browsers to refuse framing, guessing of types and, for https, a way back to http.',
    'The headers of the front page.',
  ]),
  check('version_disclosed', 'outside', 'exposure', 'info', 'version_hidden', [
    'The version of WordPress is told',
    'It tells attackers which holes to try.',
    'The generator in the front page and in the feed.',
  ]),
  check('errors_shown', 'outside', 'exposure', 'medium', 'debug_display_off', [
    'An error of PHP stands in the page',
    'It tells paths and what is broken.',
    'The front page holds an error message as PHP writes it.',
  ]),
]
