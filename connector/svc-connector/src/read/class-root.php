<?php
// One folder tree of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Decides which paths exist for the service: inside a root, not through a link, not left out of backups. */
final class Root {

	const NEIGHBOUR = 'another WordPress';

	/** @var string Absolute, without a slash at the end. */
	public $path;

	/** @var string[]|null The names at its top that belong to it; null: all. */
	public $only;

	/** @var string The path with all links resolved. */
	private $real_path;

	/** @var array<string,string|false> The folder resolved last: below the root => absolute. */
	private $real = array();

	/** @var array<string,string> Absolute paths that are no part of a backup, and why. */
	private $left_out = array();

	/** @var array<string,int> Absolute paths where another root begins. */
	private $tops;

	/** @var string[] Absolute paths of WordPress's own folders in it, each as it is named and as it is. */
	private $own = array();

	/**
	 * Takes the id of a root.
	 *
	 * @param mixed $id As it arrived.
	 */
	public function __construct( $id ) {
		$root = is_string( $id ) ? Roots::one( $id ) : null;
		if ( null === $root ) {
			throw new Problem( 'bad_request', 'There is no such root on this site.' );
		}
		$this->path      = $root['path'];
		$this->only      = $root['only'];
		$this->real_path = $root['real'];
		$this->tops      = array_flip( $this->places( Roots::known()->tops( $id ) ) );
		foreach ( Layout::own() as $folder ) {
			foreach ( array_unique( array( Links::itself( $folder ), (string) Links::place( $folder ) ) ) as $real ) {
				$place = Roots::known()->whose( $real );
				if ( null !== $place && $id === $place[0] ) {
					$this->own[] = "$this->path/$place[1]";
				}
			}
		}
		foreach ( self::private_paths() as $path => $why ) {
			$this->left_out += array_fill_keys( $this->places( array( $path ) ), $why );
		}
		if ( 'docroot' === $id || 'abspath' === $id ) {
			$others = array_diff( Neighbours::in( $this->path, 'abspath' === $id ), array_keys( $this->tops ) );
			foreach ( $others as $folder ) {
				if ( ! Neighbours::is_around( $folder, $this->own ) ) {
					$this->left_out += array( $folder => self::NEIGHBOUR ) + array_fill_keys( array_filter( $this->places( Neighbours::led_to( $folder ) ), array( $this, 'is_free' ) ), self::NEIGHBOUR );
				}
			}
		}
	}

	/** Whether a path holds nothing of this site's own and lies in no folder of it. */
	private function is_free( string $path ): bool {
		$own = array_merge( $this->own, array_keys( $this->tops ) );
		foreach ( $own as $ours ) {
			if ( 0 === strpos( "$path/", "$ours/" ) ) {
				return false;
			}
		}
		return ! Neighbours::is_around( $path, $own );
	}

	/** Absolute paths of other installations in this root. */
	public function neighbours(): array {
		return array_keys( $this->left_out, self::NEIGHBOUR, true );
	}

	/**
	 * Where absolute paths lie in this root, as it is written; those that do not are left out.
	 *
	 * @param string[] $paths However they are written.
	 */
	public function places( array $paths ): array {
		$found = array();
		foreach ( $paths as $path ) {
			$real = Links::itself( $path );
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

	/** True where another root begins, which tells what is in it. */
	public function is_another( string $full ): bool {
		return isset( $this->tops[ $full ] );
	}

	/**
	 * True for a folder of another installation, however deep it lies; what holds another root of this site is none, and neither is a folder
	 * that WordPress itself has, or what holds one, whatever somebody unpacked there.
	 *
	 * @param string[] $names What is in it.
	 */
	public function is_neighbour( string $full, array $names ): bool {
		return Neighbours::is_one( $full, $names ) && ! Neighbours::is_around( $full, array_merge( $this->own, array_keys( $this->tops ) ) );
	}

	/** True when the root has a name at its top. */
	public function has( string $path ): bool {
		return null === $this->only || in_array( explode( '/', $path )[0], $this->only, true );
	}

	/** Absolute path of a file whose folders are real ones inside the root, no link among them; null otherwise. */
	public function contained( string $path ): ?string {
		if ( ! $this->has( $path ) ) {
			return null;
		}
		$below = dirname( '/' . $path );
		if ( ! isset( $this->real[ $below ] ) ) {
			$this->real = array( $below => '/' === $below ? $this->real_path : realpath( $this->path . $below ) );
		}
		return rtrim( $this->real_path . $below, '/' ) === $this->real[ $below ] ? $this->path . '/' . $path : null;
	}

	/** Why an absolute path, or a folder above it, is no part of a backup; null when it is one. */
	public function why_left_out( string $full ): ?string {
		if ( false !== strpos( $full, '/.svc-connector-' ) || false !== strpos( $full, '/' . Journal::MUST_USE ) ) {
			return 'connector'; // What a connector keeps beside a document root or among must-use plugins, perhaps that of another site.
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
