import { type Check, check } from './check-entry.ts'

/** What the site tells, its files and its inventory. The feed tells the title, words and severity of each vulnerability itself. */
export const checksInside: readonly Check[] = [
  check({ id: 'known_vulnerability', source: 'feed', kind: 'vulnerability', severity: 'unknown', fix: 'update' }, [
    'Known vulnerability',
    'The installed version has a vulnerability that is publicly known.',
    'The inventory is matched against the feed of known vulnerabilities by version ranges.',
  ]),
  check({ id: 'core_outdated', source: 'inventory', kind: 'outdated', severity: 'medium', fix: 'update' }, [
    'WordPress is out of date',
    'A newer WordPress is offered. Security fixes come with updates.',
    'The site asks the update API.',
  ]),
  check({ id: 'plugin_outdated', source: 'inventory', kind: 'outdated', severity: 'medium', fix: 'update' }, [
    'A plugin is out of date',
    'A newer version is offered. Most break-ins use plugins that were not updated. Low where the plugin is not active.',
    'The site asks the update API.',
  ]),
  check({ id: 'theme_outdated', source: 'inventory', kind: 'outdated', severity: 'low', fix: 'update' }, [
    'A theme is out of date',
    'A newer version is offered.',
    'The site asks the update API.',
  ]),
  check({ id: 'plugin_closed', source: 'inventory', kind: 'outdated', severity: 'high', fix: null }, [
    'A plugin was closed in the directory',
    'WordPress.org no longer offers this plugin; often for a security problem, and no update will come. Replace it.',
    'The directory says so of a plugin of the same folder and the same name.',
  ]),
  check({ id: 'plugin_abandoned', source: 'inventory', kind: 'outdated', severity: 'medium', fix: null }, [
    'A plugin is abandoned',
    'It had no release for two years or more. Look for one that is maintained.',
    'The date of the last release in the directory, for plugins that the directory knows.',
  ]),
  check({ id: 'php_end_of_life', source: 'facts', kind: 'outdated', severity: 'high', fix: null }, [
    'PHP has reached its end of life',
    'Nobody publishes security fixes for this version of PHP any more, unless the operating system does. Change it at the host.',
    'The version is compared with a dated table.',
  ]),
  check({ id: 'database_end_of_life', source: 'facts', kind: 'outdated', severity: 'medium', fix: null }, [
    'The database has reached its end of life',
    'Nobody publishes security fixes for this version of the database any more, unless the operating system does. Change it at the host.',
    'The version is compared with a dated table.',
  ]),
  check({ id: 'debug_display', source: 'facts', kind: 'misconfiguration', severity: 'medium', fix: 'debug_display_off' }, [
    'PHP errors are shown to visitors',
    'Error messages tell paths, queries and sometimes secrets.',
    'WP_DEBUG, WP_DEBUG_DISPLAY and display_errors as they take effect on a page.',
  ]),
  check({ id: 'file_editor', source: 'facts', kind: 'misconfiguration', severity: 'low', fix: 'file_editor_off' }, [
    'Code can be edited in wp-admin',
    'Whoever gets hold of an administrator’s session can run PHP at once.',
    'Whether an administrator has the capability edit_plugins.',
  ]),
  check({ id: 'admin_user', source: 'facts', kind: 'account', severity: 'low', fix: null }, [
    'An administrator is called “admin”',
    'It is the first name that is tried with stolen and guessed passwords. Make another administrator and delete this one.',
    'The logins of all administrators.',
  ]),
  check({ id: 'user_id_1', source: 'facts', kind: 'account', severity: 'info', fix: null }, [
    'The user with id 1 is an administrator',
    'Attacks that take a user id try 1 first.',
    'The ids of all administrators.',
  ]),
  check({ id: 'new_admin', source: 'facts', kind: 'account', severity: 'high', fix: null }, [
    'An administrator who was not there before',
    'The account appeared, or got its rights, after the site was first looked at. If it is yours, ignore the finding; if not, the site was broken into.',
    'Users with administrator rights, read past WordPress’s own functions, compared with those of the first look.',
  ]),
  check({ id: 'admin_registration', source: 'facts', kind: 'account', severity: 'critical', fix: null }, [
    'Strangers can register as administrators',
    'Registration is open and new users get a role with administrator rights. Close it under Settings → General, and look for accounts that are not yours.',
    'Registration, default role and what that role may do.',
  ]),
  check({ id: 'table_prefix', source: 'facts', kind: 'misconfiguration', severity: 'info', fix: null }, [
    'The database tables have the usual prefix',
    'Ready-made SQL injections assume “wp_”. A weak defence; changing it on a live site is seldom worth the risk.',
    'The prefix.',
  ]),
  check({ id: 'salts', source: 'facts', kind: 'misconfiguration', severity: 'high', fix: 'salts_rotated' }, [
    'Secret keys are missing or weak',
    'The keys that sign login cookies are missing, the ones of the sample file, short or repeated; cookies can then be forged.',
    'The site judges its eight keys; the keys themselves stay there.',
  ]),
  check({ id: 'cron', source: 'facts', kind: 'misconfiguration', severity: 'medium', fix: null }, [
    'Scheduled tasks do not run',
    'Automatic updates and clean-ups wait. Repair WP-Cron, or call wp-cron.php from the host’s own scheduler.',
    'How long the oldest waiting task is overdue: more than six hours, or one where WP-Cron is switched off.',
  ]),
  check({ id: 'application_passwords', source: 'facts', kind: 'misconfiguration', severity: 'info', fix: 'application_passwords_off' }, [
    'Application passwords can be made',
    'They let programs in past a second factor and are not asked for again. Switch them off where nothing uses them.',
    'Whether WordPress offers them, and how many users have some.',
  ]),
  check({ id: 'admin_over_http', source: 'facts', kind: 'misconfiguration', severity: 'medium', fix: 'ssl_admin_forced' }, [
    'wp-admin can be used without encryption',
    'The site has TLS, but does not insist on it for logging in.',
    'Whether WordPress forces TLS for wp-admin.',
  ]),
  check({ id: 'core_modified', source: 'integrity', kind: 'integrity', severity: 'high', fix: null }, [
    'Files of WordPress were changed',
    'They differ from what WordPress.org published for this version. Compare them, or install the version again.',
    'MD5 of every file against the published checksums.',
  ]),
  check({ id: 'core_unknown', source: 'integrity', kind: 'integrity', severity: 'high', fix: null }, [
    'Foreign files among those of WordPress',
    'They lie in wp-admin or wp-includes and are not part of this version. Malware hides there.',
    'Files there that the published checksums do not name.',
  ]),
  check({ id: 'core_missing', source: 'integrity', kind: 'integrity', severity: 'medium', fix: null }, [
    'Files of WordPress are missing',
    'An update may have broken off. Install the version again.',
    'Files of the published checksums that are not there; of the top folder only PHP.',
  ]),
  check({ id: 'plugin_modified', source: 'integrity', kind: 'integrity', severity: 'high', fix: null }, [
    'Files of a plugin were changed',
    'They differ from what WordPress.org published for this version, or are PHP that is not part of it.',
    'MD5 of every file against the checksums published for plugins of the directory.',
  ]),
  check({ id: 'uploads_php_files', source: 'integrity', kind: 'integrity', severity: 'high', fix: 'uploads_php_off' }, [
    'PHP files among the uploads',
    'No picture is PHP. Some plugins keep code there; more often it is a backdoor. Look at each file.',
    'Names ending in a PHP extension in the uploads, files that do nothing aside.',
  ]),
]
