<?php
// Whether this site could take a restore, and what that would leave alone.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Known before anything is begun. */
final class Survey {

	const NO_FILES = 'wp-config.php forbids changes of files';

	/** The verb `restore.survey`. */
	public static function report( array $params ): array {
		global $wpdb;
		$leave = array();
		foreach ( Roots::all() as $id => $path ) {
			$root = new Root( $id );
			foreach ( array_unique( array_merge( $root->places( self::ours() ), $root->neighbours() ) ) as $own ) {
				$place = substr( $own, strlen( $path ) + 1 );
				$real  = Roots::known()->whose( realpath( dirname( $own ) ) . '/' . basename( $own ) );
				if ( $root->has( $place ) && null !== $real && $id === $real[0] ) {
					$leave[] = array( 'r' => $id, 'p' => Root::to_wire( $place ) );
				}
			}
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is an answer.
		$asked  = self::names( $params, 'tables' );
		$beside = array_values( array_diff( $asked, self::own( $asked ) ) );
		$extra  = self::own( self::names( $params, 'extra' ) );
		$tables = array_values( array_diff( $asked, $beside, $extra ) );
		$tried  = self::rehearsed( $tables, $extra, $params );
		$stay   = array_column( $tried['hindered'], 'table' );
		$why = self::obstacle( array_merge( $tables, $extra ), ! empty( $params['files'] ), Verbs::number( $params, 'bytes' ) );
		return array(
			'obstacle' => $why,
			'passes'   => self::passes( $why ),
			'beside'   => $beside,
			'needed'   => Bonds::needed( array_diff( $tables, $stay ), array_diff( $extra, $stay ) ),
			'links'    => function_exists( 'symlink' ),
			'ties'     => 'sqlite' !== Tables::engine(),
			'leave'    => $leave,
			'free'     => false === $free ? null : (int) $free,
			'disks'    => self::disks(),
			'prefix'   => Tables::stored( $wpdb->prefix ),
			'modes'    => true,
			'folders'  => true,
			'letters'  => '/' === DIRECTORY_SEPARATOR,
		) + $tried;
	}

	/**
	 * Tables that cannot be exchanged, each with why: `hindered`; those of which that could not be tried: `untried`.
	 *
	 * @param string[] $tables That would be replaced.
	 * @param string[] $extra  That would go.
	 */
	private static function rehearsed( array $tables, array $extra, array $params ): array {
		$bound = Rehearsal::hindered( array_merge( $tables, $extra ), self::names( $params, 'triggers' ), self::names( $params, 'keys' ) );
		$back  = array_values( array_diff( $tables, self::staying( $bound ) ) );
		$goes  = array_diff( $extra, array_keys( $bound ), Bonds::needed( $back, $extra ) );
		$tried = Rehearsal::refused( $back, $params['creates'] ?? array(), array_merge( self::names( $params, 'apart' ), $goes ) );
		$stuck = array();
		foreach ( array_filter( $tried ) + $bound as $table => $why ) {
			$stuck[] = array( 'table' => (string) $table, 'why' => $why );
		}
		return array( 'hindered' => $stuck, 'untried' => array_map( 'strval', array_keys( $tried, '', true ) ) );
	}

	/**
	 * Tables that stay as they are because of what hangs on them: one that is lost comes back without its triggers.
	 *
	 * @param array<string,string> $bound Table => `triggers` or `keys`.
	 */
	private static function staying( array $bound ): array {
		$lost = $bound ? array_diff_key( $bound, Tables::live() ) : array();
		return array_map( 'strval', array_keys( array_diff_key( $bound, array_intersect( $lost, array( 'triggers' ) ) ) ) );
	}

	/** Of each other disk that roots are on, where that can be known, these and what is free there: what comes back there takes room on both. */
	private static function disks(): array {
		$disks = array();
		foreach ( function_exists( 'disk_free_space' ) ? array_keys( Roots::all() ) : array() as $id ) {
			$folder = Roots::standing( $id );
			$disk   = Disk::of( $folder );
			$free   = Disk::of( WP_CONTENT_DIR ) === $disk ? false : @disk_free_space( $folder ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is an answer.
			if ( false !== $free ) {
				$disks[ $disk ] = array( 'roots' => array_merge( $disks[ $disk ]['roots'] ?? array(), array( $id ) ), 'free' => (int) $free );
			}
		}
		return array_values( $disks );
	}

	/** Absolute paths no operation of a restore may touch: ours, and what is left out of backups, however a root is written. */
	public static function shut(): array {
		$paths = self::ours();
		foreach ( array_keys( Roots::all() ) as $id ) {
			$root  = new Root( $id );
			$paths = array_merge( $paths, $root->left_out(), $root->places( self::ours() ) );
		}
		return array_values( array_unique( $paths ) );
	}

	/** This plugin, its working folder, the site's own configuration and secrets, and its notice. */
	private static function ours(): array {
		$plugin = untrailingslashit( WP_PLUGIN_DIR ) . '/' . dirname( plugin_basename( FILE ) );
		$own    = array( $plugin, Root::work(), ABSPATH . '.maintenance', ABSPATH . 'wp-config.php', dirname( ABSPATH ) . '/wp-config.php' );
		foreach ( array_merge( array_slice( $own, 3 ), Roots::secrets() ) as $path ) {
			array_push( $own, $path, (string) Links::place( $path ) ); // It may be a link.
		}
		return array_values( array_unique( array_filter( $own ) ) );
	}

	/**
	 * Why this site cannot take a restore, or ''; known before anything is begun.
	 *
	 * @param string[] $tables That would be replaced.
	 */
	public static function obstacle( array $tables, bool $files, int $bytes ): string {
		$why = '';
		if ( ! Identity::has_own_salts() ) {
			$why = 'wp-config.php has no salts of its own, on which the connection hangs';
		} elseif ( ! wp_is_writable( ABSPATH ) || ! wp_is_writable( WP_CONTENT_DIR ) ) {
			$why = 'PHP may not write to ' . ( wp_is_writable( ABSPATH ) ? 'wp-content, where a restore keeps its way back' : 'the folder of WordPress, where a restore has its notice for visitors' );
		} elseif ( $files && ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			$why = self::NO_FILES;
		} elseif ( self::is_shut() ) {
			$why = Door::at_work( ABSPATH . '.maintenance' );
		} elseif ( $tables && 'sqlite' === Tables::engine() && ( ! class_exists( 'SQLite3' ) || ! class_exists( 'WP_MySQL_On_SQLite' ) ) ) {
			$why = 'PHP lacks the extension sqlite3, or the SQLite driver is an unknown version';
		} elseif ( $tables && 'sqlite' !== Tables::engine() ) {
			foreach ( Bonds::hindered( $tables ) as $table => $reason ) {
				$why = "the table $table cannot be exchanged, because " . ( 'trigger' === $reason ? 'a trigger of it cannot be made again' : 'a table of another database refers to it' );
			}
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is no obstacle.
		if ( '' === $why && false !== $free && $free < 1.2 * $bytes ) {
			$why = sprintf( 'it needs %d MB of disk, and %d MB are free', ceil( 1.2 * $bytes / 1e6 ), floor( $free / 1e6 ) );
		}
		return $why;
	}

	/** True for an obstacle that is gone within minutes, whatever anybody does. */
	public static function passes( string $why ): bool {
		return 0 === strpos( $why, Door::AT_WORK );
	}

	/** True while an update that is not the connector's may be running. */
	private static function is_shut(): bool {
		$ours = array_filter( array( Journal::current( Root::work(), 'restore' ), Journal::current( Root::work(), 'update' ) ) );
		foreach ( Door::is_at_work( ABSPATH . '.maintenance' ) ? $ours : array() as $journal ) {
			if ( ! Door::is_foreign( $journal ) ) {
				return false;
			}
		}
		return Door::is_at_work( ABSPATH . '.maintenance' );
	}

	/** A list of tables or views of this installation. */
	public static function tables( array $params, string $name ): array {
		$names = self::names( $params, $name );
		if ( self::own( $names ) !== $names ) {
			throw new Problem( 'bad_request', "Parameter $name must be a list of tables a restore may touch." );
		}
		return $names;
	}

	/** A list of events none of which is somebody else's. */
	public static function events( array $params ): array {
		$names = self::names( $params, 'events' );
		if ( $names && array_intersect( $names, Bonds::events( Tables::names() )['others'] ) ) {
			throw new Problem( 'bad_request', 'Parameter events must be a list of events a restore may touch.' );
		}
		return $names;
	}

	/**
	 * Those that are this installation's, and not the connector's. What only a backup knows counts as if it were there.
	 *
	 * @param string[] $names As asked.
	 */
	private static function own( array $names ): array {
		$foreign = Prefixes::foreign( array_map( 'strval', array_keys( Tables::live() ) ), $names );
		return array_values(
			array_filter(
				$names,
				static function ( string $name ) use ( $foreign ): bool {
					return Prefixes::is_own( $name, $foreign ) && Tables::stored( Facts::table() ) !== $name;
				}
			)
		);
	}

	/** A list of names. */
	private static function names( array $params, string $name ): array {
		$names = $params[ $name ] ?? array();
		foreach ( is_array( $names ) ? $names : array( 0 ) as $table ) {
			if ( ! is_string( $table ) || ! preg_match( '/^[^\x00-\x1f]{1,256}$/D', $table ) ) {
				throw new Problem( 'bad_request', "Parameter $name must be a list of names." );
			}
		}
		return array_values( $names );
	}
}
