<?php
// Who exchanged the files stays awake after the answer, where no trial has passed.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A version that lets every request wait takes all the workers of the web server, and the service finds none that would take it back. This one
 * works already: it ends what waits for too long, and takes the update back when the service is not heard meanwhile.
 */
final class Watch {

	const QUIET   = 10; // Seconds the service may be silent before that looks like it.
	const LONG    = 15; // Seconds a request may take then: what a version does once takes its time, and many hosts end it after twenty.
	const SILENCE = 30; // Seconds without the service.
	const LASTS   = 90; // Seconds, at most.

	/**
	 * What is left to do when the answer of `updates.apply` is on its way: nothing where the version has passed its trial, where no page runs it, where
	 * nobody could go on, and where no two requests were ever at work at once: there may be one worker alone, for which everybody would wait.
	 */
	public static function pending(): ?callable {
		$journal = Journal::current( Root::work(), 'update' );
		$watched = null !== $journal && 'swapped' === $journal->phase() && $journal->get( 'watched' ) && is_file( $journal->dir . '/several' );
		return $watched && self::is_run( $journal ) && Answer::can_finish() ? array( self::class, 'stay' ) : null;
	}

	private static function is_run( Journal $journal ): bool {
		$type = $journal->get( 'type' );
		return 'core' === $type || $journal->get( 'was_active' ) || ( 'theme' === $type && in_array( $journal->get( 'file' ), array( get_stylesheet(), get_template() ), true ) );
	}

	/** Until it was judged. */
	public static function stay(): void {
		$journal = Journal::current( Root::work(), 'update' );
		if ( null === $journal ) {
			return;
		}
		$dir   = $journal->dir;
		$began = time();
		do {
			sleep( 1 );
			clearstatcache();
			$journal = Journal::open( $dir );
			if ( null === $journal || 'swapped' !== $journal->phase() ) {
				return;
			}
			$silent = time() - max( $began, (int) @filemtime( "$dir/heard" ) ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may end right now.
			if ( $silent > self::QUIET && 0 === Hanging::kill( $dir, Hanging::JUDGED, self::LONG ) && 0 === Hanging::$hung ) {
				return; // Nothing is at work, and the service does not get through: it may wait for this worker, where there is no other.
			}
			$lost = $silent >= self::SILENCE && Hanging::$hung > 0; // A host that is merely busy ends what it began.
		} while ( ! $lost && time() < $began + self::LASTS );
		if ( $lost ) {
			$journal->hold();
			$journal->put( array( 'hung' => true ) );
			$swap = new FileSwap( $journal, 30.0 );
			$swap->back();
			Hanging::kill( $dir, Hanging::JUDGED, 1 ); // What began before this hangs still.
		}
	}
}
