<?php
// PHP errors of must-use plugins.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A must-use file of a few lines, there while the site is connected: errors are seen before other must-use plugins load. It does nothing where this
 * plugin is gone, switched off or not connected. Where it cannot lie, errors are seen from this plugin on.
 */
final class MustUse {

	const NAME = Journal::MUST_USE . 'watch.php'; // Behind the door of an update, before all others.
	const MADE = '// The folder was made for this file.';

	/** Sees to it that the file is there, where it may be. Only what the web server's PHP writes can it take away, whoever runs WP-CLI. */
	public static function keep( Identity $identity ): void {
		if ( 'cli' === PHP_SAPI || $identity->is_clone() ) {
			return;
		}
		if ( Capture::is_on() ) {
			self::write();
		} else {
			self::forget();
		}
	}

	/** Writes the file where it is another one and files may be changed. A folder that is not there is made, if it is the one that WordPress has usually. */
	public static function write(): void {
		$path   = self::path();
		$folder = dirname( $path );
		$own    = plugin_basename( FILE );
		if ( '' === $path || ! is_file( self::loader( $own ) ) || ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			return;
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- Where it cannot lie, errors are seen later.
		$made = false;
		if ( ! is_dir( $folder ) ) {
			$mode = fileperms( WP_CONTENT_DIR ) & 0777;
			$made = dirname( $folder ) === rtrim( WP_CONTENT_DIR, '/' ) && @mkdir( $folder, $mode ) && chmod( $folder, $mode );
			if ( ! $made ) {
				return;
			}
		}
		$before = is_file( $path ) ? (string) @file_get_contents( $path ) : '';
		$text   = self::code( $own, $made || self::has_made( $before ) );
		if ( $before === $text || ! is_writable( $folder ) ) {
			return;
		}
		try {
			Door::place( $path, $text );
			@chmod( $path, 0600 | ( fileperms( __FILE__ ) & 0666 ) );
		} catch ( Problem $problem ) {
			return; // The disk is full.
		}
		// phpcs:enable
	}

	/** It goes, and the folder with it, where that was made for it and has nothing else. */
	public static function forget(): void {
		$path = self::path();
		if ( '' === $path || ! is_file( $path ) ) {
			return;
		}
		$folder = dirname( $path );
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- Where it must stay it does nothing any more.
		$made = self::has_made( (string) @file_get_contents( $path ) );
		foreach ( Leftovers::names( $folder ) as $name ) {
			if ( self::NAME === $name || preg_match( '/^' . preg_quote( self::NAME, '/' ) . '\.[0-9a-f]{32}\.part$/D', $name ) ) {
				@unlink( "$folder/$name" );
			}
		}
		if ( $made && array() === Leftovers::names( $folder ) ) {
			@rmdir( $folder );
		}
		// phpcs:enable
	}

	/** From when on errors of must-use plugins are seen as they happen; never, where another one loads first. */
	public static function since(): int {
		$path  = self::path();
		$names = '' === $path ? array() : array_diff( preg_grep( '/\.php$/D', Leftovers::names( dirname( $path ) ) ), array( Door::NAME ) );
		sort( $names, SORT_STRING );
		return self::NAME === ( $names[0] ?? '' ) ? (int) filemtime( $path ) : PHP_INT_MAX;
	}

	private static function path(): string {
		return defined( 'WPMU_PLUGIN_DIR' ) ? rtrim( WPMU_PLUGIN_DIR, '/' ) . '/' . self::NAME : '';
	}

	private static function loader( string $own ): string {
		return rtrim( WP_PLUGIN_DIR, '/' ) . '/' . dirname( $own ) . '/src/wire/autoload.php';
	}

	private static function has_made( string $text ): bool {
		return false !== strpos( $text, self::MADE );
	}

	/**
	 * The file. Whatever becomes of this plugin's own files, it ends no page.
	 *
	 * @param string $own  The plugin, as WordPress lists it.
	 * @param bool   $made Whether the folder was made for it.
	 */
	private static function code( string $own, bool $made ): string {
		$plugin = var_export( $own, true ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- A literal of PHP.
		$loader = 'WP_PLUGIN_DIR . ' . var_export( '/' . dirname( $own ) . '/src/wire/autoload.php', true ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- As above.
		return "<?php\n/*\n * Plugin Name: Svc Connector: PHP errors\n * Description: While this site is connected, PHP errors of must-use plugins are seen too. It goes with the connection.\n */\n"
			. ( $made ? self::MADE . "\n" : '' )
			. "defined( 'ABSPATH' ) || exit;\n"
			. "if ( is_file( $loader ) && ! wp_installing()\n"
			. "\t&& ( in_array( $plugin, (array) get_option( 'active_plugins' ), true ) || ( is_multisite() && isset( ( (array) get_site_option( 'active_sitewide_plugins' ) )[ $plugin ] ) ) ) ) {\n"
			. "\ttry {\n\t\trequire_once $loader;\n"
			. "\t\tif ( is_callable( array( '\\\\SvcConnector\\\\Plugin', 'watch' ) ) ) {\n\t\t\t\\SvcConnector\\Plugin::watch();\n\t\t}\n"
			. "\t} catch ( \\Throwable \$svc_connector_error ) {\n\t\tunset( \$svc_connector_error );\n\t}\n}\n";
	}
}
