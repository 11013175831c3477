<?php
// Whose tables a database holds.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * One database may hold several WordPress. This installation's tables have its prefix, but for those of a longer prefix at which
 * another WordPress lives: one with a table of options, and one of users or posts. In a network the prefixes of its sites are its own;
 * a site of a network has no table of users.
 */
final class Prefixes {

	/** What a connector lays beside live tables; only the journal of a restore tells whose they are. */
	const COPIES = '/^svc_connector_(?:new|old)_[0-9a-f]{4,16}_[xv]?[0-9]+$/D';

	/** The prefix of this installation; that of one site of a network is longer. */
	public static function own(): string {
		global $wpdb;
		return isset( $wpdb->base_prefix ) && '' !== (string) $wpdb->base_prefix ? $wpdb->base_prefix : $wpdb->prefix;
	}

	/**
	 * Prefixes of other installations, which begin with our own; each covers all longer ones.
	 *
	 * @param string[] $live Names of all tables there are.
	 * @param string[] $more Names a backup knows.
	 */
	public static function foreign( array $live, array $more = array() ): array {
		$own   = self::own();
		$there = array_fill_keys( $live, true );
		$known = $there + array_fill_keys( $more, true );
		$found = array();
		foreach ( array_keys( $known ) as $name ) {
			$name   = (string) $name;
			$prefix = substr( $name, 0, -7 );
			$longer = 'options' === substr( $name, -7 ) && strlen( $prefix ) > strlen( $own ) && 0 === strpos( $prefix, $own );
			$users  = isset( $known[ $prefix . 'users' ] );
			if ( $longer && ( $users || isset( $known[ $prefix . 'posts' ] ) ) && ! self::is_subsite( substr( $prefix, strlen( $own ) ), $users )
				&& ( ! isset( $there[ $name ] ) || in_array( 'option_name', array_column( Tables::columns( $name ), 'name' ), true ) ) ) {
				$found[] = $prefix;
			}
		}
		sort( $found );
		$least = array();
		foreach ( $found as $prefix ) {
			if ( self::is_free( $prefix, $least ) ) {
				$least[] = $prefix;
			}
		}
		return $least;
	}

	/**
	 * Whether a table is this installation's.
	 *
	 * @param string[] $foreign From foreign().
	 */
	public static function is_own( string $name, array $foreign ): bool {
		return 0 === strpos( $name, self::own() ) && ! preg_match( self::COPIES, $name ) && self::is_free( $name, $foreign );
	}

	/** A number, and no users of its own: in a network one of its sites; elsewhere what is left of another, or an installation that shares users. */
	private static function is_subsite( string $rest, bool $users ): bool {
		return is_multisite() && ! $users && 1 === preg_match( '/^[0-9]+_$/D', $rest );
	}

	private static function is_free( string $name, array $foreign ): bool {
		foreach ( $foreign as $prefix ) {
			if ( 0 === strpos( $name, $prefix ) ) {
				return false;
			}
		}
		return true;
	}
}
