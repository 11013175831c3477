<?php
// What makes an update safe: a copy of what it replaces, and a way back that needs no plugin.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The life of one update on this site: copied, armed, applied, judged by the service, then kept or taken back. */
final class Guard {

	const DEAD_MAN = Journal::SILENCE; // Seconds after which a site that hears nothing more takes an update back.

	/** The verb `updates.guard`: looks whether it can be done, copies what would be replaced, and opens the way back. */
	public static function begin( array $params, Identity $identity ): array {
		$wanted = Updates::wanted( $params );
		$item   = new Item( $wanted['type'], $wanted['file'] );
		Inventory::load_admin();
		$journal = Journal::current( Root::work(), 'update', $wanted['job'], $wanted['fence'] );
		$known   = null !== $journal && $journal->get( 'job' ) === $wanted['job'] && $journal->get( 'type' ) === $item->type && $journal->get( 'file' ) === $item->file;
		if ( ! $known || ! in_array( $journal->phase(), array( 'staging', 'armed' ), true ) ) {
			$restore = Journal::current( Root::work(), 'restore' );
			if ( null !== $journal && $journal->is_open() && $journal->is_overdue() ) {
				self::back( $journal, 10.0 ); // Nobody came back for it, and somebody has removed its doors.
			}
			if ( ( null !== $journal && $journal->is_open() ) || ( null !== $restore && $restore->is_open() ) ) {
				throw new Problem( 'busy', 'Another update or a restore is at work on this site.' );
			}
			self::end_stale_maintenance();
			$why = Updates::offered( $item, $wanted['expect'] );
			$why = ! is_string( $why ) && $item->lacks_room() ? 'disk_full' : $why;
			if ( is_string( $why ) ) {
				return self::told( 'already_current' === $why ? $why : 'not_possible', $item, $why );
			}
			if ( null !== $journal ) {
				Leftovers::wipe( $journal, 60.0 );
			}
			$journal = self::make( $wanted, $item, $identity );
		}
		touch( $journal->dir . '/heard' );
		$journal->hold();
		$budget = Verbs::number( $params, 'budget_ms', 4000, 60000 ) / 1000;
		if ( 'staging' === $journal->phase() && ! self::copy( $journal, $budget ) ) {
			return self::told( 'copying', $item );
		}
		$untried = Staged::obstacle( $item, $journal );
		if ( 'staging' === $journal->phase() && '' === $untried ) {
			$offer = Updates::offered( $item, $wanted['expect'] );
			$why   = is_string( $offer ) ? $offer : Staged::fetch( $item, $offer, $journal );
			if ( '' !== $why ) {
				return self::told( 'not_possible', $item, $why );
			}
		}
		self::arm( $journal );
		if ( '' === $untried ) {
			$untried = Staged::lay_out( $journal );
		}
		return array( 'trial' => '' === $untried, 'untried' => $untried ) + self::told( 'ready', $item );
	}

	/** The verb `updates.status`. */
	public static function status(): array {
		$journal = Journal::current( Root::work(), 'update' );
		return Journal::told_of( $journal ) + array( 'changed' => null !== $journal && 'armed' === $journal->phase() ? Vital::changed( $journal ) : array() );
	}

	/** The verb `updates.rollback`; the rescue door does the same without WordPress. */
	public static function rollback( array $params ): array {
		$journal = self::journal( $params );
		return array( 'done' => self::back( $journal, 4.0 ), 'unmended' => (string) $journal->get( 'unmended' ) );
	}

	/** The verb `updates.release`: what there is now stays; nothing of ours remains. What was to be kept and was taken back meanwhile is left as it is. */
	public static function release( array $params ): array {
		$journal = Journal::current( Root::work(), 'update' );
		if ( null === $journal || $journal->get( 'job' ) !== ( $params['job'] ?? '' ) ) {
			return array( 'done' => true, 'kept' => true );
		}
		$journal = self::journal( $params );
		$journal->hold();
		if ( ! empty( $params['keep'] ) && in_array( $journal->phase(), array( 'rolling_back', 'rolled_back' ), true ) ) {
			return array( 'done' => false, 'kept' => false );
		}
		if ( in_array( $journal->phase(), array( 'swapping', 'rolling_back' ), true ) ) {
			throw new Problem( 'busy', 'The update is at work.' );
		}
		if ( 'rolled_back' === $journal->phase() ) {
			self::mend( $journal );
		}
		if ( 'armed' === $journal->phase() ) {
			self::end_trial( $journal );
		}
		if ( ! empty( $params['keep'] ) ) {
			Offers::forget( (string) $journal->get( 'type' ), (string) $journal->get( 'file' ) ); // Taken back, it is on offer still.
		}
		if ( 'swapped' === $journal->phase() ) {
			$journal->outdate_pages();
		}
		$journal->put( array( 'phase' => 'committed' ) );
		return array( 'done' => Leftovers::wipe( $journal, Verbs::number( $params, 'budget_ms', 4000, 60000 ) / 1000 ), 'kept' => true );
	}

	/**
	 * The update a request is about.
	 *
	 * @param string[] $phases In which it may be; empty = any.
	 */
	public static function journal( array $params, array $phases = array() ): Journal {
		$job     = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$journal = Journal::current( Root::work(), 'update' );
		if ( null === $journal ) {
			throw new Problem( 'failed', 'There is no update at work on this site.' );
		}
		$journal->admit( $job, Verbs::number( $params, 'fence' ) );
		if ( $phases && ! in_array( $journal->phase(), $phases, true ) ) {
			throw new Problem( 'failed', 'The update is ' . $journal->phase() . '.' );
		}
		touch( $journal->dir . '/heard' );
		return $journal;
	}

	/** A new journal for one item. */
	private static function make( array $wanted, Item $item, Identity $identity ): Journal {
		list( $root, $names ) = $item->parts();
		$place                = Copier::place( $root, Root::work() );
		return Journal::create(
			Root::work(),
			array(
				'kind'       => 'update',
				'id'         => bin2hex( random_bytes( 8 ) ),
				'job'        => $wanted['job'],
				'fence'      => $wanted['fence'],
				'phase'      => 'staging',
				'type'       => $item->type,
				'file'       => $item->file,
				'roots'      => array( 'item' => $root ),
				'names'      => $names,
				'was_active' => $item->is_active(),
				'network'    => $item->is_active() && is_plugin_active_for_network( $item->file ),
				'db_version' => (string) get_option( 'db_version' ),
				'maintained' => file_exists( ABSPATH . '.maintenance' ),
				'echo'       => bin2hex( random_bytes( 16 ) ),
				'unpacking'  => WP_CONTENT_DIR . '/upgrade',
				'unpacked'   => Leftovers::names( WP_CONTENT_DIR . '/upgrade' ),
				'site'       => $identity->get( 'site_id' ),
				'identity'   => $identity->record(),
			) + ( null === $place ? array() : array( 'place' => $place ) )
		);
	}

	/** Copies what the update replaces; false when there is more to do. */
	private static function copy( Journal $journal, float $seconds ): bool {
		$root   = (string) $journal->get( 'roots' )['item'];
		$copier = new Copier( $seconds );
		foreach ( (array) $journal->get( 'names' ) as $n => $name ) {
			if ( file_exists( "$root/$name" ) && ! $copier->copy( "$root/$name", $journal->side( 'old', $n ) ) ) {
				return false;
			}
		}
		self::plan( $journal, array() );
		Journal::write( $journal->data( 'reserve' ), random_bytes( 262144 ) );
		return true;
	}

	/**
	 * Writes what a way back has to exchange: what was copied, and what came with the update.
	 *
	 * @param string[] $new Names in the folder of the item.
	 */
	public static function plan( Journal $journal, array $new ): void {
		$lines = '';
		foreach ( array_merge( (array) $journal->get( 'names' ), $new ) as $name ) {
			$lines .= wp_json_encode( array( 'k' => 'put', 'r' => 'item', 'p' => array( 'b64' => base64_encode( $name ) ) ) ) . "\n";
		}
		Journal::write( $journal->data( 'plan' ), $lines );
	}

	/** From here the way back is open. */
	private static function arm( Journal $journal ): void {
		Door::prepare( $journal );
		$journal->put( array( 'maintained' => Door::is_foreign( $journal ) ) ); // Copying and fetching take their time: somebody may have shut the site meanwhile.
		$doors = array_merge( Door::paths( $journal ), array( ABSPATH . '.maintenance', ABSPATH . 'svc-connector-recovery-' . $journal->get( 'id' ) . '.php' ) );
		$journal->put( array( 'doors' => array_values( array_unique( $doors ) ) ) );
		if ( 'armed' !== $journal->phase() ) {
			Around::note( $journal );
			Others::note( $journal );
			$journal->put( array( 'noted' => Vital::note( $journal ), 'gates' => Gates::of( Around::gates() ) ) );
		}
		$journal->put(
			array(
				'phase'    => 'armed',
				'deadline' => time() + self::DEAD_MAN,
			)
		);
		Door::arm( $journal, Door::paths( $journal ) );
	}

	/** What a way back cannot do without WordPress. */
	public static function mend( Journal $journal ): void {
		require_once ABSPATH . 'wp-admin/includes/plugin.php';
		$journal->put( array( 'unmended' => FileSwap::mend( $journal ) ) );
		$item = new Item( (string) $journal->get( 'type' ), (string) $journal->get( 'file' ) );
		if ( $journal->get( 'was_active' ) && ! $item->is_active() && 0 === validate_plugin( $item->file ) ) {
			activate_plugin( $item->file, '', (bool) $journal->get( 'network' ), true );
		}
		if ( 'core' === $item->type ) {
			delete_option( 'core_updater.lock' );
			update_option( 'db_version', $journal->get( 'db_version' ) ); // Else the older WordPress asks every administrator to upgrade.
		}
		wp_cache_flush();
	}

	/** A request of a trial may be at work still, or have been ended before it could put back what it wrote. That is no reason not to let go. */
	private static function end_trial( Journal $journal ): void {
		Hanging::kill( $journal->dir, Hanging::TRIAL, 0 );
		try {
			if ( Around::is_touched( $journal ) ) {
				Around::back( $journal );
			}
		} catch ( \Throwable $error ) {
			error_log( 'svc-connector: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- There is nobody else to tell.
		}
	}

	/** Takes an update back; false when there is more to do. */
	private static function back( Journal $journal, float $seconds ): bool {
		$journal->hold();
		$swap = new FileSwap( $journal, $seconds );
		$done = $swap->back( true );
		if ( $done ) {
			self::mend( $journal );
		}
		return $done;
	}

	/** A notice that a killed update left; WordPress itself passes it over after ten minutes. */
	private static function end_stale_maintenance(): void {
		$path = ABSPATH . '.maintenance';
		if ( is_file( $path ) && filemtime( $path ) < time() - 600 ) {
			unlink( $path );
		}
	}

	/** What `updates.guard` answers. */
	private static function told( string $verdict, Item $item, string $reason = '' ): array {
		$journal = Journal::current( Root::work(), 'update' );
		return array(
			'verdict' => $verdict,
			'reason'  => Site::clip( $reason, 300 ),
			'version' => Site::clip( (string) $item->version(), 50 ),
			'active'  => $item->is_active(),
			'pages'   => 'ready' === $verdict ? Health::pages() : array(),
			'post'    => 'ready' === $verdict ? Health::post() : 0,
			'events'  => Health::events(),
			'noted'   => null === $journal || false !== $journal->get( 'noted' ),
			'echo'    => null === $journal ? '' : (string) $journal->get( 'echo' ),
			'alone'   => 'ready' === $verdict ? Door::alone( $journal, Identity::sealing_key() ) : '',
		);
	}
}
