<?php
// The errors of one page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Folds them by file, line and level. What was silenced, or lies outside of error_reporting, is let be; nothing is made of the words before the page has ended. */
final class Met {

	const DISTINCT = 50;   // Of one page.
	const CALLS    = 500;  // After so many it steps back: a page that raises a warning for each line of a file has enough to do.
	const DEEP     = 20;   // Frames that are looked at.

	/** @var array<string,array<int,array<int,array<string,mixed>>>> By file, line and level. */
	private static $met = array();

	/** @var int How many there are of these. */
	private static $distinct = 0;

	/** @var int How often it was called. */
	private static $calls = 0;

	/** @var bool Whether what ended the page was seen. */
	private static $ended = false;

	/** @var bool Whether it writes: its own trouble is nobody's. */
	private static $writing = false;

	/**
	 * One that PHP has reported.
	 *
	 * @param callable|null $previous Who listened before.
	 * @param int           $wanted   Levels that are kept.
	 * @param array         $args     Of the handler.
	 * @return mixed
	 */
	public static function error( ?callable $previous, int $wanted, array $args ) {
		list( $level, $message, $file, $line ) = $args + array( 0, '', '', 0 );
		if ( self::$writing ) {
			return true;
		}
		if ( isset( self::$met[ $file ][ $line ][ $level ] ) ) {
			++self::$met[ $file ][ $line ][ $level ]['count'];
		} elseif ( self::$distinct < self::DISTINCT && ( error_reporting() & $wanted & $level ) ) {
			++self::$distinct;
			self::$met[ $file ][ $line ][ $level ] = array(
				'count'   => 1,
				'message' => substr( $message, 0, 8000 ),
				'frames'  => self::frames(),
			);
		}
		if ( ++self::$calls === self::CALLS ) {
			self::step_back( $previous, $file, $line );
		}
		return null === $previous ? false : call_user_func_array( $previous, $args );
	}

	/** The one that ended the page. */
	public static function fatal( array $error ): void {
		if ( self::$ended ) {
			return;
		}
		self::$ended = true;
		self::$met[ $error['file'] ][ $error['line'] ][ $error['type'] ] = array(
			'count'   => 1,
			'message' => substr( $error['message'], 0, 8000 ),
			'frames'  => Told::frames( $error['message'] ),
		);
		self::write();
	}

	/** Writes down what was met. */
	public static function write(): void {
		$met       = self::$met;
		self::$met = array();
		if ( ! $met || ( class_exists( Trial::class, false ) && Trial::is_on() ) ) {
			return; // What a version does that is not installed says nothing about the site.
		}
		self::$writing = true;
		try {
			Kept::note( $met );
		} catch ( \Throwable $error ) {
			unset( $error ); // There is nobody to tell, and the page is not to suffer.
		}
		self::$writing = false;
	}

	/** Whether it has stepped back. */
	public static function is_tired(): bool {
		return self::$calls >= self::CALLS;
	}

	/** When PHP itself calls and nobody in between, who listened before is called alone from now on. PHP has no handler while one is at work, so this takes the place of ours. */
	private static function step_back( ?callable $previous, string $file, int $line ): void {
		$caller = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 3 )[2] ?? array();
		if ( ( $caller['file'] ?? '' ) === $file && ( $caller['line'] ?? 0 ) === $line ) {
			set_error_handler( $previous ?? array( Capture::class, 'met' ), null === $previous ? 0 : E_ALL );
		}
	}

	/**
	 * Where the code came from, nearest first; no arguments. The first three are ours and the place itself.
	 *
	 * @return array<int,array{0:string,1:int}>
	 */
	private static function frames(): array {
		$frames = array();
		foreach ( array_slice( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, self::DEEP ), 3 ) as $frame ) {
			if ( isset( $frame['file'] ) ) {
				$frames[] = array( $frame['file'], (int) ( $frame['line'] ?? 0 ) );
			}
		}
		return $frames;
	}
}
