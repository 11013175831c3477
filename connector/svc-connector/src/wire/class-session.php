<?php
// One request at the door, from arrival to answer.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Admits the request as early as WordPress allows, runs the verb when WordPress is ready for it, and always answers. */
final class Session {

	const REPLY_KEPT = 86400; // Seconds an answer to a write is kept for a repeat.
	const RUN_LIMIT  = 600;   // Seconds after which a write without an answer is taken to have died.

	/** @var Incoming The request as it arrived. */
	private $incoming;

	/** @var Identity Who we are; set once admitted. */
	private $identity;

	/** @var string The site's signing key. */
	private $secret = '';

	/** @var array<string,mixed> What the gate let through. */
	private $command = array();

	/** @var string One of waiting, running, answered. */
	private $state = 'waiting';

	/** @var string Row of the stored answer while a write runs. */
	private $reply_row = '';

	/** @var array{0:string,1:string,2:int}|null The row by which it cannot be used twice. */
	private $nonce = null;

	/** @var int Output buffers there were when ours was the last. */
	private static $level = 1;

	/** @var string Freed when memory ran out, so that the answer can still be made. */
	private $reserve = '';

	/** Starts swallowing output and waits for WordPress. */
	public static function open(): void {
		$session           = new self();
		$session->incoming = Incoming::read();
		ob_start(
			static function (): string {
				return ''; // Also what other plugins flush on purpose.
			}
		);
		self::$level = ob_get_level();
		if ( ! defined( 'DONOTCACHEPAGE' ) ) {
			define( 'DONOTCACHEPAGE', true );
		}
		if ( ! defined( 'WP_SANDBOX_SCRAPING' ) ) {
			define( 'WP_SANDBOX_SCRAPING', true ); // WordPress shows no page of its own when code breaks: the answer says it.
		}
		add_action( 'plugins_loaded', array( $session, 'admit' ), PHP_INT_MIN );
		register_shutdown_function( array( $session, 'admit_late' ) );
	}

	/** When a plugin broke while it loaded, WordPress came no further; what needs no more than that can still be done. */
	public function admit_late(): void {
		if ( null === $this->identity && ! did_action( 'plugins_loaded' ) ) {
			$this->admit();
			if ( 'waiting' === $this->state && array() !== $this->command ) {
				$error = error_get_last();
				$this->answer_error( 'failed', 'WordPress does not start: ' . ( $error['message'] ?? 'other code ended the request' ) );
			}
		}
	}

	/** The gate. Before pairing the request goes on as if this plugin were not there. */
	public function admit(): void {
		$identity = Identity::load();
		if ( null === $identity ) {
			ob_end_clean();
			Plugin::harden();
			return;
		}
		$this->identity = $identity;

		$gate = new Gate(
			$identity->get( 'site_id' ),
			$identity->service_keys(),
			function ( string $nonce, int $gone ): bool {
				$this->nonce = array( 'n.' . hash( 'sha256', $nonce ), '', $gone );
				$this->make_way();
				$add = function (): bool {
					return Facts::add( ...$this->nonce );
				};
				return Health::in_trial() ? Trial::before( $add ) : $add();
			}
		);

		$command = $gate->judge( $this->incoming->headers, $this->incoming->body, time() );
		$secret  = is_string( $command ) ? null : $identity->secret();
		if ( null === $secret ) {
			$this->state = 'answered';
			Answer::refused( $this->incoming->envelope, is_string( $command ) ? $command : 'salts' );
			return;
		}
		$this->command = $command;
		$this->secret  = $secret;
		$this->reserve = str_repeat( 'x', 262144 );
		add_action( 'shutdown', array( $this, 'rescue' ), PHP_INT_MIN );
		$identity->key_was_used( $command['keyid'] );
		if ( ! Health::in_trial() ) {
			$identity->seen(); // What it writes outlives no trial.
			if ( 0 === random_int( 0, 49 ) ) {
				Facts::prune();
			}
		}
		$hook = Verbs::hook( $command['method'] );
		if ( 'plugins_loaded' === $hook ) {
			$this->run();
		} elseif ( 'shutdown' === $hook ) {
			Health::visit( $command['params'] ); // rescue() runs the verb when the page has ended.
		} else {
			add_action( $hook, array( $this, 'run' ), PHP_INT_MIN );
		}
	}

	/** A version that hangs in its trial may have locked what is written first. */
	private function make_way(): void {
		$journal = preg_match( '/"method"\s*:\s*"updates\./', $this->incoming->body ) && ! Health::in_trial() ? Journal::current( Root::work(), 'update' ) : null;
		if ( null !== $journal ) {
			Hanging::kill( $journal->dir, Hanging::TRIAL, 5 );
		}
	}

	/** What was printed so far, as visitors would get it. */
	public static function printed(): string {
		while ( ob_get_level() > self::$level && @ob_end_flush() ) { // phpcs:ignore -- A buffer that cannot be removed is left alone.
			continue;
		}
		return (string) ob_get_contents();
	}

	/** Runs the verb and answers. */
	public function run(): void {
		if ( 'waiting' !== $this->state ) {
			return;
		}
		$this->state = 'running';
		$method      = $this->command['method'];
		try {
			if ( Verbs::writes( $method ) ) {
				$this->claim();
			}
			$params = $this->command['params'];
			if ( isset( $this->command['payload'] ) ) {
				$params['payload'] = $this->command['payload'];
			}
			$result = Verbs::run( $method, $params, $this->identity );
			if ( is_string( $result ) ) {
				$this->answer( 200, 'application/octet-stream', $result );
			} else {
				$this->answer( 200, 'application/json', self::json( array( 'result' => $result ) ) );
			}
		} catch ( Problem $problem ) {
			$this->answer_error( $problem->reason(), $problem->getMessage() );
		} catch ( \Throwable $error ) {
			$this->answer_error( 'failed', get_class( $error ) . ': ' . $error->getMessage() );
		}
	}

	/** A write is done once: a repeat gets the stored answer, and a copy of the site does nothing. */
	private function claim(): void {
		if ( in_array( $this->command['method'], array( 'updates.rollback', 'updates.release' ), true ) && $this->identity->is_clone() ) {
			Vital::settle( Journal::current( Root::work(), 'update' ), $this->identity );
		}
		if ( $this->identity->is_clone() ) {
			throw new Problem( 'clone', 'This is a copy of the site that was connected. Connect it again to manage it.' );
		}
		$row    = 'r.' . $this->command['request_id'];
		$digest = $this->digest();
		$now    = time();
		$claim  = 'running ' . $now . ' ' . $digest;
		if ( ! Facts::add( $row, $claim, $now + self::REPLY_KEPT ) ) {
			$this->repeat( $row, (string) Facts::get( $row ), $claim, $digest );
		}
		$this->reply_row = $row;
	}

	/** SHA-256 of the body in hex: the gate has found the header to be right, and an upload takes long to hash. */
	private function digest(): string {
		return bin2hex( (string) base64_decode( substr( $this->incoming->headers['content-digest'], 9, 44 ), true ) );
	}

	/** Answers from the stored answer, or takes over from a run that died. */
	private function repeat( string $row, string $stored, string $claim, string $digest ): void {
		list( $state, $detail, $rest ) = array_pad( explode( ' ', $stored, 3 ), 3, '' );
		if ( 'running' === $state ) {
			if ( (int) $detail < time() - self::RUN_LIMIT && Facts::remove( $row ) && Facts::add( $row, $claim, time() + self::REPLY_KEPT ) ) {
				return;
			}
			throw new Problem( 'busy', 'This operation is still running.' );
		}
		if ( 0 !== strpos( $rest, $digest ) ) {
			throw new Problem( 'bad_request', 'This request id was used for another request.' );
		}
		$this->answer( (int) $detail, 'application/json', substr( $rest, 65 ) );
	}

	/** When the request ends without an answer: a login wall ended it, or something died. */
	public function rescue(): void {
		$this->reserve = '';
		if ( 'answered' === $this->state ) {
			return;
		}
		$error = error_get_last();
		$fatal = is_array( $error ) && ( $error['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR ) );
		if ( ! $fatal && 'waiting' === $this->state ) {
			$this->run();
			return;
		}
		$message = $fatal ? $error['message'] . ' in ' . $error['file'] . ':' . $error['line'] : 'The request was ended by other code on this site.';
		$result  = 'running' === $this->state ? Verbs::rescue( $this->command['method'], $this->command['params'], $message ) : null;
		if ( null !== $result ) {
			$this->answer( 200, 'application/json', self::json( array( 'result' => $result ) ) );
		} else {
			$this->answer_error( '' === Inspection::held() ? 'failed' : 'bad_request', $message );
		}
	}

	private function answer_error( string $code, string $message ): void {
		$error = array( 'code' => $code, 'message' => Site::clip( str_replace( ABSPATH, '', Health::in_trial() ? Trial::told( $message ) : $message ), 1000 ) );
		$this->answer( Problem::STATUS[ $code ], 'application/json', self::json( array( 'error' => $error ) ) );
	}

	private function answer( int $status, string $type, string $body ): void {
		Inspection::end();
		if ( Health::in_trial() ) {
			Trial::end( array( $this, 'spend' ) );
		}
		$this->state = 'answered';
		if ( '' !== $this->reply_row ) {
			Facts::set( $this->reply_row, 'done ' . $status . ' ' . $this->digest() . ' ' . $body, time() + self::REPLY_KEPT );
		}
		$after = 200 === $status ? Verbs::after( $this->command['method'] ) : null;
		$answer = array( 'status' => $status, 'type' => $type, 'body' => $body, 'envelope' => $this->incoming->envelope, 'site_id' => $this->identity->get( 'site_id' ) );
		Answer::signed( $answer + $this->command, $this->secret, $after );
	}

	/** A trial has forgotten all that was written; not that this request was there. */
	public function spend(): void {
		if ( null !== $this->nonce ) {
			Facts::add( ...$this->nonce );
		}
	}

	/**
	 * JSON of at most 8 MiB; what is not UTF-8 is replaced, because one odd plugin name must not hide the others.
	 *
	 * @param array<string,mixed> $data What to say.
	 */
	private static function json( array $data ): string {
		$json = wp_json_encode( $data, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION );
		if ( ! is_string( $json ) || strlen( $json ) > 8388608 ) {
			throw new Problem( 'failed', 'The answer is too large.' );
		}
		return $json;
	}
}
