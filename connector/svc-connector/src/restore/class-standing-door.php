<?php
// One signed request where WordPress does not start.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Knows the verbs of a restore up to the moment at which WordPress must answer for itself. Silent to everybody else: nothing is said,
 * looked up or loaded before the signature holds, and the database, where it can be read, must know the same pairing.
 */
final class StandingDoor {

	const VERBS = array( 'hello', 'ping', 'files.list', 'files.read', 'files.digest', 'db.tables', 'db.rows', 'db.digests', 'db.snapshot', 'restore.survey', 'restore.begin', 'restore.have', 'restore.put', 'restore.load', 'restore.check', 'restore.prepare', 'restore.arm', 'restore.swap', 'restore.rollback', 'restore.status', 'restore.purge', 'errors.collect' );

	/** Verbs that need tables. */
	const TABLES = array( 'db.tables', 'db.rows', 'db.digests', 'db.snapshot', 'restore.load', 'restore.check' );

	/** Answers and ends the request, or returns without a word. */
	public static function answer( array $state ): void {
		ob_start();
		if ( function_exists( 'ini_set' ) ) {
			ini_set( 'display_errors', '0' ); // phpcs:ignore WordPress.PHP.IniSet -- Strangers read it.
		}
		try {
			$incoming = Incoming::read();
			$identity = Identity::of( (array) $state['identity'] );
			$gate     = new Gate(
				$identity->get( 'site_id' ),
				$identity->service_keys(),
				static function ( string $nonce, int $gone ) use ( $state ): bool {
					return Standing::remember( $state['dir'], $nonce, $gone );
				}
			);
			$command  = $gate->judge( $incoming->headers, $incoming->body, time() );
			if ( is_array( $command ) ) {
				self::serve( $state, $identity, $incoming, $command );
			}
		} catch ( \Throwable $error ) {
			error_log( 'svc-connector: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- There is nobody else to tell.
		}
		ob_end_clean();
	}

	/** The signature held. */
	private static function serve( array $state, Identity $identity, Incoming $incoming, array $command ): void {
		Configuration::load( $state );
		if ( realpath( Root::work() ) !== dirname( $state['dir'] ) || ! self::is_current( $identity, $command, $incoming ) ) {
			return;
		}
		$secret = $identity->secret();
		if ( null === $secret ) {
			return;
		}
		list( $status, $body ) = self::run( $command, $identity );
		$answer = array( 'status' => $status, 'type' => is_string( $body ) ? Wire::BYTES : 'application/json', 'body' => is_string( $body ) ? $body : self::json( $body ), 'envelope' => $incoming->envelope, 'site_id' => $identity->get( 'site_id' ) );
		Answer::signed( $answer + $command, $secret, null );
	}

	/** Whether the database knows this pairing and this key, and not yet this request. It may be unreadable, but it may not disagree. */
	private static function is_current( Identity $identity, array $command, Incoming $incoming ): bool {
		global $wpdb;
		if ( ! $wpdb->has_options() ) {
			return true;
		}
		$known = self::known();
		if ( null === $known && Vital::has_pairing( Root::work() ) ) {
			$known = self::known();
		} elseif ( null === $known ) {
			Standing::forget();
		}
		if ( null === $known ) {
			return false;
		}
		$keys = $known->service_keys();
		if ( $known->get( 'site_id' ) !== $identity->get( 'site_id' ) || ( $keys[ $command['keyid'] ] ?? '' ) !== $identity->service_keys()[ $command['keyid'] ] ) {
			return false;
		}
		preg_match( Wire::SIGNATURE_INPUT, $incoming->headers['signature-input'], $input );
		return Facts::add( 'n.' . hash( 'sha256', $input[4] ), '', (int) $input[2] + 2 * ( 'hello' === $command['method'] ? Gate::WINDOW_HELLO : Gate::WINDOW ) );
	}

	/** The pairing that the database has. */
	private static function known(): ?Identity {
		return '1' === get_option( Identity::OPTION_ON ) ? Identity::load() : null;
	}

	/**
	 * Runs one verb.
	 *
	 * @return array{0:int,1:array<string,mixed>|string}
	 */
	private static function run( array $command, Identity $identity ): array {
		global $wpdb;
		try {
			$verb = $command['method'];
			if ( ! in_array( $verb, self::VERBS, true ) ) {
				throw new Problem( 'unknown_verb', 'WordPress does not start; this door is for restores alone.' );
			}
			if ( Verbs::writes( $verb ) && $identity->is_clone() ) {
				throw new Problem( 'clone', 'This is a copy of the site that was connected. Connect it again to manage it.' );
			}
			if ( null === $wpdb->dbh && in_array( $verb, self::TABLES, true ) ) {
				throw new Problem( 'failed', 'The database does not answer.' );
			}
			$payload = isset( $command['payload'] ) ? array( 'payload' => $command['payload'] ) : array();
			$result  = Verbs::run( $verb, $payload + $command['params'], $identity );
			return array( 200, is_string( $result ) ? $result : array( 'result' => $result ) );
		} catch ( \Throwable $error ) {
			$code = $error instanceof Problem ? $error->reason() : 'failed';
			$text = str_replace( ABSPATH, '', $error->getMessage() );
			return array( Problem::STATUS[ $code ], array( 'error' => array( 'code' => $code, 'message' => Site::clip( $text, 500 ) ) ) );
		}
	}

	private static function json( array $data ): string {
		return (string) json_encode( $data, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION );
	}
}
