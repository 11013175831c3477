<?php
/**
 * What PHP may not change is known before anything is touched, and what is put back has the group of what it replaces, or of its folder.
 *
 *   php writable.php
 *
 * Needs root and setpriv: the checks run as another user, to whom not everything belongs.
 *
 * @package SvcConnector
 */

namespace {
	const USER  = 33;
	const GROUP = 34; // Another one that this user is in.
	if ( ! isset( $argv[1] ) ) {
		$base = sys_get_temp_dir() . '/svc-writable-' . bin2hex( random_bytes( 6 ) );
		mkdir( "$base/site", 0755, true );
		$made = 'cd ' . escapeshellarg( "$base/site" ) . ' && set -e; ln -s wp-content/plugins/sftp linked; mkdir -p wp-content/plugins/svc-connector wp-content/plugins/sftp/deep wp-content/plugins/ours shut media sticky; mkdir ours-in theirs-in
			for at in wp-content/plugins/sftp wp-content/plugins/sftp/deep wp-content/plugins/ours media sticky .; do echo old > $at/a; done; echo old > media/only; echo old > roots; echo old > fixed
			chown -R ' . USER . ':' . USER . ' ..; chown -R 0:0 wp-content/plugins/sftp sticky theirs-in; chown ' . USER . ':' . GROUP . ' media media/a a; chown ' . USER . ':0 roots
			chmod 0555 shut; chmod 1777 sticky; chmod 2770 media; chmod 0640 media/a; chattr +i fixed 2>/dev/null || rm fixed';
		passthru( $made, $code );
		passthru( 'setpriv --reuid=' . USER . ' --regid=' . USER . ' --groups=' . GROUP . ' ' . escapeshellarg( PHP_BINARY ) . ' ' . escapeshellarg( __FILE__ ) . ' ' . escapeshellarg( $base ), $wrong );
		passthru( 'cd ' . escapeshellarg( $base ) . '; chattr -i site/fixed 2>/dev/null; rm -r ' . escapeshellarg( $base ) );
		exit( $code || $wrong ? 1 : 0 );
	}
	$base = realpath( $argv[1] );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'DB_ENGINE', 'sqlite' );
	require __DIR__ . '/a-site.php';
	require __DIR__ . '/is.php';
	$wpdb = (object) array( 'prefix' => 'wp_' );
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function plugin_basename( $file ) { return 'svc-connector/svc-connector.php'; }
	function wp_convert_hr_to_bytes( $value ) { return 0; }
	function wp_is_file_mod_allowed() { return true; }
}

namespace SvcConnector {

	const FILE = __FILE__;
	require __DIR__ . '/load.php';
	umask( 022 );
	$site = "$base/site";
	$op   = static function ( string $kind, string $path, int $mode = 0644 ): array {
		return array( 'k' => $kind, 'r' => 'abspath', 'p' => $path, 'm' => $mode, 't' => 1500000000, 'h' => hash( 'sha256', 'new' ), 's' => 3, 'wm' => 0555 );
	};
	$work = WP_CONTENT_DIR . '/svc-connector-work';
	// Answers why a plan was refused, or what was told of one that was carried out.
	$plan = static function ( array $ops ) use ( $work ) {
		$current = Journal::current( $work, 'restore' );
		if ( null !== $current ) {
			Leftovers::clear( $current->dir );
			rmdir( $current->dir );
		}
		$journal = Journal::create( $work, array( 'phase' => 'staging', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'prefix' => 'wp_' ) );
		$text    = implode( '', array_map( static function ( array $op ): string { return json_encode( $op ) . "\n"; }, $ops ) );
		Journal::write( $journal->data( 'stage/' . hash( 'sha256', 'new' ) ), 'new' );
		Journal::write( $journal->data( 'stage/' . hash( 'sha256', $text ) ), $text );
		try {
			$told = Staging::prepare( array( 'job' => 'job_1', 'fence' => 1, 'from' => 0, 'plan' => hash( 'sha256', $text ) ) );
		} catch ( Problem $problem ) {
			return $problem->getMessage();
		}
		$journal = Journal::current( $work, 'restore' );
		$journal->hold();
		foreach ( $journal->plan() as $n => $each ) { // As FileSwap does it, without tables.
			$apply = new \ReflectionMethod( FileSwap::class, 'carry' );
			$apply->setAccessible( true );
			$apply->invoke( new FileSwap( $journal, 5.0 ), $n, $each, true );
		}
		return $told['ungrouped'];
	};
	$back = static function () use ( $work ): void {
		$journal = Journal::current( $work, 'restore' );
		$journal->put( array( 'phase' => 'swapping' ) );
		$swap = new FileSwap( $journal, 5.0 );
		$swap->back();
	};
	$group = static function ( string $path ) use ( $site ): int {
		clearstatcache();
		return (int) filegroup( "$site/$path" );
	};
	$why   = 'PHP may not change this, so nothing was touched: ';
	$sftp  = "$site/wp-content/plugins/sftp";

	foreach ( array( 'put', 'del' ) as $kind ) {
		$is( "$kind what another user uploaded", $plan( array( $op( $kind, 'wp-content/plugins/ours/a' ), $op( $kind, 'wp-content/plugins/sftp/a' ) ) ), $why . $sftp );
	}
	$is( 'a new file there', $plan( array( $op( 'put', 'wp-content/plugins/sftp/b' ) ) ), $why . $sftp );
	$is( 'a new folder there', $plan( array( $op( 'dir', 'wp-content/plugins/sftp/b', 0755 ), $op( 'put', 'wp-content/plugins/sftp/b/c' ) ) ), $why . $sftp );
	$is( 'each folder once', $plan( array( $op( 'put', 'wp-content/plugins/sftp/b' ), $op( 'put', 'wp-content/plugins/sftp/c' ), $op( 'put', 'wp-content/plugins/sftp/deep/d' ) ) ), "$why$sftp, $sftp/deep" );
	$is( 'the folder itself in the place of a file', $plan( array( $op( 'put', 'wp-content/plugins/sftp' ) ) ), $why . $sftp );
	$is( 'nothing was touched', array( file_get_contents( "$site/wp-content/plugins/ours/a" ), file_get_contents( "$sftp/a" ) ), array( "old\n", "old\n" ) );
	$is( 'a folder that is shut', $plan( array( $op( 'put', 'shut/a' ) ) ), "$why$site/shut" );
	$is( 'a folder that the plan opens', $plan( array( $op( 'mode', 'shut', 0755 ), $op( 'put', 'shut/a' ) ) ), array() );
	$is( 'what is in it then', @file_get_contents( "$site/shut/a" ), 'new' );
	$is( 'opening what belongs to another', $plan( array( $op( 'mode', 'wp-content/plugins/sftp', 0755 ), $op( 'put', 'wp-content/plugins/sftp/b' ) ) ), $why . $sftp );
	$is( 'what is another’s in a folder for all', $plan( array( $op( 'put', 'sticky/b' ), $op( 'put', 'sticky/a' ) ) ), "$why$site/sticky/a" );
	$is( 'a folder in the place of a link to theirs', array( $plan( array( $op( 'del', 'linked' ), $op( 'dir', 'linked', 0755 ), $op( 'put', 'linked/a' ) ) ), file_get_contents( "$sftp/a" ) ), array( array(), "old\n" ) );
	$is( 'an empty folder of another goes', $plan( array( $op( 'rmdir', 'theirs-in', 0755 ) ) ), "$why$site/theirs-in" );
	$is( 'an empty folder goes', array( $plan( array( $op( 'rmdir', 'ours-in', 0755 ) ) ), is_dir( "$site/ours-in" ) ), array( array(), false ) );
	if ( is_file( "$site/fixed" ) ) {
		$is( 'a file that nobody may change', $plan( array( $op( 'put', 'fixed' ) ) ), "$why$site/fixed" );
	}

	$told = array_column( Listing::after( array( 'root' => 'abspath', 'budget_ms' => 5000 ) )['entries'], 'w', 'p' );
	$is( 'where PHP may not write', $told, array( 'theirs-in' => false, 'wp-content/plugins/sftp' => false, 'wp-content/plugins/sftp/deep' => false ) );

	$ops = array( $op( 'dir', 'media/d', 02755 ), $op( 'put', 'media/a', 0640 ), $op( 'put', 'media/b' ), $op( 'put', 'media/d/c' ), $op( 'put', 'a' ), $op( 'put', 'b' ), $op( 'put', 'media/only' ) );
	$is( 'what has another group', $plan( $ops ), array() );
	$found = array_map( $group, array( 'media/a', 'media/b', 'media/d', 'media/d/c', 'a', 'b', 'media/only' ) );
	$is( 'the groups', $found, array( GROUP, GROUP, GROUP, GROUP, GROUP, USER, USER ) );
	$is( 'the modes stay', decoct( fileperms( "$site/media/a" ) & 07777 ), '640' );
	$back();
	$is( 'the groups of before', array_map( $group, array( 'media/a', 'a', 'media/only' ) ), array( GROUP, GROUP, USER ) );
	$is( 'a group that PHP may not give', array( $plan( array( $op( 'put', 'roots' ), $op( 'put', 'media/b' ) ) ), $group( 'roots' ) ), array( array( "$site/roots" ), USER ) );

	$is( 'where a disk begins', array( Disk::begins( '/proc' ), Disk::begins( $site ), Disk::begins( "$site/a" ) ), array( true, false, false ) );

	// What fails in the middle is told with its path.
	$plan( array( $op( 'put', 'fresh' ) ) );
	Journal::current( $work, 'restore' )->put( array( 'phase' => 'armed', 'at' => 0 ) );
	file_put_contents( Journal::current( $work, 'restore' )->data( 'plan' ), json_encode( $op( 'del', 'wp-content/plugins/sftp/a' ) ) . "\n" );
	try {
		set_error_handler( static function (): bool { return true; } );
		$swap = new FileSwap( Journal::current( $work, 'restore' ), 5.0 );
		$swap->forward();
	} catch ( Problem $problem ) {
		$is( 'its path', $problem->getMessage(), "A file cannot be moved: $sftp/a" );
	}
	printf( "%d checks: %d wrong\n", $checks, $wrong );
	exit( $wrong ? 1 : 0 );
}
