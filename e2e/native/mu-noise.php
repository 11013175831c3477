<?php
/**
 * Plugin Name: Noise
 * Description: Prints where it must not, as careless plugins do, on sites that show errors.
 */

if ( ini_get( 'display_errors' ) && 'cli' !== PHP_SAPI ) {
	if ( ! isset( $_GET['svc-connector-login'] ) ) { // With this no login of any kind works: headers are gone.
		echo "noise before\n";
	}
	add_action(
		'plugins_loaded',
		function () {
			echo $GLOBALS['wpdb']->nothing_of_this_name . $undefined; // A warning, shown on the page.
			trigger_error( 'noisy deprecation', E_USER_DEPRECATED );
		}
	);
	add_action(
		'shutdown',
		function () {
			echo "noise after\n";
		}
	);
}
