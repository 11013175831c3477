<?php
/**
 * The object cache of a look into wp-admin: it knows what the site's knows, and the site's hears of nothing.
 *
 *   php unshared.php
 *
 * @package SvcConnector
 */

namespace {
	/** One as a drop-in brings it; what it has outlives the request. */
	class Shared {
		public $kept = array( 'default a' => 1, 'default b' => 'two', 'posts a' => 3, 'default gone' => false );
		public $hits = array();
		public function get( $key, $group = 'default', $force = false, &$found = null ) {
			$found = array_key_exists( "$group $key", $this->kept );
			return $this->kept[ "$group $key" ] ?? false;
		}
		public function get_multiple( $keys, $group ) {
			$this->hits[] = $keys;
			$values       = array();
			foreach ( $keys as $key ) {
				$values[ $key ] = $this->get( $key, $group );
			}
			return $values;
		}
		public function info( $more ) { return "of the site, $more"; }
		public function __call( $name, $arguments ) { throw new Exception( "The site's cache hears: $name" ); }
	}
	$outlives = true;
	$passes   = false;
	function wp_using_ext_object_cache() { return $GLOBALS['outlives']; }
	function get_current_blog_id() { return 1; }
	function wp_cache_set( $key, $value, $group ) { return $GLOBALS['passes'] ? true : $GLOBALS['wp_object_cache']->set( $key, $value, $group ); }
	function wp_cache_delete( $key, $group ) { $GLOBALS['deleted'] = "$group $key"; }
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$site            = new \Shared();
	$was             = $site->kept;
	$wp_object_cache = $site;
	$cache           = Unshared::begin();
	$get             = static function ( string $key, string $group = 'default' ) use ( $cache ): array {
		$value = $cache->get( $key, $group, false, $found );
		return array( $value, $found );
	};
	$is( 'it stands in its place', $wp_object_cache === $cache, true );
	$is( 'it knows what the site knows', array( $get( 'a' ), $get( 'a', 'posts' ), $get( 'gone' ), $get( 'never' ) ), array( array( 1, true ), array( 3, true ), array( false, true ), array( false, false ) ) );
	$is( 'what is there is not added', array( $cache->add( 'a', 9 ), $cache->add( 'new', 9 ), $get( 'a' ), $get( 'new' ) ), array( false, true, array( 1, true ), array( 9, true ) ) );
	$is( 'what is not there is not replaced', array( $cache->replace( 'never', 8 ), $cache->replace( 'a', 8 ), $get( 'a' ), $get( 'never' ) ), array( false, true, array( 8, true ), array( false, false ) ) );
	$is( 'deleted', array( $cache->delete( 'b' ), $cache->delete( 'b' ), $get( 'b' ), $cache->add( 'b', 7 ), $get( 'b' ) ), array( true, false, array( false, false ), true, array( 7, true ) ) );
	$is( 'counted', array( $cache->incr( 'a', 2 ), $cache->decrement( 'a', 20 ), $cache->incr( 'never' ) ), array( 10, 0, false ) );
	$is( 'many at once', array( $cache->set_multiple( array( 'x' => 1, 'y' => 2 ), 'many' ), $cache->delete_multiple( array( 'x' ), 'many' ), $cache->get_multiple( array( 'x', 'y' ), 'many' ) ), array( array( 'x' => true, 'y' => true ), array( 'x' => true ), array( 'x' => false, 'y' => 2 ) ) );
	$is( 'many, of which the site is asked for those it alone knows', array( $cache->get_multiple( array( 'a', 'gone', 'never', 'new' ) ), $site->hits ), array( array( 'a' => 0, 'gone' => false, 'never' => false, 'new' => 9 ), array( array( 'gone', 'never' ) ) ) );
	$site->hits = array();
	$is( 'another group', $get( 'a', 'posts' ), array( 3, true ) );
	$thing = new \stdClass();
	$cache->set( 'thing', $thing );
	$thing->changed = true;
	$is( 'a thing that is changed later', (array) $cache->get( 'thing' ), array() );
	$is( 'what else it is asked', array( $cache->info( 'too' ), isset( $cache->hits ), isset( $cache->none ) ), array( 'of the site, too', true, false ) );
	$cache->hits['a'] = 5;
	$is( 'what it counts', $site->hits, array( 'a' => 5 ) );
	$is( 'emptied', array( $cache->flush(), $get( 'a' ), $get( 'a', 'posts' ), $cache->set( 'a', 6 ), $get( 'a' ) ), array( true, array( false, false ), array( false, false ), true, array( 6, true ) ) );
	$cache->end();
	$is( 'the site has heard of nothing', array( $wp_object_cache === $site, $site->kept ), array( true, $was ) );

	$passes = true;
	$is( 'functions that pass it by', array( Unshared::begin(), $wp_object_cache === $site, $deleted ), array( null, true, 'svc-connector look' ) );
	$outlives = false;
	$is( 'a cache that ends with the request', array( Unshared::begin(), $wp_object_cache === $site ), array( null, true ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
