<?php
/**
 * Who exchanges code waits for the requests that load it, and they for the exchange; with real processes.
 *
 *   php code-lock.php
 *
 * @package SvcConnector
 */

namespace SvcConnector;

require __DIR__ . '/load.php';

if ( isset( $argv[2] ) ) { // One request: it says when it has what it asked for, and ends when somebody writes to it.
	$waited = 'share' === $argv[1] ? CodeLock::share( $argv[2] ) : CodeLock::take( $argv[2] );
	echo $waited ? "waited\n" : "in\n";
	fgets( STDIN );
	exit;
}

require __DIR__ . '/is.php';
$dir = sys_get_temp_dir() . '/svc-connector-code-lock-' . getmypid();
mkdir( $dir );

$begin = static function ( string $kind ) use ( $dir ): array {
	$process = proc_open( array( PHP_BINARY, __FILE__, $kind, $dir ), array( array( 'pipe', 'r' ), array( 'pipe', 'w' ) ), $pipes );
	return array( $process, $pipes );
};
$said  = static function ( array $request, int $seconds = 20 ): string {
	$streams = array( $request[1][1] );
	$none    = array();
	return stream_select( $streams, $none, $none, $seconds ) ? trim( (string) fgets( $request[1][1] ) ) : '';
};
$end   = static function ( array $request ): void {
	fclose( $request[1][0] );
	fclose( $request[1][1] );
	proc_close( $request[0] );
};
/** Whether another process could have it at once. */
$free = static function ( string $name ) use ( $dir ): bool {
	$stream = fopen( "$dir/$name.lock", 'c+b' );
	return flock( $stream, LOCK_EX | LOCK_NB );
};

$visitors = array( $begin( 'share' ), $begin( 'share' ) );
$is( 'two visitors load code at the same time, and neither waits', array_map( $said, $visitors ), array( 'in', 'in' ) );
$is( 'while they do nobody has the code alone', $free( 'code' ), false );
$is( 'and nobody holds the gate', $free( 'gate' ), true );
$end( $visitors[1] );
$exchange = $begin( 'take' );
while ( $free( 'gate' ) ) {
	usleep( 1000 );
}
$end( $visitors[0] );
$is( 'who exchanges has it when the last of them has ended', array( $said( $exchange ), $free( 'code' ) ), array( 'in', false ) );
$late = $begin( 'share' );
$is( 'who comes then is not let in', $said( $late, 1 ), '' );
proc_terminate( $exchange[0], 9 );
$is( 'until it is done, or was killed', $said( $late ), 'waited' );
$end( $exchange );

$began    = microtime( true );
$exchange = $begin( 'take' );
$is( 'one that hangs holds up nobody for long', $said( $exchange ), 'in' );
$is( 'but a moment', microtime( true ) - $began >= CodeLock::OTHERS, true );
$began = microtime( true );
$last  = $begin( 'share' );
$is( 'and an exchange that hangs holds up no visitor for long', $said( $last ), 'waited' );
$is( 'but a moment', microtime( true ) - $began >= CodeLock::GATE, true );
array_map( $end, array( $exchange, $last, $late ) );

CodeLock::share( $dir );
CodeLock::take( $dir );
$is( 'who loads code can exchange it', array( $free( 'code' ), $free( 'gate' ) ), array( false, false ) );
CodeLock::let_go();
$is( 'and lets go', array( $free( 'code' ), $free( 'gate' ) ), array( true, true ) );
$is( 'where no file can be written there is no lock, and nobody waits', array( CodeLock::share( "$dir/none" ), CodeLock::take( "$dir/none" ) ), array( false, null ) );
Leftovers::discard( $dir );
echo "$checks checks: $wrong wrong\n";
exit( $wrong > 0 ? 1 : 0 );
