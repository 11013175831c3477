<?php
// wp-config.php without the WordPress it starts.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** What wp-config.php sets, read as WP-CLI reads it: its code up to the line that starts WordPress. Only after a signature held. */
final class Configuration {

	const START = '/^[^\S\n]*(?:require|include)(?:_once)?\b[^;]*?wp-settings\.php[\'"][\s)]*;/m';

	/** Sets the constants, the prefix and the database that the verbs of a restore ask for. */
	public static function load( array $state ): void {
		global $table_prefix, $wpdb;
		self::set( $state['config'] );
		require_once __DIR__ . '/without-wordpress.php';
		define( __NAMESPACE__ . '\FILE', dirname( __DIR__, 2 ) . '/svc-connector.php' );
		define( __NAMESPACE__ . '\VERSION', self::version() );
		$wpdb = new BareDatabase( (string) $table_prefix, (array) $state['options'] ); // phpcs:ignore WordPress.WP.GlobalVariablesOverride -- There is no other: WordPress does not run.
	}

	/** Whether it starts WordPress in a line that is found. */
	public static function is_plain( string $path ): bool {
		return is_file( $path ) && 1 === preg_match( self::START, (string) file_get_contents( $path ) );
	}

	private static function set( string $path ): void {
		global $table_prefix;
		$code = (string) preg_replace( self::START, 'return;', (string) file_get_contents( $path ), 1, $found );
		if ( 1 !== $found ) {
			throw new Problem( 'failed', 'wp-config.php has no plain line that loads wp-settings.php.' );
		}
		$code = str_replace( array( '__FILE__', '__DIR__' ), array( var_export( $path, true ), var_export( dirname( $path ), true ) ), $code ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- Literals of PHP.
		eval( '?>' . $code ); // phpcs:ignore Squiz.PHP.Eval, Generic.PHP.ForbiddenFunctions -- The site's own configuration, as every page of WordPress runs it.
	}

	private static function version(): string {
		preg_match( '/^const VERSION = \'([^\']+)\';/m', (string) file_get_contents( FILE ), $found );
		return $found[1] ?? '';
	}
}
