<?php
// What is installed here, and what could be newer.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `inventory`. */
final class Inventory {

	/** The verb `inventory`. */
	public static function collect( array $params ): array {
		self::load_admin();
		if ( true === ( $params['refresh'] ?? false ) ) {
			Offers::refresh( array( 'core', 'plugins', 'themes' ) );
		}
		return array(
			'collected_at'       => time(),
			'updates_checked_at' => Offers::checked_at(),
			'translations'       => Offers::translations(),
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

	/** WordPress itself. */
	private static function core(): array {
		$offer  = Offers::core( '' );
		$update = null === $offer ? null : self::update( (string) $offer->version, '', (string) ( $offer->php_version ?? '' ), ! empty( $offer->packages->full ) || ! empty( $offer->download ), '' );
		$auto   = defined( 'WP_AUTO_UPDATE_CORE' ) ? false !== WP_AUTO_UPDATE_CORE : 'enabled' === get_site_option( 'auto_update_core_minor', 'enabled' );
		return self::item( 'core', 'wordpress', 'core', 'WordPress', Site::wp_version(), true, $auto && self::updates_itself(), $update, 'WordPress.org', 'https://wordpress.org/' );
	}

	/** Plugins. */
	private static function plugins(): array {
		$auto  = (array) get_site_option( 'auto_update_plugins', array() );
		$items = array();
		foreach ( get_plugins() as $file => $header ) {
			$offer   = Offers::plugin( $file );
			$update  = null === $offer ? null : self::update( (string) $offer->new_version, (string) ( $offer->requires ?? '' ), (string) ( $offer->requires_php ?? '' ), ! empty( $offer->package ), (string) ( $offer->url ?? '' ) );
			$slug    = '.' === dirname( $file ) ? basename( $file, '.php' ) : dirname( $file );
			$items[] = self::item( 'plugin', $slug, $file, $header['Name'], $header['Version'], is_plugin_active( $file ), in_array( $file, $auto, true ) && self::updates_itself(), $update, $header['AuthorName'] ?? $header['Author'], $header['PluginURI'] );
		}
		return $items;
	}

	/** Themes. */
	private static function themes(): array {
		$auto   = (array) get_site_option( 'auto_update_themes', array() );
		$active = array( get_option( 'stylesheet' ), get_option( 'template' ) );
		$items  = array();
		foreach ( wp_get_themes() as $stylesheet => $theme ) {
			$offer   = Offers::theme( (string) $stylesheet );
			$update  = null === $offer ? null : self::update( (string) $offer->new_version, (string) ( $offer->requires ?? '' ), (string) ( $offer->requires_php ?? '' ), ! empty( $offer->package ), (string) ( $offer->url ?? '' ) );
			$items[] = self::item( 'theme', (string) $stylesheet, (string) $stylesheet, (string) $theme->get( 'Name' ), (string) $theme->get( 'Version' ), in_array( $stylesheet, $active, true ), in_array( $stylesheet, $auto, true ) && self::updates_itself(), $update, (string) $theme->get( 'Author' ), (string) $theme->get( 'ThemeURI' ) );
		}
		return $items;
	}

	/** Plugins WordPress always loads. */
	private static function must_use(): array {
		$items = array();
		foreach ( get_mu_plugins() as $file => $header ) {
			$items[] = self::item( 'mu_plugin', basename( $file, '.php' ), $file, $header['Name'], $header['Version'], true, false, null, $header['Author'], $header['PluginURI'] );
		}
		return $items;
	}

	/** Files that replace parts of WordPress. */
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

	/** An update on offer. */
	private static function update( string $version, string $requires_wp, string $requires_php, bool $has_package, string $url ): array {
		return array(
			'version'      => Site::clip( $version, 50 ),
			'requires_wp'  => Site::clip( $requires_wp, 50 ),
			'requires_php' => Site::clip( $requires_php, 50 ),
			'compatible'   => is_wp_version_compatible( $requires_wp ) && is_php_version_compatible( $requires_php ),
			'package'      => $has_package,
			'url'          => Site::clip( $url, 500 ),
		);
	}

	private static function updates_itself(): bool {
		return ! ( defined( 'AUTOMATIC_UPDATER_DISABLED' ) && AUTOMATIC_UPDATER_DISABLED );
	}
}
