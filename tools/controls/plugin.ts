import type { Proofs } from './proof.ts'

/** What the plugin refuses on the site, whoever asks. */
export const plugin: Proofs = {
  'connector/test/paths.php': {
    '': ['class-plan.php', '$above = 0 === strpos( "$own/", "$full/" );', '$above = false;'],
  },
  'connector/test/ending.php': {
    '': ['class-identity.php', 'Leftovers::abandon();', ''],
  },
  'connector/test/copies.php': {
    '': ['class-identity.php', "return $this->is_clone() || ( ''", "return ( ''"],
  },
  'connector/test/rules.php': {
    '': ['svc-connector.php', ' * Update URI:        false\n', ''],
  },
  'connector/test/dump.php': {
    '': ['class-dump.php', "if ( preg_match( '/;|--|#|", "if ( false && preg_match( '/;|--|#|"],
  },
  'connector/test/mutations.php': {
    '': ['class-gate.php', 'if ( ! Wire::verify( $signature,', 'if ( false && ! Wire::verify( $signature,'],
  },
  'connector/test/vectors.php': {
    '': ['class-gate.php', "if ( '' === $this->site_id || ! hash_equals( $this->site_id, $headers['svc-site'] ) ) {", 'if ( false ) {'],
  },
  'connector/test/swap.php': {
    '': ['class-file-swap.php', '			self::move( $old, $live );\n		}\n	}\n', '		}\n	}\n'],
  },
  'e2e/native/rights.test.ts': {
    'forms without a nonce of this person and this form change nothing': ['class-settings.php', 'check_admin_referer( $action );', ''],
    'a link lets network administrators in, as long as they are that': [
      'class-login.php',
      'is_multisite() ? is_super_admin( $user->ID ) : in_array(',
      'in_array(',
    ],
    'an administrator pairs where wp-config.php forbids changes of files too': [
      'class-rights.php',
      "$files = wp_is_file_mod_allowed( 'svc_connector' ) ?",
      '$files = true ?',
    ],
    'sixty wrong passwords from one address leave forty rows, however many names are tried': [
      'class-attempts.php',
      'break; // An address that must wait',
      'continue; // An address that must wait',
    ],
  },
  'e2e/native/gate.test.ts': {
    'a key, site id or nonce that was swapped on the way is not pinned': [
      'class-enrolment.php',
      "if ( ! hash_equals( $expected, $said['proof2'] ) ) {",
      "if ( '' === $expected ) {",
    ],
    'of sixteen copies of one request one is heard': [
      'class-gate.php',
      'if ( ! call_user_func( $this->remember, $nonce, $created + 2 * $window ) ) {',
      'if ( false ) {',
    ],
    'an attempt with an earlier fence is shut out, and a request from another time is refused': [
      'class-facts.php',
      'if ( (int) self::get( $row ) > $fence ) {',
      'if ( false ) {',
    ],
  },
  'e2e/native/served.test.ts': {
    'while a backup, a restore, an update and a tweak run, and a day later, a stranger is given nothing: …': [
      'class-journal.php',
      "return hash( 'sha256', basename( $this->dir ) );",
      'return basename( $this->dir );',
      'class-door.php',
      "hash( 'sha256', (string) \\$svc_connector_name )",
      '(string) \\$svc_connector_name',
    ],
  },
  'e2e/native/cves.test.ts': {
    'CVE-2026-3903': ['class-settings.php', 'check_admin_referer( $action );', ''],
    'CVE-2020-8772': ['class-gate.php', 'if ( ! Wire::verify( $signature,', 'if ( false && ! Wire::verify( $signature,'],
    'CVE-2026-23800': ['class-gate.php', "if ( ! hash_equals( Wire::digest( $body ), $headers['content-digest'] ) ) {", 'if ( false ) {'],
    'CVE-2026-1357': ['class-root.php', "array( '', '.', '..' )", 'array()'],
  },
}
