<?php
/**
 * Whether rows that are too large are left out and told, whatever the memory, and the digests of their ranges stay what they are.
 *
 *   php rows.php <socket>      a MariaDB or MySQL whose user root needs no password; makes and drops a database of its own
 *
 * @package SvcConnector
 */

namespace SvcConnector;

require __DIR__ . '/database.php';

/** A whole table in slices: rows that came, their text, those left out. */
function slices( string $table, array $more, bool $keep = true ): array {
	$told  = array( 'rows' => 0, 'sql' => '', 'skipped' => array(), 'slices' => 0 );
	$after = array( 'after' => null, 'offset' => 0 );
	do {
		$slice = Database::rows( $after + $more + array( 'table' => $table, 'max_items' => 20000, 'max_bytes' => 1048576, 'budget_ms' => 8000 ) );
		$size  = unpack( 'N', $slice )[1];
		$meta  = json_decode( substr( $slice, 4, $size ), true );
		$text  = substr( $slice, 4 + $size );
		$told['sql']    .= ! $keep ? '' : ( 'gzip' === $meta['encoding'] ? gzdecode( $text ) : $text );
		$told['rows']   += $meta['rows'];
		$told['skipped'] = array_merge( $told['skipped'], $meta['skipped'] ?? array() );
		unset( $slice, $text );
		$after           = array( 'after' => $meta['after'], 'offset' => $meta['offset'] );
	} while ( ! $meta['done'] && ++$told['slices'] < 1000 );
	return $told;
}

if ( 'packet' === ( $argv[2] ?? '' ) ) {
	// Whatever is told goes into another table, as a restore puts it there; a line may hold small rows and a large one.
	$wpdb->dbh->select_db( $argv[3] );
	$columns = array( 'id', 'a', 'b', 'w', 'g', 'v' );
	$told    = slices( 'wp_packet', array( 'skip_above' => 34603008 ) );
	$class   = new \ReflectionClass( Loading::class );
	$loading = $class->newInstanceWithoutConstructor();
	$base    = sys_get_temp_dir() . '/svc-rows-' . getmypid();
	foreach ( array( 'as' => 'wp_copy', 'table' => 'wp_packet', 'journal' => Journal::create( $base, array( 'engine' => Tables::engine(), 'phase' => 'staging', 'hex' => '00' ) ) ) as $name => $value ) {
		$property = $class->getProperty( $name );
		$property->setAccessible( true );
		$property->setValue( $loading, $value );
	}
	$insert = $class->getMethod( 'insert' );
	$insert->setAccessible( true );
	foreach ( preg_split( '/(?<=;\n)/', $told['sql'], -1, PREG_SPLIT_NO_EMPTY ) as $line ) {
		$insert->invoke( $loading, Dump::rows( $line, 'wp_packet', $columns ), $columns );
	}
	$same   = Digest::all( 'SELECT COUNT(*) FROM wp_packet a JOIN wp_copy b ON b.id = a.id AND b.a <=> a.a AND b.b <=> a.b AND b.w <=> a.w AND b.g <=> a.g AND b.v <=> a.v' )[0][0];
	$beyond = '';
	try {
		$insert->invoke( $loading, array( "(1000,'" . str_repeat( 'v', 2200000 ) . "','',NULL,NULL,'')" ), $columns );
	} catch ( Problem $refused ) {
		$beyond = $refused->getMessage();
	}
	$digest = static function (): string {
		return (string) Digest::of( new Table( 'wp_packet', Weight::most( array( 'skip_above' => 34603008 ) ) ), null, null )['digest'];
	};
	$digests = array( $digest() );
	foreach ( array( "w = CONCAT(w, 'x') WHERE id = 450", "b = REPEAT('c', 1126400) WHERE id = 500", "v = 'x' WHERE id = 300" ) as $change ) {
		$wpdb->query( "UPDATE wp_packet SET $change" );
		$digests[] = $digest();
	}
	Leftovers::clear( $base );
	rmdir( $base );
	echo json_encode( array( array_map( 'base64_decode', array_merge( ...array_column( $told['skipped'], 'key' ) ) ), Digest::of( new Table( 'wp_packet', Weight::most( array( 'skip_above' => 34603008 ) ) ), null, null )['rows'], $same, count( array_unique( $digests ) ), (int) in_array( '', $digests, true ), $beyond ) );
	exit( 0 );
}
if ( 'child' === ( $argv[2] ?? '' ) ) {
	$wpdb->dbh->select_db( $argv[3] );
	$params = array( 'skip_above' => 34603008, 'budget_ms' => 60000 );
	$told   = slices( 'wp_steps', $params, false );
	echo json_encode( array( 'rows' => $told['rows'], 'skipped' => array_column( $told['skipped'], 'bytes' ), 'most' => Weight::most( $params ), 'peak' => memory_get_peak_usage( true ) ) );
	exit( 0 );
}

$wrong  = array();
$checks = 0;
$is     = static function ( string $what, $wanted, $found ) use ( &$wrong, &$checks ): void {
	++$checks;
	if ( $wanted !== $found ) {
		$wrong[] = "$what: " . json_encode( $found ) . ' instead of ' . json_encode( $wanted );
	}
};
ini_set( 'memory_limit', '-1' );
$name = 'svc_rows_' . getmypid();
$wpdb->query( "CREATE DATABASE $name CHARACTER SET utf8mb4" );
$wpdb->dbh->select_db( $name );
Tables::settle_session();

// Text counts once, binary twice, small columns and the key not at all; a row is left out above the number, not at it.
$columns = 'id int NOT NULL, k varchar(50) NOT NULL, small varchar(200), a longtext, b mediumblob';
foreach ( array( 'wp_keyed' => ', PRIMARY KEY (k, id)', 'wp_keyless' => '' ) as $table => $key ) {
	$wpdb->query( "CREATE TABLE $table ($columns$key)" );
	for ( $row = 0; $row < 600; $row++ ) {
		$wpdb->query( "INSERT INTO $table VALUES ($row, 'Ä$row', REPEAT('s', 200), REPEAT('a', 100), REPEAT('b', 50))" );
	}
	$most = array( 'skip_above' => 20000 );
	$none = slices( $table, $most );
	$is( "$table: nothing is large", array( 600, array() ), array( $none['rows'], $none['skipped'] ) );
	$is( "$table: the same as without the number", slices( $table, array() ), $none );
	$wpdb->query( "UPDATE $table SET a = REPEAT('a', 20000), b = NULL WHERE id = 5" );
	$wpdb->query( "UPDATE $table SET a = REPEAT('a', 20001), b = '' WHERE id = 6" );
	$wpdb->query( "UPDATE $table SET a = NULL, b = REPEAT('b', 10001) WHERE id = 7" );
	$wpdb->query( "UPDATE $table SET a = REPEAT('\\n', 15000), b = NULL WHERE id = 8" );
	$few  = slices( $table, $most );
	$told = array_column( $few['skipped'], 'bytes' );
	sort( $told );
	$is( "$table: three by weight, two by their text", array( 20001, 20002 ), array_slice( $told, 0, 2 ) );
	$is( "$table: and no others", array( 596, 4 ), array( $few['rows'], count( $few['skipped'] ) ) );
	$is( "$table: of those nothing travels", 0, preg_match( '/a{20000}|62{10000}/', $few['sql'] ) );
	$where = array_map( static function ( array $row ): string { return $row['key'] ? implode( ' ', array_map( 'base64_decode', $row['key'] ) ) : (string) $row['offset']; }, $few['skipped'] );
	sort( $where );
	$is( "$table: by key or place", $key ? array( 'Ä5 5', 'Ä6 6', 'Ä7 7', 'Ä8 8' ) : array( '5', '6', '7', '8' ), $where );

	// A range with such a row has a digest, which knows that the row is there and not what is in it.
	$of = static function ( int $number ) use ( $table ): array {
		return Digest::of( new Table( $table, $number ), null, null );
	};
	$before = $of( 20000 );
	$is( "$table: all rows are counted", 600, $before['rows'] );
	$is( "$table: a large one counts for little", true, $before['bytes'] < 600 * 420 + 2 * 20000 + 2 * Weight::STANDS_FOR );
	$wpdb->query( "UPDATE $table SET a = REPEAT('x', 30000) WHERE id = 6" );
	$is( "$table: what is in a large row makes no difference", $before, $of( 20000 ) );
	$wpdb->query( "UPDATE $table SET a = 'small' WHERE id = 6" );
	$is( "$table: that it became small does", true, $before['digest'] !== $of( 20000 )['digest'] );
	$wpdb->query( "UPDATE $table SET a = REPEAT('x', 30000) WHERE id = 6" );
	$wpdb->query( "UPDATE $table SET small = 'y' WHERE id = 5" );
	$is( "$table: and so does any other row", true, $before['digest'] !== $of( 20000 )['digest'] );
}

// A hundred times the same large row is left out over several answers.
$wpdb->query( 'CREATE TABLE wp_many (id int PRIMARY KEY, a longtext)' );
$wpdb->query( "INSERT INTO wp_many SELECT id, REPEAT('m', 5000) FROM wp_keyed" );
$many = slices( 'wp_many', array( 'skip_above' => 4999 ) );
$is( 'many: all are told, in several answers', array( 0, 600, true ), array( $many['rows'], count( $many['skipped'] ), $many['slices'] >= 2 ) );

// A row is left out of which the database would not take a value back; every other one goes back, in pieces where it is larger in all.
$wpdb->query( 'CREATE TABLE wp_packet (id int PRIMARY KEY, a longtext, b longblob, w longtext CHARACTER SET latin1, g geometry, v varchar(2000))' );
$wpdb->query( "INSERT INTO wp_packet SELECT id, REPEAT('a\'', 300), REPEAT('b', 50), 'ä', ST_GeomFromText('POINT(1 2)', 4326), REPEAT('ü\\\\n', 400) FROM wp_keyed" );
foreach ( array( 100 => array( 1500, 0 ), 200 => array( 1900, 0 ), 300 => array( 2100, 0 ), 400 => array( 0, 900 ), 500 => array( 0, 1100 ) ) as $row => list( $text, $blob ) ) {
	$wpdb->query( "UPDATE wp_packet SET a = REPEAT('0123456789abcdef', 64 * $text), b = REPEAT('0123456789abcdef', 64 * $blob) WHERE id = $row" );
}
$wpdb->query( "UPDATE wp_packet SET w = REPEAT('ä', 900000), a = REPEAT('\\\\\\n\\\\n\\0\\'\\Zü', 200000), b = REPEAT(UNHEX('00FF5C27'), 450000) WHERE id = 450" );
$wpdb->query( "UPDATE wp_packet SET w = REPEAT('ä', 1100000) WHERE id = 550" ); // More than that as it travels.
$wpdb->query( 'CREATE TABLE wp_copy LIKE wp_packet' );
$usual = $wpdb->get_results( 'SELECT @@GLOBAL.max_allowed_packet', ARRAY_N )[0][0];
$wpdb->query( 'SET GLOBAL max_allowed_packet = 2097152' );
$out = shell_exec( escapeshellarg( PHP_BINARY ) . ' ' . escapeshellarg( __FILE__ ) . ' ' . escapeshellarg( $argv[1] ) . " packet $name" );
$wpdb->query( "SET GLOBAL max_allowed_packet = $usual" );
$told = json_decode( (string) $out, true );
$is( 'packet: left out, all there are, and put back', array( array( '300', '550' ), 600, '598' ), array_slice( (array) $told, 0, 3 ) );
$is( 'packet: what changes in a row that goes in pieces is seen, and in one that is left out not', array( 3, 0 ), array_slice( (array) $told, 3, 2 ) );
$is( 'packet: a value that no way leads back is refused by the name of its table', 1, preg_match( '/^A row of the table wp_packet is larger/', (string) ( $told[5] ?? '' ) ) );

// Rows of 1 to 20 MiB: whatever PHP's memory, what is not left out gets through, and what fits is not left out.
$wpdb->query( 'CREATE TABLE wp_steps (id int PRIMARY KEY, a longtext, b longtext)' );
for ( $row = 1; $row <= 20; $row++ ) {
	$wpdb->query( "INSERT INTO wp_steps VALUES ($row, REPEAT('0123456789abcde\\'', " . 32768 * $row . "), REPEAT('0123456789abcdef', " . 32768 * $row . '))' );
}
foreach ( array( 40, 64, 128 ) as $limit ) {
	$out  = shell_exec( escapeshellarg( PHP_BINARY ) . " -d memory_limit={$limit}M " . escapeshellarg( __FILE__ ) . ' ' . escapeshellarg( $argv[1] ) . " child $name" );
	$told = json_decode( (string) $out, true );
	$is( "$limit MB: all rows are told or left out", 20, ( $told['rows'] ?? 0 ) + count( $told['skipped'] ?? array() ) );
	$is( "$limit MB: at least those of a tenth of the memory came", true, ( $told['rows'] ?? 0 ) >= min( 20, (int) ( $limit / 10 ) ) );
	printf( "%d MB: rows of up to %d MiB, peak %d MiB\n", $limit, $told['rows'] ?? 0, ( $told['peak'] ?? 0 ) / 1048576 );
}
$wpdb->query( "DROP DATABASE $name" );
printf( "%d checks, %d wrong\n%s", $checks, count( $wrong ), $wrong ? implode( "\n", $wrong ) . "\n" : '' );
exit( $wrong ? 1 : 0 );
