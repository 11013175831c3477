<?php
// The tables of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `db.tables`, and what reading rows needs to know about a table. WordPress on SQLite answers the same statements. */
final class Tables {

	const BINARY = '/^(tinyblob|blob|mediumblob|longblob|binary|varbinary|bit|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)\b/i';

	const HEAD = 65536; // Bytes of a statement beside its rows: names of columns.

	const MAX_JSON = 5242880; // Bytes of tables in one answer, below the cap of 8 MiB with all else that is in the first.

	const TOLD = 100; // Prefixes and tables that are not here: as many as an older service takes. Of the others it is told how many there are.

	/** Types whose order is not the order of their comparison, or whose text is not exact. */
	const NO_KEY = '/^(float|double|real|enum|set|bit|json|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)\b/i';

	/** The verb `db.tables`. All at once where no number is asked for; else by name, what is not of one table with the first of them. */
	public static function describe( array $params = array() ): array {
		$result = array(
			'engine'   => self::engine(),
			'version'  => self::version(),
			'charset'  => 'sqlite' === self::engine() ? 'utf8mb4' : (string) self::one( 'SELECT @@character_set_database' ),
			'sql_mode' => (string) self::one( 'SELECT @@SESSION.sql_mode' ),
			'tables'   => array(),
		);
		self::settle_session();
		$names  = self::names();
		$paged  = isset( $params['max_items'] );
		$most   = Verbs::number( $params, 'max_items', PHP_INT_MAX );
		$after  = $paged && is_string( $params['after'] ?? null ) ? $params['after'] : '';
		$bytes  = 0;
		$coming = $names;
		if ( $paged ) {
			ksort( $coming, SORT_STRING );
			$coming = array_filter(
				$coming,
				static function ( $name ) use ( $after ): bool {
					return strcmp( (string) $name, $after ) > 0;
				},
				ARRAY_FILTER_USE_KEY
			);
		}
		$sizes = array();
		$now   = 'sqlite' === self::engine() ? '' : (string) self::one( 'SELECT UTC_TIMESTAMP()' );
		if ( 'mysql' === self::engine() ) {
			self::all( 'SET SESSION information_schema_stats_expiry = 0' ); // Else what MySQL 8 tells of a table may be a day old.
		}
		foreach ( self::all( 'SHOW TABLE STATUS' ) as $row ) {
			$sizes[ $row['Name'] ] = $row + array( 'Now' => $now );
		}
		$triggers = Bonds::triggers( array_map( 'strval', array_keys( array_slice( $coming, 0, $most, true ), 'table', true ) ) );
		$budget   = Budget::of( $params ); // What each page begins with is none of it.
		foreach ( $coming as $name => $kind ) {
			if ( $paged && $result['tables'] && ( count( $result['tables'] ) >= $most || $bytes > self::MAX_JSON || $budget->is_spent() ) ) {
				break;
			}
			$table              = self::table( (string) $name, $kind, $sizes[ $name ] ?? array() ) + array( 'triggers' => $triggers[ $name ] ?? array() );
			$result['tables'][] = $table;
			$bytes             += $paged ? strlen( (string) wp_json_encode( $table, JSON_INVALID_UTF8_SUBSTITUTE ) ) : 0;
		}
		$result['done'] = count( $result['tables'] ) === count( $coming );
		if ( '' !== $after ) {
			return $result;
		}
		$beside    = Prefixes::foreign( array_map( 'strval', array_keys( self::live() ) ) );
		$elsewhere = Elsewhere::tables( $names );

		$result['beside']    = array_slice( $beside, 0, self::TOLD );
		$result['elsewhere'] = array_slice( $elsewhere, 0, self::TOLD );
		$result['unnamed']   = array( 'beside' => count( $beside ) - count( $result['beside'] ), 'elsewhere' => count( $elsewhere ) - count( $result['elsewhere'] ) );
		foreach ( Bonds::hindered( array_map( 'strval', array_keys( $names, 'table', true ) ) ) as $table => $why ) {
			$result['hindered'][] = array( 'table' => (string) $table, 'why' => $why );
		}
		$events = Bonds::events( $names );
		return $result + array(
			'events'       => $events['own'],
			'other_events' => $events['others'],
			'routines'     => Bonds::routines(),
			'conditional'  => true,
			'unseen'       => array_values( array_filter( array( 'TRIGGER', 'EVENT' ), static function ( string $what ): bool {
				return ! Bonds::may_see( $what );
			} ) ),
		);
	}

	/**
	 * One table; identifiers come from the database itself.
	 *
	 * @param array<string,string|null> $size Row of SHOW TABLE STATUS.
	 */
	private static function table( string $name, string $kind, array $size ): array {
		$rows   = 'table' !== $kind ? 0 : ( 'sqlite' === self::engine() ? self::one( 'SELECT COUNT(*) FROM ' . self::quote( $name ) ) : ( $size['Rows'] ?? 0 ) );
		return array(
			'name'           => $name,
			'kind'           => $kind,
			'rows'           => (int) $rows,
			'bytes'          => (int) ( $size['Data_length'] ?? 0 ) + (int) ( $size['Index_length'] ?? 0 ),
			'create'         => self::definition( $name ),
			'auto_increment' => isset( $size['Auto_increment'] ) && (float) $size['Auto_increment'] < 9007199254740992 ? (int) $size['Auto_increment'] : null, // Beyond, JSON is not exact; `create` is.
			'columns'        => self::columns( $name ),
			'key'            => 'table' === $kind ? self::key( $name ) : array(),
			'written_s'      => empty( $size['Now'] ) || empty( $size['Update_time'] ) ? null : max( 0, strtotime( $size['Now'] . ' UTC' ) - strtotime( $size['Update_time'] . ' UTC' ) ),
		);
	}

	/** The statement that makes a table or view; '' when there is none of that name. */
	public static function definition( string $name ): string {
		$create = self::all( 'SHOW CREATE TABLE ' . self::quote( $name ) );
		$text   = isset( $create[0] ) ? (string) ( array_values( $create[0] )[1] ?? '' ) : '';
		// The SQLite driver names a collation that only MySQL 8 knows; the other one is WordPress's own.
		return 'sqlite' === self::engine() ? str_replace( 'utf8mb4_0900_ai_ci', 'utf8mb4_unicode_520_ci', $text ) : $text;
	}

	/** Tables and views of this installation, and the users it shares with another, name => table|view. */
	public static function names(): array {
		$live    = self::live();
		$foreign = Prefixes::foreign( array_map( 'strval', array_keys( $live ) ) );
		return array_filter(
			$live,
			static function ( $name ) use ( $foreign ): bool {
				return Prefixes::is_own( (string) $name, $foreign ) || Prefixes::holds_users( (string) $name );
			},
			ARRAY_FILTER_USE_KEY
		);
	}

	/** A name as the database keeps it: some write all names in small letters, whatever wp-config.php says. */
	public static function stored( string $name ): string {
		static $are_small = null;
		if ( null === $are_small ) {
			$are_small = 'sqlite' !== self::engine() && '1' === (string) self::one( 'SELECT @@lower_case_table_names' );
		}
		return $are_small ? strtolower( $name ) : $name;
	}

	/** Tables and views of the whole database, name => table|view. */
	public static function live(): array {
		$names = array();
		foreach ( self::all( 'SHOW FULL TABLES' ) as $row ) {
			list( $name, $kind ) = array_map( 'strval', array_values( $row ) );
			$names[ $name ]      = 'VIEW' === $kind ? 'view' : 'table';
		}
		return $names;
	}

	/** Columns of a table. */
	public static function columns( string $table ): array {
		$columns = array();
		foreach ( self::all( 'SHOW FULL COLUMNS FROM ' . self::quote( $table ) ) as $row ) {
			$columns[] = array(
				'name'      => (string) $row['Field'],
				'type'      => (string) $row['Type'],
				'binary'    => 1 === preg_match( self::BINARY, (string) $row['Type'] ),
				'generated' => 1 === preg_match( '/\b(VIRTUAL|PERSISTENT|STORED)\b/i', (string) $row['Extra'] ), // DEFAULT_GENERATED is not.
			);
		}
		return $columns;
	}

	/** Columns by which a table can be paged: its primary key, or a unique one without NULL. */
	public static function key( string $table ): array {
		$types = array_column( self::columns( $table ), 'type', 'name' );
		$keys  = array();
		$unfit = array();
		foreach ( self::all( 'SHOW INDEX FROM ' . self::quote( $table ) ) as $row ) {
			$name   = (string) $row['Key_name'];
			$column = (string) $row['Column_name'];

			$keys[ $name ][ (int) $row['Seq_in_index'] ] = $column;
			if ( '0' !== (string) $row['Non_unique'] || 'YES' === $row['Null'] || ! empty( $row['Sub_part'] ) || ! empty( $row['Expression'] ) || ! isset( $types[ $column ] ) || preg_match( self::NO_KEY, $types[ $column ] ) ) {
				$unfit[ $name ] = true;
			}
		}
		$keys = array_diff_key( $keys, $unfit );
		if ( ! isset( $keys['PRIMARY'] ) ) {
			uasort(
				$keys,
				static function ( array $a, array $b ): int {
					return count( $a ) <=> count( $b );
				}
			);
		}
		$key = $keys['PRIMARY'] ?? ( $keys ? reset( $keys ) : array() );
		ksort( $key );
		return array_values( $key );
	}

	/** One of mysql, mariadb, sqlite. */
	public static function engine(): string {
		global $wpdb;
		if ( ( defined( 'DB_ENGINE' ) && 'sqlite' === DB_ENGINE ) || false !== stripos( get_class( $wpdb ), 'sqlite' ) ) {
			return 'sqlite';
		}
		return false !== stripos( self::version(), 'mariadb' ) ? 'mariadb' : 'mysql';
	}

	/** What the database says about its version. */
	public static function version(): string {
		static $version = null;
		if ( null === $version ) {
			$version = (string) self::one( 'SELECT VERSION()' );
		}
		return $version;
	}

	/** Makes what travels independent of the session: text in utf8mb4, timestamps in UTC, plain quotes, and no folders of this server. */
	public static function settle_session(): void {
		if ( 'sqlite' === self::engine() ) {
			return;
		}
		$db = self::db();
		if ( null !== $db ) {
			$db->set_charset( 'utf8mb4' ); // This request only reads, and ends after it.
		}
		self::run( "SET SESSION sql_mode = 'NO_DIR_IN_CREATE'" );
		self::run( "SET SESSION time_zone = '+00:00'" );
	}

	/**
	 * The connection over which tables are read and written, so that all of it goes to one server and its session: WordPress's own. A drop-in
	 * may have several; then the one it writes to. Null where WordPress has none, as on SQLite.
	 */
	public static function db(): ?\mysqli {
		global $wpdb;
		static $writes = null;
		if ( ! $wpdb->dbh instanceof \mysqli || in_array( get_class( $wpdb ), array( 'wpdb', BareDatabase::class ), true ) ) {
			return $wpdb->dbh instanceof \mysqli ? $wpdb->dbh : null;
		}
		if ( null === $writes ) {
			mysqli_report( MYSQLI_REPORT_OFF ); // phpcs:ignore WordPress.DB.RestrictedFunctions -- A connection that $wpdb has.
			$wpdb->query( 'SET @svc_connector = NULL' ); // phpcs:ignore WordPress.DB -- What is no question goes where rows are written.
			$writes = $wpdb->dbh;
		}
		return $writes;
	}

	/** Runs one statement; false when the database refuses. */
	public static function run( string $sql ): bool {
		global $wpdb;
		$db = self::db();
		return false !== ( null === $db ? $wpdb->query( $sql ) : $db->query( $sql ) ); // phpcs:ignore WordPress.DB
	}

	/** Bytes that the database takes in one statement beside the names of columns, and in one value however it is sent. */
	public static function most_at_once(): int {
		static $most = null;
		if ( null === $most ) {
			$packet = 'sqlite' === self::engine() ? 0 : (int) self::one( 'SELECT @@max_allowed_packet' );
			$most   = $packet > 0 ? max( self::HEAD, $packet - self::HEAD ) : PHP_INT_MAX;
		}
		return $most;
	}

	/** An identifier of the database in backticks. */
	public static function quote( string $name ): string {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}

	/**
	 * Rows as lists of text or null, one at a time where the driver can.
	 *
	 * @return iterable<int,array<int,string|null>>
	 */
	public static function fetch( string $sql ): iterable {
		global $wpdb;
		$db = self::db();
		if ( null !== $db ) {
			return self::stream( $db, $sql );
		}
		$before = $wpdb->suppress_errors( true );
		$rows   = $wpdb->get_results( $sql, ARRAY_N ); // phpcs:ignore WordPress.DB -- Built from names the database gave and escaped literals.
		$wpdb->suppress_errors( $before );
		if ( '' !== $wpdb->last_error ) {
			throw new Problem( 'failed', 'The database says: ' . $wpdb->last_error );
		}
		return is_array( $rows ) ? $rows : array();
	}

	/**
	 * One row at a time: $wpdb would keep them all in memory.
	 *
	 * @return \Generator<int,array<int,string|null>>
	 */
	private static function stream( \mysqli $connection, string $sql ): \Generator {
		$result = $connection->query( $sql, MYSQLI_USE_RESULT );
		if ( ! $result instanceof \mysqli_result ) {
			throw new Problem( 'failed', 'The database says: ' . $connection->error );
		}
		try {
			for ( $row = $result->fetch_row(); is_array( $row ); $row = $result->fetch_row() ) {
				yield $row;
			}
			if ( $connection->errno ) {
				throw new Problem( 'failed', 'The database says: ' . $connection->error );
			}
		} finally {
			$result->free();
		}
	}

	/**
	 * All rows of a statement without arguments.
	 *
	 * @return array<int,array<string,string|null>>
	 */
	private static function all( string $sql ): array {
		global $wpdb;
		$db = self::db();
		if ( null !== $db ) {
			$result = $db->query( $sql );
			return $result instanceof \mysqli_result ? $result->fetch_all( MYSQLI_ASSOC ) : array();
		}
		$before = $wpdb->suppress_errors( true );
		$rows   = $wpdb->get_results( $sql, ARRAY_A ); // phpcs:ignore WordPress.DB
		$wpdb->suppress_errors( $before );
		return is_array( $rows ) ? $rows : array();
	}

	/**
	 * The first value of a statement without arguments.
	 *
	 * @return string|null
	 */
	private static function one( string $sql ) {
		$rows = self::all( $sql );
		return isset( $rows[0] ) ? reset( $rows[0] ) : null;
	}
}
