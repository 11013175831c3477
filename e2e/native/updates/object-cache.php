<?php
/**
 * Plugin Name: Kept
 * Description: Keeps options from one request to the next, in files beside the site, as a server of keys does. For tests only.
 */

// phpcs:disable
eval( str_replace( 'new WP_Object_Cache()', 'new Kept_Cache()', substr( file_get_contents( ABSPATH . WPINC . '/cache.php' ), 5 ) ) );

class Kept_Cache extends WP_Object_Cache {
	const GROUPS = array( 'options', 'site-options' );

	private static function path( $key = '', $group = '' ) {
		return dirname( ABSPATH ) . '/tmp/kept' . ( '' === $group ? '' : '/' . md5( "$group $key" ) );
	}

	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		if ( in_array( $group, self::GROUPS, true ) && is_string( $kept = @file_get_contents( self::path( $key, $group ) ) ) ) {
			$found = true;
			return unserialize( $kept );
		}
		return parent::get( $key, $group, $force, $found );
	}

	public function set( $key, $data, $group = 'default', $expire = 0 ) {
		if ( in_array( $group, self::GROUPS, true ) ) {
			$part = self::path() . '/' . bin2hex( random_bytes( 8 ) );
			file_put_contents( $part, serialize( $data ) );
			rename( $part, self::path( $key, $group ) );
		}
		return parent::set( $key, $data, $group, $expire );
	}

	public function delete( $key, $group = 'default', $deprecated = false ) {
		@unlink( self::path( $key, $group ) );
		return parent::delete( $key, $group, $deprecated );
	}

	public function flush() {
		array_map( 'unlink', glob( self::path() . '/*' ) );
		return parent::flush();
	}
}
