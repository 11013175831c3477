<?php
// What a restore or an update has done so far, kept in files. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * One folder for each, with a name nobody can guess and no web server is told. Its state is one small file that is replaced as a whole,
 * so a run that is killed leaves either the old state or the new one. What it holds of the site lies in another folder, `place`.
 * Phases: staging, armed, swapping, swapped, committed, rolling_back, rolled_back.
 */
final class Journal {

	const MUST_USE = '000-svc-connector-'; // Begins the names of must-use files of ours: they load first.
	const UNCACHED = '/uncached'; // The same, while a cache that outlives a request may tell what the database has no more.
	const ENDED = '/ended'; // A file beside the state, which a run that is at work would write over.
	const OUTDATED = '/page-caches'; // In the working folder: since when caches keep pages of a site that was another one.
	const SILENCE = 300;  // Seconds after its last step, or the last look of the service, in which an update may still be judged.
	const LONGEST = 1500; // Seconds after that last step, whatever looks there were.
	const OPEN  = array( 'armed', 'swapping', 'swapped', 'rolling_back' ); // The live site may be touched.

	/** @var string Absolute path of the folder, without a slash at the end. */
	public $dir;

	/** @var array<string,mixed> The state as it was read or written last. */
	private $state;

	/** @var resource|null Held while this object lives. */
	private $lock = null;

	/**
	 * Only through create(), open() and current().
	 *
	 * @param array<string,mixed> $state As stored.
	 */
	private function __construct( string $dir, array $state ) {
		$this->dir   = $dir;
		$this->state = $state;
	}

	/**
	 * A new folder below the working folder, closed to visitors.
	 *
	 * @param array<string,mixed> $state First state.
	 */
	public static function create( string $work, array $state ): self {
		$dir   = $work . '/.ht' . bin2hex( random_bytes( 16 ) );
		$place = $state['place'] ?? $dir . '/' . bin2hex( random_bytes( 16 ) );
		foreach ( array( $work, $dir, "$dir/nonces", "$dir/rescue", $place, "$place/stage", "$place/new", "$place/old", "$place/sql" ) as $folder ) {
			if ( ! is_dir( $folder ) && ! mkdir( $folder, 0700 ) && ! is_dir( $folder ) ) {
				throw new Problem( 'failed', 'A working folder cannot be made: wp-content is not writable.' );
			}
		}
		array_map( array( self::class, 'deny' ), array( $work, $dir, $place ) );
		$journal = new self( $dir, array() );
		$journal->put( array( 'dir' => $dir, 'place' => $place ) + $state );
		return $journal;
	}

	/** Closes a folder to visitors where the web server listens to that; its name nobody can guess does the rest. */
	public static function deny( string $folder ): void {
		self::write( "$folder/.htaccess", "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n" );
		self::write( "$folder/index.php", "<?php\n" );
	}

	/** The journal in a folder, or null when there is none. */
	public static function open( string $dir ): ?self {
		$state = is_file( "$dir/state.php" ) ? json_decode( (string) strstr( (string) file_get_contents( "$dir/state.php" ), "\n" ), true, 16 ) : null;
		return is_array( $state ) ? new self( $dir, $state ) : null;
	}

	/**
	 * The restore or the update of this site, if there is one; folders without a state are what a killed begin or purge left.
	 *
	 * @param string $job Who asks: an attempt at this job that was taken over is refused.
	 */
	public static function current( string $work, string $kind, string $job = '', int $fence = 0 ): ?self {
		foreach ( self::folders( $work ) as $dir ) {
			$journal = self::open( $dir );
			if ( null !== $journal && $kind === ( $journal->get( 'kind' ) ?? 'restore' ) ) {
				if ( '' !== $job && $job === $journal->get( 'job' ) ) {
					$journal->admit( $job, $fence );
				}
				return $journal;
			}
		}
		return null;
	}

	/** What caches keep of pages was made before. A request of WordPress that begins after this empties them (PageCaches). */
	public function outdate_pages(): void {
		try {
			self::write( dirname( $this->dir ) . self::OUTDATED, sprintf( '%.6F', microtime( true ) ) );
		} catch ( Problem $full ) {
			return; // No way back fails for it.
		}
	}

	/** True while the live site may be between two states. */
	public function is_open(): bool {
		return in_array( $this->phase(), self::OPEN, true );
	}

	/** True when nobody comes back for it. An update is waited with while the service looks. */
	public function is_overdue(): bool {
		$silent = time() - (int) $this->get( 'deadline' );
		if ( $silent < 0 || 'update' !== $this->get( 'kind' ) ) {
			return $silent >= 0;
		}
		$heard = max( (int) @filemtime( $this->dir . '/heard' ), (int) @filemtime( $this->dir . '/looked' ) ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- None is long ago.
		return $silent >= self::LONGEST - self::SILENCE || time() >= $heard + self::SILENCE;
	}

	/** True when the service that began it is no longer the one of this site. */
	public function has_ended(): bool {
		return is_file( $this->dir . self::ENDED );
	}

	/** True when the folder was copied here with its site: what it names lies elsewhere, and is not ours to touch. */
	public function is_copied(): bool {
		return realpath( $this->dir ) !== realpath( (string) ( $this->get( 'dir' ) ?? $this->dir ) ); // The command line may come by another link.
	}

	/** Where something of the site's own is kept: beside the document root, or in a folder whose name only the state tells. */
	public function data( string $name ): string {
		return $this->get( 'place' ) . "/$name";
	}

	/** Where the old or the new side of an operation is kept: on the disk that it is about. */
	public function side( string $side, int $n, array $op = array() ): string {
		return $this->home( $op ) . "/$side/$n";
	}

	/** The folder that has both sides of an operation: that of the innermost place around its path of which `sides` tells, a root or a folder in one. */
	public function home( array $op ): string {
		$home = (string) $this->get( 'place' );
		$long = 0;
		$path = isset( $op['r'], $op['p'] ) && is_string( $op['r'] ) ? $op['r'] . '/' . Plan::bytes( $op['p'] ) : '';
		foreach ( (array) $this->get( 'sides' ) as $around => $folder ) {
			if ( strlen( $around ) > $long && 0 === strpos( $path, "$around/" ) ) {
				$home = $folder;
				$long = strlen( $around );
			}
		}
		return $home;
	}

	/** The folders that have both sides of operations. */
	public function sides(): array {
		return array_values( array_unique( array_merge( array( (string) $this->get( 'place' ) ), array_values( (array) $this->get( 'sides' ) ) ) ) );
	}

	/** By this a file of ours is known. It may be shown to anybody: from it nobody learns the name of the folder. */
	public function tag(): string {
		return hash( 'sha256', basename( $this->dir ) );
	}

	/** Folders of restores and updates. */
	public static function folders( string $work ): array {
		$names = is_dir( $work ) ? scandir( $work ) : array();
		$found = preg_grep( '/^\.ht[0-9a-f]{32}$/D', is_array( $names ) ? $names : array() );
		return array_map(
			static function ( string $name ) use ( $work ): string {
				return "$work/$name";
			},
			array_values( is_array( $found ) ? $found : array() )
		);
	}

	/**
	 * One field of the state.
	 *
	 * @return mixed
	 */
	public function get( string $name ) {
		return $this->state[ $name ] ?? null;
	}

	/** The phase. */
	public function phase(): string {
		return (string) $this->get( 'phase' );
	}

	/**
	 * Changes fields of the state.
	 *
	 * @param array<string,mixed> $changes New values.
	 */
	public function put( array $changes ): void {
		$this->state = array_merge( $this->state, $changes );
		self::write( $this->dir . '/state.php', "<?php __halt_compiler();\n" . json_encode( $this->state, JSON_UNESCAPED_SLASHES ) );
	}

	/** One run at a time; the lock goes with the process, however that ends. The state is read again under it. */
	public function hold(): void {
		if ( null !== $this->lock ) {
			return;
		}
		$stream     = @fopen( $this->dir . '/lock', 'cb' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- The folder may be gone, which is told below.
		$this->lock = false === $stream ? null : $stream;
		for ( $try = 0; null !== $this->lock && ! flock( $this->lock, LOCK_EX | LOCK_NB ); $try++ ) {
			if ( $try > 20 ) {
				throw new Problem( 'busy', 'Another request is at work on this.' );
			}
			usleep( 100000 );
		}
		$fresh = self::open( $this->dir );
		if ( null === $fresh ) {
			throw new Problem( 'failed', 'The working folder is gone.' );
		}
		$this->state = $fresh->state;
	}

	/** Others may be at work on it, whoever still has this object. */
	public function let_go(): void {
		$this->lock = null;
	}

	/** What the service may know of it. */
	public function told(): array {
		return array(
			'phase'      => $this->phase(),
			'job'        => (string) $this->get( 'job' ),
			'id'         => (string) $this->get( 'id' ),
			'kept_until' => (int) $this->get( 'kept_until' ),
			'type'       => (string) $this->get( 'type' ),
			'file'       => (string) $this->get( 'file' ),
			'busy'       => $this->is_held(),
			'hung'       => (bool) $this->get( 'hung' ),
			'shut'       => (bool) $this->get( 'shut' ),
		);
	}

	/** The same where there may be none. */
	public static function told_of( ?self $journal ): array {
		return null === $journal ? array( 'phase' => 'none', 'job' => '', 'id' => '', 'kept_until' => 0, 'type' => '', 'file' => '', 'busy' => false, 'hung' => false, 'shut' => false ) : $journal->told();
	}

	/** True while a run holds the lock; one that was killed holds nothing. */
	public function is_held(): bool {
		$stream = fopen( $this->dir . '/lock', 'cb' );
		return false !== $stream && ! flock( $stream, LOCK_EX | LOCK_NB );
	}

	/** Whether a request is of this restore's job; an attempt that was taken over is refused. */
	public function admit( string $job, int $fence ): void {
		if ( $job !== $this->get( 'job' ) ) {
			throw new Problem( 'failed', 'Another job is open on this site.' );
		}
		if ( $fence < (int) $this->get( 'fence' ) ) {
			throw new Problem( 'fence', 'This job was taken over by another worker.' );
		}
		if ( $fence > (int) $this->get( 'fence' ) ) {
			$this->hold();
			$this->put( array( 'fence' => max( $fence, (int) $this->get( 'fence' ) ) ) );
		}
	}

	/**
	 * Replaces a file as a whole.
	 *
	 * @param string $end Of the name of what is not whole yet. It is shown to nobody by that; but where PHP files are loaded by themselves, it must be another.
	 */
	public static function write( string $path, string $bytes, string $end = '.part.php' ): void {
		$part   = $path . '.' . bin2hex( random_bytes( 16 ) ) . $end; // Its own: two may write at once. A kill leaves it there.
		$stream = fopen( $part, 'wb' );
		$done   = $stream && fwrite( $stream, $bytes ) === strlen( $bytes ) && fflush( $stream );
		if ( $stream ) {
			fclose( $stream );
		}
		if ( ! $done || ! @rename( $part, $path ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
			@unlink( $part ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may never have been there.
			throw new Problem( 'failed', 'A file cannot be written: the disk is full or wp-content is not writable.' );
		}
	}

	/** Adds a line to a file; where that cannot be, there is nobody to tell. */
	public static function append( string $path, string $line ): void {
		$stream = @fopen( $path, 'ab' ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- As above.
		if ( $stream ) {
			fwrite( $stream, "$line\n" );
			fclose( $stream );
		}
	}

	/**
	 * The operations of the plan, in order.
	 *
	 * @return \Generator<int,array<string,mixed>>
	 */
	public function plan(): \Generator {
		$stream = is_file( $this->data( 'plan' ) ) ? fopen( $this->data( 'plan' ), 'rb' ) : false;
		for ( $n = 0; $stream && is_string( $line = fgets( $stream ) ); $n++ ) { // phpcs:ignore -- Read line by line: the plan may be long.
			$op = json_decode( $line, true, 4 );
			if ( ! is_array( $op ) ) {
				throw new Problem( 'failed', 'The plan of the restore cannot be read.' );
			}
			yield $n => $op;
		}
		if ( $stream ) {
			fclose( $stream );
		}
	}
}
