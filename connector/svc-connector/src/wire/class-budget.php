<?php
// How long one slice may work.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Stops at the service's budget, half of max_execution_time or 60 % of memory_limit, whichever comes first. */
final class Budget {

	/** @var float Unix time, seconds with fractions. */
	private $deadline;

	/** @var int Bytes; 0 is unlimited. */
	private $memory;

	/** Counted from now for the service's budget, from the start of the request for PHP's limit. */
	public function __construct( int $budget_ms ) {
		$this->deadline = microtime( true ) + $budget_ms / 1000;
		$this->memory   = (int) ( self::memory_limit() * 0.6 );

		$limit = self::time_limit();
		$start = isset( $_SERVER['REQUEST_TIME_FLOAT'] ) ? (float) $_SERVER['REQUEST_TIME_FLOAT'] : microtime( true );
		if ( $limit > 0 ) {
			$this->deadline = min( $this->deadline, $start + $limit / 2 );
		}
	}

	/** From the parameters of a slice. */
	public static function of( array $params ): self {
		return new self( isset( $params['budget_ms'] ) ? Verbs::number( $params, 'budget_ms', 0, 60000 ) : 8000 );
	}

	/** True when it is time to stop. */
	public function is_spent(): bool {
		return microtime( true ) >= $this->deadline || ( $this->memory > 0 && memory_get_usage( true ) >= $this->memory );
	}

	/** True when a list takes so much memory that no slice could go on beside it, once it was put in order. */
	public function is_crowded(): bool {
		return $this->memory > 0 && memory_get_usage() >= 0.6 * $this->memory;
	}

	/** Bytes of payload that fit: signing and sending hold a few copies. */
	public function payload( int $wanted ): int {
		$room = $this->memory > 0 ? (int) ( ( $this->memory - memory_get_usage( true ) ) / 5 ) : 33554432;
		return min( $wanted, 33554432, max( 65536, $room ) );
	}

	/** Bytes; 0 is unlimited. */
	public static function memory_limit(): int {
		$limit = wp_convert_hr_to_bytes( (string) ini_get( 'memory_limit' ) );
		return $limit > 0 ? (int) $limit : 0;
	}

	/** Seconds; 0 is unlimited. */
	public static function time_limit(): int {
		return max( 0, (int) ini_get( 'max_execution_time' ) );
	}
}
