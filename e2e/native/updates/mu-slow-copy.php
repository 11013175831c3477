<?php
/**
 * Plugin Name: Slow disk
 * Description: While the file slow-copy lies in the site's temporary folder, an update is never done with copying: the old version is gone, and PHP runs into its time limit. With slow-exchange it takes a second. For tests only.
 */

add_filter(
	'upgrader_clear_destination',
	function ( $removed ) {
		$text = 'x';
		while ( file_exists( dirname( ABSPATH ) . '/tmp/slow-copy' ) ) {
			$text = hash( 'sha512', $text );
			clearstatcache();
		}
		if ( file_exists( dirname( ABSPATH ) . '/tmp/slow-exchange' ) ) {
			sleep( 1 );
		}
		return $removed;
	}
);
