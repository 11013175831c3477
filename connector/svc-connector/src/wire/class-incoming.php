<?php
// A request at one of the doors.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Read while the plugin file loads: right after plugins_loaded WordPress adds slashes to what the server says. */
final class Incoming {

	const MAX_ENVELOPE = 1464320; // Bytes: base64 of the largest body that is no upload and 64 KiB of headers.

	/** @var array<string,string> Lower-case names. */
	public $headers = array();

	/** @var string The body whose digest is signed. */
	public $body = '';

	/** @var bool True when headers and body came, and go, inside one JSON body. */
	public $envelope = false;

	/** True when this page view is a POST at one of the doors. Costs a few comparisons on every page. */
	public static function is_call(): bool {
		// phpcs:disable WordPress.Security -- Compared with fixed words only.
		if ( ! isset( $_SERVER['REQUEST_METHOD'] ) || 'POST' !== $_SERVER['REQUEST_METHOD'] ) {
			return false;
		}
		if ( isset( $_GET['svc-connector'] ) && '1' === $_GET['svc-connector'] ) {
			return true; // Doors front, xmlrpc and cron.
		}
		if ( isset( $_GET['rest_route'] ) && '/svc-connector/v1/rpc' === $_GET['rest_route'] ) {
			return true;
		}
		if ( isset( $_GET['action'] ) && 'svc_connector' === $_GET['action'] && defined( 'DOING_AJAX' ) ) {
			return true;
		}
		$path = isset( $_SERVER['REQUEST_URI'] ) ? strtok( (string) $_SERVER['REQUEST_URI'], '?' ) : '';
		return is_string( $path ) && '/svc-connector/v1/rpc' === substr( rtrim( $path, '/' ), -21 );
		// phpcs:enable
	}

	/** The request, header mode or envelope mode. */
	public static function read(): self {
		$incoming       = new self();
		foreach ( array( 'content-digest', 'svc-protocol', 'svc-site', 'svc-request-id', 'signature-input', 'signature' ) as $name ) {
			$key = 'HTTP_' . strtoupper( str_replace( '-', '_', $name ) );
			if ( isset( $_SERVER[ $key ] ) && is_string( $_SERVER[ $key ] ) ) {
				$incoming->headers[ $name ] = trim( $_SERVER[ $key ], " \t" ); // phpcs:ignore WordPress.Security -- Verified as a whole by the gate.
			}
		}
		if ( isset( $_SERVER['CONTENT_TYPE'] ) && is_string( $_SERVER['CONTENT_TYPE'] ) ) {
			$incoming->headers['content-type'] = trim( $_SERVER['CONTENT_TYPE'], " \t" ); // phpcs:ignore WordPress.Security -- As above.
		}
		$is_upload      = isset( $incoming->headers['signature'] ) && Wire::BYTES === ( $incoming->headers['content-type'] ?? '' );
		$incoming->body = self::body( $is_upload ? Gate::MAX_UPLOAD : self::MAX_ENVELOPE );
		if ( ! isset( $incoming->headers['signature'] ) ) {
			$incoming->open_envelope();
		}
		return $incoming;
	}

	private static function body( int $most ): string {
		$stream = fopen( 'php://input', 'rb' );
		$body   = $stream ? stream_get_contents( $stream, $most + 1 ) : '';
		return is_string( $body ) ? $body : '';
	}

	/** An envelope that does not open leaves no headers, and the gate refuses. */
	private function open_envelope(): void {
		if ( strlen( $this->body ) > self::MAX_ENVELOPE || false === strpos( substr( $this->body, 0, 200 ), 'svc_envelope' ) ) {
			return;
		}
		$envelope = json_decode( $this->body, true, 4 );
		if ( ! is_array( $envelope ) || 1 !== ( $envelope['svc_envelope'] ?? null ) || ! is_array( $envelope['headers'] ?? null ) || ! is_string( $envelope['body'] ?? null ) ) {
			return;
		}
		$body = base64_decode( $envelope['body'], true );

		$this->envelope = true;
		$this->body     = false === $body ? '' : $body;
		$this->headers  = array();
		foreach ( $envelope['headers'] as $name => $value ) {
			if ( is_string( $value ) ) {
				$this->headers[ strtolower( (string) $name ) ] = trim( $value, " \t" );
			}
		}
	}
}
