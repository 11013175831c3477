<?php
// An upgrader that looks into a package first.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Before WordPress 6.4 core asks nobody before it unpacks. */
trait Careful {

	/**
	 * What leads out of its folder is not unpacked, nor what is laid ready.
	 *
	 * @param string $package        A file, or the folder of what is laid ready.
	 * @param bool   $delete_package As core says.
	 * @return string|\WP_Error
	 */
	public function unpack_package( $package, $delete_package = true ) {
		if ( is_dir( $package ) ) {
			return $package;
		}
		if ( ! Package::climbs( (string) $package ) ) {
			return parent::unpack_package( $package, $delete_package );
		}
		if ( $delete_package ) {
			unlink( $package );
		}
		return Package::refused( 'climbs_out' );
	}
}
