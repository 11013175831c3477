<?php
// The whole database as of one moment.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `db.snapshot`: digests and rows of all tables within one transaction, when that fits one answer. */
final class Snapshot {

	/** @var Budget How long it may take. */
	private $budget;

	/** @var int Bytes of statements that are left. */
	private $room;

	/** @var int Bytes above which a row is too heavy; 0 = never. */
	private $most;

	/** @var string Statements. */
	private $sql = '';

	private function __construct( Budget $budget, int $room, int $most ) {
		$this->budget = $budget;
		$this->room   = $room;
		$this->most   = $most;
	}

	/** The verb. Of ranges whose digest is the given one, no rows are told. */
	public static function take( array $params ): string {
		Tables::settle_session();
		$budget   = Budget::of( $params );
		$size     = max( 4096, Verbs::number( $params, 'bytes', 524288, 67108864 ) );
		$snapshot = new self( $budget, $budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 33554432 ) ), Weight::most( $params ) );
		$items    = Digests::asked( $params );
		$tables   = null;
		if ( self::begin() ) {
			try {
				$tables = $snapshot->tables( $items, $size );
			} finally {
				Tables::run( 'ROLLBACK' );
			}
		}
		$payload = null === $tables ? '' : Reading::shrink( $snapshot->sql );
		return Reading::slice(
			array(
				'complete' => null !== $tables,
				'tables'   => $tables ?? array(),
				'encoding' => null === $tables || $payload === $snapshot->sql ? 'identity' : 'gzip',
			),
			$payload
		);
	}

	/** Begins to see one moment; false where a table would not take part in it. */
	private static function begin(): bool {
		if ( 'sqlite' === Tables::engine() ) {
			return Tables::run( 'START TRANSACTION' );
		}
		$names = Tables::names();
		foreach ( Digest::all( 'SHOW TABLE STATUS' ) as list( $name, $engine ) ) {
			if ( 'table' === ( $names[ $name ] ?? '' ) && ! in_array( $engine, array( 'InnoDB', 'ROCKSDB', 'TokuDB' ), true ) ) {
				return false;
			}
		}
		return Tables::run( 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' ) && Tables::run( 'START TRANSACTION WITH CONSISTENT SNAPSHOT' );
	}

	/**
	 * All tables, or null when they do not fit or are not those that were asked for.
	 *
	 * @param array<int,array<string,mixed>> $items Table, bounds, digests, step.
	 */
	private function tables( array $items, int $size ): ?array {
		$asked = array_column( $items, 'table' );
		$there = array_keys( Tables::names(), 'table', true );
		if ( array_diff( $there, $asked ) || array_diff( $asked, $there ) ) {
			return null;
		}
		$tables = array();
		foreach ( $items as $item ) {
			$ranges = $this->table( $item, $size );
			if ( null === $ranges ) {
				return null;
			}
			$tables[] = array( 'create' => Tables::definition( $item['table'] ), 'ranges' => $ranges );
		}
		return $tables;
	}

	/**
	 * The ranges of one table; null when they do not fit.
	 *
	 * @param array<string,mixed> $item Table, bounds, digests, step.
	 */
	private function table( array $item, int $size ): ?array {
		$table   = Table::named( $item['table'], $this->most );
		$digests = is_array( $item['digests'] ?? null ) ? $item['digests'] : array();
		$known   = array();
		foreach ( array_values( (array) ( $item['bounds'] ?? array() ) ) as $number => $bound ) {
			$known[ (string) wp_json_encode( $bound ) ] = $digests[ $number ] ?? null;
		}
		$ranges = array();
		$after  = null;
		foreach ( Digests::of_item( $item, $size, $this->most ) as $range ) {
			$until  = Table::wire( $range['until'] );
			$name   = (string) wp_json_encode( $until );
			$same   = null !== $range['digest'] && ( $known[ $name ] ?? ( $table->key ? null : ( $digests[0] ?? null ) ) ) === $range['digest'];
			$length = $same ? null : $this->rows( $table, $after, $range );
			if ( -1 === $length || $this->budget->is_spent() ) {
				return null;
			}
			$ranges[] = array( 'until' => $until, 'size' => $length ) + $range;
			$after    = $range['until'];
		}
		return $ranges;
	}

	/**
	 * Takes the rows of a range; the bytes of their statements, -1 when they do not fit.
	 *
	 * @param array<string,mixed> $range Its until, rows, digest.
	 */
	private function rows( Table $table, ?array $after, array &$range ): int {
		$reading = new Database( $table, $after, 0, $range['until'] );
		$meta    = $reading->read( PHP_INT_MAX, $this->room, $this->budget );
		$length  = strlen( $meta['sql'] );
		if ( ! $meta['done'] || $length > $this->room ) {
			return -1;
		}
		$range['rows'] = $meta['rows'];
		$range        += array_intersect_key( $meta, array( 'skipped' => true ) );
		$this->sql    .= $meta['sql'];
		$this->room   -= $length;
		return $length;
	}
}
