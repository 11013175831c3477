<?php
/**
 * Reading pieces and digests of files: the same answers whether or not the inode is told, right or wrong, and nothing behind a link, ever.
 *
 *   php [-d open_basedir=/tmp:…] reading.php
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-reading-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/site/wp-content/svc-connector-work", 0755, true );
	mkdir( "$base/outside" );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', "$base/site/wp-content" );
	define( 'DB_ENGINE', 'sqlite' );
	define( 'FQDB', WP_CONTENT_DIR . '/database/.ht.sqlite' );
	require __DIR__ . '/a-site.php';
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function wp_convert_hr_to_bytes( $value ) { return 0; }
	function wp_json_encode( $value ) { return json_encode( $value ); }
}

namespace SvcConnector {

	require __DIR__ . '/load.php';
	$site = "$base/site";
	file_put_contents( "$base/outside/secret", 'a secret' );
	mkdir( "$base/outside/wp-includes" );
	file_put_contents( "$site/plain", 'plain text' );
	file_put_contents( "$site/empty", '' );
	file_put_contents( "$site/large", random_bytes( 5000000 ) );
	file_put_contents( "$site/wp-content/svc-connector-work/own", 'own' );
	mkdir( dirname( FQDB ) );
	file_put_contents( FQDB, 'rows' );
	mkdir( "$site/folder" );
	file_put_contents( "$site/folder/inside", 'inside' );
	symlink( 'plain', "$site/to-plain" );
	symlink( "$base/outside/secret", "$site/to-secret" );
	symlink( 'nowhere', "$site/to-nothing" );
	symlink( 'folder', "$site/to-folder" );
	$fifo = function_exists( 'posix_mkfifo' ) && posix_mkfifo( "$site/fifo", 0600 );

	$ok       = array( 'plain', 'empty', 'large', 'folder/inside' );
	$expected = array_fill_keys( $ok, 'ok' ) + array(
		'folder'                            => 'unreadable',
		'to-plain'                          => 'unreadable',
		'to-secret'                         => 'unreadable',
		'to-nothing'                        => 'unreadable',
		'to-folder/inside'                  => 'missing',
		'wp-content/svc-connector-work/own' => 'unreadable',
		'wp-content/database/.ht.sqlite'    => 'unreadable',
		'never-there'                       => 'missing',
	) + ( $fifo ? array( 'fifo' => 'unreadable' ) : array() );

	/** What came of one request: the meta, and the bytes of each piece. */
	$read = static function ( array $items, int $most = 8388608 ): array {
		$slice = Reading::pieces( array( 'root' => 'abspath', 'items' => $items, 'plain' => true, 'max_bytes' => $most ) );
		$end   = 4 + unpack( 'N', $slice )[1];
		$meta  = json_decode( substr( $slice, 4, $end - 4 ), true );
		foreach ( $meta['items'] as &$item ) {
			$item['bytes'] = substr( $slice, $end, $item['wire'] );
			$end          += $item['wire'];
		}
		return $meta + array( 'rest' => strlen( $slice ) - $end );
	};
	$wrong = array();
	$tried = 0;
	$check = static function ( bool $right, string $what ) use ( &$wrong, &$tried ): void {
		++$tried;
		if ( ! $right ) {
			$wrong[] = $what;
		}
	};

	clearstatcache();
	foreach ( $expected as $path => $status ) {
		$own   = @lstat( "$site/$path" )['ino'] ?? 0;
		$other = lstat( "$site/large" )['ino'] === $own ? 1 : lstat( "$site/large" )['ino'];
		foreach ( array( 'not told' => array(), 'its own' => array( 'i' => $own ), 'of another' => array( 'i' => $other ), 'of what it leads to' => array( 'i' => (int) @stat( "$site/plain" )['ino'] ) ) as $how => $inode ) {
			$began = microtime( true );
			$item  = $read( array( array( 'p' => $path, 'o' => 0, 'n' => 6000000 ) + $inode ) )['items'][0];
			// A link to the very file that was listed under this name leads to nothing that is not wanted.
			$fine = 'to-plain' === $path && 'of what it leads to' === $how ? 'ok' : $status;
			$text = 'ok' === $fine ? file_get_contents( "$site/$path" ) : '';
			$check( $item['status'] === $fine && $item['bytes'] === $text && $item['n'] === strlen( $text ), "$path, inode $how: {$item['status']}, {$item['n']} bytes" );
			$check( 'ok' !== $fine || $item['i'] === stat( "$site/$path" )['ino'], "$path, inode $how: tells another inode" );
			$check( microtime( true ) - $began < 1, "$path, inode $how: waited" );
		}
	}

	// One request for all of them, and pieces that are cut where there is no more room.
	$all = $read( array_map( static function ( $path ) { return array( 'p' => $path, 'o' => 0, 'n' => 6000000 ); }, array_keys( $expected ) ) );
	$check( array_column( $all['items'], 'status' ) === array_values( $expected ) && $all['done'] && 0 === $all['rest'], 'all at once' );
	$cut = $read( array( array( 'p' => 'large', 'o' => 100, 'n' => 6000000 ), array( 'p' => 'plain', 'o' => 0, 'n' => 5 ) ), 65536 );
	$check( 1 === count( $cut['items'] ) && substr( file_get_contents( "$site/large" ), 100, 65536 ) === $cut['items'][0]['bytes'] && ! $cut['done'], 'a piece above the room' );
	$two = $read( array( array( 'p' => 'plain', 'o' => 6, 'n' => 4 ), array( 'p' => 'large', 'o' => 0, 'n' => 5000000 ) ), 65536 );
	$check( 1 === count( $two['items'] ) && 'text' === $two['items'][0]['bytes'], 'the second does not fit' );
	foreach ( array( array( 'p' => '../outside/secret' ), array( 'p' => 'plain', 'i' => 'x' ), array( 'p' => 'plain', 'o' => null, 'n' => '1' ), 'plain' ) as $item ) {
		try {
			$read( array( $item ) );
			$check( false, 'taken: ' . json_encode( $item ) );
		} catch ( Problem $problem ) {
			$check( 'bad_request' === $problem->reason(), 'another reason: ' . json_encode( $item ) );
		}
	}

	$digests = array();
	foreach ( array_keys( $expected ) as $path ) {
		$digests[] = in_array( $path, $ok, true ) ? hash_file( 'sha256', "$site/$path" ) : null;
	}
	$check( array( 'digests' => $digests ) === Staging::digest( array( 'root' => 'abspath', 'items' => array_keys( $expected ) ) ), 'digests of files' );

	// What the digest of a body is made with depends on its size; what it is does not.
	foreach ( array( 0, 1, 8191, 8192, 8193, 1000000 ) as $size ) {
		$bytes = str_repeat( 'x', $size );
		$check( hash( 'sha256', $bytes, true ) === Wire::sha256( $bytes ), "SHA-256 of $size bytes" );
	}

	Leftovers::clear( $base );
	rmdir( $base );
	foreach ( $wrong as $line ) {
		echo "WRONG  $line\n";
	}
	printf( "%d things, %d checks, open_basedir %s: %d wrong\n", count( $expected ), $tried, ini_get( 'open_basedir' ) ? 'on' : 'off', count( $wrong ) );
	exit( $wrong ? 1 : 0 );
}
