<?php
// Who may hand this site to a service.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The service can do what administrators can, so only who can do all of that himself may choose it. */
final class Rights {

	/** Whether a user may connect and disconnect this site. In a network that is for network administrators only. */
	public static function may_pair( int $user_id ): bool {
		if ( ! is_main_site() || ( is_multisite() && ! is_super_admin( $user_id ) ) ) {
			return false;
		}
		foreach ( self::given_away() as $right ) {
			if ( ! user_can( $user_id, $right ) ) {
				return false;
			}
		}
		return true;
	}

	/** The right that the settings page asks for first. */
	public static function to_settings(): string {
		return is_multisite() ? 'manage_network_options' : 'manage_options';
	}

	/** Without a person at the keyboard the oldest administrator stands for the pairing, in a network one of its own. */
	public static function first_administrator(): int {
		if ( is_multisite() ) {
			return (int) current( array_filter( array_map( 'username_exists', get_super_admins() ) ) );
		}
		$ids = get_users(
			array(
				'role'    => 'administrator',
				'orderby' => 'ID',
				'number'  => 1,
				'fields'  => 'ID',
			)
		);
		return isset( $ids[0] ) ? (int) $ids[0] : 0;
	}

	/** What pairing gives away: settings, plugins, any account, and the files. Where wp-config.php forbids changes of files nobody has the last ones. */
	private static function given_away(): array {
		$files = wp_is_file_mod_allowed( 'svc_connector' ) ? array( 'install_plugins', 'update_plugins', 'update_core' ) : array();
		return array_merge( array( self::to_settings(), 'activate_plugins', 'edit_users', 'promote_users' ), $files );
	}
}
