<?php
/**
 * Plans that try to leave the site: whatever a plan names, nothing outside the site changes, and what a restore leaves alone stays.
 *
 *   php paths.php [rounds] [seed]
 *
 * @package Svc\Connector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-paths-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/site/wp-content/plugins/svc-connector", 0755, true );
	mkdir( "$base/outside" );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', "$base/site/wp-content" );
	define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
	define( 'DB_ENGINE', 'sqlite' );
	define( 'FQDB', WP_CONTENT_DIR . '/database/.ht.sqlite' );
	$wpdb = (object) array( 'prefix' => 'wp_' );
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function plugin_basename( $file ) { return 'svc-connector/svc-connector.php'; }
	function wp_convert_hr_to_bytes( $value ) { return 0; }
}

namespace Svc\Connector {

	const FILE = __FILE__;
	foreach ( array( 'problem', 'journal', 'swap', 'exchange', 'lite', 'root', 'tables', 'verbs', 'budget', 'restore', 'survey', 'leftovers', 'door', 'staging' ) as $class ) {
		require dirname( __DIR__ ) . "/svc-connector/src/class-$class.php";
	}
	$rounds = (int) ( $argv[1] ?? 1000 );
	$seed   = (int) ( $argv[2] ?? 1 );
	mt_srand( $seed );
	set_error_handler( static function (): bool { return true; } ); // Files that cannot be moved are answers here.

	file_put_contents( "$base/outside/sentinel", 'untouched' );
	file_put_contents( "$base/site/wp-config.php", 'config' );
	file_put_contents( WP_CONTENT_DIR . '/plugins/svc-connector/own.php', 'own' );
	mkdir( dirname( FQDB ) );
	$db = new \SQLite3( FQDB );
	$db->exec( 'CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT, autoload TEXT)' );
	$db->close();
	symlink( "$base/outside", "$base/site/way-out" );
	$kept = static function () use ( $base ): array {
		$names = scandir( "$base/outside" );
		return array( $names, file_get_contents( "$base/outside/sentinel" ), scandir( $base ), file_get_contents( "$base/site/wp-config.php" ), file_get_contents( WP_CONTENT_DIR . '/plugins/svc-connector/own.php' ), is_file( FQDB ) );
	};
	$before = $kept();

	$paths   = array( '../outside/x', '/etc/x', "$base/outside/x", 'a/../../outside/x', '..', '.', '', 'a//b', './a', 'a/.', "a\0b", "..\0", 'a\\..\\b', 'C:\\x', 'c:x', str_repeat( 'n', 256 ), 'way-out/x', 'way-out/deeper/x', 'way-out/sentinel', 'wp-config.php', '.maintenance', 'wp-content/plugins/svc-connector/own.php', 'wp-content/plugins/svc-connector', 'wp-content/svc-connector-work/x', 'wp-content/database/.ht.sqlite', 'wp-content/database/.ht.sqlite-wal', array( 'b64' => base64_encode( '../outside/x' ) ), array( 'b64' => '!!' ), array( 'b64' => 7 ), 7, null, true );
	$fine    = array( 'fine.txt', 'wp-content/fine.txt', 'a b', '-rf', "new\nline", '...', '..x', 'x..' );
	$targets = array( '../outside', '/etc/passwd', "$base/outside/sentinel", '../../..', 'a/../../..', '', '/' );
	$stage   = static function ( array $ops ): string {
		$work    = WP_CONTENT_DIR . '/svc-connector-work';
		$current = Journal::current( $work, 'restore' );
		if ( null !== $current ) {
			Leftovers::clear( $current->dir );
			rmdir( $current->dir );
		}
		$journal = Journal::create( $work, array( 'phase' => 'staging', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'engine' => 'sqlite', 'file' => FQDB, 'prefix' => 'wp_' ) );
		$body    = hash( 'sha256', 'content' );
		$plan    = implode( '', array_map( static function ( array $op ): string { return json_encode( $op, JSON_PARTIAL_OUTPUT_ON_ERROR ) . "\n"; }, $ops ) );
		Journal::write( $journal->dir . "/stage/$body", 'content' );
		Journal::write( $journal->dir . '/stage/' . hash( 'sha256', $plan ), $plan );
		try {
			Staging::prepare( array( 'job' => 'job_1', 'fence' => 1, 'plan' => hash( 'sha256', $plan ) ) );
			$journal = Journal::current( $work, 'restore' );
			$journal->put( array( 'phase' => 'armed', 'at' => 0 ) );
			$swap = new Swap( $journal, 5.0 );
			$swap->forward();
			return 'swapped';
		} catch ( Problem $problem ) {
			$journal = Journal::current( $work, 'restore' );
			if ( in_array( $journal->phase(), Journal::OPEN, true ) ) {
				$swap = new Swap( $journal, 5.0 );
				$swap->back();
			}
			return 'refused';
		}
	};
	$op      = static function ( string $kind, $path, string $target = 'fine.txt' ): array {
		return array( 'k' => $kind, 'r' => 'abspath', 'p' => $path, 'm' => 0644, 't' => 1, 'h' => hash( 'sha256', 'content' ), 's' => 7, 'to' => $target );
	};

	$wrong = array();
	$tried = 0;
	foreach ( $paths as $path ) {
		foreach ( array( 'put', 'link', 'dir', 'del', 'rmdir' ) as $kind ) {
			++$tried;
			if ( 'refused' !== $stage( array( $op( $kind, $path ) ) ) || $kept() !== $before ) {
				$wrong[] = "$kind " . json_encode( $path, JSON_PARTIAL_OUTPUT_ON_ERROR );
			}
		}
	}
	foreach ( $targets as $target ) {
		++$tried;
		if ( 'refused' !== $stage( array( $op( 'link', 'a-link', $target ) ) ) || $kept() !== $before ) {
			$wrong[] = "link to $target";
		}
	}
	foreach ( $fine as $path ) {
		++$tried;
		if ( 'swapped' !== $stage( array( $op( 'put', $path ) ) ) || 'content' !== file_get_contents( "$base/site/$path" ) ) {
			$wrong[] = "not restored: $path";
		}
	}
	$any = array_merge( $paths, $fine, array( 'a', 'a/b', 'a/b/c', 'b' ) );
	for ( $round = 0; $round < $rounds; $round++ ) {
		$ops = array();
		for ( $n = mt_rand( 1, 6 ); $n > 0; $n-- ) {
			$ops[] = $op( array( 'put', 'link', 'dir', 'del', 'rmdir', 'exec' )[ mt_rand( 0, 5 ) ], $any[ mt_rand( 0, count( $any ) - 1 ) ], mt_rand( 0, 1 ) ? 'a' : $targets[ mt_rand( 0, count( $targets ) - 1 ) ] );
		}
		$stage( $ops );
		if ( $kept() !== $before ) {
			$wrong[] = json_encode( $ops, JSON_PARTIAL_OUTPUT_ON_ERROR );
			break;
		}
	}
	foreach ( array_slice( $wrong, 0, 20 ) as $line ) {
		echo "WRONG  $line\n";
	}
	Leftovers::clear( $base );
	rmdir( $base );
	printf( "seed %d: %d paths by hand, %d plans at random: %d wrong\n", $seed, $tried, $rounds, count( $wrong ) );
	exit( $wrong ? 1 : 0 );
}
