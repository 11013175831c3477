import type { Proofs } from '../mutation/proof.ts'

/** What the plugin refuses on the site, whoever asks. */
export const plugin: Proofs = {
  'connector/test/paths.php': {
    '': ['class-plan.php', '$above = 0 === strpos( "$own/", "$full/" );', '$above = false;'],
  },
  'connector/test/roots.php': {
    '': ['class-plan.php', "if ( isset( $names[ $op['r'] ] ) && !", 'if ( false && !'],
  },
  'connector/test/ending.php': {
    '': ['class-identity.php', 'Leftovers::abandon();', ''],
  },
  'connector/test/standing.php': {
    '': ['class-gate.php', 'if ( ! Wire::verify( $signature,', 'if ( false && ! Wire::verify( $signature,'],
    'a request is heard twice': ['class-standing-door.php', "return Standing::remember( $state['dir'], $nonce, $gone );", 'return true;'],
    'a folder that was copied is believed': ['standing-door.php', "&& realpath( \"$work/$name\" ) === ( $state['dir'] ?? '' )", ''],
    'the connection ends and the door stays': ['class-standing.php', '@unlink( $file )', 'true'],
    'a copy changes the site': ['class-standing-door.php', 'if ( Verbs::writes( $verb ) && $identity->is_clone() ) {', 'if ( false ) {'],
    'every verb is known': ['class-standing-door.php', 'if ( ! in_array( $verb, self::VERBS, true ) ) {', 'if ( false ) {'],
  },
  'e2e/native/down.test.ts': {
    'the standing door lets in whom the database knows, and is silent to everybody else': [
      'class-standing-door.php',
      "if ( $known->get( 'site_id' ) !== $identity->get( 'site_id' ) ||",
      'if ( false &&',
    ],
    'strangers at the standing door get what a file gives that does nothing': [
      'class-standing-door.php',
      'if ( is_array( $command ) ) {',
      'if ( is_string( $command ) ) {\n\t\t\t\tAnswer::refused( $incoming->envelope, $command );\n\t\t\t}\n\t\t\tif ( is_array( $command ) ) {',
    ],
    'the standing door closes with the connection': ['class-identity.php', '		Standing::forget();\n', ''],
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
  'connector/test/errors.php': {
    '': ['class-scrub.php', "preg_replace( '/(?<![\\w$])' . preg_quote( $value, '/' ) . '(?![\\w(])/i', $word, $text ) ?? ''", '$text'],
    'without the arguments in its trace': ['class-told.php', 'false === $at ? $message : substr( $message, 0, $at )', '$message'],
    'a fatal error has room still': ['class-kept.php', "( 'fatal' === $told['level'] ? self::FATALS : 0 )", '0'],
    'it was met again meanwhile': ['class-kept.php', " && $kept['count'] === (int) $found[3]", ''],
    'who listened before is asked, and decides': ['class-met.php', 'return null === $previous ? false :', 'return true ? false :'],
    'memory ran out': ['class-capture.php', "ini_set( 'memory_limit', (string) ( memory_get_usage( true ) + 5242880 ) );", ''],
  },
  'connector/test/swap.php': {
    '': ['class-file-swap.php', ' : Aside::move( $old, $live );', ' : null;'],
  },
  'connector/test/undo.php': {
    '': ['class-file-swap.php', ' : Aside::move( $old, $live );', ' : null;'],
    'strangers crowd out what the item does': ['class-fatals.php', '"$place/fatals-$by-$when"', '"$place/fatals-other-$when"'],
  },
  'connector/test/trial.php': {
    'another echo': ['door.php', "hash_equals( hash_hmac( 'sha256', \"$word $found[1]\", $state['echo'] ), $found[2] )", 'true'],
    'the same mark again': ['door.php', `|| is_file( "$dir/nonces/$mark" )`, ''],
    'what was held back': [
      'class-trial.php',
      "return $this->nothing( 'open' !== $this->transaction",
      "return $sql; $this->nothing( 'open' !== $this->transaction",
    ],
    'another process of that number': [
      'class-hanging.php',
      'if ( ! $stream || flock( $stream, LOCK_EX | LOCK_NB ) ) {',
      'if ( ! $stream ) {',
    ],
  },
  'connector/test/tweaks.php': {
    '': ['class-identity.php', "return null === $secret && '' !== $this->get( 'other_secret' )", 'return false'],
  },
  'e2e/wasm/story.test.ts': {
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
