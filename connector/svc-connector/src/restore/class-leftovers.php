<?php
// What restores and updates leave behind, and its end.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Working folders are thrown away when nobody can need them any more. */
final class Leftovers {

	const STALE = 21600; // Seconds without a word after which what was begun is thrown away.
	const KEPT  = 86400; // Seconds an update that was taken back can still be asked about.

	/** Throws away what nobody asks for any more. Called now and then; each may take so many seconds; false when there is more to do. */
	public static function sweep( float $seconds ): bool {
		$done = true;
		foreach ( Journal::folders( Root::work() ) as $dir ) {
			$journal = Journal::open( $dir );
			try {
				if ( null === $journal && filemtime( $dir ) < time() - self::STALE ) {
					self::remove( $dir, INF ); // A begin or an end was killed.
				} elseif ( null !== $journal && ! $journal->is_held() ) {
					$done = self::settle( $journal, $seconds ) && $done;
				}
			} catch ( \Throwable $error ) {
				error_log( 'svc-connector: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- There is nobody else to tell; it is tried again.
			}
		}
		return $done;
	}

	/** The connection ends, so nobody goes on, asks, or undoes. What is at work its own door takes back at the next visit; the rest goes now. */
	public static function abandon(): void {
		foreach ( Journal::folders( Root::work() ) as $dir ) {
			touch( $dir . Journal::ENDED );
		}
		self::sweep( 8.0 );
	}

	private static function settle( Journal $journal, float $seconds ): bool {
		$journal->hold();
		if ( $journal->is_copied() ) {
			return self::remove( $journal->dir, INF );
		}
		if ( $journal->has_ended() && $journal->is_open() && ! array_filter( (array) $journal->get( 'doors' ), 'is_file' ) ) {
			$swap = new FileSwap( $journal, $seconds ); // Somebody has removed its doors.
			$swap->back();
			wp_cache_flush();
		}
		if ( ! self::is_over( $journal ) ) {
			return true;
		}
		if ( 'update' === $journal->get( 'kind' ) && 'rolled_back' === $journal->phase() ) {
			Guard::mend( $journal );
		}
		return self::wipe( $journal, $seconds );
	}

	/** Whether nobody can need it any more. An update that was taken back is kept for the job that asks what became of it. */
	private static function is_over( Journal $journal ): bool {
		if ( $journal->has_ended() ) {
			return ! $journal->is_open();
		}
		$silent = time() - (int) @filemtime( $journal->dir . '/heard' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- None is long ago.
		switch ( $journal->phase() ) {
			case 'rolled_back':
				return 'update' !== $journal->get( 'kind' ) || $silent > self::KEPT;
			case 'committed':
				return (int) $journal->get( 'kept_until' ) < time();
			default:
				return 'staging' === $journal->phase() && $silent > self::STALE;
		}
	}

	/** Empties a folder; the folder itself stays. */
	public static function clear( string $folder, float $until = INF ): bool {
		foreach ( self::names( $folder ) as $name ) {
			if ( microtime( true ) > $until || ! self::remove( "$folder/$name", $until ) ) {
				return false;
			}
		}
		return true;
	}

	/** Removes a folder of ours as well as it can be. */
	public static function discard( string $folder ): void {
		if ( self::clear( $folder ) ) {
			rmdir( $folder );
		}
	}

	/** Removes a file, a link, or a folder with what is in it. */
	private static function remove( string $path, float $until ): bool {
		if ( is_link( $path ) || ! is_dir( $path ) ) {
			return unlink( $path );
		}
		chmod( $path, 0700 );
		return self::clear( $path, $until ) && rmdir( $path );
	}

	/** What lies in a folder. */
	public static function names( string $folder ): array {
		$names = is_dir( $folder ) ? scandir( $folder ) : array();
		return array_values( array_diff( is_array( $names ) ? $names : array(), array( '.', '..' ) ) );
	}

	/** What core unpacked for an update and left there; it clears that folder itself at its next update. */
	private static function clear_unpacked( Journal $journal, float $until ): bool {
		$folder = $journal->get( 'unpacking' );
		foreach ( is_string( $folder ) ? array_diff( self::names( $folder ), (array) $journal->get( 'unpacked' ) ) : array() as $name ) {
			if ( ! self::remove( "$folder/$name", $until ) ) {
				return false;
			}
		}
		return true;
	}

	/** Removes a restore or an update: doors, tables, files, and its state at the very end. */
	public static function wipe( Journal $journal, float $seconds ): bool {
		$until = microtime( true ) + $seconds;
		if ( is_file( $journal->dir . Journal::UNCACHED ) && unlink( $journal->dir . Journal::UNCACHED ) && function_exists( 'wp_cache_flush' ) ) {
			wp_cache_flush();
		}
		FileSwap::open_site( $journal );
		if ( null !== $journal->get( 'engine' ) ) {
			TableSwap::drop( $journal, true );
		}
		if ( ! self::clear_unpacked( $journal, $until ) ) {
			return false;
		}
		foreach ( array_filter( $journal->sides(), 'is_dir' ) as $place ) {
			if ( ! self::clear( $place, $until ) || ! rmdir( $place ) ) {
				return false;
			}
		}
		foreach ( array( 'nonces', 'rescue' ) as $name ) {
			if ( ! self::clear( $journal->dir . '/' . $name, $until ) ) {
				return false;
			}
		}
		unlink( $journal->dir . '/state.php' );
		// Under a name that nobody has: a page that began before may note something yet, and a folder that is not empty stays.
		$dir = dirname( $journal->dir ) . '/.ht' . bin2hex( random_bytes( 16 ) );
		if ( ! rename( $journal->dir, $dir ) ) {
			return false;
		}
		for ( $try = 0; $try < 3; $try++ ) {
			if ( self::clear( $dir, $until ) && @rmdir( $dir ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- What came meanwhile is cleared with the next try.
				return true;
			}
		}
		return false;
	}
}
