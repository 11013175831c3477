<?php
// Listing the files of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `files.list`. Works on a position, not on state: "what comes after this path". Links are told and never followed. */
final class Listing {

	const MAX_JSON = 6291456; // Bytes of entries in one answer, well below the cap of 8 MiB.
	const AT_ONCE  = 4096; // Names of a folder between two looks at the memory.
	const TYPES    = array( 0100000 => 'f', 0040000 => 'd', 0120000 => 'l' );

	/** @var Root What is walked. */
	private $root;

	/** @var Budget When to stop. */
	private $budget;

	/** @var int Entries that may be told. */
	private $room;

	/** @var int Bytes of JSON so far, about. */
	private $bytes = 0;

	/** @var array<string,mixed> The result so far. */
	private $result;

	/** @var array<string,string[]|null> The names in the folder that was opened last; null where it cannot be read. */
	private $opened = array();

	/** The verb `files.list`. */
	public static function after( array $params ): array {
		$listing         = new self();
		$listing->root   = new Root( $params['root'] ?? null );
		$listing->budget = Budget::of( $params );
		$listing->room   = Verbs::number( $params, 'max_items', 5000, 20000 );
		$listing->result = array( 'entries' => array(), 'excluded' => array(), 'outside' => array(), 'after' => $params['after'] ?? null );

		$after = isset( $params['after'] ) ? explode( '/', Root::from_wire( $params['after'] ) ) : array();
		return array( 'done' => $listing->walk( '', $after ) ) + $listing->result;
	}

	/**
	 * Visits what comes after a position: depth first, a folder before what is in it, siblings in byte order.
	 *
	 * @param string   $folder Path below the root, '' or ending in a slash.
	 * @param string[] $after  Rest of the position, below this folder.
	 * @return bool False when it stopped early.
	 */
	private function walk( string $folder, array $after ): bool {
		$names = $this->names( $folder );
		if ( null === $names ) {
			throw new Problem( 'failed', 'PHP cannot read ' . ( '' === $folder ? 'the folder of a root' : 'a folder that it could read before' ) . '.' ); // Taken for an empty one it would lose its files.
		}
		$first = array_shift( $after );
		foreach ( $names as $name ) {
			$order = null === $first ? 1 : strcmp( $name, $first );
			if ( $order < 0 ) {
				continue;
			}
			$is_folder = $order > 0 ? $this->visit( $folder . $name ) : $this->is_walked( $folder . $name, array() !== $after );
			if ( null === $is_folder || ( $is_folder && ! $this->walk( $folder . $name . '/', 0 === $order ? $after : array() ) ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Names in a folder, in byte order. Null where it cannot be read, or there are more of them than PHP has memory for.
	 *
	 * @param string $folder Path below the root, '' or ending in a slash.
	 */
	private function names( string $folder ): ?array {
		if ( ! array_key_exists( $folder, $this->opened ) ) {
			$this->opened = array( $folder => $this->look( $folder ) );
		}
		return $this->opened[ $folder ];
	}

	/** The same, from the disk. */
	private function look( string $folder ): ?array {
		$full = $this->root->path . '/' . $folder;
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- What cannot be read is told as such.
		if ( '' === $folder && null !== $this->root->only ) {
			$names = array();
			foreach ( $this->root->only as $name ) {
				$names = false === @lstat( $full . $name ) ? $names : array_merge( $names, array( $name ) ); // The folder itself may be hidden.
			}
		} else {
			$stream = @opendir( $full );
			if ( false === $stream ) {
				clearstatcache();
				return @is_dir( $full ) ? null : array(); // It may have gone in the meantime.
			}
			$names = array();
			for ( $n = 1; false !== ( $name = readdir( $stream ) ); $n++ ) { // phpcs:ignore -- One by one: all of them may be too many.
				if ( '.' !== $name && '..' !== $name ) {
					$names[] = $name;
				}
				if ( 0 === $n % self::AT_ONCE && $this->budget->is_crowded() ) {
					closedir( $stream );
					return null;
				}
			}
			closedir( $stream );
		}
		// phpcs:enable
		sort( $names, SORT_STRING );
		return $names;
	}

	/** True for a folder that was told and is walked; a link to one is not. One that is being walked stays one, so that it is said when it cannot be read any more. */
	private function is_walked( string $path, bool $is_begun ): bool {
		$full = $this->root->path . '/' . $path;
		if ( is_link( $full ) || ! is_dir( $full ) || $this->root->is_another( $full ) || null !== $this->root->why_left_out( $full ) ) {
			return false;
		}
		$names = $this->names( "$path/" );
		return null === $names ? $is_begun : ! $this->root->is_neighbour( $full, $names );
	}

	/** Tells one path and whether it is a folder to walk; null when there is no more room or time for it. */
	private function visit( string $path ): ?bool {
		$told = count( $this->result['entries'] ) + count( $this->result['excluded'] );
		if ( $told >= $this->room || $this->bytes > self::MAX_JSON || ( $told > 0 && $this->budget->is_spent() ) ) {
			return null;
		}
		$full = $this->root->path . '/' . $path;
		$stat = @lstat( $full ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir hides links that lead out of it.
		$type = is_array( $stat ) ? ( self::TYPES[ $stat['mode'] & 0170000 ] ?? 'special' ) : 'x';
		$why  = 'special' === $type ? $type : $this->root->why_left_out( $full );

		$is_walked = null === $why && 'd' === $type && ! $this->root->is_another( $full );
		if ( $is_walked ) {
			// Mode bits do not tell it where an access list, a policy or another machine decides.
			$names = $this->names( "$path/" );
			$type  = null === $names ? 'x' : $type;
			$why   = null !== $names && $this->root->is_neighbour( $full, $names ) ? Root::NEIGHBOUR : null;
		}
		$this->bytes          += 2 * strlen( $path ) + 150;
		$this->result['after'] = Root::to_wire( $path );
		if ( null !== $why ) {
			$this->result['excluded'][] = array( 'p' => Root::to_wire( $path ), 'why' => $why );
			return false;
		}
		$entry                     = self::entry( $full, $path, $type, $stat ? $stat : array() );
		$this->result['entries'][] = $entry;
		$outside                   = 'l' === $type ? Roots::known()->why_outside( $full ) : null;
		if ( null !== $outside ) {
			$this->result['outside'][] = array( 'p' => Root::to_wire( $path ), 'why' => $outside );
		}
		return $is_walked && 'd' === $entry['t'];
	}

	/**
	 * One entry. What everybody may read needs no further question, which a host with open_basedir answers slowly.
	 *
	 * @param array<string,int> $stat From lstat(); empty when that failed.
	 */
	private static function entry( string $full, string $path, string $type, array $stat ): array {
		$mode = ( $stat['mode'] ?? 0 ) & 07777;
		$open = 'd' === $type ? 0005 : 0004;
		if ( ( 'f' === $type || 'd' === $type ) && ( $mode & $open ) !== $open && ( ! is_readable( $full ) || ( 'd' === $type && ! is_executable( $full ) ) ) ) {
			$type = 'x';
		}
		if ( 'l' === $type && ! function_exists( 'readlink' ) ) {
			$type = 'x'; // Where the host disables it, nobody can tell where a link leads.
		}
		$entry = array(
			'p'  => Root::to_wire( $path ),
			't'  => $type,
			'm'  => $mode,
			'mt' => $stat['mtime'] ?? 0,
			'ct' => $stat['ctime'] ?? 0,
			'i'  => $stat['ino'] ?? 0,
			's'  => 'f' === $type ? $stat['size'] : 0,
		);
		if ( 'l' === $type ) {
			$entry['to'] = Root::to_wire( (string) @readlink( $full ) ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may have gone in the meantime.
		}
		if ( 'd' === $type && ! Writable::may_work_in( $full, $stat, true ) ) {
			$entry['w'] = false;
		}
		return $entry;
	}
}
