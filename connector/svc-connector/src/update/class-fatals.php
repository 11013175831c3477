<?php
// Fatal errors met while an update is under way. Knows nothing of WordPress, and is loaded when there is one.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A stranger can make a site fail with odd input whenever he likes, and WordPress itself as well. So each error is told with who met it:
 * `look`: a look of the service; `item`: it lies in what is updated, and the request carried nothing odd; `other`: all the rest.
 * Each of these has a file of its own, before the update and after it: no number of errors of one kind hides another.
 */
final class Fatals {

	const KINDS = array( 'look', 'item', 'other' );
	const MOST  = 40; // Lines of one file.

	/**
	 * Writes one down, unless it is known.
	 *
	 * @param string $looker '': a visitor; `look`: the service; `trial`: the service, at a version that is not installed yet.
	 */
	public static function note( array $state, array $error, string $looker ): void {
		$time  = (float) ( $_SERVER['REQUEST_TIME_FLOAT'] ?? 0 ); // phpcs:ignore WordPress.Security -- A number.
		$when  = 'trial' === $looker ? 'trial' : ( 'armed' === ( $state['phase'] ?? '' ) ? 'before' : 'after' );
		if ( 'after' === $when && $time < (float) ( $state['swapped_at'] ?? INF ) ) {
			return; // Met while files were exchanged: it was not there before, and may be gone.
		}
		$by    = '' !== $looker ? 'look' : ( self::lies_in_item( $state, $error ) && self::is_plain( $error['message'] ) ? 'item' : 'other' );
		$path  = self::path( $state['place'], $by, $when );
		$text  = (string) preg_replace( '/ in \S+:\d+.*/s', '', $error['message'] );
		$key   = md5( $error['file'] . preg_replace( '/\d+|\'[^\']*\'|"[^"]*"/', '', $text ) ); // Lines of a file move, and so do values.
		$known = is_file( $path ) ? (array) file( $path ) : array();
		$again = preg_grep( "/^\[\"$key\"/", $known );
		$line  = json_encode( array( $key, $time, substr( $text, 0, 300 ), substr( $error['file'], 0, 500 ), $error['line'] ), JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE );

		if ( ! $again && count( $known ) < self::MOST ) {
			Journal::append( $path, (string) $line );
		}
	}

	/**
	 * What was met by requests that began after the update, or in its trial, and was not known before, what decides first.
	 *
	 * @return array<int,array{message:string,file:string,line:int,by:string}>
	 */
	public static function told( Journal $journal, bool $trial = false ): array {
		$since = $trial ? 0.0 : (float) $journal->get( 'swapped_at' );
		$known = array();
		$new   = array();
		foreach ( self::KINDS as $by ) {
			foreach ( array( 'before', $trial ? 'trial' : 'after' ) as $when ) {
				$path = self::path( $journal->get( 'place' ), $by, $when );
				foreach ( is_file( $path ) ? (array) file( $path ) : array() as $line ) {
					$fatal = json_decode( (string) $line, true, 4 );
					if ( ! is_array( $fatal ) || 5 !== count( $fatal ) ) {
						continue;
					}
					list( $key, $time, $message, $file, $row ) = $fatal;
					if ( 'before' === $when || $time < $since ) {
						$known[ $key ] = true;
					} else {
						$new += array( $key => array( 'message' => $message, 'file' => $file, 'line' => (int) $row, 'by' => $by ) );
					}
				}
			}
		}
		return array_slice( array_values( array_diff_key( $new, $known ) ), 0, 10 );
	}

	private static function path( string $place, string $by, string $when ): string {
		return "$place/fatals-$by-$when";
	}

	/** Its file, or one its trace leads through. WordPress as the item is in every trace, so there only a look of the service tells. */
	private static function lies_in_item( array $state, array $error ): bool {
		// The last trace is PHP's own, whatever text of a stranger stands before it.
		$trace = strrpos( $error['message'], "\nStack trace:\n" );
		preg_match_all( '/^#\d+ (.+?)\(\d+\): /m', false === $trace ? '' : substr( $error['message'], $trace ), $frames );
		foreach ( 'core' === $state['type'] ? array() : (array) $state['names'] as $name ) {
			$place = $state['roots']['item'] . '/' . $name;
			foreach ( array_merge( array( $error['file'] ), $frames[1] ) as $file ) {
				foreach ( array( $place, (string) realpath( $place ) ) as $inside ) {
					if ( '' !== $inside && ( $file === $inside || 0 === strpos( $file, $inside . '/' ) ) ) {
						return true;
					}
				}
			}
		}
		return false;
	}

	/** No body and no list in the query or a cookie, by which strangers make code fail that expects a text; and no host that is too busy. */
	private static function is_plain( string $message ): bool {
		// phpcs:disable WordPress.Security -- Only looked at.
		$sent = ( $_SERVER['QUERY_STRING'] ?? '' ) . ( $_SERVER['HTTP_COOKIE'] ?? '' );
		$body = (int) ( $_SERVER['CONTENT_LENGTH'] ?? 0 ) > 0 || isset( $_SERVER['HTTP_TRANSFER_ENCODING'] );
		// phpcs:enable
		return ! $body && ! preg_match( '/\[|%5b/i', $sent ) && ! preg_match( '/^(?:Allowed memory size|Out of memory|Maximum execution time)/', $message );
	}
}
