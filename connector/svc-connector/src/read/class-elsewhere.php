<?php
// What of a site's tables no backup can have.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A drop-in may spread the tables of one WordPress over several databases; a backup is of the one in wp-config.php. */
final class Elsewhere {

	const SECONDS = 5;

	/**
	 * Tables that WordPress reads and the database does not show as this installation's. One that is lost is none of them; of a network's
	 * sites two tables stand for all. Beyond those that are named, what would take too long is counted without being asked for.
	 *
	 * @param array<string,string> $names From Tables::names().
	 */
	public static function tables( array $names ): array {
		global $wpdb;
		if ( ! method_exists( $wpdb, 'tables' ) ) {
			return array(); // WordPress does not run.
		}
		$used = array_merge( array( $wpdb->options ), array_values( $wpdb->tables( 'all' ) ) );
		foreach ( is_multisite() ? get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) : array() as $site ) {
			array_push( $used, $wpdb->get_blog_prefix( $site ) . 'options', $wpdb->get_blog_prefix( $site ) . 'posts' );
		}
		$found  = array();
		$until  = microtime( true ) + self::SECONDS;
		$before = $wpdb->suppress_errors( true );
		foreach ( array_unique( $used ) as $name ) {
			if ( ! isset( $names[ Tables::stored( $name ) ] ) && ( ( count( $found ) >= Tables::TOLD && microtime( true ) > $until ) || self::is_read( $name ) ) ) {
				$found[] = $name;
			}
		}
		$wpdb->suppress_errors( $before );
		if ( in_array( $wpdb->options, $found, true ) ) {
			throw new Problem( 'failed', "The database does not show the table $wpdb->options, which WordPress reads: it lies in another one, or under another name." );
		}
		return $found;
	}

	/** Whether WordPress finds a table, wherever that is. */
	private static function is_read( string $name ): bool {
		global $wpdb;
		$wpdb->get_results( "SELECT 1 FROM $name LIMIT 1" ); // phpcs:ignore WordPress.DB -- Named by WordPress, and asked as it asks.
		return '' === $wpdb->last_error;
	}
}
