<?php
// The log of errors that the site has anyway.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * What PHP wrote into it since it was last read, by error: what happened before the connection, and what this plugin cannot see because it is not
 * loaded yet. Only of files of this site: some hosts have one log for all. Nobody knows any more what came with which request, so only sentences
 * of PHP itself are taken, without what it quotes.
 */
final class ErrorLog {

	const FIRST    = 262144;  // Bytes at its end that are read when nobody has read it yet.
	const MOST     = 1048576; // Bytes of one answer.
	const DISTINCT = 100;
	const LINES    = 60;      // Lines of one error.

	const ENTRY = '/^\[([^\]\n]{8,40})\] PHP ([A-Z][A-Za-z ]{4,24}):  ?(.*)$/Ds';
	const PLACE = '/^(.*) in (\/[^\n]+?)(?: on line |:)(\d{1,9})$/Ds';

	/** @var int Time of the entry that is read. */
	private static $at = 0;

	/**
	 * What is new in it: `log` is where to go on, null where there is none; `logged` the errors.
	 *
	 * @param array|null $read     Where it was read to: inode and offset.
	 * @param int        $captured From when on this plugin sees errors itself.
	 */
	public static function since( ?array $read, Budget $budget, int $captured ): array {
		if ( $budget->is_spent() && null !== $read ) {
			return array( 'log' => array( 'inode' => max( 0, (int) ( $read['inode'] ?? 0 ) ), 'offset' => max( 0, (int) ( $read['offset'] ?? 0 ) ), 'skipped' => 0 ), 'logged' => array() );
		}
		$path   = self::path();
		$stream = '' === $path ? false : @fopen( $path, 'rb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may just have been rotated.
		if ( ! $stream ) {
			return array( 'log' => null, 'logged' => array() );
		}
		$stat = fstat( $stream );
		$from = self::begin( $read, $stat );
		$skip = null !== $read && (int) ( $read['inode'] ?? 0 ) === $stat['ino'] ? max( 0, $from - (int) ( $read['offset'] ?? 0 ) ) : 0;
		fseek( $stream, $from );
		$text = (string) stream_get_contents( $stream, self::MOST );
		fclose( $stream );
		$whole  = (int) strrpos( $text, "\n" ) + ( false === strrpos( $text, "\n" ) ? 0 : 1 ); // The last line may be half written.
		$logged = self::errors( substr( $text, 0, $whole ), $captured );
		return array(
			'log'    => array( 'inode' => $stat['ino'], 'offset' => $from + $whole, 'skipped' => $skip ),
			'logged' => $logged,
		);
	}

	/** Where the log is, or '' where there is none. */
	private static function path(): string {
		$own = defined( 'WP_DEBUG_LOG' ) && is_string( WP_DEBUG_LOG ) && '' !== WP_DEBUG_LOG ? WP_DEBUG_LOG : WP_CONTENT_DIR . '/debug.log';
		foreach ( array( (string) ini_get( 'error_log' ), $own ) as $path ) {
			if ( '' !== $path && '/' === $path[0] && @is_file( $path ) && is_readable( $path ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may forbid to ask.
				return $path;
			}
		}
		return '';
	}

	private static function begin( ?array $read, array $stat ): int {
		if ( null === $read ) {
			return max( 0, $stat['size'] - self::FIRST );
		}
		$is_same = (int) ( $read['inode'] ?? 0 ) === $stat['ino'] && (int) ( $read['offset'] ?? 0 ) <= $stat['size'];
		return max( $is_same ? (int) $read['offset'] : 0, $stat['size'] - self::MOST );
	}

	/** The errors of a piece of it. */
	private static function errors( string $text, int $captured ): array {
		$errors = array();
		foreach ( preg_split( '/\n(?=\[)/', $text ) as $entry ) {
			$told = self::told( rtrim( $entry ) );
			if ( null === $told || ( self::$at >= $captured && self::is_seen( $told ) ) ) {
				continue;
			}
			$key = Told::key( $told );
			if ( isset( $errors[ $key ] ) ) {
				++$errors[ $key ]['count'];
				$errors[ $key ]['last'] = self::$at;
			} elseif ( count( $errors ) < self::DISTINCT ) {
				$errors[ $key ] = array( 'count' => 1, 'first' => self::$at, 'last' => self::$at ) + $told;
			}
		}
		return array_values( $errors );
	}

	/** Whether this plugin has seen it itself: it loads before all other plugins, and its must-use file before other must-use plugins. */
	private static function is_seen( array $told ): bool {
		$type = $told['component']['type'];
		if ( 'mu_plugin' === $type ) {
			return self::$at > MustUse::since();
		}
		return 'plugin' === $type || 'theme' === $type || ( 'core' === $type && 'fatal' !== $told['level'] );
	}

	/** The words of an entry. */
	private static function words( string $message ): string {
		if ( ! preg_match( Scrub::OWN, $message ) ) {
			return preg_match( '/^Uncaught [\w\\\\]+(?=:)/', $message, $found ) ? $found[0] : 'Words of a plugin that stand in the log alone';
		}
		return (string) preg_replace( '/"[^"]{0,2000}"(?! not found)|\'[^\']{0,2000}\'(?! not found)/', '[quoted]', $message );
	}

	/** One entry, when PHP wrote it about a file of this site. */
	private static function told( string $entry ): ?array {
		$entry = implode( "\n", array_slice( explode( "\n", substr( $entry, 0, 16000 ) ), 0, self::LINES ) );
		if ( ! preg_match( self::ENTRY, $entry, $found ) ) {
			return null;
		}
		list( , $time, $name, $message ) = $found;
		$level    = Told::NAMES[ $name ] ?? '';
		self::$at = max( 0, (int) strtotime( $time ) );
		$lines    = explode( "\n", $message );
		$is_place = preg_match( self::PLACE, (string) preg_replace( '/^\s+thrown(?= in )/', '', (string) end( $lines ) ), $place ) || preg_match( self::PLACE, $lines[0], $place );
		if ( '' === $level || ! $is_place || ! Component::is_ours( $place[2] ) || ( 'deprecated' === $level && ! ( defined( 'SVC_CONNECTOR_DEPRECATIONS' ) && SVC_CONNECTOR_DEPRECATIONS ) ) ) {
			return null;
		}
		$first = preg_match( self::PLACE, $lines[0], $own ) ? $own[1] : $lines[0];
		return Told::of( $level, self::words( $first ), array( $place[2], (int) $place[3] ), Told::frames( $message ) );
	}
}
