<?php
// PHP errors as they happen, on every page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Sees what PHP reports and changes nothing of what becomes of it: whoever listened before is asked as before, and where nobody did PHP goes on
 * by itself. What was silenced, or lies outside of error_reporting, is let be. Nothing is made of the words before the page has ended.
 */
final class Capture {

	const FATAL    = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
	const DISTINCT = 50;   // Of one page.
	const CALLS    = 2000; // After so many it steps back: a page that raises a warning for each line of a file has enough to do.
	const DEEP     = 20;   // Frames that are looked at.

	/** @var callable|null Who listened before. */
	private static $previous = null;

	/** @var array<string,array<int,array<int,array<string,mixed>>>> By file, line and level. */
	private static $met = array();

	/** @var int How many there are of these. */
	private static $distinct = 0;

	/** @var int How often it was called. */
	private static $calls = 0;

	/** @var int Levels that are kept. */
	private static $wanted = 0;

	/** @var bool Whether what ended the page was seen. */
	private static $ended = false;

	/** @var bool Whether it writes: its own trouble is nobody's. */
	private static $writing = false;

	/** From now on. */
	public static function start(): void {
		if ( ! self::is_on() ) {
			return;
		}
		$old            = defined( 'SVC_CONNECTOR_DEPRECATIONS' ) && SVC_CONNECTOR_DEPRECATIONS ? 0 : E_DEPRECATED | E_USER_DEPRECATED;
		self::$wanted   = E_ALL & ~$old & ~self::FATAL;
		self::$previous = set_error_handler( array( self::class, 'met' ), E_ALL & ~$old );
		if ( null !== self::$previous ) {
			restore_error_handler();
			set_error_handler( array( self::class, 'met' ) ); // It may want all of them.
		}
		register_shutdown_function( array( self::class, 'end' ) );
		add_filter( 'wp_php_error_args', array( self::class, 'page' ) );
		if ( is_file( WP_CONTENT_DIR . '/php-error.php' ) || is_file( WP_CONTENT_DIR . '/fatal-error-handler.php' ) ) {
			header_register_callback( array( self::class, 'fatal' ) ); // They may end the page before anybody else is asked.
		}
	}

	/** Whether this site lets errors be kept. */
	public static function is_on(): bool {
		return ! defined( 'SVC_CONNECTOR_ERRORS' ) || SVC_CONNECTOR_ERRORS;
	}

	/**
	 * The error handler.
	 *
	 * @return mixed What the one before says; false: PHP goes on as if there were none.
	 */
	public static function met( int $level, string $message, string $file = '', int $line = 0 ) {
		if ( self::$writing ) {
			return true;
		}
		if ( isset( self::$met[ $file ][ $line ][ $level ] ) ) {
			++self::$met[ $file ][ $line ][ $level ]['count'];
		} elseif ( self::$distinct < self::DISTINCT && ( error_reporting() & self::$wanted & $level ) ) {
			++self::$distinct;
			self::$met[ $file ][ $line ][ $level ] = array(
				'count'   => 1,
				'message' => substr( $message, 0, 8000 ),
				'frames'  => self::frames(),
			);
		}
		if ( ++self::$calls === self::CALLS ) {
			self::step_back( $file, $line );
		}
		return null === self::$previous ? false : call_user_func_array( self::$previous, func_get_args() );
	}

	/** When PHP itself calls and nobody in between, who listened before is called alone from now on. PHP has no handler while one is at work, so this takes the place of ours. */
	private static function step_back( string $file, int $line ): void {
		$caller = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 2 )[1] ?? array();
		if ( ( $caller['file'] ?? '' ) === $file && ( $caller['line'] ?? 0 ) === $line ) {
			set_error_handler( self::$previous ?? array( self::class, 'met' ), null === self::$previous ? 0 : E_ALL );
		}
	}

	/**
	 * Where the code came from, nearest first; no arguments.
	 *
	 * @return array<int,array{0:string,1:int}>
	 */
	private static function frames(): array {
		$frames = array();
		foreach ( array_slice( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, self::DEEP ), 2 ) as $frame ) {
			if ( isset( $frame['file'] ) && __FILE__ !== $frame['file'] ) {
				$frames[] = array( $frame['file'], (int) ( $frame['line'] ?? 0 ) );
			}
		}
		return $frames;
	}

	/**
	 * WordPress is about to show its page for a fatal error, and whoever replaced that may end here.
	 *
	 * @param mixed $args Of that page.
	 * @return mixed
	 */
	public static function page( $args ) {
		self::fatal();
		return $args;
	}

	/** The page has ended. */
	public static function end(): void {
		self::fatal();
		register_shutdown_function( array( self::class, 'write' ) ); // Behind all others: they may raise some yet.
	}

	/** Keeps the error that ended the page, if one did. */
	public static function fatal(): void {
		$error = error_get_last();
		if ( self::$ended || null === $error || 0 === ( $error['type'] & self::FATAL ) ) {
			return;
		}
		self::$ended = true;
		if ( 0 === strpos( $error['message'], 'Allowed memory size' ) && function_exists( 'ini_set' ) ) {
			ini_set( 'memory_limit', (string) ( memory_get_usage( true ) + 5242880 ) ); // phpcs:ignore WordPress.PHP.IniSet -- Room for this, once; the page is over.
		}
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
}
