<?php
// Rows that are too large to travel.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The database itself measures its rows: PHP, whose memory may be small, never loads one that it cannot send. */
final class Weight {

	/** Types of which one value can be large. On SQLite any text can. */
	const LARGE = '/(medium|long)(text|blob)\b|^(json|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)\b/i';

	const PARTS = 7; // Of PHP's memory: one for what runs anyway, six for copies of a row while its text is made, packed, signed and sent.

	const TOLD = 200; // Rows one answer leaves out at most.

	const STANDS_FOR = 4096; // Bytes such a row counts for where a range is measured, so that a range holds few of them.

	/**
	 * Bytes above which a digest takes a row for too large: the service's number, or what fits the memory.
	 * 0 = never, for a service that knows of no such rows. The same in each request: a row that a backup holds must not change unseen.
	 */
	public static function most( array $params ): int {
		$above = Verbs::number( $params, 'skip_above' );
		$limit = Budget::memory_limit();
		return 0 === $limit ? $above : min( $above, max( 262144, (int) ( $limit / self::PARTS ) ) );
	}

	/** Bytes above which a row is left out: as above, or less where much of the memory is in use. */
	public static function most_now( array $params ): int {
		$most  = self::most( $params );
		$limit = Budget::memory_limit();
		return 0 === $limit ? $most : min( $most, max( 262144, (int) ( ( $limit - memory_get_usage( true ) ) / ( self::PARTS - 1 ) ) ) );
	}

	/**
	 * SQL for the bytes of a row's large values as they travel, binary ones in two digits each; '' when none can be large.
	 *
	 * @param array<int,array<string,mixed>> $columns From Table.
	 * @param string[]                       $key     Columns that are always told.
	 */
	public static function sql( array $columns, array $key ): string {
		$parts = array();
		foreach ( $columns as $column ) {
			if ( self::can_be_large( $column, $key ) ) {
				$name    = Tables::quote( $column['name'] );
				$bytes   = 'sqlite' === Tables::engine() ? "CAST($name AS BINARY)" : $name; // Its LENGTH() counts characters.
				$parts[] = "IFNULL(LENGTH($bytes),0)" . ( $column['binary'] ? '*2' : '' );
			}
		}
		return $parts ? '(' . implode( '+', $parts ) . ')' : '';
	}

	/**
	 * SQL for whether a row can be told, and the database takes back each of its values: what is larger in all goes back in pieces.
	 *
	 * @param array<int,array<string,mixed>> $columns From Table.
	 * @param string[]                       $key     Columns that are always told.
	 */
	public static function fits( array $columns, array $key, int $most ): string {
		$large = array();
		foreach ( $most > Tables::most_at_once() ? $columns : array() as $column ) {
			if ( self::can_be_large( $column, $key ) ) {
				$large[] = 'IFNULL(LENGTH(' . Tables::quote( $column['name'] ) . '),0)';
			}
		}
		return self::sql( $columns, $key ) . " <= $most" . ( $large ? ' AND GREATEST(0,' . implode( ',', $large ) . ') <= ' . Tables::most_at_once() : '' );
	}

	/**
	 * Bytes of a row that is too heavy to be told; 0 for any other.
	 *
	 * @param array<int,string|null> $row From Table::select().
	 */
	public static function too_heavy( Table $table, array $row ): int {
		return $table->most > 0 ? (int) $row[ count( $table->columns ) ] : 0;
	}

	/**
	 * How many of the next rows PHP can hold at once: on SQLite all of a statement arrive together.
	 *
	 * @param array{0:string[]|null,1:string[]|null,2:int} $position Last key before them, last key of what is read, rows passed over.
	 */
	public static function chunk( Table $table, array $position, int $chunk ): int {
		if ( 0 === $table->most || 'sqlite' !== Tables::engine() ) {
			return $chunk;
		}
		list( $after, $until, $offset ) = $position;

		$order = $table->key ? ' ORDER BY ' . $table->names( $table->key ) . " LIMIT $chunk" : " LIMIT $chunk OFFSET $offset";
		$bytes = 0;
		foreach ( Tables::fetch( "SELECT {$table->weight}" . $table->from( $after, $until ) . $order ) as $number => $row ) {
			$bytes += (int) $row[0] > $table->most ? 0 : (int) $row[0];
			if ( $bytes > $table->most ) {
				return max( 1, $number );
			}
		}
		return $chunk;
	}

	/**
	 * Whether a value of this column can be large.
	 *
	 * @param string[] $key Columns that are always told.
	 */
	public static function can_be_large( array $column, array $key ): bool {
		if ( in_array( $column['name'], $key, true ) ) {
			return false;
		}
		return 'sqlite' === Tables::engine() ? ! $column['number'] : 1 === preg_match( self::LARGE, $column['type'] );
	}
}
