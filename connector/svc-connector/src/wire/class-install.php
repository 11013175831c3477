<?php
// Which installation this is.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Facts that differ between a site and a copy of it, and stay when only https or www come or go. */
final class Install {

	/**
	 * Fingerprint: the folder, the database, the salts, and the address in that database, whatever this page view makes of it.
	 *
	 * @param string|null $home The address that stands there, where it is another one for now.
	 */
	public static function id( ?string $salts = null, ?string $home = null ): string {
		$home = $home ?? (string) ( wp_load_alloptions()['home'] ?? '' );
		return self::digest( 'install-2', $salts, array( self::server(), self::host( $home ) ) );
	}

	/** The fingerprint without address and database server, as a record may still have it. */
	public static function short_id(): string {
		return self::digest( 'install-1', null, array() );
	}

	/** Host and port of an address, the same with and without https and www. */
	public static function host( string $url ): string {
		$host = (string) strtok( (string) preg_replace( '#^[a-z]+://(www\.)?#i', '', $url ), '/?#' );
		return strtolower( (string) preg_replace( '/:(80|443)$/D', '', $host ) );
	}

	/** The database server; ports and sockets come and go. */
	private static function server(): string {
		$name = (string) preg_replace( '/^(\[[^\]]*\]|[^:]*)(:.*)?$/D', '$1', defined( 'DB_HOST' ) ? (string) DB_HOST : '' );
		return in_array( $name, array( '', '127.0.0.1', '[::1]' ), true ) ? 'localhost' : strtolower( $name );
	}

	/** The folder, by whatever link it was come to: WP-CLI knows the one it was given, a web server's PHP the one that lies behind it. */
	private static function folder(): string {
		$real = realpath( ABSPATH );
		return false === $real ? ABSPATH : rtrim( $real, '/' ) . '/';
	}

	/**
	 * The digest of what tells one installation from another.
	 *
	 * @param string[] $more Further facts.
	 */
	private static function digest( string $kind, ?string $salts, array $more ): string {
		global $wpdb;
		$facts = array( $kind, self::folder(), defined( 'DB_NAME' ) ? DB_NAME : '', $wpdb->base_prefix, hash( 'sha256', $salts ?? Identity::salts() ) );
		return hash( 'sha256', implode( "\n", array_merge( $facts, $more ) ) );
	}
}
