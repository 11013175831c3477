<?php
// The options without which a site is another one. Puts them back without WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Noted before an update, in a file beside its journal. A way back writes those again that differ; what an update may change it leaves. Settings
 * that WordPress makes for a theme nobody had are taken away.
 */
final class Vital {

	const OPTIONS = array( 'active_plugins', 'template', 'stylesheet', 'siteurl', 'home', 'permalink_structure', 'show_on_front', 'page_on_front', 'default_role', 'users_can_register', 'cron' );

	const FEW = 2; // Events of others may go one by one.

	const MODS = 'theme_mods_'; // Begins the names of the settings of a theme.

	const PAIRING = array( Identity::OPTION, Identity::OPTION_ON ); // Without these nobody could ask the site any more.

	/** Writes them down; false where the database lets nobody in but WordPress: then nothing is known and nothing is put back. */
	public static function note( Journal $journal ): bool {
		global $wpdb;
		$sqlite = 'sqlite' === Tables::engine();
		$noted  = array( 'file' => $sqlite ? (string) FQDB : '', 'rows' => array() );
		$wanted = array();
		foreach ( array_merge( self::OPTIONS, array( $wpdb->prefix . 'user_roles' ), self::PAIRING ) as $name ) {
			$wanted[] = array( $wpdb->options, array( 'option_name' => $name ), 'option_value' );
		}
		if ( is_multisite() ) {
			$wanted[] = array( $wpdb->sitemeta, array( 'meta_key' => 'active_sitewide_plugins', 'site_id' => (string) get_current_network_id() ), 'meta_value' ); // phpcs:ignore WordPress.DB.SlowDBQuery -- One row.
		}
		try {
			$db = self::connect( $noted['file'] );
			foreach ( $wanted as list( $table, $where, $column ) ) {
				$value = self::value( $db, $table, $where, $column );
				if ( null !== $value ) {
					$noted['rows'][] = array( $table, $where, $column, base64_encode( $value ) );
				}
			}
			$noted['mods']   = self::mods( $db, $wpdb->options );
			$noted['filled'] = self::filled( $db, $wpdb->options );
		} catch ( \Throwable $unknown ) {
			return false;
		}
		Journal::write( $journal->data( 'vital' ), (string) json_encode( $noted ) ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- All of it is ASCII.
		return true;
	}

	/** As `back`, whatever the database says to it: why it could not be, or ''. */
	public static function try_back( Journal $journal ): string {
		try {
			self::back( $journal );
		} catch ( \Throwable $error ) {
			return self::clean( $error );
		}
		return '';
	}

	/** What may be told of it, whatever the database put into it. */
	public static function clean( \Throwable $error ): string {
		return substr( (string) preg_replace( '/[^ -~]/', '?', $error->getMessage() ), 0, 200 );
	}

	/** What differs from what was noted is as it was. */
	public static function back( Journal $journal ): void {
		foreach ( self::differing( $journal ) as list( $db, $table, $where, $column, $was, $is ) ) {
			self::note_cache( $journal );
			if ( null === $is ) {
				$row = array_map( array( self::class, 'literal' ), array_fill( 0, 1 + count( $where ), $db ), array_merge( array_values( $where ), array( $was ) ) );
				self::run( $db, "INSERT INTO `$table` (`" . implode( '`, `', array_keys( $where ) ) . "`, `$column`) VALUES (" . implode( ', ', $row ) . ')' );
			} else {
				self::run( $db, "UPDATE `$table` SET `$column` = " . self::literal( $db, $was ) . self::condition( $db, $where ) );
			}
			self::forget( $where );
		}
		$noted = self::noted( $journal );
		if ( isset( $noted['mods'], $noted['rows'][0] ) && ( '' !== $noted['file'] || defined( 'DB_HOST' ) ) ) {
			$db    = self::connect( $noted['file'] );
			$table = $noted['rows'][0][0];
			foreach ( array_diff( self::mods( $db, $table ), $noted['mods'] ) as $name ) {
				$where = array( 'option_name' => (string) base64_decode( $name ) );
				self::note_cache( $journal );
				self::run( $db, "DELETE FROM `$table`" . self::condition( $db, $where ) );
				self::forget( $where );
			}
			if ( 2 * self::filled( $db, $table ) < (int) ( $noted['filled'] ?? 0 ) ) {
				throw new Problem( 'failed', 'Most of what was in the table of options is gone.' );
			}
		}
	}

	/**
	 * How many options hold something; what is kept for a while does not count. A single large one may go for good reasons.
	 *
	 * @param \mysqli|\SQLite3 $db
	 */
	private static function filled( $db, string $table ): int {
		$result = self::run( $db, "SELECT COUNT(*) FROM `$table` WHERE LENGTH(`option_value`) > 0 AND `option_name` NOT LIKE '%transient%'" );
		$row    = $result instanceof \mysqli_result ? $result->fetch_row() : $result->fetchArray( SQLITE3_NUM );
		return (int) $row[0];
	}

	/** Before WordPress has begun its cache, one that outlives the request cannot be told: the first door that knows it empties it. */
	private static function note_cache( Journal $journal ): void {
		if ( ! function_exists( 'wp_cache_delete' ) ) {
			touch( $journal->dir . Journal::UNCACHED );
		}
	}

	/** A cache tells no option as it was before this. */
	private static function forget( array $where ): void {
		if ( ! function_exists( 'wp_cache_delete' ) ) {
			return;
		}
		if ( isset( $where['option_name'] ) ) {
			wp_cache_delete( 'alloptions', 'options' );
			wp_cache_delete( 'notoptions', 'options' );
			wp_cache_delete( $where['option_name'], 'options' );
		} else {
			wp_cache_delete( "$where[site_id]:notoptions", 'site-options' );
			wp_cache_delete( "$where[site_id]:$where[meta_key]", 'site-options' );
		}
	}

	/**
	 * The names of the settings of themes, in base64.
	 *
	 * @param \mysqli|\SQLite3 $db
	 * @return string[]
	 */
	private static function mods( $db, string $table ): array {
		$result = self::run( $db, "SELECT `option_name` FROM `$table` WHERE `option_name` LIKE 'theme%'" );
		$names  = array();
		while ( $row = $result instanceof \mysqli_result ? $result->fetch_row() : $result->fetchArray( SQLITE3_NUM ) ) { // phpcs:ignore -- Until there is none.
			if ( 0 === strpos( (string) $row[0], self::MODS ) ) {
				$names[] = base64_encode( (string) $row[0] );
			}
		}
		return $names;
	}

	/**
	 * A request that began before the way back may write once more what that has put back. With another address the site takes itself for a
	 * copy, and would refuse to be mended: where all else says that it is the same installation, it is none. A copy is left alone.
	 */
	public static function settle( ?Journal $journal, Identity $identity ): void {
		if ( null === $journal || $journal->is_copied() ) {
			return;
		}
		try {
			if ( $identity->was_at( self::home( $journal ) ) ) {
				self::back( $journal );
			}
		} catch ( \Throwable $unknown ) {
			return; // Then it is a copy to whoever asks.
		}
	}

	/** Whether the pairing was there when an update began that is not over: what the database says of it since then may be that update's doing. */
	public static function has_pairing( string $work ): bool {
		$journal = Journal::current( $work, 'update' );
		if ( null === $journal || $journal->is_copied() || $journal->has_ended() || 'committed' === $journal->phase() ) {
			return false;
		}
		self::try_back( $journal );
		return true;
	}

	/** The address that was noted, or ''. */
	private static function home( Journal $journal ): string {
		foreach ( self::noted( $journal )['rows'] as list( , $where, , $value ) ) {
			if ( 'home' === ( $where['option_name'] ?? '' ) ) {
				return (string) base64_decode( $value );
			}
		}
		return '';
	}

	/** @return array{file:string,rows:array<int,array>} */
	private static function noted( Journal $journal ): array {
		$path  = $journal->data( 'vital' );
		$noted = is_file( $path ) ? json_decode( (string) file_get_contents( $path ), true, 8 ) : null;
		return is_array( $noted ) ? $noted : array( 'file' => '', 'rows' => array() );
	}

	/** Names of what differs from what was noted. */
	public static function changed( Journal $journal ): array {
		$names = array();
		try {
			foreach ( self::differing( $journal ) as list( , , $where ) ) {
				$names[] = (string) reset( $where );
			}
		} catch ( \Throwable $unknown ) {
			return $names;
		}
		return $names;
	}

	/** One after another: the connection, table, condition, column, the value noted and the one of now. What an update may change is passed. */
	private static function differing( Journal $journal ): \Generator {
		$noted = self::noted( $journal );
		if ( ! $noted['rows'] || ( '' === $noted['file'] && ! defined( 'DB_HOST' ) ) ) {
			return; // The door beside WordPress knows no database; Guard::mend() comes here again when WordPress starts.
		}
		$db = self::connect( $noted['file'] );
		foreach ( $noted['rows'] as list( $table, $where, $column, $was ) ) {
			$name = $where['option_name'] ?? '';
			$was  = (string) base64_decode( $was );
			$is   = self::value( $db, $table, $where, $column );
			if ( $is !== $was && ! self::may( $journal, $name, $was, $is ) && ! ( in_array( $name, self::PAIRING, true ) && $journal->has_ended() ) ) {
				yield array( $db, $table, $where, $column, $was, $is );
			}
		}
	}

	/** What others than an update change as well: the times of events, and the keys of the same pairing. */
	private static function may( Journal $journal, string $name, string $was, ?string $is ): bool {
		if ( 'cron' === $name ) {
			return null !== $is && self::events( $is ) > 0 && count( self::lost_events( $journal, $is ) ) < self::FEW || 0 === self::events( $was );
		}
		return Identity::OPTION === $name && self::site( $was ) === self::site( (string) $is );
	}

	/** Which site a record of a pairing is about, or ''. */
	private static function site( string $record ): string {
		$record = json_decode( $record, true, 4 );
		return is_array( $record ) && is_string( $record['site_id'] ?? null ) ? $record['site_id'] : '';
	}

	/**
	 * What was noted of others (Others): `plugins` or `events`.
	 *
	 * @return string[]
	 */
	public static function of_others( Journal $journal, string $what ): array {
		$path  = $journal->data( 'others' );
		$noted = is_file( $path ) ? json_decode( (string) file_get_contents( $path ), true, 4 ) : null;
		return array_filter( (array) ( $noted[ $what ] ?? array() ), 'is_string' );
	}

	/**
	 * Events of others that were noted and are not there any more.
	 *
	 * @return string[]
	 */
	public static function lost_events( Journal $journal, string $cron ): array {
		return array_values(
			array_filter(
				self::of_others( $journal, 'events' ),
				static function ( string $name ) use ( $cron ): bool {
					return false === strpos( $cron, 's:' . strlen( $name ) . ':"' . $name . '";' );
				}
			)
		);
	}

	/** How many times WP-Cron is to wake something: WordPress changes them all the time, but never has none. */
	public static function events( string $cron ): int {
		return substr_count( $cron, '"schedule"' );
	}

	/**
	 * The same connection writes what was read, so bytes stay what they are whatever WordPress takes them for.
	 *
	 * @return \mysqli|\SQLite3
	 */
	private static function connect( string $file ) {
		if ( '' === $file ) {
			return Connection::open();
		}
		$db = new \SQLite3( $file, SQLITE3_OPEN_READWRITE );
		$db->busyTimeout( 5000 );
		return $db;
	}

	/**
	 * One value; null: there is no such row.
	 *
	 * @param \mysqli|\SQLite3 $db
	 * @param array<string,string> $where
	 */
	private static function value( $db, string $table, array $where, string $column ): ?string {
		$result = self::run( $db, "SELECT `$column` FROM `$table`" . self::condition( $db, $where ) );
		$row    = $result instanceof \mysqli_result ? $result->fetch_row() : ( $result instanceof \SQLite3Result ? $result->fetchArray( SQLITE3_NUM ) : null );
		return is_array( $row ) ? (string) $row[0] : null;
	}

	/** @param \mysqli|\SQLite3 $db */
	private static function condition( $db, array $where ): string {
		$terms = array();
		foreach ( $where as $name => $value ) {
			$terms[] = "`$name` = " . self::literal( $db, $value );
		}
		return ' WHERE ' . implode( ' AND ', $terms );
	}

	/** @param \mysqli|\SQLite3 $db */
	private static function literal( $db, string $value ): string {
		$bytes = "X'" . bin2hex( $value ) . "'";
		return $db instanceof \SQLite3 ? "CAST($bytes AS TEXT)" : "_utf8mb4 $bytes";
	}

	/**
	 * One statement.
	 *
	 * @param \mysqli|\SQLite3 $db
	 */
	private static function run( $db, string $sql ) {
		$result = @$db->query( $sql ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words in the next line.
		if ( false === $result ) {
			throw new Problem( 'failed', 'The database says: ' . ( $db instanceof \SQLite3 ? $db->lastErrorMsg() : $db->error ) );
		}
		return $result;
	}
}
