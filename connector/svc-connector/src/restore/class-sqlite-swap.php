<?php
// A SQLite database, exchanged as a whole. Knows nothing of WordPress until it is asked for its driver.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Page by page, inside one transaction of the live database. */
final class SqliteSwap {

	/** The staged database becomes the live one. */
	public static function forward( Journal $journal ): void {
		$file    = (string) $journal->get( 'file' );
		$prefix  = (string) $journal->get( 'prefix' );
		$new     = $journal->data( 'new.sqlite' );
		$old     = $journal->data( 'old.sqlite' );
		$options = $prefix . 'options';
		$live    = self::open( $file );
		if ( self::marker( $live, $options ) === $journal->get( 'id' ) ) {
			return;
		}
		if ( ! is_file( $new ) ) {
			self::mark( $live, $options, (string) $journal->get( 'id' ) );
			return;
		}
		self::carry( $file, $new, $prefix );
		$staged = self::open( $new );
		self::mark( $staged, $options, (string) $journal->get( 'id' ) );
		if ( ! is_file( $old ) ) {
			self::copy( $file, $old );
		}
		self::pages( $staged, $live );
		$staged->close();
		$live->close();
	}

	/** The kept database becomes the live one again. */
	public static function back( Journal $journal ): void {
		$file    = (string) $journal->get( 'file' );
		$prefix  = (string) $journal->get( 'prefix' );
		$old     = $journal->data( 'old.sqlite' );
		$options = $prefix . 'options';
		$live    = self::open( $file );
		if ( self::marker( $live, $options ) !== $journal->get( 'id' ) && 'committed' !== $journal->get( 'was' ) ) {
			return;
		}
		if ( is_file( $old ) ) {
			self::carry( $file, $old, $prefix );
			$kept = self::open( $old );
			$kept->exec( "DELETE FROM \"$options\" WHERE option_name = '" . TableSwap::MARKER . "'" );
			self::pages( $kept, $live );
			$kept->close();
		} else {
			$live->exec( "DELETE FROM \"$options\" WHERE option_name = '" . TableSwap::MARKER . "'" );
		}
		$live->close();
	}

	/** Brings the connector's rows of now into another database file. */
	private static function carry( string $from, string $to, string $prefix ): void {
		$db   = self::open( $to );
		$ours = TableSwap::OURS . " ESCAPE '\\'";
		$db->exec( "ATTACH DATABASE '" . \SQLite3::escapeString( $from ) . "' AS now" );
		$db->exec( 'BEGIN IMMEDIATE' );
		$done = $db->exec( "DELETE FROM main.\"{$prefix}options\" WHERE $ours" )
			&& $db->exec( "INSERT INTO main.\"{$prefix}options\" (option_name, option_value, autoload) SELECT option_name, option_value, autoload FROM now.\"{$prefix}options\" WHERE $ours" )
			&& $db->exec( "DELETE FROM main.\"{$prefix}svc_connector\"" )
			&& $db->exec( "INSERT INTO main.\"{$prefix}svc_connector\" SELECT * FROM now.\"{$prefix}svc_connector\"" )
			&& $db->exec( 'COMMIT' );
		if ( ! $done ) {
			throw new Problem( 'failed', 'The database says: ' . $db->lastErrorMsg() );
		}
		$db->close();
	}

	private static function mark( \SQLite3 $db, string $options, string $id ): void {
		$done = $db->exec( "DELETE FROM \"$options\" WHERE option_name = '" . TableSwap::MARKER . "'" )
			&& $db->exec( "INSERT INTO \"$options\" (option_name, option_value, autoload) VALUES ('" . TableSwap::MARKER . "', '" . \SQLite3::escapeString( $id ) . "', 'no')" );
		if ( ! $done ) {
			throw new Problem( 'failed', 'The database says: ' . $db->lastErrorMsg() );
		}
	}

	private static function marker( \SQLite3 $db, string $options ): string {
		return (string) @$db->querySingle( "SELECT option_value FROM \"$options\" WHERE option_name = '" . TableSwap::MARKER . "'" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- No table, no marker.
	}

	/** A database file, opened. */
	private static function open( string $path ): \SQLite3 {
		$db = new \SQLite3( $path );
		$db->busyTimeout( 5000 );
		return $db;
	}

	/** All pages of one database become those of another, in one transaction of the other. */
	private static function pages( \SQLite3 $from, \SQLite3 $to ): void {
		for ( $try = 0; ! @$from->backup( $to ); $try++ ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Tried again, then said in words.
			if ( $try > 20 ) {
				throw new Problem( 'failed', 'The database file is busy.' );
			}
			usleep( 100000 );
		}
	}

	/** A copy of a database that is in use, there whole or not at all. */
	public static function copy( string $from, string $to ): void {
		$live = self::open( $from );
		$copy = self::open( "$to.part" );
		self::pages( $live, $copy );
		$copy->close();
		$live->close();
		rename( "$to.part", $to );
	}

	/** The SQLite driver of this site on another file. */
	public static function driver( string $file ): object {
		global $wpdb;
		if ( class_exists( 'WP_MySQL_On_SQLite' ) && $wpdb->dbh instanceof \WP_MySQL_On_SQLite ) {
			$dsn    = 'mysql-on-sqlite:path=' . str_replace( ';', ';;', $file ) . ';dbname=' . str_replace( ';', ';;', DB_NAME );
			$driver = new \WP_MySQL_On_SQLite( $dsn, null, null, array( 'sqlite_journal_mode' => 'DELETE' ) );
			$driver->setAttribute( \PDO::ATTR_STRINGIFY_FETCHES, true ); // phpcs:ignore WordPress.DB.RestrictedClasses -- What WordPress's SQLite driver is set up with.
			return $driver;
		}
		throw new Problem( 'failed', 'This version of the SQLite driver is not known to the connector.' );
	}
}
