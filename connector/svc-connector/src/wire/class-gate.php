<?php
// The only way in.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Lets a request through when the service signed it, for this site, just now, once.
 * The order of the checks is part of the protocol: cheap ones first, nothing is remembered or parsed before the signature holds.
 */
final class Gate {

	const WINDOW       = 300;    // Seconds a clock may differ, and the longest life of a signature.
	const WINDOW_HELLO = 172800; // Seconds; only `hello` may be this far off, so that the difference can be learned.
	const MAX_BODY     = 1048576; // Bytes.
	const MAX_UPLOAD   = 5242880; // Bytes of a body with bytes behind its JSON.

	/** @var string Site id the requests must name. */
	private $site_id;

	/** @var array<string,string> Raw public keys of the service by key id: the current one and perhaps the next one. */
	private $keys;

	/** @var callable(string,int):bool Remembers a nonce; false when it was seen before. */
	private $remember;

	/**
	 * A gate with no keys admits nothing.
	 *
	 * @param string                    $site_id  Site id the requests must name.
	 * @param array<string,string>      $keys     Raw public keys by key id.
	 * @param callable(string,int):bool $remember Takes (nonce, unix time after which it may be forgotten).
	 */
	public function __construct( string $site_id, array $keys, callable $remember ) {
		$this->site_id  = $site_id;
		$this->keys     = $keys;
		$this->remember = $remember;
	}

	/**
	 * Either the admitted request as array( method, params, keyid, request_id, signature, and payload where bytes follow ), or the reason of the refusal.
	 *
	 * @param array<string,string> $headers Lower-case names; what is missing was not sent.
	 * @param string               $body    At most one byte more than the cap needs to have been read.
	 * @param int                  $now     Unix seconds.
	 */
	public function judge( array $headers, string $body, int $now ) {
		$headers += array_fill_keys( array( 'content-type', 'content-digest', 'svc-protocol', 'svc-site', 'svc-request-id', 'signature-input', 'signature' ), '' );

		if ( strlen( $body ) > ( Wire::BYTES === $headers['content-type'] ? self::MAX_UPLOAD : self::MAX_BODY ) ) {
			return 'body';
		}
		if ( ! preg_match( Wire::SIGNATURE_INPUT, $headers['signature-input'], $input ) || Wire::TAG_NOTICE === $input[6] ) {
			return 'signature_input';
		}
		if ( '1' !== $headers['svc-protocol'] || ! in_array( $headers['content-type'], array( 'application/json', Wire::BYTES ), true ) ) {
			return 'signature_input';
		}
		if ( ! preg_match( '/^site_[A-Za-z0-9]{1,40}$/D', $headers['svc-site'] ) || ! preg_match( '/^req_[A-Za-z0-9]{1,40}$/D', $headers['svc-request-id'] ) ) {
			return 'signature_input';
		}
		list( , $params, $created, $expires, $nonce, $keyid, $tag ) = $input;

		$created = (int) $created;
		$expires = (int) $expires;
		$window  = Wire::TAG_HELLO === $tag ? self::WINDOW_HELLO : self::WINDOW;
		$late    = Wire::TAG_HELLO === $tag ? self::WINDOW_HELLO : 0;
		if ( $expires <= $created || $expires - $created > self::WINDOW || abs( $created - $now ) > $window || $now > $expires + $late ) {
			return 'window';
		}

		$signature = preg_match( '/^svc=:([A-Za-z0-9+\/]{86}==):$/D', $headers['signature'], $found ) ? Wire::bytes( $found[1], 64 ) : null;
		if ( null === $signature ) {
			return 'signature';
		}
		if ( ! hash_equals( Wire::digest( $body ), $headers['content-digest'] ) ) {
			return 'digest';
		}
		if ( '' === $this->site_id || ! hash_equals( $this->site_id, $headers['svc-site'] ) ) {
			return 'audience';
		}
		if ( ! isset( $this->keys[ $keyid ] ) ) {
			return 'key';
		}
		if ( ! Wire::verify( $signature, Wire::request_base( $headers, $params ), $this->keys[ $keyid ] ) ) {
			return 'signature';
		}
		if ( ! call_user_func( $this->remember, $nonce, $created + 2 * $window ) ) {
			return 'nonce';
		}
		return $this->read( $headers, $body, $tag, $keyid );
	}

	/**
	 * The command in the body; `hello` and its tag belong together.
	 *
	 * @param array<string,string> $headers Lower-case names.
	 */
	private function read( array $headers, string $body, string $tag, string $keyid ) {
		$payload = null;
		if ( Wire::BYTES === $headers['content-type'] ) {
			$length  = strlen( $body ) >= 4 ? unpack( 'N', $body )[1] : PHP_INT_MAX;
			$payload = $length <= strlen( $body ) - 4 ? substr( $body, 4 + $length ) : null;
			if ( null === $payload || Wire::TAG_HELLO === $tag ) {
				return 'body';
			}
			$body = substr( $body, 4, $length );
		}
		$command = json_decode( $body, true, 32 );
		$method  = is_array( $command ) && isset( $command['method'] ) ? $command['method'] : null;
		$params  = is_array( $command ) && isset( $command['params'] ) ? $command['params'] : array();
		if ( ! is_string( $method ) || ! is_array( $params ) || ( 'hello' === $method ) !== ( Wire::TAG_HELLO === $tag ) || ( array() !== $params && array_keys( $params ) === range( 0, count( $params ) - 1 ) ) ) {
			return 'body';
		}
		return array(
			'method'     => $method,
			'params'     => $params,
			'keyid'      => $keyid,
			'request_id' => $headers['svc-request-id'],
			'signature'  => substr( $headers['signature'], 4 ),
		) + ( null === $payload ? array() : array( 'payload' => $payload ) );
	}
}
