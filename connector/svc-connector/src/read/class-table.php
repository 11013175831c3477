<?php
// One table, and how its rows are asked for and told.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Statements that read a table by its key, and the text of a row: literals in MySQL's dialect that put back exactly what was there. */
final class Table {

	const NUMBER   = '/^(tinyint|smallint|mediumint|int|integer|bigint|decimal|numeric|float|double|real|year)\b/i';
	const FLOATING = '/^(float|double|real)\b/i';

	/** @var string Name of the table. */
	public $name;

	/** @var array<int,array<string,mixed>> Its columns as Tables::columns() tells them. */
	public $columns;

	/** @var string[] Columns of the key it is paged by; empty when it has none. */
	public $key;

	/** @var int Bytes of large values above which a row is told without them; 0 = never. */
	public $most = 0;

	/** @var bool Also rows that are this plugin's own: a table of a restore is looked at as it was loaded. */
	public $is_whole = false;

	/** @var string What measures that in SQL; '' where no row is measured. */
	public $weight = '';

	/** @var string SQL for whether a row is told. */
	public $fits = '';

	/** @param string $name From the database, or a table of a restore. */
	public function __construct( string $name, int $most = 0 ) {
		$this->name    = $name;
		$this->key     = Tables::key( $name );
		$this->columns = array_map(
			function ( array $column ): array {
				$column['number'] = 1 === preg_match( self::NUMBER, $column['type'] );
				// As it is: the digits of a large one may be more than the database makes, which would be NULL.
				$column['raw'] = $column['binary'] && null !== Tables::db() && Weight::can_be_large( $column, $this->key );
				return $column;
			},
			Tables::columns( $name )
		);
		$this->weight  = $most > 0 ? Weight::sql( $this->columns, $this->key ) : '';
		$this->most    = '' === $this->weight ? 0 : $most;
		$this->fits    = $this->most > 0 ? Weight::fits( $this->columns, $this->key, $most ) : '';
	}

	/**
	 * Only tables of this site; the name is compared with what the database says.
	 *
	 * @param mixed $name As it arrived.
	 */
	public static function named( $name, int $most = 0 ): self {
		if ( ! is_string( $name ) || 'table' !== ( Tables::names()[ $name ] ?? '' ) ) {
			throw new Problem( 'bad_request', 'There is no such table on this site.' );
		}
		return new self( $name, $most );
	}

	/** How a statement begins that puts rows into it. */
	public function head(): string {
		return 'INSERT INTO ' . Tables::quote( $this->name ) . ' (' . $this->names( array_column( $this->stored(), 'name' ) ) . ') VALUES ';
	}

	/**
	 * Columns in backticks.
	 *
	 * @param string[] $columns Names.
	 */
	public function names( array $columns ): string {
		return implode( ',', array_map( array( Tables::class, 'quote' ), $columns ) );
	}

	/**
	 * The statement for one chunk. Binary travels as hex and floats as doubles, because their own text loses digits. Where rows are measured
	 * the last field is the weight of one that is too heavy, and its large values are NULL.
	 *
	 * @param string[]|null $after Last key before it; null is the beginning.
	 * @param string[]|null $until Last key it may hold; null is the end.
	 */
	public function select( ?array $after, ?array $until, int $offset, int $chunk ): string {
		$fields = array();
		foreach ( $this->columns as $column ) {
			$name = Tables::quote( $column['name'] );
			if ( $column['binary'] && ! $column['raw'] ) {
				$name = "CASE WHEN $name IS NULL THEN NULL ELSE HEX($name) END";
			} elseif ( 'sqlite' === Tables::engine() && preg_match( '/^(float|double|real|decimal|numeric)\b/i', $column['type'] ) ) {
				$name = "CASE WHEN typeof($name) = 'real' THEN printf('%!.17g', $name) ELSE $name END";
			} elseif ( preg_match( self::FLOATING, $column['type'] ) ) {
				$name = "$name * 1e0"; // A sum would lose the sign of -0.
			}
			$fields[] = $this->most > 0 && Weight::can_be_large( $column, $this->key ) ? "CASE WHEN {$this->fits} THEN $name END" : $name;
		}
		$fields = $this->most > 0 ? array_merge( $fields, array( "CASE WHEN {$this->fits} THEN 0 ELSE {$this->weight} END" ) ) : $fields;
		$sql    = 'SELECT ' . implode( ', ', $fields ) . $this->from( $after, $until );
		return $this->key ? $sql . ' ORDER BY ' . $this->names( $this->key ) . " LIMIT $chunk" : $sql . " LIMIT $chunk OFFSET $offset";
	}

	/**
	 * The rows behind one key, up to and with another.
	 *
	 * @param string[]|null $after Last key before them.
	 * @param string[]|null $until Their last key.
	 */
	public function from( ?array $after, ?array $until ): string {
		$sql = ' FROM ' . Tables::quote( $this->name ) . ' WHERE ' . ( $this->is_whole ? '1 = 1' : Facts::none_of_ours( $this->name ) );
		$sql = null === $after || ! $this->key ? $sql : $sql . ' AND ' . $this->compared( $after, '>' );
		return null === $until || ! $this->key ? $sql : $sql . ' AND ' . $this->compared( $until, '<' );
	}

	/**
	 * (a, b) > (x, y), written so that every database uses the index: a >= x AND ((a > x) OR (a = x AND b > y)). The other way round with `<`,
	 * and (x, y) itself is in.
	 *
	 * @param string[] $bound A key.
	 */
	private function compared( array $bound, string $sign ): string {
		$types = array_column( $this->columns, null, 'name' );
		$equal = array();
		$parts = array();
		$first = '';
		foreach ( $this->key as $number => $column ) {
			$name    = Tables::quote( $column );
			$value   = self::literal( $types[ $column ]['binary'] ? bin2hex( $bound[ $number ] ) : $bound[ $number ], $types[ $column ] );
			$first   = '' === $first ? "$name $sign= $value" : $first;
			$parts[] = '(' . implode( ' AND ', array_merge( $equal, array( "$name $sign $value" ) ) ) . ')';
			$equal[] = "$name = $value";
		}
		if ( '<' === $sign ) {
			$parts[] = '(' . implode( ' AND ', $equal ) . ')';
		}
		if ( 1 === count( $this->key ) ) {
			return '<' === $sign ? $first : $parts[0];
		}
		return $first . ' AND (' . implode( ' OR ', $parts ) . ')';
	}

	/** One row in parentheses. */
	public function tuple( array $row ): string {
		$values = array();
		foreach ( $this->columns as $number => $column ) {
			if ( ! $column['generated'] ) {
				$values[] = self::literal( $column['raw'] && null !== $row[ $number ] ? strtoupper( bin2hex( $row[ $number ] ) ) : $row[ $number ], $column );
			}
		}
		return '(' . implode( ',', $values ) . ')';
	}

	/**
	 * One value in MySQL's dialect.
	 *
	 * @param string|null $value Hex digits for a binary column.
	 */
	public static function literal( $value, array $column ): string {
		if ( null === $value ) {
			return 'NULL';
		}
		$value = (string) $value;
		if ( $column['binary'] ) {
			return '' === $value ? "''" : '0x' . $value;
		}
		if ( '-0' === $value && preg_match( self::FLOATING, $column['type'] ) ) {
			return '-0e0'; // Without an exponent it would be the integer.
		}
		if ( $column['number'] && preg_match( '/^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/Di', $value ) ) {
			return $value;
		}
		return "'" . strtr( $value, Dump::ESCAPED ) . "'";
	}

	/** Columns that are stored, not computed. */
	public function stored(): array {
		return array_filter(
			$this->columns,
			static function ( array $column ): bool {
				return ! $column['generated'];
			}
		);
	}

	/** Key of a row, as raw bytes. */
	public function key_of( array $row ): array {
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
	 */
	public function position( $after ): ?array {
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

	/**
	 * A key as it travels.
	 *
	 * @param string[]|null $key Raw bytes.
	 */
	public static function wire( ?array $key ): ?array {
		return null === $key ? null : array_map( 'base64_encode', $key );
	}
}
