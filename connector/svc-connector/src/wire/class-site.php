<?php
// What this site says about itself.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verbs `hello` and `ping`, and facts other verbs need. */
final class Site {

	/** The verb `hello`. */
	public static function hello( array $params, Identity $identity ): array {
		global $wpdb;
		Roots::find();
		if ( ! $identity->is_clone() ) {
			Roots::remember();
		}
		$zone = get_option( 'timezone_string' );
		return self::ping( $params, $identity ) + array(
			'protocol'           => 1,
			'site_url'           => site_url(),
			'home_url'           => home_url(),
			'name'               => self::name(),
			'server_software'    => self::clip( isset( $_SERVER['SERVER_SOFTWARE'] ) ? sanitize_text_field( wp_unslash( $_SERVER['SERVER_SOFTWARE'] ) ) : '', 200 ),
			'db'                 => array(
				'engine'      => Tables::engine(),
				'version'     => Tables::version(),
				'prefix'      => Tables::stored( $wpdb->prefix ),
				'base_prefix' => Prefixes::own(),
			),
			'is_multisite'       => is_multisite(),
			'is_ssl'             => is_ssl(),
			'active_theme'       => (string) get_option( 'stylesheet' ),
			'language'           => get_locale(),
			'timezone'           => is_string( $zone ) && '' !== $zone ? $zone : self::offset( (float) get_option( 'gmt_offset' ) ),
			'limits'             => array(
				'memory_limit'       => Budget::memory_limit(),
				'max_execution_time' => Budget::time_limit(),
				'post_max_size'      => (int) wp_convert_hr_to_bytes( (string) ini_get( 'post_max_size' ) ),
			),
			'sodium'             => extension_loaded( 'sodium' ) ? 'native' : 'compat',
			'zlib'               => function_exists( 'gzencode' ),
			'install_id'         => Install::id(),
			'roots'              => Roots::told(),
			'outside'            => Roots::outside(),
			'keyids'             => array_map( 'strval', array_keys( $identity->service_keys() ) ),
			'disallow_file_mods' => ! wp_is_file_mod_allowed( 'svc_connector' ),
			'standing'           => Standing::path(),
		);
	}

	/** What the site calls itself, as text. */
	public static function name(): string {
		return self::clip( wp_specialchars_decode( (string) get_option( 'blogname' ), ENT_QUOTES ), 200 );
	}

	/** The verb `ping`. */
	public static function ping( array $params, Identity $identity ): array {
		return array(
			'time'              => time(),
			'connector_version' => VERSION,
			'wp_version'        => self::wp_version(),
			'php_version'       => PHP_VERSION,
			'maintenance_mode'  => file_exists( ABSPATH . '.maintenance' ),
			'clone'             => $identity->is_clone(),
		);
	}

	/** WordPress's version as its file says it now, because an update in this request changes the file and not the variable. */
	public static function wp_version(): string {
		$file = ABSPATH . WPINC . '/version.php';
		$text = is_file( $file ) ? (string) file_get_contents( $file ) : ''; // The standing door answers without it.
		return preg_match( '/^\s*\$wp_version\s*=\s*([\'"])([^\'"]+)\1/m', $text, $found ) ? $found[2] : '';
	}

	/** At most $length characters of valid UTF-8 without control characters. */
	public static function clip( string $text, int $length ): string {
		$text = (string) preg_replace( '/[\x00-\x08\x0B-\x1F\x7F]/', '', $text );
		$text = wp_check_invalid_utf8( $text, true );
		return function_exists( 'mb_substr' ) ? mb_substr( $text, 0, $length, 'UTF-8' ) : (string) preg_replace( '/^((?s:.){' . $length . '}).*/us', '$1', $text );
	}

	private static function offset( float $hours ): string {
		$minutes = (int) round( abs( $hours ) * 60 );
		return sprintf( '%s%02d:%02d', $hours < 0 ? '-' : '+', intdiv( $minutes, 60 ), $minutes % 60 );
	}
}
