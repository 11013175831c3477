import type { Proofs } from '../mutation/proof.ts'

/** What holds on real sites, seen from outside: who may pair, what a copy may do, what ends with the connection, what strangers and tweaks can do. */
export const nativeSites: Proofs = {
  'e2e/native/rights.test.ts': {
    'in a network no administrator of a site, not even of the main site, reaches the page or pairs by its form': [
      'class-rights.php',
      'if ( ! is_main_site() || ( is_multisite() && ! is_super_admin( $user_id ) ) ) {',
      "if ( is_multisite() ) {\n\t\t\treturn user_can( $user_id, 'manage_options' );\n\t\t}\n\t\tif ( false ) {",
    ],
    'a network administrator pairs on the page of the network, and who is none cannot end it': [
      'class-settings.php',
      "self::authorize( 'svc_connector_disconnect' );",
      "check_admin_referer( 'svc_connector_disconnect' );",
    ],
    'forms without a nonce of this person and this form change nothing': ['class-settings.php', 'check_admin_referer( $action );', ''],
    'a pairing is replaced by nobody before it was ended, and the service hears of the end': [
      'class-enrolment.php',
      'if ( null !== $paired ) {',
      'if ( false ) {',
    ],
    'a link lets network administrators in, as long as they are that': [
      'class-login.php',
      'is_multisite() ? is_super_admin( $user->ID ) : in_array(',
      'in_array(',
    ],
    'on a single site a role with settings alone, or without files or accounts, pairs nothing': [
      'class-rights.php',
      "return array_merge( array( self::to_settings(), 'activate_plugins', 'edit_users', 'promote_users' ), $files );",
      'return array( self::to_settings() );',
    ],
    'an administrator pairs where wp-config.php forbids changes of files too': [
      'class-rights.php',
      "$files = wp_is_file_mod_allowed( 'svc_connector' ) ?",
      '$files = true ?',
    ],
    'records of logins see a one-click login, and second factors stand in its way': [
      'class-login.php',
      "do_action( 'wp_login', $user->user_login, $user );",
      '',
    ],
    'no directory offers another plugin in place of the connector, and the zip of the service goes over it': [
      'class-plugin.php',
      'unset( $offers->response[ plugin_basename( FILE ) ] );',
      '',
    ],
    'sixty wrong passwords from one address leave forty rows, however many names are tried': [
      'class-attempts.php',
      'self::$refused || Facts::count( $key ) >= $most',
      'false',
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
    'a request that was heard is refused at every other door': [
      'class-session.php',
      "'n.' . hash( 'sha256', $nonce )",
      "'n.' . hash( 'sha256', $nonce . $_SERVER['REQUEST_URI'] )",
    ],
    'a write that is asked again under its request id is done once and answered alike': [
      'class-session.php',
      'if ( ! Facts::add( $row, $claim, $now + self::REPLY_KEPT ) ) {',
      'if ( false ) {',
    ],
    'an attempt with an earlier fence is shut out, and a request from another time is refused': [
      'class-facts.php',
      'if ( (int) self::get( $row ) > $fence ) {',
      'if ( false ) {',
    ],
  },
  'e2e/native/trouble.test.ts': {
    'a copy of folder and database that answers in place of the site is found out and changes nothing': [
      'class-identity.php',
      "return ! hash_equals( $this->get( 'install_id' ), Install::id() ) &&",
      'return false &&',
    ],
  },
  'e2e/native/ending.test.ts': {
    'a full backup holds no key and no setting of the connector, and after its restore the site is paired as before': [
      'class-facts.php',
      "'NOT (' . TableSwap::OURS . ')'",
      "'1 = 1'",
    ],
    'an older backup that holds keys brings none of them back': [
      'class-table-swap.php',
      '\t\t\tself::carry( $db, $options, $target );\n\t\t} else {',
      '\t\t} else {',
    ],
    'what was kept for an undo goes by itself a day later, without the service, and at once with the connection': [
      'class-leftovers.php',
      "return (int) $journal->get( 'kept_until' ) < time();",
      'return false;',
    ],
    'a site that is disconnected in the middle of an update takes it back at the next visit, and hears the service no more': [
      'class-identity.php',
      'Leftovers::abandon();',
      '',
    ],
  },
  'e2e/native/neighbours.test.ts': {
    'a shop whose tables were dropped is whole again, with keys, triggers and views, and so is everybody beside it': [
      'class-prefixes.php',
      '&& self::is_free( $name, $foreign );',
      ';',
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
  'e2e/native/updates.test.ts': {
    'wp-admin is looked at, and not a row is written': ['class-transaction.php', "'ROLLBACK'", "'COMMIT'"],
  },
  'e2e/native/strangers.test.ts': {
    'forty errors of strangers a second, of WordPress and of the plugin itself: the update stands, and they are told': [
      'class-fatals.php',
      "self::is_plain( $error['message'] ) ? 'item' : 'other'",
      "self::is_plain( $error['message'] ) ? 'item' : 'item'",
    ],
    'a version that breaks a page nobody looks at is taken back under the same errors': [
      'class-fatals.php',
      "self::is_plain( $error['message'] ) ? 'item' : 'other'",
      "self::is_plain( $error['message'] ) ? 'other' : 'other'",
    ],
  },
  'e2e/native/tweaks.test.ts': {
    '… the attack works, is stopped, and works again': [
      'class-hardening.php',
      "add_filter( 'wp_is_application_passwords_available', array( self::class, 'no' ), PHP_INT_MAX );",
      '',
    ],
    'whoever guesses too often waits, others and the one-click login do not': [
      'class-attempts.php',
      'if ( self::$refused ) {\n\t\t\tif ( ! headers_sent',
      'if ( false ) {\n\t\t\tif ( ! headers_sent',
    ],
  },
  'e2e/native/tweaks-files.test.ts': {
    'a change that shuts the site is taken back by the site itself, though nobody can reach it': [
      'class-dead-mans-switch.php',
      '\t\t\tself::put_back();\n',
      '',
    ],
    'known ones become random, sessions end, and the connection does not': [
      'class-salts.php',
      "$identity->prepare( implode( '', $salts ) );",
      '',
    ],
  },
}
