<?php
// Rules for Apache and LiteSpeed in a marked block of a .htaccess file, and a folder to try them out in.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** A block stands at the top of its file, so that taking it out again leaves every byte as it was. */
final class Blocks {

	const VERSION = 1;
	const TRIAL   = 'svc-connector-probe-'; // Folders below uploads; gone after one job, or ten minutes.

	const DENY = "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\nDeny from all\n</IfModule>\n";

	/** Whether a tweak works through a block. */
	public static function know( string $id ): bool {
		return null !== self::rules( $id );
	}

	private static function rules( string $id ): ?string {
		switch ( $id ) {
			case 'directory_listing_off':
				return "Options -Indexes\n";
			case 'uploads_php_off':
				return "<FilesMatch \"\\.(?i:php[0-9]?|phtml|phar|phps|pht)(\\.|\$)\">\n" . self::DENY . "</FilesMatch>\n";
			case 'readme_blocked':
				return "<FilesMatch \"^(?i:readme|license|licence|licencia|liesmich|changelog)\\.(?i:html?|txt|md)\$\">\n" . self::DENY . "</FilesMatch>\n";
		}
		return null;
	}

	/** The file a tweak's block belongs in. */
	public static function file( string $id ): string {
		return ( 'uploads_php_off' === $id ? self::uploads() : ABSPATH ) . '.htaccess';
	}

	/** The folder of uploads, with a slash at the end. */
	public static function uploads(): string {
		$folder = wp_upload_dir( null, false );
		return trailingslashit( (string) $folder['basedir'] );
	}

	/** The address of the folder of uploads, with a slash at the end; of this host, also when pictures are shown from another. */
	public static function uploads_url(): string {
		if ( 0 === strpos( self::uploads(), ABSPATH ) ) {
			return site_url( '/' . substr( self::uploads(), strlen( ABSPATH ) ) );
		}
		$folder = wp_upload_dir( null, false );
		return trailingslashit( (string) $folder['baseurl'] );
	}

	/** apache, litespeed, nginx or other. */
	public static function server(): string {
		$name = isset( $_SERVER['SERVER_SOFTWARE'] ) ? strtolower( (string) $_SERVER['SERVER_SOFTWARE'] ) : ''; // phpcs:ignore WordPress.Security -- Compared with fixed words only.
		foreach ( array( 'litespeed', 'apache', 'nginx' ) as $known ) {
			if ( false !== strpos( $name, $known ) ) {
				return $known;
			}
		}
		return 'other';
	}

	/** Why no block can be written; empty when it can. */
	public static function obstacle( string $id ): string {
		if ( ! in_array( self::server(), array( 'apache', 'litespeed' ), true ) ) {
			return 'The web server does not read .htaccess files; its own configuration must say it.';
		}
		if ( ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			return 'Changing files is not allowed on this site (DISALLOW_FILE_MODS).';
		}
		return Replace::obstacle( self::file( $id ) );
	}

	/** Whether the block is in its file as this version writes it. */
	public static function is_there( string $id ): bool {
		$text = self::read( self::file( $id ) );
		return false !== strpos( $text, self::block( $id, false ) ) || false !== strpos( $text, self::block( $id, true ) );
	}

	/**
	 * The file with the block, and as it was: array( path, before or null, after ).
	 *
	 * @return array<int,string|null>
	 */
	public static function with( string $id ): array {
		$path   = self::file( $id );
		$before = is_file( $path ) ? self::read( $path ) : null;
		$rest   = self::cut( $id, (string) $before );
		return array( $path, $before, self::block( $id, null === $before || 0 < preg_match( self::pattern( $id, ' new' ), $before ) ) . $rest );
	}

	/** Takes the block out; a file that only the block had made goes with it. */
	public static function remove( string $id ): void {
		$path = self::file( $id );
		$text = self::read( $path );
		$rest = self::cut( $id, $text );
		if ( $rest === $text ) {
			return;
		}
		if ( '' === $rest && preg_match( self::pattern( $id, ' new' ), $text ) ) {
			unlink( $path ); // phpcs:ignore WordPress.WP.AlternativeFunctions
			return;
		}
		// The other block of a file that was new remembers that.
		Replace::file( $path, preg_match( self::pattern( $id, ' new' ), $text ) ? (string) preg_replace( '/^(# BEGIN Svc Connector \d+ \w+)$/m', '$1 new', $rest, 1 ) : $rest );
	}

	/**
	 * Two folders to be looked at from outside, `bare` and `with` the block; answers their address.
	 *
	 * @throws Problem When they cannot be made.
	 */
	public static function try_out( string $id ): string {
		self::sweep( 0 );
		$name = self::TRIAL . bin2hex( random_bytes( 16 ) );
		$root = self::uploads() . $name;
		foreach ( array( '', '/bare', '/with' ) as $folder ) {
			if ( ! wp_mkdir_p( $root . $folder ) ) {
				throw new Problem( 'failed', 'A folder to try the rules out cannot be made in uploads.' );
			}
		}
		Journal::write( "$root/with/.htaccess", (string) self::rules( $id ) );
		foreach ( array( 'bare', 'with' ) as $folder ) {
			Journal::write( "$root/$folder/plain.txt", "svc-plain\n" );
			Journal::write( "$root/$folder/readme.html", "svc-readme\n" );
			Journal::write( "$root/$folder/run.php", "<?php echo 'svc-' . 'ran';\n" );
		}
		return self::uploads_url() . $name . '/';
	}

	/** Removes trial folders that are older than so many seconds. */
	public static function sweep( int $age ): void {
		$names = scandir( rtrim( self::uploads(), '/' ) );
		foreach ( (array) preg_grep( '/^' . self::TRIAL . '[0-9a-f]{32}$/D', is_array( $names ) ? $names : array() ) as $name ) {
			$root = self::uploads() . $name;
			if ( is_link( $root ) || time() - (int) filemtime( $root ) < $age ) {
				continue;
			}
			foreach ( array( 'bare', 'with' ) as $folder ) {
				foreach ( array( '.htaccess', 'plain.txt', 'readme.html', 'run.php' ) as $file ) {
					if ( is_file( "$root/$folder/$file" ) ) {
						unlink( "$root/$folder/$file" ); // phpcs:ignore WordPress.WP.AlternativeFunctions
					}
				}
				if ( is_dir( "$root/$folder" ) ) {
					rmdir( "$root/$folder" ); // phpcs:ignore WordPress.WP.AlternativeFunctions
				}
			}
			rmdir( $root ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		}
	}

	private static function block( string $id, bool $new ): string {
		return '# BEGIN Svc Connector ' . self::VERSION . " $id" . ( $new ? ' new' : '' ) . "\n" . self::rules( $id ) . "# END Svc Connector $id\n";
	}

	private static function pattern( string $id, string $mark ): string {
		return "/^# BEGIN Svc Connector \\d+ $id$mark\\r?\\n.*?^# END Svc Connector $id(?:\\r?\\n|\\z)/ms";
	}

	private static function cut( string $id, string $text ): string {
		return (string) preg_replace( self::pattern( $id, '(?: new)?' ), '', $text );
	}

	private static function read( string $path ): string {
		return is_file( $path ) ? (string) file_get_contents( $path ) : '';
	}
}
