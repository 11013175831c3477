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
		foreach ( Root::all() as $id => $path ) {
			foreach ( self::ours() as $own ) {
				if ( 0 === strpos( $own, $path . '/' ) && ( 'config' !== $id || $own === "$path/wp-config.php" ) ) {
					$leave[] = array( 'r' => $id, 'p' => Root::to_wire( substr( $own, strlen( $path ) + 1 ) ) );
				}
			}
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is an answer.
		return array(
			'obstacle' => self::obstacle( self::tables( $params, 'tables' ), ! empty( $params['files'] ), Verbs::number( $params, 'bytes' ) ),
			'leave'    => $leave,
			'free'     => false === $free ? null : (int) $free,
			'prefix'   => $wpdb->prefix,
			'modes'    => true,
		);
	}

	/** Absolute paths no operation of a restore may touch: ours, and what is left out of backups, however a root is written. */
	public static function shut(): array {
		$paths = self::ours();
		foreach ( array_keys( Root::all() ) as $id ) {
			$root  = new Root( $id );
			$paths = array_merge( $paths, $root->left_out(), $root->places( self::ours() ) );
		}
		return array_values( array_unique( $paths ) );
	}

	/** This plugin, its working folder, the site's own configuration and notice. */
	private static function ours(): array {
		$plugin = untrailingslashit( WP_PLUGIN_DIR ) . '/' . dirname( plugin_basename( FILE ) );
		return array( $plugin, Root::work(), ABSPATH . '.maintenance', ABSPATH . 'wp-config.php', dirname( ABSPATH ) . '/wp-config.php' );
	}

	/**
	 * Why this site cannot take a restore, or ''; known before anything is begun.
	 *
	 * @param string[] $tables That would be replaced.
	 */
	public static function obstacle( array $tables, bool $files, int $bytes ): string {
		$why = '';
		if ( is_multisite() ) {
			$why = 'a network of sites cannot be restored yet';
		} elseif ( ! Identity::has_own_salts() ) {
			$why = 'wp-config.php has no salts of its own, on which the connection hangs';
		} elseif ( ! wp_is_writable( ABSPATH ) || ! wp_is_writable( WP_CONTENT_DIR ) ) {
			$why = 'WordPress cannot write to its own folders';
		} elseif ( $files && ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			$why = self::NO_FILES;
		} elseif ( $tables && 'sqlite' === Tables::engine() && ( ! class_exists( 'SQLite3' ) || ! class_exists( 'WP_MySQL_On_SQLite' ) ) ) {
			$why = 'PHP lacks the extension sqlite3, or the SQLite driver is an unknown version';
		} elseif ( $tables && 'sqlite' !== Tables::engine() ) {
			$why = Tables::obstacle( $tables );
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is no obstacle.
		if ( '' === $why && false !== $free && $free < 1.2 * $bytes ) {
			$why = sprintf( 'it needs %d MB of disk, and %d MB are free', ceil( 1.2 * $bytes / 1e6 ), floor( $free / 1e6 ) );
		}
		return $why;
	}

	/** A list of tables of this site. */
	public static function tables( array $params, string $name ): array {
		global $wpdb;
		$names = $params[ $name ] ?? array();
		foreach ( is_array( $names ) ? $names : array( 0 ) as $table ) {
			if ( ! is_string( $table ) || strlen( $table ) > 256 || 0 !== strpos( $table, $wpdb->prefix ) || Facts::table() === $table ) {
				throw new Problem( 'bad_request', "Parameter $name must be a list of tables a restore may touch." );
			}
		}
		return array_values( $names );
	}
}
