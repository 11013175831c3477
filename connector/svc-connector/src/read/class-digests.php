<?php
// Whether the rows of a range are what they were.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `db.digests`: a table falls into ranges between keys; of each its number of rows and a digest are told. */
final class Digests {

	/** @var Table What is looked at. */
	private $table;

	/** @var int About as many bytes of rows are one range. */
	private $size;

	/** @var int Rows that may be as many bytes. */
	private $step;

	/** A range that is not told yet. */
	public function __construct( Table $table, int $size, int $step ) {
		$this->table = $table;
		$this->size  = $size;
		$this->step  = $step;
	}

	/** The verb. */
	public static function report( array $params ): array {
		Tables::settle_session();
		$budget = Budget::of( $params );
		$most   = Verbs::number( $params, 'max_items', 500, 10000 );
		$size   = max( 4096, Verbs::number( $params, 'bytes', 524288, 67108864 ) );
		$heavy  = Weight::most( $params );
		$told   = array();
		foreach ( self::asked( $params ) as $item ) {
			$ranges = array();
			$done   = true;
			foreach ( self::of_item( $item, $size, $heavy ) as $range ) {
				$ranges[] = array( 'until' => Table::wire( $range['until'] ) ) + $range;
				--$most;
				if ( null !== $range['until'] && ( $most <= 0 || $budget->is_spent() ) ) {
					$done = false; // There may be more: to look would take longer.
					break;
				}
			}
			$told[] = array( 'ranges' => $ranges, 'done' => $done );
			if ( ! $done ) {
				break;
			}
		}
		return array( 'tables' => $told );
	}

	/** The tables of a request. */
	public static function asked( array $params ): array {
		$items = $params['tables'] ?? null;
		if ( ! is_array( $items ) || ! $items || count( $items ) > 5000 || array_filter( $items, 'is_array' ) !== $items ) {
			throw new Problem( 'bad_request', 'Parameter tables must be a list.' );
		}
		return array_values( $items );
	}

	/**
	 * The ranges of one table that a request asks for, one after the other.
	 *
	 * @param array<string,mixed> $item Table, after, bounds, tail, step.
	 * @param int                 $most Bytes above which a row is too heavy; 0 = never.
	 * @return iterable<int,array<string,mixed>>
	 */
	public static function of_item( array $item, int $size, int $most = 0 ): iterable {
		$table  = Table::named( $item['table'] ?? null, $most );
		$bounds = $item['bounds'] ?? array();
		if ( ! is_array( $bounds ) || count( $bounds ) > 20000 ) {
			throw new Problem( 'bad_request', 'Parameter bounds must be a list.' );
		}
		$digests = new self( $table, $size, Verbs::number( $item, 'step', 1000, 20000 ) );
		return $digests->ranges( $table->position( $item['after'] ?? null ), array_map( array( $table, 'position' ), $bounds ), false !== ( $item['tail'] ?? true ) );
	}

	/**
	 * Ranges that end at the given keys, those that became too large in parts; then new ones to the end of the table.
	 *
	 * @param array<int,string[]|null> $bounds Keys in order.
	 * @return \Generator<int,array<string,mixed>>
	 */
	private function ranges( ?array $after, array $bounds, bool $tail ): \Generator {
		if ( ! $this->table->key ) {
			yield Digest::of( $this->table, null, null );
			return;
		}
		foreach ( $bounds as $bound ) {
			if ( null === $bound ) {
				throw new Problem( 'bad_request', 'That is not a key of this table.' );
			}
			$range = Digest::of( $this->table, $after, $bound );
			if ( $this->fits( $range ) ) {
				yield $range;
			} else {
				yield from $this->steps( $after, $bound );
			}
			$after = $bound;
		}
		if ( $tail ) {
			yield from $this->steps( $after, null );
		}
	}

	/**
	 * Ranges of about the wanted size.
	 *
	 * @return \Generator<int,array<string,mixed>>
	 */
	private function steps( ?array $after, ?array $until ): \Generator {
		$end = $this->key_behind( $after, $until );
		while ( null !== $end ) {
			$range = Digest::of( $this->table, $after, $end );
			$ratio = $this->size / max( 1, $range['bytes'] );
			if ( ! $this->fits( $range ) ) {
				$this->step = max( 1, min( $this->step - 1, (int) ( $range['rows'] * $ratio ) ) );
				$end        = $this->key_behind( $after, $until );
				continue;
			}
			yield $range;
			$this->step = (int) max( 1, min( 20000, $this->step * max( 0.5, min( 2, $ratio ) ) ) );
			$after      = $end;
			$end        = $after === $until ? null : $this->key_behind( $after, $until );
		}
	}

	/**
	 * Whether a range can stay as it is.
	 *
	 * @param array<string,mixed> $range Rows, bytes.
	 */
	private function fits( array $range ): bool {
		return $range['bytes'] <= 2 * $this->size || $range['rows'] < 2;
	}

	/** The key at which the next range ends; null when there are no more rows. */
	private function key_behind( ?array $after, ?array $until ): ?array {
		$names  = array_map( array( Tables::class, 'quote' ), $this->table->key );
		$fields = array();
		foreach ( $names as $number => $name ) {
			$types    = array_column( $this->table->columns, 'binary', 'name' );
			$fields[] = $types[ $this->table->key[ $number ] ] ? "HEX($name)" : $name;
		}
		$sql  = 'SELECT ' . implode( ',', $fields ) . $this->table->from( $after, $until ) . ' ORDER BY ';
		$rows = Digest::all( $sql . implode( ',', $names ) . ' LIMIT 1 OFFSET ' . ( $this->step - 1 ) );
		if ( ! $rows ) {
			$rows = null === $until ? Digest::all( $sql . implode( ' DESC,', $names ) . ' DESC LIMIT 1' ) : array();
			if ( ! $rows ) {
				return $until;
			}
		}
		$key = array();
		foreach ( $rows[0] as $number => $value ) {
			$key[] = "HEX({$names[ $number ]})" === $fields[ $number ] ? (string) hex2bin( (string) $value ) : (string) $value;
		}
		return $key;
	}
}
