<?php
/**
 * The plugin's page asks before it disconnects: the button opens the question and sends nothing, and what is sent without the answer's nonce, or by somebody else, changes nothing.
 *
 *   php settings.php
 *
 * Needs the extension sodium.
 *
 * @package SvcConnector
 */

namespace {
	$folder = sys_get_temp_dir() . '/svc-settings-' . bin2hex( random_bytes( 6 ) );
	mkdir( $folder, 0700 );
	define( 'ABSPATH', "$folder/" );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'DB_NAME', 'wordpress' );
	define( 'DB_HOST', 'localhost' );
	define( 'AUTH_KEY', 'the same' );
	require __DIR__ . '/options.php';
	require __DIR__ . '/is.php';
	$may  = true;
	$sent = array();
	$wpdb = new QuietDatabase();
	/** Ends a request, with what it ended. */
	class Ended extends Exception {}
	function __( $text ) {
		return $text;
	}
	function esc_html__( $text ) {
		return htmlspecialchars( $text, ENT_QUOTES );
	}
	function esc_html( $text ) {
		return htmlspecialchars( $text, ENT_QUOTES );
	}
	function esc_attr( $text ) {
		return htmlspecialchars( $text, ENT_QUOTES );
	}
	function esc_url( $url ) {
		return $url;
	}
	function admin_url( $path ) {
		return "https://example.org/wp-admin/$path";
	}
	function network_admin_url( $path ) {
		return admin_url( $path );
	}
	function add_query_arg( $name, $value, $url ) {
		return "$url&$name=$value";
	}
	function wp_nonce_field( $action ) {
		echo '<input type="hidden" name="_wpnonce" value="' . md5( $action ) . '">';
	}
	function check_admin_referer( $action ) {
		if ( md5( $action ) !== ( $_REQUEST['_wpnonce'] ?? '' ) ) {
			throw new Ended( 'link expired' );
		}
	}
	function submit_button( $text, $type = 'primary', $name = 'submit' ) {
		echo '<input type="submit" name="' . $name . '" value="' . $text . '">';
	}
	function wp_die( $text ) {
		throw new Ended( $text );
	}
	function add_settings_error( $setting, $code, $message ) {
		$GLOBALS['told'] = $message;
	}
	function get_settings_errors() {
		return array();
	}
	function set_transient() {}
	function wp_safe_redirect() {
		throw new Ended( 'sent back' );
	}
	function human_time_diff() {
		return '5 minutes';
	}
	function is_multisite() {
		return false;
	}
	function get_current_user_id() {
		return 1;
	}
	function user_can() {
		return $GLOBALS['may'];
	}
	function wp_is_file_mod_allowed() {
		return true;
	}
	function wp_load_alloptions() {
		return array( 'home' => 'https://example.org' );
	}
	function home_url() {
		return 'https://example.org';
	}
	function is_wp_error() {
		return false;
	}
	function wp_remote_post( $url, $request ) {
		$GLOBALS['sent'][] = json_decode( $request['body'], true )['method'];
	}
}

namespace SvcConnector {
	const VERSION = '0';
	require __DIR__ . '/load.php';

	Identity::create( array( 'service_url' => 'https://service.example', 'site_id' => 'site_1', 'keyid' => 'k1', 'public' => base64_encode( str_repeat( 'k', 32 ) ), 'paired_by' => 1 ), sodium_crypto_sign_keypair() );
	$page = static function (): string {
		ob_start();
		Settings::show();
		return (string) ob_get_clean();
	};
	$post = static function ( array $fields ): string {
		$_REQUEST = $fields;
		$_POST    = $fields;
		try {
			Settings::disconnect();
		} catch ( \Ended $end ) {
			return $end->getMessage();
		}
		return 'went on';
	};

	$shown = $page();
	$is( 'forms', substr_count( $shown, '<form' ), 1 );
	$is( 'the question is closed', preg_match( '/<details( [^>]*)?>/', $shown, $details ) ? $details[0] : '', '<details>' );
	list( $before, $question ) = explode( '<details>', $shown ) + array( '', '' );
	list( $question, $after )  = explode( '</details>', $question ) + array( '', '' );
	$is( 'buttons outside of the question', preg_match( '/<form|type="submit"|<button/', $before . $after ), 0 );
	$is( 'what opens it sends nothing', preg_match( '#^<summary[^>]*>Disconnect…</summary><form#', $question ), 1 );
	$is( 'it says what will be', preg_match( '#The keys of this connection are deleted here at once: .*<input type="submit" name="submit" value="Yes, disconnect this site"></form>#s', $question ), 1 );

	$is( 'without the answer', $post( array( 'action' => 'svc_connector_disconnect' ) ), 'link expired' );
	$is( 'with the nonce of another form', $post( array( '_wpnonce' => md5( 'svc_connector_connect' ) ) ), 'link expired' );
	$may = false;
	$is( 'by somebody else', $post( array( '_wpnonce' => md5( 'svc_connector_disconnect' ) ) ), 'You are not allowed to do this.' );
	$is( 'the page of somebody else', $page(), '' );
	$may = true;
	$is( 'still connected', array( null !== Identity::load(), $sent ), array( true, array() ) );

	preg_match( '/name="_wpnonce" value="(\w+)"/', $question, $nonce );
	$is( 'with the answer', $post( array( '_wpnonce' => $nonce[1] ) ), 'sent back' );
	$is( 'disconnected', array( Identity::load(), $sent, $told ), array( null, array( 'disconnected' ), 'This site is disconnected. All keys were deleted.' ) );
	$is( 'what can be done then', preg_match( '/Connect this site/', $page() ), 1 );

	rmdir( $folder );
	printf( "%d checks: %d wrong\n", $checks, $wrong );
	exit( $wrong ? 1 : 0 );
}
