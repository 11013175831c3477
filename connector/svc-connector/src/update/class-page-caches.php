<?php
// Caches of whole pages: what they keep was made before.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Empties the page caches of a site, each as its author offers it to others: visitors would go on seeing what an update or a restore has ended. */
final class PageCaches {

	/** @var array Functions, and methods of classes. */
	const CALLS = array(
		'rocket_clean_domain', // WP Rocket.
		'wp_cache_clear_cache', // WP Super Cache.
		'w3tc_flush_posts', // W3 Total Cache.
		'wpfc_clear_all_cache', // WP Fastest Cache.
		'wpo_cache_flush', // WP-Optimize.
		'sg_cachepress_purge_cache', // SiteGround Optimizer.
		'spinupwp_purge_site', // SpinupWP.
		'pantheon_wp_clear_edge_all', // Pantheon.
		array( 'FlyingPress\Purge', 'purge_everything' ), // FlyingPress.
		array( 'Swift_Performance_Cache', 'clear_all_cache' ), // Swift Performance.
		array( 'comet_cache', 'clear' ), // Comet Cache.
		array( 'WpeCommon', 'purge_varnish_cache' ), // WP Engine.
	);

	const ACTIONS = array(
		'litespeed_purge_all', // LiteSpeed Cache.
		'cache_enabler_clear_complete_cache', // Cache Enabler.
		'breeze_clear_all_cache', // Breeze.
		'wphb_clear_page_cache', // Hummingbird.
		'rt_nginx_helper_purge_all', // Nginx Helper.
		'swcfpc_purge_cache', // Super Page Cache.
		'cachify_flush_cache', // Cachify.
		'svc_connector_purge_page_caches', // Whatever else a host has: its own code can listen.
	);

	/** At the end of a request that has loaded everything, and has loaded it since the site changed. */
	public static function purge_outdated(): void {
		$mark  = Root::work() . Journal::OUTDATED;
		$began = (float) ( $_SERVER['REQUEST_TIME_FLOAT'] ?? 0 ); // phpcs:ignore WordPress.Security -- A number.
		if ( ! did_action( 'wp_loaded' ) || Trial::is_on() ) {
			return;
		}
		// Of two that end at once one removes it, and empties them.
		if ( (float) @file_get_contents( $mark ) < $began && @unlink( $mark ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
			self::purge();
		}
	}

	/** One that fails keeps none of the others from it, and what it prints reaches nobody. */
	private static function purge(): void {
		ob_start();
		foreach ( array_merge( array_filter( self::CALLS, 'is_callable' ), self::of_kinsta() ) as $call ) {
			self::attempt( $call );
		}
		foreach ( array_filter( self::ACTIONS, 'has_action' ) as $action ) {
			self::attempt( 'do_action', $action );
		}
		ob_end_clean();
	}

	/** Kinsta's is an object that its must-use plugin leaves. */
	private static function of_kinsta(): array {
		$calls = array();
		foreach ( array( 'purge_complete_caches', 'purge_complete_full_page_cache' ) as $method ) {
			$calls[] = array( $GLOBALS['kinsta_cache']->kinsta_cache_purge ?? null, $method );
		}
		return array_slice( array_filter( $calls, 'is_callable' ), 0, 1 );
	}

	private static function attempt( callable $call, ...$arguments ): void {
		try {
			$call( ...$arguments );
		} catch ( \Throwable $error ) {
			error_log( 'svc-connector: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- The cache empties itself in time.
		}
	}
}
