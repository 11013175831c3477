<?php
/**
 * Options in memory, a database that holds nothing, and what else of WordPress is the same for every script that keeps some.
 *
 * @package SvcConnector
 */

$options = array();

/** As much of WordPress's database class as is asked where only options are kept: it holds nothing. */
final class QuietDatabase {
	public $prefix;
	public $base_prefix;
	public $options = 'options';
	public function __construct( $prefix = 'wp_' ) {
		$this->prefix      = $prefix;
		$this->base_prefix = $prefix;
	}
	public function suppress_errors() {
		return false;
	}
	public function query() {
		return 0;
	}
}

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
