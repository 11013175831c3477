<?php
// Exchanging tables. Knows nothing of WordPress but the constants of wp-config.php.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * All tables at once: one RENAME TABLE on MySQL; SqliteSwap does the same for SQLite.
 * Whatever direction, the connector's own rows of now go along: a restore never rolls trust back.
 */
final class TableSwap {

	const MARKER = 'svc_connector_restore';
	const OURS   = "option_name LIKE 'svc\\_connector\\_%'";

	/** The staged tables become the live ones. */
	public static function forward( Journal $journal ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			SqliteSwap::forward( $journal );
			return;
		}
		$db      = Connection::alone( 'svc_connector_' . $journal->get( 'hex' ) );
		$options = $journal->get( 'prefix' ) . 'options';
		$known   = self::tables( $db );
		$ties    = new Ties( $journal, $db, true );
		$named   = self::named( $journal );
		$renames = array();
		$target  = $options;
		if ( $named || $journal->get( 'events' ) ) {
			$ties->note( 'before', array_values( $named ), array_map( 'strval', array_keys( $known ) ), (array) $journal->get( 'events' ) );
		}
		$there = array_fill_keys( $ties->noted( 'before' )['there'], true );
		self::must_have( $journal, $known, $there );
		foreach ( $named as $n => $name ) {
			$staged = self::staged( $journal, (string) $n );
			$kept   = self::kept( $journal, (string) $n );
			if ( isset( $known[ $name ], $there[ $name ] ) && ! isset( $known[ $kept ] ) && ( ! is_int( $n ) || isset( $known[ $staged ] ) ) ) {
				$renames[] = Catalog::quote( $name ) . ' TO ' . Catalog::quote( $kept );
			}
			if ( is_int( $n ) && isset( $known[ $staged ] ) ) {
				$renames[] = Catalog::quote( $staged ) . ' TO ' . Catalog::quote( $name );
				$target    = $name === $options ? $staged : $target;
			}
		}
		if ( $renames ) {
			$triggers = array();
			foreach ( array_keys( $named ) as $n ) {
				$triggers = array_merge( $triggers, array_column( $ties->noted( (string) $n )['triggers'], 'name' ) );
			}
			$ties->loosen( array_values( $named ), $triggers );
		}
		if ( Catalog::has_site( $db, $options ) ) {
			self::carry( $db, $options, $target );
		} else {
			if ( $target !== $options ) {
				self::run( $db, 'DELETE FROM ' . Catalog::quote( $target ) . ' WHERE ' . self::OURS );
			}
			self::restate( $db, $target, $journal );
		}
		self::mark( $db, $target, (string) $journal->get( 'id' ) );
		if ( $renames ) {
			self::run( $db, 'RENAME TABLE ' . implode( ', ', $renames ) );
		}
		self::fasten( $journal, $ties, $named );
	}

	/** Whether all that was laid ready is still there: somebody may have tidied up. */
	public static function must_stand( Journal $journal ): void {
		$known = 'sqlite' === $journal->get( 'engine' ) || ! $journal->get( 'tables' ) ? null : self::tables( Connection::open() );
		if ( null !== $known ) {
			self::must_have( $journal, $known, $known );
		}
	}

	/**
	 * Each table of the backup waits, or is live: then the one that was live before is kept, or there was none.
	 *
	 * @param array<string,mixed> $known What there is, by name.
	 * @param array<string,mixed> $there What there was before anything was exchanged, by name.
	 */
	private static function must_have( Journal $journal, array $known, array $there ): void {
		foreach ( (array) $journal->get( 'tables' ) as $n => $name ) {
			$live = isset( $there[ $name ] ) ? self::kept( $journal, (string) $n ) : $name;
			if ( ! isset( $known[ self::staged( $journal, (string) $n ) ] ) && ! isset( $known[ $live ] ) ) {
				throw new Problem( 'failed', "The table that was laid ready for $name is not there any more." );
			}
		}
	}

	/** The kept tables become the live ones again. */
	public static function back( Journal $journal ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			SqliteSwap::back( $journal );
			return;
		}
		$db      = Connection::alone( 'svc_connector_' . $journal->get( 'hex' ) );
		$options = $journal->get( 'prefix' ) . 'options';
		$known   = self::tables( $db );
		$ties    = new Ties( $journal, $db, false );
		$before  = $ties->noted( 'before' );
		$there   = array_fill_keys( $before['there'], true );
		$named   = self::named( $journal );
		$renames = array();
		$target  = $options;
		foreach ( $named as $n => $name ) {
			$staged  = self::staged( $journal, (string) $n );
			$kept    = self::kept( $journal, (string) $n );
			$is_kept = isset( $known[ $kept ] );
			// A staged table that is still there was never swapped in.
			if ( is_int( $n ) && isset( $known[ $staged ] ) ) {
				continue;
			}
			// What has the name now goes where something is kept in its place, or where there was nothing. Somebody may have dropped it since, or made another.
			$goes = $is_kept || ( ! isset( $there[ $name ] ) && ( is_int( $n ) || ( 'v' === $n[0] && $before['there'] ) ) );
			if ( $goes && isset( $known[ $name ] ) ) {
				if ( 'VIEW' === $known[ $name ] && ! is_int( $n ) && 'v' === $n[0] ) {
					self::run( $db, 'DROP VIEW ' . Catalog::quote( $name ) );
				} else {
					$renames[] = Catalog::quote( $name ) . ' TO ' . Catalog::quote( $staged );
				}
			}
			if ( $is_kept ) {
				$renames[] = Catalog::quote( $kept ) . ' TO ' . Catalog::quote( $name );
				$target    = $name === $options ? $kept : $target;
			}
		}
		if ( $renames && 'committed' === $journal->get( 'was' ) ) {
			$ties->note( 'after', array_values( $named ) ); // Others may have got keys since.
		}
		if ( $renames ) {
			$ties->loosen( array_values( $named ) );
		}
		if ( Catalog::has_site( $db, $options ) ) {
			self::carry( $db, $options, $target );
		} elseif ( isset( $known[ $target ] ) ) {
			self::restate( $db, $target, $journal );
		}
		if ( $renames ) {
			self::run( $db, 'RENAME TABLE ' . implode( ', ', $renames ) );
		}
		if ( isset( self::tables( $db )[ $options ] ) ) {
			self::run( $db, 'DELETE FROM ' . Catalog::quote( $options ) . " WHERE option_name = '" . self::MARKER . "'" );
		}
		$after = 'committed' === $journal->get( 'was' ) ? $ties->noted( 'after' ) : $before;
		$lacks = array_merge( $ties->fasten_keys( self::about( $before['keys'], $named, true ), $before['creates'] ), $ties->fasten_keys( self::about( $after['keys'], $named, false ), $after['creates'] ), $ties->fasten_triggers( $before['triggers'] ) );
		if ( $before['there'] ) {
			array_push( $lacks, ...$ties->make_events( (array) $journal->get( 'events' ), $before['events'] ) );
		}
		$journal->put( array( 'lacks' => $lacks ) );
	}

	/** What others keep that refers, by their keys, to rows that went with the exchange, or the other way round; and of how many keys that is not known. */
	public static function orphans( Journal $journal ): array {
		$named = array_values( self::named( $journal ) );
		return 'sqlite' === $journal->get( 'engine' ) || ! $named ? array( 'orphans' => array(), 'unlooked' => 0 ) : Catalog::orphans( Connection::open(), $named );
	}

	/** What hangs on the tables of the backup, and what others hang on them. */
	private static function fasten( Journal $journal, Ties $ties, array $named ): void {
		$before   = $ties->noted( 'before' );
		$keys     = array();
		$triggers = array();
		$views    = array();
		foreach ( $named as $n => $name ) {
			$staged   = $ties->noted( (string) $n );
			$keys     = array_merge( $keys, $staged['keys'] );
			$triggers = array_merge( $triggers, $staged['triggers'] );
			$views   += isset( $staged['view'] ) ? array( $name => $staged['view'] ) : array();
		}
		$ties->fasten_keys( $keys, array() );
		$ties->fasten_keys( self::about( $before['keys'], $named, false ), $before['creates'] );
		$ties->fasten_triggers( $triggers );
		$events = array();
		foreach ( array_keys( (array) $journal->get( 'events' ) ) as $n ) {
			$events = array_merge( $events, $ties->noted( "e$n" )['events'] );
		}
		$lacks = $ties->make_views( $views );
		$journal->put( array( 'lacks' => array_merge( $lacks, $ties->make_events( (array) $journal->get( 'events' ), $events ) ) ) );
	}

	/** Keys of the tables that are exchanged, or those of others. */
	private static function about( array $keys, array $named, bool $exchanged ): array {
		return array_filter(
			$keys,
			static function ( array $key ) use ( $named, $exchanged ): bool {
				return in_array( $key['table'], $named, true ) === $exchanged;
			}
		);
	}

	/** All that is exchanged, as it is called live: tables by their numbers, those that go as x0, views as v0. */
	private static function named( Journal $journal ): array {
		$named = (array) $journal->get( 'tables' );
		foreach ( array( 'x' => 'extra', 'v' => 'views' ) as $letter => $list ) {
			foreach ( (array) $journal->get( $list ) as $n => $name ) {
				$named[ "$letter$n" ] = $name;
			}
		}
		return $named;
	}

	/** The table of options was lost or emptied and the pairing with it: it stands in the journal too. */
	private static function restate( \mysqli $db, string $to, Journal $journal ): void {
		$rows = array( Identity::OPTION => (string) json_encode( $journal->get( 'identity' ) ), Identity::OPTION_ON => '1' ) + (array) $journal->get( 'remembered' );
		foreach ( $rows as $name => $value ) {
			$row = array_map( array( $db, 'real_escape_string' ), array( $name, $value, Identity::OPTION_ON === $name ? 'yes' : 'no' ) );
			self::run( $db, 'DELETE FROM ' . Catalog::quote( $to ) . " WHERE option_name = '$row[0]'" );
			self::run( $db, 'INSERT INTO ' . Catalog::quote( $to ) . " (option_name, option_value, autoload) VALUES ('" . implode( "', '", $row ) . "')" );
		}
	}

	/** Name of a table that waits to become live. */
	public static function staged( Journal $journal, string $n ): string {
		return 'svc_connector_new_' . $journal->get( 'hex' ) . '_' . $n;
	}

	/** Name of a table that was live before. */
	public static function kept( Journal $journal, string $n ): string {
		return 'svc_connector_old_' . $journal->get( 'hex' ) . '_' . $n;
	}

	/** Drops what is left of a restore: tables by their names; the files of SQLite go with the folder. */
	public static function drop( Journal $journal, bool $also_kept ): void {
		if ( 'sqlite' === $journal->get( 'engine' ) ) {
			return;
		}
		$db = Connection::open();
		foreach ( self::tables( $db ) as $name => $kind ) {
			if ( preg_match( '/^svc_connector_(new|old)_' . $journal->get( 'hex' ) . '_[xv]?[0-9]+$/D', $name, $found ) && ( $also_kept || 'new' === $found[1] ) ) {
				self::run( $db, ( 'VIEW' === $kind ? 'DROP VIEW ' : 'DROP TABLE ' ) . Catalog::quote( $name ) );
			}
		}
	}

	private static function carry( \mysqli $db, string $from, string $to ): void {
		if ( $from === $to ) {
			return;
		}
		self::run( $db, 'DELETE FROM ' . Catalog::quote( $to ) . ' WHERE ' . self::OURS );
		self::run( $db, 'INSERT INTO ' . Catalog::quote( $to ) . ' (option_name, option_value, autoload) SELECT option_name, option_value, autoload FROM ' . Catalog::quote( $from ) . ' WHERE ' . self::OURS );
	}

	private static function mark( \mysqli $db, string $options, string $id ): void {
		self::run( $db, 'DELETE FROM ' . Catalog::quote( $options ) . " WHERE option_name = '" . self::MARKER . "'" );
		self::run( $db, 'INSERT INTO ' . Catalog::quote( $options ) . " (option_name, option_value, autoload) VALUES ('" . self::MARKER . "', '" . $db->real_escape_string( $id ) . "', 'no')" );
	}

	/** All tables of the database, name => kind. */
	private static function tables( \mysqli $db ): array {
		$names  = array();
		$result = self::run( $db, 'SHOW FULL TABLES' );
		while ( $result instanceof \mysqli_result && is_array( $row = $result->fetch_row() ) ) { // phpcs:ignore -- The usual loop over a result.
			$names[ (string) $row[0] ] = (string) $row[1];
		}
		return $names;
	}

	/**
	 * Runs one statement.
	 *
	 * @return \mysqli_result|bool
	 */
	private static function run( \mysqli $db, string $sql ) {
		$result = $db->query( $sql );
		if ( false === $result ) {
			throw new Problem( 'failed', 'The database says: ' . $db->error );
		}
		return $result;
	}
}
