<?php
/**
 * What an update must not take from others: plugins that it switches off, and the events of WP-Cron that code beside it waits for.
 *
 *   php others.php
 *
 * @package SvcConnector
 */

namespace {
	// phpcs:disable -- Stand-ins for what WordPress has.
	$base = sys_get_temp_dir() . '/svc-others-' . bin2hex( random_bytes( 6 ) );
	foreach ( array( 'garden', 'shop', 'garden-pay' ) as $name ) {
		mkdir( "$base/plugins/$name", 0755, true );
		file_put_contents( "$base/plugins/$name/$name.php", '<?php function ' . strtr( $name, '-', '_' ) . '_tick() {} class ' . strtr( $name, '-', '_' ) . '_Clock { function tick() {} static function tock() {} function __invoke() {} }' );
		require "$base/plugins/$name/$name.php";
	}
	define( 'WP_PLUGIN_DIR', "$base/plugins" );
	require __DIR__ . '/options.php';
	function is_multisite(): bool { return $GLOBALS['network']; }
	function get_current_network_id(): int { return 1; }
	function wp_check_invalid_utf8( string $text ): string { return $text; }
	$network  = false;
	$sitewide = array();
	$wpdb     = new class() {
		public $options  = 'wp_options';
		public $sitemeta = 'wp_sitemeta';
		public function prepare( $sql, $value ) { return array( $sql, $value ); }
		public function get_var( $asked ) {
			$value = strpos( $asked[0], 'wp_sitemeta' ) ? $GLOBALS['sitewide'] : get_option( $asked[1], null );
			return null === $value ? null : serialize( $value );
		}
	};
	// phpcs:enable
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$event  = static function ( $schedule = 'hourly' ): array {
		return array( 'key' => array( 'schedule' => $schedule, 'args' => array() ) );
	};
	$wait   = static function ( string $hook, ...$functions ): void {
		$GLOBALS['wp_filter'][ $hook ] = (object) array( 'callbacks' => array( 10 => array_map( static function ( $function ): array { return array( 'function' => $function ); }, $functions ) ) );
	};
	$noted  = static function ( string $type = 'plugin' ) use ( $base ): Journal {
		$file    = 'plugin' === $type ? 'garden/garden.php' : 'core';
		$journal = Journal::create( "$base/work", array( 'kind' => 'update', 'phase' => 'armed', 'type' => $type, 'file' => $file, 'names' => array( 'garden' ), 'roots' => array( 'item' => "$base/plugins" ) ) );
		Others::note( $journal );
		return $journal;
	};
	$all    = array( 'garden/garden.php', 'shop/shop.php', 'garden-pay/garden-pay.php', 'gone/gone.php' );

	$options['active_plugins'] = $all;
	$journal                   = $noted();
	$is( 'nothing is lost', Others::lost( $journal ), array() );
	$options['active_plugins'] = array_reverse( $all );
	$is( 'in another order', Others::lost( $journal ), array() );
	$options['active_plugins'] = array( 'garden/main.php', 'garden-pay/garden-pay.php' );
	$is( 'its own file has another name; what has no files says nothing', Others::lost( $journal ), array( 'shop/shop.php' ) );
	$options['active_plugins'] = array( 'garden/garden.php', 'shop/shop.php' );
	$is( 'one that bears its name', Others::lost( $journal ), array( 'garden-pay/garden-pay.php' ) );
	$options['active_plugins'] = array();
	$is( 'all', Others::lost( $journal ), array( 'shop/shop.php', 'garden-pay/garden-pay.php' ) );
	$options['active_plugins'] = null;
	$is( 'a database that does not say', array( Others::lost( $journal ), Others::lost_events( $journal ) ), array( array(), array() ) );
	$options['active_plugins'] = $all;
	$core                      = $noted( 'core' );
	$options['active_plugins'] = array();
	$is( 'what WordPress itself does not run with', Others::lost( $core ), array() );
	list( $network, $sitewide, $options['active_plugins'] ) = array( true, array( 'shop/shop.php' => 1700000000 ), array( 'garden/garden.php' ) );
	$journal  = $noted();
	$sitewide = array();
	$is( 'in a network', Others::lost( $journal ), array( 'shop/shop.php' ) );
	list( $network, $options['active_plugins'] ) = array( false, $all );

	// Events: of others that wait for them, and that come again.
	$wait( 'by_function', 'shop_tick' );
	$wait( 'by_method', array( new \shop_Clock(), 'tick' ) );
	$wait( 'by_static', 'shop_Clock::tock' );
	$wait( 'by_object', new \shop_Clock() );
	$wait( 'by_closure', static function () {} );
	$wait( 'by_both', 'garden_tick', 'shop_tick' );
	$wait( 'its_own', 'garden_tick', array( 'garden_Clock', 'tock' ) );
	$wait( 'gone', 'a_function_that_is_not_there' );
	$wait( 'once', 'shop_tick' );
	$others          = array( 'by_function', 'by_method', 'by_static', 'by_object', 'by_closure', 'by_both' );
	$hooks           = array_fill_keys( array_merge( $others, array( 'its_own', 'gone', 'nobody_waits' ) ), $event() );
	$options['cron'] = array( 1700000000 => $hooks + array( 'once' => $event( false ) ), 'version' => 2 );
	$journal         = $noted();
	$is( 'no event is lost', Others::lost_events( $journal ), array() );
	$options['cron'] = array( 1700099999 => $hooks, 'version' => 2 );
	$is( 'at another time', Others::lost_events( $journal ), array() );
	$options['cron'] = array( 1700099999 => array( 'its_own' => $event(), 'by_method' => $event() ), 'version' => 2 );
	$is( 'those that are gone', Others::lost_events( $journal ), array_values( array_diff( $others, array( 'by_method' ) ) ) );

	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
