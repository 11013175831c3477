<?php
// Which folders of this machine are this site's.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * WordPress's own folders, and what settings and links lead to outside of them. Each file lies in one root: a root is told where another
 * begins and is not walked there. What lies outside is taken by its name from the folder around it, so that it can come back when it is gone.
 */
final class Roots {

	const MOST   = 20;
	const TOLD   = 40; // Places that are no root.
	const LOADED = 10; // Files from outside. With the others no more than the service takes.

	// What belongs to the system, or to more than one site. Another folder at the top is one that somebody mounted there.
	const SYSTEM = '~^/(?:(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr(?!/(?:local|home)/[^/]))(?:/.*)?|(?:home|Users|var|usr/home)(?:/[^/]+)?|Applications|Library|mnt|nix|opt|private|root|snap|srv|System|tmp|Volumes|www)?$~sD';

	const OF_SYSTEM = 'it is a folder of the system';

	/** @var array<string,array{path:string,real:string,only:string[]|null,at:string}> By id: the folder, the names in it that count, and where the first of these stands for WordPress. */
	private $roots = array();

	/** @var array<string,string> Real place => why it is no root. */
	private $refused = array();

	/** @var array<int,array{p:string,at:string,why:string}> Places that settings name and no backup has. */
	private $outside = array();

	/** @var self|null As they are in this request. */
	private static $known = null;

	/** As they are in this request, as far as that is to be had without asking each site of a network: of their settings what was remembered is taken. */
	public static function known(): self {
		self::$known = self::$known ?? new self( false );
		return self::$known;
	}

	/** Finds them anew, each site of a network asked. A thousand tables are opened in some tenths of a second: this is for `hello`, with which each piece of work begins. */
	public static function find(): void {
		self::$known = new self( true );
	}

	/** They may be others now. */
	public static function forget(): void {
		self::$known = null;
	}

	/** Says that a place which a setting names is in no backup. */
	public function say( string $path, string $at, string $why ): void {
		$this->outside[] = array( 'p' => Root::to_wire( $path ), 'at' => $at, 'why' => $why );
	}

	/** Id => absolute path. */
	public static function all(): array {
		return array_combine( array_keys( self::known()->roots ), array_column( self::known()->roots, 'path' ) );
	}

	/**
	 * One of them, or null.
	 *
	 * @return array{path:string,real:string,only:string[]|null,at:string}|null
	 */
	public static function one( string $id ): ?array {
		return self::known()->get( $id );
	}

	/**
	 * The same while they are being found.
	 *
	 * @return array{path:string,real:string,only:string[]|null,at:string}|null
	 */
	public function get( string $id ): ?array {
		return $this->roots[ $id ] ?? null;
	}

	/** Id => those names, of the roots that have not all. */
	public static function names(): array {
		return array_filter( array_combine( array_keys( self::known()->roots ), array_column( self::known()->roots, 'only' ) ) );
	}

	/** The verb `hello` tells them so. */
	public static function told(): array {
		$told = array();
		foreach ( self::known()->roots as $id => $root ) {
			$add    = null === $root['only'] ? array() : array( 'only' => array_map( array( Root::class, 'to_wire' ), $root['only'] ) );
			$was    = isset( $root['was'] ) ? array( 'was' => true ) : array();
			$told[] = array( 'id' => $id, 'path' => Root::to_wire( $root['real'] ), 'at' => Root::to_wire( $root['at'] ), 'writable' => wp_is_writable( self::standing( $id ) ) ) + $add + $was;
		}
		return $told;
	}

	/** Files beside wp-config.php that hold what belongs into it: keys, on which the connection hangs, and the way to the database. */
	public static function secrets(): array {
		$project = self::one( 'project' );
		$found   = array();
		foreach ( null === $project ? array() : preg_grep( '/^\.env/', $project['only'] ) as $name ) {
			$path  = "{$project['path']}/$name";
			$found = '.env' === $name || false !== @lstat( $path ) ? array_merge( $found, array( $path ) ) : $found; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That is the question.
		}
		return $found;
	}

	/** Places that settings name and no backup has, for `hello`. */
	public static function outside(): array {
		$loaded = array();
		foreach ( Layout::loaded( self::known() ) as $file ) {
			$loaded[] = array( 'p' => Root::to_wire( $file ), 'at' => 'wp-config.php', 'why' => 'it is loaded from outside of the site' );
		}
		return array_merge( self::first( self::known()->outside, self::TOLD ), self::first( $loaded, self::LOADED ) );
	}

	/** So many of them; the last says how many more there are. */
	private static function first( array $places, int $most ): array {
		$more = count( $places ) - $most;
		if ( $more > 0 ) {
			$places[ $most - 1 ]['why'] .= "; $more more like it are not named";
		}
		return array_slice( $places, 0, $most );
	}

	private function __construct( bool $asks_sites ) {
		$layout = new Layout( $this );
		$layout->take_all( $asks_sites );
		$this->recall( $asks_sites );
	}

	/** Takes a folder that is WordPress's own. */
	public function take( string $id, string $path, ?array $only, string $at ): void {
		$this->roots[ $id ] = array( 'path' => $path, 'real' => rtrim( (string) realpath( $path ), '/' ), 'only' => $only, 'at' => $at );
	}

	/** Says of a root that only what was remembered tells of it: a backup may bring back what showed it. It is read for no backup. */
	public function mark_as_before( string $id ): void {
		$this->roots[ $id ]['was'] = true;
	}

	/** What links and settings led to before, and do not now, or were not asked. */
	private function recall( bool $asks_sites ): void {
		foreach ( Remembered::places() as $id => $was ) {
			$real   = Links::place( $was['path'] );
			$stands = ! $asks_sites && ! $was['was'] && preg_match( Layout::OF_A_SITE, $id );
			if ( ! isset( $this->roots[ $id ] ) && null !== $real && null === $this->whose( $real ) && '' === $this->offer( $id, $real, $was['at'] ) && ! $stands ) {
				$this->mark_as_before( $id );
			}
		}
	}

	/** Remembers what links and settings lead to. */
	public static function remember(): void {
		Remembered::keep( self::known()->roots );
	}

	/** A folder of a root that is there. */
	public static function standing( string $id ): string {
		$root = self::one( $id );
		return Links::standing( 1 === count( (array) $root['only'] ) ? "{$root['path']}/{$root['only'][0]}" : $root['path'] );
	}

	/** Takes a place that lies in no root, or says why not. */
	public function offer( string $id, ?string $real, string $at ): string {
		$why = null === $real ? 'it leads to nothing, or to what PHP may not see' : $this->objection( $real, false );
		$why = '' === $why && '/' === dirname( $real ) && 0 === strpos( $id, 'link-' ) ? self::OF_SYSTEM : $why; // Only what WordPress itself is told to use.
		if ( '' === $why && count( $this->roots ) >= self::MOST ) {
			$why = 'there are too many places like it';
		}
		if ( '' === $why ) {
			$folder             = rtrim( dirname( $real ), '/' ); // '' is the top of all.
			$this->roots[ $id ] = array( 'path' => $folder, 'real' => $folder, 'only' => array( basename( $real ) ), 'at' => $at );
		} elseif ( null !== $real ) {
			$this->refused[ $real ] = $why;
		}
		return $why;
	}

	/** Why a place can be no root of this site, or ''. */
	public function objection( string $real, bool $is_docroot ): string {
		if ( '' === $real || preg_match( self::SYSTEM, $real ) || ( $is_docroot && '/' === dirname( $real ) ) ) {
			return self::OF_SYSTEM;
		}
		foreach ( $is_docroot ? array() : $this->roots as $root ) {
			if ( 0 === strpos( $root['real'] . '/', "$real/" ) ) {
				return 'it holds other folders of the site';
			}
			foreach ( (array) $root['only'] as $name ) {
				if ( 0 === strpos( "{$root['real']}/$name/", "$real/" ) ) {
					return 'it holds other folders of the site';
				}
			}
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		if ( ! $is_docroot && ( @file_exists( "$real/wp-load.php" ) || @file_exists( "$real/wp-includes" ) ) ) {
			return 'it holds another WordPress';
		}
		if ( ! $is_docroot && Neighbours::hold( $real, $this->tops( '' ) ) ) {
			return 'it lies in another WordPress';
		}
		if ( @file_exists( $real ) && ( ! @is_readable( $real ) || ( @is_dir( $real ) ? ! @is_executable( $real ) : ! @is_file( $real ) ) ) ) {
			return 'it cannot be read';
		}
		// phpcs:enable
		return '';
	}

	/**
	 * The root a real path lies in, the innermost, and where in it; null when in none.
	 *
	 * @return array{0:string,1:string}|null
	 */
	public function whose( string $real ): ?array {
		$found = null;
		$depth = -1;
		foreach ( $this->roots as $id => $root ) {
			$below = 0 === strpos( "$real/", $root['real'] . '/' ) ? (string) substr( $real, strlen( $root['real'] ) + 1 ) : null;
			if ( null !== $below && strlen( $root['real'] ) > $depth && ( null === $root['only'] || in_array( explode( '/', $below )[0], $root['only'], true ) ) ) {
				$found = array( $id, $below );
				$depth = strlen( $root['real'] );
			}
		}
		return $found;
	}

	/** Whether a link of a plan leads into a root. Only where its text leads there by itself: what other links make of it nobody knows yet. */
	public function has_target( string $folder, string $target ): bool {
		$up = preg_match( '~^(?:\.\./)+~', $target, $found ) ? substr_count( $found[0], '/' ) : 0;
		if ( '' === $target || preg_match( '~\0|(?:^|/)\.{1,2}(?:/|$)~', substr( $target, 3 * $up ) ) ) {
			return false;
		}
		// The folders of a plan are no links, so a name is taken away for each step up.
		$place = Links::place( '/' === $target[0] ? $target : rtrim( $up > 0 ? dirname( $folder, $up ) : $folder, '/' ) . '/' . substr( $target, 3 * $up ) );
		return null !== $place && null !== $this->whose( $place );
	}

	/** Where WordPress would look for something in a root, in the usual layout. */
	public function at( array $place ): string {
		list( $id, $path ) = $place;
		$root = $this->roots[ $id ];
		if ( in_array( $id, array( 'config', 'project' ), true ) || null === $root['only'] ) {
			return ltrim( $root['at'] . '/' . $path, '/' );
		}
		return $root['at'] . substr( $path, strlen( $root['only'][0] ) );
	}

	/** Real places where the other roots begin. */
	public function tops( string $id ): array {
		$tops = array();
		foreach ( array_diff_key( $this->roots, array( $id => 0 ) ) as $root ) {
			foreach ( $root['only'] ?? array( null ) as $name ) {
				$tops[] = $root['real'] . ( null === $name ? '' : "/$name" );
			}
		}
		return $tops;
	}

	/** Why what a link leads to is in no backup; null where it is in one. */
	public function why_outside( string $link ): ?string {
		$to = Links::place( $link );
		if ( null === $to ) {
			return 'it leads to nothing, or to what PHP may not see';
		}
		$place = $this->whose( $to );
		if ( null === $place || isset( $this->roots[ $place[0] ]['was'] ) ) {
			return $this->refused[ $to ] ?? 'it leads out of the site';
		}
		// A link to nothing within WordPress's folders hides nothing.
		return null !== $this->roots[ $place[0] ]['only'] && false === @lstat( $to ) ? 'it leads to nothing' : null; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That is the question.
	}
}
