<?php
// Requests that do not end. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * PHP counts the time of the processor, not that of the clock: what waits is ended by nobody. So a request that a new version may hold keeps a
 * lock as long as it lives, on a file with the number of its process in its name, and another one ends that process, where a process serves one
 * request. A lock that can be had is of a request that has ended, whatever has that number now. In the file stand the host, since several may share a
 * disk, and its connection to the database: where the process cannot be ended, that can, and with it goes what it has locked.
 */
final class Hanging {

	const TRIAL  = 'trial';
	const JUDGED = 'judged';
	const ALONE  = array( 'fpm-fcgi', 'cgi-fcgi', 'litespeed', 'apache2handler' );

	/** @var int How many this request has found that took too long. */
	public static $hung = 0;

	/** @var resource|null The lock of this request. */
	private static $lock = null;

	/** This request may hang. */
	public static function begin( string $dir, string $kind ): void {
		if ( PHP_ZTS || ! in_array( PHP_SAPI, self::ALONE, true ) ) {
			return;
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- Two may begin at once, and a full disk is no reason not to look.
		if ( ! is_dir( "$dir/hanging" ) ) {
			@mkdir( "$dir/hanging", 0700 );
		}
		$path   = "$dir/hanging/$kind-" . getmypid();
		$stream = @fopen( $path, 'cb' );
		// phpcs:enable
		if ( $stream && flock( $stream, LOCK_EX | LOCK_NB ) ) {
			touch( $path );
			self::$lock = $stream;
			self::note( '' );
		}
	}

	/** Writes down where this request is at work, and over which connection. */
	public static function note( string $connection ): void {
		if ( null !== self::$lock ) {
			rewind( self::$lock );
			fwrite( self::$lock, self::host() . "\n$connection\n" );
		}
	}

	/** The name of this machine, or of the container. */
	private static function host(): string {
		return function_exists( 'gethostname' ) ? (string) gethostname() : '';
	}

	/** Ends the processes of the others that began so many seconds ago, or earlier, where that can be done; how many of them there are, young ones too. */
	public static function kill( string $dir, string $kind, int $seconds ): int {
		$living = 0;
		$names  = is_dir( "$dir/hanging" ) ? scandir( "$dir/hanging" ) : false;
		foreach ( preg_grep( "/^$kind-\d{1,10}$/D", is_array( $names ) ? $names : array() ) as $name ) {
			$path = "$dir/hanging/$name";
			if ( "$kind-" . getmypid() === $name ) {
				continue; // Itself: who comes here has not hung.
			}
			$stream = @fopen( $path, 'r+b' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Another one may have cleared it away.
			if ( ! $stream || flock( $stream, LOCK_EX | LOCK_NB ) ) {
				@unlink( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
				continue;
			}
			++$living;
			clearstatcache( true, $path );
			if ( filemtime( $path ) > time() - $seconds ) {
				continue;
			}
			++self::$hung;
			list( $host, $connection ) = array_pad( explode( "\n", (string) stream_get_contents( $stream ) ), 2, '' );
			if ( function_exists( 'posix_kill' ) && self::host() === $host ) {
				posix_kill( (int) substr( $name, strlen( $kind ) + 1 ), 9 );
			} elseif ( class_exists( Transaction::class ) && isset( $GLOBALS['wpdb'] ) ) {
				Transaction::cut( $connection );
			}
		}
		return $living;
	}
}
