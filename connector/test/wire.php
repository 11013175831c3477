<?php
/**
 * Loads the parts of the connector that need no WordPress.
 *
 * @package SvcConnector
 */

error_reporting( E_ALL );
set_error_handler(
	static function ( int $number, string $message, string $file, int $line ): bool {
		if ( 0 === ( error_reporting() & $number ) || false !== strpos( $file, 'sodium_compat' ) ) {
			return false;
		}
		throw new ErrorException( $message, 0, $number, $file, $line );
	}
);
require __DIR__ . '/load.php';

/** With the folder of a WordPress its sodium_compat is used, otherwise ext/sodium; says which one. */
function svc_load_sodium( string $wordpress ): string {
	if ( '' === $wordpress && ! extension_loaded( 'sodium' ) ) {
		fwrite( STDERR, "There is no ext/sodium: give the folder of a WordPress.\n" );
		exit( 2 );
	}
	if ( '' === $wordpress ) {
		return 'ext/sodium';
	}
	require_once rtrim( $wordpress, '/' ) . '/wp-includes/sodium_compat/autoload.php';
	require_once __DIR__ . '/compat.php';
	return 'sodium_compat';
}

/** Secret key of a seed in base64. */
function svc_secret( string $seed ): string {
	return sodium_crypto_sign_secretkey( sodium_crypto_sign_seed_keypair( base64_decode( $seed ) ) );
}
