<?php
// Exchanging tables. Knows nothing of WordPress but the constants of wp-config.php.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * All tables at once: one RENAME TABLE on MySQL; SqliteSwap does the same for SQLite.
 * Whatever direction, the connector's own rows of now go along: a restore never rolls trust back.
 */
final class TableSwap {

	const MARKER = 'svc_connector_restore';
	const OURS   = "option_name LIKE 'svc\\_connector\\_%'";

	/** The staged tables become the live ones. */
	public static function forward( Journal $journal ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			SqliteSwap::forward( $journal );
			return;
		}
		$db      = self::connect();
		$options = $journal->get( 'prefix' ) . 'options';
		$known   = self::tables( $db );
		$renames = array();
		$target  = $options;
		foreach ( (array) $journal->get( 'tables' ) as $n => $name ) {
			if ( isset( $known[ self::staged( $journal, $n ) ] ) ) {
				if ( isset( $known[ $name ] ) ) {
					$renames[] = self::quote( $name ) . ' TO ' . self::quote( self::kept( $journal, $n ) );
				}
				$renames[] = self::quote( self::staged( $journal, $n ) ) . ' TO ' . self::quote( $name );
				$target    = $name === $options ? self::staged( $journal, $n ) : $target;
			}
		}
		foreach ( (array) $journal->get( 'extra' ) as $n => $name ) {
			if ( isset( $known[ $name ] ) && ! isset( $known[ self::kept( $journal, "x$n" ) ] ) ) {
				$renames[] = self::quote( $name ) . ' TO ' . self::quote( self::kept( $journal, "x$n" ) );
			}
		}
		self::carry( $db, $options, $target );
		self::mark( $db, $target, (string) $journal->get( 'id' ) );
		if ( $renames ) {
			self::run( $db, 'RENAME TABLE ' . implode( ', ', $renames ) );
		}
	}

	/** The kept tables become the live ones again. */
	public static function back( Journal $journal ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			SqliteSwap::back( $journal );
			return;
		}
		$db      = self::connect();
		$options = $journal->get( 'prefix' ) . 'options';
		$known   = self::tables( $db );
		$renames = array();
		$target  = $options;
		foreach ( (array) $journal->get( 'tables' ) as $n => $name ) {
			$kept = self::kept( $journal, $n );
			// A staged table that is still there was never swapped in.
			if ( isset( $known[ self::staged( $journal, $n ) ] ) || ! isset( $known[ $name ] ) ) {
				continue;
			}
			$renames[] = self::quote( $name ) . ' TO ' . self::quote( self::staged( $journal, $n ) );
			if ( isset( $known[ $kept ] ) ) {
				$renames[] = self::quote( $kept ) . ' TO ' . self::quote( $name );
				$target    = $name === $options ? $kept : $target;
			}
		}
		foreach ( (array) $journal->get( 'extra' ) as $n => $name ) {
			if ( isset( $known[ self::kept( $journal, "x$n" ) ] ) && ! isset( $known[ $name ] ) ) {
				$renames[] = self::quote( self::kept( $journal, "x$n" ) ) . ' TO ' . self::quote( $name );
			}
		}
		self::carry( $db, $options, $target );
		if ( $renames ) {
			self::run( $db, 'RENAME TABLE ' . implode( ', ', $renames ) );
		}
		self::run( $db, 'DELETE FROM ' . self::quote( $options ) . " WHERE option_name = '" . self::MARKER . "'" );
	}

	/** Name of a table that waits to become live. */
	public static function staged( Journal $journal, string $n ): string {
		return 'svc_connector_new_' . $journal->get( 'hex' ) . '_' . $n;
	}

	/** Name of a table that was live before. */
	public static function kept( Journal $journal, string $n ): string {
		return 'svc_connector_old_' . $journal->get( 'hex' ) . '_' . $n;
	}

	/** Drops what is left of a restore: tables by their names; the files of SQLite go with the folder. */
	public static function drop( Journal $journal, bool $also_kept ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			return;
		}
		$db = self::connect();
		foreach ( array_keys( self::tables( $db ) ) as $name ) {
			if ( preg_match( '/^svc_connector_(new|old)_' . $journal->get( 'hex' ) . '_x?[0-9]+$/D', $name, $found ) && ( $also_kept || 'new' === $found[1] ) ) {
				self::run( $db, 'DROP TABLE ' . self::quote( $name ) );
			}
		}
	}

	private static function carry( \mysqli $db, string $from, string $to ): void {
		if ( $from === $to ) {
			return;
		}
		self::run( $db, 'DELETE FROM ' . self::quote( $to ) . ' WHERE ' . self::OURS );
		self::run( $db, 'INSERT INTO ' . self::quote( $to ) . ' (option_name, option_value, autoload) SELECT option_name, option_value, autoload FROM ' . self::quote( $from ) . ' WHERE ' . self::OURS );
	}

	private static function mark( \mysqli $db, string $options, string $id ): void {
		self::run( $db, 'DELETE FROM ' . self::quote( $options ) . " WHERE option_name = '" . self::MARKER . "'" );
		self::run( $db, 'INSERT INTO ' . self::quote( $options ) . " (option_name, option_value, autoload) VALUES ('" . self::MARKER . "', '" . $db->real_escape_string( $id ) . "', 'no')" );
	}

	/** All tables of the database. */
	private static function tables( \mysqli $db ): array {
		$names  = array();
		$result = self::run( $db, 'SHOW FULL TABLES' );
		while ( $result instanceof \mysqli_result && is_array( $row = $result->fetch_row() ) ) { // phpcs:ignore -- The usual loop over a result.
			$names[ (string) $row[0] ] = true;
		}
		return $names;
	}

	/**
	 * Runs one statement.
	 *
	 * @return \mysqli_result|bool
	 */
	private static function run( \mysqli $db, string $sql ) {
		$result = $db->query( $sql );
		if ( false === $result ) {
			throw new Problem( 'failed', 'The database says: ' . $db->error );
		}
		return $result;
	}

	private static function quote( string $name ): string {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}

	/** A connection of its own, made as WordPress makes one. */
	private static function connect(): \mysqli {
		mysqli_report( MYSQLI_REPORT_OFF );
		$host = (string) DB_HOST;
		$port = 0;
		$sock = '';
		if ( preg_match( '/^(.*?):(\/.*)$/', $host, $found ) ) {
			list( , $host, $sock ) = $found;
		} elseif ( preg_match( '/^(\[[0-9a-f:]+\]|[^:]*):(\d+)$/i', $host, $found ) ) {
			list( , $host, $port ) = $found;
		}
		$db    = mysqli_init();
		$flags = defined( 'MYSQL_CLIENT_FLAGS' ) ? (int) MYSQL_CLIENT_FLAGS : 0;
		if ( ! $db || ! @$db->real_connect( '' === $host ? 'localhost' : trim( $host, '[]' ), DB_USER, DB_PASSWORD, DB_NAME, (int) $port, '' === $sock ? null : $sock, $flags ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words below.
			throw new Problem( 'failed', 'The database does not answer.' );
		}
		$db->set_charset( 'utf8mb4' );
		$db->query( "SET SESSION sql_mode = ''" );
		return $db;
	}
}
