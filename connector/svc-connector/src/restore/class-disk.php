<?php
// What is on one disk with what. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Only within a disk something takes its place in one step; from one to another PHP copies a file, and refuses a folder. */
final class Disk {

	const MOUNTS = '/proc/self/mountinfo';

	/** Which one a folder is on: the device, and where that is mounted, because nothing is renamed from one mount of a device to another either; '' where it cannot be known. */
	public static function of( string $folder ): string {
		$stat = @stat( $folder ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		return is_array( $stat ) ? $stat['dev'] . ' ' . self::mount( (string) realpath( $folder ) ) : '';
	}

	/** Whether a disk of its own begins at a folder: then it stays where it is. */
	public static function begins( string $folder ): bool {
		return is_dir( $folder ) && ! is_link( $folder ) && self::of( $folder ) !== self::of( dirname( $folder ) );
	}

	/** The innermost place around a path where something is mounted; '' where the system does not tell. */
	private static function mount( string $path ): string {
		static $mounts = null;
		if ( null === $mounts ) {
			preg_match_all( '/^\S+ \S+ \S+ \S+ (\S+) /m', (string) @file_get_contents( self::MOUNTS ), $found ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
			$mounts = array_map( 'stripcslashes', $found[1] );
		}
		$around = '';
		foreach ( $mounts as $mount ) {
			if ( strlen( $mount ) > strlen( $around ) && 0 === strpos( "$path/", rtrim( $mount, '/' ) . '/' ) ) {
				$around = $mount;
			}
		}
		return $around;
	}
}
