<?php
// What decides how easily this site is broken into, as only the site itself can tell.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `security.facts`. It tells states, never secrets: of a salt whether it is good, of a user the login and no hash. */
final class Security {

	const POWERS = array( 'manage_options', 'promote_users', 'install_plugins', 'edit_plugins' );
	const MOST   = 500; // Administrators told.

	/** The verb `security.facts`. */
	public static function facts(): array {
		global $wpdb;
		Plugin::harden(); // As on a page: what is switched on here counts.
		$admins = self::administrators();
		return array(
			'collected_at'          => time(),
			'wp_version'            => Site::wp_version(),
			'locale'                => isset( $GLOBALS['wp_local_package'] ) ? (string) $GLOBALS['wp_local_package'] : 'en_US',
			'php_version'           => PHP_VERSION,
			'db'                    => array( 'engine' => Tables::engine(), 'version' => Tables::version() ),
			'prefix'                => $wpdb->base_prefix,
			'debug_display'         => self::shows_errors(),
			'file_editor'           => self::has_editor( $admins ),
			'admins'                => array_slice( $admins, 0, self::MOST ),
			'admins_total'          => count( $admins ),
			'registration'          => self::registration(),
			'salts'                 => self::salts(),
			'cron'                  => array(
				'disabled'  => defined( 'DISABLE_WP_CRON' ) && DISABLE_WP_CRON,
				'overdue_s' => self::overdue(),
			),
			'xmlrpc'                => (bool) apply_filters( 'xmlrpc_enabled', true ), // phpcs:ignore WordPress.NamingConventions -- Core's own filter.
			'application_passwords' => self::application_passwords(),
			'is_ssl'                => is_ssl(),
			'ssl_admin'             => force_ssl_admin(),
			'plugins'               => self::plugins(),
		);
	}

	/** Whether visitors would see PHP's errors. Computed: during a request for JSON, WordPress itself switches them off. */
	private static function shows_errors(): bool {
		$all   = function_exists( 'ini_get_all' ) ? ini_get_all( 'core' ) : array();
		$found = strtolower( (string) ( $all['display_errors']['global_value'] ?? get_cfg_var( 'display_errors' ) ) );
		$usual = ! in_array( $found, array( '', '0', 'off', 'no', 'false', 'stderr' ), true );
		$shown = defined( 'WP_DEBUG' ) && WP_DEBUG && null !== WP_DEBUG_DISPLAY ? (bool) WP_DEBUG_DISPLAY : $usual;
		return (bool) apply_filters( 'svc_connector_shows_errors', $shown ); // What this plugin itself has put a stop to.
	}

	/**
	 * Whether an administrator can edit plugins in wp-admin, by constants, filters and all.
	 *
	 * @param array<int,array<string,mixed>> $admins From administrators().
	 */
	private static function has_editor( array $admins ): bool {
		$first = is_multisite() ? get_user_by( 'login', (string) current( get_super_admins() ) ) : get_userdata( (int) ( $admins[0]['id'] ?? 0 ) );
		return $first && user_can( $first, 'edit_plugins' );
	}

	/** Users who could take the site over. Asked of the database itself: code that hides a user hides it from WordPress's functions. */
	public static function administrators(): array {
		global $wpdb;
		$likes = array();
		foreach ( self::powerful_roles() as $role ) {
			$likes[] = $wpdb->prepare( 'm.meta_value LIKE %s', '%' . $wpdb->esc_like( '"' . $role . '";b:1' ) . '%' );
		}
		foreach ( self::POWERS as $power ) {
			$likes[] = $wpdb->prepare( 'm.meta_value LIKE %s', '%' . $wpdb->esc_like( '"' . $power . '";b:1' ) . '%' );
		}
		// phpcs:disable WordPress.DB -- Prepared above; the names are WordPress's own.
		$rows = $wpdb->get_results( "SELECT u.ID, u.user_login, u.user_nicename, u.user_registered FROM {$wpdb->users} u JOIN {$wpdb->usermeta} m ON m.user_id = u.ID WHERE m.meta_key = '" . esc_sql( $wpdb->get_blog_prefix() ) . "capabilities' AND (" . implode( ' OR ', $likes ) . ') ORDER BY u.ID LIMIT 1001' );
		// phpcs:enable
		$admins = array();
		foreach ( is_array( $rows ) ? $rows : array() as $row ) {
			$admins[ (int) $row->ID ] = $row;
		}
		foreach ( is_multisite() ? get_super_admins() : array() as $login ) {
			$user = get_user_by( 'login', $login );
			if ( $user ) {
				$admins[ (int) $user->ID ] = $user->data;
			}
		}
		ksort( $admins );
		return array_map( array( self::class, 'person' ), array_values( $admins ) );
	}

	/** One administrator. */
	private static function person( object $row ): array {
		return array(
			'id'         => (int) $row->ID,
			'login'      => Site::clip( (string) $row->user_login, 60 ),
			'nicename'   => Site::clip( (string) $row->user_nicename, 60 ),
			'registered' => max( 0, (int) strtotime( $row->user_registered . ' UTC' ) ),
		);
	}

	/** Roles that amount to administrator. */
	private static function powerful_roles(): array {
		$names = array( 'administrator' );
		foreach ( wp_roles()->roles as $name => $role ) {
			if ( array_filter( array_intersect_key( (array) ( $role['capabilities'] ?? array() ), array_flip( self::POWERS ) ) ) ) {
				$names[] = (string) $name;
			}
		}
		return array_unique( $names );
	}

	/** What a stranger may make of himself. */
	public static function registration(): array {
		$role = (string) get_option( 'default_role' );
		$open = is_multisite() ? 'none' !== get_site_option( 'registration', 'none' ) : (bool) get_option( 'users_can_register' );
		return array(
			'open'  => $open,
			'role'  => Site::clip( $role, 60 ),
			'admin' => in_array( $role, self::powerful_roles(), true ),
		);
	}

	/** How good each salt is; the salts themselves stay here. */
	private static function salts(): array {
		$values = array();
		foreach ( Salts::NAMES as $name ) {
			$values[ $name ] = defined( $name ) ? (string) constant( $name ) : '';
		}
		$counts = array_count_values( $values );
		$result = array();
		foreach ( $values as $name => $value ) {
			$stored = '' === $value && '' !== (string) get_site_option( strtolower( $name ), '' );
			$state  = '' === $value ? ( $stored ? 'database' : 'missing' ) : ( $counts[ $value ] > 1 ? 'repeated' : ( strlen( $value ) < 32 ? 'short' : 'good' ) );
			if ( false !== stripos( $value, 'put your unique phrase here' ) ) {
				$state = 'default';
			}
			$result[] = array( 'name' => $name, 'state' => $state );
		}
		return $result;
	}

	/** Seconds since the oldest waiting task of WordPress should have run. */
	private static function overdue(): int {
		$times = array_keys( array_filter( (array) _get_cron_array(), 'is_array' ) );
		return $times ? max( 0, time() - (int) min( $times ) ) : 0;
	}

	/** Passwords that let programs in past a second factor. */
	private static function application_passwords(): array {
		global $wpdb;
		return array(
			'available' => function_exists( 'wp_is_application_passwords_available' ) && wp_is_application_passwords_available(),
			'users'     => (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->usermeta} WHERE meta_key = '_application_passwords' AND meta_value NOT IN ('', 'a:0:{}')" ), // phpcs:ignore WordPress.DB
		);
	}

	/** Which plugins the directory knows, as its last answer to this site says. */
	private static function plugins(): array {
		Inventory::load_admin();
		$known  = get_site_transient( 'update_plugins' );
		$listed = is_object( $known ) ? (array) ( $known->response ?? array() ) + (array) ( $known->no_update ?? array() ) : array();
		$result = array();
		foreach ( array_keys( get_plugins() ) as $file ) {
			$offer    = isset( $listed[ $file ] ) ? (object) $listed[ $file ] : null;
			$is_there = null !== $offer && 0 === strpos( (string) ( $offer->id ?? '' ), 'w.org/plugins/' );
			$result[] = array( 'file' => $file, 'listed' => $is_there );
		}
		return $result;
	}
}
