<?php
// One folder tree of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Decides which paths exist for the service: inside a root, not through a link, not left out of backups. */
final class Root {

	/** @var string Absolute, without a slash at the end. */
	public $path;

	/** @var bool True for the root that holds wp-config.php only. */
	public $is_config;

	/** @var string The path with all links resolved. */
	private $real_path;

	/** @var array<string,string|false> The folder resolved last: below the root => absolute. */
	private $real = array();

	/** @var array<string,string> Absolute paths that are no part of a backup, and why. */
	private $left_out = array();

	/**
	 * Takes the id of a root.
	 *
	 * @param mixed $id As it arrived.
	 */
	public function __construct( $id ) {
		$all = self::all();
		if ( ! is_string( $id ) || ! isset( $all[ $id ] ) ) {
			throw new Problem( 'bad_request', 'There is no such root on this site.' );
		}
		$this->path      = $all[ $id ];
		$this->is_config = 'config' === $id;
		$this->real_path = rtrim( (string) realpath( $this->path ), '/' );
		foreach ( self::private_paths() as $path => $why ) {
			$this->left_out += array_fill_keys( $this->places( array( $path ) ), $why );
		}
	}

	/**
	 * Where absolute paths lie in this root, as it is written; those that do not are left out.
	 *
	 * @param string[] $paths However they are written.
	 */
	public function places( array $paths ): array {
		$found = array();
		foreach ( $paths as $path ) {
			$real = realpath( dirname( $path ) ) . '/' . basename( $path );
			if ( 0 === strpos( $real, $this->real_path . '/' ) ) {
				$found[] = $this->path . substr( $real, strlen( $this->real_path ) );
			}
		}
		return $found;
	}

	/** Absolute paths that are no part of a backup. */
	public function left_out(): array {
		return array_keys( $this->left_out );
	}

	/** The connector's working folder. */
	public static function work(): string {
		return rtrim( WP_CONTENT_DIR, '/' ) . Plugin::WORK;
	}

	/** Folders whose files belong to this site, by id. */
	public static function all(): array {
		$roots   = array( 'abspath' => untrailingslashit( ABSPATH ) );
		$content = untrailingslashit( WP_CONTENT_DIR );
		$real    = realpath( $content );
		$base    = realpath( ABSPATH );
		if ( false !== $real && false !== $base && 0 !== strpos( $real . '/', untrailingslashit( $base ) . '/' ) ) {
			$roots['content'] = $content;
		}
		$parent = dirname( ABSPATH );
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above; these are the questions WordPress asks.
		if ( ! @file_exists( ABSPATH . 'wp-config.php' ) && @file_exists( $parent . '/wp-config.php' ) && ! @file_exists( $parent . '/wp-settings.php' ) ) {
			$roots['config'] = $parent;
		}
		// phpcs:enable
		return $roots;
	}

	/** Absolute path of a file whose folders are real ones inside the root, no link among them; null otherwise. */
	public function contained( string $path ): ?string {
		if ( $this->is_config && 'wp-config.php' !== $path ) {
			return null;
		}
		$below = dirname( '/' . $path );
		if ( ! isset( $this->real[ $below ] ) ) {
			$this->real = array( $below => realpath( $this->path . ( '/' === $below ? '' : $below ) ) );
		}
		return rtrim( $this->real_path . $below, '/' ) === $this->real[ $below ] ? $this->path . '/' . $path : null;
	}

	/** Why an absolute path, or a folder above it, is no part of a backup; null when it is one. */
	public function why_left_out( string $full ): ?string {
		if ( false !== strpos( $full, '/.svc-connector-' ) ) {
			return 'connector'; // What a connector keeps beside a document root, perhaps that of another site.
		}
		foreach ( $this->left_out as $path => $why ) {
			if ( 0 === strpos( $full . '/', $path . '/' ) ) {
				return $why;
			}
		}
		return null;
	}

	/**
	 * A path from the wire: relative, without `.`, `..`, empty parts or NUL.
	 *
	 * @param mixed $path Text, or array( b64 => text ).
	 */
	public static function from_wire( $path ): string {
		if ( is_array( $path ) && isset( $path['b64'] ) && is_string( $path['b64'] ) ) {
			$path = base64_decode( $path['b64'], true );
		}
		if ( ! is_string( $path ) || '' === $path || strlen( $path ) > 4096 || false !== strpos( $path, "\0" ) || ( '\\' === DIRECTORY_SEPARATOR && strpbrk( $path, '\\:' ) ) ) {
			throw new Problem( 'bad_request', 'That is not a path.' );
		}
		if ( array_intersect( explode( '/', $path ), array( '', '.', '..' ) ) ) {
			throw new Problem( 'bad_request', 'That is not a path inside the root.' );
		}
		return $path;
	}

	/**
	 * A path for the wire: text, or base64 where its bytes are not UTF-8.
	 *
	 * @return string|array<string,string>
	 */
	public static function to_wire( string $path ) {
		return preg_match( '//u', $path ) ? $path : array( 'b64' => base64_encode( $path ) );
	}

	/** What no backup of files holds: the own working folder, and a SQLite database, whose rows travel as rows. */
	private static function private_paths(): array {
		$paths = array( self::work() => 'connector' );
		if ( 'sqlite' === Tables::engine() && defined( 'FQDB' ) ) {
			foreach ( array( '', '-wal', '-shm', '-journal' ) as $suffix ) {
				$paths[ FQDB . $suffix ] = 'sqlite database';
			}
		}
		return $paths;
	}
}
