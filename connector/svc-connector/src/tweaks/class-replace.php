<?php
// Changing a file that the site cannot do without.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A new file takes the place of the old one in one step and keeps its mode and owner, or nothing happens. */
final class Replace {

	/** Why a file cannot be replaced; empty when it can. A file that does not exist yet can, where its folder is writable. */
	public static function obstacle( string $path ): string {
		$name = basename( $path );
		if ( is_link( $path ) ) {
			return "$name is a link to another place.";
		}
		if ( ! is_writable( dirname( $path ) ) || ( file_exists( $path ) && ( ! is_file( $path ) || ! is_writable( $path ) || ! is_readable( $path ) ) ) ) { // phpcs:ignore WordPress.WP.AlternativeFunctions
			return "$name is not writable for PHP.";
		}
		return '';
	}

	/**
	 * Replaces a file, or makes it.
	 *
	 * @throws Problem When it cannot be done; then the old one is untouched.
	 */
	public static function file( string $path, string $bytes ): void {
		$why = self::obstacle( $path );
		if ( '' !== $why ) {
			throw new Problem( 'failed', $why );
		}
		// A name no web server shows as text, should this run be killed before the end.
		$part   = dirname( $path ) . '/.ht-svc-connector-' . bin2hex( random_bytes( 8 ) ) . '.php';
		$stream = fopen( $part, 'xb' );
		$done   = $stream && fwrite( $stream, $bytes ) === strlen( $bytes ) && fflush( $stream );
		if ( $stream ) {
			fclose( $stream );
		}
		if ( $done && is_file( $path ) ) {
			chmod( $part, fileperms( $path ) & 07777 ); // phpcs:ignore WordPress.WP.AlternativeFunctions
			clearstatcache();
			$done = fileowner( $part ) === fileowner( $path ) && fileperms( $part ) === fileperms( $path );
		} elseif ( $done ) {
			chmod( $part, 0644 ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
		if ( ! $done || ! rename( $part, $path ) ) {
			if ( is_file( $part ) ) {
				unlink( $part ); // phpcs:ignore WordPress.WP.AlternativeFunctions
			}
			throw new Problem( 'failed', basename( $path ) . ' cannot be replaced: the disk is full, or the file belongs to another user.' );
		}
		if ( function_exists( 'opcache_invalidate' ) ) {
			opcache_invalidate( $path, true );
		}
	}
}
