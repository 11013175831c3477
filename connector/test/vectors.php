<?php
/**
 * Checks the connector's side of the wire against the recorded messages, without WordPress.
 *
 *   php vectors.php                      with ext/sodium
 *   php vectors.php <wordpress folder>   with the sodium_compat of that WordPress
 *
 * The plugin judges requests, and signs answers and notices; what it signs must be the recorded bytes.
 *
 * @package SvcConnector
 */

use SvcConnector\Gate;
use SvcConnector\Wire;

require __DIR__ . '/wire.php';
$kind = svc_load_sodium( $argv[1] ?? '' );

$file  = dirname( __DIR__, 2 ) . '/contract/wire-vectors.json';
$file  = json_decode( (string) file_get_contents( $file ), true );
$ran   = array();
$wrong = array();
foreach ( $file['cases'] as $case ) {
	$keys = ( $case['keys'] ?? array() ) + $file['keys'];
	$body = isset( $case['body_b64'] ) ? base64_decode( $case['body_b64'], true ) : $case['body'];
	$own  = ! isset( $case['keys'] );
	if ( 'request' === $case['kind'] ) {
		$got = svc_judge( $case, $body, $keys );
	} elseif ( 'ok' === $case['expect'] && $own ) {
		$got = 'notice' === $case['kind'] ? svc_sign_notice( $case, $body, $keys ) : svc_sign_response( $case, $body, $keys );
	} elseif ( 'response' === $case['kind'] && in_array( $case['expect'], array( 'ok', 'signature' ), true ) ) {
		$got = svc_response_holds( $case, $keys ) ? 'ok' : 'signature';
	} else {
		continue; // Only the service receives these.
	}
	$ran[ $case['kind'] ] = ( $ran[ $case['kind'] ] ?? 0 ) + 1;
	if ( $got !== $case['expect'] ) {
		$wrong[] = "{$case['name']}: expected {$case['expect']}, got $got";
	}
}
foreach ( $wrong as $line ) {
	echo "WRONG  $line\n";
}
printf( "PHP %s, %s: %s checked, %d wrong\n", PHP_VERSION, $kind, str_replace( array( '{', '}', '"' ), '', json_encode( $ran ) ), count( $wrong ) );
exit( $wrong || ( $ran['request'] ?? 0 ) < 1 ? 1 : 0 );

/** What the gate says to a recorded request. */
function svc_judge( array $case, string $body, array $keys ): string {
	$remembered = 0;
	$gate       = new Gate(
		$case['site_id'],
		array( 'k1' => base64_decode( $keys['service_public'] ) ),
		static function () use ( $case, &$remembered ): bool {
			++$remembered;
			return empty( $case['seen'] );
		}
	);
	$verdict = $gate->judge( array_map( 'svc_trim', $case['headers'] ), $body, $case['now'] );
	if ( is_string( $verdict ) ) {
		// Nothing is remembered before the signature holds.
		return $remembered > 0 && ! in_array( $verdict, array( 'nonce', 'body' ), true ) ? "$verdict, but remembered the nonce" : $verdict;
	}
	return 'ok';
}

/** As a web server hands a header over; a line break in it stays. */
function svc_trim( string $value ): string {
	return trim( $value, " \t" );
}

/** Ok when signing again gives the recorded headers. */
function svc_sign_response( array $case, string $body, array $keys ): string {
	preg_match( '/created=(\d+)/', $case['headers']['signature-input'], $created );
	$signature = substr( $case['request_signature'], 4 );
	$headers   = Wire::sign_response( array( 'status' => $case['status'], 'type' => $case['headers']['content-type'], 'body' => $body, 'site_id' => $case['site_id'] ), $signature, svc_secret( $keys['site_seed'] ), (int) $created[1] );
	return array_intersect_key( $case['headers'], $headers ) == $headers ? 'ok' : 'other headers: ' . json_encode( $headers ); // phpcs:ignore Universal.Operators.StrictComparisons -- The order does not matter.
}

/** Ok when signing again gives the recorded headers. */
function svc_sign_notice( array $case, string $body, array $keys ): string {
	preg_match( '/created=(\d+).*nonce="([^"]+)"/', $case['headers']['signature-input'], $input );
	$headers = Wire::sign_notice( array( 'body' => $body, 'site_id' => $case['site_id'], 'request_id' => $case['headers']['svc-request-id'], 'nonce' => $input[2] ), svc_secret( $keys['site_seed'] ), (int) $input[1] );
	return array_intersect_key( $case['headers'], $headers ) == $headers ? 'ok' : 'other headers: ' . json_encode( $headers ); // phpcs:ignore Universal.Operators.StrictComparisons -- The order does not matter.
}

/** Does the signature of a recorded answer fit the base this plugin would sign. */
function svc_response_holds( array $case, array $keys ): bool {
	$headers   = $case['headers'];
	$found     = preg_match( '/^svc=:(.{86}==):$/D', $headers['signature'] ?? '', $match );
	$signature = $found ? Wire::bytes( $match[1], 64 ) : null;
	$asked     = substr( $case['request_signature'], 4 );
	return null !== $signature && Wire::verify( $signature, Wire::response_base( $case['status'], $headers, $asked, substr( $headers['signature-input'], 4 ) ), base64_decode( $keys['site_public'] ) );
}
