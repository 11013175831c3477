<?php
/**
 * Whether the digests that a database computes tell every two different values apart, and combine as they should.
 *
 *   php digests.php <socket> [200] [seed]      a MariaDB or MySQL whose user root needs no password; makes and drops a database of its own
 *
 * @package SvcConnector
 */

namespace SvcConnector;

require __DIR__ . '/database.php';

$wrong = array();
$tries = 0;
$runs  = (int) ( $argv[2] ?? 200 );
$seed  = (int) ( $argv[3] ?? random_int( 1, 1000000 ) );
mt_srand( $seed );
$name = 'svc_digests_' . getmypid();
$wpdb->query( "CREATE DATABASE $name CHARACTER SET utf8mb4" );
$wpdb->dbh->select_db( $name );
Tables::settle_session();

/** The digest of a table with one such column, when it holds this value. */
$digest = static function ( string $type, string $value ) use ( $wpdb, &$wrong ): array {
	$wpdb->query( 'DROP TABLE IF EXISTS wp_one' );
	if ( ! $wpdb->query( "CREATE TABLE wp_one (id int PRIMARY KEY, a $type, b varchar(20))" ) || ! $wpdb->query( "INSERT INTO wp_one VALUES (1, $value, 'b')" ) ) {
		$wrong[] = "$type cannot hold $value: {$wpdb->dbh->error}";
	}
	return Digest::of( new Table( 'wp_one' ), null, null );
};

// Values that a comparison, a cast or a text of them could take for the same.
$alike = array(
	array( 'varchar(20)', array( 'NULL', "''", "' '", "'N'", "'0'", "'a'", "'A'", "'á'", "'a '", "'a\\0'", "'1:a'", "'ss'", "'ß'" ) ),
	array( 'varchar(20) CHARACTER SET latin1', array( "'e'", "'é'", "'E'", "'?'", "'€'" ) ),
	array( 'varchar(20) CHARACTER SET utf16', array( "'a'", "'á'", "'🎉'" ) ),
	array( 'char(5)', array( 'NULL', "''", "'a'", "'A'" ) ),
	array( 'longtext', array( 'NULL', "''", "'{\"a\":1}'", "'{\"a\": 1}'", "'🎉'", "'🎊'" ) ),
	array( 'json', array( 'NULL', "'null'", "'[1]'", "'[1.5]'", "'\"1\"'", "'{\"a\":1}'" ) ),
	array( 'binary(4)', array( 'NULL', "''", '0x00000001', "'a'", "'a '" ) ),
	array( 'varbinary(9)', array( 'NULL', "''", '0x00', '0x0000', "'a'", "'A'", "'a '" ) ),
	array( 'blob', array( 'NULL', "''", '0x00', '0x3133', '0xFF' ) ),
	array( 'float', array( '0', '0.1', '0.10000001', '1e-45', '3.402823e38', '3.4028233e38', '16777216', '16777214' ) ),
	array( 'double', array( 'NULL', '0', '0.1', '0.10000000000000002', '5e-324', '0.30000000000000004', '0.3', '1.7976931348623157e308', '1.7976931348623155e308' ) ),
	array( 'double(10,2)', array( '1', '1.01', '-1' ) ),
	array( 'decimal(40,20)', array( '0', '0.00000000000000000001', '12345678901234567890', '12345678901234567891' ) ),
	array( 'bigint unsigned', array( '0', '18446744073709551615', '18446744073709551614', '9223372036854775808' ) ),
	array( 'int(8) zerofill', array( '0', '7' ) ),
	array( 'bit(1)', array( 'NULL', "b'0'", "b'1'" ) ),
	array( 'bit(64)', array( "b'0'", "b'1'", '0xFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFE', '0x31' ) ),
	array( "enum('','a','A ','b')", array( 'NULL', '0', '1', '2', '3' ) ),
	array( "set('a','b','c')", array( 'NULL', "''", "'a'", "'a,b'", "'c'" ) ),
	array( 'date', array( 'NULL', "'0000-00-00'", "'2026-00-00'", "'2026-01-00'", "'2026-01-01'" ) ),
	array( 'datetime(6)', array( "'0000-00-00'", "'2026-01-01'", "'2026-01-01 00:00:00.000001'" ) ),
	array( 'timestamp(3) NULL', array( 'NULL', '0', "'2026-01-01 00:00:00'", "'2026-01-01 00:00:00.001'", "'2026-01-01 01:00:00'" ) ),
	array( 'time(6)', array( "'00:00:00'", "'-00:00:00.000001'", "'838:59:59'", "'-838:59:59'" ) ),
	array( 'year', array( 'NULL', '0', '1901', '2155' ) ),
	array( 'geometry', array( 'NULL', "ST_GeomFromText('POINT(0 0)')", "ST_GeomFromText('POINT(0 1)')", "ST_GeomFromText('POINT(0 0)', 4326)" ) ),
	array( 'point', array( "ST_GeomFromText('POINT(0.1 0)')", "ST_GeomFromText('POINT(0.10000000000000002 0)')" ) ),
);
if ( 'mariadb' === Tables::engine() ) {
	$alike[] = array( 'uuid', array( 'NULL', "'123e4567-e89b-12d3-a456-426655440000'", "'123e4567-e89b-12d3-a456-426655440001'" ) );
	$alike[] = array( 'inet6', array( 'NULL', "'::'", "'::1'", "'::ffff:1.2.3.4'" ) );
}
if ( 'mysql' === Tables::engine() ) {
	$alike[] = array( 'double', array( '0', '-0e0' ) ); // MariaDB stores no -0.
}
foreach ( $alike as list( $type, $values ) ) {
	$seen = array();
	foreach ( $values as $value ) {
		++$tries;
		$found = $digest( $type, $value )['digest'];
		if ( null === $found || isset( $seen[ $found ] ) || $digest( $type, $value )['digest'] !== $found ) {
			$wrong[] = "$type: $value has " . ( $found ?? 'no digest' ) . ', like ' . ( $seen[ $found ] ?? 'nothing' );
		}
		$seen[ $found ] = $value;
	}
}

// What moves from one column to the next, and rows that are twice there.
$wpdb->query( 'CREATE TABLE wp_two (a varchar(9), b varchar(9), c varchar(9))' );
$seen = array();
foreach ( array( "'ab','','c'", "'a','b','c'", "'a','b',NULL", "'a',NULL,'b'", "'1:a','N',''", "'1','a','N'", "'a','b','c'),('a','b','c'", "'d','e','f'),('d','e','f'" ) as $values ) {
	++$tries;
	$wpdb->query( 'DELETE FROM wp_two' );
	$wpdb->query( "INSERT INTO wp_two VALUES ($values)" );
	$found = Digest::of( new Table( 'wp_two' ), null, null )['digest'];
	if ( in_array( $found, $seen, true ) ) {
		$wrong[] = "($values) is like another";
	}
	$seen[] = $found;
}

// Wherever a table is cut, the parts are the whole; and bounds that are asked for are the bounds that are told.
$wpdb->query( 'CREATE TABLE wp_cut (a varchar(20) COLLATE utf8mb4_unicode_ci, b int, c longtext, PRIMARY KEY (a, b))' );
for ( $row = 0; $row < 400; $row++ ) {
	$wpdb->query( sprintf( "INSERT IGNORE INTO wp_cut VALUES ('%s', %d, REPEAT('x', %d))", mt_rand( 0, 1 ) ? mt_rand( 0, 40 ) : 'Ä' . mt_rand( 0, 9 ), mt_rand( -5, 5 ), mt_rand( 0, 300 ) ** 2 ) );
}
$table = new Table( 'wp_cut' );
$whole = Digest::of( $table, null, null );
for ( $run = 0; $run < $runs; $run++ ) {
	++$tries;
	$item  = array( 'table' => 'wp_cut', 'after' => null, 'bounds' => array(), 'step' => mt_rand( 1, 300 ) );
	$parts = iterator_to_array( Digests::of_item( $item, mt_rand( 4096, 200000 ) ), false );
	$keys  = array_map( array( Table::class, 'wire' ), array_column( $parts, 'until' ) );
	$kept  = array_values( array_filter( $keys, static function (): bool { return 0 === mt_rand( 0, 2 ); } ) );
	$again = iterator_to_array( Digests::of_item( array( 'bounds' => $kept ) + $item, 67108864 ), false );
	$told  = array_map( array( Table::class, 'wire' ), array_column( $again, 'until' ) );
	foreach ( array( $parts, $again ) as $ranges ) {
		list( $rows, $xor, $high, $low ) = array( 0, str_repeat( "\0", 8 ), 0, 0 );
		foreach ( $ranges as $range ) {
			$rows  += $range['rows'];
			$xor   ^= hex2bin( substr( $range['digest'], 0, 16 ) );
			$low   += hexdec( substr( $range['digest'], 24 ) );
			$high   = ( $high + hexdec( substr( $range['digest'], 16, 8 ) ) + ( $low >> 32 ) ) & 0xffffffff;
			$low   &= 0xffffffff;
		}
		if ( $rows !== $whole['rows'] || bin2hex( $xor ) . sprintf( '%08x%08x', $high, $low ) !== $whole['digest'] ) {
			$wrong[] = "run $run: the parts are not the whole";
		}
	}
	if ( array_slice( $told, 0, count( $kept ) ) !== $kept ) {
		$wrong[] = "run $run: other bounds than were asked for";
	}
}
$wpdb->query( "DROP DATABASE $name" );
printf( "%d digests, %d wrong, seed %d\n%s", $tries, count( $wrong ), $seed, $wrong ? implode( "\n", array_slice( $wrong, 0, 20 ) ) . "\n" : '' );
exit( $wrong ? 1 : 0 );
