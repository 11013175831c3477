<?php
// Reading the rows of a table.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `db.rows`: rows as INSERT statements in MySQL's dialect that put back exactly what was there. */
final class Database {

	const STATEMENT = 262144; // Bytes after which a new INSERT begins, below any max_allowed_packet in use.

	/** @var Table What is read. */
	private $table;

	/** @var string[]|null Last key read. */
	private $after;

	/** @var int Rows passed over, for a table without a key. */
	private $offset;

	/** @var array<int,array<string,mixed>> Rows that were left out. */
	private $skipped = array();

	/** @var string[]|null Last key that is read. */
	private $until;

	/**
	 * A reading from a position on.
	 *
	 * @param string[]|null $after Last key before it.
	 * @param string[]|null $until Last key of it.
	 */
	public function __construct( Table $table, ?array $after, int $offset, ?array $until ) {
		$this->table  = $table;
		$this->after  = $after;
		$this->offset = $offset;
		$this->until  = $until;
	}

	/** The verb `db.rows`. */
	public static function rows( array $params ): string {
		Tables::settle_session();
		$table   = Table::named( $params['table'] ?? null, Weight::most_now( $params ) );
		$budget  = Budget::of( $params );
		$most    = Verbs::number( $params, 'max_items', 10000, 1000000 );
		$bytes   = $budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 33554432 ) );
		$offset  = Verbs::number( $params, 'offset' );
		$reading = new self( $table, $table->position( $params['after'] ?? null ), $offset, $table->position( $params['until'] ?? null ) );
		$meta    = $reading->read( $most, $bytes, $budget );
		$sql     = $meta['sql'];
		unset( $meta['sql'] );
		$payload          = Reading::shrink( $sql );
		$meta['encoding'] = $payload === $sql ? 'identity' : 'gzip';
		return Reading::slice( $meta, $payload );
	}

	/**
	 * Number of rows from a position on, and the XOR of the MD5 of each: equal for equal rows in any order.
	 *
	 * @param string              $name   A table of a restore.
	 * @param array<string,mixed> $params After, offset, budget_ms.
	 */
	public static function digest( string $name, array $params ): array {
		$table  = new Table( $name );
		$budget = Budget::of( $params );

		$table->is_whole = true;

		$after  = $table->position( $params['after'] ?? null );
		$offset = Verbs::number( $params, 'offset' );
		$xor    = str_repeat( "\0", 16 );
		$count  = 0;
		do {
			$seen = 0;
			foreach ( Tables::fetch( $table->select( $after, null, $offset, 200 ) ) as $row ) {
				++$seen;
				$xor  ^= md5( $table->tuple( $row ), true );
				$after = $table->key ? $table->key_of( $row ) : null;
			}
			$offset += $seen;
			$count  += $seen;
		} while ( 200 === $seen && ! $budget->is_spent() );
		return array(
			'rows'   => $count,
			'xor'    => bin2hex( $xor ),
			'after'  => Table::wire( $after ),
			'offset' => $offset,
			'done'   => $seen < 200,
		);
	}

	/**
	 * Reads until a limit is reached, in chunks whose size follows from the rows seen so far; at least one row. Rows that are too heavy are
	 * passed over and listed.
	 */
	public function read( int $most, int $bytes, Budget $budget ): array {
		$head   = $this->table->head();
		$sql    = '';
		$length = 0; // Of the statement that is being written; 0 = none.
		$rows   = 0;
		$done   = false;
		$stop   = false;
		while ( ! $done && ! $stop ) {
			$average = $rows > 0 ? strlen( $sql ) / $rows : 2000;
			$chunk   = (int) max( 1, min( 5000, $most - $rows, ceil( ( $bytes - strlen( $sql ) ) / max( 1, $average ) ), 0 === $rows ? 100 : 5000 ) );
			$chunk   = Weight::chunk( $this->table, array( $this->after, $this->until, $this->offset ), $chunk );
			$seen    = 0;
			foreach ( Tables::fetch( $this->table->select( $this->after, $this->until, $this->offset, $chunk ) ) as $row ) {
				$heavy = Weight::too_heavy( $this->table, $row );
				$text  = $heavy > 0 ? '' : $this->table->tuple( $row );
				$heavy = $this->table->most > 0 && ( strlen( $text ) > $this->table->most || ( strlen( $text ) > Tables::most_at_once() && self::has_grown( $row ) ) ) ? max( $heavy, strlen( $text ) ) : $heavy; // By what had to be escaped.
				if ( $heavy > 0 ) {
					++$seen;
					$this->leave_out( $row, $heavy );
					if ( count( $this->skipped ) >= Weight::TOLD || $budget->is_spent() ) {
						$stop = true;
						break;
					}
					continue;
				}
				if ( $rows > 0 && strlen( $sql ) + strlen( $text ) > $bytes ) {
					$stop = true; // A row that is larger than a slice travels alone.
					break;
				}
				++$seen;
				++$rows;
				$sql    .= 0 === $length ? $head . $text : ',' . $text;
				$length += strlen( $text ) + 1;
				if ( $length > self::STATEMENT ) {
					$sql   .= ";\n";
					$length = 0;
				}
				$this->pass( $row );
				if ( $rows >= $most || strlen( $sql ) >= $bytes || $budget->is_spent() ) {
					$stop = true;
					break;
				}
			}
			$done = $seen < $chunk && ! $stop;
		}
		return array(
			'rows'   => $rows,
			'after'  => Table::wire( $this->after ),
			'offset' => $this->offset,
			'done'   => $done,
			'sql'    => $sql . ( $length > 0 ? ";\n" : '' ),
		) + ( $this->skipped ? array( 'skipped' => $this->skipped ) : array() );
	}

	/** Whether a value became more than the database takes, because it travels in another charset. */
	private static function has_grown( array $row ): bool {
		foreach ( $row as $value ) {
			if ( strlen( (string) $value ) > Tables::most_at_once() ) {
				return true;
			}
		}
		return false;
	}

	/** Notes down a row that is too heavy, and goes on behind it. */
	private function leave_out( array $row, int $bytes ): void {
		$this->skipped[] = array(
			'key'    => $this->table->key ? Table::wire( $this->table->key_of( $row ) ) : null,
			'offset' => $this->offset,
			'bytes'  => $bytes,
		);
		$this->pass( $row );
	}

	/** Goes on behind a row. */
	private function pass( array $row ): void {
		if ( $this->table->key ) {
			$this->after = $this->table->key_of( $row );
		} else {
			++$this->offset;
		}
	}
}
