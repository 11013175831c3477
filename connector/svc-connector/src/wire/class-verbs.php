<?php
// Everything the service may ask for.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A closed table: what is not in it does not exist. */
final class Verbs {

	/**
	 * Verb => method, WordPress hook at which it can run (as early as it can, because login walls sit on later ones), is it a write.
	 */
	const TABLE = array(
		'hello'              => array( 'Site::hello', 'plugins_loaded', false ),
		'ping'               => array( 'Site::ping', 'plugins_loaded', false ),
		'inventory'          => array( 'Inventory::collect', 'wp_loaded', false ),
		'updates.guard'      => array( 'Guard::begin', 'wp_loaded', true ),
		'updates.apply'      => array( 'Updates::apply', 'wp_loaded', true ),
		'updates.probe'      => array( 'Health::probe', 'wp_loaded', false ),
		'updates.page'       => array( 'Health::page', 'shutdown', false ),
		'updates.status'     => array( 'Guard::status', 'plugins_loaded', false ),
		'updates.rollback'   => array( 'Guard::rollback', 'plugins_loaded', true ),
		'updates.release'    => array( 'Guard::release', 'plugins_loaded', true ),
		'login.issue'        => array( 'Login::issue', 'init', true ),
		'db.tables'          => array( 'Tables::describe', 'plugins_loaded', false ),
		'db.rows'            => array( 'Database::rows', 'plugins_loaded', false ),
		'db.digests'         => array( 'Digests::report', 'plugins_loaded', false ),
		'db.snapshot'        => array( 'Snapshot::take', 'plugins_loaded', false ),
		'files.list'         => array( 'Listing::after', 'plugins_loaded', false ),
		'files.read'         => array( 'Reading::pieces', 'plugins_loaded', false ),
		'keys.rotate'        => array( 'Enrolment::rotate', 'plugins_loaded', true ),
		'files.digest'       => array( 'Staging::digest', 'plugins_loaded', false ),
		'restore.survey'     => array( 'Survey::report', 'plugins_loaded', false ),
		'restore.begin'      => array( 'Restore::begin', 'plugins_loaded', true ),
		'restore.have'       => array( 'Staging::have', 'plugins_loaded', false ),
		'restore.put'        => array( 'Staging::put', 'plugins_loaded', true ),
		'restore.load'       => array( 'Loading::load', 'plugins_loaded', true ),
		'restore.check'      => array( 'Loading::check', 'plugins_loaded', false ),
		'restore.prepare'    => array( 'Staging::prepare', 'plugins_loaded', true ),
		'restore.arm'        => array( 'Restore::arm', 'plugins_loaded', true ),
		'restore.swap'       => array( 'Restore::swap', 'plugins_loaded', true ),
		'restore.rollback'   => array( 'Restore::rollback', 'plugins_loaded', true ),
		'restore.status'     => array( 'Restore::status', 'plugins_loaded', false ),
		'restore.commit'     => array( 'Restore::commit', 'plugins_loaded', true ),
		'restore.purge'      => array( 'Restore::purge', 'plugins_loaded', true ),
		'tweaks.list'        => array( 'Tweaks::all', 'wp_loaded', false ),
		'tweaks.try'         => array( 'Tweaks::trial', 'wp_loaded', true ),
		'tweaks.apply'       => array( 'Tweaks::apply', 'wp_loaded', true ),
		'tweaks.revert'      => array( 'Tweaks::revert', 'wp_loaded', true ),
		'tweaks.confirm'     => array( 'Tweaks::confirm', 'plugins_loaded', true ),
		'security.facts'     => array( 'Security::facts', 'wp_loaded', false ),
		'security.integrity' => array( 'Integrity::slice', 'plugins_loaded', false ),
		'security.probe'     => array( 'Probe::run', 'plugins_loaded', true ),
		'errors.collect'     => array( 'Errors::collect', 'plugins_loaded', false ),
		'disconnect'         => array( 'Enrolment::accept_disconnect', 'plugins_loaded', true ),
	);

	/** Hook at which a verb runs; an unknown one is refused at once. */
	public static function hook( string $verb ): string {
		return isset( self::TABLE[ $verb ] ) ? self::TABLE[ $verb ][1] : 'plugins_loaded';
	}

	/** True when a verb changes the site. */
	public static function writes( string $verb ): bool {
		return isset( self::TABLE[ $verb ] ) && self::TABLE[ $verb ][2];
	}

	/**
	 * Runs a verb.
	 *
	 * @return array<string,mixed>|string A result, or the bytes of a slice.
	 * @throws Problem When it cannot be done.
	 */
	public static function run( string $verb, array $params, Identity $identity ) {
		if ( ! isset( self::TABLE[ $verb ] ) ) {
			throw new Problem( 'unknown_verb', 'This version of the connector does not know that verb.' );
		}
		list( $name, $method ) = explode( '::', self::TABLE[ $verb ][0] );
		return call_user_func( array( __NAMESPACE__ . '\\' . $name, $method ), $params, $identity );
	}

	/** The result of a verb whose run was cut short, when it can tell; releases what it held. */
	public static function rescue( string $verb, array $params, string $message ): ?array {
		return 'updates.apply' === $verb ? Updates::cut_short( $params, $message ) : null;
	}

	/** What is left to do when the answer is on its way. */
	public static function after( string $verb ): ?callable {
		if ( 'disconnect' === $verb ) {
			return array( Identity::class, 'forget' );
		}
		if ( 'updates.apply' === $verb ) {
			return Watch::pending();
		}
		return 'tweaks.apply' === $verb ? DeadMansSwitch::pending() : null;
	}

	/** A text parameter. */
	public static function text( array $params, string $name, string $pattern ): string {
		if ( ! isset( $params[ $name ] ) || ! is_string( $params[ $name ] ) || ! preg_match( $pattern, $params[ $name ] ) ) {
			throw new Problem( 'bad_request', "Parameter $name is missing or malformed." );
		}
		return $params[ $name ];
	}

	/** A whole number, kept between 0, or 1 where the usual one is above 0, and the most there may be. */
	public static function number( array $params, string $name, int $usual = 0, int $most = PHP_INT_MAX ): int {
		$value = $params[ $name ] ?? $usual;
		if ( ! is_int( $value ) ) {
			throw new Problem( 'bad_request', "Parameter $name must be a whole number." );
		}
		return max( min( 1, $usual ), min( $most, $value ) );
	}
}
