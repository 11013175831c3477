<?php
// The few files outside of what is updated that WordPress or the web server runs by themselves. Puts them back without WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Noted before an update, beside the copy: the rules of the web server, wp-config.php, drop-ins and must-use plugins. A way back writes those again
 * that differ, and takes away those that came. Of a folder with too many, and of a file that is large or a link, nothing is known, and it is left as
 * it is.
 */
final class Around {

	const RULES = '/^(?:\.htaccess|\.user\.ini)$/D';
	const FIRST = '/^(?:\.htaccess|\.user\.ini|wp-config\.php)$/D'; // What keeps every door shut when it is broken.
	const CODE  = '/^(?:\.htaccess|\.user\.ini|.+\.php)$/D';
	const OURS  = '/^' . Journal::MUST_USE . '(?:recovery|watch)\.php$/D';
	const TRIES = '/^tries-[0-9a-f]{32}$/D'; // In the closed folder: a request of a trial that has not put back yet what it wrote.
	const MOST  = 100;     // Files of one folder.
	const BYTES = 524288;  // Of one file.
	const ALL   = 8388608; // Bytes of all of them.
	const SHUT  = "<?php __halt_compiler();\n"; // In the closed folder too nobody is shown a password.

	/** Writes them down. */
	public static function note( Journal $journal ): void {
		$rules   = array( ABSPATH . 'wp-admin', ABSPATH . 'wp-includes', WP_PLUGIN_DIR, get_theme_root(), wp_upload_dir( null, false )['basedir'] );
		$docroot = Roots::one( 'docroot' )['path'] ?? null;
		$places  = array_merge(
			array( array( rtrim( ABSPATH, '/' ), self::FIRST ), array( rtrim( WP_CONTENT_DIR, '/' ), self::CODE ), array( rtrim( WPMU_PLUGIN_DIR, '/' ), self::CODE ) ),
			is_file( ABSPATH . 'wp-config.php' ) ? array() : array( array( dirname( ABSPATH ), '/^wp-config\.php$/D' ) ),
			null === $docroot ? array() : array( array( $docroot, self::RULES ) )
		);
		foreach ( $rules as $folder ) {
			$places[] = array( rtrim( $folder, '/' ), self::RULES );
		}
		$places = array_values( array_filter( $places, array( self::class, 'is_small' ) ) );
		$noted  = array( 'places' => $places, 'files' => array() );
		$folder = $journal->data( 'around' );
		$room   = self::ALL;
		if ( ! is_dir( $folder ) && ! mkdir( $folder, 0700 ) ) {
			throw new Problem( 'failed', 'A working folder cannot be made: wp-content is not writable.' );
		}
		foreach ( self::found( $places ) as $n => $path ) {
			$bytes = is_link( $path ) || filesize( $path ) > min( self::BYTES, $room ) ? false : @file_get_contents( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- What PHP may not read it does not write.
			$room -= strlen( (string) $bytes );
			if ( false !== $bytes ) {
				Journal::write( "$folder/$n.php", self::SHUT . $bytes );
			}
			$noted['files'][] = array( base64_encode( $path ), false === $bytes ? '' : sha1( $bytes ), (int) fileperms( $path ) & 0777, (int) filemtime( $path ), self::look( $path ) );
		}
		Journal::write( "$folder/list.php", self::SHUT . json_encode( $noted ) ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- As the state is.
	}

	/** Whether the version has been at work, so that what differs may be its doing: installed, or in a request of its trial that was ended. */
	public static function is_touched( Journal $journal ): bool {
		return null !== $journal->get( 'before' ) || self::names( (string) $journal->get( 'place' ), self::TRIES );
	}

	/**
	 * What differs from what was noted is as it was; the names of what did. Where one cannot be, the others are all the same.
	 *
	 * @param string[]|null $only Paths; null: all.
	 */
	public static function back( Journal $journal, ?array $only = null ): array {
		clearstatcache();
		$noted   = self::noted( $journal );
		$known   = array();
		$changed = array();
		$failed  = null;
		foreach ( $noted['files'] as $n => list( $path, $digest, $mode, $time ) ) {
			$path    = (string) base64_decode( $path );
			$known[] = $path;
			if ( '' === $digest || is_link( $path ) || ( null !== $only && ! in_array( $path, $only, true ) ) || ( is_file( $path ) && sha1_file( $path ) === $digest ) ) {
				continue;
			}
			try {
				$bytes = substr( (string) file_get_contents( $journal->data( "around/$n.php" ) ), strlen( self::SHUT ) );
				if ( sha1( (string) $bytes ) !== $digest ) {
					throw new Problem( 'failed', 'The copy of a file beside the item is not whole.' );
				}
				self::put( $path, $bytes, $mode );
			} catch ( Problem $problem ) {
				$failed = $problem;
				continue;
			}
			@touch( $path, $time ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Of another user.
			$changed[] = $path;
		}
		foreach ( array_diff( self::found( $noted['places'] ), $known ) as $path ) {
			if ( null !== $only && ! in_array( $path, $only, true ) ) {
				continue;
			}
			if ( ! @unlink( $path ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
				$failed = new Problem( 'failed', 'A file that came with the update cannot be taken away.' );
				continue;
			}
			self::forget( $path );
			$changed[] = $path;
		}
		if ( null !== $failed ) {
			throw $failed;
		}
		return array_map( 'basename', $changed );
	}

	/** What each is known by at this moment; false: it is not as it was noted, and that is somebody else's doing. */
	public static function seen( Journal $journal ): array {
		clearstatcache();
		$noted = self::noted( $journal );
		$seen  = array_fill_keys( self::found( $noted['places'] ), false );
		foreach ( $noted['files'] as list( $path, $digest, , , $look ) ) {
			$path          = (string) base64_decode( $path );
			$is            = is_file( $path ) && ( self::look( $path ) === $look || sha1_file( $path ) === $digest );
			$seen[ $path ] = $is ? self::look( $path ) : false;
		}
		return $seen;
	}

	/** Of these, and of those that came, what is another one now; of what was another one before nothing is told. */
	public static function changed( Journal $journal, array $seen ): array {
		clearstatcache();
		$paths = array_unique( array_merge( array_keys( $seen ), self::found( self::noted( $journal )['places'] ) ) );
		return array_values(
			array_filter(
				$paths,
				static function ( string $path ) use ( $seen ): bool {
					$was = $seen[ $path ] ?? '';
					return false !== $was && self::look( $path ) !== $was;
				}
			)
		);
	}

	/** Paths of what keeps every door shut when it is broken, whether it is there or not. */
	public static function gates(): array {
		return array( ABSPATH . '.htaccess', ABSPATH . '.user.ini', is_file( ABSPATH . 'wp-config.php' ) ? ABSPATH . 'wp-config.php' : dirname( ABSPATH ) . '/wp-config.php' );
	}

	/** By what a file is known without reading it; '' where there is none. */
	public static function look( string $path ): string {
		$is = @lstat( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That there is none is an answer.
		return $is ? "$is[ino] $is[size] $is[mtime] $is[ctime]" : '';
	}

	/** @return array{places:array<int,array>,files:array<int,array>} */
	private static function noted( Journal $journal ): array {
		$path  = $journal->data( 'around/list.php' );
		$noted = is_file( $path ) ? json_decode( substr( (string) file_get_contents( $path ), strlen( self::SHUT ) ), true, 8 ) : null;
		return is_array( $noted ) ? $noted : array( 'places' => array(), 'files' => array() );
	}

	/**
	 * Paths of those there are; what is ours is none of them.
	 *
	 * @param array<int,array{0:string,1:string}> $places Folders, and which names in them.
	 * @return string[]
	 */
	private static function found( array $places ): array {
		$found = array();
		foreach ( $places as list( $folder, $names ) ) {
			foreach ( preg_grep( self::OURS, self::names( $folder, $names ), PREG_GREP_INVERT ) as $name ) {
				$found[] = "$folder/$name";
			}
		}
		return array_values( array_filter( array_unique( $found ), 'is_file' ) );
	}

	private static function names( string $folder, string $names ): array {
		$all = is_dir( $folder ) ? @scandir( $folder ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		return array_values( (array) preg_grep( $names, is_array( $all ) ? $all : array() ) );
	}

	/** @param array{0:string,1:string} $place A folder, and which names in it. */
	private static function is_small( array $place ): bool {
		return count( self::names( $place[0], $place[1] ) ) <= self::MOST;
	}

	/** As a whole, where PHP may make files there. */
	private static function put( string $path, string $bytes, int $mode ): void {
		if ( is_writable( dirname( $path ) ) ) {
			$mask = umask( 0777 & ~$mode ); // At no moment may more people read it.
			try {
				// WordPress loads each must-use file that ends in .php; with another ending the passwords of wp-config.php could be read.
				Journal::write( $path, $bytes, 'wp-config.php' === basename( $path ) ? '.part.php' : '.part' );
			} finally {
				umask( $mask );
			}
		} else {
			$stream = @fopen( $path, 'wb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
			if ( ! $stream || fwrite( $stream, $bytes ) !== strlen( $bytes ) || ! fclose( $stream ) ) {
				throw new Problem( 'failed', 'A file beside the item cannot be written again.' );
			}
		}
		@chmod( $path, $mode ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Of another user.
		self::forget( $path );
	}

	/** PHP may hold code that is another one now. */
	private static function forget( string $path ): void {
		if ( function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( $path, true ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A host may restrict it.
		}
	}
}
