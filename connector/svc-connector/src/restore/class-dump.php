<?php
// Reading statements of a backup. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Takes only what `db.rows` and `db.tables` write: rows of literals for one known table, and one plain CREATE TABLE.
 * Everything is read token by token; what is anything else is refused, whatever a database would make of it.
 */
final class Dump {

	/** Words that have no place in the definition of a plain table. */
	const FORBIDDEN = array( 'SELECT', 'LIKE', 'UNION', 'CONNECTION', 'DIRECTORY', 'FEDERATED', 'CONNECT', 'SPIDER', 'MERGE', 'MRG_MYISAM', 'REFERENCES', 'FOREIGN', 'TEMPORARY', 'REPLACE', 'EXISTS', 'TABLESPACE', 'INTO', 'CALL', 'SYSTEM', 'VERSIONING', 'S3', 'CSV', 'BLACKHOLE', 'OQGRAPH', 'SEQUENCE' );

	/**
	 * The rows of one statement, each in parentheses as it stands there.
	 *
	 * @param string   $line    `INSERT INTO … VALUES (…),(…);` and a line feed.
	 * @param string   $table   The only table it may name.
	 * @param string[] $columns The columns it names, in order.
	 */
	public static function rows( string $line, string $table, array $columns ): array {
		$head = self::head( $table, $columns );
		if ( 0 !== strncmp( $line, $head, strlen( $head ) ) || ";\n" !== substr( $line, -2 ) ) {
			throw self::foreign();
		}
		$rows = array();
		$at   = strlen( $head );
		$last = strlen( $line ) - 2;
		$many = count( $columns );
		while ( true ) {
			$end    = self::tuple( $line, $at, $many );
			$rows[] = substr( $line, $at, $end - $at );
			if ( $end === $last ) {
				return $rows;
			}
			if ( ',' !== $line[ $end ] ) {
				throw self::foreign();
			}
			$at = $end + 1;
		}
	}

	/**
	 * How a statement begins.
	 *
	 * @param string[] $columns In order.
	 */
	public static function head( string $table, array $columns ): string {
		return 'INSERT INTO ' . self::quote( $table ) . ' (' . implode( ',', array_map( array( self::class, 'quote' ), $columns ) ) . ') VALUES ';
	}

	/** The definition of a table under another name. */
	public static function create( string $create, string $table, string $as ): string {
		$head = 'CREATE TABLE ' . self::quote( $table );
		if ( 0 !== strncmp( $create, $head, strlen( $head ) ) || strlen( $create ) > 524288 || ! preg_match( '/^\s*\(/', substr( $create, strlen( $head ), 20 ) ) ) {
			throw self::foreign();
		}
		$bare = self::without_literals( substr( $create, strlen( $head ) ) );
		if ( preg_match( '/;|--|#|\/\*|@|\b(?:' . implode( '|', self::FORBIDDEN ) . ')\b/i', $bare ) ) {
			throw new Problem( 'failed', "The definition of the table $table holds something this connector does not restore (a foreign key, a conditional comment or a foreign engine)." );
		}
		return 'CREATE TABLE ' . self::quote( $as ) . substr( $create, strlen( $head ) );
	}

	/** Position behind the tuple that begins at $at. */
	private static function tuple( string $line, int $at, int $many ): int {
		for ( $n = 0; $n < $many; $n++ ) {
			if ( ( 0 === $n ? '(' : ',' ) !== ( $line[ $at ] ?? '' ) ) {
				throw self::foreign();
			}
			$at = self::value( $line, $at + 1 );
		}
		if ( ')' !== ( $line[ $at ] ?? '' ) ) {
			throw self::foreign();
		}
		return $at + 1;
	}

	/** Position behind the literal that begins at $at. */
	private static function value( string $line, int $at ): int {
		$first = $line[ $at ] ?? '';
		if ( "'" === $first ) {
			for ( $at++; true; $at += 2 ) {
				$at += strcspn( $line, "'\\", $at );
				if ( "'" === ( $line[ $at ] ?? '' ) ) {
					return $at + 1;
				}
				if ( '' === ( $line[ $at ] ?? '' ) ) {
					throw self::foreign();
				}
			}
		}
		if ( 'N' === $first && 'NULL' === substr( $line, $at, 4 ) ) {
			return $at + 4;
		}
		$length = '0x' === substr( $line, $at, 2 ) ? 2 + strspn( $line, '0123456789abcdefABCDEF', $at + 2 ) : 0;
		if ( $length > 2 ) {
			return $at + $length;
		}
		$length = strspn( $line, '0123456789.eE+-', $at, 400 );
		if ( $length < 1 || ! preg_match( '/^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/Di', substr( $line, $at, $length ) ) ) {
			throw self::foreign();
		}
		return $at + $length;
	}

	/** The text without what stands in quotes or backticks; refused when a quote does not end. */
	private static function without_literals( string $sql ): string {
		$bare = '';
		$at   = 0;
		$all  = strlen( $sql );
		while ( $at < $all ) {
			$plain = strcspn( $sql, "'\"`", $at );
			$bare .= substr( $sql, $at, $plain );
			$at   += $plain;
			if ( $at >= $all ) {
				break;
			}
			$quote = $sql[ $at ];
			for ( $at++; true; ) {
				$at += strcspn( $sql, $quote . ( '`' === $quote ? '' : '\\' ), $at );
				if ( $at >= $all ) {
					throw self::foreign();
				}
				if ( '\\' === $sql[ $at ] || ( $sql[ $at ] === $quote && $quote === ( $sql[ $at + 1 ] ?? '' ) ) ) {
					$at += 2;
					continue;
				}
				++$at;
				break;
			}
			$bare .= ' ? ';
		}
		return $bare;
	}

	private static function quote( string $name ): string {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}

	private static function foreign(): Problem {
		return new Problem( 'bad_request', 'That is not a statement of a backup of this table.' );
	}
}
