<?php
// Whether the rows between two keys are what they were.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Rows, bytes and digest of one range. Of the SHA-256 of each row the first 64 bits are combined by XOR, the next 64 by addition, so that
 * adjoining ranges combine in the same way. MySQL does all of it by itself; on SQLite the text of the rows is hashed here.
 */
final class Digest {

	const EVERYTHING = '18446744073709551615'; // A LIMIT makes the database compute the hash of a row once, not for each use of it.

	/** @var Table What is looked at. */
	private $table;

	private function __construct( Table $table ) {
		$this->table = $table;
	}

	/**
	 * The rows behind one key, up to and with another. `digest` is null when there is none: such a range has to be read.
	 *
	 * @param string[]|null $after Key it begins behind.
	 * @param string[]|null $until Its last key; null is the end of the table.
	 */
	public static function of( Table $table, ?array $after, ?array $until ): array {
		$digest = new self( $table );
		return array( 'until' => $until ) + ( 'sqlite' === Tables::engine() ? $digest->computed( $after, $until ) : $digest->asked_for( $after, $until ) );
	}

	/** By the database. A row it has no hash for leaves the range without a digest. */
	private function asked_for( ?array $after, ?array $until ): array {
		$first  = 'CAST(CONV(LEFT(h,16),16,10) AS UNSIGNED)';
		$second = 'CAST(CONV(SUBSTRING(h,17,16),16,10) AS UNSIGNED)';
		$digest = "LPAD(HEX(BIT_XOR($first)),16,'0'),LPAD(HEX(CAST(MOD(IFNULL(SUM($second),0),18446744073709551616) AS UNSIGNED)),16,'0')";
		$rows   = self::all(
			"SELECT COUNT(*),COUNT(h),IFNULL(SUM(n),0),$digest FROM (SELECT SHA2({$this->light( $this->whole(), $this->gist() )},256) AS h,{$this->light( $this->length(), (string) Weight::STANDS_FOR )} AS n"
			. $this->table->from( $after, $until ) . ' LIMIT ' . self::EVERYTHING . ') AS svc'
		);
		list( $count, $hashes, $bytes, $xor, $sum ) = $rows[0];
		return array(
			'rows'   => (int) $count,
			'bytes'  => (int) $bytes,
			'digest' => $count === $hashes ? strtolower( $xor . $sum ) : null,
		);
	}

	/** One expression, or another for rows that are too heavy. */
	private function light( string $sql, string $heavy ): string {
		return $this->table->most > 0 ? "IF({$this->table->fits},$sql,$heavy)" : $sql;
	}

	/** What a row is known by: its text, or where that is more than the database makes at once one with hashes of the large values. */
	private function whole(): string {
		$most = Tables::most_at_once();
		return $this->table->most > $most ? "IF({$this->table->weight}<=$most,{$this->row( false )},{$this->row( true )})" : $this->row( false );
	}

	/** All stored values of a row in one text of bytes from which each can be told: `N` for NULL, else length, colon, value. */
	private function row( bool $is_large ): string {
		$parts = array();
		foreach ( $this->table->stored() as $column ) {
			$is_one  = $is_large && Weight::can_be_large( $column, $this->table->key );
			$parts[] = $is_one ? 'IF(' . Tables::quote( $column['name'] ) . " IS NULL,'N',SHA2(" . self::bytes_of( $column ) . ',256))' : self::told( $column );
		}
		return 'CONCAT(' . implode( ',', $parts ) . ')';
	}

	/** What a row that is too heavy is known by: its key. What else is in it, a backup does not hold. */
	private function gist(): string {
		$columns = array_column( $this->table->columns, null, 'name' );
		$parts   = array( "'H'" );
		foreach ( $this->table->key as $name ) {
			$parts[] = self::told( $columns[ $name ] );
		}
		return 'CONCAT(' . implode( ',', $parts ) . ')';
	}

	/** One value in the text of a row. */
	private static function told( array $column ): string {
		$value = self::bytes_of( $column );
		return "IFNULL(CONCAT(LENGTH($value),':',$value),'N')";
	}

	/** A value without what its text would hide: charset and trailing spaces, digits of a float, the number of an enum. */
	private static function bytes_of( array $column ): string {
		$name = Tables::quote( $column['name'] );
		if ( preg_match( Table::FLOATING, $column['type'] ) ) {
			return "($name * 1e0)";
		}
		if ( preg_match( '/^(enum|set|bit)\b/i', $column['type'] ) ) {
			return "CAST($name AS UNSIGNED)";
		}
		if ( preg_match( '/^(tiny|medium|long)?blob\b|^(var)?binary\b/i', $column['type'] ) || $column['number'] || preg_match( '/^(date|time)/i', $column['type'] ) ) {
			return $name;
		}
		return $column['binary'] ? "HEX($name)" : 'CAST(' . ( preg_match( '/^json\b/i', $column['type'] ) ? "CAST($name AS CHAR CHARACTER SET utf8mb4)" : $name ) . ' AS BINARY)';
	}

	/** About the bytes of a row. */
	private function length(): string {
		$fixed = 0;
		$parts = array();
		foreach ( $this->table->stored() as $column ) {
			if ( $column['number'] || preg_match( '/^(date|time|enum|set|bit)/i', $column['type'] ) ) {
				$fixed += 12;
			} else {
				$parts[] = 'IFNULL(LENGTH(' . Tables::quote( $column['name'] ) . '),4)';
			}
		}
		return implode( '+', array_merge( $parts, array( $fixed ) ) );
	}

	/** By reading the rows here. Without a key there is none: such a table is read whole. */
	private function computed( ?array $after, ?array $until ): array {
		$rows  = 0;
		$bytes = 0;
		$xor   = str_repeat( "\0", 8 );
		$sum   = array( 0, 0 );
		do {
			$seen  = 0;
			$chunk = $this->table->key ? Weight::chunk( $this->table, array( $after, $until, 0 ), 200 ) : 200;
			foreach ( $this->table->key ? Tables::fetch( $this->table->select( $after, $until, 0, $chunk ) ) : array() as $row ) {
				++$seen;
				$heavy  = Weight::too_heavy( $this->table, $row );
				$text   = $heavy > 0 ? 'H' . wp_json_encode( Table::wire( $this->table->key_of( $row ) ) ) : $this->table->tuple( $row );
				$hash   = hash( 'sha256', $text, true );
				$bytes += $heavy > 0 ? Weight::STANDS_FOR : strlen( $text );
				$xor   ^= substr( $hash, 0, 8 );
				$halves = array_values( unpack( 'N2', substr( $hash, 8, 8 ) ) );
				$sum[1] += $halves[1];
				$sum[0] += $halves[0] + ( $sum[1] >> 32 );
				$sum     = array( $sum[0] & 0xffffffff, $sum[1] & 0xffffffff );
				$after   = $this->table->key_of( $row );
			}
			$rows += $seen;
		} while ( $chunk === $seen );
		return array(
			'rows'   => $rows,
			'bytes'  => $bytes,
			'digest' => $this->table->key ? bin2hex( $xor . pack( 'N2', $sum[0], $sum[1] ) ) : null,
		);
	}

	/**
	 * All rows of a statement.
	 *
	 * @return array<int,array<int,string|null>>
	 */
	public static function all( string $sql ): array {
		$rows = Tables::fetch( $sql );
		return is_array( $rows ) ? $rows : iterator_to_array( $rows, false );
	}
}
