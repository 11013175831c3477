<?php
// Reading the files of this site.
namespace Svc\Connector;

/** The verb `files.read`: pieces of files, as many of those asked for as fit. */
final class Reading {

	/**
	 * The verb `files.read`.
	 *
	 * @param array<string,mixed> $params Root, items, plain, max_bytes, budget_ms.
	 */
	public static function pieces( array $params ): string {
		$root   = new Root( $params['root'] ?? null );
		$budget = Budget::of( $params );
		$items  = $params['items'] ?? null;
		if ( ! is_array( $items ) || count( $items ) > 10000 ) {
			throw new Problem( 'bad_request', 'Parameter items must be a list.' );
		}
		$plain   = ! empty( $params['plain'] );
		$room    = $budget->payload( Verbs::number( $params, 'max_bytes', 1048576, 1, 33554432 ) );
		$meta    = array();
		$payload = '';
		foreach ( array_values( $items ) as $number => $item ) {
			if ( ! is_array( $item ) ) {
				throw new Problem( 'bad_request', 'An item must name a path.' );
			}
			$path   = Root::from_wire( $item['p'] ?? null );
			$offset = Verbs::number( $item, 'o', 0, 0, PHP_INT_MAX );
			$length = Verbs::number( $item, 'n', $room, 0, PHP_INT_MAX );
			$piece  = $number > 0 && $budget->is_spent() ? null : self::piece( $root, $path, $offset, $length, $room - strlen( $payload ), 0 === $number, $plain );
			if ( null === $piece ) {
				break;
			}
			$payload .= $piece['bytes'];
			unset( $piece['bytes'] );
			$meta[] = $piece;
		}
		return self::slice(
			array(
				'items' => $meta,
				'done'  => count( $meta ) === count( $items ),
			),
			$payload
		);
	}

	/**
	 * The bytes of a slice: length of the meta, meta, payload.
	 *
	 * @param array<string,mixed> $meta What the payload is.
	 */
	public static function slice( array $meta, string $payload ): string {
		$json = (string) wp_json_encode( $meta );
		return pack( 'N', strlen( $json ) ) . $json . $payload;
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
	 * @return array<string,mixed>|null
	 */
	private static function piece( Root $root, string $path, int $offset, int $length, int $room, bool $is_first, bool $plain ): ?array {
		$full = $root->contained( $path );
		$stat = null === $full ? false : @lstat( $full ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- A missing file is an answer.
		if ( false === $stat ) {
			return self::told( 'missing', array() );
		}
		$is_file = 0100000 === ( $stat['mode'] & 0170000 ) && null === $root->why_left_out( $full );
		$stream  = $is_file ? @fopen( $full, 'rb' ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable file is an answer.
		$opened  = $stream ? fstat( $stream ) : false;
		if ( ! $stream || ! $opened || $opened['ino'] !== $stat['ino'] ) {
			return self::told( 'unreadable', array() );
		}
		$wanted = max( 0, min( $length, $opened['size'] - $offset ) );
		$bytes  = null;
		if ( $wanted <= $room || $is_first ) {
			$wanted = min( $wanted, $room );
			$bytes  = $wanted > 0 && 0 === fseek( $stream, $offset ) ? (string) stream_get_contents( $stream, $wanted ) : '';
		}
		fclose( $stream );
		return null === $bytes ? null : self::told( 'ok', $opened, $bytes, $plain );
	}

	/**
	 * What is told of one piece.
	 *
	 * @param array<string,int> $stat From fstat(); empty when there is no file.
	 * @return array<string,mixed>
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
