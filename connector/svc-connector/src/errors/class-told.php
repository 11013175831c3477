<?php
// What of an error is told, and in which words.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** An error without what belongs to the visitor who met it: where, whose, and its message with the values of the request taken out. */
final class Told {

	const LEVELS = array(
		'fatal'      => Capture::FATAL,
		'warning'    => E_WARNING | E_CORE_WARNING | E_COMPILE_WARNING | E_USER_WARNING,
		'deprecated' => E_DEPRECATED | E_USER_DEPRECATED,
	);

	/** Levels as a log calls them. */
	const NAMES = array(
		'Fatal error'             => 'fatal',
		'Parse error'             => 'fatal',
		'Recoverable fatal error' => 'fatal',
		'Core error'              => 'fatal',
		'Compile error'           => 'fatal',
		'Warning'                 => 'warning',
		'Core warning'            => 'warning',
		'Compile warning'         => 'warning',
		'Notice'                  => 'notice',
		'Strict Standards'        => 'notice',
		'Deprecated'              => 'deprecated',
	);

	const MOST  = 500; // Characters of a message.
	const DEEP  = 8;   // Frames.

	/** The word for a level of PHP. */
	public static function level( int $level ): string {
		foreach ( self::LEVELS as $name => $mask ) {
			if ( $level & $mask ) {
				return $name;
			}
		}
		return 'notice';
	}

	/**
	 * What is told of one.
	 *
	 * @param array{0:string,1:int}            $place  File and line.
	 * @param array<int,array{0:string,1:int}> $frames Where the code came from, nearest first.
	 * @return array<string,mixed>
	 */
	public static function of( string $level, string $message, array $place, array $frames ): array {
		$all = array_merge( array( $place ), $frames );
		return array(
			'level'     => $level,
			'message'   => Site::clip( self::relative( Scrub::text( self::first( $message ) ) ), self::MOST ),
			'file'      => Site::clip( Component::path( $place[0] ), 300 ),
			'line'      => max( 0, $place[1] ),
			'component' => Component::of( array_column( $all, 0 ) ),
			'frames'    => array_map(
				static function ( array $frame ): string {
					return Site::clip( Component::path( $frame[0] ), 200 ) . ':' . $frame[1];
				},
				array_slice( $frames, 0, self::DEEP )
			),
		);
	}

	/** By what one is told from another on this site: lines count here, values do not. */
	public static function key( array $told ): string {
		return md5( implode( "\n", array( $told['level'], $told['file'], $told['line'], preg_replace( '/\d+|\b[0-9a-f]{8,}\b|\[[a-z]+\]/', '', $told['message'] ) ) ) );
	}

	/**
	 * Files and lines of the trace that stands in the message of an exception. PHP's own is the last, whatever text stands before it.
	 *
	 * @return array<int,array{0:string,1:int}>
	 */
	public static function frames( string $message ): array {
		$trace = strrpos( $message, "\nStack trace:\n" );
		preg_match_all( '/^#\d+ (.+?)\((\d+)\): /m', false === $trace ? '' : substr( $message, $trace ), $found, PREG_SET_ORDER );
		$frames = array();
		foreach ( array_slice( $found, 0, Met::DEEP ) as $frame ) {
			$frames[] = array( $frame[1], (int) $frame[2] );
		}
		return $frames;
	}

	/** The page that is made, without its query and what belongs to the visitor; null where there is none, as for WP-CLI. */
	public static function page(): ?string {
		$path = rawurldecode( (string) strtok( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), '?' ) ); // phpcs:ignore WordPress.Security -- Only told, and scrubbed.
		return '' === $path || 'cli' === PHP_SAPI ? null : Site::clip( Scrub::path( $path ), 300 );
	}

	/** The message without its trace, in which the arguments of functions stand, and without the place that is told beside it. */
	private static function first( string $message ): string {
		$at = strpos( $message, "\nStack trace:" );
		return (string) preg_replace( '/ in (?:\/|[A-Za-z]:\\\\)[^\n]*:\d+\s*$/D', '', false === $at ? $message : substr( $message, 0, $at ) );
	}

	/** A message without the folders of this server. */
	private static function relative( string $message ): string {
		return (string) preg_replace_callback(
			'#(?<![\w/.:-])(?:/[\w.~@+-]+){2,}#',
			static function ( array $found ): string {
				return Component::path( $found[0] );
			},
			$message
		);
	}
}
