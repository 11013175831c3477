<?php
// What hangs on tables, and on which others they hang.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Triggers and foreign keys of this installation's tables as a backup tells them, and which tables cannot be exchanged because of them. */
final class Bonds {

	/**
	 * Triggers by table, each with what its text means: name, create, sql_mode, charset, collation.
	 *
	 * @param string[] $tables Of this installation.
	 */
	public static function triggers( array $tables ): array {
		$found = array();
		foreach ( self::told( $tables ) as $trigger ) {
			$table = $trigger['table'];
			unset( $trigger['table'] );
			$found[ $table ][] = $trigger;
		}
		return array_intersect_key( $found, array_diff_key( $found, self::hindered( $tables ) ) );
	}

	/**
	 * Tables that cannot be exchanged, and why: `elsewhere`, a table of another database refers to it; `trigger`, one of its triggers could not be made again.
	 *
	 * @param string[] $tables Of this installation.
	 */
	public static function hindered( array $tables ): array {
		$db = Tables::db();
		if ( null === $db ) {
			return array();
		}
		$found = array_fill_keys( Catalog::referred_from_elsewhere( $db ), 'elsewhere' );
		foreach ( self::told( $tables ) as $trigger ) {
			if ( ! Dump::is_trigger( $trigger['create'], $trigger['name'], $trigger['table'] ) ) {
				$found[ $trigger['table'] ] = 'trigger';
			}
		}
		return array_intersect_key( $found, array_fill_keys( $tables, true ) );
	}

	/**
	 * Tables that go with a restore, but to which others refer that stay.
	 *
	 * @param string[] $tables That are replaced.
	 * @param string[] $extra  That go.
	 */
	public static function needed( array $tables, array $extra ): array {
		$db    = Tables::db();
		$found = array();
		foreach ( null === $db || ! $extra ? array() : Catalog::pairs( $db ) as list( $table, $referenced ) ) {
			if ( in_array( $referenced, $extra, true ) && ! in_array( $table, $extra, true ) && ! in_array( $table, $tables, true ) ) {
				$found[ $referenced ] = true;
			}
		}
		return array_map( 'strval', array_keys( $found ) );
	}

	/**
	 * Events of this installation, and the names of all others. One is its own when it names its tables and nobody else's; when it names none, by its prefix.
	 *
	 * @param array<string,string> $tables Of this installation, name => kind.
	 */
	public static function events( array $tables ): array {
		$db    = Tables::db();
		$found = array( 'own' => array(), 'others' => array() );
		$live  = Tables::live();
		$other = Prefixes::foreign( array_map( 'strval', array_keys( $live ) ) );
		foreach ( array_keys( $tables ) as $name ) {
			if ( ! Prefixes::is_own( (string) $name, $other ) ) {
				unset( $tables[ $name ] ); // Users that belong to another installation too.
			}
		}
		foreach ( null === $db ? array() : Catalog::events( $db ) as $event ) {
			preg_match_all( '/[\w$\x80-\xff]+/', $event['create'], $words );
			$named = array_intersect_key( $live, array_fill_keys( $words[0], true ) );
			$own   = $named ? array() === array_diff_key( $named, $tables ) : Prefixes::is_own( $event['name'], $other );
			if ( $own && Dump::is_event( $event['create'], $event['name'] ) ) {
				$found['own'][] = $event;
			} else {
				$found['others'][] = $event['name'];
			}
		}
		return $found;
	}

	/** How many functions and procedures the database shows; whose they are nobody knows. */
	public static function routines(): int {
		$db = Tables::db();
		return null === $db ? 0 : (int) ( Catalog::rows( $db, 'SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()' )[0][0] ?? 0 );
	}

	/** True where the database tells this user of such things: TRIGGER, EVENT. */
	public static function may_see( string $what ): bool {
		$db = Tables::db();
		if ( null === $db ) {
			return true;
		}
		if ( 'EVENT' === $what && false === $db->query( 'SHOW EVENTS' ) ) {
			return false; // As where its own tables are damaged.
		}
		$me = "GRANTEE = CONCAT( '\\'', REPLACE( CURRENT_USER(), '@', '\\'@\\'' ), '\\'' ) AND PRIVILEGE_TYPE = '$what'";
		return array() !== Catalog::rows( $db, "SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE $me UNION SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES WHERE $me AND DATABASE() LIKE TABLE_SCHEMA" );
	}

	/** Triggers on these tables. */
	private static function told( array $tables ): array {
		$db = Tables::db();
		return null === $db ? array() : Catalog::triggers( $db, $tables );
	}
}
