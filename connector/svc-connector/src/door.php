<?php
// Runs before every plugin while an update is under way: a few comparisons on an ordinary page.
namespace Svc\Connector;

( static function (): void {
	$dir   = dirname( __DIR__ );
	$state = is_file( "$dir/state.json" ) ? json_decode( (string) file_get_contents( "$dir/state.json" ), true, 16 ) : null;
	if ( ! is_array( $state ) ) {
		return;
	}
	// phpcs:disable WordPress.Security -- Compared, or hashed; the gate judges the rest.
	if ( ( isset( $_GET['svc-connector'] ) && 'rescue' === $_GET['svc-connector'] ) || time() >= $state['deadline'] || is_file( "$dir/ended" ) ) {
		require_once __DIR__ . '/rescue.php';
	}
	if ( isset( $_GET['svc-probe'] ) && is_string( $_GET['svc-probe'] ) ) {
		// Only this site, now, can answer this question: what a cache kept does not count.
		header( 'Svc-Probe: ' . hash_hmac( 'sha256', $_GET['svc-probe'], $state['echo'] ) );
		if ( ! defined( 'DONOTCACHEPAGE' ) ) {
			define( 'DONOTCACHEPAGE', true );
		}
	}
	// phpcs:enable
	register_shutdown_function(
		static function () use ( $dir ): void {
			$error = error_get_last();
			$path  = "$dir/fatals";
			if ( ! is_array( $error ) || ! ( $error['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR ) ) || ! is_file( "$dir/state.json" ) || ( is_file( $path ) && filesize( $path ) > 65536 ) ) {
				return;
			}
			$stream = fopen( $path, 'ab' );
			if ( $stream ) {
				$text = preg_replace( '/ in \S+:\d+.*/s', '', $error['message'] );
				$line = array( $_SERVER['REQUEST_TIME_FLOAT'] ?? 0, substr( (string) $text, 0, 300 ), $error['file'], $error['line'] ); // phpcs:ignore WordPress.Security -- A number.
				fwrite( $stream, json_encode( $line, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE ) . "\n" );
				fclose( $stream );
			}
		}
	);
} )();
