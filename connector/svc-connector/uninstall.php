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
	$wpdb->query( 'DROP TABLE IF EXISTS ' . $wpdb->prefix . 'svc_connector' ); // phpcs:ignore WordPress.DB
	foreach ( array( 'on', 'site', 'seen', 'logins', 'refused' ) as $svc_name ) {
		delete_option( 'svc_connector_' . $svc_name );
	}
	$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_name LIKE 'svc\\_connector\\_row\\_%'" ); // phpcs:ignore WordPress.DB
};

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
