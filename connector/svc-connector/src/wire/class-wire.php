<?php
// The signed message: what is covered, and how the bytes are put together. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** RFC 9421 signature bases and Ed25519, in the one shape that svc-connector-v1 allows. */
final class Wire {

	const TAG          = 'svc-connector-v1';
	const TAG_HELLO    = 'svc-connector-v1-hello';
	const TAG_RESPONSE = 'svc-connector-v1-response';
	const TAG_NOTICE   = 'svc-connector-v1-notice';

	/** Content type of a message with bytes behind its JSON. */
	const BYTES = 'application/octet-stream';

	const COVERED_REQUEST  = '("@method" "content-type" "content-digest" "svc-protocol" "svc-site" "svc-request-id")';
	const COVERED_RESPONSE = '("@status" "content-type" "content-digest" "svc-protocol" "svc-site" "signature";req;key="svc")';

	/** The whole of Signature-Input; D, because $ alone would accept a trailing newline. */
	const SIGNATURE_INPUT = '/^svc=(\("@method" "content-type" "content-digest" "svc-protocol" "svc-site" "svc-request-id"\);created=([0-9]{1,12});expires=([0-9]{1,12});nonce="([A-Za-z0-9_-]{22})";keyid="([a-z0-9]{1,16})";alg="ed25519";tag="(svc-connector-v1(?:-hello|-notice)?)")$/D';

	/** Content-Digest of a body. */
	public static function digest( string $body ): string {
		return 'sha-256=:' . base64_encode( self::sha256( $body ) ) . ':';
	}

	/** 32 bytes. PHP's own code has no use for a processor's instructions for it; OpenSSL's is up to six times as fast, but slow to begin. */
	public static function sha256( string $bytes ): string {
		$hash = strlen( $bytes ) > 8192 && function_exists( 'openssl_digest' ) ? openssl_digest( $bytes, 'sha256', true ) : false;
		return is_string( $hash ) ? $hash : hash( 'sha256', $bytes, true );
	}

	/**
	 * Bytes of a base64 text, or null when it is not the one canonical spelling of $length bytes.
	 * PHP's strict mode still ignores stray bits in the last character.
	 */
	public static function bytes( string $text, int $length ): ?string {
		$bytes = base64_decode( $text, true );
		return false !== $bytes && strlen( $bytes ) === $length && hash_equals( base64_encode( $bytes ), $text ) ? $bytes : null;
	}

	/**
	 * The bytes a request's signature covers.
	 *
	 * @param array<string,string> $headers Lower-case names.
	 * @param string               $params  Signature-Input without its label.
	 */
	public static function request_base( array $headers, string $params ): string {
		$lines = array( '"@method": POST' );
		foreach ( array( 'content-type', 'content-digest', 'svc-protocol', 'svc-site', 'svc-request-id' ) as $name ) {
			$lines[] = '"' . $name . '": ' . $headers[ $name ];
		}
		$lines[] = '"@signature-params": ' . $params;
		return implode( "\n", $lines );
	}

	/**
	 * The bytes an answer's signature covers; $request_signature is `:base64:` as it arrived.
	 *
	 * @param array<string,string> $headers Lower-case names.
	 */
	public static function response_base( int $status, array $headers, string $request_signature, string $params ): string {
		$lines = array( '"@status": ' . $status );
		foreach ( array( 'content-type', 'content-digest', 'svc-protocol', 'svc-site' ) as $name ) {
			$lines[] = '"' . $name . '": ' . $headers[ $name ];
		}
		$lines[] = '"signature";req;key="svc": ' . $request_signature;
		$lines[] = '"@signature-params": ' . $params;
		return implode( "\n", $lines );
	}

	/** True only when the signature holds; anything odd about key or signature is false. */
	public static function verify( string $signature, string $base, string $public_key ): bool {
		if ( 64 !== strlen( $signature ) || 32 !== strlen( $public_key ) ) {
			return false;
		}
		self::load_sodium();
		try {
			return true === sodium_crypto_sign_verify_detached( $signature, $base, $public_key );
		} catch ( \Throwable $error ) {
			return false;
		}
	}

	/** `:base64:` of the signature over $base. */
	public static function sign( string $base, string $secret_key ): string {
		self::load_sodium();
		return ':' . base64_encode( sodium_crypto_sign_detached( $base, $secret_key ) ) . ':';
	}

	/**
	 * Headers of an answer, signed.
	 *
	 * @param array<string,mixed> $answer Status, type, body, site_id.
	 * @return array<string,string> Lower-case names.
	 */
	public static function sign_response( array $answer, string $request_signature, string $secret_key, int $now ): array {
		$headers = self::headers( $answer['type'], $answer['body'], $answer['site_id'] );
		$params  = self::COVERED_RESPONSE . ';created=' . $now . ';keyid="s1";alg="ed25519";tag="' . self::TAG_RESPONSE . '"';
		$base    = self::response_base( $answer['status'], $headers, $request_signature, $params );

		$headers['signature-input'] = 'svc=' . $params;
		$headers['signature']       = 'svc=' . self::sign( $base, $secret_key );
		return $headers;
	}

	/**
	 * Headers of a notice from this site to the service, signed.
	 *
	 * @param array<string,string> $notice Body, site_id, request_id, nonce.
	 * @return array<string,string> Lower-case names.
	 */
	public static function sign_notice( array $notice, string $secret_key, int $now ): array {
		$headers                   = self::headers( 'application/json', $notice['body'], $notice['site_id'] );
		$headers['svc-request-id'] = $notice['request_id'];

		$params = self::COVERED_REQUEST . ';created=' . $now . ';expires=' . ( $now + 60 ) . ';nonce="' . $notice['nonce'] . '";keyid="s1";alg="ed25519";tag="' . self::TAG_NOTICE . '"';
		$base   = self::request_base( $headers, $params );

		$headers['signature-input'] = 'svc=' . $params;
		$headers['signature']       = 'svc=' . self::sign( $base, $secret_key );
		return $headers;
	}

	/** 22 base64url characters. */
	public static function nonce(): string {
		return rtrim( strtr( base64_encode( random_bytes( 16 ) ), '+/', '-_' ), '=' );
	}

	/** Overwrites a secret; sodium_compat cannot and throws. */
	public static function forget( string &$secret ): void {
		try {
			sodium_memzero( $secret );
		} catch ( \Throwable $error ) {
			$secret = '';
		}
	}

	/** WordPress ships a pure PHP sodium for hosts without the extension. */
	public static function load_sodium(): void {
		if ( ! function_exists( 'sodium_crypto_sign_detached' ) && is_file( ABSPATH . 'wp-includes/sodium_compat/autoload.php' ) ) {
			require_once ABSPATH . 'wp-includes/sodium_compat/autoload.php';
		}
	}

	/** Headers every signed message has. */
	private static function headers( string $type, string $body, string $site_id ): array {
		return array(
			'content-type'   => $type,
			'content-digest' => self::digest( $body ),
			'svc-protocol'   => '1',
			'svc-site'       => $site_id,
		);
	}
}
