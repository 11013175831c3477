<?php
/**
 * Plugin Name: wordpress.org stand-in
 * Description: Sends this site's questions to wordpress.org, and its downloads, to the loopback address in WPORG_MIRROR. For demos and tests only.
 *
 * Package addresses stay on downloads.wordpress.org, so that a stored update offer survives a change of port.
 */

if ( defined( 'WPORG_MIRROR' ) ) {
	add_filter(
		'pre_http_request',
		function ( $answer, $request, $url ) {
			$to = wp_parse_url( $url );
			if ( false !== $answer || ! isset( $to['host'] ) || ! preg_match( '/^(api|downloads)\.wordpress\.org$/', $to['host'], $found ) ) {
				return $answer;
			}
			$request['reject_unsafe_urls'] = false;
			$query                         = isset( $to['query'] ) ? '?' . $to['query'] : '';
			return wp_remote_request( WPORG_MIRROR . '/' . $found[1] . $to['path'] . $query, $request );
		},
		10,
		3
	);
	// The stand-in cannot sign packages as wordpress.org does.
	add_filter( 'wp_signature_hosts', '__return_empty_array' );
}
