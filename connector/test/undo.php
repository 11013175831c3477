<?php
/**
 * Updates taken back without WordPress: copied in slices, replaced, restored while the process is killed again and again; a visitor
 * after the deadline makes the site do it by itself; fatal errors are written down, with who met them; what was taken back is not kept.
 *
 *   php undo.php [rounds] [seed]
 *
 * Needs the extension posix.
 *
 * @package SvcConnector
 */

namespace SvcConnector;

if ( 'visit' === ( $argv[1] ?? '' ) ) {
	foreach ( array( 'QUERY_STRING', 'HTTP_COOKIE', 'CONTENT_LENGTH' ) as $name ) {
		$_SERVER[ $name ] = (string) getenv( $name );
	}
	$_GET = false === getenv( 'PROBE' ) ? array() : array( 'svc-connector-probe' => getenv( 'PROBE' ) );
	define( 'ABSPATH', '/' );
	require $argv[2] . '/rescue/door.php';
	$how   = $argv[3] ?? '';
	$fails = dirname( $argv[2], 2 ) . '/www/plugins/garden/fails.php';
	if ( is_file( $fails ) ) {
		require $fails;
	}
	if ( 'break' === $how ) {
		a_function_that_is_not_there();
	} elseif ( 'through' === $how ) {
		\garden( static function () { a_function_that_is_not_there(); } );
	} elseif ( 'forged' === $how ) {
		throw new \Exception( "x\nStack trace:\n#0 $fails(1): garden()\n#1 {main}" );
	}
	exit( 0 );
}

require __DIR__ . '/load.php';

if ( 'back' === ( $argv[1] ?? '' ) ) {
	$journal = Journal::open( $argv[2] );
	$journal->hold();
	for ( $request = 0; $request < 1000; ++$request ) {
		$swap = new FileSwap( $journal, 0.0 ); // However little time there is, each does a piece.
		if ( $swap->back() ) {
			exit( 0 );
		}
	}
	exit( 2 );
}
const KILLS = 40; // Of one way back; then it is left alone, since a busy machine starts no PHP in the time it is given.
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
	Journal::write( $journal->data( 'plan' ), (string) file_get_contents( $journal->data( 'plan' ) ) . line( 'garden-pro' ) );
	$journal->put( array( 'phase' => 0 === $round % 3 ? 'swapping' : 'swapped' ) );
	for ( $tries = 0; $tries <= KILLS && 'rolled_back' !== Journal::open( $journal->dir )->phase(); ++$tries ) {
		$run = proc_open( array( PHP_BINARY, __FILE__, 'back', $journal->dir ), array(), $pipes );
		usleep( mt_rand( 10000, 60000 ) );
		if ( $tries < KILLS && proc_get_status( $run )['running'] ) {
			proc_terminate( $run, 9 );
			++$kills;
		}
		proc_close( $run );
	}
	$now    = Journal::open( $journal->dir );
	$wrong += expect( 'rolled_back' === $now->phase(), "round $round: it was not taken back in " . KILLS . ' attempts and one that was left alone' );
	$now->put( array( 'phase' => 'rolling_back' ) ); // As after a kill behind the last step: nothing is taken back twice.
	$again  = new FileSwap( $now, 5.0 );
	$wrong += expect( $again->back(), 'a way back that was cut short is not gone to its end' );
	$wrong += expect( only( picture( $base ), '/www' ) === only( $old, '/www' ), "round $round: the site is not as it was: " . json_encode( array_slice( array_merge( array_diff_assoc( only( picture( $base ), '/www' ), only( $old, '/www' ) ), array_diff_assoc( only( $old, '/www' ), only( picture( $base ), '/www' ) ) ), 0, 4 ) ) );
	remove( $base );
}

// Nobody comes back: a visitor before the deadline changes nothing, one after it takes the update back and sees the page.
$base    = a_site();
$old     = only( picture( $base ), '/www' );
$journal = guarded( $base, 'plugins', array( 'garden' ), null );
mkdir( "$base/www/mu" );
file_put_contents( "$base/www/mu/door.php", '<?php // ' . $journal->tag() );
file_put_contents( "$base/www/.maintenance", '<?php // of a killed update' );
Door::prepare( $journal );
update( $base, false );
$journal->put( array( 'phase' => 'swapped', 'deadline' => time() + 60, 'doors' => array( "$base/www/mu/door.php", "$base/www/.maintenance" ), 'maintained' => false ) );
touch( "$journal->dir/rescue/door.php", 1700000000 );
file_put_contents( "$journal->dir/rescue/rescue.php", '<?php // Half' );
Door::prepare( $journal ); // Asked once more, for want of an answer.
clearstatcache();
$wrong += expect( 1700000000 === filemtime( "$journal->dir/rescue/door.php" ), 'what visitors load at the door is written again' );
$wrong += expect( sha1_file( dirname( __DIR__ ) . '/svc-connector/src/restore/rescue.php' ) === sha1_file( "$journal->dir/rescue/rescue.php" ), 'what is not whole at the door stays so' );
visit( $journal->dir );
$wrong += expect( 'new' === file_get_contents( "$base/www/plugins/garden/garden.php" ), 'taken back too early' );
$journal->put( array( 'deadline' => time() - 1 ) );
$wrong += expect( 0 === visit( $journal->dir ), 'the visitor does not see the page' );
rmdir( "$base/www/mu" );
$wrong += expect( only( picture( $base ), '/www' ) === $old, 'not taken back by itself' );

// What breaks is written down once, with who met it.
$journal->put( array( 'phase' => 'armed', 'deadline' => time() + 600, 'names' => array( 'garden' ), 'type' => 'plugin' ) );
file_put_contents( "$base/www/plugins/garden/fails.php", "<?php\nfunction garden( \$call ) { \$call(); }\nif ( 'alone' === \$how ) { a_function_that_is_not_there(); }" );
$told = static function () use ( &$journal ): array {
	$journal = Journal::open( $journal->dir );
	return array_map( static function ( array $fatal ): string { return $fatal['by'] . ' ' . basename( $fatal['file'] ); }, Fatals::told( $journal ) );
};
$after = static function () use ( &$journal ): void {
	array_map( 'unlink', glob( $journal->data( 'fatals-*' ) ) );
	$journal->put( array( 'phase' => 'swapped', 'swapped_at' => microtime( true ) ) );
};
visit( $journal->dir, 'break' );
visit( $journal->dir, 'break' );
$lines = (array) file( $journal->data( 'fatals-other-before' ) );
$wrong += expect( 1 === count( $lines ) && 'Uncaught Error: Call to undefined function SvcConnector\a_function_that_is_not_there()' === json_decode( $lines[0], true )[2] && array() === $told(), 'a fatal error is not written down once' );
$journal->put( array( 'phase' => 'swapping' ) );
visit( $journal->dir, 'alone' );
$journal->put( array( 'phase' => 'swapped', 'swapped_at' => microtime( true ) ) );
visit( $journal->dir, 'break' );
$wrong += expect( array() === $told(), 'an error that was there before is told as new' );
visit( $journal->dir, 'alone' );
$wrong += expect( array( 'item fails.php' ) === $told(), 'an error of the new files, met while they came, is taken for one that was there before' );

$mark = bin2hex( random_bytes( 16 ) );
$mark = $mark . hash_hmac( 'sha256', "probe $mark", 'e' );
foreach (
	array(
		'outside the item'                             => array( 'break', array(), array( 'other undo.php' ) ),
		'in a file of the item'                        => array( 'alone', array(), array( 'item fails.php' ) ),
		'outside, with the item in the trace'          => array( 'through', array(), array( 'item undo.php' ) ),
		'with a text that looks like a trace'          => array( 'forged', array(), array( 'other undo.php' ) ),
		'in the item, by a list in the query'          => array( 'alone', array( 'QUERY_STRING' => 'a%5B%5D=x' ), array( 'other fails.php' ) ),
		'in the item, by a list in a cookie'           => array( 'alone', array( 'HTTP_COOKIE' => 'a[b]=x' ), array( 'other fails.php' ) ),
		'in the item, by a body'                       => array( 'alone', array( 'CONTENT_LENGTH' => '4' ), array( 'other fails.php' ) ),
		'in the item, of a link that is clicked'       => array( 'alone', array( 'QUERY_STRING' => 'p=7' ), array( 'item fails.php' ) ),
		'met by a look of the service'                 => array( 'break', array( 'PROBE' => $mark ), array( 'look undo.php' ) ),
		'with the mark of a look that has been'        => array( 'break', array( 'PROBE' => $mark ), array( 'other undo.php' ) ),
		'with a mark made up'                          => array( 'break', array( 'PROBE' => str_repeat( 'a', 96 ) ), array( 'other undo.php' ) ),
	) as $case => list( $how, $env, $expected )
) {
	$after();
	visit( $journal->dir, $how, $env );
	$wrong += expect( $told() === $expected, "an error $case is told as " . implode( ', ', $told() ) );
}
$after();
$journal->put( array( 'type' => 'core', 'roots' => array( 'item' => dirname( __DIR__ ) ), 'names' => array( 'test' ) ) );
visit( $journal->dir, 'break' );
$wrong += expect( array( 'other undo.php' ) === $told(), 'WordPress as the item is held to what strangers meet' );

// What a trial met is told of the trial alone.
$after();
$journal->put( array( 'phase' => 'armed' ) );
Fatals::note( array( 'place' => $journal->get( 'place' ), 'phase' => 'armed', 'type' => 'plugin', 'roots' => $journal->get( 'roots' ), 'names' => array( 'garden' ) ), array( 'message' => 'Uncaught Error: new', 'file' => '/new.php', 'line' => 1 ), 'trial' );
$wrong += expect( array() === $told() && 'look' === Fatals::told( $journal, true )[0]['by'], 'what a trial met is told as what the site met' );

// However many errors strangers make, before and after: that of the item is told, and first.
$journal->put( array( 'type' => 'plugin', 'roots' => array( 'item' => "$base/www/plugins" ), 'names' => array( 'garden' ), 'phase' => 'armed' ) );
foreach ( array( 'before', 'after' ) as $when ) {
	for ( $n = 0; $n < 5000; $n++ ) {
		Fatals::note( array( 'place' => $journal->get( 'place' ), 'phase' => $journal->phase(), 'swapped_at' => $journal->get( 'swapped_at' ), 'type' => 'plugin', 'roots' => $journal->get( 'roots' ), 'names' => array( 'garden' ) ), array( 'message' => 'Uncaught Error: ' . md5( (string) $n ), 'file' => "/elsewhere/$when/$n.php", 'line' => $n ), '' );
	}
	$wrong += expect( filesize( $journal->data( "fatals-other-$when" ) ) < 40 * 1024, 'the notes grow without end' );
	$journal->put( array( 'phase' => 'swapped', 'swapped_at' => (float) $_SERVER['REQUEST_TIME_FLOAT'] ) );
}
visit( $journal->dir, 'alone' );
$wrong += expect( 'item fails.php' === $told()[0] && 10 === count( $told() ), 'strangers crowd out what the item does' );

// Whoever comes while a plugin is put back waits for that; nobody does for WordPress itself, with which he has begun.
foreach ( array( 'plugin' => true, 'core' => false ) as $type => $waits ) {
	$other = a_site();
	$back  = guarded( $other, 'plugins', array( 'garden' ), null );
	$back->put( array( 'phase' => 'swapped', 'type' => $type ) );
	update( $other, false );
	$swap   = new FileSwap( $back, 5.0 );
	$wrong += expect( $swap->back() && is_file( "$back->dir/gate.lock" ) === $waits, "visitors of a $type that is put back do not wait as they should" );
	remove( $other );
}

// A visitor may be at the door when an update ends: what he would load is gone by then, and he leaves nothing in the folder that goes.
array_map( 'unlink', (array) glob( $journal->dir . '/rescue/class-*.php' ) );
foreach ( array( 'swapped' => true, 'committed' => false ) as $phase => $is_noted ) {
	$mark = bin2hex( random_bytes( 16 ) );
	$journal->put( array( 'phase' => $phase ) );
	$wrong += expect( 0 === visit( $journal->dir, '', array( 'PROBE' => $mark . hash_hmac( 'sha256', "probe $mark", 'e' ) ) ), "a visitor at the door of what is $phase does not see the page" );
	$wrong += expect( is_file( "$journal->dir/nonces/$mark" ) === $is_noted, "a look at what is $phase is noted, or is not" );
}

// What was judged and shall stay, but was taken back meanwhile: the service is told, and can still ask for it.
define( 'WP_CONTENT_DIR', $base );
symlink( "$base/work", $base . Plugin::WORK );
$keep = array( 'job' => 'job_1', 'fence' => 1, 'keep' => true );
foreach ( array( 'rolling_back', 'rolled_back' ) as $phase ) {
	$journal->put( array( 'phase' => $phase ) );
	$wrong += expect( array( 'done' => false, 'kept' => false ) === Guard::release( $keep ) && Journal::open( $journal->dir )->phase() === $phase, "what is $phase is taken for kept" );
}
$journal->put( array( 'phase' => 'swapped' ) );
$wrong += expect( array( 'done' => true, 'kept' => true ) === Guard::release( $keep ) && null === Journal::open( $journal->dir ), 'what shall stay is not released' );
$wrong += expect( array( 'done' => true, 'kept' => true ) === Guard::release( $keep ), 'what was released cannot be released again' );
remove( $base );

printf( "seed %d: %d rounds, %d kills: %d wrong\n", $seed, $rounds, $kills, $wrong );
exit( $wrong ? 1 : 0 );

/** WordPress knows of no offers here. */
function get_site_transient(): bool {
	return false;
}

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
	Journal::write( $journal->data( 'plan' ), implode( '', array_map( __NAMESPACE__ . '\line', $names ) ) );
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

function visit( string $dir, string $how = '', array $env = array() ): int {
	$run = proc_open( array( PHP_BINARY, '-d', 'display_errors=0', '-d', 'log_errors=0', __FILE__, 'visit', $dir, $how ), array(), $pipes, null, $env );
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

function remove( string $folder ): void {
	is_dir( $folder ) && Leftovers::clear( $folder ) && rmdir( $folder );
}
