<?php
// One thing that can be updated.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A plugin, a theme, WordPress itself, or all translations together. */
final class Item {

	const LEAST  = 52428800;   // Bytes that must be free beside all that is counted.
	const PLENTY = 5368709120; // Bytes from which on there is room for any plugin.

	/** @var string One of plugin, theme, core, translations. */
	public $type;

	/** @var string Plugin file, stylesheet, `core` or `translations`. */
	public $file;

	/** Both were checked by the caller. */
	public function __construct( string $type, string $file ) {
		$this->type = $type;
		$this->file = $file;
	}

	/** True for a plugin that runs, here or in the whole network. */
	public function is_active(): bool {
		return 'plugin' === $this->type && is_plugin_active( $this->file );
	}

	/** The version in the files now, past every cache; null when it is not installed. */
	public function version(): ?string {
		clearstatcache();
		if ( 'core' === $this->type ) {
			return 'core' === $this->file ? Site::wp_version() : null;
		}
		if ( 'translations' === $this->type ) {
			return 'translations' === $this->file ? '' : null;
		}
		$header = 'plugin' === $this->type ? WP_PLUGIN_DIR . '/' . $this->file : get_theme_root( $this->file ) . '/' . $this->file . '/style.css';
		if ( ! is_file( $header ) ) {
			return null;
		}
		$found = get_file_data( $header, array( 'version' => 'Version' ) );
		return trim( (string) $found['version'] );
	}

	/** Why this update cannot be applied, or ''. */
	public function obstacle( array $offer ): string {
		$folder = $this->folder();
		if ( 'plugin' === $this->type && plugin_basename( FILE ) === $this->file ) {
			return 'connector_itself';
		}
		if ( ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			return 'file_mods_disallowed';
		}
		if ( '' === $offer['package'] ) {
			return 'no_package';
		}
		if ( ! is_wp_version_compatible( $offer['requires_wp'] ) ) {
			return 'needs_wordpress_' . $offer['requires_wp'];
		}
		if ( ! is_php_version_compatible( $offer['requires_php'] ) ) {
			return 'needs_php_' . $offer['requires_php'];
		}
		if ( 'direct' !== get_filesystem_method( array(), $folder ) ) {
			return 'filesystem_not_direct';
		}
		if ( ( file_exists( $folder ) && ! wp_is_writable( $folder ) ) || ( 'core' !== $this->type && ! wp_is_writable( dirname( $folder ) ) ) ) {
			return 'not_writable';
		}
		if ( 'core' !== $this->type && is_link( $folder ) ) {
			return 'folder_is_a_link';
		}
		if ( self::free() < ( 'core' === $this->type ? 6 : 1 ) * self::LEAST ) {
			return 'disk_full';
		}
		if ( 'core' === $this->type && (int) get_option( 'core_updater.lock' ) > time() - Updates::LOCK_LIFE ) {
			return 'core_update_running';
		}
		return '';
	}

	/** Whether there is no room for a copy of it, its package, and what comes out of that. Where there is plenty nothing is counted. */
	public function lacks_room(): bool {
		$free = self::free();
		$need = self::LEAST;
		if ( $free > self::PLENTY || 'core' === $this->type ) {
			return false;
		}
		list( $root, $names ) = $this->parts();
		foreach ( $names as $name ) {
			$need += 3 * self::bytes( "$root/$name" );
		}
		return $free < $need;
	}

	/** Bytes that are free; not to know it is no obstacle. */
	private static function free(): float {
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
		return false === $free ? INF : $free;
	}

	private static function bytes( string $path ): int {
		if ( is_link( $path ) || ! is_dir( $path ) ) {
			return (int) @filesize( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- What cannot be looked at is copied by nobody.
		}
		$bytes = 0;
		foreach ( Leftovers::names( $path ) as $name ) {
			$bytes += self::bytes( "$path/$name" );
		}
		return $bytes;
	}

	/**
	 * What an update replaces: the folder it lies in, and the names there.
	 *
	 * @return array{0:string,1:string[]}
	 */
	public function parts(): array {
		$folder = $this->folder();
		if ( 'core' !== $this->type ) {
			return WP_PLUGIN_DIR === $folder ? array( $folder, array( $this->file ) ) : array( dirname( $folder ), array( basename( $folder ) ) );
		}
		$root  = untrailingslashit( ABSPATH );
		$names = scandir( $root );
		$files = array_diff( is_array( $names ) ? $names : array(), array( 'wp-config.php' ) );
		$own   = preg_grep( '/^(index|xmlrpc|wp-[a-z-]+)\.php$|^(license|licens|readme|liesmich)[a-z-]*\.(txt|html)$/D', $files );
		return array( $root, array_merge( array( 'wp-admin', 'wp-includes' ), array_values( (array) $own ) ) );
	}

	/** Folder that an update replaces. */
	private function folder(): string {
		if ( 'core' === $this->type ) {
			return ABSPATH;
		}
		if ( 'translations' === $this->type ) {
			return untrailingslashit( WP_LANG_DIR );
		}
		if ( 'theme' === $this->type ) {
			return get_theme_root( $this->file ) . '/' . $this->file;
		}
		return '.' === dirname( $this->file ) ? WP_PLUGIN_DIR : dirname( WP_PLUGIN_DIR . '/' . $this->file );
	}
}
