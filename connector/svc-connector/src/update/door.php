<?php
// Runs before every plugin while an update is under way: a few comparisons on an ordinary page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

( static function (): void {
	$dir   = dirname( __DIR__ );
	$read  = static function () use ( $dir ): ?array {
		$state = is_file( "$dir/state.php" ) ? json_decode( (string) strstr( (string) file_get_contents( "$dir/state.php" ), "\n" ), true, 16 ) : null;
		return is_array( $state ) ? $state : null;
	};
	$state = $read();
	if ( null === $state ) {
		return;
	}
	// phpcs:disable WordPress.Security -- Compared, or hashed; the gate judges the rest.
	if ( ( isset( $_GET['svc-connector'] ) && 'rescue' === $_GET['svc-connector'] ) || time() >= $state['deadline'] || is_file( "$dir/ended" ) ) {
		require_once __DIR__ . '/rescue.php';
	}
	$asked = $_GET['svc-connector-probe'] ?? '';
	$mark  = is_string( $asked ) && preg_match( '/^([0-9a-f]{32})([0-9a-f]{64})$/D', $asked, $found ) && hash_equals( hash_hmac( 'sha256', $found[1], $state['echo'] ), $found[2] ) ? $found[1] : '';
	$ours  = '' !== $mark && ! is_file( "$dir/nonces/$mark" );
	if ( $ours ) {
		@touch( "$dir/nonces/$mark" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to look.
		// Only this site, now, can answer this question: what a cache kept does not count.
		header( 'Svc-Connector-Probe: ' . hash_hmac( 'sha256', $asked, $state['echo'] ) );
		if ( ! defined( 'DONOTCACHEPAGE' ) ) {
			define( 'DONOTCACHEPAGE', true );
		}
	}
	// phpcs:enable
	$reserve = str_repeat( 'x', 131072 );
	register_shutdown_function(
		static function () use ( $read, $ours, &$reserve ): void {
			$reserve = null; // When memory ran out, this much is there again.
			$error   = error_get_last();
			if ( is_array( $error ) && ( $error['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR ) ) ) {
				if ( ! class_exists( Fatals::class, false ) ) {
					require_once __DIR__ . '/class-fatals.php';
				}
				$state = $read();
				if ( null !== $state ) {
					Fatals::note( $state, $error, $ours );
				}
			}
		}
	);
} )();
