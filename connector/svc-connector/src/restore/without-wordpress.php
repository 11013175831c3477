<?php
// What the verbs of a restore use of WordPress, where WordPress does not run. Nothing of it may be loaded beside this.
defined( 'ABSPATH' ) || exit;

defined( 'WPINC' ) || define( 'WPINC', 'wp-includes' );
defined( 'WP_CONTENT_DIR' ) || define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
defined( 'WP_PLUGIN_DIR' ) || define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
defined( 'WPMU_PLUGIN_DIR' ) || define( 'WPMU_PLUGIN_DIR', WP_CONTENT_DIR . '/mu-plugins' );
define( 'HOUR_IN_SECONDS', 3600 );
define( 'DAY_IN_SECONDS', 86400 );
define( 'ARRAY_A', 'ARRAY_A' );
define( 'ARRAY_N', 'ARRAY_N' );

// phpcs:disable Squiz.Commenting.FunctionComment -- As in WordPress, for what is asked here.
function get_option( string $name, $otherwise = false ) {
	$value = $GLOBALS['wpdb']->option( $name );
	if ( 'active_plugins' === $name ) {
		preg_match_all( '/s:\d+:"([^"]*)"/', (string) $value, $names );
		return $names[1];
	}
	return $value ?? $otherwise;
}

function get_site_option(): array {
	$wpdb  = $GLOBALS['wpdb'];
	$value = $wpdb->get_var( "SELECT meta_value FROM `$wpdb->sitemeta` WHERE meta_key = 'active_sitewide_plugins'" ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery -- WordPress is not there.
	preg_match_all( '/s:\d+:"([^"]*)";i:(\d+);/', (string) $value, $names );
	return array_combine( $names[1], array_map( 'intval', $names[2] ) );
}

function update_option(): bool {
	return false; // What is remembered for later waits for WordPress.
}

function wp_parse_url( string $url, int $part = -1 ) {
	return parse_url( $url, $part );
}

function get_theme_root(): string {
	return WP_CONTENT_DIR . '/themes';
}

function wp_upload_dir(): array {
	$path = defined( 'UPLOADS' ) ? ABSPATH . UPLOADS : trim( (string) get_option( 'upload_path', '' ) );
	if ( '' === $path || 'wp-content/uploads' === $path ) {
		$path = WP_CONTENT_DIR . '/uploads';
	}
	return array( 'basedir' => '/' === $path[0] ? $path : ABSPATH . $path );
}

function wp_load_alloptions(): array {
	return array( 'home' => get_option( 'home', '' ) );
}

function wp_salt(): string {
	return '';
}

function wp_cache_flush(): bool {
	return true;
}

function wp_json_encode( $value, int $flags = 0 ) {
	return json_encode( $value, $flags );
}

function wp_is_writable( string $path ): bool {
	return is_writable( $path );
}

function wp_is_file_mod_allowed(): bool {
	return ! defined( 'DISALLOW_FILE_MODS' ) || ! DISALLOW_FILE_MODS;
}

function wp_convert_hr_to_bytes( string $value ): int {
	$factor = array( 'k' => 1024, 'm' => 1048576, 'g' => 1073741824 )[ strtolower( substr( trim( $value ), -1 ) ) ] ?? 1;
	return (int) min( (float) $value * $factor, PHP_INT_MAX );
}

function wp_check_invalid_utf8( string $text ): string {
	return 1 === preg_match( '//u', $text ) ? $text : (string) preg_replace( '/[^\x20-\x7e]/', '?', $text );
}

function wp_specialchars_decode( string $text ): string {
	return htmlspecialchars_decode( $text, ENT_QUOTES );
}

function wp_unslash( string $text ): string {
	return $text;
}

function sanitize_text_field( string $text ): string {
	return trim( (string) preg_replace( '/<[^>]*>|[\r\n\t ]+/', ' ', $text ) );
}

function untrailingslashit( string $path ): string {
	return rtrim( $path, '/\\' );
}

function plugin_basename( string $file ): string {
	return basename( dirname( $file ) ) . '/' . basename( $file );
}

function esc_sql( string $text ): string {
	return $GLOBALS['wpdb']->dbh->real_escape_string( $text );
}

function is_multisite(): bool {
	return ( defined( 'MULTISITE' ) && MULTISITE ) || defined( 'SUBDOMAIN_INSTALL' );
}

function is_ssl(): bool {
	return in_array( strtolower( (string) ( $_SERVER['HTTPS'] ?? '' ) ), array( 'on', '1' ), true ) || '443' === (string) ( $_SERVER['SERVER_PORT'] ?? '' ); // phpcs:ignore WordPress.Security -- Compared.
}

function site_url(): string {
	return untrailingslashit( defined( 'WP_SITEURL' ) ? WP_SITEURL : (string) get_option( 'siteurl', '' ) );
}

function home_url(): string {
	return untrailingslashit( defined( 'WP_HOME' ) ? WP_HOME : (string) get_option( 'home', '' ) );
}

function get_locale(): string {
	$locale = (string) get_option( 'WPLANG', '' );
	return '' === $locale ? 'en_US' : $locale;
}
