<?php
// Files by which a version could shut the site, every door of ours with it. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A broken .htaccess or wp-config.php lets no request get as far as any door, so nobody could take the update back. One request in which such a file
 * has become another stays awake until somebody has got through since, and else does it. Where no two requests were ever at work at the same time
 * there may be one worker alone, for which everybody else would wait: there none stays.
 */
final class Gates {

	const PATIENCE = 60; // Seconds: longer than any pause the service makes.
	const UNDERWAY = 5; // Seconds in which somebody may come who passed the web server before the file became another.

	/** @var resource|null Shared by all requests that live. */
	private static $here = null;

	/**
	 * What the state has of them.
	 *
	 * @param string[] $paths From Around::gates().
	 */
	public static function of( array $paths ): array {
		return array( 'paths' => $paths, 'were' => self::digests( $paths ), 'patience' => self::PATIENCE );
	}

	/** With every request of the web server while an update is at work. */
	public static function begin( array $state ): void {
		$dir   = $state['dir'];
		$gates = (array) ( $state['gates'] ?? array() );
		@touch( "$dir/came" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to answer.
		if ( empty( $gates['paths'] ) ) {
			return;
		}
		self::be_here( $dir );
		$was     = self::digests( $gates['paths'] );
		$compare = static function () use ( $dir, $gates, $was ): void {
			$is = self::digests( $gates['paths'] );
			if ( $is !== $was && $is !== $gates['were'] ) {
				self::wait( $dir, (int) $gates['patience'] );
			}
		};
		register_shutdown_function(
			static function () use ( $compare ): void {
				register_shutdown_function( $compare ); // After all that others do when a page ends.
			}
		);
	}

	/** Holds a lock as long as the request lives, and notes when another does. */
	private static function be_here( string $dir ): void {
		$stream = @fopen( "$dir/here", 'cbe' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
		if ( ! $stream ) {
			return;
		}
		if ( ! flock( $stream, LOCK_EX | LOCK_NB ) ) {
			@touch( "$dir/several" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
		}
		flock( $stream, LOCK_SH );
		self::$here = $stream;
	}

	/** Whether somebody has come to a door since this was asked last. */
	private static function has_come( string $dir ): bool {
		$came = file_exists( "$dir/came" );
		@unlink( "$dir/came" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Another host's disk may say no, and then somebody came.
		return $came;
	}

	/** Whether no other request lives. One that began before may be why nobody comes. */
	private static function is_alone(): bool {
		$alone = null !== self::$here && flock( self::$here, LOCK_EX | LOCK_NB );
		if ( null !== self::$here ) {
			flock( self::$here, LOCK_SH );
		}
		return $alone;
	}

	/** What they hold. */
	private static function digests( array $paths ): array {
		clearstatcache();
		$found = array();
		foreach ( $paths as $path ) {
			$found[] = is_file( $path ) ? (string) @md5_file( $path ) : ''; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- What PHP may not read it does not write.
		}
		return $found;
	}

	/** Where nobody comes, the update is as one that nobody came back for. One of all requests waits, and only where there is more than one worker. */
	private static function wait( string $dir, int $seconds ): void {
		$lock = is_file( "$dir/several" ) ? @fopen( "$dir/waits", 'cbe' ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may end right now.
		if ( ! $lock || ! flock( $lock, LOCK_EX | LOCK_NB ) ) {
			return;
		}
		self::has_come( $dir );
		if ( ! class_exists( Answer::class ) ) {
			require_once __DIR__ . '/class-answer.php';
		}
		Answer::finish();
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( $seconds + 30 );
		}
		$began = microtime( true );
		do {
			usleep( 250000 );
			clearstatcache();
			$came    = self::has_come( $dir ) && microtime( true ) > $began + self::UNDERWAY;
			$journal = Journal::open( $dir );
			if ( $came || null === $journal || ! in_array( $journal->phase(), array( 'swapping', 'swapped' ), true ) ) {
				return;
			}
		} while ( microtime( true ) < $began + $seconds || ( ! $journal->is_overdue() && ! self::is_alone() ) );
		try {
			$journal->hold();
			if ( ! in_array( $journal->phase(), array( 'swapping', 'swapped' ), true ) ) {
				return;
			}
			$journal->put( array( 'deadline' => 0, 'shut' => true ) );
		} catch ( Problem $problem ) {
			return; // Somebody is at work on it.
		}
		$journal = null; // Who takes it back holds it.
		require_once __DIR__ . '/rescue.php';
	}
}
