<?php
// Where links and settings lead.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Questions about places that may be gone, or hidden by open_basedir. */
final class Links {

	const MOST = 40; // Links in a row, as the system has it.

	/** The real place of what a path leads to, whether or not something stands there; null where that cannot be known. */
	public static function place( string $path ): ?string {
		$rest = '';
		for ( $step = 0; $step < self::MOST && '' !== $path && '/' === $path[0]; $step++ ) {
			// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it; then it cannot be known.
			$real = @realpath( $path );
			if ( false !== $real ) {
				return rtrim( $real, '/' ) . $rest;
			}
			if ( @is_link( $path ) ) {
				if ( ! function_exists( 'readlink' ) ) {
					return null;
				}
				$to   = (string) @readlink( $path );
				$path = '/' === substr( $to, 0, 1 ) ? $to : dirname( $path ) . "/$to";
				continue;
			}
			// phpcs:enable
			$path = rtrim( $path, '/' );
			$name = basename( $path );
			if ( '' === $name || '.' === $name || '..' === $name ) {
				return null;
			}
			$rest = "/$name$rest";
			$path = dirname( $path );
		}
		return null;
	}

	/** Where a path itself stands, also one that is a link. */
	public static function itself( string $path ): string {
		return rtrim( (string) @realpath( dirname( $path ) ), '/' ) . '/' . basename( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
	}

	/** The nearest folder on the way to a path that is there. */
	public static function standing( string $path ): string {
		while ( ! @is_dir( $path ) && dirname( $path ) !== $path ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
			$path = dirname( $path );
		}
		return $path;
	}

	/**
	 * Folders on the way to folders that are not there, the outermost first.
	 *
	 * @param string[] $paths Of folders.
	 */
	public static function missing( array $paths ): array {
		$missing = array();
		foreach ( $paths as $path ) {
			for ( $there = self::standing( $path ); $path !== $there; $path = dirname( $path ) ) {
				$missing[ $path ] = strlen( $path );
			}
		}
		asort( $missing );
		return array_keys( $missing );
	}

	/**
	 * The links among the first names of a folder.
	 *
	 * @param string[]|null $names To look at; null: all.
	 */
	public static function in( string $folder, ?array $names, int $most ): array {
		$found = $names ?? @scandir( $folder ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable folder has none.
		$links = array();
		foreach ( array_slice( is_array( $found ) ? $found : array(), 0, $most ) as $name ) {
			if ( '.' !== $name && '..' !== $name && is_link( "$folder/$name" ) ) {
				$links[] = "$folder/$name";
			}
		}
		sort( $links, SORT_STRING );
		return $links;
	}
}
