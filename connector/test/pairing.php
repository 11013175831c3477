<?php
/**
 * What whoever pairs a site with WP-CLI is told: the whole of a refusal, and that it is connected only when the service was heard.
 *
 *   php pairing.php [REFUSAL]
 *
 * Needs the extension sodium.
 *
 * @package SvcConnector
 */

namespace {
	$folder = sys_get_temp_dir() . '/svc-pairing-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$folder/wp-includes", 0700, true );
	file_put_contents( "$folder/wp-includes/version.php", "<?php\n\$wp_version = '7.1.1';\n" );
	define( 'ABSPATH', "$folder/" );
	define( 'WPINC', 'wp-includes' );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'DB_NAME', 'wordpress' );
	define( 'DB_HOST', 'localhost' );
	define( 'AUTH_KEY', 'the same' );
	require __DIR__ . '/options.php';
	$options = array( 'blogname' => 'A site' );
	$wpdb    = new QuietDatabase();
	/** Ends a command as WP-CLI ends the process. */
	class Ended extends Exception {}
	class WP_CLI {
		public static $said = array();
		public static function line( $text ) {
			self::$said[] = $text;
		}
		public static function success( $text ) {
			self::$said[] = "Success: $text";
		}
		public static function error( $text ) {
			self::$said[] = "Error: $text";
			self::halt( 1 );
		}
		public static function halt( $code ) {
			throw new Ended( '', $code );
		}
	}
	class WP_Error {
		private $message;
		public function __construct( $code, $message ) {
			$this->message = $message;
		}
		public function get_error_message() {
			return $this->message;
		}
	}
	function is_wp_error( $thing ) {
		return $thing instanceof WP_Error;
	}
	function wp_load_alloptions() {
		return array( 'home' => 'https://example.org' );
	}
	function home_url() {
		return 'https://example.org';
	}
	function site_url() {
		return 'https://example.org';
	}
	function get_current_user_id() {
		return 0;
	}
	function get_users() {
		return array( 1 );
	}
	function is_multisite() {
		return false;
	}
	function untrailingslashit( $text ) {
		return rtrim( $text, '/' );
	}
	function wp_specialchars_decode( $text ) {
		return $text;
	}
	function sanitize_text_field( $text ) {
		return $text;
	}
	function wp_check_invalid_utf8( $text ) {
		return $text;
	}
	function __( $text ) {
		return $text;
	}
	function wp_remote_retrieve_response_code( $answer ) {
		return $answer[0];
	}
	function wp_remote_retrieve_body( $answer ) {
		return json_encode( $answer[1] );
	}
	/** The service: it refuses with what was given, or takes the code. */
	function wp_remote_post( $url, $request ) {
		if ( null !== $GLOBALS['refusal'] ) {
			return array( 409, array( 'title' => 'Conflict', 'detail' => $GLOBALS['refusal'] ) );
		}
		$asked = json_decode( $request['body'], true );
		if ( ! isset( $asked['site_public'] ) ) {
			return array( 200, array() );
		}
		$said           = array( 'site_id' => 'site_1', 'keyid' => 'k1', 'service_public' => base64_encode( str_repeat( 'k', 32 ) ), 'nonce' => base64_encode( str_repeat( 'n', 16 ) ) );
		$bound          = array( 'enrol-2', $said['site_id'], $said['service_public'], $asked['site_public'], $asked['nonce'], $said['nonce'] );
		$said['proof2'] = base64_encode( hash_hmac( 'sha256', implode( "\n", $bound ), hash( 'sha256', 'AAAAABBBBBCCCCCDDDDD', true ), true ) );
		return array( 200, $said );
	}
}

namespace SvcConnector {
	const VERSION = '0';
	require __DIR__ . '/load.php';

	$run = static function ( string $verb ): array {
		\WP_CLI::$said = array();
		$code          = 0;
		try {
			( new Cli() )->$verb( array(), array( 'service' => 'https://service.example', 'code' => 'AAAAA-BBBBB-CCCCC-DDDDD' ) );
		} catch ( \Ended $end ) {
			$code = $end->getCode();
		}
		return array( $code, implode( "\n", \WP_CLI::$said ) );
	};

	$wrong   = array();
	$checks  = 0;
	$expects = static function ( string $verb, int $code, string $shape ) use ( $run, &$wrong, &$checks ): void {
		++$checks;
		list( $ended, $said ) = $run( $verb );
		if ( $ended !== $code || ! preg_match( $shape, $said ) ) {
			$wrong[] = "$verb ended with $ended: $said";
		}
	};

	$refusal = $argv[1] ?? str_repeat( 'why ', 200 ) . 'end.';
	$expects( 'connect', 1, '/^Error: The service refused \(409\): ' . preg_quote( $refusal, '/' ) . '$/D' );
	$expects( 'status', 1, '/^Not connected\.$/D' );
	$refusal = null;
	$expects( 'connect', 0, '/^Success: The service knows this site as site_1 now\.\nNot connected yet: the service has not come by so far\./D' );
	$expects( 'status', 1, '/^Not connected yet: .*\nlast_contact: -$/sD' );
	$wpdb->prefix = '';
	Identity::forget();
	$expects( 'connect', 1, '/^Error: The tables of this site have no prefix, .*\$table_prefix in wp-config\.php/' );
	$wpdb->prefix = 'wp_';
	$expects( 'connect', 0, '/^Success: /' );
	Identity::load()->seen();
	$expects( 'status', 0, '/^Connected\n.*\nlast_contact: 20\S+$/sD' );

	unlink( "$folder/wp-includes/version.php" );
	rmdir( "$folder/wp-includes" );
	rmdir( $folder );
	foreach ( $wrong as $line ) {
		echo "WRONG  $line\n";
	}
	printf( "%d commands: %d wrong\n", $checks, count( $wrong ) );
	exit( $wrong ? 1 : 0 );
}
