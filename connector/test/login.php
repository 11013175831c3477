<?php
/**
 * The pages of a login link: what a person reads when it is over, without a script, in the site's language, kept by nobody; and the form of one that works.
 *
 *   php login.php
 *
 * @package SvcConnector
 */

// phpcs:disable -- Stand-ins for what WordPress and PHP have.
namespace SvcConnector {
	function header( string $line ): void {
		$GLOBALS['headers'][] = $line;
	}
}

namespace {
	define( 'ABSPATH', sys_get_temp_dir() . '/' );
	require __DIR__ . '/options.php';
	require __DIR__ . '/is.php';
	require __DIR__ . '/load.php';

	function escaped( string $text ): string { return htmlspecialchars( $text, ENT_QUOTES ); }
	function esc_html__( string $text ): string { return escaped( $text ); }
	function esc_attr( string $text ): string { return escaped( $text ); }
	function esc_url( string $text ): string { return escaped( $text ); }
	function sanitize_text_field( string $text ): string { return trim( $text ); }
	function wp_unslash( string $text ): string { return $text; }
	function nocache_headers(): void {}
	function status_header( int $code ): void { $GLOBALS['headers'][] = "Status: $code"; }
	function get_bloginfo(): string { return $GLOBALS['language']; }
	function is_rtl(): bool { return $GLOBALS['rtl']; }
	function home_url( string $path ): string { return "https://example.com$path"; }
	// phpcs:enable

	$headers  = array();
	$language = 'de-DE"><script>alert(1)</script>';
	$rtl      = true;

	ob_start();
	$shown = new ReflectionMethod( SvcConnector\Login::class, 'show_form' );
	$shown->setAccessible( true );
	$shown->invoke( null, str_repeat( 'a', 43 ) );
	$form = (string) ob_get_clean();
	$is( 'the form is sent by itself, or by its button', array( 1 === preg_match( '/<script nonce="([\w-]+)">/', $form, $found ), false !== strpos( $form, '<button type="submit">' ) ), array( true, true ) );
	$is( 'its script may run', false !== strpos( implode( "\n", $headers ), "script-src 'nonce-" . ( $found[1] ?? '' ) . "'" ), true );

	$headers                     = array();
	$_SERVER['REQUEST_METHOD']   = 'GET';
	$_GET['svc-connector-login'] = 'x';
	ob_start();
	register_shutdown_function(
		static function () use ( $is, &$headers, &$checks, &$wrong ): void {
			$page = (string) ob_get_clean();
			$told = implode( "\n", $headers );
			preg_match( '/<style nonce="([\w-]+)">/', $page, $style );
			$is( 'it is refused', in_array( 'Status: 403', $headers, true ), true );
			$is( 'nobody keeps it', false !== strpos( $told, 'no-store' ), true );
			$is( 'nothing of it runs', array( stripos( $page, '<script' ), strpos( $told, 'script-src' ) ), array( false, false ) );
			$is( 'its style may be used', false !== strpos( $told, "style-src 'nonce-" . ( $style[1] ?? '' ) . "'" ), true );
			$is( 'it is in the language of the site, whatever that is', 0 === strpos( $page, '<!doctype html><html lang="de-DE&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" dir="rtl">' ), true );
			$is( 'a telephone shows it as wide as it is', false !== strpos( $page, '<meta name="viewport" content="width=device-width, initial-scale=1">' ), true );
			$is( 'it says what to do', false !== strpos( $page, 'Ask for a new one' ), true );
			echo "$checks checks: $wrong wrong\n";
			exit( $wrong > 0 ? 1 : 0 );
		}
	);
	SvcConnector\Login::redeem();
}
