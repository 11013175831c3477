<?php
// What protects this site already, whoever did it.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Only what can be seen in here; what a visitor can see is looked at by the service. */
final class Effects {

	// Plugins that limit logins, as far as their presence tells.
	const LIMITERS = array( 'limit-login-attempts-reloaded', 'limit-login-attempts', 'loginizer', 'login-lockdown', 'wps-limit-login', 'wordfence', 'better-wp-security', 'all-in-one-wp-security-and-firewall' );

	/**
	 * Id => whether it holds at this moment of the request; null where only a look from outside tells.
	 *
	 * @param string[] $chosen What is hooked by now.
	 */
	public static function observed( array $chosen ): array {
		return array(
			'file_editor_off'           => self::nobody_edits(),
			'application_passwords_off' => ! wp_is_application_passwords_available(),
			'ssl_admin_forced'          => (bool) force_ssl_admin(),
			'login_limited'             => in_array( 'login_limited', $chosen, true ) ? false !== has_filter( 'authenticate', array( Attempts::class, 'after' ) ) : '' !== self::limiter(),
			'debug_display_off'         => ! self::shows_errors( in_array( 'debug_display_off', $chosen, true ) ),
			'salts_rotated'             => '' === Salts::weakness(),
		) + array_fill_keys( Tweaks::IDS, null );
	}

	/** Who else sees to it. */
	public static function whose( string $id ): string {
		switch ( $id ) {
			case 'file_editor_off':
				return ( defined( 'DISALLOW_FILE_EDIT' ) && DISALLOW_FILE_EDIT ) || ( defined( 'DISALLOW_FILE_MODS' ) && DISALLOW_FILE_MODS ) ? 'wp-config.php' : 'another plugin';
			case 'application_passwords_off':
				return wp_is_application_passwords_supported() ? 'another plugin' : 'WordPress, as long as the site is not on https';
			case 'ssl_admin_forced':
				return 'https' === wp_parse_url( (string) get_option( 'siteurl' ), PHP_URL_SCHEME ) ? 'WordPress, because its address is on https' : 'wp-config.php';
			case 'login_limited':
				return 'the plugin ' . self::limiter();
			case 'debug_display_off':
				return defined( 'WP_DEBUG' ) && WP_DEBUG ? 'wp-config.php' : 'the configuration of PHP';
			case 'salts_rotated':
				return 'wp-config.php';
		}
		return 'something else on this site';
	}

	/** Why a tweak cannot be switched on; empty when it can. */
	public static function obstacle( string $id ): string {
		if ( is_multisite() ) {
			return 'In a network of sites tweaks are not supported.';
		}
		if ( Blocks::know( $id ) ) {
			return Blocks::obstacle( $id );
		}
		if ( 'salts_rotated' === $id ) {
			return Salts::obstacle();
		}
		if ( 'debug_display_off' === $id && self::is_locked() && self::shows_errors( false ) ) {
			return 'The hosting fixes display_errors in the configuration of PHP; only there it can be switched off.';
		}
		if ( 'login_limited' === $id && self::is_behind_proxy() ) {
			return 'A proxy stands in front of this site and hides who visits it. Name its header in wp-config.php, for example define( \'SVC_CONNECTOR_ADDRESS_HEADER\', \'HTTP_X_REAL_IP\' );';
		}
		return '';
	}

	private static function nobody_edits(): bool {
		$ids = get_users( array( 'role' => 'administrator', 'number' => 1, 'fields' => 'ID' ) );
		return ! $ids || ( ! user_can( (int) $ids[0], 'edit_plugins' ) && ! user_can( (int) $ids[0], 'edit_themes' ) );
	}

	private static function limiter(): string {
		foreach ( (array) get_option( 'active_plugins' ) as $file ) {
			if ( in_array( dirname( (string) $file ), self::LIMITERS, true ) ) {
				return dirname( (string) $file );
			}
		}
		return '';
	}

	/** On a page. A request with a body of JSON is none: there WordPress has switched it off, so the setting itself says nothing. */
	private static function shows_errors( bool $hidden_by_us ): bool {
		if ( self::is_locked() ) {
			return self::is_true( (string) ini_get( 'display_errors' ) );
		}
		if ( $hidden_by_us ) {
			return false;
		}
		if ( defined( 'WP_DEBUG' ) && WP_DEBUG && defined( 'WP_DEBUG_DISPLAY' ) && null !== WP_DEBUG_DISPLAY ) {
			return (bool) WP_DEBUG_DISPLAY;
		}
		$all = ini_get_all( null, true );
		return self::is_true( (string) ( $all['display_errors']['global_value'] ?? '' ) );
	}

	/** Whether a script cannot change the setting. */
	private static function is_locked(): bool {
		return ! function_exists( 'ini_set' ) || false === ini_set( 'display_errors', (string) ini_get( 'display_errors' ) ); // phpcs:ignore WordPress.PHP.IniSet
	}

	private static function is_true( string $value ): bool {
		return in_array( strtolower( $value ), array( '1', 'on', 'yes', 'true', 'stdout' ), true );
	}

	/** The service sends no such header: whoever did, stands in between. */
	private static function is_behind_proxy(): bool {
		if ( defined( 'SVC_CONNECTOR_ADDRESS_HEADER' ) ) {
			return 'unknown' === Attempts::address();
		}
		$told = '';
		foreach ( array( 'HTTP_X_FORWARDED_FOR', 'HTTP_X_REAL_IP', 'HTTP_CF_CONNECTING_IP', 'HTTP_TRUE_CLIENT_IP', 'HTTP_FORWARDED' ) as $name ) {
			$told .= isset( $_SERVER[ $name ] ) ? ' ' . (string) $_SERVER[ $name ] : ''; // phpcs:ignore WordPress.Security -- Compared only.
		}
		$address = isset( $_SERVER['REMOTE_ADDR'] ) ? (string) $_SERVER['REMOTE_ADDR'] : ''; // phpcs:ignore WordPress.Security -- Compared only.
		return '' !== $told && ( '' === $address || false === strpos( $told, $address ) );
	}
}
