<?php
// Foreign keys, triggers and views of tables that are exchanged. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * RENAME TABLE takes along what hangs on a table: its triggers, its keys with their names, and the keys of others that point to it.
 * So all of that is noted, loosened before the exchange, and made again at the tables that have the names then. The notes lie beside the
 * state of the restore; from them and from what the database has, either direction is finished after a kill at any point.
 */
final class Ties {

	// What MySQL and MariaDB answer where it is not the statement that is wrong: they end, are busy, or are gone.
	const PASSES = array( 1053, 1205, 1213, 1317, 1927, 2002, 2006, 2013 );

	/** @var Journal The restore. */
	private $journal;

	/** @var \mysqli Where foreign keys are not checked. */
	private $db;

	/** @var bool Whether what the database refuses ends the run. The way back goes on without it: a site that stays shut is worse. */
	private $must;

	/** @var array<string,bool> Whether something can be made as this user. */
	private $definers = array();

	/** Of one restore, on one of its ways. */
	public function __construct( Journal $journal, \mysqli $db, bool $must ) {
		$this->journal = $journal;
		$this->db      = $db;
		$this->must    = $must;
	}

	/**
	 * Notes down what is tied to these tables, once.
	 *
	 * @param string[] $tables As they are called live, whether they are there or not.
	 * @param string[] $there  All there are.
	 * @param string[] $events Names of events that are exchanged.
	 */
	public function note( string $name, array $tables, array $there = array(), array $events = array() ): void {
		if ( is_file( $this->path( $name ) ) ) {
			return;
		}
		$keys    = Catalog::keys( $this->db, $tables );
		$creates = array();
		foreach ( $keys as $key ) {
			$creates[ $key['table'] ] = Catalog::definition( $this->db, $key['table'] );
		}
		self::keep( $this->path( $name ), array( 'keys' => $keys, 'creates' => $creates, 'triggers' => Catalog::triggers( $this->db, $tables ), 'there' => $there, 'events' => Catalog::events( $this->db, $events ) ) );
	}

	/** A note: keys, creates, triggers, there, events; empty where there is none. */
	public function noted( string $name ): array {
		$note = is_file( $this->path( $name ) ) ? json_decode( (string) file_get_contents( $this->path( $name ) ), true, 8 ) : null;
		return ( is_array( $note ) ? $note : array() ) + array( 'keys' => array(), 'creates' => array(), 'triggers' => array(), 'there' => array(), 'events' => array() );
	}

	/**
	 * What a backup ties to the table of a number, noted() under that until the exchange: keys and triggers; of a view its definition.
	 *
	 * @param array<string,mixed> $ties Keys, triggers, view.
	 */
	public static function stage( Journal $journal, string $n, array $ties ): void {
		self::keep( $journal->data( "ties-$n" ), $ties );
	}

	/**
	 * No key ties these tables any more, and their names are free for other triggers. A trigger nobody takes the name of stays with its table.
	 *
	 * @param string[]      $tables   As they are called live.
	 * @param string[]|null $triggers Names of triggers that go; null = all.
	 */
	public function loosen( array $tables, ?array $triggers = null ): void {
		foreach ( Catalog::keys( $this->db, $tables ) as $key ) {
			$this->run( 'ALTER TABLE ' . Catalog::quote( $key['table'] ) . ' DROP FOREIGN KEY ' . Catalog::quote( $key['name'] ) );
		}
		foreach ( Catalog::triggers( $this->db, $tables ) as $trigger ) {
			if ( null === $triggers || in_array( $trigger['name'], $triggers, true ) ) {
				$this->run( 'DROP TRIGGER IF EXISTS ' . Catalog::quote( $trigger['name'] ) );
			}
		}
	}

	/**
	 * Makes the keys that are not there; answers the names of those that cannot be made. Indexes that the database makes and names for a key get back the names they had.
	 *
	 * @param array<int,array<string,string>> $keys    Table, name, clause.
	 * @param array<string,string>            $creates Definitions as they were.
	 */
	public function fasten_keys( array $keys, array $creates ): array {
		$lacks = array();
		foreach ( $keys as $key ) {
			$create = Catalog::definition( $this->db, $key['table'] );
			if ( '' !== $create && ! isset( Dump::keys( $create )[ $key['name'] ] ) && ! $this->run( 'ALTER TABLE ' . Catalog::quote( $key['table'] ) . ' ADD ' . $key['clause'] ) ) {
				$lacks[] = $key['name'];
			}
			if ( isset( $creates[ $key['table'] ] ) ) {
				$this->name_indexes( $key['table'], $creates[ $key['table'] ] );
			}
		}
		return $lacks;
	}

	/**
	 * Makes the triggers that are not there, in their order: what acts after one of them is made again, because a new one acts last.
	 * Answers the names of those that cannot be made.
	 *
	 * @param array<int,array<string,string>> $triggers Table, name, create, sql_mode, charset, collation.
	 */
	public function fasten_triggers( array $triggers ): array {
		$there  = array_column( Catalog::triggers( $this->db, array_column( $triggers, 'table' ) ), null, 'name' );
		$making = array();
		$lacks  = array();
		$takes  = array();
		foreach ( $triggers as $trigger ) {
			$table    = $trigger['table'];
			$is_there = isset( $there[ $trigger['name'] ] );
			if ( ( $is_there && ! isset( $takes[ $table ] ) ) || '' === Catalog::definition( $this->db, $table ) ) {
				continue;
			}
			$takes[ $table ] = $takes[ $table ] ?? ( $this->must || $this->takes_triggers( $table ) );
			if ( ! $takes[ $table ] ) {
				if ( ! $is_there ) {
					$lacks[] = $trigger['name'];
				}
				continue;
			}
			$making[] = $trigger;
			if ( $is_there ) {
				$this->run( 'DROP TRIGGER ' . Catalog::quote( $trigger['name'] ) ); // Before one is made: what is there is in its order, wherever this is killed.
			}
		}
		foreach ( $making as $trigger ) {
			$error = $this->make_as( $trigger );
			if ( '' !== $error && $this->must ) {
				throw new Problem( 'failed', "The trigger {$trigger['name']} cannot be made: $error" );
			}
			if ( '' !== $error ) {
				$lacks[] = $trigger['name'];
			}
		}
		return $lacks;
	}

	/** Whether triggers of a table can be made at all: one that does nothing comes and goes. Else none is dropped to be made again. */
	private function takes_triggers( string $table ): bool {
		$trial = Catalog::quote( TableSwap::staged( $this->journal, 'x99999' ) );
		$this->run( "DROP TRIGGER IF EXISTS $trial" );
		$takes = $this->run( "CREATE TRIGGER $trial BEFORE INSERT ON " . Catalog::quote( $table ) . ' FOR EACH ROW SET @svc_connector = NULL' );
		$this->run( "DROP TRIGGER IF EXISTS $trial" );
		return $takes;
	}

	/**
	 * Events of these names are these, and no others; answers those that cannot be made.
	 *
	 * @param string[]                        $names  That are exchanged.
	 * @param array<int,array<string,string>> $events Name, create, sql_mode, time_zone, charset, collation.
	 */
	public function make_events( array $names, array $events ): array {
		$there = array_column( Catalog::events( $this->db, $names ), 'create', 'name' );
		$lacks = array();
		foreach ( array_diff( array_keys( $there ), array_column( $events, 'name' ) ) as $name ) {
			$this->run( 'DROP EVENT ' . Catalog::quote( (string) $name ) );
		}
		foreach ( $events as $event ) {
			$is_same = ( $there[ $event['name'] ] ?? null ) === $event['create'];
			if ( isset( $there[ $event['name'] ] ) && ! $is_same ) {
				$this->run( 'DROP EVENT ' . Catalog::quote( $event['name'] ) );
			}
			if ( ! $is_same && '' !== $this->make_as( $event ) ) {
				$lacks[] = $event['name'];
			}
		}
		return $lacks;
	}

	/**
	 * Makes views, which may use each other in any order; answers those that cannot be made.
	 *
	 * @param array<string,string> $views Name => definition.
	 */
	public function make_views( array $views ): array {
		do {
			$before = count( $views );
			foreach ( $views as $name => $create ) {
				if ( '' !== Catalog::definition( $this->db, (string) $name ) || '' === $this->make( $create ) ) {
					unset( $views[ $name ] );
				}
			}
		} while ( $views && count( $views ) < $before );
		return array_map( 'strval', array_keys( $views ) );
	}

	/** Makes a trigger or an event under the settings it was made with, which its text may depend on. */
	private function make_as( array $it ): string {
		$this->db->query( "SET SESSION sql_mode = '" . $this->db->real_escape_string( $it['sql_mode'] ) . "'" );
		if ( isset( $it['time_zone'] ) ) {
			$this->db->query( "SET SESSION time_zone = '" . $this->db->real_escape_string( $it['time_zone'] ) . "'" );
		}
		if ( preg_match( '/^utf8(?:mb[34])?$/D', $it['charset'] ) ) {
			$this->db->query( "SET SESSION character_set_client = '{$it['charset']}'" );
			$this->db->query( "SET SESSION collation_connection = '" . $this->db->real_escape_string( $it['collation'] ) . "'" );
		}
		$error = $this->make( $it['create'] );
		$this->db->query( "SET SESSION sql_mode = ''" );
		$this->db->set_charset( 'utf8mb4' );
		return $error;
	}

	/** Makes a trigger, an event or a view, as whoever made it, or as this user where that one is gone or may not be named. Answers what the database says against it, or ''. */
	private function make( string $create ): string {
		$ours = Dump::without_definer( $create );
		$as   = $this->may_define( Dump::definer( $create ) ) ? $create : $ours;
		if ( $this->db->query( $as ) || ( $as !== $ours && $this->db->query( $ours ) ) ) {
			return '';
		}
		$this->bear();
		return $this->db->error;
	}

	/** Whether something can be made as this user. The database makes it for nobody, too, with a warning; so a view is made that no site uses, and nothing is ever left that fails whoever uses it. */
	private function may_define( string $definer ): bool {
		if ( ! isset( $this->definers[ $definer ] ) ) {
			$view                       = Catalog::quote( TableSwap::staged( $this->journal, 'x99999' ) );
			$this->definers[ $definer ] = '' !== $definer
				&& $this->db->query( "CREATE OR REPLACE DEFINER=$definer VIEW $view AS SELECT 1" )
				&& ! in_array( '1449', array_column( Catalog::rows( $this->db, 'SHOW WARNINGS' ), 1 ), true );
			$this->run( "DROP VIEW IF EXISTS $view" );
		}
		return $this->definers[ $definer ];
	}

	/** An index that came with a key has the key's name now; it gets the one it had. */
	private function name_indexes( string $table, string $was ): void {
		$old = Dump::indexes( $was );
		$new = Dump::indexes( Catalog::definition( $this->db, $table ) );
		foreach ( array_diff_key( $old, $new ) as $name => $columns ) {
			$called = array_search( $columns, array_diff_key( $new, $old ), true );
			if ( false !== $called && ! $this->db->query( 'ALTER TABLE ' . Catalog::quote( $table ) . ' RENAME INDEX ' . Catalog::quote( (string) $called ) . ' TO ' . Catalog::quote( (string) $name ) ) ) {
				$this->run( 'ALTER TABLE ' . Catalog::quote( $table ) . ' DROP INDEX ' . Catalog::quote( (string) $called ) . ', ADD INDEX ' . Catalog::quote( (string) $name ) . " $columns" );
			}
		}
	}

	/** Runs one statement; false where the database refuses it and that may be. */
	private function run( string $sql ): bool {
		if ( false !== $this->db->query( $sql ) ) {
			return true;
		}
		$this->bear( $this->must );
		return false;
	}

	/** Whether what the database has just refused may be; not where it passes, because who asks again may find it done. */
	private function bear( bool $must = false ): void {
		if ( $must || in_array( $this->db->errno, self::PASSES, true ) ) {
			throw new Problem( 'failed', 'The database says: ' . $this->db->error );
		}
	}

	private function path( string $name ): string {
		return $this->journal->data( "ties-$name" );
	}

	private static function keep( string $path, array $note ): void {
		$json = json_encode( $note, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
		if ( false === $json ) {
			throw new Problem( 'failed', 'A key or a trigger of a table is not told in UTF-8.' );
		}
		Journal::write( $path, $json );
	}
}
