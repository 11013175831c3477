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
	 * Of these tables those that the database does not make: table => `definition`, or `keys` for one of theirs; those for which there is no time: table => ''.
	 *
	 * @param string[] $tables  That would be restored.
	 * @param mixed    $creates As it arrived: table and create of each that is not on the site as the backup has it.
	 * @param string[] $apart   Tables between which and these no key is tried.
	 */
	public static function refused( array $tables, $creates, array $apart = array(), int $seconds = self::SECONDS ): array {
		if ( null === Tables::db() || ! is_array( $creates ) || ! $creates ) {
			return array();
		}
		$db    = Connection::alone( 'svc_connector_rehearsal' );
		$until = microtime( true ) + $seconds;
		$found = array();
		$made  = array();
		$db->query( 'SET SESSION lock_wait_timeout = 2' ); // What somebody else is at work on is not waited for.
		self::clear( $db );
		foreach ( $creates as $it ) {
			$name = is_array( $it ) ? Verbs::text( $it, 'table', '/^/' ) : '';
			if ( ! in_array( $name, $tables, true ) ) {
				continue;
			}
			$create = Verbs::text( $it, 'create', '/^/' );
			if ( microtime( true ) >= $until ) {
				$found[ $name ] = '';
			} elseif ( self::is_made( $db, $create, $name ) ) {
				$made[ $name ] = $create;
			} else {
				$found[ $name ] = 'definition';
			}
		}
		$late = array_map( 'strval', array_keys( $found, '', true ) );
		return $found + KeyRehearsal::refused( $db, $made, array_merge( $apart, $late ), $until );
	}

	/** Whether the database makes a table as it was; none is left. */
	private static function is_made( \mysqli $db, string $create, string $name ): bool {
		try {
			return false !== $db->query( Loading::definition( $create, $name, self::TABLE ) );
		} catch ( Problem $refused ) {
			return false;
		} finally {
			self::clear( $db );
		}
	}

	/** Nothing of a rehearsal is left, nor of one that was killed. */
	public static function clear( \mysqli $db ): void {
		$db->query( 'DROP TABLE IF EXISTS ' . Catalog::quote( KeyRehearsal::CHILD ) . ', ' . Catalog::quote( self::TABLE ) );
	}

	/** What could be made. */
	private static function made(): array {
		$db    = Connection::alone( 'svc_connector_rehearsal' );
		$table = Catalog::quote( self::TABLE );
		self::clear( $db );
		$is_there = $db->query( "CREATE TABLE $table (id int PRIMARY KEY, up int, KEY up (up)) ENGINE=InnoDB" );
		$made     = array(
			'keys'     => $is_there && $db->query( "ALTER TABLE $table ADD CONSTRAINT $table FOREIGN KEY (up) REFERENCES $table (id)" ),
			'triggers' => $is_there && $db->query( "CREATE TRIGGER $table BEFORE INSERT ON $table FOR EACH ROW SET @svc_connector = NULL" ),
		);
		self::clear( $db );
		return array_filter( $made );
	}
}
