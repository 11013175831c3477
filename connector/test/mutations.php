<?php
/**
 * Changes one signed request in every way it can think of; the gate must admit none.
 *
 *   php mutations.php [count] [seed]
 *
 * @package SvcConnector
 */

use SvcConnector\Gate;
use SvcConnector\Wire;

require __DIR__ . '/wire.php';
svc_load_sodium( '' );

$count = (int) ( $argv[1] ?? 20000 );
$seed  = (int) ( $argv[2] ?? 1 );
mt_srand( $seed );

$pair    = sodium_crypto_sign_seed_keypair( str_repeat( "\x07", 32 ) );
$public  = sodium_crypto_sign_publickey( $pair );
$now     = 1795132800;
$body    = '{"method":"ping","params":{}}';
$headers = array(
	'content-type'   => 'application/json',
	'content-digest' => Wire::digest( $body ),
	'svc-protocol'   => '1',
	'svc-site'       => 'site_01JABCDEF',
	'svc-request-id' => 'req_0001',
);
$params  = Wire::COVERED_REQUEST . ";created=$now;expires=" . ( $now + 60 ) . ';nonce="AAECAwQFBgcICQoLDA0ODw";keyid="k1";alg="ed25519";tag="svc-connector-v1"';

$headers['signature-input'] = 'svc=' . $params;
$headers['signature']       = 'svc=' . Wire::sign( Wire::request_base( $headers, $params ), sodium_crypto_sign_secretkey( $pair ) );

$gate = new Gate(
	'site_01JABCDEF',
	array( 'k1' => $public ),
	static function (): bool {
		return true;
	}
);
if ( is_string( $gate->judge( $headers, $body, $now ) ) ) {
	fwrite( STDERR, "The request itself is refused; nothing was tested.\n" );
	exit( 2 );
}

$refused  = array();
$accepted = 0;
$done     = 0;
while ( $done < $count ) {
	list( $changed, $changed_body ) = svc_mutate( $headers, $body );
	if ( $changed === $headers && $changed_body === $body ) {
		continue;
	}
	++$done;
	$verdict = $gate->judge( $changed, $changed_body, $now );
	if ( is_string( $verdict ) ) {
		$refused[ $verdict ] = ( $refused[ $verdict ] ?? 0 ) + 1;
		continue;
	}
	++$accepted;
	echo 'ACCEPTED ', json_encode( array( $changed, base64_encode( $changed_body ) ) ), "\n";
}
ksort( $refused );
printf( "%d mutations (seed %d): %d accepted; refused: %s\n", $done, $seed, $accepted, json_encode( $refused ) );
exit( $accepted > 0 ? 1 : 0 );

/** One change: of a bit, a character, a header, a component, or the body. */
function svc_mutate( array $headers, string $body ): array {
	$names = array_keys( $headers );
	$name  = $names[ mt_rand( 0, count( $names ) - 1 ) ];
	$value = $headers[ $name ];
	$at    = mt_rand( 0, strlen( $value ) - 1 );
	switch ( mt_rand( 0, 9 ) ) {
		case 0:
			$raw                  = base64_decode( substr( $headers['signature'], 5, 88 ) );
			$bit                  = mt_rand( 0, 511 );
			$raw[ $bit >> 3 ]     = chr( ord( $raw[ $bit >> 3 ] ) ^ ( 1 << ( $bit & 7 ) ) );
			$headers['signature'] = 'svc=:' . base64_encode( $raw ) . ':';
			break;
		case 1:
			$headers['signature'][ mt_rand( 5, 92 ) ] = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= '[ mt_rand( 0, 67 ) ];
			break;
		case 2:
			$value[ $at ]     = chr( ord( $value[ $at ] ) ^ ( 1 << mt_rand( 0, 7 ) ) );
			$headers[ $name ] = $value;
			break;
		case 3:
			$headers[ $name ] = substr( $value, 0, $at ) . substr( $value, $at + 1 );
			break;
		case 4:
			$headers[ $name ] = substr( $value, 0, $at ) . chr( mt_rand( 0, 255 ) ) . substr( $value, $at );
			break;
		case 5:
			unset( $headers[ $name ] );
			break;
		case 6:
			$headers[ $name ] = $value . array( "\n", "\r\n", "\0", ' ', ',', ', ' . $value, ';x=1' )[ mt_rand( 0, 6 ) ];
			break;
		case 7:
			$other                       = $names[ mt_rand( 0, count( $names ) - 1 ) ];
			$headers[ $name ]            = $headers[ $other ];
			$headers[ $other ]           = $value;
			break;
		case 8:
			$parts                      = preg_split( '/(?<=[ ;(])/', $headers['signature-input'] );
			$one                        = mt_rand( 0, count( $parts ) - 1 );
			$two                        = mt_rand( 0, count( $parts ) - 1 );
			list( $parts[ $one ], $parts[ $two ] ) = array( $parts[ $two ], $parts[ $one ] );
			$headers['signature-input'] = implode( '', $parts );
			break;
		default:
			$at          = mt_rand( 0, strlen( $body ) - 1 );
			$body[ $at ] = chr( ord( $body[ $at ] ) ^ ( 1 << mt_rand( 0, 7 ) ) );
	}
	return array( $headers, $body );
}
