<?php
// A screen of wp-admin, made once for a signed request.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * An administrator's session that begins and ends with this request, and of which nothing leaves the site. All that the screen writes, the
 * session too, is in a transaction that is never committed; tables whose engine has none keep it. What would end that transaction, such as a
 * change of tables, is held back; code that then fails says nothing.
 */
final class Inspection {

	const LIFE = 60; // Seconds such a session lasts in a table without transactions when its request dies.

	/** @var \WP_User|null Who looks. */
	private static $user = null;

	/** @var string The session. */
	private static $token = '';

	/** @var bool True where the transaction is its own. */
	private static $is_alone = true;

	/** @var bool False where the session could not be written: then what the screen says tells nothing. */
	private static $is_in = true;

	/** @var string What code had to go without, or ''. */
	private static $held = '';

	/** @var bool True once the database has ended the transaction: what is written after that is held back. */
	private static $is_lost = false;

	/** @var bool True when more than the session was written. */
	private static $wrote = false;

	/** @var Unshared|null What keeps a cache that outlives the request from hearing of it. */
	private static $cache = null;

	/** Before WordPress asks who is there. What a screen would do beside being shown is held back. */
	public static function begin(): void {
		self::$user = Login::inspector();
		if ( null === self::$user ) {
			return; // WordPress asks to sign in, before the update and after it.
		}
		self::$is_lost  = false;
		self::$is_alone = ! Health::in_trial(); // A trial has a transaction around all of it.
		if ( self::$is_alone ) {
			self::$is_lost = ! Transaction::begin();
			add_filter( 'query', array( self::class, 'query' ), PHP_INT_MAX );
			self::$cache = Unshared::begin();
		}
		$ends        = time() + self::LIFE;
		$sessions    = \WP_Session_Tokens::get_instance( self::$user->ID );
		self::$token = $sessions->create( $ends );
		self::$is_in = $sessions->verify( self::$token );
		self::$wrote = false;
		foreach ( array( 'auth' => AUTH_COOKIE, 'secure_auth' => SECURE_AUTH_COOKIE, 'logged_in' => LOGGED_IN_COOKIE ) as $scheme => $name ) {
			$_COOKIE[ $name ] = wp_generate_auth_cookie( self::$user->ID, $ends, $scheme, self::$token );
		}
		foreach ( array( 'core', 'plugins', 'themes' ) as $kind ) {
			remove_action( 'admin_init', "_maybe_update_$kind" );
		}
		remove_action( 'load-plugins.php', 'wp_update_plugins' );
		add_filter(
			'pre_http_request',
			static function () {
				return new \WP_Error( 'svc_connector', 'Nothing is asked of others while this screen is inspected.' );
			},
			PHP_INT_MAX
		);
		add_filter( 'pre_wp_mail', '__return_false', PHP_INT_MAX );
		foreach ( array( 'add_post_metadata', 'update_post_metadata' ) as $write ) {
			add_filter( $write, array( self::class, 'leave_unlocked' ), PHP_INT_MAX, 3 );
		}
	}

	/**
	 * A statement as it may be carried out: itself, or one that does nothing.
	 *
	 * @param mixed $sql As wpdb got it.
	 * @return mixed
	 */
	public static function query( $sql ) {
		$statement = new Statement( (string) $sql );
		if ( self::$is_lost || Transaction::is_lost() ) {
			self::$is_lost = true;
			// On SQLite one that fails takes nothing back that the screen may still want.
			self::$held = ! Transaction::is_mysql() && 'writes' !== $statement->kind ? self::$held : Transaction::LOST;
		}
		if ( in_array( $statement->kind, array( 'reads', 'passes' ), true ) || ( 'writes' === $statement->kind && ! self::$is_lost ) ) {
			self::$wrote = self::$wrote || 'writes' === $statement->kind;
			return $sql;
		}
		if ( 'ends' === $statement->kind && ! self::is_there( $statement->makes() ) ) {
			self::$held = "a statement that begins with $statement->word";
		}
		return 'sqlite' === Tables::engine() ? 'SELECT 1' : 'DO 0';
	}

	/** Whether a table that is to be made where there is none is there. */
	private static function is_there( string $table ): bool {
		global $wpdb;
		return '' !== $table && $table === $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery -- Of this moment.
	}

	/** What code had to go without, or '': when it fails then, that may be for want of it. */
	public static function held(): string {
		return self::$held;
	}

	/**
	 * Nobody is told that an administrator is editing.
	 *
	 * @param mixed $check null: WordPress writes it.
	 */
	public static function leave_unlocked( $check, $post, $key ) {
		return '_edit_lock' === $key ? true : $check;
	}

	/**
	 * On the dashboard whether this administrator would be let in: whoever may refuse a sign-in is asked, with the password taken as right.
	 * On the list of plugins what the REST API says to him.
	 */
	public static function told(): array {
		if ( ! self::$is_in ) {
			throw new Problem( 'bad_request', 'The database took no session for a look.' );
		}
		if ( '' !== self::$held && http_response_code() >= 400 ) {
			throw new Problem( 'bad_request', 'The look held back ' . self::$held . '.' );
		}
		$screen = null === self::$user ? '' : ( $GLOBALS['pagenow'] ?? '' );
		if ( 'plugins.php' === $screen ) {
			$status = self::rest();
			return '' !== self::$held && $status >= 400 ? array() : array( 'rest' => $status );
		}
		if ( 'index.php' !== $screen ) {
			return array();
		}
		$password = wp_generate_password( 32 );
		$judged   = apply_filters( 'wp_authenticate_user', self::$user, $password ); // So WordPress asks before it compares the password.
		if ( $judged instanceof \WP_User ) {
			$judged = apply_filters( 'authenticate', $judged, self::$user->user_login, $password );
		}
		return array( 'lets_in' => $judged instanceof \WP_User );
	}

	/** The status of a question that the editor asks. */
	private static function rest(): int {
		$request = new \WP_REST_Request( 'GET', '/wp/v2/types' );
		$request->set_param( 'context', 'edit' );
		try {
			$GLOBALS['wp_rest_auth_cookie'] = false; // WordPress knows him by no cookie of a browser here, and needs no nonce of one.
			$refused                        = rest_get_server()->check_authentication();
			if ( is_wp_error( $refused ) ) {
				return (int) ( $refused->get_error_data()['status'] ?? 500 );
			}
			return (int) rest_do_request( $request )->get_status();
		} catch ( \Throwable $error ) {
			return 500;
		}
	}

	/** Before the answer. */
	public static function end(): void {
		if ( '' === self::$token ) {
			return;
		}
		$wrote = self::$wrote;
		\WP_Session_Tokens::get_instance( self::$user->ID )->destroy( self::$token );
		self::$token = '';
		if ( self::$is_alone ) {
			remove_filter( 'query', array( self::class, 'query' ), PHP_INT_MAX );
			Transaction::end();
		}
		if ( null !== self::$cache ) {
			self::$cache->end();
			self::$cache = null;
			return;
		}
		// A cache that outlives the request would tell what was never written, and nobody knows under which names.
		if ( self::$is_alone && $wrote && wp_using_ext_object_cache() ) {
			wp_cache_flush();
		}
		wp_cache_delete( 'alloptions', 'options' );
		wp_cache_delete( 'notoptions', 'options' );
		clean_user_cache( self::$user );
	}
}
