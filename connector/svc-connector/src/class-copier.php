<?php
// A copy of what an update replaces. Knows nothing of WordPress.
namespace Svc\Connector;

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

	/** A closed folder no visitor can reach, beside the document root and on the same disk; null when there is none. */
	public static function place( string $root ): ?string {
		$web    = isset( $_SERVER['DOCUMENT_ROOT'] ) && is_string( $_SERVER['DOCUMENT_ROOT'] ) ? realpath( $_SERVER['DOCUMENT_ROOT'] ) : false; // phpcs:ignore WordPress.Security -- A path of the server.
		$above  = dirname( false === $web || '/' === $web ? ABSPATH : $web );
		$folder = $above . '/.svc-connector-' . bin2hex( random_bytes( 16 ) );
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above.
		$same = '/' !== $above && @is_writable( $above ) && is_array( $one = @stat( $above ) ) && is_array( $other = @stat( $root ) ) && $one['dev'] === $other['dev'];
		if ( ! $same || ! @mkdir( $folder, 0700 ) || ! @mkdir( "$folder/old", 0700 ) || ! @mkdir( "$folder/new", 0700 ) ) {
			return null;
		}
		// phpcs:enable
		Journal::deny( $folder );
		return $folder;
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
		$target = readlink( $from );
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
