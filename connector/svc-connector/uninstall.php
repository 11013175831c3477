<?php
/**
 * Leaves nothing behind.
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

global $wpdb;

$svc_forget = static function () use ( $wpdb ): void {
	$svc_uploads = wp_upload_dir( null, false );
	array_map( 'wp_delete_file', (array) glob( $svc_uploads['basedir'] . '/svc-probe-????????????????????????????????.php' ) );
	$wpdb->query( 'DROP TABLE IF EXISTS ' . $wpdb->prefix . 'svc_connector' ); // phpcs:ignore WordPress.DB
	foreach ( array( 'on', 'site', 'seen', 'logins', 'refused', 'restore', 'tweaks' ) as $svc_name ) {
		delete_option( 'svc_connector_' . $svc_name );
	}
	$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_name LIKE 'svc\\_connector\\_row\\_%'" ); // phpcs:ignore WordPress.DB
};

$svc_clear = static function ( string $svc_folder ) use ( &$svc_clear ): void {
	$svc_names = is_dir( $svc_folder ) && ! is_link( $svc_folder ) ? scandir( $svc_folder ) : array();
	foreach ( array_diff( is_array( $svc_names ) ? $svc_names : array(), array( '.', '..' ) ) as $svc_name ) {
		$svc_path = $svc_folder . '/' . $svc_name;
		if ( is_dir( $svc_path ) && ! is_link( $svc_path ) ) {
			$svc_clear( $svc_path );
		} else {
			unlink( $svc_path ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
	}
	if ( is_dir( $svc_folder ) ) {
		rmdir( $svc_folder ); // phpcs:ignore WordPress.WP.AlternativeFunctions
	}
};
foreach ( (array) glob( WP_CONTENT_DIR . '/svc-connector-work/.ht*/state.php' ) as $svc_state ) {
	$svc_journal = json_decode( (string) strstr( (string) file_get_contents( $svc_state ), "\n" ), true );
	if ( isset( $svc_journal['place'] ) && preg_match( '/^\.svc-connector-[0-9a-f]{32}$/D', basename( $svc_journal['place'] ) ) ) {
		$svc_clear( $svc_journal['place'] );
	}
	foreach ( $svc_journal['doors'] ?? array() as $svc_door ) {
		if ( is_file( $svc_door ) && false !== strpos( (string) file_get_contents( $svc_door ), hash( 'sha256', basename( dirname( $svc_state ) ) ) ) ) {
			unlink( $svc_door ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
	}
}
$svc_clear( WP_CONTENT_DIR . '/svc-connector-work' );
foreach ( (array) $wpdb->get_col( 'SHOW TABLES' ) as $svc_table ) { // phpcs:ignore WordPress.DB
	if ( preg_match( '/^svc[no]_[0-9a-f]{4}_x?[0-9]+$/D', (string) $svc_table ) ) {
		$wpdb->query( "DROP TABLE `$svc_table`" ); // phpcs:ignore WordPress.DB
	}
}

if ( ! is_multisite() ) {
	$svc_forget();
} else {
	foreach ( get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	) as $svc_blog ) {
		switch_to_blog( (int) $svc_blog );
		$svc_forget();
		restore_current_blog();
	}
}
