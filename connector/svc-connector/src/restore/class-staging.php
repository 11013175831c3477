<?php
// What a restore brings along, before anything live is touched.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verbs that fill the closed folder of a restore: pieces of files and rows, then the plan. */
final class Staging {

	/** The verb `files.digest`: SHA-256 of live files, null for what is no readable file. */
	public static function digest( array $params ): array {
		$root    = new Root( $params['root'] ?? null );
		$budget  = Budget::of( $params );
		$digests = array();
		foreach ( self::items( $params ) as $path ) {
			if ( $digests && $budget->is_spent() ) {
				break;
			}
			$full      = $root->contained( Root::from_wire( $path ) );
			$stream    = null === $full ? 'missing' : Reading::open( $root, $full );
			$digests[] = is_string( $stream ) ? null : self::sha256( $stream );
		}
		return array( 'digests' => $digests );
	}

	/**
	 * In hex, of all that is in a file; closes it.
	 *
	 * @param resource $stream At its beginning.
	 */
	private static function sha256( $stream ): string {
		$bytes = (string) stream_get_contents( $stream, 4194304 );
		if ( strlen( $bytes ) < 4194304 ) {
			$digest = bin2hex( Wire::sha256( $bytes ) );
		} else {
			$hash = hash_init( 'sha256' );
			hash_update( $hash, $bytes );
			hash_update_stream( $hash, $stream );
			$digest = hash_final( $hash );
		}
		fclose( $stream );
		return $digest;
	}

	/** The verb `restore.have`: which of these contents are staged whole. */
	public static function have( array $params ): array {
		$journal = Restore::journal( $params );
		$have    = array();
		foreach ( self::items( $params ) as $digest ) {
			$have[] = is_file( self::place( $journal, $digest ) );
		}
		return array( 'have' => $have );
	}

	/** The verb `restore.put`: pieces of contents, in order in the payload. */
	public static function put( array $params ): array {
		$journal = Restore::journal( $params, array( 'staging' ) );
		$payload = isset( $params['payload'] ) && is_string( $params['payload'] ) ? $params['payload'] : '';
		$at      = 0;
		foreach ( self::items( $params ) as $item ) {
			$offset = Verbs::number( (array) $item, 'o' );
			$length = Verbs::number( (array) $item, 'n', 0, strlen( $payload ) );
			$size   = Verbs::number( (array) $item, 's' );
			if ( $at + $length > strlen( $payload ) || $offset + $length > $size ) {
				throw new Problem( 'bad_request', 'The pieces do not fit the bytes.' );
			}
			if ( isset( $item['q'] ) ) {
				self::write( $journal->side( 'sql', Verbs::number( $item, 'q', 0, 99999 ) ), $offset, substr( $payload, $at, $length ) );
			} else {
				self::content( self::place( $journal, $item['h'] ?? null ), $offset, substr( $payload, $at, $length ), $size );
			}
			$at += $length;
		}
		if ( $at !== strlen( $payload ) ) {
			throw new Problem( 'bad_request', 'The pieces do not fit the bytes.' );
		}
		return array( 'stored' => $at );
	}

	/** The verb `restore.prepare`: checks the plan and lays every file ready under the number of its operation. */
	public static function prepare( array $params ): array {
		$journal = Restore::journal( $params, array( 'staging' ) );
		$digest  = Verbs::text( $params, 'plan', '/^[0-9a-f]{64}$/D' );
		$from    = Verbs::number( $params, 'from' );
		$budget  = Budget::of( $params );
		$journal->hold();
		if ( $digest !== $journal->get( 'plan' ) ) {
			if ( ! is_file( self::place( $journal, $digest ) ) || ! rename( self::place( $journal, $digest ), $journal->data( 'plan' ) ) ) {
				throw new Problem( 'bad_request', 'The plan is not here.' );
			}
			foreach ( $journal->sides() as $side ) {
				Leftovers::clear( "$side/new" ); // Of an earlier plan.
			}
			$journal->put(
				array(
					'plan'     => $digest,
					'roots'    => Roots::all(),
					'names'    => Roots::names(),
					'missing'  => Links::missing( Roots::all() ),
					'shut'     => array_merge( Survey::shut(), array( $journal->dir ) ),
					'checked'  => 0,
					'prepared' => '',
				)
			);
		}
		list( $needed, $links, $used, $opened ) = Plan::look_ahead( $journal );
		if ( $used && ! wp_is_file_mod_allowed( 'svc_connector' ) ) {
			throw new Problem( 'failed', 'This site cannot take a restore: ' . Survey::NO_FILES . '.' );
		}
		$laid = array();
		foreach ( $journal->sides() as $side ) {
			$laid += array_flip( array_diff( (array) scandir( "$side/new" ), array( '.', '..' ) ) );
		}
		$from = min( $from, (int) $journal->get( 'checked' ) ); // Whoever asks does not decide what need not be looked at.
		$next = 0;
		$done = true;
		$may  = new Writable( $opened, (array) $journal->get( 'roots' ) );
		foreach ( $journal->plan() as $n => $op ) {
			if ( $n > $from && $budget->is_spent() ) {
				$done = false;
				break;
			}
			if ( $n >= $from ) {
				self::lay( $journal, $n, $op, array( $needed, $links, $laid, $may ) );
			}
			$next = $n + 1;
		}
		$may->settle();
		$journal->put( array( 'checked' => max( $next, (int) $journal->get( 'checked' ) ), 'prepared' => $done ? $digest : '' ) );
		return array( 'next' => $next, 'done' => $done, 'ungrouped' => $may->ungrouped() );
	}

	/** What lies on another disk is laid ready there: it takes its place in one step. Such a disk may be mounted anywhere in a root. */
	private static function add_side( Journal $journal, array $op, string $live ): void {
		static $known = array();
		$folder = dirname( $live );
		if ( isset( $known[ $journal->dir ][ $folder ] ) ) {
			return;
		}
		$known[ $journal->dir ][ $folder ] = true;

		$root = Roots::standing( $op['r'] );
		$home = Links::standing( $folder );
		$home = strlen( $home ) < strlen( $root ) ? $root : $home;
		$top  = self::top( $home, $root );
		$side = Disk::of( $top ) === Disk::of( $journal->data( 'new' ) ) ? (string) $journal->get( 'place' ) : null;
		while ( $home !== $top && ( null !== $side || is_writable( dirname( $home ) ) ) ) {
			$home = dirname( $home ); // As far up as PHP may write.
		}
		$around = $home === $root ? $op['r'] : $op['r'] . substr( $home, strlen( Roots::all()[ $op['r'] ] ) );
		if ( isset( ( (array) $journal->get( 'sides' ) )[ $around ] ) ) {
			return;
		}
		$is_new = null === $side;
		$side   = $side ?? ( preg_match( '//u', $home ) ? Copier::closed( $home ) : null );
		if ( null === $side ) {
			throw new Problem( 'failed', "There is no room for files that come back on another disk, so nothing was touched: $home" );
		}
		$journal->put( array( 'sides' => array( $around => $side ) + (array) $journal->get( 'sides' ) ) );
		if ( $is_new ) {
			Journal::deny( $side );
			mkdir( "$side/new", 0700 );
			mkdir( "$side/old", 0700 );
		}
	}

	/** Where in its root the disk begins that a folder is on. */
	private static function top( string $folder, string $root ): string {
		static $tops = array();
		if ( ! isset( $tops[ $root ][ $folder ] ) ) {
			$tops[ $root ][ $folder ] = strlen( $folder ) <= strlen( $root ) || Disk::begins( $folder ) ? $folder : self::top( dirname( $folder ), $root );
		}
		return $tops[ $root ][ $folder ];
	}

	/**
	 * Checks one operation and lays its file ready.
	 *
	 * @param array{0:array<string,int>,1:array<string,array<string,string>>,2:array<int,int>,3:Writable} $ahead How many operations want a content; root id => path => target of links; what is laid by number; what PHP may change.
	 */
	private static function lay( Journal $journal, int $n, array $op, array $ahead ): void {
		list( $needed, $links, $laid, $may ) = $ahead;

		$roots = (array) $journal->get( 'roots' );
		$kind  = $op['k'];
		$live  = Plan::path( $op, $roots, (array) $journal->get( 'shut' ), (array) $journal->get( 'names' ) );
		self::spare( $op, $live );
		if ( 'mode' === $kind ) {
			return;
		}
		$group = $may->look( $kind, $live );
		self::add_side( $journal, $op, $live );
		$new = $journal->side( 'new', $n, $op );
		if ( isset( $laid[ $n ] ) ) {
			$may->give( $new, 'put' === $kind ? $group : null, $live );
			return;
		}
		if ( 'put' === $kind ) {
			$from = self::place( $journal, $op['h'] ?? null );
			if ( $needed[ $op['h'] ] > 1 || $journal->home( $op ) !== $journal->get( 'place' ) ? ! @copy( $from, "$new.part" ) || ! rename( "$new.part", $new ) : ! @rename( $from, $new ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words; asking first costs as much as doing it.
				throw is_file( $from ) ? new Problem( 'failed', 'A file cannot be laid ready: the disk may be full.' ) : new Problem( 'bad_request', 'A file of the plan is not here.' );
			}
			$may->give( $new, $group, $live );
			static $usual = null;
			$usual = $usual ?? fileperms( $new ) & 07777; // What PHP gives a file here; most of the plan wants no other.
			if ( ( (int) $op['m'] & 07777 ) !== $usual ) {
				chmod( $new, (int) $op['m'] & 07777 );
			}
			touch( $new, (int) $op['t'] );
		}
		if ( 'link' === $kind ) {
			$path = Root::from_wire( $op['p'] );
			// Of the top of all only what a root has there is the site's.
			$fine = ( '' !== $roots[ $op['r'] ] && Plan::stays_inside( $roots[ $op['r'] ], $path, $links[ $op['r'] ] ) ) || Roots::known()->has_target( dirname( $roots[ $op['r'] ] . "/$path" ), Plan::target( $op ) );
			if ( ! $fine || ! function_exists( 'symlink' ) ) {
				throw new Problem( 'bad_request', 'A link of the plan leads out of the site or cannot be made.' );
			}
			Journal::write( $new, Plan::target( $op ) ); // Made in its place, when its turn comes.
		}
	}

	/**
	 * Refuses a line about what another installation has, or about its folder as a whole: those that lie deep an older service does not know.
	 * What is behind a link is none: lines below it are about a folder that takes its place.
	 */
	private static function spare( array $op, string $full ): void {
		static $roots = array();
		static $known = array();
		$parts = explode( '/', Root::from_wire( $op['p'] ) );
		if ( ! in_array( $op['k'], array( 'put', 'link', 'del' ), true ) || ! is_dir( $full ) || is_link( $full ) ) {
			array_pop( $parts );
		}
		$root              = $roots[ $op['r'] ] ?? new Root( $op['r'] );
		$roots[ $op['r'] ] = $root;
		$folder            = $root->path;
		foreach ( $parts as $part ) {
			$folder .= "/$part";
			if ( ! isset( $known[ $folder ] ) ) {
				$may_be           = is_file( "$folder/wp-load.php" ) || is_file( "$folder/wp-config.php" ) || is_file( "$folder/composer.json" ) || is_dir( "$folder/releases" );
				$known[ $folder ] = is_link( $folder ) ? 'link' : ( $may_be && $root->is_neighbour( $folder, (array) scandir( $folder ) ) ? 'theirs' : '' );
			}
			if ( 'link' === $known[ $folder ] ) {
				return;
			}
			if ( 'theirs' === $known[ $folder ] ) {
				throw new Problem( 'bad_request', 'The plan touches what a restore leaves alone.' );
			}
		}
	}

	/** One piece of a content named by its digest; the last piece must make it whole. */
	private static function content( string $path, int $offset, string $bytes, int $size ): void {
		// Asking whether it is here already costs as much as writing it, unless it is large.
		if ( strlen( $bytes ) < $size && is_file( $path ) ) {
			return;
		}
		self::write( "$path.part", $offset, $bytes );
		if ( $offset + strlen( $bytes ) < $size ) {
			return;
		}
		// What came in one piece need not be read again.
		$found = 0 === $offset ? bin2hex( Wire::sha256( $bytes ) ) : (string) hash_file( 'sha256', "$path.part" );
		if ( $offset + strlen( $bytes ) > $size || ! hash_equals( basename( $path ), $found ) ) {
			unlink( "$path.part" );
			throw new Problem( 'failed', 'A file arrived damaged; it has to be sent again.' );
		}
		if ( ! rename( "$path.part", $path ) ) {
			throw new Problem( 'failed', 'A file cannot be stored.' );
		}
	}

	/** Bytes at an offset; a piece at 0 begins anew, one beyond the end is refused. */
	private static function write( string $path, int $offset, string $bytes ): void {
		$stream = fopen( $path, 0 === $offset ? 'wb' : 'cb' );
		if ( ! $stream ) {
			throw new Problem( 'failed', 'The folder of the restore cannot be written.' );
		}
		$stat = 0 === $offset ? array( 'size' => 0 ) : fstat( $stream );
		if ( ! $stat || $stat['size'] < $offset ) {
			fclose( $stream );
			throw new Problem( 'bad_request', 'An earlier piece is missing.' );
		}
		$done = ( 0 === $offset || ( ftruncate( $stream, $offset ) && 0 === fseek( $stream, $offset ) ) ) && fwrite( $stream, $bytes ) === strlen( $bytes );
		if ( ! fclose( $stream ) || ! $done ) {
			throw new Problem( 'failed', 'The disk of the site is full.' );
		}
	}

	/**
	 * Where a content lies.
	 *
	 * @param mixed $digest As it arrived.
	 */
	private static function place( Journal $journal, $digest ): string {
		if ( ! is_string( $digest ) || ! preg_match( '/^[0-9a-f]{64}$/D', $digest ) ) {
			throw new Problem( 'bad_request', 'That is not a SHA-256.' );
		}
		return $journal->data( 'stage/' . $digest );
	}

	/** The list `items`. */
	private static function items( array $params ): array {
		if ( ! isset( $params['items'] ) || ! is_array( $params['items'] ) || count( $params['items'] ) > 10000 ) {
			throw new Problem( 'bad_request', 'Parameter items must be a list.' );
		}
		return array_values( $params['items'] );
	}
}
