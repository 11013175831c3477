<?php
// What settings and links led to when the service last asked: what tells of a root may be what was lost.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** An option of the site. It is no proof: each place is looked at as one that a link leads to now. */
final class Remembered {

	const OPTION = 'svc_connector_roots';
	const AROUND = array( 'docroot' => true, 'project' => true ); // Folders around WordPress.

	const FILTERED = 'uploads-filtered'; // The root that only a filter of WordPress tells of.

	/**
	 * The folder around WordPress that was a root; null where there was none.
	 *
	 * @param string $beside A real path that counts too.
	 */
	public static function around( string $id, string $beside = '' ): ?string {
		$path = self::path( self::all()[ $id ] ?? null );
		$real = '' === $path ? false : realpath( $path );
		return false !== $real && ( $real === $beside || 0 === strpos( (string) realpath( ABSPATH ), rtrim( $real, '/' ) . '/' ) ) ? $path : null;
	}

	/**
	 * The other roots.
	 *
	 * @return array<string,array{path:string,at:string,was:bool}> By id; `was`: nothing but this told of it already then.
	 */
	public static function places(): array {
		$places = array();
		foreach ( array_diff_key( self::all(), self::AROUND ) as $id => $was ) {
			$path = self::path( $was );
			if ( '' !== $path && preg_match( '/^[a-z][a-z0-9-]{0,40}$/D', (string) $id ) ) {
				$places[ $id ] = array( 'path' => $path, 'at' => is_string( $was['at'] ?? null ) ? $was['at'] : '', 'was' => true === ( $was['was'] ?? null ) );
			}
		}
		return $places;
	}

	/**
	 * Remembers them, where they are others than before.
	 *
	 * @param array $roots As Roots has them.
	 */
	public static function keep( array $roots ): void {
		$places = array();
		foreach ( $roots as $id => $root ) {
			if ( isset( self::AROUND[ $id ] ) ) {
				$places[ $id ] = array( 'path' => base64_encode( $root['path'] ), 'at' => '' );
			} elseif ( isset( $root['only'] ) && 'config' !== $id ) {
				$places[ $id ] = array( 'path' => base64_encode( "{$root['path']}/{$root['only'][0]}" ), 'at' => $root['at'] ) + array_intersect_key( $root, array( 'was' => 0 ) );
			}
		}
		self::write( $places + array_intersect_key( self::all(), array( self::FILTERED => true ) ) );
	}

	/** Where uploads lay once everything was loaded, if that was in no other root; '' otherwise. */
	public static function filtered(): string {
		return self::path( self::all()[ self::FILTERED ] ?? null );
	}

	/** Remembers that; '' forgets it. */
	public static function note_filtered( string $path ): void {
		if ( self::filtered() !== $path ) {
			$note = array( self::FILTERED => array( 'path' => base64_encode( $path ), 'at' => '' ) );
			self::write( array_diff_key( self::all(), $note ) + ( '' === $path ? array() : $note ) );
		}
	}

	private static function write( array $places ): void {
		$text = (string) wp_json_encode( $places );
		if ( get_option( self::OPTION, '[]' ) !== $text ) {
			update_option( self::OPTION, $text, false );
		}
	}

	private static function all(): array {
		$all = json_decode( (string) get_option( self::OPTION, '' ), true, 4 );
		return is_array( $all ) ? $all : array();
	}

	private static function path( $was ): string {
		return is_array( $was ) && is_string( $was['path'] ?? null ) ? (string) base64_decode( $was['path'], true ) : '';
	}
}
