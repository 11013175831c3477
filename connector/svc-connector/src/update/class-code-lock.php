<?php
// Nobody loads half of the old code and half of the new. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A readers–writer lock over the code of a site while an update is at work, by flock(), so that it goes with the process that holds it, however that
 * ends. Requests share it as long as they live; who exchanges files has it alone. Whoever exchanges holds the gate first, at which those that come
 * then wait: else, where visitors come without a pause, it would never be free. Nobody waits for long, and who has waited that long goes on as if
 * there were no lock.
 */
final class CodeLock {

	const OTHERS = 1.0; // Seconds who exchanges waits for requests that are at work.
	const GATE   = 3.0; // Seconds a request waits while files are exchanged.

	/** @var resource|null What this request shares. */
	private static $shared = null;

	/** @var array What this request has alone: what is locked is so until the file is closed. */
	private static $alone = array();

	/** This request loads code from here to its end. Whether it has waited: what it has read before may be another by now. */
	public static function share( string $dir ): bool {
		$gate = self::open( $dir, 'gate' );
		$free = null === $gate || flock( $gate, LOCK_SH | LOCK_NB );
		if ( ! $free ) {
			self::lock( $gate, LOCK_SH, self::GATE );
		}
		self::$shared = self::open( $dir, 'code' );
		if ( null !== self::$shared ) {
			flock( self::$shared, LOCK_SH | LOCK_NB );
		}
		return ! $free;
	}

	/** Alone with the code until let_go(). */
	public static function take( string $dir ): void {
		self::$shared = null;
		foreach ( array( 'gate', 'code' ) as $name ) {
			$stream = self::open( $dir, $name );
			if ( null !== $stream && self::lock( $stream, LOCK_EX, self::OTHERS ) ) {
				self::$alone[] = $stream;
			}
		}
	}

	/** Whoever waits goes on. */
	public static function let_go(): void {
		self::$alone = array();
	}

	/**
	 * Asks again and again: a request that waits in flock() itself waits for ever.
	 *
	 * @param resource $stream An open file.
	 */
	private static function lock( $stream, int $kind, float $seconds ): bool {
		$until = microtime( true ) + $seconds;
		do {
			$is_taken = flock( $stream, $kind | LOCK_NB, $is_others );
			if ( $is_taken || ! $is_others ) { // A disk may know no locks.
				return $is_taken;
			}
			usleep( 2000 );
		} while ( microtime( true ) < $until );
		return false;
	}

	/**
	 * A file of the journal, or null where none can be made.
	 *
	 * @return resource|null
	 */
	private static function open( string $dir, string $name ) {
		$stream = @fopen( "$dir/$name.lock", 'c+be' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A full disk is no reason not to answer.
		return false === $stream ? null : $stream;
	}
}
