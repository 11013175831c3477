<?php
// Rows of a backup into tables that are not live yet.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verbs that fill and check the tables of a restore. On SQLite they are tables of a copy of the database file. */
final class Loading {

	const SMALL = 16384; // Bytes of a statement for the SQLite driver, which parses each in PHP.

	/** @var Journal The restore. */
	private $journal;

	/** @var string Table as it is called live. */
	private $table;

	/** @var string Table as it is called until then. */
	private $as;

	/** @var int Its number. */
	private $n;

	private function __construct( Journal $journal, string $table, int $n ) {
		$this->journal = $journal;
		$this->table   = $table;
		$this->n       = $n;
		$this->as      = 'sqlite' === $journal->get( 'engine' ) ? $table : TableSwap::staged( $journal, (string) $n );
	}

	/** The verb `restore.load`: executes what was sent of one table, from where it stopped. */
	public static function load( array $params ): array {
		$journal = Restore::journal( $params, array( 'staging' ) );
		$journal->hold();
		list( $name, $n ) = self::named( $params );
		$columns = $params['columns'] ?? null;
		if ( ! is_array( $columns ) || array_filter( $columns, 'is_string' ) !== $columns ) {
			throw new Problem( 'bad_request', 'Parameter columns must be a list of names.' );
		}
		$create = isset( $params['create'] ) && is_string( $params['create'] ) ? $params['create'] : '';
		if ( isset( $params['event'] ) || true === ( $params['view'] ?? false ) ) {
			isset( $params['event'] ) ? Tied::event( $journal, $name, $n, $params['event'] ) : Tied::view( $journal, $name, $n, $create );
			return array( 'offset' => 0, 'rows' => 0, 'xor' => str_repeat( '0', 32 ), 'done' => true );
		}
		self::check_name( $journal, $name, $n );
		$size   = Verbs::number( $params, 'size' );
		$budget = Budget::of( $params );
		if ( 'sqlite' !== $journal->get( 'engine' ) ) {
			Tied::table( $journal, $name, $n, $params );
		}
		return self::at(
			$journal,
			static function () use ( $journal, $name, $n, $create, $columns, $size, $budget ): array {
				$loading = new self( $journal, $name, $n );
				return $loading->run( $create, $columns, $size, $budget );
			}
		);
	}

	/** The verb `restore.check`: what is in the table now, by the same reading that made the backup. */
	public static function check( array $params ): array {
		$journal          = Restore::journal( $params, array( 'staging' ) );
		list( $name, $n ) = self::named( $params );
		self::check_name( $journal, $name, $n );
		return self::at(
			$journal,
			static function () use ( $journal, $name, $n, $params ): array {
				$loading = new self( $journal, $name, $n );
				return Database::digest( $loading->as, $params );
			}
		);
	}

	/**
	 * Last touches to the tables before they may become live: the plugin stays active, tables that go are gone.
	 *
	 * @param string[] $tables By number.
	 * @param string[] $extra  Live tables the backup does not have.
	 */
	public static function finish( Journal $journal, array $tables, array $extra ): void {
		self::at(
			$journal,
			static function () use ( $journal, $tables, $extra ): array {
				foreach ( 'sqlite' === $journal->get( 'engine' ) ? $extra : array() as $name ) {
					self::execute( 'DROP TABLE IF EXISTS ' . Tables::quote( $name ) );
				}
				foreach ( Activation::tables() as $name => $is_network ) {
					$n = array_search( $name, $tables, true );
					if ( false !== $n ) {
						$loading = new self( $journal, $name, (int) $n );
						$sql     = Activation::kept( $loading->as, $is_network );
						if ( '' !== $sql ) {
							self::execute( $sql );
						}
					}
				}
				return array();
			}
		);
	}

	/**
	 * Executes statements until the budget is spent.
	 *
	 * @param string[] $columns In the order of the statements.
	 */
	private function run( string $create, array $columns, int $size, Budget $budget ): array {
		$notes = $this->journal->side( 'sql', $this->n ) . '.json';
		$state = is_file( $notes ) ? json_decode( (string) file_get_contents( $notes ), true, 4 ) : null;
		if ( ! is_array( $state ) || ! empty( $state['busy'] ) ) {
			// Never begun, or killed in the middle: nobody knows what arrived, so it begins anew.
			$state = array( 'offset' => 0, 'rows' => 0, 'xor' => str_repeat( '0', 32 ) );
		}
		Journal::write( $notes, (string) wp_json_encode( array( 'busy' => true ) + $state ) );
		if ( 0 === $state['offset'] ) {
			$this->make( self::definition( $create, $this->table, $this->as ) );
		}
		$file   = $this->journal->side( 'sql', $this->n );
		$stream = $size > 0 ? fopen( $file, 'rb' ) : false;
		if ( $size > 0 && ( ! $stream || fstat( $stream )['size'] !== $size || 0 !== fseek( $stream, $state['offset'] ) ) ) {
			throw new Problem( 'bad_request', 'The rows of a table have not arrived whole.' );
		}
		self::execute( 'sqlite' === $this->journal->get( 'engine' ) ? 'BEGIN' : 'START TRANSACTION' );
		$xor = (string) hex2bin( $state['xor'] );
		while ( $state['offset'] < $size && ! $budget->is_spent() ) {
			$line = (string) fgets( $stream );
			$rows = Dump::rows( $line, $this->table, $columns );
			$this->insert( $rows, $columns );
			foreach ( $rows as $row ) {
				$xor ^= md5( $row, true );
			}
			$state['rows']   += count( $rows );
			$state['offset'] += strlen( $line );
		}
		self::execute( 'COMMIT' );
		$state['xor'] = bin2hex( $xor );
		if ( $stream ) {
			fclose( $stream );
		}
		Journal::write( $notes, (string) wp_json_encode( $state ) );
		return $state + array( 'done' => $state['offset'] >= $size );
	}

	/** The definition under which a table is made beside the live one. */
	public static function definition( string $create, string $table, string $as ): string {
		return Dump::create( 'mysql' === Tables::engine() ? Dump::without_check_names( $create ) : $create, $table, $as );
	}

	/** An empty table as it was backed up. On SQLite one that is the same already keeps what the driver knows of it beyond its definition. */
	private function make( string $create ): void {
		$count = '/ AUTO_INCREMENT=\d+/';
		if ( 'sqlite' === $this->journal->get( 'engine' ) && preg_replace( $count, '', Tables::definition( $this->as ) ) === preg_replace( $count, '', $create ) ) {
			self::execute( 'DELETE FROM ' . Tables::quote( $this->as ) );
			return;
		}
		self::execute( 'DROP TABLE IF EXISTS ' . Tables::quote( $this->as ) );
		// Back to the collation that the SQLite driver names; Tables::definition() told another.
		self::execute( 'sqlite' === $this->journal->get( 'engine' ) ? str_replace( 'utf8mb4_unicode_520_ci', 'utf8mb4_0900_ai_ci', $create ) : $create );
	}

	/**
	 * Inserts rows, in statements of a size the database takes well.
	 *
	 * @param string[] $rows    In parentheses.
	 * @param string[] $columns Their columns.
	 */
	private function insert( array $rows, array $columns ): void {
		$head = Dump::head( $this->as, $columns );
		$most = 'sqlite' === $this->journal->get( 'engine' ) ? self::SMALL : Database::STATEMENT; // A large row goes alone.
		$sql  = '';
		foreach ( $rows as $row ) {
			if ( strlen( $row ) > Tables::most_at_once() ) {
				$this->insert_in_pieces( $head, $row );
				continue;
			}
			if ( '' !== $sql && strlen( $sql ) + strlen( $row ) > $most ) {
				self::execute( $head . $sql );
				$sql = '';
			}
			$sql .= ( '' === $sql ? '' : ',' ) . $row;
		}
		if ( '' !== $sql ) {
			self::execute( $head . $sql );
		}
	}

	/** Inserts a row that is larger than the database takes in one statement; each of its values may be as large as that. */
	private function insert_in_pieces( string $head, string $row ): void {
		list( $sql, $values ) = Dump::in_pieces( $row );

		$none      = array_fill( 0, count( $values ), null );
		$statement = Tables::db()->prepare( $head . $sql );
		$is_done   = $statement && $statement->bind_param( str_repeat( 'b', count( $values ) ), ...$none );
		foreach ( $is_done ? $values : array() as $n => $value ) {
			for ( $at = 0; $at < strlen( $value ); $at += Tables::HEAD ) {
				$statement->send_long_data( $n, substr( $value, $at, Tables::HEAD ) );
			}
		}
		if ( ! $is_done || ! $statement->execute() ) {
			throw new Problem( 'failed', "A row of the table {$this->table} is larger than the database takes at once: " . ( $statement ? $statement->error : Tables::db()->error ) );
		}
		$statement->close();
	}

	/** Runs one statement past everything that might change it. */
	private static function execute( string $sql ): void {
		global $wpdb;
		$db = Tables::db();
		if ( null !== $db ) {
			if ( false === $db->query( $sql ) ) {
				throw new Problem( 'failed', 'The database says: ' . $db->error );
			}
			return;
		}
		$wpdb->dbh->query( $sql ); // Throws.
	}

	/** Runs work with the session of a restore; on SQLite with the copy of the database in the place of the live one. */
	private static function at( Journal $journal, callable $work ): array {
		global $wpdb;
		Tables::settle_session();
		if ( 'sqlite' !== $journal->get( 'engine' ) ) {
			Tables::run( "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'" );
			Tables::run( 'SET SESSION foreign_key_checks = 0, unique_checks = 0' );
			foreach ( Connection::LENIENT as $setting ) {
				Tables::run( "SET SESSION $setting = 0" );
			}
			return $work();
		}
		$live = $wpdb->dbh;
		$file = $journal->data( 'new.sqlite' );
		if ( ! is_file( $file ) ) {
			SqliteSwap::copy( FQDB, $file );
		}
		try {
			$wpdb->dbh = SqliteSwap::driver( $file );
			$wpdb->dbh->query( "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'" );
			return $work();
		} finally {
			$wpdb->dbh = $live;
		}
	}

	/**
	 * Name and number of the table.
	 *
	 * @return array{0:string,1:int}
	 */
	private static function named( array $params ): array {
		return array( Verbs::text( $params, 'table', '/^[^\x00-\x1f]{1,256}$/D' ), Verbs::number( $params, 'n', 0, 99999 ) );
	}

	/** Only what this restore was begun with. */
	private static function check_name( Journal $journal, string $name, int $n ): void {
		if ( ( ( (array) $journal->get( 'tables' ) )[ $n ] ?? null ) !== $name ) {
			throw new Problem( 'bad_request', 'That is not a table a restore may touch.' );
		}
	}
}
