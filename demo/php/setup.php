<?php
// Installs WordPress when it is not installed yet, and activates the plugins that were just copied in.
// Reads SITE_SETUP = {"title", "user", "password", "activate": [folder names]}; prints {"installed", "activated": {folder: true or a message}}.
// A busy machine installs as slowly as it must; afterwards the site has the limit of a host.
set_time_limit( 0 );
define( 'WP_INSTALLING', true );
require '/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

$wanted = json_decode( getenv( 'SITE_SETUP' ), true );
$fresh  = ! is_blog_installed();
if ( $fresh ) {
	add_filter( 'pre_wp_mail', '__return_false' );
	ob_start();
	wp_install( $wanted['title'], $wanted['user'], 'admin@example.invalid', true, '', wp_slash( $wanted['password'] ) );
	update_option( 'permalink_structure', '/%postname%/' );
	$GLOBALS['wp_rewrite']->init();
	flush_rewrite_rules( false );
	ob_end_clean();
}

$activated = array();
foreach ( $wanted['activate'] as $folder ) {
	foreach ( array_keys( get_plugins( '/' . $folder ) ) as $file ) {
		$outcome              = activate_plugin( $folder . '/' . $file );
		$activated[ $folder ] = is_wp_error( $outcome ) ? $outcome->get_error_message() : true;
	}
}
echo json_encode( array( 'installed' => $fresh, 'activated' => $activated ) );
