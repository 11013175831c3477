import { type Check, check } from './check-entry.ts'

/** What every stranger sees. */
export const checksOutside: readonly Check[] = [
  check({ id: 'uploads_run_php', source: 'outside', kind: 'misconfiguration', severity: 'high', fix: 'uploads_php_off' }, [
    'The web server runs PHP in the uploads',
    'Whoever can upload a file can then take the site over.',
    'A harmless file of ours, put there for a moment under a random name, was executed.',
  ]),
  check({ id: 'directory_listing', source: 'outside', kind: 'exposure', severity: 'medium', fix: 'directory_listing_off' }, [
    'Folders can be browsed',
    'The web server lists their files, so that nothing in them stays unknown.',
    'The uploads, plugins and wp-includes are asked for.',
  ]),
  check({ id: 'readme_exposed', source: 'outside', kind: 'exposure', severity: 'info', fix: 'readme_blocked' }, [
    'readme.html or license.txt can be read',
    'They tell that this is WordPress, and roughly which.',
    'Both are asked for and recognised by their content.',
  ]),
  check({ id: 'config_exposed', source: 'outside', kind: 'exposure', severity: 'critical', fix: null }, [
    'A copy of wp-config.php can be downloaded',
    'It holds the database password and the secret keys. Delete the copy, then change both.',
    'Usual names of copies are asked for and recognised by their content, which is not kept.',
  ]),
  check({ id: 'vcs_exposed', source: 'outside', kind: 'exposure', severity: 'high', fix: null }, [
    'The repository of the code can be downloaded',
    'With it come the history and often secrets. Remove the folder or have the web server refuse it.',
    '.git/HEAD and .svn/wc.db are asked for and recognised by their content.',
  ]),
  check({ id: 'env_exposed', source: 'outside', kind: 'exposure', severity: 'critical', fix: null }, [
    'A file with secrets can be downloaded',
    'A .env file holds passwords and keys. Remove it from the web folder, then change what it held.',
    '.env is asked for and recognised by its content, which is not kept.',
  ]),
  check({ id: 'backup_exposed', source: 'outside', kind: 'exposure', severity: 'critical', fix: null }, [
    'A backup can be downloaded',
    'It holds the users’ password hashes and the configuration. Delete it; count what it held as known.',
    'Usual names of archives and database dumps are asked for and recognised by their first bytes.',
  ]),
  check({ id: 'debug_log_exposed', source: 'outside', kind: 'exposure', severity: 'high', fix: null }, [
    'The error log can be read',
    'It tells paths, plugins and sometimes personal data. Delete it and write it elsewhere.',
    'wp-content/debug.log and error_log are asked for and recognised by their content.',
  ]),
  check({ id: 'phpinfo_exposed', source: 'outside', kind: 'exposure', severity: 'medium', fix: null }, [
    'phpinfo() can be read',
    'It tells the whole configuration of the server, often with secrets. Delete the file.',
    'Usual names are asked for and recognised by their content.',
  ]),
  check({ id: 'xmlrpc', source: 'outside', kind: 'misconfiguration', severity: 'medium', fix: 'xmlrpc_off' }, [
    'XML-RPC answers',
    'An old door by which hundreds of passwords can be tried in one request. Few sites need it.',
    'system.listMethods names methods that take a password, and the site says they are on.',
  ]),
  check({ id: 'pingbacks', source: 'outside', kind: 'misconfiguration', severity: 'low', fix: 'pingbacks_off' }, [
    'Pingbacks are accepted',
    'Attackers use them to have this site attack others.',
    'system.listMethods names pingback.ping.',
  ]),
  check({ id: 'user_enumeration', source: 'outside', kind: 'exposure', severity: 'low', fix: 'user_enumeration_off' }, [
    'Login names can be found out',
    'Half of what is needed to log in is told to anybody. The evidence names each way.',
    'Author archives, both ways to the REST API, oEmbed, the error text of a login, the sitemap of users, feeds.',
  ]),
  check({ id: 'no_https', source: 'outside', kind: 'misconfiguration', severity: 'high', fix: null }, [
    'The site has no encryption',
    'Passwords and cookies travel readable. Install a certificate and change the address to https.',
    'The address of the site.',
  ]),
  check({ id: 'http_not_redirected', source: 'outside', kind: 'misconfiguration', severity: 'medium', fix: null }, [
    'http does not lead to https',
    'Visitors who type the address stay without encryption. Redirect in the web server.',
    'The front page is asked for over http.',
  ]),
  check({ id: 'certificate_expired', source: 'outside', kind: 'misconfiguration', severity: 'high', fix: null }, [
    'The certificate has expired',
    'Browsers refuse the site. Renew it.',
    'The date in the TLS handshake.',
  ]),
  check({ id: 'certificate_expiring', source: 'outside', kind: 'misconfiguration', severity: 'medium', fix: null }, [
    'The certificate expires soon',
    'It ends within 14 days; automatic renewal would have happened by now.',
    'The date in the TLS handshake.',
  ]),
  check({ id: 'certificate_invalid', source: 'outside', kind: 'misconfiguration', severity: 'high', fix: null }, [
    'The certificate is not valid',
    'It is for another name, or not from an authority that browsers trust.',
    'The TLS handshake.',
  ]),
  check({ id: 'tls_outdated', source: 'outside', kind: 'misconfiguration', severity: 'medium', fix: null }, [
    'Outdated TLS is accepted',
    'TLS 1.0 and 1.1 are broken. Switch them off in the web server.',
    'A handshake that offers only these.',
  ]),
  check({ id: 'security_headers', source: 'outside', kind: 'misconfiguration', severity: 'low', fix: 'security_headers' }, [
    'Security headers are missing',
    'They tell browsers to refuse framing, guessing of types and, for https, a way back to http.',
    'The headers of the front page.',
  ]),
  check({ id: 'version_disclosed', source: 'outside', kind: 'exposure', severity: 'info', fix: 'version_hidden' }, [
    'The version of WordPress is told',
    'It tells attackers which holes to try.',
    'The generator in the front page and in the feed.',
  ]),
  check({ id: 'errors_shown', source: 'outside', kind: 'exposure', severity: 'medium', fix: 'debug_display_off' }, [
    'An error of PHP stands in the page',
    'It tells paths and what is broken.',
    'The front page holds an error message as PHP writes it.',
  ]),
]
