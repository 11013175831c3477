<?php
// Reading the files of this site.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The verb `files.read`: pieces of files, as many of those asked for as fit. */
final class Reading {

	/** The verb `files.read`. */
	public static function pieces( array $params ): string {
		$root   = new Root( $params['root'] ?? null );
		$budget = Budget::of( $params );
		$items  = $params['items'] ?? null;
		if ( ! is_array( $items ) || count( $items ) > 10000 ) {
			throw new Problem( 'bad_request', 'Parameter items must be a list.' );
		}
		$how     = array( 'plain' => ! empty( $params['plain'] ) );
		$room    = $budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 33554432 ) );
		$meta    = array();
		$pieces  = array();
		$sent    = 0;
		foreach ( array_values( $items ) as $number => $item ) {
			if ( ! is_array( $item ) ) {
				throw new Problem( 'bad_request', 'An item must name a path.' );
			}
			$piece = $number > 0 && $budget->is_spent() ? null : self::piece( $root, $item + $how, $room, 0 === $sent );
			if ( null === $piece ) {
				break;
			}
			$pieces[] = $piece['bytes'];
			$sent    += $piece['wire'];
			$room    -= $piece['wire'];
			unset( $piece['bytes'] );
			$meta[] = $piece;
		}
		return self::slice( array( 'items' => $meta, 'done' => count( $meta ) === count( $items ) ), ...$pieces );
	}

	/**
	 * The bytes of a slice: length of the meta, meta, payload. Millions of bytes are put together once.
	 *
	 * @param array<string,mixed> $meta       What the payload is.
	 * @param string              ...$payload Its parts.
	 */
	public static function slice( array $meta, string ...$payload ): string {
		$json = (string) wp_json_encode( $meta );
		return implode( '', array( pack( 'N', strlen( $json ) ), $json, ...$payload ) );
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
	 * One piece of one file; null when it does not fit and need not be cut because others came before it.
	 *
	 * @param array<string,mixed> $item Path, offset, length, inode, plain.
	 * @param int                 $room Bytes that are left.
	 */
	private static function piece( Root $root, array $item, int $room, bool $is_first ): ?array {
		$full   = $root->contained( Root::from_wire( $item['p'] ?? null ) );
		$offset = Verbs::number( $item, 'o' );
		$length = isset( $item['n'] ) ? Verbs::number( $item, 'n' ) : PHP_INT_MAX;
		$stream = null === $full ? 'missing' : self::open( $root, $full, Verbs::number( $item, 'i' ) );
		if ( is_string( $stream ) ) {
			return self::told( $stream, array() );
		}
		$stat   = fstat( $stream );
		$wanted = max( 0, min( $length, $stat['size'] - $offset ) );
		$bytes  = null;
		if ( $wanted <= $room || $is_first ) {
			$wanted = min( $wanted, $room );
			stream_set_read_buffer( $stream, 0 ); // In one go, not 8 KiB at a time.
			$bytes  = $wanted > 0 && 0 === fseek( $stream, $offset ) ? (string) stream_get_contents( $stream, $wanted ) : '';
		}
		fclose( $stream );
		return null === $bytes ? null : self::told( 'ok', $stat, $bytes, ! empty( $item['plain'] ) );
	}

	/**
	 * Opens a plain file, or says why not. One that is still what the service has seen needs no second look by its name:
	 * with open_basedir PHP asks for every folder above each time. Without waiting (n): in the meantime it may have become a FIFO.
	 *
	 * @param int $inode As it was listed; 0: unknown.
	 * @return resource|string
	 */
	public static function open( Root $root, string $full, int $inode = 0 ) {
		$stream = null === $root->why_left_out( $full ) ? @fopen( $full, 'rbn' ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable file is an answer.
		$opened = $stream ? fstat( $stream ) : false;
		$seen   = $opened && $opened['ino'] === $inode ? $opened : @lstat( $full ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A missing file is an answer.
		if ( ! $seen ) {
			return 'missing';
		}
		return $stream && $opened && 0100000 === ( $seen['mode'] & 0170000 ) && $opened['ino'] === $seen['ino'] ? $stream : 'unreadable';
	}

	/**
	 * What is told of one piece.
	 *
	 * @param array<string,int> $stat From fstat(); empty when there is no file.
	 */
	private static function told( string $status, array $stat, string $bytes = '', bool $plain = true ): array {
		$wire = $plain ? $bytes : self::shrink( $bytes );
		return array(
			'status'   => $status,
			'n'        => strlen( $bytes ),
			's'        => $stat['size'] ?? 0,
			'mt'       => $stat['mtime'] ?? 0,
			'ct'       => $stat['ctime'] ?? 0,
			'i'        => $stat['ino'] ?? 0,
			'encoding' => $wire === $bytes ? 'identity' : 'gzip',
			'wire'     => strlen( $wire ),
			'bytes'    => $wire,
		);
	}
}
