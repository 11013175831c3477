<?php
// What an update is judged by, as far as the site itself can tell.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Pages to look at, fatal errors of visitors, and the proof that WordPress starts. */
final class Health {

	const MOST = 1900000; // Bytes of a page that are told.
	const PATH = '/^\/[^\x00-\x20\x7f]{0,999}$/D';

	/** The verb `updates.probe`: that this is answered at all shows that WordPress starts whole. */
	public static function probe( array $params, Identity $identity ): array {
		require_once ABSPATH . 'wp-admin/includes/plugin.php';
		$journal = Journal::current( Root::work(), 'update' );
		if ( null === $journal ) {
			return Journal::told_of( null ) + array( 'version' => '', 'active' => false, 'clone' => $identity->is_clone(), 'events' => 0, 'fatals' => array() );
		}
		touch( $journal->dir . '/heard' );
		if ( 'rolled_back' === $journal->phase() ) {
			Vital::settle( $journal, $identity );
		}
		$item = new Item( (string) $journal->get( 'type' ), (string) $journal->get( 'file' ) );
		return $journal->told() + array(
			'version' => Site::clip( (string) $item->version(), 50 ),
			'active'  => $item->is_active(),
			'clone'   => $identity->is_clone(),
			'events'  => self::events(),
			'fatals'  => self::fatals( $journal ),
			'trial'   => self::in_trial(),
			'held'    => Trial::held( $journal ),
			'without' => Trial::without( $journal ),
			'changed' => 'swapped' === $journal->get( 'phase' ) ? Vital::changed( $journal ) : array(),
		) + self::taken( $journal );
	}

	/** What others have no more, once the version has run. */
	private static function taken( Journal $journal ): array {
		$has_run = self::in_trial() || 'swapped' === $journal->get( 'phase' );
		return array(
			'lost'        => $has_run ? Others::lost( $journal ) : array(),
			'lost_events' => $has_run ? Others::lost_events( $journal ) : array(),
		);
	}

	/** Lets WordPress make a page as it would for a visitor: a request that is no GET passes every cache. */
	public static function visit( array $params ): void {
		$path = isset( $params['path'] ) && is_string( $params['path'] ) && preg_match( self::PATH, $params['path'] ) ? $params['path'] : '/';

		if ( is_admin() ) {
			Inspection::begin();
		}
		add_filter( 'woocommerce_checkout_redirect_empty_cart', '__return_false', PHP_INT_MAX ); // As the door does for a look of the service.
		$_SERVER['REQUEST_METHOD'] = 'GET';
		$_SERVER['REQUEST_URI']    = $path;
		$_SERVER['QUERY_STRING']   = (string) wp_parse_url( 'http://site' . $path, PHP_URL_QUERY );
		wp_parse_str( $_SERVER['QUERY_STRING'], $_GET ); // phpcs:ignore WordPress.Security -- Set in the line above, by the service.
	}

	/** The verb `updates.page`: what became of that page, told when it has ended. */
	public static function page( array $params ): array {
		Verbs::text( $params, 'path', self::PATH );
		if ( ! did_action( 'template_redirect' ) && ! is_admin() ) {
			throw new Problem( 'bad_request', 'This door shows no pages.' );
		}
		$text     = Session::printed();
		$location = preg_grep( '/^Location:/i', headers_list() );
		return array(
			'status'   => (int) http_response_code(),
			'text'     => strlen( $text ) > self::MOST ? substr( $text, 0, self::MOST - 10000 ) . substr( $text, -10000 ) : $text,
			'location' => $location ? Site::clip( trim( substr( (string) end( $location ), 9 ) ), 2000 ) : '',
			'trial'    => self::in_trial(),
		) + ( is_admin() ? Inspection::told() : array() );
	}

	/** Whether this request is one of a trial. */
	public static function in_trial(): bool {
		return class_exists( Trial::class, false ) && Trial::is_on();
	}

	/** Fatal errors since the update, without the folder of the site in them. */
	private static function fatals( Journal $journal ): array {
		return array_map(
			static function ( array $fatal ) use ( $journal ): array {
				foreach ( array( 'message', 'file' ) as $field ) {
					$text            = Trial::as_installed( $fatal[ $field ], array( 'place' => $journal->get( 'place' ), 'roots' => $journal->get( 'roots' ) ) );
					$fatal[ $field ] = Site::clip( str_replace( ABSPATH, '', $text ), 300 );
				}
				return $fatal;
			},
			Fatals::told( $journal, self::in_trial() )
		);
	}

	/**
	 * How many events WP-Cron has: as this request takes it, and as the database has it. Of two requests that write the same at once
	 * update_option() leaves the second with what was before.
	 */
	public static function events(): int {
		global $wpdb;
		$stored = (string) $wpdb->get_var( "SELECT option_value FROM $wpdb->options WHERE option_name = 'cron'" ); // phpcs:ignore WordPress.DB -- Past the cache, and nothing of anybody's in it.
		return min( Vital::events( maybe_serialize( get_option( 'cron' ) ) ), Vital::events( $stored ) );
	}

	/** A post that can be opened in the editor; 0: there is none. */
	public static function post(): int {
		$posts = get_posts( array( 'post_type' => array( 'page', 'post' ), 'numberposts' => 1, 'post_status' => 'publish', 'fields' => 'ids' ) );
		return (int) ( $posts[0] ?? 0 );
	}

	/** One page of each kind of content visitors can see, and where a shop takes money. */
	public static function pages(): array {
		$pages = array();
		foreach ( function_exists( 'wc_get_page_id' ) ? array( 'cart', 'checkout' ) : array() as $name ) {
			$url = get_permalink( wc_get_page_id( $name ) );
			if ( is_string( $url ) ) {
				$pages[] = array( 'page' => "shop/$name", 'url' => $url );
			}
		}
		foreach ( array_slice( array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) ), 0, 6 ) as $type ) {
			$posts = get_posts( array( 'post_type' => $type, 'numberposts' => 1, 'post_status' => 'publish', 'has_password' => false, 'orderby' => 'ID', 'order' => 'ASC' ) );
			$url   = $posts ? get_permalink( $posts[0] ) : false;
			if ( is_string( $url ) && is_post_type_viewable( $type ) ) {
				$pages[] = array( 'page' => Site::clip( $type, 40 ), 'url' => $url );
			}
		}
		return $pages;
	}
}
