<?php
// Whose tables a database holds.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * One database may hold several WordPress. This installation's tables have its prefix, but for those of a longer prefix at which
 * another WordPress lives: one with a table of options, and one of users or posts; or with several of WordPress's tables, of which others
 * were lost. In a network the prefixes of its sites are its own; a site of a network has no table of users.
 */
final class Prefixes {

	/** What a connector lays beside live tables; only the journal of a restore tells whose they are. */
	const COPIES = '/^svc_connector_(?:new|old)_[0-9a-f]{4,16}_[xv]?[0-9]+$/D';

	const SEVERAL = 4;

	/** WordPress's tables, and of each a column that it has. */
	const CORE = array(
		'commentmeta'        => 'comment_id',
		'comments'           => 'comment_post_ID',
		'links'              => 'link_rss',
		'options'            => 'option_name',
		'postmeta'           => 'post_id',
		'posts'              => 'post_type',
		'term_relationships' => 'term_taxonomy_id',
		'term_taxonomy'      => 'taxonomy',
		'termmeta'           => 'term_id',
		'terms'              => 'term_group',
		'usermeta'           => 'umeta_id',
		'users'              => 'user_login',
	);

	/** The prefix of this installation; that of one site of a network is longer. */
	public static function own(): string {
		global $wpdb;
		return Tables::stored( isset( $wpdb->base_prefix ) && '' !== (string) $wpdb->base_prefix ? $wpdb->base_prefix : $wpdb->prefix );
	}

	/**
	 * Prefixes of other installations, which begin with our own; each covers all longer ones.
	 *
	 * @param string[] $live Names of all tables there are.
	 * @param string[] $more Names a backup knows.
	 */
	public static function foreign( array $live, array $more = array() ): array {
		static $known = array(); // It is asked for with each table of a request.
		$asked = array( self::own(), is_multisite(), $live, $more );
		if ( ! isset( $known['asked'] ) || $known['asked'] !== $asked ) {
			$known = array( 'asked' => $asked, 'found' => self::find( $live, $more ) );
		}
		return $known['found'];
	}

	/**
	 * The same, from the columns of the tables.
	 *
	 * @param string[] $live Names of all tables there are.
	 * @param string[] $more Names a backup knows.
	 */
	private static function find( array $live, array $more ): array {
		$own   = self::own();
		$there = array_fill_keys( $live, true );
		$kinds = array(); // Prefix => which of WordPress's tables have it.
		foreach ( array_keys( $there + array_fill_keys( $more, true ) ) as $name ) {
			$name = (string) $name;
			foreach ( 0 === strpos( $name, $own ) ? array_keys( self::CORE ) : array() as $kind ) {
				$prefix = substr( $name, 0, -strlen( $kind ) );
				if ( "$prefix$kind" === $name && strlen( $prefix ) > strlen( $own ) ) {
					$kinds[ $prefix ][ $kind ] = true;
				}
			}
		}
		$found = array();
		foreach ( $kinds as $prefix => $has ) {
			$prefix = (string) $prefix;
			$users  = isset( $has['users'] );
			if ( ! self::is_subsite( substr( $prefix, strlen( $own ) ), $users ) && self::is_installation( $prefix, $has, $there ) ) {
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
	 * Whether a table is this installation's. One of users that constants name is, where no other WordPress has its prefix.
	 *
	 * @param string[] $foreign From foreign().
	 */
	public static function is_own( string $name, array $foreign ): bool {
		if ( 0 !== strpos( $name, self::own() ) ) {
			return self::holds_users( $name ) && self::is_free( $name, self::others() );
		}
		return ! preg_match( self::COPIES, $name ) && self::is_free( $name, $foreign );
	}

	/** Whether constants name a table as the one of the users. It is read for backups, whoever else has it. */
	public static function holds_users( string $name ): bool {
		return in_array( $name, array_map( array( Tables::class, 'stored' ), array_map( 'constant', array_filter( array( 'CUSTOM_USER_TABLE', 'CUSTOM_USER_META_TABLE' ), 'defined' ) ) ), true );
	}

	/** Prefixes, however they begin, at which another WordPress has its table of options. */
	private static function others(): array {
		$found = array();
		foreach ( array_keys( Tables::live() ) as $name ) {
			$prefix = substr( (string) $name, 0, -7 );
			if ( "{$prefix}options" === (string) $name && '' !== $prefix && self::own() !== $prefix && in_array( 'option_name', array_column( Tables::columns( (string) $name ), 'name' ), true ) ) {
				$found[] = $prefix;
			}
		}
		return $found;
	}

	/**
	 * Whether a WordPress has, or had, tables with a prefix. A plugin's of such a name have other columns.
	 *
	 * @param array<string,true> $has   Which of WordPress's tables have that prefix.
	 * @param array<string,true> $there Names of all tables there are; what only a backup knows is taken for what its name says.
	 */
	private static function is_installation( string $prefix, array $has, array $there ): bool {
		$is_one = static function ( string $kind ) use ( $prefix, $there ): bool {
			return ! isset( $there[ $prefix . $kind ] ) || in_array( self::CORE[ $kind ], array_column( Tables::columns( $prefix . $kind ), 'name' ), true );
		};
		if ( isset( $has['options'] ) && ( isset( $has['users'] ) || isset( $has['posts'] ) ) && $is_one( 'options' ) ) {
			return true;
		}
		return count( $has ) >= self::SEVERAL && count( array_filter( array_keys( $has ), $is_one ) ) >= self::SEVERAL;
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
