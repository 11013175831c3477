<?php
/**
 * Plugin Name: Hardened
 * Description: What a careful administrator switches off. For tests only.
 */

defined( 'DISALLOW_FILE_EDIT' ) || define( 'DISALLOW_FILE_EDIT', ! file_exists( WP_CONTENT_DIR . '/soft' ) );

if ( ! file_exists( WP_CONTENT_DIR . '/soft' ) ) {
	remove_action( 'wp_head', 'wp_generator' );
	add_filter( 'the_generator', '__return_empty_string' );
	add_filter( 'xmlrpc_methods', '__return_empty_array' );
	add_filter( 'wp_is_application_passwords_available', '__return_false' );
	add_filter(
		'rest_endpoints',
		function ( $routes ) {
			return array_diff_key( $routes, array( '/wp/v2/users' => 1, '/wp/v2/users/(?P<id>[\d]+)' => 1 ) );
		}
	);
	add_filter(
		'wp_sitemaps_add_provider',
		function ( $provider, $name ) {
			return 'users' === $name ? false : $provider;
		},
		10,
		2
	);
	add_filter(
		'oembed_response_data',
		function ( $data ) {
			unset( $data['author_name'], $data['author_url'] );
			return $data;
		}
	);
	add_filter(
		'login_errors',
		function () {
			return 'Name or password is wrong.';
		}
	);
	add_filter(
		'the_author',
		function () {
			return 'Editors';
		}
	);
	add_action(
		'template_redirect',
		function () {
			if ( is_author() || isset( $_GET['author'] ) ) {
				remove_action( 'template_redirect', 'redirect_canonical' );
				$GLOBALS['wp_query']->set_404();
				status_header( 404 );
			}
		},
		1
	);
} else {
	// What is not there is answered as if it were.
	add_filter(
		'status_header',
		function ( $header, $code ) {
			return 404 === $code ? str_replace( '404 Not Found', '200 OK', $header ) : $header;
		},
		10,
		2
	);
}
