<?php
// What the database knows of the keys, triggers and events there are. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Told as the statements that make them. */
final class Catalog {

	const NO_TABLE = 1146; // One of the two is not there.

	/**
	 * Foreign keys that these tables hold, and those of others that point to them: table, name, clause, references.
	 *
	 * @param string[] $tables Names.
	 */
	public static function keys( \mysqli $db, array $tables ): array {
		$tables  = array_fill_keys( $tables, true );
		$holders = array();
		foreach ( $tables ? self::pairs( $db ) : array() as list( $table, $referenced ) ) {
			if ( isset( $tables[ $table ] ) || isset( $tables[ $referenced ] ) ) {
				$holders[ $table ] = true;
			}
		}
		$found = array();
		foreach ( array_map( 'strval', array_keys( $holders ) ) as $table ) {
			foreach ( Dump::keys( self::definition( $db, $table ) ) as $name => $key ) {
				if ( isset( $tables[ $table ] ) || isset( $tables[ $key['references'] ] ) ) {
					$found[] = array( 'table' => $table, 'name' => (string) $name ) + $key;
				}
			}
		}
		return $found;
	}

	/**
	 * Keys between these tables and others, of which rows refer to rows that are not there: `orphans`, each with table, key, rows. Of how many
	 * keys that is not known, because it would take too long: `unlooked`.
	 *
	 * @param string[] $tables Names.
	 */
	public static function orphans( \mysqli $db, array $tables, int $seconds = 10 ): array {
		$db->query( 'SET SESSION max_statement_time = 5' ); // MariaDB; the next one is MySQL's. What takes longer is said to be unknown.
		$db->query( 'SET SESSION max_execution_time = 5000' );
		$until = microtime( true ) + $seconds;
		$found = array( 'orphans' => array(), 'unlooked' => 0 );
		foreach ( self::keys( $db, $tables ) as $key ) {
			if ( '' === $key['references'] || in_array( $key['table'], $tables, true ) === in_array( $key['references'], $tables, true ) ) {
				continue;
			}
			if ( microtime( true ) > $until ) {
				++$found['unlooked'];
				continue;
			}
			$named = array_map( array( $db, 'real_escape_string' ), array( $key['table'], $key['name'] ) );
			$parts = self::rows( $db, "SELECT COLUMN_NAME, REFERENCED_COLUMN_NAME, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '$named[0]' AND CONSTRAINT_NAME = '$named[1]'" );
			if ( ! $parts ) {
				continue;
			}
			$filled = array();
			$equal  = array();
			foreach ( $parts as list( $column, $referenced ) ) {
				$filled[] = 'a.' . self::quote( $column ) . ' IS NOT NULL';
				$equal[]  = 'b.' . self::quote( $referenced ) . ' = a.' . self::quote( $column );
			}
			$sql  = 'SELECT COUNT(*) FROM ' . self::quote( $key['table'] ) . ' a WHERE ' . implode( ' AND ', $filled ) . ' AND NOT EXISTS (SELECT 1 FROM ' . self::quote( $parts[0][2] ) . ' b WHERE ' . implode( ' AND ', $equal ) . ')';
			$rows = self::rows( $db, $sql )[0][0] ?? null;
			if ( null === $rows ) {
				$found['unlooked'] += self::NO_TABLE === $db->errno ? 0 : 1;
			} elseif ( $rows > 0 ) {
				$found['orphans'][] = array( 'table' => $key['table'], 'key' => $key['name'], 'rows' => (int) $rows );
			}
		}
		return $found;
	}

	/** Which table refers to which: all foreign keys of this database. */
	public static function pairs( \mysqli $db ): array {
		return self::rows( $db, 'SELECT DISTINCT TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1, 2' );
	}

	/** Tables of this database to which tables of others refer. InnoDB knows at once, and of all; whoever may not ask it sees few other databases. */
	public static function referred_from_elsewhere( \mysqli $db ): array {
		foreach ( array( 'INNODB_SYS_FOREIGN', 'INNODB_FOREIGN' ) as $list ) {
			$rows = self::rows( $db, "SELECT FOR_NAME, REF_NAME, DATABASE() FROM information_schema.$list" );
			if ( 0 === $db->errno ) {
				$found = array();
				foreach ( $rows as $row ) {
					list( $from )       = explode( '/', self::plain( (string) $row[0] ), 2 );
					list( $to, $table ) = explode( '/', self::plain( (string) $row[1] ), 2 ) + array( '', '' );
					if ( $to === $row[2] && $from !== $to ) {
						$found[] = $table;
					}
				}
				return $found;
			}
		}
		return array_column( self::rows( $db, 'SELECT DISTINCT REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_SCHEMA = DATABASE() AND TABLE_SCHEMA <> DATABASE()' ), 0 );
	}

	/** A name as InnoDB keeps it: other letters than those of words by their number. */
	private static function plain( string $name ): string {
		return (string) preg_replace_callback(
			'/@00([0-7][0-9a-f])/',
			static function ( array $found ): string {
				return chr( (int) hexdec( $found[1] ) );
			},
			$name
		);
	}

	/**
	 * Triggers on these tables, in the order in which they act.
	 *
	 * @param string[] $tables Names.
	 */
	public static function triggers( \mysqli $db, array $tables ): array {
		$found = array();
		foreach ( $tables ? self::rows( $db, 'SHOW TRIGGERS' ) : array() as $row ) {
			if ( in_array( (string) $row[2], $tables, true ) ) {
				$made    = self::rows( $db, 'SHOW CREATE TRIGGER ' . self::quote( (string) $row[0] ) )[0] ?? array();
				$found[] = array( 'table' => (string) $row[2], 'name' => (string) $row[0], 'create' => (string) ( $made[2] ?? '' ), 'sql_mode' => (string) ( $made[1] ?? '' ), 'charset' => (string) ( $made[3] ?? '' ), 'collation' => (string) ( $made[4] ?? '' ) );
			}
		}
		return $found;
	}

	/**
	 * Events of these names; null = all.
	 *
	 * @param string[]|null $names Names.
	 */
	public static function events( \mysqli $db, ?array $names = null ): array {
		$found = array();
		foreach ( array() === $names ? array() : self::rows( $db, 'SHOW EVENTS' ) as $row ) {
			if ( null === $names || in_array( (string) $row[1], $names, true ) ) {
				$made    = self::rows( $db, 'SHOW CREATE EVENT ' . self::quote( (string) $row[1] ) )[0] ?? array();
				$found[] = array( 'name' => (string) $row[1], 'create' => (string) ( $made[3] ?? '' ), 'sql_mode' => (string) ( $made[1] ?? '' ), 'time_zone' => (string) ( $made[2] ?? '' ), 'charset' => (string) ( $made[4] ?? '' ), 'collation' => (string) ( $made[5] ?? '' ) );
			}
		}
		return $found;
	}

	/**
	 * Rows of a statement; none where the database refuses.
	 *
	 * @return array<int,array<int,string|null>>
	 */
	public static function rows( \mysqli $db, string $sql ): array {
		$result = $db->query( $sql );
		return $result instanceof \mysqli_result ? $result->fetch_all( MYSQLI_NUM ) : array();
	}

	/** How a table is made; '' where there is none. */
	public static function definition( \mysqli $db, string $table ): string {
		return (string) ( self::rows( $db, 'SHOW CREATE TABLE ' . self::quote( $table ) )[0][1] ?? '' );
	}

	/** Whether a table of options can be read and is a site's: one that was emptied is as good as none. */
	public static function has_site( \mysqli $db, string $options ): bool {
		return array() !== self::rows( $db, 'SELECT option_value FROM ' . self::quote( $options ) . " WHERE option_name = 'siteurl' LIMIT 1" );
	}

	/** An identifier in backticks, where Tables may not be loaded. */
	public static function quote( string $name ): string {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}
}
