<?php
// Putting a backup back.
namespace Svc\Connector;

/** The life of a restore on this site, from an empty folder to an empty folder. */
final class Restore {

	const DEAD_MAN = 600;   // Seconds after which a site that hears nothing more takes itself back.
	const KEPT     = 86400; // Seconds the state before a restore is kept.
	const STALE    = 21600; // Seconds without a word after which staging is thrown away.

	/**
	 * The verb `restore.survey`: whether this site could take a restore, and what that would leave alone.
	 *
	 * @param array<string,mixed> $params Files, tables, bytes.
	 * @return array<string,mixed>
	 */
	public static function survey( array $params ): array {
		global $wpdb;
		$leave = array();
		foreach ( Root::all() as $id => $path ) {
			foreach ( self::ours() as $own ) {
				if ( 0 === strpos( $own, $path . '/' ) && ( 'config' !== $id || $own === "$path/wp-config.php" ) ) {
					$leave[] = array(
						'r' => $id,
						'p' => Root::to_wire( substr( $own, strlen( $path ) + 1 ) ),
					);
				}
			}
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is an answer.
		return array(
			'obstacle' => self::obstacle( self::names( $params, 'tables' ), ! empty( $params['files'] ), Verbs::number( $params, 'bytes', 0, 0, PHP_INT_MAX ) ),
			'leave'    => $leave,
			'free'     => false === $free ? null : (int) $free,
			'prefix'   => $wpdb->prefix,
		);
	}

	/**
	 * The verb `restore.begin`.
	 *
	 * @param array<string,mixed> $params   Job, fence, files, tables, extra, bytes.
	 * @param Identity            $identity Who we are.
	 * @return array<string,mixed>
	 */
	public static function begin( array $params, Identity $identity ): array {
		$job    = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$fence  = Verbs::number( $params, 'fence', 0, 0, PHP_INT_MAX );
		$bytes  = Verbs::number( $params, 'bytes', 0, 0, PHP_INT_MAX );
		$tables = self::names( $params, 'tables' );
		$extra  = self::names( $params, 'extra' );
		Rows::pass_fence( $job, $fence );
		$journal = Journal::current( self::work() );
		if ( null !== $journal && in_array( $journal->phase(), Journal::OPEN, true ) ) {
			throw new Problem( 'busy', 'Another restore is at work on this site.' );
		}
		if ( null === $journal || $job !== $journal->get( 'job' ) || 'staging' !== $journal->phase() ) {
			$why = self::obstacle( $tables, ! empty( $params['files'] ), $bytes );
			if ( '' !== $why ) {
				throw new Problem( 'failed', "This site cannot take a restore: $why." );
			}
			if ( null !== $journal ) {
				self::wipe( $journal, 60.0 );
			}
			$journal = self::make( $job, $fence, $identity );
		}
		touch( $journal->dir . '/heard' );
		$journal->admit( $job, $fence );
		$journal->hold();
		$journal->put(
			array(
				'tables' => $tables,
				'extra'  => $extra,
				'at'     => 0,
			)
		);
		return array( 'id' => $journal->get( 'id' ) );
	}

	/**
	 * The verb `restore.status`. Once swapped, it forgets what WordPress remembered of the database before.
	 *
	 * @return array<string,mixed>
	 */
	public static function status(): array {
		$journal = Journal::current( self::work() );
		if ( null !== $journal && in_array( $journal->phase(), array( 'swapped', 'rolled_back' ), true ) ) {
			wp_cache_flush();
		}
		return self::told( $journal ) + array( 'marker' => (string) get_option( Exchange::MARKER, '' ) );
	}

	/**
	 * What is told of a restore, here and by the rescue door.
	 *
	 * @return array<string,mixed>
	 */
	public static function told( ?Journal $journal ): array {
		return array(
			'phase'      => null === $journal ? 'none' : $journal->phase(),
			'job'        => null === $journal ? '' : (string) $journal->get( 'job' ),
			'id'         => null === $journal ? '' : (string) $journal->get( 'id' ),
			'kept_until' => null === $journal ? 0 : (int) $journal->get( 'kept_until' ),
		);
	}

	/**
	 * The verb `restore.arm`: from here the site takes itself back when it hears nothing for ten minutes.
	 *
	 * @param array<string,mixed> $params   Job, fence, probe (SHA-256 of the secret that lets a probe in).
	 * @param Identity            $identity Who we are.
	 * @return array<string,mixed>
	 */
	public static function arm( array $params, Identity $identity ): array {
		$journal = self::journal( $params, array( 'staging', 'armed', 'committed' ) );
		$probe   = Verbs::text( $params, 'probe', '/^[0-9a-f]{64}$/D' );
		$was     = $journal->phase();
		$path    = ABSPATH . '.maintenance';
		$journal->hold();
		if ( file_exists( $path ) && false === strpos( (string) file_get_contents( $path ), basename( $journal->dir ) ) && filemtime( $path ) > time() - 600 ) {
			throw new Problem( 'busy', 'The site is in maintenance: an update may be running.' );
		}
		if ( 'staging' === $was ) {
			Loading::finish( $journal, (array) $journal->get( 'tables' ), (array) $journal->get( 'extra' ) );
		}
		foreach ( array( 'rescue', 'class-wire', 'class-gate', 'class-incoming', 'class-answer', 'class-problem', 'class-identity', 'class-journal', 'class-swap', 'class-exchange' ) as $name ) {
			if ( ! copy( __DIR__ . "/$name.php", $journal->dir . "/rescue/$name.php" ) ) {
				throw new Problem( 'failed', 'The way back cannot be prepared: the disk may be full.' );
			}
		}
		$deadline = time() + self::DEAD_MAN;
		$journal->put(
			array(
				'phase'       => 'committed' === $was ? 'swapped' : 'armed',
				'was'         => $was,
				'deadline'    => $deadline,
				'maintenance' => $path,
				'identity'    => $identity->record(),
			)
		);
		Journal::write( $path, self::maintenance( $journal->dir . '/rescue/rescue.php', $deadline, $probe ) );
		if ( function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( $path, true ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A host may restrict it.
		}
		return array( 'deadline' => $deadline );
	}

	/**
	 * The verb `restore.swap`; the rescue door does the same without WordPress.
	 *
	 * @param array<string,mixed> $params Job, fence.
	 * @return array<string,mixed>
	 */
	public static function swap( array $params ): array {
		$journal = self::journal( $params );
		$journal->hold();
		$swap = new Swap( $journal, 4.0 );
		return array( 'done' => $swap->forward() );
	}

	/**
	 * The verb `restore.rollback`; the rescue door does the same without WordPress.
	 *
	 * @param array<string,mixed> $params Job, fence.
	 * @return array<string,mixed>
	 */
	public static function rollback( array $params ): array {
		$journal = self::journal( $params );
		$journal->hold();
		$swap = new Swap( $journal, 4.0 );
		$done = $swap->back();
		wp_cache_flush();
		return array( 'done' => $done );
	}

	/**
	 * The verb `restore.commit`: the new state stays, the old one is kept for a day.
	 *
	 * @param array<string,mixed> $params Job, fence.
	 * @return array<string,mixed>
	 */
	public static function commit( array $params ): array {
		$journal = self::journal( $params, array( 'swapped', 'committed' ) );
		$journal->hold();
		if ( 'committed' !== $journal->phase() ) {
			$journal->put(
				array(
					'phase'      => 'committed',
					'kept_until' => time() + self::KEPT,
				)
			);
		}
		Swap::open_site( $journal );
		delete_option( Exchange::MARKER );
		Exchange::drop( $journal, false );
		return array( 'kept_until' => (int) $journal->get( 'kept_until' ) );
	}

	/**
	 * The verb `restore.purge`: throws a restore away that the live site does not need; done when nothing is left.
	 *
	 * @param array<string,mixed> $params Job, fence, budget_ms.
	 * @return array<string,mixed>
	 */
	public static function purge( array $params ): array {
		$job     = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$fence   = Verbs::number( $params, 'fence', 0, 0, PHP_INT_MAX );
		$journal = Journal::current( self::work() );
		if ( null === $journal || $job !== $journal->get( 'job' ) ) {
			return array( 'done' => true );
		}
		$journal->admit( $job, $fence );
		if ( in_array( $journal->phase(), array( 'swapping', 'swapped', 'rolling_back' ), true ) ) {
			throw new Problem( 'busy', 'The restore is at work.' );
		}
		return array( 'done' => self::wipe( $journal, 5.0 ) );
	}

	/** Throws away what nobody asks for any more. Called now and then. */
	public static function sweep(): void {
		foreach ( Journal::folders( self::work() ) as $dir ) {
			$journal = Journal::open( $dir );
			if ( null === $journal ) {
				self::clear( $dir );
				continue;
			}
			$over = 'rolled_back' === $journal->phase()
				|| ( 'committed' === $journal->phase() && (int) $journal->get( 'kept_until' ) < time() )
				|| ( 'staging' === $journal->phase() && (int) @filemtime( "$dir/heard" ) < time() - self::STALE );
			if ( $over ) {
				self::wipe( $journal, 2.0 );
			}
		}
	}

	/**
	 * The restore a request is about.
	 *
	 * @param array<string,mixed> $params Job, fence.
	 * @param string[]            $phases In which it may be; empty = any.
	 */
	public static function journal( array $params, array $phases = array() ): Journal {
		$job     = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$journal = Journal::current( self::work() );
		if ( null === $journal ) {
			throw new Problem( 'failed', 'There is no restore on this site.' );
		}
		$journal->admit( $job, Verbs::number( $params, 'fence', 0, 0, PHP_INT_MAX ) );
		if ( $phases && ! in_array( $journal->phase(), $phases, true ) ) {
			throw new Problem( 'failed', 'The restore is ' . $journal->phase() . '.' );
		}
		touch( $journal->dir . '/heard' );
		return $journal;
	}

	/** Paths no restore touches: this plugin, its working folder, the site's own configuration and notice. */
	public static function is_ours( string $full ): bool {
		foreach ( self::ours() as $path ) {
			if ( 0 === strpos( $full . '/', $path . '/' ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Absolute paths of what no restore touches.
	 *
	 * @return string[]
	 */
	private static function ours(): array {
		$plugin = untrailingslashit( WP_PLUGIN_DIR ) . '/' . dirname( plugin_basename( FILE ) );
		return array( $plugin, self::work(), ABSPATH . '.maintenance', ABSPATH . 'wp-config.php', dirname( ABSPATH ) . '/wp-config.php' );
	}

	/** Empties a folder; the folder itself stays. */
	public static function clear( string $folder, float $until = INF ): bool {
		$names = is_dir( $folder ) ? scandir( $folder ) : array();
		foreach ( array_diff( is_array( $names ) ? $names : array(), array( '.', '..' ) ) as $name ) {
			$path = "$folder/$name";
			if ( microtime( true ) > $until ) {
				return false;
			}
			if ( is_dir( $path ) && ! is_link( $path ) ) {
				chmod( $path, 0700 );
				if ( ! self::clear( $path, $until ) || ! rmdir( $path ) ) {
					return false;
				}
			} elseif ( ! unlink( $path ) ) {
				return false;
			}
		}
		return true;
	}

	/** Removes a restore: notice, tables, files, and its state at the very end. */
	private static function wipe( Journal $journal, float $seconds ): bool {
		$until = microtime( true ) + $seconds;
		Swap::open_site( $journal );
		Exchange::drop( $journal, true );
		foreach ( array( 'stage', 'new', 'old', 'sql', 'nonces', 'rescue' ) as $name ) {
			if ( ! self::clear( $journal->dir . '/' . $name, $until ) ) {
				return false;
			}
		}
		unlink( $journal->dir . '/state.json' );
		return self::clear( $journal->dir, $until ) && rmdir( $journal->dir );
	}

	private static function make( string $job, int $fence, Identity $identity ): Journal {
		global $wpdb;
		return Journal::create(
			self::work(),
			array(
				'id'     => bin2hex( random_bytes( 8 ) ),
				'job'    => $job,
				'fence'  => $fence,
				'phase'  => 'staging',
				'hex'    => bin2hex( random_bytes( 2 ) ),
				'engine' => Tables::engine(),
				'file'   => defined( 'FQDB' ) ? FQDB : '',
				'prefix' => $wpdb->prefix,
				'site'   => $identity->get( 'site_id' ),
			)
		);
	}

	/**
	 * Why this site cannot take a restore, or ''; known before anything is begun.
	 *
	 * @param string[] $tables That would be replaced.
	 */
	private static function obstacle( array $tables, bool $files, int $bytes ): string {
		$why = '';
		if ( is_multisite() ) {
			$why = 'a network of sites cannot be restored yet';
		} elseif ( ! Identity::has_own_salts() ) {
			$why = 'wp-config.php has no salts of its own, on which the connection hangs';
		} elseif ( ! wp_is_writable( ABSPATH ) || ! wp_is_writable( WP_CONTENT_DIR ) ) {
			$why = 'WordPress cannot write to its own folders';
		} elseif ( $files && ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			$why = 'wp-config.php forbids changes of files';
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

	/** The notice for visitors. It is asked before any plugin loads, so it is also the door that needs none. */
	private static function maintenance( string $rescue, int $deadline, string $probe ): string {
		$path = var_export( $rescue, true ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- A literal of PHP.
		return "<?php // A backup is being put back. This file removes itself.\n"
			. '$upgrading = ' . ( $deadline - self::DEAD_MAN ) . ";\n"
			. "\$svc_door = isset( \$_GET['svc-connector'] ) ? \$_GET['svc-connector'] : '';\n"
			. "if ( ( 'rescue' === \$svc_door || time() >= $deadline ) && is_file( $path ) ) {\n\trequire $path;\n}\n"
			. "\$svc_post = isset( \$_SERVER['REQUEST_METHOD'] ) && 'POST' === \$_SERVER['REQUEST_METHOD'];\n"
			. "\$svc_uri  = isset( \$_SERVER['REQUEST_URI'] ) ? \$_SERVER['REQUEST_URI'] : '';\n"
			. "if ( \$svc_post && ( '1' === \$svc_door || false !== strpos( \$svc_uri, '/svc/v1/rpc' ) || false !== strpos( \$svc_uri, 'admin-ajax.php?action=svc' ) ) ) {\n\t\$upgrading = 0;\n}\n"
			. "if ( isset( \$_GET['svc-probe'] ) && is_string( \$_GET['svc-probe'] ) && hash_equals( '$probe', hash( 'sha256', \$_GET['svc-probe'] ) ) ) {\n\t\$upgrading = 0;\n}\n";
	}

	/**
	 * A list of tables of this site.
	 *
	 * @param array<string,mixed> $params As they arrived.
	 * @return string[]
	 */
	private static function names( array $params, string $name ): array {
		global $wpdb;
		$names = $params[ $name ] ?? array();
		foreach ( is_array( $names ) ? $names : array( 0 ) as $table ) {
			if ( ! is_string( $table ) || strlen( $table ) > 64 || 0 !== strpos( $table, $wpdb->prefix ) || Rows::table() === $table || false !== strpos( $table, '`' ) ) {
				throw new Problem( 'bad_request', "Parameter $name must be a list of tables a restore may touch." );
			}
		}
		return array_values( $names );
	}

	private static function work(): string {
		return untrailingslashit( WP_CONTENT_DIR ) . '/svc-connector-work';
	}
}
