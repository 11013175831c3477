<?php
// When each part of the plugin wakes up.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** On an ordinary page view nothing is loaded but this class, what tells a call from a page, and what sees PHP errors. */
final class Plugin {

	const WORK   = '/svc-connector-work'; // The working folder, in wp-content.
	const TWEAKS = 'svc_connector_tweaks'; // Autoloaded: the ids of the tweaks that are switched on, with a space between.

	/** Called while the plugin file loads. */
	public static function start(): void {
		add_filter( 'pre_update_option_active_plugins', array( self::class, 'first' ) );
		add_filter( 'site_transient_update_plugins', array( self::class, 'without_offer' ) );
		add_action( 'shutdown', array( self::class, 'tidy' ), PHP_INT_MAX );
		if ( Incoming::is_call() && self::is_paired() ) {
			Session::open();
			return;
		}
		self::watch();
		self::harden();
		if ( isset( $_GET['svc-connector-login'] ) && self::is_paired() ) { // phpcs:ignore WordPress.Security.NonceVerification -- A ticket is its own proof.
			ob_start(); // What other plugins print must not keep the cookie from being set.
			add_action( 'init', array( Login::class, 'redeem' ), PHP_INT_MIN );
		}
		if ( is_admin() ) {
			$network = is_multisite() ? 'network_' : ''; // There it is for network administrators only.
			add_action( $network . 'admin_menu', array( Settings::class, 'register' ) );
			add_action( $network . 'admin_notices', array( Settings::class, 'notices' ) );
			add_action( 'admin_post_svc_connector_connect', array( Settings::class, 'connect' ) );
			add_action( 'admin_post_svc_connector_disconnect', array( Settings::class, 'disconnect' ) );
			add_filter( ( is_multisite() ? 'network_admin_' : '' ) . 'plugin_action_links_' . plugin_basename( FILE ), array( Settings::class, 'action_links' ) );
		}
		if ( defined( 'SVC_CONNECTOR_URL' ) && defined( 'SVC_CONNECTOR_CODE' ) && ! self::is_paired() ) {
			add_action( 'wp_loaded', array( Enrolment::class, 'schedule_unattended' ), PHP_INT_MIN );
		}
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			\WP_CLI::add_command( 'svc-connector', Cli::class );
		}
	}

	/** PHP errors are seen from now on, but for calls of the service. The must-use file asks for it before other must-use plugins load. */
	public static function watch(): void {
		// Of a network the main site alone knows of the connection; the others see that something is kept.
		$is_watched = self::is_paired() ? ! Incoming::is_call() : is_multisite() && ! is_main_site() && is_dir( rtrim( WP_CONTENT_DIR, '/' ) . self::WORK );
		if ( $is_watched ) {
			Capture::start();
		}
	}

	/** What the service switched on. A signed request goes without: it must be able to switch it off. */
	public static function harden(): void {
		$all = wp_load_alloptions(); // Not get_option: for one that is not there it asks the database.
		if ( isset( $all[ self::TWEAKS ] ) && '' !== $all[ self::TWEAKS ] ) {
			Hardening::start( explode( ' ', (string) $all[ self::TWEAKS ] ) );
		}
	}

	/**
	 * This plugin loads before the others: one that breaks the site must not take away the way to repair it.
	 *
	 * @param mixed $plugins The list that is about to be saved.
	 * @return mixed
	 */
	public static function first( $plugins ) {
		$own = plugin_basename( FILE );
		if ( ! is_array( $plugins ) || ! in_array( $own, $plugins, true ) ) {
			return $plugins;
		}
		return array_merge( array( $own ), array_values( array_diff( $plugins, array( $own ) ) ) );
	}

	/**
	 * New versions come from the service. Whoever takes this plugin's name in a directory of plugins must not replace it.
	 *
	 * @param mixed $offers Of updates.
	 * @return mixed
	 */
	public static function without_offer( $offers ) {
		if ( is_object( $offers ) && isset( $offers->response ) && is_array( $offers->response ) ) {
			unset( $offers->response[ plugin_basename( FILE ) ] );
		}
		return $offers;
	}

	/** What nobody needs any more goes without the service: looked for at most once an hour, by the time of one file, when the page was sent. */
	public static function tidy(): void {
		$work  = rtrim( WP_CONTENT_DIR, '/' ) . self::WORK;
		$clock = $work . '/index.php';
		if ( is_dir( $work ) && (int) @filemtime( $clock ) < time() - HOUR_IN_SECONDS && touch( $clock ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- None is long ago.
			if ( ! Leftovers::sweep( 2.0 ) ) {
				touch( $clock, 1 ); // The next page goes on.
			}
		}
		if ( is_file( $work . '/page-caches' ) ) { // Journal::OUTDATED, for which that class would be loaded with each page.
			PageCaches::purge_outdated();
		}
	}

	/** Runs on activation. */
	public static function activate(): void {
		add_option( Identity::OPTION_ON, '0', '', true );
		Facts::create_table();
	}

	/** Runs on deactivation: whoever switches the plugin off ends the connection. */
	public static function deactivate(): void {
		if ( is_main_site() ) { // The other sites of a network have no part in the connection.
			Tweaks::take_back();
			Enrolment::disconnect();
		}
	}

	private static function is_paired(): bool {
		return '1' === get_option( Identity::OPTION_ON );
	}
}
