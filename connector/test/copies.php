<?php
/**
 * Copies of a site are told from the site, and do not speak for it; what changes about a site that stays where it is makes no copy of it.
 *
 *   php copies.php
 *
 * Needs the extension sodium. Each look is a process of its own, because constants tell what a site is.
 *
 * @package SvcConnector
 */

namespace {
	define( 'SVC_SITE', json_decode( $argv[1] ?? '{}', true ) + array( 'folder' => '/var/www/html/', 'database' => 'wordpress', 'server' => 'localhost', 'prefix' => 'wp_', 'salt' => 'the same', 'stored' => 'http://example.org', 'shown' => null, 'does' => '', 'options' => array() ) );
	define( 'ABSPATH', SVC_SITE['folder'] );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'DB_NAME', SVC_SITE['database'] );
	define( 'DB_HOST', SVC_SITE['server'] );
	define( 'AUTH_KEY', SVC_SITE['salt'] );
	require __DIR__ . '/options.php';
	$options = SVC_SITE['options'];
	$sent    = array();
	$wpdb    = new QuietDatabase( SVC_SITE['prefix'] );
	function wp_load_alloptions() {
		return array( 'home' => SVC_SITE['stored'] );
	}
	function home_url() {
		return SVC_SITE['shown'] ?? SVC_SITE['stored'];
	}
	function is_wp_error() {
		return false;
	}
	function wp_remote_post( $url, $request ) {
		$GLOBALS['sent'][] = json_decode( $request['body'], true )['method'];
	}
}

namespace SvcConnector {
	const VERSION = '0';
	require __DIR__ . '/load.php';
	if ( isset( $argv[1] ) ) {
		if ( 'pair' === SVC_SITE['does'] ) {
			Identity::create( array( 'service_url' => 'https://service.example', 'site_id' => 'site_1', 'keyid' => 'k1', 'public' => base64_encode( str_repeat( 'k', 32 ) ), 'paired_by' => 1 ), sodium_crypto_sign_keypair() );
		}
		$identity = Identity::load();
		if ( 'hear' === SVC_SITE['does'] ) {
			$identity->key_was_used( 'k1' );
		}
		$said  = array( $identity->is_clone() ? 'a copy' : 'the site' );
		$kept  = $options;
		$other = new \ReflectionMethod( Enrolment::class, 'notice' );
		$other->setAccessible( true );
		$other->invoke( null, $identity, 'enrolled' );
		Enrolment::disconnect();
		echo json_encode( array( 'said' => array_merge( $said, $sent ), 'options' => $kept ) );
		exit;
	}

	$look    = static function ( array $site ): array {
		$run  = proc_open( array( PHP_BINARY, __FILE__, json_encode( $site ) ), array( 1 => array( 'pipe', 'w' ) ), $pipes );
		$said = json_decode( (string) stream_get_contents( $pipes[1] ), true );
		proc_close( $run );
		return is_array( $said ) ? $said : array( 'said' => array( 'broken' ), 'options' => array() );
	};
	$options = $look( array( 'does' => 'pair' ) )['options'];
	$speaks  = array( 'the site', 'enrolled', 'disconnected' );
	$earlier = static function ( string $database ) use ( $options ): array {
		$record = array_diff_key( json_decode( $options['svc_connector_site'], true ), array( 'home' => '' ) );
		$record['install_id'] = hash( 'sha256', implode( "\n", array( 'install-1', '/var/www/html/', $database, 'wp_', hash( 'sha256', 'the same' ) ) ) );
		return array( 'svc_connector_site' => json_encode( $record ) );
	};

	$folder = sys_get_temp_dir() . '/svc-copies-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$folder/site", 0700, true );
	symlink( "$folder/site", "$folder/link" );
	$linked = $look( array( 'does' => 'pair', 'folder' => "$folder/link/" ) )['options'];

	$wrong = array();
	$cases = array(
		'the site itself'                        => array( array(), $speaks ),
		'with https'                             => array( array( 'stored' => 'https://example.org' ), $speaks ),
		'with www and a path'                    => array( array( 'stored' => 'https://WWW.Example.org/blog/' ), $speaks ),
		'with its port told'                     => array( array( 'stored' => 'https://example.org:443' ), $speaks ),
		'whose database is asked by a port'      => array( array( 'server' => '127.0.0.1:3306' ), $speaks ),
		'whose database is asked by a socket'    => array( array( 'server' => 'localhost:/run/mysqld/mysqld.sock' ), $speaks ),
		'under an address made for this view'    => array( array( 'shown' => 'https://preview.example.net' ), array( 'the site' ) ),
		'a full copy in a container'             => array( array( 'server' => 'db' ), array( 'a copy' ) ),
		'the same under another address'         => array( array( 'stored' => 'http://localhost:8080' ), array( 'a copy' ) ),
		'a copy beside it, by its port'          => array( array( 'stored' => 'http://example.org:8080' ), array( 'a copy' ) ),
		'a copy in another folder'               => array( array( 'folder' => '/var/www/staging/' ), array( 'a copy' ) ),
		'the site itself, not by the link'       => array( array( 'folder' => "$folder/site/", 'options' => $linked ), $speaks ),
		'a copy in another database'             => array( array( 'database' => 'staging' ), array( 'a copy' ) ),
		'a copy with another prefix'             => array( array( 'prefix' => 'st_' ), array( 'a copy' ) ),
		'a copy with other salts'                => array( array( 'salt' => 'another' ), array( 'a copy' ) ),
		'a moved site that joined again'         => array( array( 'stored' => 'https://example.net', 'does' => 'pair' ), $speaks ),
		'a record without address, once heard'   => array( array( 'options' => $earlier( 'wordpress' ), 'does' => 'hear' ), $speaks ),
		'a record of another database, heard of' => array( array( 'options' => $earlier( 'other' ), 'does' => 'hear' ), array( 'a copy' ) ),
	);
	foreach ( $cases as $what => list( $site, $expected ) ) {
		$found = $look( $site + array( 'options' => $options ) )['said'];
		if ( $found !== $expected ) {
			$wrong[] = "$what: " . implode( ', ', $found );
		}
	}
	unlink( "$folder/link" );
	rmdir( "$folder/site" );
	rmdir( $folder );
	foreach ( $wrong as $line ) {
		echo "WRONG  $line\n";
	}
	printf( "%d sites and copies: %d wrong\n", count( $cases ), count( $wrong ) );
	exit( $wrong ? 1 : 0 );
}
