<?php
// Errors that wait for the service.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A small file for each error, in a folder of a name nobody can guess: how often, since when, when last, and what. One that comes again is three
 * numbers in their place, whatever the database does meanwhile. There are only so many files; fatal errors have some for themselves.
 */
final class Kept {

	const FOLDER = '/^\.errors-[0-9a-f]{32}$/D';
	const FILE   = '/^[0-9a-f]{32}\.php$/D';
	const BEGIN  = "<?php __halt_compiler();\n"; // Who asks for it by its address gets nothing.
	const HEAD   = 33;  // Bytes of the three numbers.
	const MOST   = 150;
	const FATALS = 50;  // Files beside those, for fatal errors.

	/**
	 * Writes down what a page has met.
	 *
	 * @param array<string,array<int,array<int,array<string,mixed>>>> $met By file, line and level.
	 */
	public static function note( array $met ): void {
		$dir = self::folder();
		if ( '' === $dir ) {
			return;
		}
		foreach ( $met as $file => $lines ) {
			foreach ( $lines as $line => $levels ) {
				foreach ( $levels as $level => $one ) {
					$told = Told::of( Told::level( $level ), $one['message'], array( (string) $file, $line ), $one['frames'] );
					self::add( $dir, $told, (int) $one['count'] );
				}
			}
		}
	}

	/**
	 * What waits, with the name of each; what was counted so far goes on counting.
	 *
	 * @return array<int,array<string,mixed>>
	 */
	public static function waiting( Budget $budget ): array {
		$waiting = array();
		foreach ( self::folders() as $dir ) {
			foreach ( preg_grep( self::FILE, Leftovers::names( $dir ) ) as $name ) {
				$stream = $budget->is_spent() ? false : @fopen( "$dir/$name", 'rb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Another request may have taken it away.
				$kept   = $stream ? self::read( $stream, LOCK_SH ) : null;
				if ( null !== $kept ) {
					$waiting[] = array( 'id' => substr( $name, 0, 32 ) . '-' . $kept['id'] ) + $kept;
				}
			}
		}
		return $waiting;
	}

	/**
	 * The service has these: what was not met again since goes.
	 *
	 * @param string[] $told By id and count, with a colon between.
	 */
	public static function drop( array $told ): void {
		foreach ( self::folders() as $dir ) {
			foreach ( $told as $one ) {
				if ( ! is_string( $one ) || ! preg_match( '/^([0-9a-f]{32})-([0-9a-f]{16}):(\d{1,10})$/D', $one, $found ) ) {
					throw new Problem( 'bad_request', 'Parameter drop is malformed.' );
				}
				$path   = "$dir/$found[1].php";
				$stream = @fopen( $path, 'r+b' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may be gone already.
				$kept   = $stream ? self::read( $stream, LOCK_EX ) : null;
				if ( null !== $kept && $kept['id'] === $found[2] && $kept['count'] === (int) $found[3] ) {
					unlink( $path );
				}
			}
			if ( is_file( "$dir/full" ) ) {
				unlink( "$dir/full" );
			}
		}
	}

	/** Whether there was no room for some. */
	public static function is_full(): bool {
		foreach ( self::folders() as $dir ) {
			if ( is_file( "$dir/full" ) ) {
				return true;
			}
		}
		return false;
	}

	/** Nothing waits any more. */
	public static function forget(): void {
		array_map( array( Leftovers::class, 'discard' ), self::folders() );
	}

	/** One more of a known one, or a new one. */
	private static function add( string $dir, array $told, int $count ): void {
		$path   = $dir . '/' . Told::key( $told ) . '.php';
		$stream = is_file( $path ) ? @fopen( $path, 'r+b' ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may have been taken away just now.
		if ( ! $stream ) {
			self::make( $dir, $path, $told, $count );
			return;
		}
		$kept = self::read( $stream, LOCK_EX );
		if ( null !== $kept ) {
			fseek( $stream, strlen( self::BEGIN ) );
			fwrite( $stream, self::head( $kept['count'] + $count, $kept['first'], time() ) );
		}
		fclose( $stream );
	}

	private static function make( string $dir, string $path, array $told, int $count ): void {
		$files = count( preg_grep( self::FILE, Leftovers::names( $dir ) ) );
		if ( $files >= self::MOST + ( 'fatal' === $told['level'] ? self::FATALS : 0 ) ) {
			touch( "$dir/full" );
			return;
		}
		$told = array( 'id' => bin2hex( random_bytes( 8 ) ) ) + $told + array( 'path' => Told::page(), 'php' => PHP_VERSION );
		Journal::write( $path, self::BEGIN . self::head( $count, time(), time() ) . json_encode( $told, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE ) );
	}

	private static function head( int $count, int $first, int $last ): string {
		return sprintf( "%010d %010d %010d\n", min( 9999999999, $count ), $first, $last );
	}

	/**
	 * What an open file says; null when it is not whole. Where there are no locks, as on some network disks, a count may be lost.
	 *
	 * @param resource $stream Open.
	 */
	private static function read( $stream, int $lock ): ?array {
		flock( $stream, $lock );
		$text = (string) stream_get_contents( $stream, 65536 );
		if ( ! preg_match( '/^' . preg_quote( self::BEGIN, '/' ) . '(\d{10}) (\d{10}) (\d{10})\n/', $text, $found ) ) {
			return null;
		}
		$told = json_decode( substr( $text, strlen( self::BEGIN ) + self::HEAD ), true, 5 );
		return is_array( $told ) && isset( $told['id'] ) ? array( 'count' => (int) $found[1], 'first' => (int) $found[2], 'last' => (int) $found[3] ) + $told : null;
	}

	/** The folder to write in, made when there is none; '' where this process may not. */
	private static function folder(): string {
		$dir = self::folders()[0] ?? '';
		if ( 'cli' === PHP_SAPI ) {
			// Whoever runs WP-CLI must not make what the web server's PHP cannot change.
			return '' !== $dir && function_exists( 'posix_geteuid' ) && posix_geteuid() === fileowner( $dir ) ? $dir : '';
		}
		if ( '' !== $dir ) {
			return $dir;
		}
		if ( is_multisite() && ! is_main_site() ) {
			return ''; // Whether there is a connection the main site knows.
		}
		$dir = Root::work() . '/.errors-' . bin2hex( random_bytes( 16 ) );
		foreach ( array( Root::work(), $dir ) as $folder ) {
			if ( ! is_dir( $folder ) && ! @mkdir( $folder, 0700 ) && ! is_dir( $folder ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Two may begin at once; and the page is not to suffer.
				return '';
			}
			Journal::deny( $folder );
		}
		return $dir;
	}

	/** One, or none; two when two pages made it at once. */
	private static function folders(): array {
		$found = array();
		foreach ( preg_grep( self::FOLDER, Leftovers::names( Root::work() ) ) as $name ) {
			$found[] = Root::work() . "/$name";
		}
		return $found;
	}
}
