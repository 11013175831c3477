<?php
/**
 * Caches of pages after an update or a restore: emptied once, by a request that began after it and has loaded everything.
 *
 *   php page-caches.php
 *
 * @package SvcConnector
 */

namespace {
	$heard   = array();
	$actions = array( 'litespeed_purge_all' => true, 'svc_connector_purge_page_caches' => true );
	$loaded  = 0;
	function did_action( $hook ) { return 'wp_loaded' === $hook ? $GLOBALS['loaded'] : 0; }
	function has_action( $hook ) { return isset( $GLOBALS['actions'][ $hook ] ); }
	function do_action( $hook ) { $GLOBALS['heard'][] = "action $hook"; }
	function rocket_clean_domain() {
		$GLOBALS['heard'][] = 'rocket';
		echo 'the cache was emptied';
	}
	function wp_cache_clear_cache() { throw new Error( 'a file of it is gone' ); }
	class WpeCommon {
		public static function purge_varnish_cache() { $GLOBALS['heard'][] = 'varnish'; }
	}
	class Kinsta {
		public function purge_complete_caches() { $GLOBALS['heard'][] = 'kinsta'; }
		public function purge_complete_full_page_cache() { $GLOBALS['heard'][] = 'kinsta again'; }
	}
	define( 'WP_CONTENT_DIR', sys_get_temp_dir() . '/svc-connector-page-caches-' . getmypid() );
	define( 'ABSPATH', WP_CONTENT_DIR . '/' );
	ini_set( 'error_log', WP_CONTENT_DIR . '/log' );
	mkdir( WP_CONTENT_DIR );
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$journal = Journal::create( Root::work(), array( 'kind' => 'update', 'phase' => 'swapped' ) );
	$mark    = Root::work() . '/page-caches';
	$is( 'nothing is due before something changed', is_file( $mark ), false );
	$journal->outdate_pages();
	$is( 'it is due', is_file( $mark ), true );

	$ends = static function ( float $after ) use ( $mark ): array {
		$GLOBALS['heard']              = array();
		$_SERVER['REQUEST_TIME_FLOAT'] = (float) file_get_contents( $mark ) + $after;
		ob_start();
		PageCaches::purge_outdated();
		return array( $GLOBALS['heard'], ob_get_clean(), is_file( $mark ) );
	};
	$is( 'a request that ends before everything is loaded leaves it to the next', $ends( 1.0 ), array( array(), '', true ) );
	$GLOBALS['loaded'] = 1;
	$is( 'one that began before leaves it to the next', $ends( -0.001 ), array( array(), '', true ) );
	$all = array( 'rocket', 'varnish', 'action litespeed_purge_all', 'action svc_connector_purge_page_caches' );
	$is( 'one that began after empties all, whatever one of them throws, and prints nothing', $ends( 0.001 ), array( $all, '', false ) );
	$is( 'what failed is in the log', false !== strpos( (string) file_get_contents( WP_CONTENT_DIR . '/log' ), 'a file of it is gone' ), true );
	$GLOBALS['kinsta_cache'] = (object) array( 'kinsta_cache_purge' => new \Kinsta() );
	$journal->outdate_pages();
	$is( "Kinsta's, once", $ends( 0.001 )[0], array( 'rocket', 'varnish', 'kinsta', 'action litespeed_purge_all', 'action svc_connector_purge_page_caches' ) );
	Leftovers::discard( WP_CONTENT_DIR );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
