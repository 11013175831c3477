<?php
/**
 * Swaps files and a SQLite database there and back while the process is killed again and again: the end is exactly new or exactly old.
 *
 *   php swap.php [rounds] [seed]
 *
 * Needs the extensions pcntl or posix (to kill) and sqlite3.
 *
 * @package SvcConnector
 */

namespace SvcConnector;

require __DIR__ . '/load.php';
const SITE = 200; // Files.
const FAILURES = 20; // Of one direction that nobody killed: then it fails for good.
const UP   = '../../../../../www/3.txt'; // Leads to a file from where it belongs, and out of everything from the folders of the restore.

if ( 'child' === ( $argv[1] ?? '' ) ) {
	$journal = Journal::open( $argv[2] );
	$journal->hold();
	for ( $request = 0; $request < 1000; ++$request ) {
		$swap = new FileSwap( $journal, 0.0 ); // However little time there is, each does a piece.
		if ( 'forward' === $argv[3] ? $swap->forward() : $swap->back() ) {
			exit( 0 );
		}
	}
	exit( 2 );
}

$rounds = (int) ( $argv[1] ?? 10 );
$seed   = (int) ( $argv[2] ?? 1 );
mt_srand( $seed );
$wrong = 0;
$kills = 0;
for ( $round = 0; $round < $rounds; $round++ ) {
	$base = sys_get_temp_dir() . '/svc-swap-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/www/gone", 0755, true );
	$journal = a_restore( $base );
	$old     = picture( $base );
	$new     = expected( $base, $old, $journal );
	$back    = 1 === $round % 2;
	$kills  += until_done( $journal->dir, 'forward', $back ? mt_rand( 0, 4 ) : 80 );
	if ( $back ) {
		$kills += until_done( $journal->dir, 'back', 80 );
	}
	$is      = picture( $base );
	$wrong  += $is === ( $back ? $old : $new ) ? 0 : 1;
	if ( $is !== ( $back ? $old : $new ) ) {
		echo 'WRONG  ', $back ? 'back' : 'forward', ': ', json_encode( array_slice( array_merge( array_diff_assoc( $is, $back ? $old : $new ), array_diff_assoc( $back ? $old : $new, $is ) ), 0, 5 ) ), "\n";
	}
	remove( $base );
}

// Nobody comes back: the next visitor takes the site back.
$base = sys_get_temp_dir() . '/svc-swap-' . bin2hex( random_bytes( 6 ) );
mkdir( "$base/www/gone", 0755, true );
$journal = a_restore( $base );
$old     = picture( $base );
file_put_contents( "$base/www/.maintenance", '<?php // ' . $journal->tag() );
Door::prepare( $journal );
until_done( $journal->dir, 'forward', 80 );
$visit = static function () use ( $journal ): void {
	passthru( PHP_BINARY . ' -r ' . escapeshellarg( "define( 'ABSPATH', '/' ); require '{$journal->dir}/rescue/rescue.php';" ) );
};
$journal = Journal::open( $journal->dir );
$visit();
$early = picture( $base ) !== $old && is_file( "$base/www/.maintenance" );
$journal->put( array( 'deadline' => time() - 1 ) );
$visit();
if ( ! $early || picture( $base ) !== $old || is_file( "$base/www/.maintenance" ) ) {
	++$wrong;
	echo "WRONG  the site did not take itself back\n";
}
remove( $base );

printf( "seed %d: %d rounds, %d kills: %d wrong\n", $seed, $rounds, $kills, $wrong );
exit( $wrong ? 1 : 0 );

/** A site with every kind of change waiting for it. */
function a_restore( string $base ): Journal {
	$journal = Journal::create( "$base/work", array( 'phase' => 'armed', 'id' => bin2hex( random_bytes( 8 ) ), 'job' => 'job_1', 'fence' => 1, 'engine' => 'sqlite', 'file' => "$base/db.sqlite", 'prefix' => 'wp_', 'roots' => array( 'abspath' => "$base/www" ), 'doors' => "$base/www/.maintenance", 'deadline' => time() + 600, 'at' => 0 ) );
	mkdir( "$base/www/shut" );
	chmod( "$base/www/shut", 0555 );
	$ops = array( a_mode( 'shut', 0755, 0555 ), array( 'k' => 'dir', 'r' => 'abspath', 'p' => 'fresh', 'm' => 0755 ), array( 'k' => 'put', 'r' => 'abspath', 'p' => 'shut/inside' ) );
	for ( $n = 0; $n < SITE; $n++ ) {
		file_put_contents( "$base/www/$n.txt", "old $n" );
		if ( 0 === $n % 2 ) {
			$ops[] = array( 'k' => 'put', 'r' => 'abspath', 'p' => "$n.txt" );
			$ops[] = array( 'k' => 'put', 'r' => 'abspath', 'p' => "fresh/$n.txt" );
		}
	}
	file_put_contents( "$base/www/gone/a", 'goes' );
	mkdir( "$base/www/was-folder" );
	file_put_contents( "$base/www/was-folder/inside", 'goes with it' );
	mkdir( "$base/www/a/b/c/d", 0755, true );
	foreach ( array( 'put', 'turned', 'gone', 'folder' ) as $name ) {
		symlink( 'turned' === $name ? '../d/put' : UP, "$base/www/a/b/c/d/$name" );
	}
	foreach ( array( array( 'put', 'was-folder' ), array( 'put', 'a/b/c/d/put' ), array( 'link', 'a/b/c/d/made' ), array( 'link', 'a/b/c/d/turned' ), array( 'del', 'a/b/c/d/gone' ), array( 'dir', 'a/b/c/d/folder' ), array( 'del', 'gone/a' ), array( 'rmdir', 'gone' ) ) as list( $kind, $path ) ) {
		$ops[] = array( 'k' => $kind, 'r' => 'abspath', 'p' => $path, 'm' => 0755, 'to' => UP );
	}
	touch( "$base/www/1.txt", 1500000000 );
	chmod( "$base/www/1.txt", 0644 );
	array_push( $ops, a_mode( '1.txt', 0600, 0644 ) + array( 't' => 1600000000, 'wt' => 1500000000 ), a_mode( 'fresh', 0555, 0755 ), a_mode( 'shut', 0775, 0755 ) );
	foreach ( $ops as $n => $op ) {
		if ( 'put' === $op['k'] ) {
			file_put_contents( $journal->side( 'new', $n ), 'new ' . $op['p'] );
		} elseif ( 'link' === $op['k'] ) {
			Journal::write( $journal->side( 'new', $n ), UP );
		}
	}
	Journal::write( $journal->data( 'plan' ), implode( '', array_map( static function ( array $op ): string { return json_encode( $op ) . "\n"; }, $ops ) ) );
	foreach ( array( "$base/db.sqlite" => 'old', $journal->data( 'new.sqlite' ) => 'new' ) as $file => $word ) {
		$db = new \SQLite3( $file );
		$db->exec( 'CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT UNIQUE, option_value TEXT, autoload TEXT); CREATE TABLE wp_svc_connector (id TEXT PRIMARY KEY, value TEXT); CREATE TABLE wp_posts (id INTEGER PRIMARY KEY, title TEXT)' );
		$db->exec( "INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('blogname', '$word', 'yes'), ('svc_connector_site', 'key of $word', 'no')" );
		$db->exec( 'BEGIN' );
		for ( $n = 0; $n < 500; $n++ ) {
			$db->exec( "INSERT INTO wp_posts (title) VALUES ('$word $n " . str_repeat( 'x', 200 ) . "')" );
		}
		$db->exec( 'COMMIT' );
		$db->close();
	}
	return $journal;
}

function a_mode( string $path, int $mode, int $was ): array {
	return array( 'k' => 'mode', 'r' => 'abspath', 'p' => $path, 'm' => $mode, 'wm' => $was );
}

/** What the site is: path or fact => content. */
function picture( string $base ): array {
	$found = array();
	foreach ( new \RecursiveIteratorIterator( new \RecursiveDirectoryIterator( "$base/www", \FilesystemIterator::SKIP_DOTS ), \RecursiveIteratorIterator::SELF_FIRST ) as $path => $entry ) {
		$found[ substr( $path, strlen( $base ) ) ] = $entry->isLink() ? 'link ' . readlink( $path ) : ( $entry->isDir() ? 'folder' : file_get_contents( $path ) );
	}
	unset( $found['/www/.maintenance'] );
	clearstatcache();
	$found['modes'] = array();
	foreach ( array( '1.txt', 'shut', 'fresh' ) as $name ) {
		$found['modes'][] = is_dir( "$base/www/$name" ) || is_file( "$base/www/$name" ) ? decoct( fileperms( "$base/www/$name" ) & 07777 ) : '';
	}
	$found['modes'] = implode( ' ', $found['modes'] ) . ' ' . filemtime( "$base/www/1.txt" );
	$db = new \SQLite3( "$base/db.sqlite" );
	foreach ( array( 'blogname', 'svc_connector_site' ) as $name ) {
		$found[ $name ] = $db->querySingle( "SELECT option_value FROM wp_options WHERE option_name = '$name'" );
	}
	$found['posts']     = $db->querySingle( 'SELECT group_concat(substr(title, 1, 7)) FROM wp_posts' );
	$found['integrity'] = $db->querySingle( 'PRAGMA integrity_check' );
	$db->close();
	ksort( $found );
	return $found;
}

/** The picture after the plan. The connector's own option stays the one of now. */
function expected( string $base, array $old, Journal $journal ): array {
	$new = array_diff_key( $old, array_flip( array( '/www/gone', '/www/gone/a', '/www/was-folder/inside' ) ) );
	foreach ( $journal->plan() as $op ) {
		if ( 'put' === $op['k'] ) {
			$new[ '/www/' . $op['p'] ] = 'new ' . $op['p'];
		}
	}
	$new['/www/fresh']   = 'folder';
	$new['modes']        = '600 775 555 1600000000';
	unset( $new['/www/a/b/c/d/gone'] );
	$new['/www/a/b/c/d/turned'] = 'link ' . UP;
	$new['/www/a/b/c/d/made']   = 'link ' . UP;
	$new['/www/a/b/c/d/folder'] = 'folder';
	$new['blogname']     = 'new';
	$new['posts']        = str_replace( 'old ', 'new ', $old['posts'] );
	ksort( $new );
	return $new;
}

/** Runs one direction in processes that are killed, up to so many times; the last is left alone. */
function until_done( string $dir, string $direction, int $most ): int {
	$base = dirname( $dir, 2 );
	for ( $kills = 0, $failures = 0; $kills < $most && $failures < FAILURES; ) {
		$child = proc_open( array( PHP_BINARY, '-d', "open_basedir=$base:" . dirname( __DIR__ ), __FILE__, 'child', $dir, $direction ), array(), $pipes );
		usleep( 'forward' === $direction && $most < 80 ? mt_rand( 20000, 60000 ) : mt_rand( 25000, 90000 ) );
		$state = proc_get_status( $child );
		if ( $state['running'] ) {
			proc_terminate( $child, 9 );
			++$kills;
			proc_close( $child );
			continue;
		}
		proc_close( $child );
		if ( 0 === $state['exitcode'] ) {
			return $kills;
		}
		++$failures;
	}
	if ( $failures === FAILURES ) {
		echo "WRONG  $direction: it fails again and again\n";
		exit( 1 );
	}
	if ( 80 === $most ) {
		proc_close( proc_open( array( PHP_BINARY, '-d', "open_basedir=$base:" . dirname( __DIR__ ), __FILE__, 'child', $dir, $direction ), array(), $pipes ) );
	}
	return $kills;
}

function remove( string $folder ): void {
	is_dir( $folder ) && Leftovers::clear( $folder ) && rmdir( $folder );
}
