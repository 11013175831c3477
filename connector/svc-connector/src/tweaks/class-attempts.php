<?php
// How often somebody may guess a password.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Counts before the password is looked at, so that a hundred guesses at once are not a hundred guesses.
 * Each attempt is a row of its own that ends by itself: MOST of them from one address for one account, or MOST_OF_ADDRESS
 * from one address, and whoever is there must wait. An account alone is never locked: that would let strangers lock people out.
 */
final class Attempts {

	const MOST            = 5;
	const MOST_OF_ADDRESS = 20;
	const WINDOW          = 900; // Seconds.

	/** @var bool True when this attempt is one too many. */
	private static $refused = false;

	/** @var string[] Rows of this attempt. */
	private static $rows = array();

	/**
	 * First of all filters.
	 *
	 * @param mixed $user User, error or null.
	 * @param mixed $name As it was typed.
	 * @return mixed
	 */
	public static function before( $user, $name ) {
		self::$rows    = array();
		self::$refused = false;
		if ( ! is_string( $name ) || '' === trim( $name ) ) {
			return $user; // A page view, or an empty form.
		}
		foreach ( array_reverse( self::keys( $name ), true ) as $key => $most ) {
			if ( self::$refused || Facts::count( $key ) >= $most ) {
				self::$refused = true;
				break; // An address that must wait leaves no more rows; an account that must wait counts for its address.
			}
			$row = $key . bin2hex( random_bytes( 8 ) );
			if ( Facts::add( $row, '', time() + self::WINDOW ) ) {
				self::$rows[]  = $row;
				self::$refused = Facts::count( $key ) > $most; // Others may have come between.
			}
		}
		if ( 0 === random_int( 0, 19 ) ) {
			Facts::prune();
		}
		return $user;
	}

	/**
	 * Last of all filters: what was refused stays refused, even with the right password.
	 *
	 * @param mixed $user User, error or null.
	 * @param mixed $name As it was typed.
	 * @return mixed
	 */
	public static function after( $user, $name ) {
		if ( self::$refused ) {
			if ( ! headers_sent() ) {
				status_header( 429 );
				header( 'Retry-After: ' . self::WINDOW );
			}
			return new \WP_Error( 'svc_connector_too_many', __( '<strong>Error:</strong> Too many attempts. Wait a quarter of an hour and try again.', 'svc-connector' ) );
		}
		if ( $user instanceof \WP_User && self::$rows ) {
			array_map( array( Facts::class, 'remove' ), self::$rows );
			Facts::remove_all( (string) array_key_first( self::keys( (string) $name ) ) );
		}
		return $user;
	}

	/** Whether the next attempt would be refused, without making one; asked by the service to see that this works. */
	public static function proof(): bool {
		$name = 'svc-connector-proof-' . bin2hex( random_bytes( 8 ) );
		$key  = (string) array_key_first( self::keys( $name ) );
		for ( $n = 0; $n < self::MOST; $n++ ) {
			Facts::add( $key . $n, '', time() + 60 );
		}
		$answer = apply_filters( 'authenticate', null, $name, 'wrong' );
		Facts::remove_all( $key );
		array_map( array( Facts::class, 'remove' ), self::$rows );
		return is_wp_error( $answer ) && in_array( 'svc_connector_too_many', $answer->get_error_codes(), true );
	}

	/**
	 * Whose attempts are counted together => how many there may be. An account may be named by its login or its address.
	 *
	 * @return array<string,int>
	 */
	private static function keys( string $name ): array {
		$user    = get_user_by( 'login', $name );
		$user    = $user ? $user : get_user_by( 'email', $name );
		$account = $user ? 'id ' . $user->ID : 'name ' . strtolower( trim( $name ) );
		$address = self::address();
		return array(
			'l.' . substr( hash( 'sha256', "$address\n$account" ), 0, 24 ) . '.' => self::MOST,
			'l.' . substr( hash( 'sha256', $address ), 0, 24 ) . '.'             => self::MOST_OF_ADDRESS,
		);
	}

	/**
	 * Who is there. What a visitor sends about himself is not believed, unless wp-config.php names the header that the proxy
	 * in front of this site sets: define( 'SVC_CONNECTOR_ADDRESS_HEADER', 'HTTP_X_REAL_IP' ). Of IPv6 the network, as one host has many.
	 */
	public static function address(): string {
		$name  = defined( 'SVC_CONNECTOR_ADDRESS_HEADER' ) && is_string( SVC_CONNECTOR_ADDRESS_HEADER ) ? SVC_CONNECTOR_ADDRESS_HEADER : 'REMOTE_ADDR';
		$parts = explode( ',', isset( $_SERVER[ $name ] ) && is_string( $_SERVER[ $name ] ) ? $_SERVER[ $name ] : '' ); // phpcs:ignore WordPress.Security -- Must be an address.
		$text  = trim( (string) end( $parts ) ); // The last one was added by the proxy itself.
		$bytes = filter_var( $text, FILTER_VALIDATE_IP ) ? inet_pton( $text ) : false;
		if ( false === $bytes ) {
			return 'unknown';
		}
		return 16 === strlen( $bytes ) ? bin2hex( substr( $bytes, 0, 8 ) ) : $text;
	}
}
