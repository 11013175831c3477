<?php
/**
 * Plugin Name: Heard
 * Description: Writes down what the service asks for. For tests only.
 */

if ( isset( $_SERVER['HTTP_SVC_REQUEST_ID'] ) ) {
	$heard = json_decode( (string) file_get_contents( 'php://input' ) );
	file_put_contents( dirname( ABSPATH ) . '/tmp/heard', ( $heard->method ?? '?' ) . "\n", FILE_APPEND );
}
