<?php
// Small facts with an end: nonces, stored answers, tickets, locks, fences.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * One table whose primary key decides every race: INSERT IGNORE and DELETE tell by their row count who was first.
 * Where CREATE TABLE is denied the options table, whose names are unique too, takes its place.
 */
final class Facts {

	const PREFIX = 'svc_connector_row_';

	/** @var bool True when the own table cannot be made. */
	private static $in_options = false;

	/**
	 * Adds a fact; false when it is already known. Exactly one of many concurrent callers gets true.
	 *
	 * @param int $gone Unix time after which it may be forgotten.
	 */
	public static function add( string $id, string $value, int $gone ): bool {
		for ( $attempt = 0; $attempt < 2; $attempt++ ) {
			$added = self::run( 'INSERT IGNORE INTO {rows} ({id}, {value}{column}) VALUES (%s, %s{no})', array( self::PREFIX . $id, self::pack( $gone, $value ) ) );
			if ( 1 === $added ) {
				return true;
			}
			// A row past its end does not count: clear it and try once more.
			if ( 1 !== self::run( 'DELETE FROM {rows} WHERE {id} = %s AND {value} < %s', array( self::PREFIX . $id, self::pack( time(), '' ) ) ) ) {
				return false;
			}
		}
		return false;
	}

	/** The value of a fact that has not ended, or null. */
	public static function get( string $id ): ?string {
		$packed = self::run( 'SELECT {value} FROM {rows} WHERE {id} = %s', array( self::PREFIX . $id ), 'get_var' );
		return is_string( $packed ) && (int) substr( $packed, 0, 10 ) >= time() ? substr( $packed, 11 ) : null;
	}

	/** Replaces the value of a known fact. */
	public static function set( string $id, string $value, int $gone ): void {
		self::run( 'UPDATE {rows} SET {value} = %s WHERE {id} = %s', array( self::pack( $gone, $value ), self::PREFIX . $id ) );
	}

	/** Removes a fact; true for the one caller who did. */
	public static function remove( string $id ): bool {
		return 1 === self::run( 'DELETE FROM {rows} WHERE {id} = %s', array( self::PREFIX . $id ) );
	}

	/** How many facts that have not ended begin with this and go on in hexadecimal digits. */
	public static function count( string $begin ): int {
		return (int) self::run( 'SELECT COUNT(*) FROM {rows} WHERE {id} > %s AND {id} < %s AND {value} >= %s', array( self::PREFIX . $begin, self::PREFIX . $begin . 'g', self::pack( time(), '' ) ), 'get_var' );
	}

	/** Removes all that begin so. */
	public static function remove_all( string $begin ): void {
		self::run( 'DELETE FROM {rows} WHERE {id} > %s AND {id} < %s', array( self::PREFIX . $begin, self::PREFIX . $begin . 'g' ) );
	}

	/** A worker that lost its job carries a lower number than the one that took over, and is refused. */
	public static function pass_fence( string $job, int $fence ): void {
		$row  = 'f.' . $job;
		$gone = time() + 7 * DAY_IN_SECONDS;
		if ( self::add( $row, (string) $fence, $gone ) ) {
			return;
		}
		if ( (int) self::get( $row ) > $fence ) {
			throw new Problem( 'fence', 'This job was taken over by another worker.' );
		}
		self::set( $row, (string) $fence, $gone );
	}

	/** Removes what has ended. */
	public static function prune(): void {
		self::run( 'DELETE FROM {rows} WHERE {id} LIKE %s AND {value} < %s', array( 'svc\\_connector\\_row\\_%', self::pack( time(), '' ) ) );
	}

	/** Removes everything. */
	public static function clear(): void {
		global $wpdb;
		$before = $wpdb->suppress_errors( true );
		$wpdb->query( 'DELETE FROM ' . self::table() ); // phpcs:ignore WordPress.DB
		$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_name LIKE 'svc\\_connector\\_row\\_%'" ); // phpcs:ignore WordPress.DB
		$wpdb->suppress_errors( $before );
	}

	/** The own table. */
	public static function table(): string {
		global $wpdb;
		return $wpdb->prefix . 'svc_connector';
	}

	/** A condition that leaves out of a table what is this plugin's own: a backup must not hold the key of the site, nor bring old facts back. */
	public static function none_of_ours( string $table ): string {
		global $wpdb;
		if ( Tables::stored( self::table() ) === $table ) {
			return '1 = 0';
		}
		return Tables::stored( $wpdb->options ) === $table ? 'NOT (' . TableSwap::OURS . ')' : '1 = 1';
	}

	/** Makes the own table; false when the database refuses. */
	public static function create_table(): bool {
		global $wpdb;
		$before = $wpdb->suppress_errors( true );
		// phpcs:disable WordPress.DB -- The plugin's own table; its name is not a value.
		$made   = $wpdb->query(
			'CREATE TABLE IF NOT EXISTS ' . self::table() . ' (
			id varchar(100) NOT NULL,
			value longtext NOT NULL,
			PRIMARY KEY  (id),
			KEY gone (value(10))
			) ' . $wpdb->get_charset_collate()
		);
		// phpcs:enable
		$wpdb->suppress_errors( $before );
		return false !== $made;
	}

	/**
	 * Runs one statement against the table in use; a missing table is made on the way.
	 *
	 * @param array<int,string> $arguments For the placeholders.
	 * @return mixed
	 */
	private static function run( string $sql, array $arguments, string $method = 'query' ) {
		global $wpdb;
		$before = $wpdb->suppress_errors( true );
		$result = null;
		for ( $attempt = 0; $attempt < 2; $attempt++ ) {
			$wpdb->last_error = '';
			$result           = $wpdb->$method( $wpdb->prepare( self::dialect( $sql ), $arguments ) ); // phpcs:ignore WordPress.DB
			if ( '' === $wpdb->last_error || self::$in_options ) {
				break;
			}
			self::$in_options = ! self::create_table();
		}
		$wpdb->suppress_errors( $before );
		return $result;
	}

	/** The statement in terms of the own table or of the options table. */
	private static function dialect( string $sql ): string {
		global $wpdb;
		$names = self::$in_options
			? array( $wpdb->options, 'option_name', 'option_value', ', autoload', ", 'no'" )
			: array( self::table(), 'id', 'value', '', '' );
		return str_replace( array( '{rows}', '{id}', '{value}', '{column}', '{no}' ), $names, $sql );
	}

	/** The end comes first, in ten digits, so that ends compare as text. */
	private static function pack( int $gone, string $value ): string {
		return sprintf( '%010d|%s', $gone, $value );
	}
}
