<?php
/**
 * Options in memory, and what else of WordPress is the same for every script that keeps some.
 *
 * @package SvcConnector
 */

$options = array();

function get_option( $name, $default_value = false ) {
	return $GLOBALS['options'][ $name ] ?? $default_value;
}

function update_option( $name, $value ) {
	$GLOBALS['options'][ $name ] = $value;
}

function delete_option( $name ) {
	unset( $GLOBALS['options'][ $name ] );
}

function wp_json_encode( $value ) {
	return json_encode( $value );
}

function is_main_site() {
	return true;
}
