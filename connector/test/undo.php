<?php
/**
 * Updates taken back without WordPress: copied in slices, replaced, restored while the process is killed again and again; a visitor
 * after the deadline makes the site do it by itself; fatal errors are written down.
 *
 *   php undo.php [rounds] [seed]
 *
 * Needs the extension posix.
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

if ( 'visit' === ( $argv[1] ?? '' ) ) {
	require $argv[2] . '/rescue/door.php';
	if ( 'break' === ( $argv[3] ?? '' ) ) {
		a_function_that_is_not_there();
	}
	exit( 0 );
}

$src = dirname( __DIR__ ) . '/svc-connector/src';
foreach ( array( 'problem', 'journal', 'root', 'plan', 'swap', 'copier', 'door' ) as $class ) {
	require "$src/class-$class.php";
}

if ( 'back' === ( $argv[1] ?? '' ) ) {
	$journal = Journal::open( $argv[2] );
	$journal->hold();
	do {
		$swap = new Swap( $journal, 0.002 );
	} while ( ! $swap->back() );
	exit( 0 );
}
$rounds = (int) ( $argv[1] ?? 20 );
$seed   = (int) ( $argv[2] ?? 1 );
mt_srand( $seed );
$wrong = 0;
$kills = 0;

for ( $round = 0; $round < $rounds; $round++ ) {
	$base   = a_site();
	$old    = picture( $base );
	$place  = 0 === $round % 2 ? null : "$base/above";
	$journal = guarded( $base, 'plugins', array( 'garden', 'single.php' ), $place );
	$wrong += expect( picture( "$base/www" ) === only( $old, '/www' ), 'the copy changed the site' );
	update( $base );
	Journal::write( $journal->dir . '/plan', (string) file_get_contents( $journal->dir . '/plan' ) . line( 'garden-pro' ) );
	$journal->put( array( 'phase' => 0 === $round % 3 ? 'swapping' : 'swapped' ) );
	while ( true ) {
		$run = proc_open( array( PHP_BINARY, __FILE__, 'back', $journal->dir ), array(), $pipes );
		usleep( mt_rand( 10000, 60000 ) );
		$is_running = proc_get_status( $run )['running'];
		if ( $is_running ) {
			proc_terminate( $run, 9 );
			++$kills;
		}
		proc_close( $run );
		$now = Journal::open( $journal->dir );
		if ( 'rolled_back' === $now->phase() ) {
			break;
		}
	}
	$wrong += expect( only( picture( $base ), '/www' ) === only( $old, '/www' ), "round $round: the site is not as it was: " . json_encode( array_slice( array_merge( array_diff_assoc( only( picture( $base ), '/www' ), only( $old, '/www' ) ), array_diff_assoc( only( $old, '/www' ), only( picture( $base ), '/www' ) ) ), 0, 4 ) ) );
	remove( $base );
}

// Nobody comes back: a visitor before the deadline changes nothing, one after it takes the update back and sees the page.
$base    = a_site();
$old     = only( picture( $base ), '/www' );
$journal = guarded( $base, 'plugins', array( 'garden' ), null );
mkdir( "$base/www/mu" );
file_put_contents( "$base/www/mu/door.php", '<?php // ' . basename( $journal->dir ) );
file_put_contents( "$base/www/.maintenance", '<?php // of a killed update' );
foreach ( Door::FILES as $name ) {
	copy( "$src/$name.php", $journal->dir . "/rescue/$name.php" );
}
update( $base, false );
$journal->put( array( 'phase' => 'swapped', 'deadline' => time() + 60, 'doors' => array( "$base/www/mu/door.php", "$base/www/.maintenance" ), 'maintained' => false ) );
visit( $journal->dir );
$wrong += expect( 'new' === file_get_contents( "$base/www/plugins/garden/garden.php" ), 'taken back too early' );
$journal->put( array( 'deadline' => time() - 1 ) );
$wrong += expect( 0 === visit( $journal->dir ), 'the visitor does not see the page' );
rmdir( "$base/www/mu" );
$wrong += expect( only( picture( $base ), '/www' ) === $old, 'not taken back by itself' );

// What breaks is written down, once for each visit.
visit( $journal->dir, 'break' );
visit( $journal->dir, 'break' );
$lines = array_map( static function ( string $line ): array { return (array) json_decode( $line, true ); }, (array) file( $journal->dir . '/fatals' ) );
$wrong += expect( 2 === count( $lines ) && 'Uncaught Error: Call to undefined function Svc\Connector\a_function_that_is_not_there()' === $lines[0][1] && __FILE__ === $lines[0][2], 'the fatal errors are not told' );
remove( $base );

printf( "seed %d: %d rounds, %d kills: %d wrong\n", $seed, $rounds, $kills, $wrong );
exit( $wrong ? 1 : 0 );

/** A site with a plugin of many files, one of a single file, and one beside them. */
function a_site(): string {
	$base = sys_get_temp_dir() . '/svc-undo-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/www/plugins/garden/inc/deep", 0755, true );
	mkdir( "$base/www/plugins/other" );
	mkdir( "$base/above/old", 0755, true );
	mkdir( "$base/above/new" );
	for ( $n = 0; $n < 60; $n++ ) {
		file_put_contents( "$base/www/plugins/garden/inc/deep/$n.php", "old $n" );
		touch( "$base/www/plugins/garden/inc/deep/$n.php", 1700000000 + $n );
	}
	file_put_contents( "$base/www/plugins/garden/garden.php", 'old' );
	chmod( "$base/www/plugins/garden/garden.php", 0640 );
	symlink( 'garden.php', "$base/www/plugins/garden/link.php" );
	file_put_contents( "$base/www/plugins/single.php", 'old single' );
	file_put_contents( "$base/www/plugins/other/other.php", 'other' );
	return $base;
}

/** A journal with its copy, made in slices that are far too short. */
function guarded( string $base, string $folder, array $names, ?string $place ): Journal {
	$journal = Journal::create( "$base/work", array( 'kind' => 'update', 'phase' => 'staging', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'type' => 'plugin', 'file' => 'garden/garden.php', 'roots' => array( 'item' => "$base/www/$folder" ), 'deadline' => time() + 600, 'echo' => 'e', 'doors' => array() ) + ( null === $place ? array() : array( 'place' => $place ) ) );
	foreach ( $names as $n => $name ) {
		$slices = 0;
		do {
			$copier = new Copier( 0.0 );
			++$slices;
		} while ( ! $copier->copy( "$base/www/$folder/$name", $journal->side( 'old', $n ) ) && $slices < 1000 );
		global $wrong;
		$wrong += expect( 'garden' !== $name || ( $slices > 60 && $slices < 1000 ), "the copy took $slices slices" );
	}
	Journal::write( $journal->dir . '/plan', implode( '', array_map( __NAMESPACE__ . '\line', $names ) ) );
	return $journal;
}

function line( string $name ): string {
	return json_encode( array( 'k' => 'put', 'r' => 'item', 'p' => array( 'b64' => base64_encode( $name ) ) ) ) . "\n";
}

/** What an upgrader does, cut short anywhere. */
function update( string $base, bool $cut = true ): void {
	$how = $cut ? mt_rand( 0, 3 ) : 0;
	remove( "$base/www/plugins/garden" );
	if ( 1 === $how ) {
		return; // Killed before the new files came.
	}
	mkdir( "$base/www/plugins/garden" );
	file_put_contents( "$base/www/plugins/garden/garden.php", 'new' );
	if ( $cut ) {
		file_put_contents( "$base/www/plugins/single.php", 'new single' );
	}
	if ( 2 === $how ) {
		mkdir( "$base/www/plugins/garden-pro" );
		file_put_contents( "$base/www/plugins/garden-pro/garden.php", 'renamed' );
	}
}

function visit( string $dir, string $how = '' ): int {
	$run = proc_open( array( PHP_BINARY, '-d', 'display_errors=0', '-d', 'log_errors=0', __FILE__, 'visit', $dir, $how ), array(), $pipes );
	return proc_close( $run );
}

function expect( bool $is_true, string $what ): int {
	if ( ! $is_true ) {
		echo "WRONG  $what\n";
	}
	return $is_true ? 0 : 1;
}

/** Path => content, rights and time of files. */
function picture( string $base ): array {
	$found = array();
	foreach ( new \RecursiveIteratorIterator( new \RecursiveDirectoryIterator( $base, \FilesystemIterator::SKIP_DOTS ), \RecursiveIteratorIterator::SELF_FIRST ) as $path => $info ) {
		$name           = substr( $path, strlen( $base ) );
		$found[ $name ] = $info->isLink() ? 'link ' . readlink( $path ) : ( $info->isDir() ? 'folder' : file_get_contents( $path ) . decoct( fileperms( $path ) ) . ' ' . filemtime( $path ) );
	}
	ksort( $found );
	return $found;
}

function only( array $picture, string $below ): array {
	$found = array();
	foreach ( $picture as $path => $what ) {
		if ( 0 === strpos( $path, "$below/" ) ) {
			$found[ substr( $path, strlen( $below ) ) ] = $what;
		}
	}
	return $found;
}

function remove( string $path ): void {
	if ( is_dir( $path ) && ! is_link( $path ) ) {
		foreach ( array_diff( scandir( $path ), array( '.', '..' ) ) as $name ) {
			remove( "$path/$name" );
		}
		rmdir( $path );
	} elseif ( file_exists( $path ) || is_link( $path ) ) {
		unlink( $path );
	}
}
