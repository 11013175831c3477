<?php
// The tweaks that are switched on, at work on every page.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Only what is switched on is hooked; a site without tweaks does not load this file. */
final class Hardening {

	const HOOKED = array(
		'file_editor_off'           => 'file_editor',
		'xmlrpc_off'                => 'xmlrpc',
		'pingbacks_off'             => 'pingbacks',
		'user_enumeration_off'      => 'users',
		'version_hidden'            => 'version',
		'application_passwords_off' => 'application_passwords',
		'security_headers'          => 'headers',
		'ssl_admin_forced'          => 'ssl_admin',
		'login_limited'             => 'logins',
		'debug_display_off'         => 'debug_display',
	);

	const HSTS_AGE = 2592000; // Seconds browsers remember https: a month, so that a change of mind is not a matter of years.

	/**
	 * Hooks what is switched on. Called while the plugin file loads, so before other plugins and the theme.
	 *
	 * @param string[] $ids Of tweaks; those that work without PHP are passed over.
	 */
	public static function start( array $ids ): void {
		foreach ( $ids as $id ) {
			if ( isset( self::HOOKED[ $id ] ) ) {
				$method = self::HOOKED[ $id ];
				self::$method();
			}
		}
	}

	private static function file_editor(): void {
		add_filter( 'map_meta_cap', array( self::class, 'no_editor' ), PHP_INT_MAX, 2 );
	}

	/**
	 * Nobody may edit the code of plugins and themes.
	 *
	 * @param string[] $needed     Capabilities.
	 * @param string   $capability What is asked for.
	 */
	public static function no_editor( $needed, $capability ) {
		return in_array( $capability, array( 'edit_files', 'edit_plugins', 'edit_themes' ), true ) ? array( 'do_not_allow' ) : $needed;
	}

	private static function xmlrpc(): void {
		add_filter( 'xmlrpc_enabled', array( self::class, 'no' ), PHP_INT_MAX );
		add_filter( 'xmlrpc_methods', array( self::class, 'none' ), PHP_INT_MAX );
		add_filter( 'wp_headers', array( self::class, 'without_pingback' ), PHP_INT_MAX );
		add_action( 'wp_loaded', array( self::class, 'without_rsd' ) );
		if ( defined( 'XMLRPC_REQUEST' ) && XMLRPC_REQUEST ) {
			// Later than the connector's own door here, which has answered by then.
			add_action( 'plugins_loaded', array( self::class, 'refuse_xmlrpc' ), PHP_INT_MIN + 1 );
		}
	}

	/** Ends a request to xmlrpc.php, with system.multicall and all. */
	public static function refuse_xmlrpc(): void {
		nocache_headers();
		status_header( 403 );
		header( 'Content-Type: text/plain; charset=utf-8' );
		echo 'XML-RPC is switched off on this site.';
		exit;
	}

	/** Takes the address of XML-RPC off every page. */
	public static function without_rsd(): void {
		remove_action( 'wp_head', 'rsd_link' );
	}

	private static function pingbacks(): void {
		add_filter( 'xmlrpc_methods', array( self::class, 'without_pingback_methods' ), PHP_INT_MAX );
		add_filter( 'pings_open', array( self::class, 'no' ), PHP_INT_MAX );
		add_filter( 'wp_headers', array( self::class, 'without_pingback' ), PHP_INT_MAX );
		add_action( 'pre_ping', array( self::class, 'without_links' ), PHP_INT_MAX );
	}

	/**
	 * Nobody can have this site call another one.
	 *
	 * @param array<string,mixed> $methods Of XML-RPC.
	 */
	public static function without_pingback_methods( $methods ) {
		return is_array( $methods ) ? array_diff_key( $methods, array( 'pingback.ping' => 1, 'pingback.extensions.getPingbacks' => 1 ) ) : $methods;
	}

	/**
	 * Does not announce where pingbacks go.
	 *
	 * @param array<string,string> $headers Of a page.
	 */
	public static function without_pingback( $headers ) {
		return is_array( $headers ) ? array_diff_key( $headers, array( 'X-Pingback' => 1 ) ) : $headers;
	}

	/**
	 * Sends none either.
	 *
	 * @param string[] $links Found in a post.
	 */
	public static function without_links( &$links ): void {
		$links = array();
	}

	private static function users(): void {
		add_filter( 'request', array( Privacy::class, 'without_authors' ), PHP_INT_MAX );
		add_filter( 'rest_pre_dispatch', array( Privacy::class, 'refuse_users' ), PHP_INT_MAX, 3 );
		add_filter( 'oembed_response_data', array( Privacy::class, 'without_author' ), PHP_INT_MAX );
		add_filter( 'wp_sitemaps_add_provider', array( Privacy::class, 'without_users' ), PHP_INT_MAX, 2 );
		add_filter( 'authenticate', array( Privacy::class, 'one_error' ), PHP_INT_MAX - 1 );
		add_filter( 'shake_error_codes', array( Privacy::class, 'shake' ) );
		add_filter( 'lostpassword_errors', array( Privacy::class, 'one_reply' ), PHP_INT_MAX, 2 );
		add_filter( 'the_author', array( Privacy::class, 'no_login_in_feeds' ), PHP_INT_MAX );
		add_filter( 'comment_author_rss', array( Privacy::class, 'no_login_in_feeds' ), PHP_INT_MAX );
		add_filter( 'comment_class', array( Privacy::class, 'without_names' ), PHP_INT_MAX );
	}

	private static function version(): void {
		remove_action( 'wp_head', 'wp_generator' );
		add_filter( 'the_generator', array( self::class, 'nothing' ), PHP_INT_MAX );
		foreach ( array( 'script_loader_src', 'style_loader_src', 'script_module_loader_src' ) as $hook ) {
			add_filter( $hook, array( Privacy::class, 'without_version' ), PHP_INT_MAX );
		}
		add_action( 'wp_default_scripts', array( Privacy::class, 'default_version' ), PHP_INT_MAX );
		add_action( 'wp_default_styles', array( Privacy::class, 'default_version' ), PHP_INT_MAX );
	}

	private static function application_passwords(): void {
		add_filter( 'wp_is_application_passwords_available', array( self::class, 'no' ), PHP_INT_MAX );
	}

	/** Sent at once: whatever sets one of these later, means it, and replaces it. */
	private static function headers(): void {
		if ( headers_sent() || 'cli' === PHP_SAPI ) {
			return;
		}
		header( 'X-Content-Type-Options: nosniff' );
		header( 'X-Frame-Options: SAMEORIGIN' );
		header( 'Referrer-Policy: strict-origin-when-cross-origin' );
		header( 'Permissions-Policy: camera=(self), microphone=(self), geolocation=(self)' );
		if ( is_ssl() && 'https' === wp_parse_url( (string) get_option( 'home' ), PHP_URL_SCHEME ) ) {
			header( 'Strict-Transport-Security: max-age=' . self::HSTS_AGE );
		}
		add_action( 'template_redirect', array( self::class, 'allow_embeds' ) );
	}

	/** A post that another site shows in a frame on purpose. */
	public static function allow_embeds(): void {
		if ( is_embed() && ! headers_sent() ) {
			header_remove( 'X-Frame-Options' );
		}
	}

	private static function ssl_admin(): void {
		force_ssl_admin( true );
	}

	private static function logins(): void {
		add_filter( 'authenticate', array( Attempts::class, 'before' ), PHP_INT_MIN, 2 );
		add_filter( 'authenticate', array( Attempts::class, 'after' ), PHP_INT_MAX, 2 );
	}

	private static function debug_display(): void {
		if ( 'cli' === PHP_SAPI ) {
			return; // Whoever sits there wants to see them.
		}
		self::hide_errors();
		add_filter( 'svc_connector_shows_errors', array( self::class, 'no' ) );
		add_action( 'plugins_loaded', array( self::class, 'hide_errors' ), PHP_INT_MAX );
	}

	/** Errors go to the log, never onto a page. */
	public static function hide_errors(): void {
		global $wpdb;
		if ( function_exists( 'ini_set' ) ) {
			ini_set( 'display_errors', '0' ); // phpcs:ignore WordPress.PHP.IniSet
		}
		$wpdb->hide_errors();
	}

	/** The answer of a filter that forbids. */
	public static function no(): bool {
		return false;
	}

	/** The answer of a filter that empties a list. */
	public static function none(): array {
		return array();
	}

	/** The answer of a filter that empties a text. */
	public static function nothing(): string {
		return '';
	}
}
