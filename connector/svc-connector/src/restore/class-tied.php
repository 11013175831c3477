<?php
// What a backup ties to a table, as it arrives.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Keys, triggers, views and events are known by how they begin, and wait for the exchange. */
final class Tied {

	/** Keys and triggers of a table. */
	public static function table( Journal $journal, string $name, int $n, array $params ): void {
		Ties::stage( $journal, (string) $n, array( 'keys' => self::keys( (string) ( $params['create'] ?? '' ), $name ), 'triggers' => self::triggers( $params, $name ) ) );
	}

	/** A view is made when the tables have been exchanged: it may be of any of them. */
	public static function view( Journal $journal, string $name, int $n, string $create ): void {
		if ( ( ( (array) $journal->get( 'views' ) )[ $n ] ?? null ) !== $name || ! Dump::is_view( $create, $name ) ) {
			throw new Problem( 'bad_request', 'That is not the definition of a view of this restore.' );
		}
		Ties::stage( $journal, "v$n", array( 'view' => $create ) );
	}

	/**
	 * So is an event.
	 *
	 * @param mixed $event As it arrived.
	 */
	public static function event( Journal $journal, string $name, int $n, $event ): void {
		$event = array( 'name' => $name ) + self::told( $event, array( 'create', 'sql_mode', 'time_zone', 'charset', 'collation' ) );
		if ( ( ( (array) $journal->get( 'events' ) )[ $n ] ?? null ) !== $name || ! Dump::is_event( $event['create'], $name ) ) {
			throw new Problem( 'bad_request', 'That is not the definition of an event of this restore.' );
		}
		Ties::stage( $journal, "e$n", array( 'events' => array( $event ) ) );
	}

	/**
	 * Texts of one object of the request.
	 *
	 * @param mixed    $from   As it arrived.
	 * @param string[] $fields Their names.
	 */
	private static function told( $from, array $fields ): array {
		$told = array();
		foreach ( $fields as $field ) {
			$told[ $field ] = Verbs::text( is_array( $from ) ? $from : array(), $field, '/^/' );
		}
		return $told;
	}

	/** Foreign keys in the definition of a table. */
	private static function keys( string $create, string $table ): array {
		$keys = array();
		foreach ( Dump::keys( $create ) as $name => $key ) {
			$keys[] = array( 'table' => $table, 'name' => (string) $name, 'clause' => $key['clause'] );
		}
		return $keys;
	}

	/** Triggers of a table, as `db.tables` told them. */
	private static function triggers( array $params, string $table ): array {
		$triggers = array();
		foreach ( is_array( $params['triggers'] ?? null ) ? $params['triggers'] : array() as $trigger ) {
			$told = self::told( $trigger, array( 'name', 'create', 'sql_mode', 'charset', 'collation' ) );
			if ( ! Dump::is_trigger( $told['create'], $told['name'], $table ) ) {
				throw new Problem( 'bad_request', 'That is not a trigger of this table.' );
			}
			$triggers[] = array( 'table' => $table ) + $told;
		}
		return $triggers;
	}
}
