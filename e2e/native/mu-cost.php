<?php
/**
 * Plugin Name: Cost
 * Description: Tells for `?svc=cost` what loading the connector took, and what all of WordPress took beside it.
 */

if ( isset( $_GET['svc'] ) && 'cost' === $_GET['svc'] ) {
	$cost_before = array();
	$cost        = array( 'ms' => 0 );
	// Time of the processor: what other processes do meanwhile costs the page nothing.
	$cost_ms    = function () {
		$used = getrusage();
		return 1000 * ( $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] ) + ( $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'] ) / 1000;
	};
	$cost_began = $cost_ms();
	$cost_mark  = function () use ( &$cost_before, $cost_ms ) {
		$cost_before = array( $cost_ms(), memory_get_usage() );
	};
	// Asked right before the first plugin loads; what WordPress sets up before that is not the plugin's.
	add_filter(
		'option_active_plugins',
		function ( $plugins ) use ( $cost_mark ) {
			$cost_mark();
			return $plugins;
		},
		PHP_INT_MAX
	);
	add_action(
		'plugin_loaded',
		function ( $file ) use ( &$cost_before, &$cost, $cost_mark, $cost_ms ) {
			if ( 'svc-connector.php' === basename( $file ) ) {
				$cost = array(
					'ms'    => $cost_ms() - $cost_before[0],
					'bytes' => memory_get_usage() - $cost_before[1],
				);
			}
			$cost_mark();
		}
	);
	add_action(
		'template_redirect',
		function () use ( &$cost, $cost_began, $cost_ms ) {
			$beside = $cost_ms() - $cost_began - $cost['ms'];
			$ours   = array_filter(
				wp_load_alloptions(),
				function ( $name ) {
					return 0 === strpos( $name, 'svc_connector' );
				},
				ARRAY_FILTER_USE_KEY
			);
			$files  = preg_grep( '#/svc-connector/#', get_included_files() );
			$told   = array( 'beside' => $beside, 'files' => count( $files ), 'autoloaded' => strlen( implode( '', $ours ) ) );
			wp_send_json( $cost + $told );
		}
	);
}
