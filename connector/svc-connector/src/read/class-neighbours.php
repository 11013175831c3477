<?php
// Which folders are another WordPress's.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Other installations on the same machine: no backup of this site has their files, and no restore touches them. */
final class Neighbours {

	/** Folders of a folder that hold a WordPress; around this site's core only what is configured: a copy of its files is its own. */
	public static function in( string $folder, bool $is_core ): array {
		$found = array();
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- An unreadable folder holds none, and open_basedir may hide one.
		foreach ( array_diff( (array) @scandir( $folder ), array( '.', '..', false ) ) as $name ) {
			if ( @is_file( "$folder/$name/wp-load.php" ) && ( ! $is_core || @is_file( "$folder/$name/wp-config.php" ) ) ) {
				$found[] = "$folder/$name";
			}
		}
		// phpcs:enable
		return $found;
	}

	/**
	 * Whether a WordPress that is configured lies in a folder: in it or one above is its wp-config.php, as WordPress looks for it, or the core is
	 * one below. This site's own configuration makes a copy of its core no other installation.
	 *
	 * @param string[] $names What is in the folder.
	 */
	public static function is_one( string $folder, array $names ): bool {
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		$is_core = in_array( 'wp-load.php', $names, true );
		if ( in_array( 'wp-config.php', $names, true ) ) {
			if ( $is_core ) {
				return true;
			}
			foreach ( in_array( 'wp-settings.php', $names, true ) ? array() : $names as $name ) {
				if ( @is_file( "$folder/$name/wp-load.php" ) && ! @is_file( "$folder/$name/wp-config.php" ) ) {
					return true;
				}
			}
			return false;
		}
		$above = $is_core ? realpath( dirname( $folder ) ) : false;
		$core  = (string) realpath( ABSPATH );
		return false !== $above && ! in_array( $above, array( $core, dirname( $core ), dirname( Links::itself( ABSPATH ) ) ), true ) && @is_file( "$above/wp-config.php" ) && ! @is_file( "$above/wp-settings.php" );
		// phpcs:enable
	}

	/**
	 * Whether a place lies in another WordPress. One around this site has its own folders; the rest of what is in it may be of this site.
	 *
	 * @param string[] $ours Real places that are this site's already.
	 */
	public static function hold( string $real, array $ours ): bool {
		$ours[] = Links::itself( ABSPATH ); // Perhaps a link to a core that others have as well.
		for ( $below = $real, $folder = dirname( $real ); $folder !== $below; $below = $folder, $folder = dirname( $folder ) ) {
			$is_around = self::is_around( $folder, $ours );
			// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
			if ( @file_exists( "$folder/wp-load.php" ) || ( ! $is_around && @file_exists( "$folder/wp-config.php" ) && self::is_one( $folder, (array) @scandir( $folder ) ) ) ) {
				if ( ! $is_around || in_array( basename( $below ), array( 'wp-admin', 'wp-content', 'wp-includes' ), true ) ) {
					return true;
				}
			}
			// phpcs:enable
		}
		return false;
	}

	/**
	 * Whether a folder is or holds one of several places.
	 *
	 * @param string[] $places Absolute, written as the folder is.
	 */
	public static function is_around( string $folder, array $places ): bool {
		foreach ( $places as $place ) {
			if ( 0 === strpos( "$place/", rtrim( $folder, '/' ) . '/' ) ) {
				return true;
			}
		}
		return false;
	}
}
