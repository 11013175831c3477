<?php
// PHP errors as they happen, on every page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Sees what PHP reports and changes nothing of what becomes of it: whoever listened before is asked as before, and where nobody did PHP goes on
 * by itself. On a page without errors nothing but this class is loaded.
 */
final class Capture {

	const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

	/** @var callable|null Who listened before. */
	private static $previous = null;

	/** @var int Levels that are kept beside the fatal ones. */
	private static $wanted = 0;

	/** @var bool Whether it has begun. */
	private static $has_begun = false;

	/** @var callable|null Who began to listen after us, and before the plugins. */
	private static $between = null;

	/** @var bool Whether an error was seen already, in front of those. */
	private static $is_seen = false;

	/** From now on. Asked again, it sees to it that nobody who came in between keeps errors from it. */
	public static function start(): void {
		if ( ! self::is_on() ) {
			return;
		}
		if ( self::$has_begun ) {
			self::step_in_front();
			return;
		}
		self::$has_begun = true;
		$old             = defined( 'SVC_CONNECTOR_DEPRECATIONS' ) && SVC_CONNECTOR_DEPRECATIONS ? 0 : E_DEPRECATED | E_USER_DEPRECATED;
		self::$wanted    = E_ALL & ~$old & ~self::FATAL;
		self::$previous  = self::listen( 'met' );
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
		if ( self::$is_seen ) {
			return null === self::$previous ? false : call_user_func_array( self::$previous, func_get_args() );
		}
		return Met::error( self::$previous, self::$wanted, func_get_args() );
	}

	/**
	 * The same, in front of those who came in between; they may ask the one behind them.
	 *
	 * @return mixed As above.
	 */
	public static function front( int $level, string $message, string $file = '', int $line = 0 ) {
		self::$is_seen = true;
		try {
			return Met::error( self::$between, self::$wanted, func_get_args() );
		} finally {
			self::$is_seen = Met::is_tired();
		}
	}

	/** Where must-use plugins have set a handler of their own, it is asked by ours, as it would be had we begun with the plugins. */
	private static function step_in_front(): void {
		$between = self::listen( 'front' );
		if ( array( self::class, 'met' ) === $between || array( self::class, 'front' ) === $between || ( class_exists( Met::class, false ) && Met::is_tired() ) ) {
			restore_error_handler();
			return;
		}
		self::$between = $between;
	}

	/** Makes one of ours the error handler, and answers which was it before. */
	private static function listen( string $how ): ?callable {
		$before = set_error_handler( array( self::class, $how ), self::$wanted | self::FATAL );
		if ( null !== $before ) {
			restore_error_handler();
			set_error_handler( array( self::class, $how ) ); // It may want all of them.
		}
		return $before;
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
		if ( null === $error || 0 === ( $error['type'] & self::FATAL ) ) {
			return;
		}
		if ( 0 === strpos( $error['message'], 'Allowed memory size' ) && ! class_exists( Told::class, false ) && function_exists( 'ini_set' ) ) {
			ini_set( 'memory_limit', (string) ( memory_get_usage( true ) + 5242880 ) ); // phpcs:ignore WordPress.PHP.IniSet -- Room for this, once; the page is over.
		}
		Met::fatal( $error );
	}

	/** Writes down what was met. */
	public static function write(): void {
		if ( class_exists( Met::class, false ) ) {
			Met::write();
		}
	}
}
