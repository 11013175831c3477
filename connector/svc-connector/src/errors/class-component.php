<?php
// Which plugin or theme a file belongs to.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Paths as every WordPress has them, wherever this one keeps them. */
final class Component {

	/** @var array<string,string>|null Folders by where they usually are, the innermost first. */
	private static $folders = null;

	/**
	 * The first of these files that lies in a plugin or a theme decides; else whose the first one is.
	 *
	 * @param string[] $files Nearest first.
	 * @return array{type:string,slug:string}
	 */
	public static function of( array $files ): array {
		foreach ( $files as $file ) {
			if ( preg_match( '#^wp-content/(plugins|themes|mu-plugins)/([^/]+)#', self::path( $file ), $found ) ) {
				$types = array( 'plugins' => 'plugin', 'themes' => 'theme', 'mu-plugins' => 'mu_plugin' );
				return array( 'type' => $types[ $found[1] ], 'slug' => Site::clip( (string) preg_replace( '/\.php$/D', '', $found[2] ), 200 ) );
			}
		}
		$path = self::path( (string) reset( $files ) );
		if ( preg_match( '#^wp-content/([a-z0-9-]+\.php)$#D', $path, $found ) ) {
			return array( 'type' => 'dropin', 'slug' => $found[1] );
		}
		$core = (bool) preg_match( '#^(?:wp-(?:admin|includes)/|[^/]+\.php)#', $path );
		return array( 'type' => $core ? 'core' : 'other', 'slug' => $core ? 'core' : '' );
	}

	/** A path as it is in the usual layout; of what lies outside only its last two names. */
	public static function path( string $file ): string {
		foreach ( self::folders() as $folder => $usual ) {
			if ( 0 === strpos( $file, $folder . '/' ) ) {
				return ltrim( $usual . substr( $file, strlen( $folder ) ), '/' );
			}
		}
		return '' === $file || '/' !== $file[0] ? $file : '.../' . implode( '/', array_slice( explode( '/', $file ), -2 ) );
	}

	/** Whether a file is one of this installation. */
	public static function is_ours( string $file ): bool {
		return 0 !== strpos( self::path( $file ), '...' );
	}

	private static function folders(): array {
		if ( null !== self::$folders ) {
			return self::$folders;
		}
		$known = array( array( rtrim( ABSPATH, '/' ), '' ), array( WP_CONTENT_DIR, 'wp-content' ), array( WP_CONTENT_DIR . '/themes', 'wp-content/themes' ) );
		foreach ( array( 'WP_PLUGIN_DIR' => 'plugins', 'WPMU_PLUGIN_DIR' => 'mu-plugins' ) as $name => $folder ) {
			if ( defined( $name ) ) {
				$known[] = array( constant( $name ), "wp-content/$folder" );
			}
		}
		foreach ( (array) ( $GLOBALS['wp_plugin_paths'] ?? array() ) as $folder => $real ) { // Plugins that are links, as WordPress itself keeps them.
			$known[] = array( (string) $real, 'wp-content/plugins/' . basename( (string) $folder ) );
		}
		$folders = array();
		foreach ( $known as list( $folder, $usual ) ) {
			foreach ( array( $folder, (string) realpath( $folder ) ) as $path ) {
				if ( '' !== $path ) {
					$folders[ rtrim( $path, '/' ) ] = $usual;
				}
			}
		}
		uksort(
			$folders,
			static function ( string $one, string $other ): int {
				return strlen( $other ) - strlen( $one );
			}
		);
		self::$folders = $folders;
		return $folders;
	}
}
