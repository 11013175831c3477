<?php
/**
 * Plugin Name: Heard
 * Description: Writes down what the service asks for, and that caches of pages are to be emptied. For tests only.
 */

if ( isset( $_SERVER['HTTP_SVC_REQUEST_ID'] ) ) {
	$heard = json_decode( (string) file_get_contents( 'php://input' ) );
	file_put_contents( dirname( ABSPATH ) . '/tmp/heard', ( $heard->method ?? '?' ) . "\n", FILE_APPEND );
}
add_action(
	'svc_connector_purge_page_caches',
	static function () {
		file_put_contents( dirname( ABSPATH ) . '/tmp/purged', "purged\n", FILE_APPEND );
	}
);
