<?php
// Protections that the service switches on and off.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verbs `tweaks.list`, `tweaks.apply`, `tweaks.revert`, `tweaks.confirm` and `tweaks.try`. */
final class Tweaks {

	const IDS = array( 'file_editor_off', 'xmlrpc_off', 'pingbacks_off', 'user_enumeration_off', 'directory_listing_off', 'uploads_php_off', 'version_hidden', 'readme_blocked', 'application_passwords_off', 'security_headers', 'ssl_admin_forced', 'login_limited', 'debug_display_off', 'salts_rotated' );

	/** The verb `tweaks.list`: what is switched on, what holds without us and with us, and what stands in the way. */
	public static function all( array $params ): array {
		Blocks::sweep( 600 );
		$others = Effects::observed( array() );
		$chosen = self::chosen();
		Hardening::start( $chosen );
		$now   = Effects::observed( $chosen );
		$items = array();
		foreach ( self::IDS as $id ) {
			$on = Blocks::know( $id ) ? in_array( $id, $chosen, true ) || Blocks::is_there( $id ) : in_array( $id, $chosen, true );
			if ( 'login_limited' === $id && $on && true === ( $params['prove'] ?? false ) ) {
				$now[ $id ] = Attempts::proof();
			}
			$items[] = array(
				'id'       => $id,
				'on'       => $on,
				'holds'    => Blocks::know( $id ) && $on && ! Blocks::is_there( $id ) ? false : $now[ $id ],
				'others'   => $others[ $id ],
				'by'       => true === $others[ $id ] ? Effects::whose( $id ) : '',
				'obstacle' => Effects::obstacle( $id ),
			);
		}
		return array(
			'server'  => Blocks::server(),
			'uploads' => (string) wp_parse_url( Blocks::uploads_url(), PHP_URL_PATH ),
			'items'   => $items,
		);
	}

	/** The verb `tweaks.apply`. */
	public static function apply( array $params, Identity $identity ): array {
		list( $change, $id ) = self::order( $params );
		$why                 = Effects::obstacle( $id );
		if ( '' !== $why ) {
			return array( 'status' => 'refused', 'reason' => $why, 'armed' => false );
		}
		$undo = static function () use ( $id, $identity ): void {
			$identity->settle();
			self::choose( array_diff( self::chosen(), array( $id ) ) );
		};
		if ( 'salts_rotated' === $id ) {
			Salts::rotate( $change, $identity, $undo );
		} elseif ( Blocks::know( $id ) ) {
			$file = Blocks::with( $id );
			if ( $file[1] !== $file[2] ) {
				DeadMansSwitch::change( $change, $file, $undo );
			}
		}
		self::choose( array_merge( array_diff( self::chosen(), array( $id ) ), array( $id ) ) );
		return array( 'status' => 'applied', 'reason' => '', 'armed' => null !== DeadMansSwitch::pending() );
	}

	/** The verb `tweaks.revert`. */
	public static function revert( array $params ): array {
		list( , $id ) = self::order( $params );
		$chosen       = self::chosen();
		$ours         = in_array( $id, $chosen, true ) || ( Blocks::know( $id ) && Blocks::is_there( $id ) );
		if ( 'salts_rotated' === $id ) {
			return array( 'status' => 'refused', 'reason' => 'The old secrets are gone for good.' );
		}
		if ( Blocks::know( $id ) ) {
			Blocks::remove( $id );
		}
		self::choose( array_diff( $chosen, array( $id ) ) );
		return array( 'status' => $ours ? 'reverted' : 'already', 'reason' => '' );
	}

	/** The verb `tweaks.confirm`: the service came back through the web server. */
	public static function confirm( array $params, Identity $identity ): array {
		list( $change ) = self::order( $params );
		$kept           = DeadMansSwitch::confirm( $change );
		if ( $kept ) {
			$identity->settle();
		}
		return array( 'kept' => $kept );
	}

	/** The verb `tweaks.try`: folders that show from outside what the web server makes of a block; `end` removes them. */
	public static function trial( array $params ): array {
		list( , $id ) = self::order( $params );
		if ( ! Blocks::know( $id ) ) {
			throw new Problem( 'bad_request', 'This tweak has no rules for the web server.' );
		}
		if ( true === ( $params['end'] ?? false ) ) {
			Blocks::sweep( 0 );
			return array( 'url' => '' );
		}
		return array( 'url' => Blocks::try_out( $id ) );
	}

	/** Takes everything back that can be; whoever switches the plugin off ends its protections too. */
	public static function take_back(): void {
		foreach ( self::IDS as $id ) {
			if ( Blocks::know( $id ) && is_file( Blocks::file( $id ) ) ) {
				try {
					Blocks::remove( $id );
				} catch ( Problem $problem ) {
					continue; // Read-only by now; the block is marked and does no harm.
				}
			}
		}
		Blocks::sweep( 0 );
		delete_option( Plugin::TWEAKS );
	}

	/** Name of the change and tweak of a request; an attempt that was taken over is refused. */
	private static function order( array $params ): array {
		$job = Verbs::text( $params, 'job', '/^[A-Za-z0-9_]{1,60}$/D' );
		$id  = Verbs::text( $params, 'id', '/^[a-z_]{1,40}$/D' );
		if ( ! in_array( $id, self::IDS, true ) ) {
			throw new Problem( 'bad_request', 'This version of the connector does not know that tweak.' );
		}
		$fence = Verbs::number( $params, 'fence' );
		Facts::pass_fence( $job, $fence );
		return array( substr( hash( 'sha256', "$job $fence $id" ), 0, 32 ), $id );
	}

	/** Ids that are switched on. */
	private static function chosen(): array {
		return array_intersect( self::IDS, explode( ' ', (string) get_option( Plugin::TWEAKS, '' ) ) );
	}

	/**
	 * Stores what is switched on.
	 *
	 * @param string[] $ids Of tweaks.
	 */
	private static function choose( array $ids ): void {
		update_option( Plugin::TWEAKS, implode( ' ', array_intersect( self::IDS, $ids ) ), true );
	}
}
