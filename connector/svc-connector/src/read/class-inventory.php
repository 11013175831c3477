<?php
// What is installed here, and what could be newer.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `inventory`. */
final class Inventory {

	/** The verb `inventory`. */
	public static function collect( array $params ): array {
		self::load_admin();
		Layout::note_uploads();
		if ( true === ( $params['refresh'] ?? false ) ) {
			Offers::refresh( array( 'core', 'plugins', 'themes' ) );
		}
		return array(
			'collected_at'       => time(),
			'updates_checked_at' => Offers::checked_at(),
			'translations'       => Offers::translations(),
			'name'               => Site::name(),
			'items'              => array_merge( array( self::core() ), self::plugins(), self::themes(), self::must_use(), self::drop_ins() ),
		) + Choices::told();
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
		$auto   = defined( 'WP_AUTO_UPDATE_CORE' ) ? false !== WP_AUTO_UPDATE_CORE : 'enabled' === get_site_option( 'auto_update_core_minor', 'enabled' );
		$header = array( 'Name' => 'WordPress', 'Version' => Site::wp_version(), 'Author' => 'WordPress.org', 'PluginURI' => 'https://wordpress.org/' );
		return array( 'slug' => 'wordpress', 'auto_update' => $auto && self::updates_itself() ) + self::item( 'core', 'core', $header );
	}

	/** Plugins. */
	private static function plugins(): array {
		$items = array();
		foreach ( get_plugins() as $file => $header ) {
			$slug    = '.' === dirname( $file ) ? basename( $file, '.php' ) : dirname( $file );
			$items[] = array( 'slug' => $slug, 'active' => is_plugin_active( $file ) ) + self::item( 'plugin', $file, $header );
		}
		return $items;
	}

	/** Themes. */
	private static function themes(): array {
		$active = array( get_option( 'stylesheet' ), get_option( 'template' ) );
		$items  = array();
		foreach ( wp_get_themes() as $stylesheet => $theme ) {
			$header  = array( 'Name' => (string) $theme->get( 'Name' ), 'Version' => (string) $theme->get( 'Version' ), 'Author' => (string) $theme->get( 'Author' ), 'PluginURI' => (string) $theme->get( 'ThemeURI' ) );
			$items[] = array( 'slug' => (string) $stylesheet, 'active' => in_array( $stylesheet, $active, true ) ) + self::item( 'theme', (string) $stylesheet, $header );
		}
		return $items;
	}

	/** Plugins WordPress always loads, without our own. */
	private static function must_use(): array {
		$items = array();
		foreach ( get_mu_plugins() as $file => $header ) {
			if ( 0 !== strpos( $file, Journal::MUST_USE ) ) {
				$items[] = self::item( 'mu_plugin', $file, $header );
			}
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
			$items[] = array( 'active' => $active ) + self::item( 'dropin', $file, $header );
		}
		return $items;
	}

	/**
	 * One line of the inventory, active unless the caller knows better.
	 *
	 * @param array<string,string> $header Name, Version, AuthorName or Author, PluginURI.
	 */
	private static function item( string $type, string $file, array $header ): array {
		return array(
			'type'        => $type,
			'slug'        => basename( $file, '.php' ),
			'file'        => $file,
			'name'        => Site::clip( wp_strip_all_tags( '' === $header['Name'] ? $file : $header['Name'] ), 200 ),
			'version'     => Site::clip( $header['Version'], 50 ),
			'active'      => true,
			'auto_update' => in_array( $file, (array) get_site_option( "auto_update_{$type}s", array() ), true ) && self::updates_itself(),
			'update'      => in_array( $type, array( 'core', 'plugin', 'theme' ), true ) ? self::update( Offers::find( $type, $file, '' ) ) : null,
			'author'      => Site::clip( wp_strip_all_tags( $header['AuthorName'] ?? $header['Author'] ), 200 ),
			'uri'         => Site::clip( $header['PluginURI'], 500 ),
		);
	}

	/**
	 * An update on offer.
	 *
	 * @param array<string,mixed>|null $offer From Offers::find().
	 */
	private static function update( ?array $offer ): ?array {
		return null === $offer ? null : array(
			'version'      => Site::clip( $offer['version'], 50 ),
			'requires_wp'  => Site::clip( $offer['requires_wp'], 50 ),
			'requires_php' => Site::clip( $offer['requires_php'], 50 ),
			'compatible'   => is_wp_version_compatible( $offer['requires_wp'] ) && is_php_version_compatible( $offer['requires_php'] ),
			'package'      => '' !== $offer['package'],
			'url'          => Site::clip( $offer['url'], 500 ),
		);
	}

	private static function updates_itself(): bool {
		return ! ( defined( 'AUTOMATIC_UPDATER_DISABLED' ) && AUTOMATIC_UPDATER_DISABLED );
	}
}
