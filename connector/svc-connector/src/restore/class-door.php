<?php
// Ways in that need no plugin.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Puts the way back where it runs before whatever may be broken, and shuts the site for moments. */
final class Door {

	const NAME  = FileSwap::QUIET; // Sorts first.
	const FILES = array( 'restore/rescue', 'update/door', 'wire/class-wire', 'wire/class-gate', 'wire/class-incoming', 'wire/class-answer', 'wire/class-problem', 'wire/class-identity', 'restore/class-journal', 'read/class-root', 'restore/class-plan', 'restore/class-disk', 'restore/class-aside', 'restore/class-file-swap', 'restore/class-dump', 'restore/class-catalog', 'restore/class-connection', 'restore/class-ties', 'restore/class-table-swap', 'restore/class-sqlite-swap', 'restore/class-leftovers', 'update/class-fatals', 'update/class-around', 'update/class-vital', 'update/class-statement', 'update/class-transaction', 'update/class-trial', 'update/class-hanging', 'update/class-code-lock', 'update/class-gates' );

	const AT_WORK = 'the site is in maintenance: an update may be running, which is given until ';

	/** Copies what the way back needs next to its journal, where no update and no restore touches it. Asked again, when visitors load it, it leaves that alone. */
	public static function prepare( Journal $journal ): void {
		foreach ( self::FILES as $name ) {
			$from = dirname( __DIR__ ) . "/$name.php";
			$to   = $journal->dir . '/rescue/' . basename( $name ) . '.php';
			if ( ! ( is_file( $to ) && sha1_file( $to ) === sha1_file( $from ) ) && ! copy( $from, $to ) ) {
				throw new Problem( 'failed', 'The way back cannot be prepared: the disk may be full.' );
			}
		}
	}

	/**
	 * Paths of the doors of an update: a must-use plugin, and .maintenance, which is asked even earlier, before any drop-in, where it can be written
	 * and nobody has shut the site by it. Where WordPress itself is replaced, or no must-use plugin can be written, it must be.
	 */
	public static function paths( Journal $journal ): array {
		$folder = untrailingslashit( WPMU_PLUGIN_DIR );
		$must   = wp_mkdir_p( $folder ) && wp_is_writable( $folder ) ? array( $folder . '/' . self::NAME ) : array();
		$early  = 'core' === $journal->get( 'type' ) || ! $must || ( false === $journal->get( 'maintained' ) && wp_is_writable( ABSPATH ) );
		return $early ? array_merge( array( ABSPATH . '.maintenance' ), $must ) : $must;
	}

	/**
	 * Opens doors of an update: everybody is let through, and the service can always come in.
	 *
	 * @param string[] $paths From paths().
	 */
	public static function arm( Journal $journal, array $paths ): void {
		foreach ( $paths as $path ) {
			self::place( $path, '.maintenance' === basename( $path ) ? self::code( $journal, '$upgrading = 0;', self::finder( $journal ) ) : self::code( $journal, '', self::folder( $journal ) ) );
		}
	}

	/** Shuts the site to visitors while files are exchanged. */
	public static function shut( Journal $journal ): void {
		self::place( ABSPATH . '.maintenance', self::code( $journal, '$upgrading = ' . time() . ';', self::finder( $journal ) ) );
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
		$path = ABSPATH . 'svc-connector-recovery-' . $journal->get( 'id' ) . '.php';
		if ( ! is_file( $path ) ) {
			Journal::write( $journal->dir . '/rescue/key.php', '<?php return base64_decode( \'' . base64_encode( $key ) . "' );\n" );
			self::place( $path, self::code( $journal, "define( 'ABSPATH', __DIR__ . '/' );", self::folder( $journal ) ) );
		}
		return '/' . basename( $path );
	}

	/** Lets visitors in again after shut(), and after a notice of core. */
	public static function open( Journal $journal ): void {
		$path = ABSPATH . '.maintenance';
		if ( in_array( $path, self::paths( $journal ), true ) ) {
			self::arm( $journal, array( $path ) );
		} elseif ( false === $journal->get( 'maintained' ) && file_exists( $path ) ) {
			unlink( $path );
		}
	}

	/** True when a notice stands there that is not ours. */
	public static function is_foreign( Journal $journal ): bool {
		return is_file( ABSPATH . '.maintenance' ) && false === strpos( (string) file_get_contents( ABSPATH . '.maintenance' ), $journal->tag() );
	}

	/** True while a notice may be that of an update that runs: WordPress writes the time it began, and takes ten minutes at most. */
	public static function is_at_work( string $path ): bool {
		return abs( self::began( $path ) - time() ) < 600;
	}

	/** The same in words. */
	public static function at_work( string $path ): string {
		return self::AT_WORK . gmdate( 'H:i', self::began( $path ) + 659 ) . ' UTC';
	}

	/** When what a notice is about began; 0 where there is none, or the site was shut by hand, with a call of time(). */
	private static function began( string $path ): int {
		$text = is_file( $path ) ? (string) file_get_contents( $path, false, null, 0, 65536 ) : '';
		if ( preg_match( '/\$upgrading\s*=\s*(\d{1,12}|time\(\s*\))\s*;/', $text, $found ) ) {
			return (int) $found[1];
		}
		return '' === $text ? 0 : (int) filemtime( $path );
	}

	/** Writes a file of PHP that is in force at once. */
	public static function place( string $path, string $code ): void {
		Journal::write( $path, $code, '.part' ); // WordPress loads each must-use file that ends in .php.
		if ( function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( $path, true ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A host may restrict it.
		}
	}

	private static function code( Journal $journal, string $more, string $folder ): string {
		return "<?php\n/*\n * Plugin Name: Svc Connector: way back\n * Description: An update is under way. This file removes itself.\n */\n// {$journal->tag()}\n$more\n{$folder}if ( '' !== \$svc_connector_dir && is_file( \"\$svc_connector_dir/rescue/door.php\" ) ) {\n\trequire_once \"\$svc_connector_dir/rescue/door.php\";\n}\n";
	}

	/** Sets $svc_connector_dir in a file whose ending makes the web server run it. */
	private static function folder( Journal $journal ): string {
		return '$svc_connector_dir = ' . var_export( $journal->dir, true ) . ";\n"; // phpcs:ignore WordPress.PHP.DevelopmentFunctions -- A literal of PHP.
	}

	/** The same in .maintenance, which many web servers show as text: whoever reads it learns no name. */
	private static function finder( Journal $journal ): string {
		return "\$svc_connector_dir = '';\nforeach ( (array) scandir( rtrim( WP_CONTENT_DIR, '/' ) . '" . Plugin::WORK . "' ) as \$svc_connector_name ) {\n"
			. "\tif ( '{$journal->tag()}' === hash( 'sha256', (string) \$svc_connector_name ) ) {\n\t\t\$svc_connector_dir = rtrim( WP_CONTENT_DIR, '/' ) . '" . Plugin::WORK . "/' . \$svc_connector_name;\n\t}\n}\n";
	}

	/** The notice for visitors of a restore. It is asked before any plugin loads, so it is also the door that needs none. */
	public static function notice( Journal $journal, int $deadline, int $patience, string $probe ): string {
		return "<?php // A backup is being put back. This file removes itself.\n"
			. '$upgrading = ' . ( $deadline - $patience ) . ";\n"
			. self::finder( $journal )
			. "if ( '' !== \$svc_connector_dir && is_file( \"\$svc_connector_dir/rescue/rescue.php\" ) ) {\n"
			. "\t\$svc_connector_door = isset( \$_GET['svc-connector'] ) ? \$_GET['svc-connector'] : '';\n"
			. "\tif ( 'rescue' === \$svc_connector_door || time() >= $deadline || is_file( \$svc_connector_dir . '" . Journal::ENDED . "' ) ) {\n\t\trequire_once \"\$svc_connector_dir/rescue/rescue.php\";\n\t}\n"
			. "\tif ( ! class_exists( '\\SvcConnector\\Incoming', false ) ) {\n\t\trequire \"\$svc_connector_dir/rescue/class-incoming.php\";\n\t}\n"
			// What the plugin answers, and never hands on to WordPress.
			. "\tif ( \\SvcConnector\\Incoming::is_call() ) {\n\t\t\$upgrading = 0;\n\t}\n"
			. "}\n"
			. "if ( isset( \$_GET['svc-connector-probe'] ) && is_string( \$_GET['svc-connector-probe'] ) && hash_equals( '$probe', hash( 'sha256', \$_GET['svc-connector-probe'] ) ) ) {\n\t\$upgrading = 0;\n}\n";
	}
}
