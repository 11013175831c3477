<?php
/**
 * The parts of the tweaks that change files, without WordPress: secrets of wp-config.php, blocks of .htaccess, the key under new secrets.
 *
 *   php tweaks.php [rounds] [seed]
 *
 * @package SvcConnector
 */

use SvcConnector\Blocks;
use SvcConnector\Identity;
use SvcConnector\Install;
use SvcConnector\Problem;
use SvcConnector\Replace;
use SvcConnector\Salts;

$base = sys_get_temp_dir() . '/svc-tweaks-' . bin2hex( random_bytes( 6 ) );
mkdir( "$base/wp-content/uploads", 0755, true );
define( 'ABSPATH', "$base/" );
$wrong   = array();
$checks  = 0;
$wpdb    = (object) array( 'base_prefix' => 'wp_' );

function wp_upload_dir() {
	return array( 'basedir' => ABSPATH . 'wp-content/uploads', 'baseurl' => 'http://site.example/wp-content/uploads' );
}
function trailingslashit( $text ) {
	return rtrim( $text, '/' ) . '/';
}
function wp_mkdir_p( $path ) {
	return is_dir( $path ) || mkdir( $path, 0755, true );
}
function site_url( $path ) {
	return "http://site.example$path";
}
function wp_is_file_mod_allowed() {
	return true;
}
function wp_load_alloptions() {
	return $GLOBALS['options'];
}
function wp_salt() {
	return 'of the database';
}
require __DIR__ . '/options.php';
require __DIR__ . '/load.php';

$check = static function ( string $what, bool $holds ) use ( &$wrong, &$checks ): void {
	++$checks;
	if ( ! $holds ) {
		$wrong[] = $what;
	}
};
$refuses = static function ( callable $do ): bool {
	try {
		$do();
		return false;
	} catch ( Problem $problem ) {
		return true;
	}
};

// Secrets: only plain literals of the values in use are replaced, and nothing else.
$old = array();
foreach ( Salts::NAMES as $n => $name ) {
	$old[ $name ] = "it's \\ $n " . str_repeat( 'x', 30 );
	if ( 'NONCE_SALT' !== $name ) {
		define( $name, $old[ $name ] );
	}
}
$new     = array_map( 'md5', $old );
$literal = static function ( string $text ): string {
	return "'" . strtr( $text, array( '\\' => '\\\\', "'" => "\\'" ) ) . "'";
};
$config  = static function ( array $over = array(), string $end = "require_once ABSPATH . 'wp-settings.php';\n" ) use ( $old, $literal ): string {
	$text = "<?php\n/* define( 'AUTH_KEY', 'a comment' ); */\ndefine( 'DB_NAME', 'AUTH_KEY' );\n";
	foreach ( $old as $name => $value ) {
		if ( 'NONCE_SALT' !== $name ) {
			$text .= $over[ $name ] ?? "define( '$name',   " . $literal( $value ) . " ); # kept\n";
		}
	}
	return $text . "\$table_prefix = 'wp_';\n" . $end;
};
$expected = $config();
foreach ( $new as $name => $value ) {
	$expected = str_replace( "'$name',   " . $literal( $old[ $name ] ), "'$name',   '$value'", $expected );
}
$expected = str_replace( 'require_once', "define( 'NONCE_SALT', '{$new['NONCE_SALT']}' );\nrequire_once", $expected );
$check( 'every secret is replaced, a missing one added, and nothing else touched', Salts::rewrite( $config(), $new ) === $expected );
$check( 'a default before the definition is no obstacle', false !== strpos( Salts::rewrite( $config( array( 'AUTH_KEY' => "defined( 'AUTH_KEY' ) || \\define(\"AUTH_KEY\", " . $literal( $old['AUTH_KEY'] ) . ");\n" ) ), $new ), $new['AUTH_KEY'] ) );
foreach ( array(
	'worked out'        => $config( array( 'AUTH_KEY' => "define( 'AUTH_KEY', getenv( 'AUTH_KEY' ) );\n" ) ),
	'put together'      => $config( array( 'AUTH_KEY' => "define( 'AUTH_KEY', 'a' . 'b' );\n" ) ),
	'of another value'  => $config( array( 'AUTH_KEY' => "define( 'AUTH_KEY', 'another' );\n" ) ),
	'defined twice'     => $config( array( 'AUTH_KEY' => str_repeat( "define( 'AUTH_KEY', " . $literal( $old['AUTH_KEY'] ) . " );\n", 2 ) ) ),
	'kept elsewhere'    => $config( array( 'AUTH_KEY' => "require 'keys.php';\n" ) ),
	'in a file that ends before' => $config( array(), '' ),
	'in broken PHP'     => $config() . ' function (',
) as $how => $source ) {
	$check( "secrets $how are refused", $refuses( static function () use ( $source, $new ): void { Salts::rewrite( $source, $new ); } ) );
}

// A file keeps its mode; what is no plain file of ours stays.
$file = "$base/file";
file_put_contents( $file, 'old' );
chmod( $file, 0640 );
Replace::file( $file, 'new' );
clearstatcache();
$check( 'a file is replaced and keeps its mode', 'new' === file_get_contents( $file ) && 0640 === ( fileperms( $file ) & 0777 ) );
symlink( $file, "$base/link" );
$check( 'a link is left alone', $refuses( static function () use ( $base ): void { Replace::file( "$base/link", 'x' ); } ) && 'new' === file_get_contents( $file ) );
$check( 'no part is left over', array() === glob( "$base/.ht-svc-connector-*" ) );

// Blocks: in any order in and out, the file is byte for byte what it was.
$seed = (int) ( $argv[2] ?? random_int( 1, 999999 ) );
mt_srand( $seed );
$_SERVER['SERVER_SOFTWARE'] = 'Apache';
$ids    = array( 'directory_listing_off', 'readme_blocked' );
$path   = "$base/.htaccess";
$begins = array( null, '', "RewriteEngine On", "# BEGIN WordPress\nRewriteRule . /index.php [L]\n# END WordPress\n", "\r\nDirectoryIndex index.php\r\n\r\n", "# BEGIN Svc Connector of somebody else\n" );
for ( $round = 0; $round < (int) ( $argv[1] ?? 300 ); $round++ ) {
	$before = $begins[ mt_rand( 0, count( $begins ) - 1 ) ];
	if ( is_file( $path ) ) {
		unlink( $path );
	}
	if ( null !== $before ) {
		file_put_contents( $path, $before );
	}
	$in = array();
	for ( $step = mt_rand( 1, 8 ); $step > 0; $step-- ) {
		$id = $ids[ mt_rand( 0, 1 ) ];
		if ( mt_rand( 0, 1 ) ) {
			list( , , $after ) = Blocks::with( $id );
			Replace::file( $path, $after );
			$in[ $id ] = true;
		} else {
			Blocks::remove( $id );
			unset( $in[ $id ] );
		}
		foreach ( $ids as $each ) {
			$check( "seed $seed round $round: a block is there when it was put in", Blocks::is_there( $each ) === isset( $in[ $each ] ) );
		}
	}
	foreach ( $ids as $id ) {
		Blocks::remove( $id );
	}
	clearstatcache();
	$check( "seed $seed round $round: the file is what it was", ( is_file( $path ) ? file_get_contents( $path ) : null ) === $before );
}

// The trial folders hold what they must, and go.
$url = Blocks::try_out( 'uploads_php_off' );
$dir = ABSPATH . substr( $url, strlen( 'http://site.example/' ) );
$check( 'the rules are tried in one folder and not in the other', is_file( "{$dir}with/.htaccess" ) && ! is_file( "{$dir}bare/.htaccess" ) && is_file( "{$dir}bare/run.php" ) );
Blocks::sweep( 0 );
$check( 'nothing of a trial stays', array() === glob( "$base/wp-content/uploads/*" ) );

// The key of the site opens under the old secrets and the new ones, until one of them has won.
$secret   = sodium_crypto_sign_secretkey( sodium_crypto_sign_keypair() );
$salts    = implode( '', array_slice( $old, 0, 7 ) );
$seal     = static function ( string $key ) use ( $secret ): string {
	$nonce = str_repeat( 'n', 24 );
	return base64_encode( $nonce . sodium_crypto_secretbox( $secret, $nonce, hash_hmac( 'sha256', 'svc-connector-key-1', $key, true ) ) );
};
$identity = Identity::of( array( 'site_id' => 'site_1', 'site_secret' => $seal( $salts ), 'install_id' => Install::id() ) );
$identity->prepare( 'other secrets' );
$record = $identity->record();
$check( 'before the change the key opens', $identity->secret() === $secret && ! $identity->is_clone() );
$turned = Identity::of( array( 'site_secret' => $record['other_secret'], 'other_secret' => $seal( $salts ), 'install_id' => $record['other_install_id'], 'other_install_id' => $record['install_id'] ) );
$check( 'after the change it opens too, and the site is no copy', $turned->secret() === $secret && ! $turned->is_clone() );
$turned->settle();
$check( 'the secrets in use win', $turned->secret() === $secret && ! $turned->is_clone() && '' === $turned->get( 'other_secret' ) );
$identity->settle();
$check( 'a change that was taken back leaves nothing', $identity->record()['site_secret'] === $seal( $salts ) && '' === $identity->get( 'other_secret' ) );
$lost = Identity::of( array( 'site_secret' => $record['other_secret'], 'install_id' => $record['other_install_id'] ) );
$check( 'under other secrets it does not open, and the site is a copy', null === $lost->secret() && $lost->is_clone() );

foreach ( new RecursiveIteratorIterator( new RecursiveDirectoryIterator( $base, FilesystemIterator::SKIP_DOTS ), RecursiveIteratorIterator::CHILD_FIRST ) as $entry ) {
	$entry->isDir() && ! $entry->isLink() ? rmdir( $entry ) : unlink( $entry );
}
rmdir( $base );
foreach ( array_slice( $wrong, 0, 10 ) as $line ) {
	echo "WRONG  $line\n";
}
printf( "%d checks, seed %d: %d wrong\n", $checks, $seed, count( $wrong ) );
exit( $wrong || $checks < 20 ? 1 : 0 );
