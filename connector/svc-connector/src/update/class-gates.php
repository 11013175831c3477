<?php
// Files by which a version could shut the site, every door of ours with it. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A broken .htaccess or wp-config.php lets no request get as far as any door, so nobody could take the update back. Whoever has changed one stays
 * awake until somebody has got through since, and else does it.
 */
final class Gates {

	const PATIENCE = 15; // Seconds.

	/** With every request while an update is at work. */
	public static function begin( array $state ): void {
		@touch( $state['dir'] . '/came' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to answer.
		$was = self::look( $state );
		if ( ! $was || defined( 'WP_CLI' ) ) {
			return;
		}
		$compare = static function () use ( $state, $was ): void {
			if ( self::look( $state ) !== $was ) {
				self::wait( $state['dir'], (int) $state['gates']['patience'] );
			}
		};
		register_shutdown_function(
			static function () use ( $compare ): void {
				register_shutdown_function( $compare ); // After all that others do when a page ends.
			}
		);
	}

	/** What they hold. */
	private static function look( array $state ): array {
		clearstatcache();
		$found = array();
		foreach ( (array) ( $state['gates']['paths'] ?? array() ) as $path ) {
			$found[] = is_file( $path ) ? (string) @md5_file( $path ) : ''; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- What PHP may not read it does not write.
		}
		return $found;
	}

	/** Where nobody comes, the update is as one that nobody came back for. */
	private static function wait( string $dir, int $seconds ): void {
		foreach ( array( 'fastcgi_finish_request', 'litespeed_finish_request' ) as $finish ) {
			if ( function_exists( $finish ) ) {
				$finish();
			}
		}
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( $seconds + 30 );
		}
		$began = time();
		do {
			usleep( 250000 );
			clearstatcache();
			$journal = Journal::open( $dir );
			if ( null === $journal || ! in_array( $journal->phase(), array( 'swapping', 'swapped' ), true ) || (int) @filemtime( "$dir/came" ) > $began ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may end right now.
				return;
			}
		} while ( time() < $began + $seconds );
		$journal->hold();
		$journal->put( array( 'deadline' => 0, 'hung' => true ) );
		$journal = null; // Who takes it back holds it.
		require_once __DIR__ . '/rescue.php';
	}
}
