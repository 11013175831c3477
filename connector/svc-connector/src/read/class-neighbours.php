<?php
// Which folders are another WordPress's.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Other installations on the same machine: no backup of this site has their files, and no restore touches them. */
final class Neighbours {

	const NAMES = 1000; // Of one folder that are looked at for links.

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
	 * Whether a WordPress that is configured lies in a folder, or what belongs to one around it.
	 *
	 * @param string[] $names What is in the folder.
	 */
	public static function is_one( string $folder, array $names ): bool {
		return self::is_installed( $folder, $names ) || self::is_project( $folder, $names ) || self::holds_releases( $folder, $names );
	}

	/** Where links at the top of another WordPress and of its content lead: uploads, perhaps, that lie beside it. */
	public static function led_to( string $folder ): array {
		$found = array();
		foreach ( array( $folder, "$folder/wp-content" ) as $top ) {
			$found = array_merge( $found, array_map( array( Links::class, 'place' ), Links::in( $top, null, self::NAMES ) ) );
		}
		return array_filter( $found );
	}

	/**
	 * Whether a folder is what Bedrock has around the folder of the web server.
	 *
	 * @param string[] $names What is in the folder.
	 */
	private static function is_project( string $folder, array $names ): bool {
		// phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		if ( ! in_array( 'composer.json', $names, true ) || ! in_array( 'config', $names, true ) || ! @is_file( "$folder/config/application.php" ) ) {
			return false;
		}
		return self::has( $folder, $names, 'wp-config.php' );
	}

	/**
	 * Whether a folder keeps releases of a WordPress, beside what they share, as all that deploy them have it: a link in it leads to the one in use.
	 *
	 * @param string[] $names What is in the folder.
	 */
	private static function holds_releases( string $folder, array $names ): bool {
		foreach ( in_array( 'releases', $names, true ) ? Links::in( $folder, $names, self::NAMES ) : array() as $link ) {
			// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
			$to     = (string) @realpath( $link );
			$inside = 0 === strpos( $to, realpath( $folder ) . '/releases/' ) && @is_dir( $to ) ? (array) @scandir( $to ) : array();
			// phpcs:enable
			if ( $inside && ( self::is_installed( $to, $inside ) || self::is_project( $to, $inside ) || self::has( $to, $inside, 'wp-load.php' ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether a file is in one of the folders of a folder.
	 *
	 * @param string[] $names What is in the folder.
	 */
	private static function has( string $folder, array $names, string $file ): bool {
		foreach ( array_diff( $names, array( '.', '..' ) ) as $name ) {
			if ( @is_file( "$folder/$name/$file" ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether WordPress itself lies in a folder: in it or one above is its wp-config.php, as WordPress looks for it, or the core is
	 * one below. This site's own configuration makes a copy of its core no other installation.
	 *
	 * @param string[] $names What is in the folder.
	 */
	private static function is_installed( string $folder, array $names ): bool {
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
