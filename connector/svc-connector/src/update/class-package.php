<?php
// What a downloaded package holds, judged before anything of the site is touched.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A package of a plugin or theme is one folder, that of the item, with its main file; none of any kind leads out of where it is unpacked. */
final class Package {

	/** Has core ask before it unpacks, and before it copies. A folder would lie beside a plugin that is a single file, not in its place. */
	public static function watch( Item $item ): void {
		if ( 'core' === $item->type || 'translations' === $item->type ) {
			return;
		}
		list( $folder, $main ) = 'theme' === $item->type ? array( $item->file, 'style.css' ) : array( dirname( $item->file ), basename( $item->file ) );
		add_filter(
			'upgrader_source_selection',
			static function ( $source, $around ) use ( $folder, $main ) {
				if ( '.' === $folder ) {
					return is_string( $source ) && untrailingslashit( $source ) !== untrailingslashit( (string) $around ) ? self::refused( 'folder_for_a_file' ) : $source;
				}
				$empty = is_wp_error( $source ) && 0 === strpos( (string) $source->get_error_code(), 'incompatible_archive' );
				return is_string( $source ) || $empty ? self::judged( is_string( $source ) ? $source : (string) $around, $folder, $main ) : $source;
			},
			PHP_INT_MAX,
			2
		);
	}

	/**
	 * The folder that core took out of the package, where it fits.
	 *
	 * @return string|\WP_Error
	 */
	private static function judged( string $source, string $folder, string $main ) {
		if ( basename( $folder ) !== basename( untrailingslashit( $source ) ) ) {
			return self::refused( is_dir( "$source/$folder" ) && 3 === count( (array) scandir( $source ) ) ? 'no_main_file' : 'another_folder' ); // Of several folders core takes the one around them.
		}
		return is_file( untrailingslashit( $source ) . '/' . $main ) ? $source : self::refused( 'no_main_file' );
	}

	/** Whether a name in it leads out of it: core would leave that out without a word. */
	public static function climbs( string $file ): bool {
		foreach ( self::names( $file ) as $name ) {
			$name = str_replace( '\\', '/', $name );
			if ( '' === $name || '/' === $name[0] || preg_match( '#(^|/)\.\.(/|$)|^[A-Za-z]:#', $name ) ) {
				return true;
			}
		}
		return false;
	}

	/** The names in it, with what core itself would read them; none of what cannot be read: core says what is wrong with it. */
	private static function names( string $file ): array {
		if ( ! class_exists( 'ZipArchive', false ) ) {
			require_once ABSPATH . 'wp-admin/includes/class-pclzip.php';
			$pcl  = new \PclZip( $file );
			$list = $pcl->listContent();
			return is_array( $list ) ? array_map( 'strval', array_column( $list, 'stored_filename' ) ) : array();
		}
		$zip   = new \ZipArchive();
		$names = array();
		if ( true === $zip->open( $file ) ) {
			for ( $n = 0; $n < $zip->numFiles; $n++ ) { // phpcs:ignore WordPress.NamingConventions -- A property of PHP.
				$names[] = (string) $zip->getNameIndex( $n );
			}
			$zip->close();
		}
		return $names;
	}

	/** With a code for the service as its words. */
	public static function refused( string $code ): \WP_Error {
		return new \WP_Error( "svc_connector_$code", $code );
	}
}
