<?php
/**
 * Leaves nothing behind.
 *
 * @package SvcConnector
 */

namespace SvcConnector;

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

global $wpdb;

$svc_connector_watch = WPMU_PLUGIN_DIR . '/000-svc-connector-watch.php'; // Its end was the connection's, if it could be taken away then.
if ( is_file( $svc_connector_watch ) ) {
	$svc_connector_made = false !== strpos( (string) file_get_contents( $svc_connector_watch ), '// The folder was made for this file.' );
	wp_delete_file( $svc_connector_watch );
	if ( $svc_connector_made && array( '.', '..' ) === scandir( WPMU_PLUGIN_DIR ) ) {
		rmdir( WPMU_PLUGIN_DIR ); // phpcs:ignore WordPress.WP.AlternativeFunctions
	}
}
$svc_connector_forget = static function () use ( $wpdb ): void {
	$svc_connector_uploads = wp_upload_dir( null, false );
	array_map( 'wp_delete_file', (array) glob( $svc_connector_uploads['basedir'] . '/svc-connector-probe-????????????????????????????????.php' ) );
	$wpdb->query( 'DROP TABLE IF EXISTS ' . $wpdb->prefix . 'svc_connector' ); // phpcs:ignore WordPress.DB
	foreach ( array( 'on', 'site', 'seen', 'logins', 'refused', 'restore', 'roots', 'tweaks' ) as $svc_connector_name ) {
		delete_option( 'svc_connector_' . $svc_connector_name );
	}
	$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_name LIKE 'svc\\_connector\\_row\\_%'" ); // phpcs:ignore WordPress.DB
};

$svc_connector_clear = static function ( string $svc_connector_folder ) use ( &$svc_connector_clear ): void {
	$svc_connector_names = is_dir( $svc_connector_folder ) && ! is_link( $svc_connector_folder ) ? scandir( $svc_connector_folder ) : array();
	foreach ( array_diff( is_array( $svc_connector_names ) ? $svc_connector_names : array(), array( '.', '..' ) ) as $svc_connector_name ) {
		$svc_connector_path = $svc_connector_folder . '/' . $svc_connector_name;
		if ( is_dir( $svc_connector_path ) && ! is_link( $svc_connector_path ) ) {
			$svc_connector_clear( $svc_connector_path );
		} else {
			unlink( $svc_connector_path ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
	}
	if ( is_dir( $svc_connector_folder ) ) {
		rmdir( $svc_connector_folder ); // phpcs:ignore WordPress.WP.AlternativeFunctions
	}
};
$svc_connector_ours = array(); // Another connector may have copies in the same database.
foreach ( (array) glob( WP_CONTENT_DIR . '/svc-connector-work/.ht*/state.php' ) as $svc_connector_state ) {
	$svc_connector_journal = json_decode( (string) strstr( (string) file_get_contents( $svc_connector_state ), "\n" ), true );
	if ( realpath( dirname( $svc_connector_state ) ) !== realpath( $svc_connector_journal['dir'] ?? dirname( $svc_connector_state ) ) ) {
		continue; // Copied here with its site: what it names is that site's.
	}
	$svc_connector_ours[] = $svc_connector_journal['hex'] ?? '';
	foreach ( array_merge( array( $svc_connector_journal['place'] ?? '' ), array_values( $svc_connector_journal['sides'] ?? array() ) ) as $svc_connector_place ) {
		if ( preg_match( '/^\.svc-connector-[0-9a-f]{32}$/D', basename( $svc_connector_place ) ) ) {
			$svc_connector_clear( $svc_connector_place );
		}
	}
	foreach ( $svc_connector_journal['doors'] ?? array() as $svc_connector_door ) {
		if ( is_file( $svc_connector_door ) && false !== strpos( (string) file_get_contents( $svc_connector_door ), hash( 'sha256', basename( dirname( $svc_connector_state ) ) ) ) ) {
			unlink( $svc_connector_door ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
	}
}
$svc_connector_clear( WP_CONTENT_DIR . '/svc-connector-work' );
foreach ( (array) $wpdb->get_results( 'SHOW FULL TABLES', ARRAY_N ) as $svc_connector_table ) { // phpcs:ignore WordPress.DB
	if ( preg_match( '/^svc_connector_(?:new|old)_([0-9a-f]{4,16})_[xv]?[0-9]+$/D', (string) $svc_connector_table[0], $svc_connector_found ) && in_array( $svc_connector_found[1], $svc_connector_ours, true ) ) {
		$wpdb->query( ( 'VIEW' === $svc_connector_table[1] ? 'DROP VIEW' : 'DROP TABLE' ) . " `$svc_connector_table[0]`" ); // phpcs:ignore WordPress.DB
	}
}

if ( ! is_multisite() ) {
	$svc_connector_forget();
} else {
	foreach ( get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	) as $svc_connector_blog ) {
		switch_to_blog( (int) $svc_connector_blog );
		$svc_connector_forget();
		restore_current_blog();
	}
}
