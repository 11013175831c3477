<?php
// Ways in that need no plugin.
namespace Svc\Connector;

/** Puts the way back where it runs before whatever may be broken, and shuts the site for moments. */
final class Door {

	const NAME  = '000-svc-connector-recovery.php'; // Sorts first.
	const FILES = array( 'rescue', 'door', 'class-wire', 'class-gate', 'class-incoming', 'class-answer', 'class-problem', 'class-identity', 'class-journal', 'class-root', 'class-plan', 'class-swap', 'class-exchange', 'class-lite', 'class-leftovers' );

	/** Copies what the way back needs next to its journal, where no update and no restore touches it. */
	public static function prepare( Journal $journal ): void {
		foreach ( self::FILES as $name ) {
			if ( ! copy( __DIR__ . "/$name.php", $journal->dir . "/rescue/$name.php" ) ) {
				throw new Problem( 'failed', 'The way back cannot be prepared: the disk may be full.' );
			}
		}
	}

	/**
	 * Paths of the doors of an update: a must-use plugin, and .maintenance, which is asked even earlier, where WordPress itself
	 * is replaced or no must-use plugin can be written.
	 *
	 * @return string[]
	 */
	public static function paths( bool $core ): array {
		$folder = untrailingslashit( WPMU_PLUGIN_DIR );
		$must   = wp_mkdir_p( $folder ) && wp_is_writable( $folder ) ? array( $folder . '/' . self::NAME ) : array();
		return $core || ! $must ? array_merge( array( ABSPATH . '.maintenance' ), $must ) : $must;
	}

	/**
	 * Opens doors of an update: everybody is let through, and the service can always come in.
	 *
	 * @param string[] $paths From paths().
	 */
	public static function arm( Journal $journal, array $paths ): void {
		foreach ( $paths as $path ) {
			self::place( $path, self::code( $journal, '.maintenance' === basename( $path ) ? '$upgrading = 0;' : '' ) );
		}
	}

	/** Shuts the site to visitors while files are exchanged. */
	public static function shut( Journal $journal ): void {
		self::place( ABSPATH . '.maintenance', self::code( $journal, '$upgrading = ' . time() . ';' ) );
	}

	/**
	 * A door that needs nothing of WordPress, for when its first files do not fit each other; answers its path, or '' where there is none.
	 *
	 * @param string $key Opens the site's own key, which else the salts of wp-config.php do.
	 */
	public static function alone( Journal $journal, string $key ): string {
		if ( 'core' !== $journal->get( 'type' ) ) {
			return '';
		}
		$path = ABSPATH . 'svc-recovery-' . $journal->get( 'id' ) . '.php';
		if ( ! is_file( $path ) ) {
			self::place( $journal->dir . '/rescue/key.php', '<?php return base64_decode( \'' . base64_encode( $key ) . "' );\n" );
			self::place( $path, self::code( $journal, "define( 'ABSPATH', __DIR__ . '/' );" ) );
		}
		return '/' . basename( $path );
	}

	/** Lets visitors in again after shut(), and after a notice of core. */
	public static function open( Journal $journal ): void {
		$path = ABSPATH . '.maintenance';
		if ( in_array( $path, self::paths( 'core' === $journal->get( 'type' ) ), true ) ) {
			self::arm( $journal, array( $path ) );
		} elseif ( false === $journal->get( 'maintained' ) && file_exists( $path ) ) {
			unlink( $path );
		}
	}

	/** True when the notice that stands there is not ours. */
	public static function is_foreign( Journal $journal ): bool {
		return false === strpos( (string) file_get_contents( ABSPATH . '.maintenance' ), basename( $journal->dir ) );
	}

	/** Writes a file of PHP that is in force at once. */
	public static function place( string $path, string $code ): void {
		Journal::write( $path, $code );
		if ( function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( $path, true ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A host may restrict it.
		}
	}

	private static function code( Journal $journal, string $more ): string {
		$path = var_export( $journal->dir . '/rescue/door.php', true ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- A literal of PHP.
		return "<?php\n/*\n * Plugin Name: Svc Connector: way back\n * Description: An update is under way. This file removes itself.\n */\n$more\nif ( is_file( $path ) ) {\n\trequire_once $path;\n}\n";
	}

	/** The notice for visitors of a restore. It is asked before any plugin loads, so it is also the door that needs none. */
	public static function notice( string $rescue, int $deadline, int $patience, string $probe ): string {
		$path  = var_export( $rescue, true ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- A literal of PHP.
		$ended = "dirname( $path, 2 ) . '" . Journal::ENDED . "'";
		return "<?php // A backup is being put back. This file removes itself.\n"
			. '$upgrading = ' . ( $deadline - $patience ) . ";\n"
			. "\$svc_door = isset( \$_GET['svc-connector'] ) ? \$_GET['svc-connector'] : '';\n"
			. "if ( ( 'rescue' === \$svc_door || time() >= $deadline || is_file( $ended ) ) && is_file( $path ) ) {\n\trequire $path;\n}\n"
			. "\$svc_post = isset( \$_SERVER['REQUEST_METHOD'] ) && 'POST' === \$_SERVER['REQUEST_METHOD'];\n"
			. "\$svc_uri  = isset( \$_SERVER['REQUEST_URI'] ) ? \$_SERVER['REQUEST_URI'] : '';\n"
			. "if ( \$svc_post && ( '1' === \$svc_door || false !== strpos( \$svc_uri, '/svc/v1/rpc' ) || false !== strpos( \$svc_uri, 'admin-ajax.php?action=svc' ) ) ) {\n\t\$upgrading = 0;\n}\n"
			. "if ( isset( \$_GET['svc-probe'] ) && is_string( \$_GET['svc-probe'] ) && hash_equals( '$probe', hash( 'sha256', \$_GET['svc-probe'] ) ) ) {\n\t\$upgrading = 0;\n}\n";
	}
}
