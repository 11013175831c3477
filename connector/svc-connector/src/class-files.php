<?php
/**
 * Listing and reading the files of this site.
 *
 * @package Svc\Connector
 */

namespace Svc\Connector;

/** Works on positions, not on state: "what comes after this path". Links are told and never followed. */
final class Files {

	const MAX_JSON = 6291456; // Bytes of entries in one answer, well below the cap of 8 MiB.

	/**
	 * Folder that is walked, without a slash at the end.
	 *
	 * @var string
	 */
	private $root;

	/**
	 * Absolute paths that are no part of a backup, and why.
	 *
	 * @var array<string,string>
	 */
	private $left_out;

	/**
	 * When to stop.
	 *
	 * @var Budget
	 */
	private $budget;

	/**
	 * Entries that may still be told.
	 *
	 * @var int
	 */
	private $room;

	/**
	 * Result of a listing so far.
	 *
	 * @var array<string,mixed>
	 */
	private $result = array(
		'entries'  => array(),
		'excluded' => array(),
		'after'    => null,
		'done'     => false,
	);

	/**
	 * Bytes of JSON so far, about.
	 *
	 * @var int
	 */
	private $bytes = 0;

	/**
	 * Takes the id of a root and the parameters of a slice.
	 *
	 * @param array<string,mixed> $params As they arrived.
	 */
	private function __construct( array $params ) {
		$roots = Site::roots();
		$root  = $params['root'] ?? null;
		if ( ! is_string( $root ) || ! isset( $roots[ $root ] ) ) {
			throw new Problem( 'bad_request', 'There is no such root on this site.' );
		}
		$this->root     = $roots[ $root ];
		$this->left_out = self::left_out( $this->root );
		$this->budget   = Budget::of( $params );
		$this->room     = Verbs::number( $params, 'max_items', 5000, 1, 20000 );
	}

	/**
	 * The verb `files.list`.
	 *
	 * @param array<string,mixed> $params Root, after, max_items, budget_ms.
	 * @return array<string,mixed>
	 */
	public static function listing( array $params ): array {
		$files = new self( $params );
		$after = isset( $params['after'] ) ? explode( '/', self::path( $params['after'] ) ) : array();

		$files->result['after'] = $params['after'] ?? null;
		$files->result['done']  = 'config' === $params['root'] ? $files->visit( 'wp-config.php' ) : $files->walk( '', $after );
		return $files->result;
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
		$first = array_shift( $after );
		foreach ( $names as $name ) {
			$order = null === $first ? 1 : strcmp( $name, $first );
			if ( $order < 0 ) {
				continue;
			}
			if ( $order > 0 && ! $this->visit( $folder . $name ) ) {
				return false;
			}
			if ( $this->is_folder( $folder . $name ) && ! $this->walk( $folder . $name . '/', 0 === $order ? $after : array() ) ) {
				return false;
			}
		}
		return true;
	}

	/** True for a folder that is walked; a link to one is not. */
	private function is_folder( string $path ): bool {
		$full = $this->root . '/' . $path;
		return ! is_link( $full ) && is_dir( $full ) && ! isset( $this->left_out[ $full ] );
	}

	/**
	 * Names in a folder, in byte order; scandir's own order depends on the locale.
	 *
	 * @return string[]
	 */
	private function names( string $folder ): array {
		$names = @scandir( $this->root . '/' . $folder, SCANDIR_SORT_NONE ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable folder was told as such.
		$names = is_array( $names ) ? array_diff( $names, array( '.', '..' ) ) : array();
		sort( $names, SORT_STRING );
		return $names;
	}

	/** Tells one path; false when there is no more room or time for it. */
	private function visit( string $path ): bool {
		$told = count( $this->result['entries'] ) + count( $this->result['excluded'] );
		if ( $told >= $this->room || $this->bytes > self::MAX_JSON || ( $told > 0 && $this->budget->is_spent() ) ) {
			return false;
		}
		$full = $this->root . '/' . $path;
		$stat = @lstat( $full ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may have gone in the meantime.
		$kind = is_array( $stat ) ? $stat['mode'] & 0170000 : 0;
		$why  = $this->left_out[ $full ] ?? ( is_array( $stat ) && ! in_array( $kind, array( 0100000, 0040000, 0120000 ), true ) ? 'special' : null );

		$this->bytes          += 2 * strlen( $path ) + 150;
		$this->result['after'] = self::wire_path( $path );
		if ( null !== $why ) {
			$this->result['excluded'][] = array(
				'p'   => self::wire_path( $path ),
				'why' => $why,
			);
		} elseif ( is_array( $stat ) ) {
			$this->result['entries'][] = self::entry( $full, $path, $kind, $stat );
		}
		return true;
	}

	/**
	 * One entry of a listing.
	 *
	 * @param array<string,int> $stat From lstat().
	 * @return array<string,mixed>
	 */
	private static function entry( string $full, string $path, int $kind, array $stat ): array {
		$types = array(
			0100000 => 'f',
			0040000 => 'd',
			0120000 => 'l',
		);
		$type  = $types[ $kind ];
		if ( 'l' !== $type && ( ! is_readable( $full ) || ( 'd' === $type && ! is_executable( $full ) ) ) ) {
			$type = 'x';
		}
		$entry = array(
			'p'  => self::wire_path( $path ),
			't'  => $type,
			'm'  => $stat['mode'] & 07777,
			'mt' => $stat['mtime'],
			'ct' => $stat['ctime'],
			'i'  => $stat['ino'],
			's'  => 'f' === $type ? $stat['size'] : 0,
		);
		if ( 'l' === $type ) {
			$entry['to'] = self::wire_path( (string) @readlink( $full ) ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- It may have gone in the meantime.
		}
		return $entry;
	}

	/**
	 * The verb `files.read`.
	 *
	 * @param array<string,mixed> $params Root, items, max_bytes, budget_ms.
	 */
	public static function read( array $params ): string {
		$files = new self( $params );
		$items = $params['items'] ?? null;
		if ( ! is_array( $items ) || count( $items ) > 10000 ) {
			throw new Problem( 'bad_request', 'Parameter items must be a list.' );
		}
		$room    = $files->budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 1, 33554432 ) );
		$meta    = array();
		$payload = '';
		foreach ( array_values( $items ) as $number => $item ) {
			if ( ! is_array( $item ) ) {
				throw new Problem( 'bad_request', 'An item must name a path.' );
			}
			$offset = Verbs::number( $item, 'o', 0, 0, PHP_INT_MAX );
			$length = Verbs::number( $item, 'n', $room, 0, PHP_INT_MAX );
			if ( $number > 0 && $files->budget->is_spent() ) {
				break;
			}
			$piece = $files->piece( self::path( $item['p'] ?? null ), $offset, $length, $room - strlen( $payload ), 0 === $number );
			if ( null === $piece ) {
				break;
			}
			$payload .= $piece['bytes'];
			unset( $piece['bytes'] );
			$meta[] = $piece;
		}
		$json = wp_json_encode(
			array(
				'items' => $meta,
				'done'  => count( $meta ) === count( $items ),
			)
		);
		return pack( 'N', strlen( (string) $json ) ) . $json . $payload;
	}

	/**
	 * One piece of one file; null when it does not fit and need not be cut because others came before it.
	 *
	 * @return array<string,mixed>|null
	 */
	private function piece( string $path, int $offset, int $length, int $room, bool $is_first ): ?array {
		$full = $this->contained( $path );
		$stat = null === $full ? false : @lstat( $full ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A missing file is an answer.
		if ( false === $stat ) {
			return self::no_piece( 'missing' );
		}
		$stream = 0100000 === ( $stat['mode'] & 0170000 ) && ! isset( $this->left_out[ $full ] ) ? @fopen( $full, 'rb' ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable file is an answer.
		$stat   = $stream ? fstat( $stream ) : false;
		if ( ! $stream || ! $stat ) {
			return self::no_piece( 'unreadable' );
		}
		$wanted = max( 0, min( $length, $stat['size'] - $offset ) );
		if ( $wanted > $room && ! $is_first ) {
			fclose( $stream );
			return null;
		}
		$wanted = min( $wanted, $room );
		$bytes  = $wanted > 0 && 0 === fseek( $stream, $offset ) ? (string) stream_get_contents( $stream, $wanted ) : '';
		fclose( $stream );
		$wire = self::shrink( $bytes );
		return array(
			'status'   => 'ok',
			'n'        => strlen( $bytes ),
			's'        => $stat['size'],
			'mt'       => $stat['mtime'],
			'ct'       => $stat['ctime'],
			'i'        => $stat['ino'],
			'encoding' => $wire === $bytes ? 'identity' : 'gzip',
			'wire'     => strlen( $wire ),
			'bytes'    => $wire,
		);
	}

	/**
	 * A file that cannot be read.
	 *
	 * @return array<string,mixed>
	 */
	private static function no_piece( string $status ): array {
		return array(
			'status'   => $status,
			'n'        => 0,
			's'        => 0,
			'mt'       => 0,
			'ct'       => 0,
			'i'        => 0,
			'encoding' => 'identity',
			'wire'     => 0,
			'bytes'    => '',
		);
	}

	/** Absolute path of a file whose folders are real ones inside the root, no link among them; null otherwise. */
	private function contained( string $path ): ?string {
		if ( $this->root === ( Site::roots()['config'] ?? null ) && 'wp-config.php' !== $path ) {
			return null;
		}
		$root   = realpath( $this->root );
		$folder = realpath( dirname( $this->root . '/' . $path ) );
		$below  = dirname( '/' . $path );
		if ( false === $root || false === $folder || rtrim( $root, '/' ) . ( '/' === $below ? '' : $below ) !== rtrim( $folder, '/' ) ) {
			return null;
		}
		return $this->root . '/' . $path;
	}

	/** gzip where a first taste of it shows that it gains something; the bytes themselves otherwise. */
	public static function shrink( string $bytes ): string {
		if ( strlen( $bytes ) < 1024 || ! function_exists( 'gzencode' ) ) {
			return $bytes;
		}
		$taste = substr( $bytes, 0, 4096 );
		if ( strlen( (string) gzencode( $taste, 1 ) ) > 0.85 * strlen( $taste ) ) {
			return $bytes;
		}
		$small = gzencode( $bytes, 1 );
		return false !== $small && strlen( $small ) < strlen( $bytes ) ? $small : $bytes;
	}

	/**
	 * A path from the wire: relative, without `.`, `..`, empty parts or NUL.
	 *
	 * @param mixed $path Text, or array( b64 => text ).
	 */
	private static function path( $path ): string {
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
	private static function wire_path( string $path ) {
		return preg_match( '//u', $path ) ? $path : array( 'b64' => base64_encode( $path ) );
	}

	/**
	 * What no backup of files holds: the own working folder, and a SQLite database, whose rows travel as rows.
	 *
	 * @return array<string,string>
	 */
	private static function left_out( string $root ): array {
		$paths = array( untrailingslashit( WP_CONTENT_DIR ) . '/svc-connector-work' => 'connector' );
		if ( 'sqlite' === Tables::engine() && defined( 'FQDB' ) ) {
			foreach ( array( '', '-wal', '-shm', '-journal' ) as $suffix ) {
				$paths[ FQDB . $suffix ] = 'sqlite database';
			}
		}
		$real_root = (string) realpath( $root );
		$left_out  = array();
		foreach ( $paths as $path => $why ) {
			$real = realpath( dirname( $path ) ) . '/' . basename( $path );
			if ( '' !== $real_root && 0 === strpos( $real, $real_root . '/' ) ) {
				$left_out[ $root . substr( $real, strlen( $real_root ) ) ] = $why;
			}
		}
		return $left_out;
	}
}
