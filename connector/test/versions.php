<?php
/**
 * The order of versions as PHP has it: contract/version-vectors.json holds pairs and what version_compare() says of them,
 * and the service's own comparison is held to that file. `php versions.php` checks the file, `php versions.php --record` writes it anew.
 *
 * @package SvcConnector
 */

$file  = __DIR__ . '/../../contract/version-vectors.json';
$real  = array( '', '0', '1', '1.0', '1.0.0', '1.00', '1.0.1', '1.0.10', '1.0.9', '1.10', '1.2', '1.2.3', '1.2.3.4', '2.0', '2.0-alpha', '2.0-alpha1', '2.0-beta', '2.0-beta2', '2.0-beta10', '2.0-b1', '2.0-dev', '2.0-RC1', '2.0-rc.1', '2.0rc1', '2.0RC2', '2.0.0', '2.0pl1', '2.0-p1', '2.0a', '2.0b', '2.0.a', '2.0-patch', '2.0+build.5', '2.0_1', 'v2.0', '2.0 ', ' 2.0', '2,0', '2..0', '2.0.', '.2', '6.8-RC1-60000', '6.8.1', '6.8', '20240101', '20231231.1', '2024.01.01', '4.7.31', '5.0.0-beta.3-pro', '1.0-free', '1.0-trunk', 'trunk', 'dev', 'alpha', '#', '#N#', '#1', '1.2.x', '*', '99999999999999999999', '9223372036854775807', '9223372036854775808', '007', '0.7', '1é', '1.é', '1-é.2', "1\n2", '3.0!1', '1.0--1', '-1', '+1', '_1', '-' );
$parts = array( '0', '1', '2', '9', '10', '.', '.', '.', '.', '-', '_', '+', 'a', 'b', 'alpha', 'beta', 'RC', 'rc', 'dev', 'p', 'pl', '#', 'N', 'x', 'é', ' ', '!', 'v', '99999999999999999999' );

$word = static function () use ( $parts ): string {
	$text = '';
	for ( $i = mt_rand( 0, 6 ); $i > 0; $i-- ) {
		$text .= $parts[ mt_rand( 0, count( $parts ) - 1 ) ];
	}
	return $text;
};

if ( in_array( '--record', $argv, true ) ) {
	mt_srand( 7 );
	$pairs = array();
	foreach ( $real as $i => $a ) {
		for ( $n = 0; $n < 16; $n++ ) {
			$pairs[] = array( $a, $real[ ( $i + $n * $n ) % count( $real ) ] );
		}
	}
	for ( $i = 0; $i < 1200; $i++ ) {
		$a       = $word();
		$pairs[] = array( $a, 0 === $i % 2 ? $word() : $a . $word() );
	}
	$lines = array_map(
		static fn( array $pair ): string => json_encode( array( $pair[0], $pair[1], version_compare( $pair[0], $pair[1] ) ), JSON_UNESCAPED_UNICODE ),
		$pairs
	);
	file_put_contents( $file, "[\n" . implode( ",\n", $lines ) . "\n]\n" );
}

$vectors = json_decode( (string) file_get_contents( $file ), true );
$wrong   = array_filter( $vectors, static fn( array $vector ): bool => version_compare( $vector[0], $vector[1] ) !== $vector[2] );
foreach ( $wrong as $vector ) {
	echo 'not as this PHP has it: ', json_encode( $vector ), "\n";
}
echo count( $vectors ) - count( $wrong ), ' of ', count( $vectors ), " pairs are in the order of PHP's version_compare()\n";
exit( count( $vectors ) > 1000 && array() === $wrong ? 0 : 1 );
