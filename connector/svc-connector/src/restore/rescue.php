<?php
// The way back when WordPress does not start: asked before any plugin loads, while a restore or an update is at work.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

// WordPress asks .maintenance again when a page ends: by then the plugin may have loaded some of these.
foreach ( array( 'Wire', 'Problem', 'Gate', 'Incoming', 'Answer', 'Identity', 'Journal', 'Root', 'Plan', 'Disk', 'Aside', 'FileSwap', 'Dump', 'Catalog', 'Connection', 'Ties', 'TableSwap', 'SqliteSwap', 'Leftovers', 'CodeLock', 'Around', 'Vital' ) as $svc_connector_name ) {
	if ( ! class_exists( __NAMESPACE__ . "\\$svc_connector_name", false ) ) {
		$svc_connector_name = strtolower( (string) preg_replace( '/\B[A-Z]/', '-$0', $svc_connector_name ) );
		require __DIR__ . "/class-$svc_connector_name.php";
	}
}

/** Behind the same signature as every other door, and able to do three things: report, go on, take back. */
final class Rescue {

	const LONG = 10; // Seconds after which a request that met what was taken back is in the way of those that come.

	/** Answers and ends the request, or returns when it is none of its business. */
	public static function open( string $dir ): void {
		$journal = Journal::open( $dir );
		if ( null === $journal ) {
			return;
		}
		$ended = $journal->has_ended(); // Then the service has no say any more, and the site does not wait for it.
		$back  = 'update' === $journal->get( 'kind' ) && 'rolled_back' === $journal->phase();
		if ( ! $journal->is_open() && ( ! $back || $ended || $journal->is_overdue() ) ) {
			FileSwap::open_site( $journal );
			return;
		}
		if ( ! $ended && isset( $_GET['svc-connector'], $_SERVER['REQUEST_METHOD'] ) && 'rescue' === $_GET['svc-connector'] && 'POST' === $_SERVER['REQUEST_METHOD'] ) { // phpcs:ignore WordPress.Security.NonceVerification -- The request is signed.
			ob_start();
			self::answer( $journal );
		}
		if ( $back ) {
			return;
		}
		if ( $journal->is_overdue() || ( $ended && ! $journal->is_held() ) ) {
			self::give_up( $journal );
		}
	}

	/** One signed request. */
	private static function answer( Journal $journal ): void {
		$incoming = Incoming::read();
		$identity = Identity::of( (array) $journal->get( 'identity' ) );
		$gate     = new Gate(
			$identity->get( 'site_id' ),
			$identity->service_keys(),
			static function ( string $nonce ) use ( $journal ): bool {
				$stream = @fopen( $journal->dir . '/nonces/' . hash( 'sha256', $nonce ), 'xb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That it is there already is the answer.
				return $stream && fclose( $stream );
			}
		);
		$command  = $gate->judge( $incoming->headers, $incoming->body, time() );
		$key      = null;
		if ( is_file( __DIR__ . '/key.php' ) ) {
			$key = require __DIR__ . '/key.php';
		}
		$secret   = is_string( $command ) ? null : $identity->secret( $key );
		if ( null === $secret ) {
			Answer::refused( $incoming->envelope, is_string( $command ) ? $command : 'salts' );
			return;
		}
		list( $status, $body ) = self::run( $journal, $command );
		$answer = array( 'status' => $status, 'type' => 'application/json', 'body' => (string) json_encode( $body, JSON_INVALID_UTF8_SUBSTITUTE ), 'envelope' => $incoming->envelope, 'site_id' => $identity->get( 'site_id' ) );
		Answer::signed( $answer + $command, $secret, null );
	}

	/**
	 * Runs one of three verbs.
	 *
	 * @return array{0:int,1:array<string,mixed>}
	 */
	private static function run( Journal $journal, array $command ): array {
		try {
			$params = $command['params'];
			$kind   = 'update' === $journal->get( 'kind' ) ? 'updates' : 'restore';
			if ( "$kind.status" === $command['method'] ) {
				return array( 200, array( 'result' => $journal->told() + array( 'marker' => '' ) ) );
			}
			if ( 'restore.swap' !== $command['method'] && "$kind.rollback" !== $command['method'] ) {
				throw new Problem( 'unknown_verb', 'This door is for a restore or an update that is at work.' );
			}
			$journal->hold();
			$journal->admit( is_string( $params['job'] ?? null ) ? $params['job'] : '', is_int( $params['fence'] ?? null ) ? $params['fence'] : -1 );
			$swap = new FileSwap( $journal, 4.0 );
			$back = 'rolled_back' === $journal->phase();
			$done = 'restore.swap' === $command['method'] ? $swap->forward() : $swap->back( true );
			if ( $back ) {
				$journal->put( array( 'unmended' => FileSwap::mend( $journal ) ) );
			}
			if ( $done && 'updates' === $kind ) {
				if ( ! class_exists( Hanging::class, false ) ) {
					require_once __DIR__ . '/class-hanging.php';
				}
				Hanging::kill( $journal->dir, Hanging::JUDGED, self::LONG );
			}
			return array( 200, array( 'result' => array( 'done' => $done ) + ( 'updates' === $kind ? array( 'unmended' => (string) $journal->get( 'unmended' ) ) : array() ) ) );
		} catch ( \Throwable $error ) {
			$code = $error instanceof Problem ? $error->reason() : 'failed';
			return array(
				Problem::STATUS[ $code ],
				array(
					'error' => array( 'code' => $code, 'message' => substr( $error->getMessage(), 0, 500 ) ),
				),
			);
		}
	}

	/** Nobody came back in time: the site takes itself back, and this visitor comes again in a moment, where that is needed. */
	private static function give_up( Journal $journal ): void {
		$is_update = 'update' === $journal->get( 'kind' );
		try {
			$journal->hold();
			$swap = new FileSwap( $journal, 8.0 );
			$done = $swap->back();
			if ( $done && $journal->has_ended() && ! $is_update ) {
				Leftovers::wipe( $journal, 8.0 ); // The plugin may be switched off by now.
			}
			if ( $done && $is_update && 'core' !== $journal->get( 'type' ) ) {
				return; // Nothing of what was exchanged is loaded yet.
			}
		} catch ( \Throwable $error ) {
			if ( $is_update && 'core' !== $journal->get( 'type' ) && null === Journal::open( $journal->dir ) ) {
				return; // The service ended it meanwhile, so nobody has to.
			}
			error_log( 'svc-connector: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- There is nobody else to tell.
		}
		if ( ! headers_sent() ) {
			http_response_code( 503 );
			header( 'Retry-After: 5' );
			header( 'Refresh: 5' );
			header( 'Cache-Control: no-store' );
		}
		exit;
	}
}

Rescue::open( dirname( __DIR__ ) );
