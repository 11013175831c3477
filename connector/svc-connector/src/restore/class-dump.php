<?php
// Reading statements of a backup. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Takes only what `db.rows` and `db.tables` write: rows of literals for one known table, and one plain CREATE TABLE.
 * Everything is read token by token; what is anything else is refused, whatever a database would make of it.
 */
final class Dump {

	/** A line of a definition that is a foreign key. */
	const KEY = '/^  (?<clause>CONSTRAINT (?<name>`(?:[^`\n]|``)+`) FOREIGN KEY \((?:`(?:[^`\n]|``)+`(?:, )?)+\) REFERENCES (?<elsewhere>(?:`(?:[^`\n]|``)+`\.)?)(?<table>`(?:[^`\n]|``)+`) \((?:`(?:[^`\n]|``)+`(?:, )?)+\)(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|SET NULL|NO ACTION|SET DEFAULT)){0,2}),?\n/m';

	/** How MySQL 8 says whether a table is encrypted on its disk. */
	const ENCRYPTED = array( " /*!80016 ENCRYPTION='Y' */", " /*!80016 ENCRYPTION='N' */" );

	/** What could read or write files, or is no statement before it runs. */
	const REACHES = '/\b(?:OUTFILE|DUMPFILE|INFILE|LOAD_FILE|PREPARE|EXECUTE)\b/i';

	/** What stands for a byte in a text of `db.rows`. */
	const ESCAPED = array(
		'\\'   => '\\\\',
		"'"    => "\\'",
		"\0"   => '\\0',
		"\n"   => '\\n',
		"\r"   => '\\r',
		"\x1a" => '\\Z',
	);

	const LONG = 1024; // Bytes of a literal from which it is sent by itself.

	/** By whom something was made. */
	const DEFINER = '(?:DEFINER=`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)?\s+)?';

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
	 * A row with something in the place of its long literals, and their values.
	 *
	 * @param string $row From rows().
	 * @return array{0:string,1:string[]}
	 */
	public static function in_pieces( string $row ): array {
		$sql    = '';
		$values = array();
		for ( $at = 0; ')' !== $row[ $at ]; $at = $end ) {
			$end    = self::value( $row, $at + 1 );
			$length = $end - $at - 1;
			$is_hex = '0x' === substr( $row, $at + 1, 2 );
			$sql   .= $row[ $at ];
			if ( $length < self::LONG ) {
				$sql .= substr( $row, $at + 1, $length );
			} else {
				$sql     .= $is_hex ? '?' : 'CONVERT(? USING utf8mb4)'; // Values arrive as bytes.
				$values[] = $is_hex ? (string) hex2bin( substr( $row, $at + 3, $length - 2 ) ) : strtr( substr( $row, $at + 2, $length - 2 ), array_flip( self::ESCAPED ) );
			}
		}
		return array( "$sql)", $values );
	}

	/**
	 * How a statement begins.
	 *
	 * @param string[] $columns In order.
	 */
	public static function head( string $table, array $columns ): string {
		return 'INSERT INTO ' . self::quote( $table ) . ' (' . implode( ',', array_map( array( self::class, 'quote' ), $columns ) ) . ') VALUES ';
	}

	/** The definition of a table under another name, and without its foreign keys: their names are taken while the live table has them. */
	public static function create( string $create, string $table, string $as ): string {
		$head   = 'CREATE TABLE ' . self::quote( $table );
		$create = self::without_keys( $create );
		if ( 0 !== strncmp( $create, $head, strlen( $head ) ) || strlen( $create ) > 524288 || ! preg_match( '/^\s*\(/', substr( $create, strlen( $head ), 20 ) ) ) {
			throw self::foreign();
		}
		$bare = self::without_conditions( self::without_literals( str_replace( self::ENCRYPTED, ' ', substr( $create, strlen( $head ) ) ) ) );
		if ( preg_match( '/;|--|#|\/\*|@|\b(?:' . implode( '|', self::FORBIDDEN ) . ')\b/i', $bare ) ) {
			throw new Problem( 'failed', "The definition of the table $table holds something this connector does not restore (a comment, or rows that lie elsewhere)." );
		}
		return 'CREATE TABLE ' . self::quote( $as ) . substr( $create, strlen( $head ) );
	}

	/**
	 * The foreign keys in a definition, as the database writes them, by name: clause, and the table of the same database they refer to or ''.
	 *
	 * @return array<string,array{clause:string,references:string}>
	 */
	public static function keys( string $create ): array {
		$keys = array();
		preg_match_all( self::KEY, $create, $lines, PREG_SET_ORDER );
		foreach ( $lines as $line ) {
			$keys[ self::plain( $line['name'] ) ] = array( 'clause' => $line['clause'], 'references' => '' === $line['elsewhere'] ? self::plain( $line['table'] ) : '' );
		}
		return $keys;
	}

	/** A definition without its foreign keys. */
	private static function without_keys( string $create ): string {
		$bare = (string) preg_replace( self::KEY, '', $create );
		return $bare === $create ? $create : (string) preg_replace( '/,\n\)/', "\n)", $bare, 1 );
	}

	/** A definition whose checks have no names: on MySQL the live table has them, and two tables cannot. The database gives others. */
	public static function without_check_names( string $create ): string {
		return (string) preg_replace( '/^  CONSTRAINT `(?:[^`\n]|``)+` (?=CHECK \()/m', '  ', $create );
	}

	/** The indexes in a definition: name => columns. */
	public static function indexes( string $create ): array {
		preg_match_all( '/^  (?:[A-Z]+ )?KEY (`(?:[^`\n]|``)+`) (\(.*?)(?:,)?$/m', $create, $lines, PREG_SET_ORDER );
		return array_combine( array_map( array( self::class, 'plain' ), array_column( $lines, 1 ) ), array_column( $lines, 2 ) );
	}

	/** Whether a definition makes this trigger of this table. What the trigger does is not read: it is the site's own, and acts with the rights of its own user. */
	public static function is_trigger( string $create, string $name, string $table ): bool {
		$called = static function ( string $word ): string {
			return '(?:(?:`(?:[^`]|``)+`|\w+)\s*\.\s*)?(?:' . preg_quote( self::quote( $word ), '/' ) . '|' . preg_quote( $word, '/' ) . ')';
		};
		return self::is_tame( $create, 65536 ) && 1 === preg_match( '/^CREATE\s+' . self::DEFINER . 'TRIGGER\s+(?:IF\s+NOT\s+EXISTS\s+)?' . $called( $name ) . '\s+(?:BEFORE|AFTER)\s+(?:INSERT|UPDATE|DELETE)\s+ON\s+' . $called( $table ) . '\s+FOR\s+EACH\s+ROW\b/i', $create );
	}

	/** Whether a definition makes this event. What it does is not read, as with triggers. */
	public static function is_event( string $create, string $name ): bool {
		return self::is_tame( $create, 65536 ) && 1 === preg_match( '/^CREATE\s+' . self::DEFINER . 'EVENT\s+' . preg_quote( self::quote( $name ), '/' ) . '\s+ON\s+SCHEDULE\s/i', $create );
	}

	/** Whether a definition makes this view. */
	public static function is_view( string $create, string $name ): bool {
		return self::is_tame( $create, 524288 ) && 1 === preg_match( '/^CREATE\s+(?:ALGORITHM=\w+\s+)?' . self::DEFINER . '(?:SQL SECURITY \w+\s+)?VIEW\s+' . preg_quote( self::quote( $name ), '/' ) . '\s+(?:\([^)]*\)\s+)?AS\s/i', $create );
	}

	private static function is_tame( string $create, int $most ): bool {
		return strlen( $create ) <= $most && ! preg_match( self::REACHES, $create );
	}

	/** The user as whom a definition makes it, as it stands there; '' where it names none. */
	public static function definer( string $create ): string {
		return preg_match( '/^CREATE\s+(?:ALGORITHM=\w+\s+)?DEFINER=(`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)?)/i', $create, $found ) ? $found[1] : '';
	}

	/** Made by whoever runs it. */
	public static function without_definer( string $create ): string {
		return (string) preg_replace( '/^(CREATE\s+(?:ALGORITHM=\w+\s+)?)' . self::DEFINER . '/i', '$1', $create );
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

	/** The text with what stands in conditional comments as if it stood there plainly. Where not every server reads that, it may be nothing but words. */
	private static function without_conditions( string $bare ): string {
		for ( $at = strpos( $bare, '/*' ); false !== $at; $at = strpos( $bare, '/*', $at ) ) {
			$end = strpos( $bare, '*/', $at + 2 );
			$is  = false === $end ? '' : substr( $bare, $at, $end - $at );
			if ( ! preg_match( '/^\/\*(?:!50[0-6]\d\d(?!\d)|M?!\d{5,6}(?=[\w =]*$))/D', $is, $mark ) ) {
				break;
			}
			$bare = substr_replace( $bare, ' ' . substr( $is, strlen( $mark[0] ) ) . ' ', $at, strlen( $is ) + 2 );
		}
		return $bare;
	}

	private static function quote( string $name ): string {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}

	private static function plain( string $quoted ): string {
		return str_replace( '``', '`', substr( $quoted, 1, -1 ) );
	}

	private static function foreign(): Problem {
		return new Problem( 'bad_request', 'That is not a statement of a backup of this table.' );
	}
}
