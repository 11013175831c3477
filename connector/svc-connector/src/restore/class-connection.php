<?php
// A connection to the site's MySQL or MariaDB that is not WordPress's own. Knows nothing of WordPress but the constants of wp-config.php.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** For what must not depend on WordPress, or must be known of its end. */
final class Connection {

	const LENIENT = array( 'innodb_strict_mode', 'sql_require_primary_key' ); // Off, old tables are made again as they are, where the database lets this user say so.

	/**
	 * The only one of this name (64 characters at most). The statement of a process that was killed goes on in the database, which keeps the
	 * lock until it is done: so what is there is only read then. A cluster that has no such locks (Galera in strict mode) goes without.
	 */
	public static function alone( string $name ): \mysqli {
		$db = self::open();
		if ( '0' === ( Catalog::rows( $db, "SELECT GET_LOCK('$name', 20)" )[0][0] ?? null ) ) {
			throw new Problem( 'busy', 'The database is still at work on the step before this one.' );
		}
		return $db;
	}

	/** Made as WordPress makes one. */
	public static function open(): \mysqli {
		mysqli_report( MYSQLI_REPORT_OFF ); // phpcs:ignore WordPress.DB.RestrictedFunctions -- A connection of its own, beside that of $wpdb.
		$host = (string) DB_HOST;
		$port = 0;
		$sock = '';
		if ( preg_match( '/^(.*?):(\/.*)$/', $host, $found ) ) {
			list( , $host, $sock ) = $found;
		} elseif ( preg_match( '/^(\[[0-9a-f:]+\]|[^:]*):(\d+)$/i', $host, $found ) ) {
			list( , $host, $port ) = $found;
		}
		$db    = mysqli_init(); // phpcs:ignore WordPress.DB.RestrictedFunctions -- As above.
		$flags = defined( 'MYSQL_CLIENT_FLAGS' ) ? (int) MYSQL_CLIENT_FLAGS : 0;
		if ( ! $db || ! @$db->real_connect( '' === $host ? 'localhost' : trim( $host, '[]' ), DB_USER, DB_PASSWORD, DB_NAME, (int) $port, '' === $sock ? null : $sock, $flags ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words below.
			throw new Problem( 'failed', 'The database does not answer.' );
		}
		$db->set_charset( 'utf8mb4' );
		$db->query( "SET SESSION sql_mode = ''" );
		foreach ( self::LENIENT as $setting ) {
			$db->query( "SET SESSION $setting = 0" );
		}
		$db->query( 'SET SESSION lock_wait_timeout = 50' ); // Somebody else's long work on a table is no reason to wait for a day.
		$db->query( 'SET SESSION foreign_key_checks = 0' ); // A key is put back as it was; rows without the ones they refer to are the site's own affair.
		return $db;
	}
}
