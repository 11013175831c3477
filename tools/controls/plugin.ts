import type { Proofs } from '../mutation/proof.ts'

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
  'connector/test/undo.php': {
    '': ['class-file-swap.php', '			self::move( $old, $live );\n		}\n	}\n', '		}\n	}\n'],
    'strangers crowd out what the item does': ['class-fatals.php', '"$place/fatals-$by-"', '"$place/fatals-other-"'],
  },
  'connector/test/tweaks.php': {
    '': ['class-identity.php', "return null === $secret && '' !== $this->get( 'other_secret' )", 'return false'],
  },
  'e2e/story.test.ts': {
    'a login URL lets one of sixteen in, as the administrator, and nobody after that': [
      'class-login.php',
      'if ( ! Facts::remove( $row ) || ! $user',
      'if ( ! $user',
    ],
  },
  'e2e/browser/login.test.ts': {
    '': ['class-login.php', 'if ( ! Facts::remove( $row ) || ! $user', 'if ( ! $user'],
  },
}
