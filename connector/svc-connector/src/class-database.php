<?php
// Reading the rows of a table.
namespace Svc\Connector;

/** The verb `db.rows`: rows as INSERT statements in MySQL's dialect that put back exactly what was there. */
final class Database {

	const STATEMENT = 262144; // Bytes after which a new INSERT begins, below any max_allowed_packet in use.
	const NUMBER    = '/^(tinyint|smallint|mediumint|int|integer|bigint|decimal|numeric|float|double|real|year)\b/i';

	/** @var string Table that is read. */
	private $table;

	/** @var array<int,array<string,mixed>> Its columns as Tables::columns() tells them. */
	private $columns;

	/** @var string[] Columns of the key it is paged by; empty when it has none. */
	private $key;

	/**
	 * Only tables of this site; the name is compared with what the database says.
	 *
	 * @param mixed $table As it arrived.
	 */
	private function __construct( $table, bool $staged = false ) {
		if ( ! $staged && ( ! is_string( $table ) || 'table' !== ( Tables::names()[ $table ] ?? '' ) ) ) {
			throw new Problem( 'bad_request', 'There is no such table on this site.' );
		}
		$this->table   = $table;
		$this->columns = array_map(
			static function ( array $column ): array {
				return $column + array( 'number' => 1 === preg_match( self::NUMBER, $column['type'] ) );
			},
			Tables::columns( $table )
		);
		$this->key     = Tables::key( $table );
	}

	/**
	 * The verb `db.rows`.
	 *
	 * @param array<string,mixed> $params Table, after, offset, max_bytes, max_items, budget_ms.
	 */
	public static function rows( array $params ): string {
		Tables::settle_session();
		$database = new self( $params['table'] ?? null );
		$budget   = Budget::of( $params );
		$most     = Verbs::number( $params, 'max_items', 10000, 1, 1000000 );
		$bytes    = $budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 1, 33554432 ) );
		$offset   = Verbs::number( $params, 'offset', 0, 0, PHP_INT_MAX );
		$meta     = $database->read( $database->position( $params['after'] ?? null ), $offset, $most, $bytes, $budget );
		$sql      = $meta['sql'];
		unset( $meta['sql'] );
		$payload          = Reading::shrink( $sql );
		$meta['encoding'] = $payload === $sql ? 'identity' : 'gzip';
		return Reading::slice( $meta, $payload );
	}

	/**
	 * Number of rows from a position on, and the XOR of the MD5 of each: equal for equal rows in any order.
	 *
	 * @param string              $table  A table of a restore.
	 * @param array<string,mixed> $params After, offset, budget_ms.
	 * @return array<string,mixed>
	 */
	public static function digest( string $table, array $params ): array {
		$database = new self( $table, true );
		$budget   = Budget::of( $params );
		$after    = $database->position( $params['after'] ?? null );
		$offset   = Verbs::number( $params, 'offset', 0, 0, PHP_INT_MAX );
		$xor      = str_repeat( "\0", 16 );
		$count    = 0;
		do {
			$seen = 0;
			foreach ( Tables::fetch( $database->select( $after, $offset, 200 ) ) as $row ) {
				++$seen;
				$xor  ^= md5( $database->tuple( $row ), true );
				$after = $database->key ? $database->key_of( $row ) : null;
			}
			$offset += $seen;
			$count  += $seen;
		} while ( 200 === $seen && ! $budget->is_spent() );
		return array(
			'rows'   => $count,
			'xor'    => bin2hex( $xor ),
			'after'  => null === $after ? null : array_map( 'base64_encode', $after ),
			'offset' => $offset,
			'done'   => $seen < 200,
		);
	}

	/**
	 * Reads until a limit is reached, in chunks whose size follows from the rows seen so far; at least one row.
	 *
	 * @param string[]|null $after Last key.
	 * @return array<string,mixed>
	 */
	private function read( ?array $after, int $offset, int $most, int $bytes, Budget $budget ): array {
		$head   = 'INSERT INTO ' . Tables::quote( $this->table ) . ' (' . implode( ',', array_map( array( Tables::class, 'quote' ), array_column( $this->stored(), 'name' ) ) ) . ') VALUES ';
		$sql    = '';
		$length = 0; // Of the statement that is being written; 0 = none.
		$rows   = 0;
		$done   = false;
		$stop   = false;
		while ( ! $done && ! $stop ) {
			$average = $rows > 0 ? strlen( $sql ) / $rows : 2000;
			$chunk   = (int) max( 1, min( 5000, $most - $rows, ceil( ( $bytes - strlen( $sql ) ) / max( 1, $average ) ), 0 === $rows ? 100 : 5000 ) );
			$seen    = 0;
			foreach ( Tables::fetch( $this->select( $after, $offset, $chunk ) ) as $row ) {
				$text = $this->tuple( $row );
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
				if ( $this->key ) {
					$after = $this->key_of( $row );
				} else {
					++$offset;
				}
				if ( $rows >= $most || strlen( $sql ) >= $bytes || $budget->is_spent() ) {
					$stop = true;
					break;
				}
			}
			$done = $seen < $chunk && ! $stop;
		}
		return array(
			'rows'   => $rows,
			'after'  => null === $after ? null : array_map( 'base64_encode', $after ),
			'offset' => $offset,
			'done'   => $done,
			'sql'    => $sql . ( $length > 0 ? ";\n" : '' ),
		);
	}

	/** The statement for one chunk. Binary travels as hex and floats as doubles, because their own text loses digits. */
	private function select( ?array $after, int $offset, int $chunk ): string {
		$fields = array();
		foreach ( $this->columns as $column ) {
			$name = Tables::quote( $column['name'] );
			if ( $column['binary'] ) {
				$name = "CASE WHEN $name IS NULL THEN NULL ELSE HEX($name) END";
			} elseif ( 'sqlite' === Tables::engine() && preg_match( '/^(float|double|real|decimal|numeric)\b/i', $column['type'] ) ) {
				$name = "CASE WHEN typeof($name) = 'real' THEN printf('%!.17g', $name) ELSE $name END";
			} elseif ( preg_match( '/^(float|double|real)\b/i', $column['type'] ) ) {
				$name = "$name + 0e0";
			}
			$fields[] = $name;
		}
		$sql = 'SELECT ' . implode( ', ', $fields ) . ' FROM ' . Tables::quote( $this->table ) . ' WHERE ' . Rows::none_of_ours( $this->table );
		if ( ! $this->key ) {
			return $sql . " LIMIT $chunk OFFSET $offset";
		}
		$order = implode( ', ', array_map( array( Tables::class, 'quote' ), $this->key ) );
		return $sql . ( null === $after ? '' : ' AND ' . $this->beyond( $after ) ) . " ORDER BY $order LIMIT $chunk";
	}

	/**
	 * (a, b) > (x, y), written so that every database uses the index: a >= x AND ((a > x) OR (a = x AND b > y)).
	 *
	 * @param string[] $after Last key.
	 */
	private function beyond( array $after ): string {
		$types = array_column( $this->columns, null, 'name' );
		$equal = '';
		$parts = array();
		$first = '';
		foreach ( $this->key as $number => $column ) {
			$name    = Tables::quote( $column );
			$value   = self::literal( $types[ $column ]['binary'] ? bin2hex( $after[ $number ] ) : $after[ $number ], $types[ $column ] );
			$first   = '' === $first ? "$name >= $value" : $first;
			$parts[] = "($equal$name > $value)";
			$equal  .= "$name = $value AND ";
		}
		return 1 === count( $parts ) ? $parts[0] : $first . ' AND (' . implode( ' OR ', $parts ) . ')';
	}

	/**
	 * One row in parentheses.
	 *
	 * @param array<int,string|null> $row In the order of the columns.
	 */
	private function tuple( array $row ): string {
		$values = array();
		foreach ( $this->columns as $number => $column ) {
			if ( ! $column['generated'] ) {
				$values[] = self::literal( $row[ $number ], $column );
			}
		}
		return '(' . implode( ',', $values ) . ')';
	}

	/**
	 * One value in MySQL's dialect.
	 *
	 * @param string|null         $value  Hex digits for a binary column.
	 * @param array<string,mixed> $column From Tables::columns().
	 */
	private static function literal( $value, array $column ): string {
		if ( null === $value ) {
			return 'NULL';
		}
		$value = (string) $value;
		if ( $column['binary'] ) {
			return '' === $value ? "''" : '0x' . $value;
		}
		if ( $column['number'] && preg_match( '/^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/Di', $value ) ) {
			return $value;
		}
		return "'" . strtr(
			$value,
			array(
				'\\'   => '\\\\',
				"'"    => "\\'",
				"\0"   => '\\0',
				"\n"   => '\\n',
				"\r"   => '\\r',
				"\x1a" => '\\Z',
			)
		) . "'";
	}

	/**
	 * Columns that are stored, not computed.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	private function stored(): array {
		return array_filter(
			$this->columns,
			static function ( array $column ): bool {
				return ! $column['generated'];
			}
		);
	}

	/**
	 * Key of a row, as raw bytes.
	 *
	 * @param array<int,string|null> $row In the order of the columns.
	 * @return string[]
	 */
	private function key_of( array $row ): array {
		$positions = array_flip( array_column( $this->columns, 'name' ) );
		$values    = array();
		foreach ( $this->key as $name ) {
			$position = $positions[ $name ];
			$value    = (string) $row[ $position ];
			$values[] = $this->columns[ $position ]['binary'] ? (string) hex2bin( $value ) : $value;
		}
		return $values;
	}

	/**
	 * Last key from the wire.
	 *
	 * @param mixed $after List of base64 texts, or null.
	 * @return string[]|null
	 */
	private function position( $after ): ?array {
		if ( null === $after || ! $this->key ) {
			return null;
		}
		if ( ! is_array( $after ) || count( $after ) !== count( $this->key ) ) {
			throw new Problem( 'bad_request', 'That is not a key of this table.' );
		}
		return array_map(
			static function ( $value ): string {
				$bytes = is_string( $value ) ? base64_decode( $value, true ) : false;
				if ( false === $bytes ) {
					throw new Problem( 'bad_request', 'That is not a key of this table.' );
				}
				return $bytes;
			},
			array_values( $after )
		);
	}
}
