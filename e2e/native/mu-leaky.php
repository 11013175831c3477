<?php
/**
 * Plugin Name: Leaky
 * Description: Leaves behind what an attack needs: an object that tells when it is made, and a page that gives every nonce away, as other plugins do.
 */

class Svc_Canary { // phpcs:ignore
	public function __wakeup() {
		file_put_contents( dirname( ABSPATH ) . '/tmp/object-made', 'made' );
	}
}

add_action(
	'init',
	function () {
		if ( isset( $_GET['leak'] ) && is_string( $_GET['leak'] ) ) {
			exit( wp_create_nonce( $_GET['leak'] ) );
		}
		if ( isset( $_GET['wake'] ) && is_string( $_GET['wake'] ) ) {
			unserialize( base64_decode( $_GET['wake'] ) );
		}
	}
);
