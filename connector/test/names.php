<?php
/**
 * A folder with more names than PHP has memory for ends no listing: it is told as one that cannot be read, and what lies beside it is told.
 *
 *   php -d memory_limit=128M names.php [1200000]
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-names-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/many", 0755, true );
	touch( "$base/z" );
	define( 'ABSPATH', "$base/" );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'DB_ENGINE', 'sqlite' );
	require __DIR__ . '/a-site.php';
	require __DIR__ . '/is.php';
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function wp_convert_hr_to_bytes( $value ) { return (int) $value * 1048576; }
}

namespace SvcConnector {

	/** Of one folder names that nobody has to make. */
	function readdir( $stream ) {
		static $n = 0;
		return $n < (int) ( $GLOBALS['argv'][1] ?? 1200000 ) && is_dir( ABSPATH . 'opened' ) ? 'session_' . md5( (string) $n++ ) : \readdir( $stream );
	}
	function opendir( $folder ) {
		$is_many = 'many' === basename( $folder );
		$is_many ? mkdir( ABSPATH . 'opened' ) : is_dir( ABSPATH . 'opened' ) && rmdir( ABSPATH . 'opened' );
		return \opendir( $folder );
	}

	const FILE = __FILE__;
	require __DIR__ . '/load.php';
	$page = Listing::after( array( 'root' => 'abspath', 'budget_ms' => 60000 ) );
	$is( 'what is told', array_column( $page['entries'], 't', 'p' ), array( 'many' => 'x', 'z' => 'f' ) );
	$is( 'all of it', $page['done'], true );
	Leftovers::discard( $base );
	printf( "%d checks: %d wrong\n", $checks, $wrong );
	exit( $wrong ? 1 : 0 );
}
