<?php
// Whether what hangs on tables can be made again.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Triggers and keys are dropped while tables are exchanged, so first one of each is made of a table that nobody uses. So is what a backup has
 * in another form than the site, empty: one that the database refuses would end a restore that is half laid ready.
 */
final class Rehearsal {

	const TABLE = 'svc_connector_new_0000_x0'; // Named like what a restore lays beside, so it is in no backup.

	const SECONDS = 8; // What there is no time for can be asked once more, or is found when it is laid ready.

	/**
	 * Tables that cannot be exchanged, because the database does not let this user make what hangs on them: table => `triggers` or `keys`.
	 *
	 * @param string[] $tables   That would be replaced or go.
	 * @param string[] $triggers Those of them for which a backup has triggers.
	 * @param string[] $keys     Those of them for which a backup has keys.
	 */
	public static function hindered( array $tables, array $triggers, array $keys ): array {
		$db = Tables::db();
		if ( null === $db ) {
			return array();
		}
		foreach ( Catalog::pairs( $db ) as $pair ) {
			array_push( $keys, ...$pair );
		}
		$bound = array_filter( array( 'keys' => array_intersect( $tables, $keys ), 'triggers' => array_intersect( $tables, $triggers ) ) );
		$found = array();
		foreach ( $bound ? array_diff_key( $bound, self::made() ) : array() as $what => $names ) {
			$found += array_fill_keys( $names, $what );
		}
		return $found;
	}

	/**
	 * Of these tables those that the database does not make: table => `definition`; those for which there is no time: table => ''.
	 *
	 * @param string[] $tables  That would be restored.
	 * @param mixed    $creates As it arrived: table and create of each that is not on the site as the backup has it.
	 */
	public static function refused( array $tables, $creates, int $seconds = self::SECONDS ): array {
		if ( null === Tables::db() || ! is_array( $creates ) || ! $creates ) {
			return array();
		}
		$db    = Connection::alone( 'svc_connector_rehearsal' );
		$until = microtime( true ) + $seconds;
		$found = array();
		foreach ( $creates as $it ) {
			$name = is_array( $it ) ? Verbs::text( $it, 'table', '/^/' ) : '';
			$late = microtime( true ) >= $until;
			if ( in_array( $name, $tables, true ) && ( $late || ! self::is_made( $db, Verbs::text( $it, 'create', '/^/' ), $name ) ) ) {
				$found[ $name ] = $late ? '' : 'definition';
			}
		}
		return $found;
	}

	/** Whether the database makes a table as it was; none is left. */
	private static function is_made( \mysqli $db, string $create, string $name ): bool {
		$table = Catalog::quote( self::TABLE );
		$db->query( "DROP TABLE IF EXISTS $table" );
		try {
			return false !== $db->query( Loading::definition( $create, $name, self::TABLE ) );
		} catch ( Problem $refused ) {
			return false;
		} finally {
			$db->query( "DROP TABLE IF EXISTS $table" );
		}
	}

	/** What could be made. */
	private static function made(): array {
		$db    = Connection::alone( 'svc_connector_rehearsal' );
		$table = Catalog::quote( self::TABLE );
		$db->query( "DROP TABLE IF EXISTS $table" );
		$is_there = $db->query( "CREATE TABLE $table (id int PRIMARY KEY, up int, KEY up (up)) ENGINE=InnoDB" );
		$made     = array(
			'keys'     => $is_there && $db->query( "ALTER TABLE $table ADD CONSTRAINT $table FOREIGN KEY (up) REFERENCES $table (id)" ),
			'triggers' => $is_there && $db->query( "CREATE TRIGGER $table BEFORE INSERT ON $table FOR EACH ROW SET @svc_connector = NULL" ),
		);
		$db->query( "DROP TABLE IF EXISTS $table" );
		return array_filter( $made );
	}
}
