<?php
// What a line of a restore's plan may touch. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Judges a line when it is laid ready and again when it is carried out: nothing depends on what happened between. */
final class Plan {

	const KINDS = array( 'put', 'link', 'dir', 'del', 'rmdir', 'mode' );

	const MOST_LINKS = 64; // Follows in a row; no system goes on so long, so what is behind more of them is nowhere.

	/**
	 * The absolute path of an operation.
	 *
	 * @param array<string,string> $roots Root id => absolute path.
	 * @param string[]             $shut  Absolute paths no operation may touch, nor take a folder above away.
	 * @param array<string,array>  $names Root id => the names at its top, of those that have not all.
	 */
	public static function path( array $op, array $roots, array $shut, array $names ): string {
		$kind = $op['k'] ?? '';
		$root = $op['r'] ?? '';
		$root = is_string( $root ) && 'config' !== $root ? $roots[ $root ] ?? null : null; // That root has only wp-config.php.
		$path = Root::from_wire( $op['p'] ?? null );
		$full = "$root/$path";
		if ( null === $root || ! in_array( $kind, self::KINDS, true ) || preg_match( '#(^|/)[^/]{256}|(^|[/\\\\])\.\.([/\\\\]|$)#', $path ) ) {
			throw new Problem( 'bad_request', 'The plan names a path that cannot be restored.' );
		}
		if ( isset( $names[ $op['r'] ] ) && ! in_array( explode( '/', $path )[0], $names[ $op['r'] ], true ) ) {
			throw new Problem( 'bad_request', 'The plan names a path beside what is the site’s.' );
		}
		foreach ( $shut as $own ) {
			$above = 0 === strpos( "$own/", "$full/" );
			if ( 0 === strpos( "$full/", "$own/" ) || ( $above && ( in_array( $kind, array( 'put', 'link', 'del' ), true ) || ( 'dir' === $kind && is_link( $full ) ) ) ) ) {
				throw new Problem( 'bad_request', 'The plan touches what a restore leaves alone.' );
			}
		}
		return $full;
	}

	/**
	 * What a single line does not tell: how many operations want a content, which links there will be, the roots of operations, and the folders that are opened first.
	 *
	 * @return array{0:array<string,int>,1:array<string,array<string,string>>,2:string[],3:string[]}
	 */
	public static function look_ahead( Journal $journal ): array {
		$needed   = array();
		$links    = array();
		$used     = array();
		$opened   = array();
		foreach ( $journal->plan() as $op ) {
			$used[ (string) ( $op['r'] ?? '' ) ] = true;
			if ( 'put' === ( $op['k'] ?? '' ) ) {
				$content            = (string) ( $op['h'] ?? '' );
				$needed[ $content ] = ( $needed[ $content ] ?? 0 ) + 1;
			} elseif ( 'link' === ( $op['k'] ?? '' ) ) {
				$links[ (string) ( $op['r'] ?? '' ) ][ Root::from_wire( $op['p'] ?? null ) ] = self::target( $op );
			} elseif ( 'mode' === ( $op['k'] ?? '' ) && ( (int) ( $op['m'] ?? 0 ) & ~(int) ( $op['wm'] ?? 0 ) & 0700 ) > 0 ) {
				$opened[] = ( (array) $journal->get( 'roots' ) )[ (string) ( $op['r'] ?? '' ) ] . '/' . Root::from_wire( $op['p'] ?? null );
			}
		}
		return array( $needed, $links, array_map( 'strval', array_keys( $used ) ), $opened );
	}

	/**
	 * Whether a link leads to something in its root, when all links of the plan are made.
	 *
	 * @param array<string,string> $links Path => target.
	 */
	public static function stays_inside( string $root, string $path, array $links ): bool {
		$steps = 0;
		return null !== self::behind( $root, $path, $links, $steps ) || $steps > self::MOST_LINKS;
	}

	/**
	 * The parts of the path below the root that a link leads to; null when it leads out.
	 *
	 * @param array<string,string> $links Path => target.
	 */
	private static function behind( string $root, string $path, array $links, int &$steps ): ?array {
		$target = $links[ $path ] ?? ( function_exists( 'readlink' ) ? (string) readlink( "$root/$path" ) : '' );
		$is_out = false;
		$parts  = array_slice( explode( '/', $path ), 0, -1 );
		if ( ++$steps > self::MOST_LINKS || '' === $target || false !== strpos( $target, "\0" ) ) {
			return null;
		}
		if ( '/' === $target[0] ) {
			if ( 0 !== strpos( $target . '/', $root . '/' ) ) {
				return null;
			}
			$parts  = array();
			$target = substr( $target, strlen( $root ) );
		}
		foreach ( array_diff( explode( '/', $target ), array( '', '.' ) ) as $part ) {
			if ( '..' === $part ) {
				if ( $is_out || null === array_pop( $parts ) ) {
					return null;
				}
				continue;
			}
			$parts[] = $part;
			$here    = implode( '/', $parts );
			if ( ! $is_out && ( isset( $links[ $here ] ) || is_link( "$root/$here" ) ) ) {
				$next   = self::behind( $root, $here, $links, $steps );
				$is_out = null === $next; // Of a link that the site has already this is its own affair, until the way leads up from there.
				$parts  = $next ?? $parts;
				if ( $is_out && isset( $links[ $here ] ) ) {
					return null;
				}
			}
		}
		return $parts;
	}

	/** Where a link of the plan leads, as text. */
	public static function target( array $op ): string {
		return self::bytes( $op['to'] ?? '' );
	}

	/**
	 * What is written in a plan, text or base64, whether or not it is fit for anything.
	 *
	 * @param mixed $text As it arrived.
	 */
	public static function bytes( $text ): string {
		$text = is_array( $text ) && isset( $text['b64'] ) && is_string( $text['b64'] ) ? base64_decode( $text['b64'], true ) : $text;
		return is_string( $text ) ? $text : '';
	}
}
