<?php
// Putting a backup back.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The life of a restore on this site, from an empty folder to an empty folder. */
final class Restore {

	const DEAD_MAN = 600;   // Seconds after which a site that hears nothing more takes itself back.
	const KEPT     = 86400; // Seconds the state before a restore is kept.

	/** The verb `restore.begin`. */
	public static function begin( array $params, Identity $identity ): array {
		$job    = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$fence  = Verbs::number( $params, 'fence' );
		$bytes  = Verbs::number( $params, 'bytes' );
		$tables = Survey::tables( $params, 'tables' );
		$extra  = Survey::tables( $params, 'extra' );
		$views  = Survey::tables( $params, 'views' );
		$events = Survey::events( $params );

		$journal = Journal::current( Root::work(), 'restore', $job, $fence );
		$update  = Journal::current( Root::work(), 'update' );
		if ( ( null !== $journal && $journal->is_open() ) || ( null !== $update && $update->is_open() ) ) {
			throw new Problem( 'busy', 'Another restore or an update is at work on this site.' );
		}
		if ( null === $journal || $job !== $journal->get( 'job' ) || 'staging' !== $journal->phase() ) {
			$why = Survey::obstacle( array_merge( $tables, $extra ), ! empty( $params['files'] ), $bytes );
			if ( '' !== $why ) {
				throw new Problem( Survey::passes( $why ) ? 'busy' : 'failed', "This site cannot take a restore: $why." );
			}
			if ( null !== $journal ) {
				Leftovers::wipe( $journal, 60.0 );
			}
			$journal = self::make( $job, $fence, $identity );
		}
		touch( $journal->dir . '/heard' );
		$journal->hold();
		$journal->put( array( 'tables' => $tables, 'extra' => $extra, 'views' => $views, 'events' => $events, 'at' => 0 ) );
		return array( 'id' => $journal->get( 'id' ) );
	}

	/** The verb `restore.status`. Once swapped, it forgets what WordPress remembered of the database before. */
	public static function status(): array {
		$journal = Journal::current( Root::work(), 'restore' );
		if ( null !== $journal && in_array( $journal->phase(), array( 'swapped', 'rolled_back' ), true ) ) {
			wp_cache_flush();
		}
		$undone = null !== $journal && 'rolled_back' === $journal->phase() && 'committed' === $journal->get( 'was' );
		return Journal::told_of( $journal ) + array(
			'marker' => (string) get_option( TableSwap::MARKER, '' ),
			'lacks'  => null === $journal ? array() : (array) $journal->get( 'lacks' ),
		) + ( $undone ? TableSwap::orphans( $journal ) : array( 'orphans' => array() ) );
	}

	/** The verb `restore.arm`: from here the site takes itself back when it hears nothing for ten minutes. */
	public static function arm( array $params, Identity $identity ): array {
		$journal = self::journal( $params, array( 'staging', 'armed', 'committed' ) );
		$probe   = Verbs::text( $params, 'probe', '/^[0-9a-f]{64}$/D' );
		$was     = $journal->phase();
		$path    = ABSPATH . '.maintenance';
		$journal->hold();
		$foreign = file_exists( $path ) && Door::is_foreign( $journal );
		if ( $foreign && Door::is_at_work( $path ) ) {
			throw new Problem( 'busy', 'The site cannot be changed now: ' . Door::at_work( $path ) . '.' );
		}
		if ( 'committed' !== $was && $journal->get( 'prepared' ) !== $journal->get( 'plan' ) ) {
			throw new Problem( 'failed', 'The plan of the restore was not checked to its end.' );
		}
		if ( 'staging' === $was ) {
			TableSwap::must_stand( $journal );
			Loading::finish( $journal, (array) $journal->get( 'tables' ), (array) $journal->get( 'extra' ) );
			foreach ( array( 'stage', 'sql' ) as $name ) {
				Leftovers::clear( $journal->data( $name ) ); // It lies in tables, and under the numbers of the plan.
			}
		}
		Door::prepare( $journal );
		if ( $foreign ) {
			rename( $path, $journal->data( 'notice' ) );
		}
		$deadline = time() + self::DEAD_MAN;
		$journal->put(
			array(
				'phase'      => 'committed' === $was ? 'swapped' : 'armed',
				'was'        => $was,
				'deadline'   => $deadline,
				'doors'      => array( $path ),
				'identity'   => $identity->record(),
				'remembered' => array_filter( array( Remembered::OPTION => (string) get_option( Remembered::OPTION, '' ) ) ),
				'opens'      => ! empty( $params['opens'] ),
			)
		);
		Door::place( $path, Door::notice( $journal, $deadline, self::DEAD_MAN, $probe ) );
		return array( 'deadline' => $deadline );
	}

	/** The verb `restore.swap`; the rescue door does the same without WordPress. */
	public static function swap( array $params ): array {
		$journal = self::journal( $params );
		$journal->hold();
		$swap = new FileSwap( $journal, 4.0 );
		return array( 'done' => $swap->forward() );
	}

	/** The verb `restore.rollback`; the rescue door does the same without WordPress. */
	public static function rollback( array $params ): array {
		$journal = self::journal( $params );
		$journal->hold();
		$swap = new FileSwap( $journal, 4.0 );
		$done = $swap->back();
		wp_cache_flush();
		return array( 'done' => $done );
	}

	/** The verb `restore.commit`: the new state stays, the old one is kept for a day. */
	public static function commit( array $params ): array {
		$journal = self::journal( $params, array( 'swapped', 'committed' ) );
		$journal->hold();
		if ( 'committed' !== $journal->phase() ) {
			$journal->put( array( 'phase' => 'committed', 'kept_until' => time() + self::KEPT ) );
		}
		FileSwap::open_site( $journal );
		delete_option( TableSwap::MARKER );
		TableSwap::drop( $journal, false );
		return array( 'kept_until' => (int) $journal->get( 'kept_until' ), 'lacks' => (array) $journal->get( 'lacks' ) ) + TableSwap::orphans( $journal );
	}

	/** The verb `restore.purge`: throws a restore away that the live site does not need; done when nothing is left. */
	public static function purge( array $params ): array {
		$job     = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$fence   = Verbs::number( $params, 'fence' );
		$journal = Journal::current( Root::work(), 'restore' );
		if ( null === $journal || $job !== $journal->get( 'job' ) ) {
			return array( 'done' => true );
		}
		$journal->admit( $job, $fence );
		if ( in_array( $journal->phase(), array( 'swapping', 'swapped', 'rolling_back' ), true ) ) {
			throw new Problem( 'busy', 'The restore is at work.' );
		}
		return array( 'done' => Leftovers::wipe( $journal, 5.0 ) );
	}

	/**
	 * The restore a request is about.
	 *
	 * @param string[] $phases In which it may be; empty = any.
	 */
	public static function journal( array $params, array $phases = array() ): Journal {
		$job     = Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' );
		$journal = Journal::current( Root::work(), 'restore' );
		if ( null === $journal ) {
			throw new Problem( 'failed', 'There is no restore on this site.' );
		}
		$journal->admit( $job, Verbs::number( $params, 'fence' ) );
		if ( $phases && ! in_array( $journal->phase(), $phases, true ) ) {
			throw new Problem( 'failed', 'The restore is ' . $journal->phase() . '.' );
		}
		touch( $journal->dir . '/heard' );
		return $journal;
	}

	private static function make( string $job, int $fence, Identity $identity ): Journal {
		global $wpdb;
		$place = Copier::beside( dirname( Root::work() ) );
		return Journal::create(
			Root::work(),
			array(
				'kind'   => 'restore',
				'id'     => bin2hex( random_bytes( 8 ) ),
				'job'    => $job,
				'fence'  => $fence,
				'phase'  => 'staging',
				'hex'    => bin2hex( random_bytes( 8 ) ),
				'engine' => Tables::engine(),
				'file'   => defined( 'FQDB' ) ? FQDB : '',
				'prefix' => Tables::stored( $wpdb->prefix ),
				'site'   => $identity->get( 'site_id' ),
			) + ( null === $place ? array() : array( 'place' => $place ) )
		);
	}
}
