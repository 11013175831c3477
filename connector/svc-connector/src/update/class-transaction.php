<?php
// A transaction around a look, which nobody commits. Knows nothing of WordPress but its connection.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * The database may end it before its time: a deadlock takes all of it back, a lost connection is made anew by wpdb, which says the same statement
 * once more. Whatever comes then would stay. So the connection may only read outside of it, and is not made anew.
 */
final class Transaction {

	const ENDINGS = array( 1205, 1213, 1792, 2006, 2013 ); // A lock waited for too long, a deadlock, a write outside of it, a connection that is gone.

	/** @var int|null How often wpdb would connect again; null: it is not asked. */
	private static $retries = null;

	/** Where a lock of somebody else is waited for, for so many seconds; 0: as ever. */
	public static function begin( int $waits = 0 ): void {
		global $wpdb;
		self::say( 'START TRANSACTION' );
		if ( self::is_mysql() ) {
			if ( $waits > 0 ) {
				self::say( "SET SESSION innodb_lock_wait_timeout = $waits" );
			}
			self::say( 'SET SESSION TRANSACTION READ ONLY' ); // Of those that come after this one.
			self::$retries = isset( $wpdb->reconnect_retries ) ? (int) $wpdb->reconnect_retries : null;
			if ( null !== self::$retries ) {
				$wpdb->reconnect_retries = 0;
			}
		}
	}

	/** Whether the last statement met its end. */
	public static function is_lost(): bool {
		return self::is_mysql() && in_array( mysqli_errno( $GLOBALS['wpdb']->dbh ), self::ENDINGS, true ); // phpcs:ignore WordPress.DB.RestrictedFunctions -- wpdb keeps the words alone.
	}

	/** Nothing of it remains, and what follows is written as ever. */
	public static function end(): void {
		global $wpdb;
		if ( null !== self::$retries ) {
			$wpdb->reconnect_retries = self::$retries;
			self::$retries           = null;
		}
		self::say( 'ROLLBACK' );
		if ( self::is_mysql() ) {
			self::say( 'SET SESSION TRANSACTION READ WRITE' );
		}
	}

	/** An old server does not know all of it. */
	private static function say( string $sql ): void {
		global $wpdb;
		$was = $wpdb->suppress_errors( true );
		$wpdb->query( $sql ); // phpcs:ignore WordPress.DB -- Ends with the connection at the latest.
		$wpdb->suppress_errors( $was );
	}

	private static function is_mysql(): bool {
		return isset( $GLOBALS['wpdb']->dbh ) && $GLOBALS['wpdb']->dbh instanceof \mysqli;
	}
}
