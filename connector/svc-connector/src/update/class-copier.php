<?php
// A copy of what an update replaces. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Copies folders in slices; what is there whole is passed over, so a killed run is simply begun again. */
final class Copier {

	/** @var float Unix time at which to stop. */
	private $until;

	/** @var bool Was anything copied; a slice that only passes over what is done must not end, or it would never get further. */
	private $moved = false;

	/** Copies for so many seconds. */
	public function __construct( float $seconds ) {
		$this->until = microtime( true ) + $seconds;
	}

	/** A closed folder on the disk of `root`, from where everything goes back in one step: beside the document root, or null for the working folder, or else in `root` itself. */
	public static function place( string $root, string $work ): ?string {
		$place = self::beside( $root );
		if ( null !== $place || Disk::of( dirname( $work ) ) === Disk::of( $root ) ) {
			return $place;
		}
		$place = self::closed( $root );
		if ( null === $place ) {
			throw new Problem( 'failed', 'There is no room for a copy on the disk of the ' . basename( $root ) . ', so nothing was touched.' );
		}
		return $place;
	}

	/** A closed folder beside the document root, on the disk of another; null where none can be made there. */
	public static function beside( string $other ): ?string {
		$web   = isset( $_SERVER['DOCUMENT_ROOT'] ) && is_string( $_SERVER['DOCUMENT_ROOT'] ) ? realpath( $_SERVER['DOCUMENT_ROOT'] ) : false; // phpcs:ignore WordPress.Security -- A path of the server.
		$above = dirname( false === $web || '/' === $web ? ABSPATH : $web );
		return '/' !== $above && Disk::of( $above ) === Disk::of( $other ) ? self::closed( $above ) : null;
	}

	/** A new folder that no visitor can reach, or null. */
	public static function closed( string $parent ): ?string {
		$folder = $parent . '/.svc-connector-' . bin2hex( random_bytes( 16 ) );
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above.
		return @is_writable( $parent ) && @mkdir( $folder, 0700 ) ? $folder : null;
		// phpcs:enable
	}

	/** Copies a file, link or folder; false when there is more to do. */
	public function copy( string $from, string $to ): bool {
		if ( is_link( $from ) ) {
			return self::pointer( $from, $to );
		}
		if ( ! is_dir( $from ) ) {
			return $this->file( $from, $to );
		}
		if ( ! is_dir( $to ) && ! mkdir( $to, 0700 ) ) {
			throw new Problem( 'failed', 'A folder of the copy cannot be made: the disk may be full.' );
		}
		$names = scandir( $from );
		if ( false === $names ) {
			throw new Problem( 'failed', 'A folder cannot be read: ' . basename( $from ) );
		}
		foreach ( array_diff( $names, array( '.', '..' ) ) as $name ) {
			if ( ! $this->copy( "$from/$name", "$to/$name" ) || ( $this->moved && microtime( true ) > $this->until ) ) {
				return false;
			}
		}
		self::finish( $from, $to );
		return true;
	}

	private function file( string $from, string $to ): bool {
		if ( is_file( $to ) && filesize( $to ) === filesize( $from ) && filemtime( $to ) === filemtime( $from ) ) {
			return true;
		}
		if ( ! @copy( $from, $to ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
			throw new Problem( 'failed', 'A file cannot be copied, so nothing was touched: the disk may be full, or ' . basename( $from ) . ' cannot be read.' );
		}
		self::finish( $from, $to );
		$this->moved = true;
		return true;
	}

	private static function pointer( string $from, string $to ): bool {
		$target = function_exists( 'readlink' ) ? readlink( $from ) : false;
		if ( ! is_link( $to ) && ( false === $target || ! function_exists( 'symlink' ) || ! symlink( $target, $to ) ) ) {
			throw new Problem( 'failed', 'A link cannot be copied: ' . basename( $from ) );
		}
		return true;
	}

	/** Rights, and last the time, by which a whole copy is known. */
	private static function finish( string $from, string $to ): void {
		chmod( $to, fileperms( $from ) & 07777 );
		touch( $to, (int) filemtime( $from ) );
		clearstatcache( true, $to );
	}
}
