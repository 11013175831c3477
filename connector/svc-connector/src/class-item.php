<?php
// One thing that can be updated.
namespace Svc\Connector;

/** A plugin, a theme, or WordPress itself. */
final class Item {

	/** @var string One of plugin, theme, core. */
	public $type;

	/** @var string Plugin file, stylesheet, or `core`. */
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
		$header = 'plugin' === $this->type ? WP_PLUGIN_DIR . '/' . $this->file : get_theme_root( $this->file ) . '/' . $this->file . '/style.css';
		if ( ! is_file( $header ) ) {
			return null;
		}
		$found = get_file_data( $header, array( 'version' => 'Version' ) );
		return trim( (string) $found['version'] );
	}

	/**
	 * Why this update cannot be applied, or ''.
	 *
	 * @param array<string,mixed> $offer From Offers::find().
	 */
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
		if ( ! wp_is_writable( $folder ) || ( 'core' !== $this->type && ! wp_is_writable( dirname( $folder ) ) ) ) {
			return 'not_writable';
		}
		if ( 'core' !== $this->type && is_link( $folder ) ) {
			return 'folder_is_a_link';
		}
		$free = function_exists( 'disk_free_space' ) ? @disk_free_space( WP_CONTENT_DIR ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Unknown is no obstacle.
		if ( false !== $free && $free < ( 'core' === $this->type ? 300 : 50 ) * MB_IN_BYTES ) {
			return 'disk_full';
		}
		if ( 'core' === $this->type && (int) get_option( 'core_updater.lock' ) > time() - Updates::LOCK_LIFE ) {
			return 'core_update_running';
		}
		return '';
	}

	/** When a run died between removing the old folder and writing the new one, the old one is still where core put it. */
	public function put_back(): void {
		$folder = $this->folder();
		$kept   = WP_CONTENT_DIR . '/upgrade-temp-backup/' . $this->type . 's/' . basename( $folder );
		if ( 'core' !== $this->type && null === $this->version() && ! file_exists( $folder ) && is_dir( $kept ) ) {
			rename( $kept, $folder ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- WP_Filesystem may be what died.
		}
	}

	/** Folder that an update replaces. */
	private function folder(): string {
		if ( 'core' === $this->type ) {
			return ABSPATH;
		}
		if ( 'theme' === $this->type ) {
			return get_theme_root( $this->file ) . '/' . $this->file;
		}
		return '.' === dirname( $this->file ) ? WP_PLUGIN_DIR : dirname( WP_PLUGIN_DIR . '/' . $this->file );
	}
}
