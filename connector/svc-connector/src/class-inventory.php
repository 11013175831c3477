<?php
/**
 * What is installed here, and what could be newer.
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

/** The verb `inventory`. */
final class Inventory {

	const REFRESH_LIMIT = 15; // Seconds for all three questions to the update API.

	/**
	 * The verb `inventory`.
	 *
	 * @param array<string,mixed> $params Refresh.
	 * @return array<string,mixed>
	 */
	public static function collect( array $params ): array {
		self::load_admin();
		if ( true === ( $params['refresh'] ?? false ) ) {
			self::refresh();
		}
		return array(
			'collected_at'       => time(),
			'updates_checked_at' => self::checked_at(),
			'items'              => array_merge( array( self::core() ), self::plugins(), self::themes(), self::must_use(), self::drop_ins() ),
		);
	}

	/** What wp-admin loads for itself. */
	public static function load_admin(): void {
		require_once ABSPATH . 'wp-admin/includes/plugin.php';
		require_once ABSPATH . 'wp-admin/includes/file.php';
		require_once ABSPATH . 'wp-admin/includes/misc.php';
		require_once ABSPATH . 'wp-admin/includes/theme.php';
		require_once ABSPATH . 'wp-admin/includes/update.php';
	}

	/** Asks the update API now. WordPress asks again only when its last question looks old, and forgets nothing when it fails. */
	public static function refresh( array $types = array( 'core', 'plugins', 'themes' ) ): void {
		$deadline = time() + self::REFRESH_LIMIT;
		$hurry    = static function ( $arguments ) use ( $deadline ) {
			$arguments['timeout'] = max( 1, min( (int) ( $arguments['timeout'] ?? 5 ), $deadline - time() ) );
			return $arguments;
		};
		add_filter( 'http_request_args', $hurry, PHP_INT_MAX );
		remove_action( 'wp_maybe_auto_update', 'wp_maybe_auto_update' ); // A look at the versions must not start updates.
		foreach ( $types as $type ) {
			if ( time() >= $deadline ) {
				break;
			}
			$name  = 'update_' . $type;
			$known = get_site_transient( $name );
			$last  = is_object( $known ) && isset( $known->last_checked ) ? (int) $known->last_checked : 0;
			if ( is_object( $known ) ) {
				$known->last_checked = 0;
				$known->svc_asked    = $last; // Still there afterwards only if no answer came.
				set_site_transient( $name, $known );
			}
			if ( 'core' === $type ) {
				wp_version_check( array(), true );
			} elseif ( 'plugins' === $type ) {
				wp_update_plugins();
			} else {
				wp_update_themes();
			}
			self::restore_time( $name );
		}
		remove_filter( 'http_request_args', $hurry, PHP_INT_MAX );
	}

	/** When no answer came, the old one keeps its old time. */
	private static function restore_time( string $name ): void {
		$known = get_site_transient( $name );
		if ( is_object( $known ) && isset( $known->svc_asked ) ) {
			$known->last_checked = $known->svc_asked;
			unset( $known->svc_asked );
			set_site_transient( $name, $known );
		}
	}

	/** Time of the oldest answer of the update API that is in use, or null. */
	private static function checked_at(): ?int {
		$times = array();
		foreach ( array( 'update_core', 'update_plugins', 'update_themes' ) as $name ) {
			$known = get_site_transient( $name );
			if ( ! is_object( $known ) || empty( $known->last_checked ) ) {
				return null;
			}
			$times[] = (int) $known->last_checked;
		}
		return min( $times );
	}

	/**
	 * WordPress itself.
	 *
	 * @return array<string,mixed>
	 */
	private static function core(): array {
		$offer  = self::core_offer( '' );
		$update = null === $offer ? null : self::update( (string) $offer->version, '', (string) ( $offer->php_version ?? '' ), ! empty( $offer->packages->full ) || ! empty( $offer->download ) );
		$auto   = defined( 'WP_AUTO_UPDATE_CORE' ) ? false !== WP_AUTO_UPDATE_CORE : 'enabled' === get_site_option( 'auto_update_core_minor', 'enabled' );
		return self::item( 'core', 'wordpress', 'core', 'WordPress', Site::wp_version(), true, $auto && self::updates_itself(), $update, 'WordPress.org', 'https://wordpress.org/' );
	}

	/** The newest core release on offer, or the one of that version. */
	public static function core_offer( string $version ): ?object {
		$known = get_site_transient( 'update_core' );
		$best  = null;
		foreach ( is_object( $known ) && isset( $known->updates ) && is_array( $known->updates ) ? $known->updates : array() as $offer ) {
			$is_upgrade = isset( $offer->response, $offer->version ) && 'upgrade' === $offer->response && version_compare( $offer->version, Site::wp_version(), '>' );
			if ( $is_upgrade && ( '' === $version || $version === $offer->version ) && ( null === $best || version_compare( $offer->version, $best->version, '>' ) ) ) {
				$best = $offer;
			}
		}
		return $best;
	}

	/**
	 * Plugins.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	private static function plugins(): array {
		$auto  = (array) get_site_option( 'auto_update_plugins', array() );
		$items = array();
		foreach ( get_plugins() as $file => $header ) {
			$offer   = self::plugin_offer( $file );
			$update  = null === $offer ? null : self::update( (string) $offer->new_version, (string) ( $offer->requires ?? '' ), (string) ( $offer->requires_php ?? '' ), ! empty( $offer->package ) );
			$slug    = '.' === dirname( $file ) ? basename( $file, '.php' ) : dirname( $file );
			$items[] = self::item( 'plugin', $slug, $file, $header['Name'], $header['Version'], is_plugin_active( $file ), in_array( $file, $auto, true ) && self::updates_itself(), $update, $header['AuthorName'] ?? $header['Author'], $header['PluginURI'] );
		}
		return $items;
	}

	/** The update on offer for a plugin. */
	public static function plugin_offer( string $file ): ?object {
		$known = get_site_transient( 'update_plugins' );
		$offer = is_object( $known ) && isset( $known->response[ $file ] ) ? (object) $known->response[ $file ] : null;
		return null !== $offer && ! empty( $offer->new_version ) ? $offer : null;
	}

	/**
	 * Themes.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	private static function themes(): array {
		$auto   = (array) get_site_option( 'auto_update_themes', array() );
		$active = array( get_option( 'stylesheet' ), get_option( 'template' ) );
		$items  = array();
		foreach ( wp_get_themes() as $stylesheet => $theme ) {
			$offer   = self::theme_offer( (string) $stylesheet );
			$update  = null === $offer ? null : self::update( (string) $offer->new_version, (string) ( $offer->requires ?? '' ), (string) ( $offer->requires_php ?? '' ), ! empty( $offer->package ) );
			$items[] = self::item( 'theme', (string) $stylesheet, (string) $stylesheet, (string) $theme->get( 'Name' ), (string) $theme->get( 'Version' ), in_array( $stylesheet, $active, true ), in_array( $stylesheet, $auto, true ) && self::updates_itself(), $update, (string) $theme->get( 'Author' ), (string) $theme->get( 'ThemeURI' ) );
		}
		return $items;
	}

	/** The update on offer for a theme. */
	public static function theme_offer( string $stylesheet ): ?object {
		$known = get_site_transient( 'update_themes' );
		$offer = is_object( $known ) && isset( $known->response[ $stylesheet ] ) ? (object) $known->response[ $stylesheet ] : null;
		return null !== $offer && ! empty( $offer->new_version ) ? $offer : null;
	}

	/**
	 * Plugins WordPress always loads.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	private static function must_use(): array {
		$items = array();
		foreach ( get_mu_plugins() as $file => $header ) {
			$items[] = self::item( 'mu_plugin', basename( $file, '.php' ), $file, $header['Name'], $header['Version'], true, false, null, $header['Author'], $header['PluginURI'] );
		}
		return $items;
	}

	/**
	 * Files that replace parts of WordPress.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	private static function drop_ins(): array {
		$known = _get_dropins();
		$items = array();
		foreach ( get_dropins() as $file => $header ) {
			$needs   = $known[ $file ][1] ?? true;
			$active  = true === $needs || ( is_string( $needs ) && defined( $needs ) && constant( $needs ) );
			$items[] = self::item( 'dropin', basename( $file, '.php' ), $file, $header['Name'], $header['Version'], $active, false, null, $header['Author'], $header['PluginURI'] );
		}
		return $items;
	}

	/**
	 * One line of the inventory.
	 *
	 * @param array<string,mixed>|null $update From update().
	 * @return array<string,mixed>
	 */
	private static function item( string $type, string $slug, string $file, string $name, string $version, bool $active, bool $auto, ?array $update, string $author, string $uri ): array {
		return array(
			'type'        => $type,
			'slug'        => $slug,
			'file'        => $file,
			'name'        => Site::clip( wp_strip_all_tags( '' === $name ? $file : $name ), 200 ),
			'version'     => Site::clip( $version, 50 ),
			'active'      => $active,
			'auto_update' => $auto,
			'update'      => $update,
			'author'      => Site::clip( wp_strip_all_tags( $author ), 200 ),
			'uri'         => Site::clip( $uri, 500 ),
		);
	}

	/**
	 * An update on offer.
	 *
	 * @return array<string,mixed>
	 */
	private static function update( string $version, string $requires_wp, string $requires_php, bool $has_package ): array {
		return array(
			'version'      => Site::clip( $version, 50 ),
			'requires_wp'  => Site::clip( $requires_wp, 50 ),
			'requires_php' => Site::clip( $requires_php, 50 ),
			'compatible'   => is_wp_version_compatible( $requires_wp ) && is_php_version_compatible( $requires_php ),
			'package'      => $has_package,
		);
	}

	private static function updates_itself(): bool {
		return ! ( defined( 'AUTOMATIC_UPDATER_DISABLED' ) && AUTOMATIC_UPDATER_DISABLED );
	}
}
