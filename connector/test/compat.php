<?php
/**
 * Makes the connector's classes use WordPress's sodium_compat although PHP has ext/sodium: a function of the own namespace goes first.
 *
 * @package SvcConnector
 */

namespace SvcConnector;

\ParagonIE_Sodium_Compat::$disableFallbackForUnitTests = true;

/** As ext/sodium's. */
function sodium_crypto_sign_verify_detached( string $signature, string $message, string $key ): bool {
	return \ParagonIE_Sodium_Compat::crypto_sign_verify_detached( $signature, $message, $key );
}

/** As ext/sodium's. */
function sodium_crypto_sign_detached( string $message, string $key ): string {
	return \ParagonIE_Sodium_Compat::crypto_sign_detached( $message, $key );
}

/** As ext/sodium's, except that PHP code cannot do it. */
function sodium_memzero( string &$secret ): void {
	\ParagonIE_Sodium_Compat::memzero( $secret );
}
