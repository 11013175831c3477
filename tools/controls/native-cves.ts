import type { Proofs } from '../mutation/proof.ts'

/** What stands in for a request that passed the gate, beside the command itself. */
const ADMITTED = "+ array( 'keyid' => '', 'request_id' => 'req_0', 'signature' => ':' )"
const FIRST = '$headers += array_fill_keys('
const UNKNOWN = "throw new Problem( 'unknown_verb'"
const STARTS = "add_action( 'shutdown', array( self::class, 'tidy' ), PHP_INT_MAX );"

/** Each hole of another plugin, torn into this one. */
export const cves: Proofs = {
  'e2e/native/cves.test.ts': {
    'CVE-2026-3903': ['class-settings.php', 'check_admin_referer( $action );', ''],
    'CVE-2020-8772': ['class-gate.php', 'if ( ! Wire::verify( $signature,', 'if ( false && ! Wire::verify( $signature,'],
    'CVE-2026-23800': ['class-gate.php', "if ( ! hash_equals( Wire::digest( $body ), $headers['content-digest'] ) ) {", 'if ( false ) {'],
    'CVE-2026-1357': ['class-root.php', "array( '', '.', '..' )", 'array()'],
    'CVE-2020-8771': [
      'class-gate.php',
      FIRST,
      `if ( 0 === strpos( $body, 'svc_envelope' ) ) {
			return json_decode( base64_decode( substr( $body, 12 ) ), true ) ${ADMITTED};
		}
		${FIRST}`,
    ],
    'CVE-2020-37255': [
      'class-gate.php',
      FIRST,
      `if ( isset( $_GET['svc'] ) ) { return json_decode( $body, true ) ${ADMITTED}; }\n${FIRST}`,
    ],
    'CVE-2026-23550': [
      'class-gate.php',
      FIRST,
      `if ( isset( $_GET['origin'] ) ) { return json_decode( $body, true ) ${ADMITTED}; }\n${FIRST}`,
    ],
    'CVE-2024-10783': [
      'class-plugin.php',
      'Incoming::is_call() && self::is_paired()',
      'Incoming::is_call()',
      'class-session.php',
      'ob_end_clean();\n',
      "Answer::refused( $this->incoming->envelope, 'key' );\n",
    ],
    'CVE-2026-10795': [
      'class-identity.php',
      "|| null === Wire::bytes( (string) $record['public'], 32 )",
      '',
      'class-gate.php',
      "return 'key';",
      'return $this->read( $headers, $body, $tag, $keyid );',
    ],
    'CVE-2024-6397': [
      'class-gate.php',
      "if ( null === $signature ) {\n\t\t\treturn 'signature';",
      'if ( null === $signature ) {\n\t\t\treturn $this->read( $headers, $body, $tag, $keyid );',
    ],
    'CVE-2020-9043': ['class-settings.php', "=> $identity->get( 'service_url' )", "=> $identity->get( 'site_secret' )"],
    'a secret in wp_options of BlogVault, MalCare and WP Remote': [
      'class-identity.php',
      'sodium_crypto_secretbox( $secret, $nonce, self::sealing_key( $salts ) )',
      '$secret',
      'class-identity.php',
      '$secret = sodium_crypto_secretbox_open( substr( $sealed, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES ), substr( $sealed, 0, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES ), $key ?? self::sealing_key() );',
      '$secret = substr( $sealed, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES );',
    ],
    'CVE-2016-15004': [
      'class-incoming.php',
      "if ( ! isset( $incoming->headers['signature'] ) ) {",
      "@unserialize( $incoming->body );\n\t\tif ( ! isset( $incoming->headers['signature'] ) ) {",
    ],
    'CVE-2024-13742': [
      'class-login.php',
      '$ticket = is_string( $raw ) ?',
      '@unserialize( wp_unslash( $raw ) );\n\t\t$ticket = is_string( $raw ) ?',
    ],
    'a deserialization in CMS Commander': [
      'class-verbs.php',
      'list( $name, $method ) = explode(',
      "array_map( 'maybe_unserialize', $params );\n\t\tlist( $name, $method ) = explode(",
    ],
    'CVE-2024-10957': [
      'class-database.php',
      'Weight::too_heavy( $this->table, $row )',
      "Weight::too_heavy( $this->table, array_map( 'maybe_unserialize', $row ) ? $row : $row )",
    ],
    'CVE-2024-12209': ['class-verbs.php', UNKNOWN, `@include ABSPATH . $verb . '.php';\n\t\t\t${UNKNOWN}`],
    'CVE-2023-6553': [
      'class-incoming.php',
      '$incoming       = new self();',
      "$incoming = new self();\n\t\t@include $_SERVER['HTTP_SVC_INCLUDE'];",
    ],
    'CVE-2020-11738': ['class-root.php', "array( '', '.', '..' )", 'array()'],
    'file_mkdir in WPMgr': ['class-file-swap.php', 'if ( is_link( $folder ) ) {', 'if ( false ) {'],
    'CVE-2026-4299': [
      'class-plugin.php',
      STARTS,
      `add_filter( 'heartbeat_received', function ( $told ) { return $told + array( 'svc' => get_option( 'svc_connector_site' ) ); } );\n${STARTS}`,
    ],
    'CVE-2022-0633': [
      'class-reading.php',
      "$pieces[] = $piece['bytes'];",
      "file_put_contents( WP_CONTENT_DIR . '/backup', $piece['bytes'], FILE_APPEND );\n\t\t\t$pieces[] = $piece['bytes'];",
    ],
    'CVE-2022-3180': ['class-verbs.php', UNKNOWN, `wp_insert_user( $params );\n\t\t\t${UNKNOWN}`],
    'CVE-2026-34901': ['class-login.php', "return $has_role && user_can( $user, 'manage_options' );", 'return true;'],
  },
}
