<?php
// What goes back.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Sends one answer, whatever other plugins have printed or buffered before, and ends the request. */
final class Answer {

	const APACHE = 'apache2handler';
	const FINISH = array( 'fastcgi_finish_request', 'litespeed_finish_request' ); // By which a server has the whole answer while PHP goes on.

	/**
	 * Sends an answer signed by the site and bound to the request's signature.
	 *
	 * @param array<string,mixed> $answer Envelope, status, type, body, site_id, and the request's signature: `:base64:` as it arrived.
	 * @param callable|null       $after  Runs when the answer is on its way.
	 */
	public static function signed( array $answer, string $secret, ?callable $after ): void {
		$headers = Wire::sign_response( $answer, $answer['signature'], $secret, time() );
		Wire::forget( $secret );
		self::send( array( 'headers' => $headers ) + $answer, $after );
	}

	/** A hint for a person, before the gate is passed. */
	public static function refused( bool $envelope, string $reason ): void {
		$body = '{"svc":1,"refused":"' . $reason . '","time":' . time() . '}';
		self::send( array( 'envelope' => $envelope, 'status' => 401, 'headers' => array( 'content-type' => 'application/json' ), 'body' => $body ), null );
	}

	/**
	 * The one place where a signed request ends.
	 *
	 * @param array<string,mixed> $answer Envelope, status, headers by lower-case names, body.
	 */
	private static function send( array $answer, ?callable $after ): void {
		list( $status, $headers, $body ) = array( $answer['status'], $answer['headers'], $answer['body'] );
		if ( $answer['envelope'] ) {
			$inner   = json_encode( // phpcs:ignore WordPress.WP.AlternativeFunctions -- Also runs where WordPress does not.
				array( 'status' => $status, 'headers' => $headers, 'body' => base64_encode( $body ) )
			);
			$body    = '-----SVC-BEGIN-----' . base64_encode( (string) $inner ) . '-----SVC-END-----';
			$status  = 200;
			$headers = array( 'content-type' => 'text/plain' );
		}
		self::discard_output();
		if ( ! headers_sent() ) {
			header_remove();
			http_response_code( $status );
			foreach ( $headers as $name => $value ) {
				header( ucwords( $name, '-' ) . ': ' . $value );
			}
			header( 'Cache-Control: no-store, private, max-age=0' );
			header( 'X-Robots-Tag: noindex' );
			header( 'Content-Length: ' . strlen( $body ) );
			if ( null !== $after && self::APACHE === PHP_SAPI ) {
				header( 'Connection: close' ); // The next request over it would wait for the end of this one.
			}
		}
		echo $body; // phpcs:ignore WordPress.Security.EscapeOutput -- JSON, bytes or base64, never HTML.
		flush();
		if ( null !== $after ) {
			self::finish();
			call_user_func( $after );
		}
		exit;
	}

	/** Nobody waits for this request any more, where the server knows of such a thing. */
	public static function finish(): void {
		foreach ( self::functions() as $name ) {
			$name();
		}
	}

	/** Whether a signed answer is whole while PHP goes on: by one of the functions, or, in Apache itself, because its length was said and it was sent. */
	public static function can_finish(): bool {
		return self::APACHE === PHP_SAPI || array() !== self::functions();
	}

	/** Those of the functions that are there. */
	private static function functions(): array {
		return array_filter( self::FINISH, 'function_exists' );
	}

	/** Throws away what was printed so far, and compression with it: the length is announced. */
	private static function discard_output(): void {
		if ( function_exists( 'ini_set' ) && ! headers_sent() ) {
			ini_set( 'zlib.output_compression', '0' ); // phpcs:ignore WordPress.PHP.IniSet
		}
		for ( $level = ob_get_level(); $level > 0; $level-- ) {
			if ( ! @ob_end_clean() ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A buffer that cannot be removed is left alone.
				break;
			}
		}
	}
}
