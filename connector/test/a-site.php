<?php
/**
 * What the connector asks WordPress about where its files lie, for tests without WordPress. Each may be told otherwise in $GLOBALS['answers'].
 *
 * @package SvcConnector
 */

defined( 'WP_PLUGIN_DIR' ) || define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
defined( 'WPMU_PLUGIN_DIR' ) || define( 'WPMU_PLUGIN_DIR', WP_CONTENT_DIR . '/mu-plugins' );
$GLOBALS['answers'] = ( $GLOBALS['answers'] ?? array() ) + array( 'uploads' => WP_CONTENT_DIR . '/uploads', 'home' => 'http://a.test', 'site' => 'http://a.test', 'options' => array() );

function wp_upload_dir( $time, $create ) { return array( 'basedir' => $GLOBALS['answers']['uploads'] ); }
function home_url() { return $GLOBALS['answers']['home']; }
function site_url() { return $GLOBALS['answers']['site']; }
function wp_parse_url( $url, $part ) { return parse_url( $url, $part ); }
function get_theme_root( $theme = '' ) { return $GLOBALS['answers']['roots'][ $theme ] ?? $GLOBALS['answers']['themes'] ?? WP_CONTENT_DIR . '/themes'; }
if ( ! function_exists( 'is_multisite' ) ) {
	function is_multisite() { return isset( $GLOBALS['wpdb']->blogs ); }
}
function get_option( $name, $default = false ) { return $GLOBALS['answers']['options'][ $name ] ?? $default; }
function update_option( $name, $value, $autoload ) { $GLOBALS['answers']['options'][ $name ] = $value; }
function wp_is_writable( $path ) { return is_writable( $path ); }
