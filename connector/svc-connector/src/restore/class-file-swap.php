<?php
// Exchanging files. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Carries the plan out and takes it back, operation by operation. What was done is told by the folders `new` and `old` alone,
 * so either direction can be begun again after a kill at any point. However little time there is, each request does a piece of it.
 */
final class FileSwap {

	const SOON  = 60; // Seconds after a way back in which it may have to be done again.
	const QUIET = Journal::MUST_USE . 'recovery.php'; // The door that shuts nobody out.

	/** @var Journal The restore. */
	private $journal;

	/** @var float Unix time at which to stop. */
	private $deadline;

	/** @var array<string,bool> Folders that were found to be real. */
	private $real = array();

	/** Works on one restore for so many seconds. */
	public function __construct( Journal $journal, float $seconds ) {
		$this->journal  = $journal;
		$this->deadline = microtime( true ) + $seconds;
	}

	/** Files first, then all tables at once; false when there is more to do. */
	public function forward(): bool {
		$journal = $this->journal;
		if ( 'swapped' === $journal->phase() ) {
			return true;
		}
		if ( ! in_array( $journal->phase(), array( 'armed', 'swapping' ), true ) ) {
			throw new Problem( 'failed', 'The restore is ' . $journal->phase() . ', so nothing can be swapped.' );
		}
		$journal->put( array( 'phase' => 'swapping' ) );
		$from = (int) $journal->get( 'at' );
		foreach ( $journal->plan() as $n => $op ) {
			if ( $n < $from ) {
				continue;
			}
			$this->carry( $n, $op, true );
			if ( microtime( true ) > $this->deadline ) {
				$journal->put( array( 'at' => $n + 1 ) );
				return false;
			}
		}
		self::forget_code();
		TableSwap::forward( $journal );
		$journal->put( array( 'phase' => 'swapped', 'at' => 0 ) );
		$journal->outdate_pages();
		return true;
	}

	/**
	 * Tables first, then the files in reverse; false when there is more to do.
	 *
	 * @param bool $is_asked The service is there, and may ask once more.
	 */
	public function back( bool $is_asked = false ): bool {
		$journal = $this->journal;
		if ( 'rolled_back' === $journal->phase() ) {
			return true;
		}
		if ( ! $journal->is_open() ) {
			throw new Problem( 'failed', 'The restore is ' . $journal->phase() . ', so nothing can be taken back.' );
		}
		if ( is_file( $journal->data( 'reserve' ) ) ) {
			unlink( $journal->data( 'reserve' ) ); // On a full disk the way back has what it writes.
		}
		$journal->put( array( 'phase' => 'rolling_back' ) );
		if ( null !== $journal->get( 'engine' ) ) {
			TableSwap::back( $journal );
		}
		if ( ! $this->files_back() ) {
			return false;
		}
		$unmended = 'update' === $journal->get( 'kind' ) ? self::mend( $journal ) : '';
		$journal->put( array( 'phase' => 'rolled_back', 'unmended' => $unmended, 'swapped_at' => microtime( true ) ) );
		$journal->outdate_pages();
		self::open_site( $journal, $is_asked && 'update' === $journal->get( 'kind' ) ? self::QUIET : '' );
		return true;
	}

	/**
	 * The files alone. A restore has shut the site; while those of an update are exchanged, whoever comes waits. Where WordPress itself is put back nobody
	 * does: who comes to a door has begun with the new one, and would go on with what the old one has.
	 */
	private function files_back(): bool {
		if ( 'update' === $this->journal->get( 'kind' ) && 'core' !== $this->journal->get( 'type' ) ) {
			CodeLock::take( $this->journal->dir );
		}
		try {
			$undone = $this->journal->get( 'undone' ) ?? PHP_INT_MAX; // From this operation on all are.
			foreach ( array_reverse( iterator_to_array( $this->journal->plan() ), true ) as $n => $op ) {
				if ( $n >= $undone ) {
					continue;
				}
				$this->carry( $n, $op, false );
				if ( microtime( true ) > $this->deadline ) {
					$this->journal->put( array( 'undone' => $n ) );
					return false;
				}
			}
			foreach ( array_reverse( (array) $this->journal->get( 'missing' ) ) as $folder ) {
				if ( self::is_empty( $folder ) ) {
					rmdir( $folder );
				}
			}
			self::forget_code();
		} finally {
			CodeLock::let_go();
		}
		return true;
	}

	/**
	 * What else an update may have changed. Whatever cannot be put back of that, the files of the item are: why, or ''. Asked once more after the way back,
	 * since a visitor whose request had begun may have changed it again; what somebody does long after that is no such visitor's doing.
	 */
	public static function mend( Journal $journal ): string {
		$lacks = '';
		$late  = 'rolled_back' === $journal->phase() && '' === (string) $journal->get( 'unmended' ) && microtime( true ) > (float) $journal->get( 'swapped_at' ) + self::SOON;
		try {
			if ( ! $late && Around::is_touched( $journal ) ) {
				Around::back( $journal );
			}
		} catch ( \Throwable $error ) {
			$lacks = Vital::clean( $error ) . ' ';
		}
		return rtrim( $lacks . Vital::try_back( $journal ) );
	}

	/** Lets visitors in again: no door of ours remains, and no notice that came during an update. A notice that stood there before a restore stands there again. */
	public static function open_site( Journal $journal, string $but = '' ): void {
		$notice = $journal->data( 'notice' );
		$but    = is_file( $journal->dir . Journal::UNCACHED ) ? self::QUIET : $but; // It empties the cache, and goes after that.
		foreach ( (array) $journal->get( 'doors' ) as $path ) {
			if ( basename( $path ) === $but ) {
				continue;
			}
			$is_ours = is_file( $path ) && false !== strpos( (string) file_get_contents( $path ), $journal->tag() );
			if ( $is_ours || ( is_file( $path ) && '.maintenance' === basename( $path ) && false === $journal->get( 'maintained' ) ) ) {
				unlink( $path );
			}
			if ( is_file( $notice ) && '.maintenance' === basename( $path ) && ! file_exists( $path ) && ! ( 'committed' === $journal->phase() && $journal->get( 'opens' ) ) ) {
				Aside::move( $notice, $path );
			}
		}
	}

	/** Makes the folders around a root that were not there. */
	private function make_way( string $live ): void {
		foreach ( (array) $this->journal->get( 'missing' ) as $folder ) {
			if ( 0 === strpos( $live, "$folder/" ) && ! is_dir( $folder ) && ! mkdir( $folder, fileperms( dirname( $folder ) ) & 0777 ) ) {
				throw new Problem( 'failed', 'A folder cannot be made.' );
			}
		}
	}

	/** Carries one operation out or takes it back. What cannot be is told with the path that it is about: what lies beside the site has numbers for names. */
	private function carry( int $n, array $op, bool $is_forward ): void {
		try {
			$is_forward ? $this->apply( $n, $op ) : $this->revert( $n, $op );
		} catch ( Problem $problem ) {
			throw new Problem( $problem->reason(), rtrim( $problem->getMessage(), '.' ) . ': ' . ( is_string( $op['r'] ?? null ) ? ( (array) $this->journal->get( 'roots' ) )[ $op['r'] ] ?? $op['r'] : '' ) . '/' . Plan::bytes( $op['p'] ?? '' ) );
		}
	}

	/** Carries one operation out. */
	private function apply( int $n, array $op ): void {
		$live = $this->live( $op );
		$old  = $this->journal->side( 'old', $n, $op );
		$new  = $this->journal->side( 'new', $n, $op );
		$this->make_way( $live );
		if ( 'mode' === $op['k'] ) {
			self::settle( $live, $op['m'], $op['t'] ?? null );
			return;
		}
		if ( 'del' === $op['k'] || 'rmdir' === $op['k'] ) {
			if ( Aside::exists( $live ) && ! Aside::has( $live, $old ) && ( 'del' === $op['k'] || ( self::is_empty( $live ) && ! Disk::begins( $live ) ) ) ) {
				Aside::take( $live, $old );
			}
			return;
		}
		if ( 'dir' === $op['k'] ) {
			if ( is_dir( $live ) && ! is_link( $live ) ) {
				return;
			}
			if ( Aside::exists( $live ) && ! Aside::has( $live, $old ) ) {
				Aside::take( $live, $old );
			}
			if ( ! mkdir( $live, $op['m'] | 0700 ) ) {
				throw new Problem( 'failed', 'A folder cannot be made.' );
			}
			chmod( $live, $op['m'] | 0700 );
			return;
		}
		// With open_basedir each question about a path is dear: where nothing stands, it is tried.
		if ( 'link' === $op['k'] && Aside::has_link( $new ) ) {
			Aside::make_link( $new, $live );
			return;
		}
		$stands = Aside::exists( $live );
		if ( ! $stands && 'link' !== $op['k'] && @rename( $new, $live ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Asked for below.
			return;
		}
		if ( ! Aside::exists( $new ) ) {
			return;
		}
		if ( $stands && ! Aside::has( $live, $old ) ) {
			Aside::keep( $live, $old );
		}
		Aside::move( $new, 'link' === $op['k'] ? "$new.link" : $live );
		if ( 'link' === $op['k'] ) {
			Aside::make_link( $new, $live );
		}
	}

	/** Takes one operation back. */
	private function revert( int $n, array $op ): void {
		$old   = $this->journal->side( 'old', $n, $op );
		$new   = $this->journal->side( 'new', $n, $op );
		$noted = Aside::has_link( $old );
		$kept  = $noted || Aside::exists( $old );
		if ( ! $kept && ( 'del' === $op['k'] || 'rmdir' === $op['k'] || Aside::exists( $new ) ) ) {
			return; // Never carried out, perhaps because it could not be.
		}
		try {
			$live = $this->live( $op );
		} catch ( Problem $problem ) {
			if ( ! $kept ) {
				return; // What is not allowed was not done, and behind a link is not what was.
			}
			throw $problem;
		}
		if ( 'mode' === $op['k'] ) {
			self::settle( $live, $op['wm'], $op['wt'] ?? null );
			return;
		}
		if ( 'dir' === $op['k'] ) {
			if ( is_dir( $live ) && ! is_link( $live ) && self::is_empty( $live ) ) {
				rmdir( $live );
			}
		} elseif ( ( 'put' === $op['k'] || 'link' === $op['k'] ) && ! Aside::exists( $new ) ) {
			if ( ! Aside::exists( $live ) ) {
				touch( $new ); // Else, after a kill, what was put back would be taken for what came.
			} elseif ( 'link' === $op['k'] && is_link( $live ) ) {
				Aside::remove( $live );
				touch( $new );
			} elseif ( $kept && ( ! is_dir( $old ) || is_link( $old ) ) ) {
				Aside::keep( $live, $new ); // What was there takes its place in one step.
			} else {
				Aside::move( $live, $new );
			}
		}
		if ( $kept && ( ! is_dir( $live ) || is_link( $live ) ) ) {
			$noted ? Aside::make_link( $old, $live ) : Aside::move( $old, $live );
		}
	}

	/** The absolute path an operation is about, judged anew; no folder on the way may be a link. */
	private function live( array $op ): string {
		$roots = (array) $this->journal->get( 'roots' );
		$full  = Plan::path( $op, $roots, (array) $this->journal->get( 'shut' ), (array) $this->journal->get( 'names' ) );
		if ( 'link' === $op['k'] ) {
			$this->real = array(); // What was a folder may be a link now.
		}
		$found = array();
		for ( $folder = dirname( $full ); strlen( rtrim( $folder, '/' ) ) > strlen( $roots[ $op['r'] ] ) && ! isset( $this->real[ $folder ] ); $folder = dirname( $folder ) ) {
			if ( is_link( $folder ) ) {
				throw new Problem( 'failed', 'A folder of the plan is a link now.' );
			}
			$found[ $folder ] = true;
		}
		$this->real += $found;
		return $full;
	}

	/** Mode, and time of a file. Where it belongs to another user than PHP it stays as it is: that is no reason to fail. */
	private static function settle( string $path, int $mode, ?int $time ): void {
		if ( is_link( $path ) || ! file_exists( $path ) ) {
			return;
		}
		if ( null !== $time ) {
			@touch( $path, $time ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
		}
		@chmod( $path, $mode & 07777 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
	}

	private static function is_empty( string $folder ): bool {
		$names = is_dir( $folder ) && ! is_link( $folder ) ? scandir( $folder ) : false;
		return is_array( $names ) && count( $names ) <= 2;
	}

	/** PHP may hold the code of files that are other ones now. */
	private static function forget_code(): void {
		clearstatcache();
		if ( function_exists( 'opcache_reset' ) ) {
			@opcache_reset(); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A host may restrict it.
		}
	}
}
