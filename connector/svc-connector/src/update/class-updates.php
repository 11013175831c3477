<?php
// Applying one update.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * The verb `updates.apply`: core's own upgraders, one item at a time.
 * An update happened when the version in the files says so, never because an upgrader says so.
 */
final class Updates {

	const LOCK_LIFE = 900; // Seconds core gives its own lock.

	/** @var Journal|null The guarded update while it runs. */
	private static $journal = null;

	/** The verb `updates.apply`: what `updates.guard` has prepared is done. */
	public static function apply( array $params ): array {
		$wanted = self::wanted( $params );
		$journal = Guard::journal( $params, array( 'armed' ) );
		$journal->hold();
		if ( 'armed' !== $journal->phase() || $journal->get( 'type' ) !== $wanted['type'] || $journal->get( 'file' ) !== $wanted['file'] ) {
			throw new Problem( 'failed', 'Another update was prepared.' );
		}
		// What was not seen to be well may let every request wait.
		$journal->put( array( 'watched' => empty( $params['passed'] ) || array() !== Trial::held( $journal ) ) );
		return self::run( new Item( $wanted['type'], $wanted['file'] ), $wanted['expect'], $journal ) + array( 'phase' => $journal->phase(), 'held' => Trial::held( $journal ), 'wrote' => Trial::wrote( $journal ) );
	}

	/**
	 * What is to be updated.
	 *
	 * @return array{job:string,fence:int,type:string,file:string,expect:string}
	 */
	public static function wanted( array $params ): array {
		$wanted = array(
			'job'    => Verbs::text( $params, 'job', '/^[A-Za-z0-9_-]{1,64}$/D' ),
			'type'   => Verbs::text( $params, 'type', '/^(plugin|theme|core|translations)$/D' ),
			'file'   => Verbs::text( $params, 'file', '/^[^\x00-\x1f\\\\]{1,255}$/D' ),
			'expect' => isset( $params['expect_version'] ) ? Verbs::text( $params, 'expect_version', '/^[^\x00-\x1f]{0,50}$/D' ) : '',
		);
		if ( 0 !== validate_file( $wanted['file'] ) ) {
			throw new Problem( 'bad_request', 'That is not the file of a plugin or theme.' );
		}
		if ( ! isset( $params['fence'] ) ) {
			throw new Problem( 'bad_request', 'Parameter fence is missing.' );
		}
		return $wanted + array( 'fence' => Verbs::number( $params, 'fence' ) );
	}

	/** What is on offer for an item, or why it cannot be updated now. Asks the update API when the offer is not known. */
	public static function offered( Item $item, string $expect ) {
		$before = $item->version();
		if ( null === $before ) {
			return 'not_installed';
		}
		$offer = self::offer( $item, $expect );
		if ( ( '' !== $expect && $expect === $before ) || ( '' === $expect && ( null === $offer || ( '' !== $before && $offer['version'] === $before ) ) ) ) {
			return 'already_current';
		}
		$why = null === $offer ? 'not_offered' : $item->obstacle( $offer );
		return '' === $why ? $offer : $why;
	}

	/** The offer of the expected version, or the one there is. */
	private static function offer( Item $item, string $expect ): ?array {
		$offer = Offers::find( $item->type, $item->file, $expect );
		if ( null === $offer || ( '' !== $expect && $offer['version'] !== $expect ) ) {
			Offers::refresh( 'translations' === $item->type ? array( 'core', 'plugins', 'themes' ) : array( 'core' === $item->type ? 'core' : $item->type . 's' ) );
			$offer = Offers::find( $item->type, $item->file, $expect );
		}
		return null !== $offer && ( '' === $expect || $offer['version'] === $expect ) ? $offer : null;
	}

	/** Looks, updates, looks again. */
	private static function run( Item $item, string $expect, Journal $journal ): array {
		Inventory::load_admin();
		require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
		$before = (string) $item->version();
		$offer  = self::offered( $item, $expect );
		if ( is_string( $offer ) ) {
			return self::result( 'already_current' === $offer ? $offer : 'failed', array( $before, $before ), $offer );
		}
		$journal->put( array( 'phase' => 'swapping', 'before' => $before, 'deadline' => time() + Guard::DEAD_MAN ) );
		self::$journal = $journal;
		self::prepare();
		list( $root )  = $item->parts();
		$around        = (array) scandir( $root );
		$upgrade       = new Upgrade( $item, $offer, $journal );
		$answer        = $upgrade->replace();
		if ( $journal->get( 'was_active' ) && ! $item->is_active() && 0 === validate_plugin( $item->file ) ) {
			activate_plugin( $item->file, '', (bool) $journal->get( 'network' ), true );
		}
		// A package may bring a folder of another name, or WordPress a file it did not have; a way back removes both.
		$gone = null === $item->version();
		$now  = 'core' === $item->type ? $item->parts()[1] : ( $gone ? (array) scandir( $root ) : array() );
		Guard::plan( $journal, array_values( array_diff( $now, $around, (array) $journal->get( 'names' ) ) ) );
		$after = (string) $item->version();
		self::end( $journal );
		if ( 'translations' === $item->type ? '' === $answer : ( $after !== $before && $after === $offer['version'] ) ) {
			return self::result( 'updated', array( $before, $after ), '', $upgrade->messages() );
		}
		$reason = '' !== $answer ? $answer : ( $after === $before ? 'unchanged' : 'wrong_version' );
		return self::result( 'failed', array( $before, $after ), $reason, $upgrade->messages() );
	}

	/** Whatever came of it: the service judges now, and has time for that. */
	private static function end( Journal $journal ): void {
		CodeLock::let_go();
		Door::open( $journal );
		$journal->put( array( 'phase' => 'swapped', 'swapped_at' => microtime( true ), 'deadline' => time() + Guard::DEAD_MAN ) );
		$journal->let_go(); // What core is told may keep it for as long as the request lives.
		self::$journal = null;
	}

	/** Time and memory for an upgrade, where the host lets us; and no questions to the update API after each item. */
	public static function prepare(): void {
		wp_raise_memory_limit( 'admin' );
		if ( function_exists( 'set_time_limit' ) ) {
			set_time_limit( 300 );
		} else {
			require_once __DIR__ . '/polyfills.php';
		}
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		foreach ( array( 'wp_version_check', 'wp_update_plugins', 'wp_update_themes' ) as $question ) {
			remove_action( 'upgrader_process_complete', $question );
		}
	}

	/** When other code ended the run. */
	public static function cut_short( array $params, string $message ): ?array {
		$journal = self::$journal;
		if ( null === $journal ) {
			return null;
		}
		$item = new Item( $params['type'], $params['file'] );
		self::end( $journal );
		$versions = array( (string) $journal->get( 'before' ), (string) $item->version() );
		return self::result( 'failed', $versions, Site::clip( 'ended: ' . str_replace( ABSPATH, '', $message ), 300 ) ) + array( 'phase' => $journal->phase() );
	}

	/**
	 * Result of one item.
	 *
	 * @param string[] $versions Before and after.
	 * @param string[] $messages What core said on the way.
	 */
	private static function result( string $status, array $versions, string $reason, array $messages = array() ): array {
		$result = array(
			'status'       => $status,
			'from_version' => Site::clip( $versions[0], 50 ),
			'to_version'   => Site::clip( $versions[1], 50 ),
			'messages'     => $messages,
		);
		return '' === $reason ? $result : $result + array( 'reason' => $reason );
	}
}
