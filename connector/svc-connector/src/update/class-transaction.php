<?php
// A transaction around a look, which nobody commits. Knows nothing of WordPress but its connection.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * The database may end it before its time: a deadlock takes all of it back, a lost connection is made anew by wpdb, which says the same statement
 * once more. Whatever comes then would stay. So the connection may only read outside of it, and is not made anew.
 */
final class Transaction {

	const LOST    = 'a transaction that the database ended'; // In words, where that is what was held back.
	const LONG    = 8; // Seconds one statement of a trial may take.
	const ENDINGS = array( 1205, 1213, 1792, 1969, 2006, 2013, 3024 ); // A lock waited for too long, a deadlock, a write outside of it, a statement that takes too long, a connection that is gone.

	/** @var int|null How often wpdb would connect again; null: it is not asked. */
	private static $retries = null;

	/** @var bool Whether it was begun, and not ended by us. */
	private static $is_open = false;

	/** False where the database begins none. A lock of somebody else is waited for, for so many seconds; 0: as ever. */
	public static function begin( int $waits = 0 ): bool {
		global $wpdb;
		self::$is_open = self::say( 'START TRANSACTION' );
		if ( self::is_mysql() ) {
			if ( $waits > 0 ) {
				self::say( "SET SESSION innodb_lock_wait_timeout = $waits" );
				self::say( 'SET SESSION max_statement_time = ' . self::LONG ); // Of MariaDB.
				self::say( 'SET SESSION max_execution_time = ' . 1000 * self::LONG ); // Of MySQL.
			}
			self::say( 'SET SESSION TRANSACTION READ ONLY' ); // Of those that come after this one.
			self::$retries = isset( $wpdb->reconnect_retries ) ? (int) $wpdb->reconnect_retries : null;
			if ( null !== self::$retries ) {
				$wpdb->reconnect_retries = 0;
			}
		}
		return self::$is_open;
	}

	/** Whether the last statement met its end. The SQLite of WordPress ends it with any statement that fails. */
	public static function is_lost(): bool {
		global $wpdb;
		if ( self::is_mysql() ) {
			return in_array( mysqli_errno( $wpdb->dbh ), self::ENDINGS, true ); // phpcs:ignore WordPress.DB.RestrictedFunctions -- wpdb keeps the words alone.
		}
		$driver = self::$is_open && isset( $wpdb->dbh ) ? $wpdb->dbh : null;
		return is_object( $driver ) && method_exists( $driver, 'inTransaction' ) ? ! $driver->inTransaction() : self::$is_open && '' !== (string) ( $wpdb->last_error ?? '' );
	}

	/** By what another request can end this connection, and all that it has locked; '' where there is no such thing. */
	public static function connection(): string {
		$row = self::is_mysql() ? $GLOBALS['wpdb']->dbh->query( 'SELECT CONCAT( CONNECTION_ID(), \' \', @@hostname )' ) : false;
		return $row instanceof \mysqli_result ? (string) $row->fetch_row()[0] : '';
	}

	/** Ends a connection of another request, if it is to the same server: a server allows that to the same user. */
	public static function cut( string $connection ): void {
		$own = array_pad( explode( ' ', self::connection(), 2 ), 2, '' );
		if ( preg_match( '/^(\d{1,20}) (.+)$/D', $connection, $found ) && $found[2] === $own[1] && $found[1] !== $own[0] ) {
			self::say( "KILL $found[1]" );
		}
	}

	/** Nothing of it remains, and what follows is written as ever. */
	public static function end(): void {
		global $wpdb;
		if ( null !== self::$retries ) {
			$wpdb->reconnect_retries = self::$retries;
			self::$retries           = null;
		}
		self::$is_open = false;
		self::say( 'ROLLBACK' );
		if ( self::is_mysql() ) {
			self::say( 'SET SESSION TRANSACTION READ WRITE' );
		}
	}

	/** False where the server refuses: an old one does not know all of it. */
	private static function say( string $sql ): bool {
		global $wpdb;
		$was  = $wpdb->suppress_errors( true );
		$done = $wpdb->query( $sql ); // phpcs:ignore WordPress.DB -- Ends with the connection at the latest.
		$wpdb->suppress_errors( $was );
		return false !== $done;
	}

	/** Whether it is WordPress's own connection to a MySQL or MariaDB. */
	public static function is_mysql(): bool {
		return isset( $GLOBALS['wpdb']->dbh ) && $GLOBALS['wpdb']->dbh instanceof \mysqli;
	}
}
