<?php
/**
 * Plugin Name: Warn
 * Description: Breaks a little for `?svc=warn`, as plugins do.
 */

add_action(
	'init',
	function () {
		if ( isset( $_GET['svc'] ) && 'warn' === $_GET['svc'] ) {
			echo $GLOBALS['svc_never_set'];
			$GLOBALS['wpdb']->query( 'SELECT nothing FROM nowhere' );
		}
	}
);
