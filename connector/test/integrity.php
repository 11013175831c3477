<?php
/**
 * The walk over a site's files in slices of any size tells the same, follows no link, and takes no code for a comment.
 *
 *   php integrity.php
 *
 * @package SvcConnector
 */

namespace SvcConnector;

$root = sys_get_temp_dir() . '/svc-integrity-' . getmypid();
define( 'ABSPATH', $root . '/' );
define( 'WP_CONTENT_DIR', $root . '/wp-content' );
define( 'WP_PLUGIN_DIR', $root . '/wp-content/plugins' );

// phpcs:disable -- Stand-ins for what WordPress has.
function untrailingslashit( string $path ): string { return rtrim( $path, '/' ); }
function wp_upload_dir(): array { return array( 'basedir' => WP_CONTENT_DIR . '/uploads', 'baseurl' => 'https://site.example/wp-content/uploads' ); }
function wp_is_writable( string $path ): bool { return is_writable( $path ); }
function wp_convert_hr_to_bytes( string $text ): int { return 0; }
// phpcs:enable
require __DIR__ . '/load.php';

$wrong = 0;
$check = static function ( bool $right, string $what ) use ( &$wrong ): void {
	if ( ! $right ) {
		++$wrong;
		echo "WRONG  $what\n";
	}
};
$put   = static function ( string $path, string $content ) use ( $root ): void {
	if ( ! is_dir( dirname( "$root/$path" ) ) ) {
		mkdir( dirname( "$root/$path" ), 0755, true );
	}
	file_put_contents( "$root/$path", $content );
};
$walk  = static function ( string $scope, int $most, string $plugin = '' ): array {
	$all    = array();
	$after  = null;
	$slices = 0;
	do {
		$told  = Integrity::slice(
			array(
				'scope'     => $scope,
				'plugin'    => $plugin,
				'after'     => $after,
				'max_items' => $most,
				'budget_ms' => 60000,
			)
		);
		$after = $told['after'];
		foreach ( $told['entries'] as $entry ) {
			$all[ is_array( $entry['p'] ) ? base64_decode( $entry['p']['b64'] ) : $entry['p'] ] = $entry['h'];
		}
	} while ( ! $told['done'] && ++$slices < 1000 );
	return $all;
};

foreach ( array( 'index.php', 'wp-config.php', 'readme.html', 'photo.jpg', 'wp-admin/a.php', 'wp-admin/a/b.css', 'wp-admin/a-b.php', 'wp-includes/x.php', "wp-includes/\xff.php", 'other/y.php', 'wp-content/plugins/one/one.php', 'wp-content/plugins/one/lib/z.js', 'wp-content/plugins/two/two.php' ) as $path ) {
	$put( $path, "content of $path" );
}
symlink( '/etc', "$root/wp-admin/etc" );
symlink( '/etc/passwd', "$root/wp-admin/passwd.php" );
$core = $walk( 'core', 10000 );
$check( array( 'index.php', 'readme.html', 'wp-admin/a/b.css', 'wp-admin/a-b.php', 'wp-admin/a.php', 'wp-admin/etc', 'wp-admin/passwd.php', 'wp-includes/x.php', "wp-includes/\xff.php" ) === array_keys( $core ), 'core is ' . implode( ' ', array_keys( $core ) ) );
$check( md5( 'content of index.php' ) === $core['index.php'] && '' === $core['wp-admin/passwd.php'] && '' === $core['wp-admin/etc'], 'fingerprints' );
foreach ( array( 1, 2, 3 ) as $most ) {
	$check( $core === $walk( 'core', $most ), "core in slices of $most" );
}
$check( array( 'lib/z.js', 'one.php' ) === array_keys( $walk( 'plugin', 1, 'one' ) ), 'a plugin' );
foreach ( array( '..', '.', '', '../themes', 'one/lib', "one\0" ) as $name ) {
	try {
		$walk( 'plugin', 10, $name );
		$check( false, "the folder $name was walked" );
	} catch ( Problem $problem ) {
		$check( true, '' );
	}
}

// What does nothing, and what only looks so.
$harmless = array( '', "<?php\n// Silence is golden.\n", "<?php\n", '<?php /* nothing */ ?>', "<?php\n/**\n * Nothing.\n */\n", Probe::CODE );
$harmful  = array( '<?php // ?><?php system( 1 );', "<?php\n// x\nsystem( 1 );", '<?php /* */ system( 1 ); /* */', '<?=`id`?>', 'GIF89a<?php system( 1 );', '<?php # ?><?php system( 1 );', "<?php // x\rsystem( 1 );", Probe::CODE . ' ', '<?php /* ?> */ ?><?php system( 1 );', '<script language="php">x</script>' );
foreach ( array_merge( $harmless, $harmful ) as $number => $content ) {
	$put( sprintf( 'wp-content/uploads/%02d.php', $number ), $content );
}
foreach ( array( 'a.phtml', 'b.php7', 'c.php.jpg', 'd.PHAR', 'e.jpg', 'f.txt', 'g.phpx' ) as $name ) {
	$put( "wp-content/uploads/2026/$name", 'x' );
}
$expected = array_merge( array_map( static function ( int $number ): string { return sprintf( '%02d.php', $number ); }, range( count( $harmless ), count( $harmless ) + count( $harmful ) - 1 ) ), array( '2026/a.phtml', '2026/b.php7', '2026/c.php.jpg', '2026/d.PHAR' ) );
$found    = array_map( 'strval', array_keys( $walk( 'uploads', 2 ) ) );
sort( $expected );
sort( $found );
$check( $expected === $found, 'uploads are ' . implode( ' ', $found ) );

// The probe comes and goes, and takes nothing else along.
$put( 'wp-content/uploads/svc-connector-probe-mine.php', 'mine' );
$told = Probe::run( array( 'place' => true ) );
$path = WP_CONTENT_DIR . '/uploads/' . basename( $told['url'] );
$check( 1 === preg_match( Probe::NAME, basename( $told['url'] ) ) && Probe::CODE === file_get_contents( $path ), 'the probe is there' );
ob_start();
include $path;
$check( Probe::SAYS === ob_get_clean() && ! file_exists( $path ), 'the probe says what it should and removes itself' );
$told = Probe::run( array( 'place' => true ) );
Probe::run( array( 'place' => false ) );
$check( ! file_exists( WP_CONTENT_DIR . '/uploads/' . basename( $told['url'] ) ) && file_exists( WP_CONTENT_DIR . '/uploads/svc-connector-probe-mine.php' ), 'the probe is taken away, and nothing else' );

$clear = static function ( string $folder ) use ( &$clear ): void {
	foreach ( array_diff( scandir( $folder ), array( '.', '..' ) ) as $name ) {
		is_dir( "$folder/$name" ) && ! is_link( "$folder/$name" ) ? $clear( "$folder/$name" ) : unlink( "$folder/$name" );
	}
	rmdir( $folder );
};
$clear( $root );
printf( "%d entries of core, %d contents: %d wrong\n", count( $core ), count( $harmless ) + count( $harmful ), $wrong );
exit( $wrong ? 1 : 0 );
