<?php
/**
 * The door that stands without WordPress: who is let in, and who learns nothing.
 *
 *   php standing.php [socket]
 *
 * With the socket of a MariaDB or MySQL also what the database has to say about it.
 *
 * @package SvcConnector
 */

use SvcConnector\Wire;

if ( 'cli-server' === PHP_SAPI ) {
	// Inside the site: what WordPress would do when it keeps or forgets the pairing.
	$site = $_SERVER['DOCUMENT_ROOT'];
	define( 'ABSPATH', "$site/" );
	define( 'DB_NAME', 'svc_standing_none' );
	define( 'DB_HOST', '127.0.0.1:1' );
	define( 'WP_CONTENT_DIR', "$site/wp-content" );
	define( 'AUTH_KEY', $_GET['salt'] ?? 'salt of the site' );
	$GLOBALS['wpdb'] = new class() {
		public $prefix      = 'wp_';
		public $base_prefix = 'wp_';
		public $options     = 'wp_options';
		public function suppress_errors() {
			return true;
		}
		public function get_results() {
			return array();
		}
	};
	function wp_load_alloptions() {
		return array( 'home' => 'http://garden.example', 'siteurl' => 'http://garden.example' );
	}
	function get_option( $name, $otherwise = false ) {
		return 'svc_connector_roots' === $name ? $_GET['roots'] ?? '' : $otherwise;
	}
	function wp_json_encode( $value, $flags = 0 ) {
		return json_encode( $value, $flags );
	}
	function untrailingslashit( $path ) {
		return rtrim( $path, '/' );
	}
	define( 'ARRAY_A', 'ARRAY_A' );
	require "$site/wp-content/plugins/svc-connector/src/wire/autoload.php";
	if ( 'forget' === $_GET['do'] ) {
		SvcConnector\Standing::forget();
		exit( 'forgot' );
	}
	$record = json_decode( (string) file_get_contents( 'php://input' ), true );
	Wire::load_sodium();
	$nonce                 = str_repeat( "\1", SODIUM_CRYPTO_SECRETBOX_NONCEBYTES );
	$record['install_id']  = $_GET['install'] ?? SvcConnector\Install::id();
	$record['site_secret'] = base64_encode( $nonce . sodium_crypto_secretbox( base64_decode( $record['secret'] ), $nonce, SvcConnector\Identity::sealing_key() ) );
	unset( $record['secret'] );
	SvcConnector\Standing::keep( SvcConnector\Identity::of( $record ) );
	exit( json_encode( $record ) );
}

require __DIR__ . '/load.php';

$base   = sys_get_temp_dir() . '/svc-standing-' . bin2hex( random_bytes( 6 ) );
$checks = 0;
$wrong  = array();
$check  = static function ( string $what, bool $is ) use ( &$checks, &$wrong ): void {
	++$checks;
	if ( ! $is ) {
		$wrong[] = $what;
	}
};

// A site: configuration, the connector, nothing of WordPress.
mkdir( "$base/wp-content/plugins", 0700, true );
passthru( 'cp -r ' . escapeshellarg( dirname( __DIR__ ) . '/svc-connector' ) . ' ' . escapeshellarg( "$base/wp-content/plugins/" ) );
copy( __FILE__, "$base/keep.php" );
copy( __DIR__ . '/load.php', "$base/load.php" );
$config = static function ( string $more = '', string $host = '127.0.0.1:1', string $end = "require_once ABSPATH . 'wp-settings.php';\nunknown_function_of_wordpress();\n" ) use ( $base ): void {
	file_put_contents( "$base/wp-config.php", "<?php\n// Not here: require 'elsewhere.php'\ndefine( 'DB_NAME', 'svc_standing_none' );\ndefine( 'DB_USER', 'root' );\ndefine( 'DB_PASSWORD', '' );\ndefine( 'DB_HOST', '$host' );\ndefine( 'AUTH_KEY', 'salt of the site' );\n\$table_prefix = 'wp_';\n$more\nif ( ! defined( 'ABSPATH' ) ) {\n\tdefine( 'ABSPATH', __DIR__ . '/' );\n}\n$end" );
};
$config();
// Between the kernel's word that a port is free and the server's, somebody else may take it: then the server has ended.
do {
	$free = stream_socket_server( 'tcp://127.0.0.1:0' );
	$port = (int) substr( (string) strrchr( (string) stream_socket_get_name( $free, false ), ':' ), 1 );
	fclose( $free );
	$command = array( PHP_BINARY, '-d', 'opcache.enable=0', '-d', 'log_errors=0', '-S', "127.0.0.1:$port", '-t', $base );
	$server  = proc_open( $command, array( array( 'file', '/dev/null', 'r' ), array( 'file', '/dev/null', 'w' ), array( 'file', '/dev/null', 'w' ) ), $pipes );
	while ( ! ( $open = @fsockopen( '127.0.0.1', $port ) ) && proc_get_status( $server )['running'] ) {
		usleep( 20000 );
	}
} while ( ! $open || ! proc_get_status( $server )['running'] );

$ask = static function ( string $path, string $body = '', array $headers = array(), string $method = 'POST' ) use ( $port ): array {
	$lines = array( 'accept: */*' );
	foreach ( $headers as $name => $value ) {
		$lines[] = "$name: $value";
	}
	$http    = array( 'method' => $method, 'header' => $lines, 'content' => $body, 'ignore_errors' => true, 'timeout' => 20 );
	$content = file_get_contents( "http://127.0.0.1:$port$path", false, stream_context_create( array( 'http' => $http ) ) );
	$names   = preg_grep( '/^(Host|Date|X-Powered-By|Connection):/i', $http_response_header, PREG_GREP_INVERT );
	return array( implode( "\n", $names ), (string) $content );
};
$pair    = array( sodium_crypto_sign_keypair(), sodium_crypto_sign_keypair(), sodium_crypto_sign_keypair() );
$public  = static function ( int $n ) use ( $pair ): string {
	return base64_encode( sodium_crypto_sign_publickey( $pair[ $n ] ) );
};
$record  = array( 'site_id' => 'site_1', 'keyid' => 'k1', 'public' => $public( 1 ), 'site_public' => $public( 0 ), 'secret' => base64_encode( sodium_crypto_sign_secretkey( $pair[0] ) ) );
$signed  = static function ( string $verb, array $as = array() ) use ( $pair ): array {
	$as     += array( 'keyid' => 'k1', 'key' => 1, 'site' => 'site_1', 'params' => '{}', 'at' => time() );
	$body    = '{"method":"' . $verb . '","params":' . $as['params'] . '}';
	$headers = array( 'content-type' => 'application/json', 'content-digest' => Wire::digest( $body ), 'svc-protocol' => '1', 'svc-site' => $as['site'], 'svc-request-id' => 'req_' . bin2hex( random_bytes( 8 ) ) );
	$params  = Wire::COVERED_REQUEST . ";created={$as['at']};expires=" . ( $as['at'] + 60 ) . ';nonce="' . Wire::nonce() . "\";keyid=\"{$as['keyid']}\";alg=\"ed25519\";tag=\"svc-connector-v1" . ( 'hello' === $verb ? '-hello' : '' ) . '"';
	return array( $body, $headers + array( 'signature-input' => "svc=$params", 'signature' => 'svc=' . Wire::sign( Wire::request_base( $headers, $params ), sodium_crypto_sign_secretkey( $pair[ $as['key'] ] ) ) ) );
};
$door    = '/wp-content/plugins/svc-connector/standing-door.php';
$idle    = $ask( '/wp-content/plugins/svc-connector/src/wire/class-wire.php', '', array(), 'GET' );
$knock   = static function ( array $message ) use ( $ask, $door ): array {
	return $ask( $door, ...$message );
};
$silent  = static function ( array $message ) use ( $knock, $idle ): bool {
	return $idle === $knock( $message );
};
$says    = static function ( array $message ) use ( $knock ) {
	list( $headers, $body ) = $knock( $message );
	return false === stripos( $headers, 'signature:' ) ? 'nothing' : json_decode( $body, true );
};
$keep    = static function ( array $changes = array(), string $query = '' ) use ( $ask, $record ): array {
	return (array) json_decode( $ask( "/keep.php?do=keep$query", json_encode( $changes + $record ), array( 'content-type' => 'application/json' ) )[1], true );
};

$check( 'there is a page of a file that does nothing', '' === $idle[1] && false !== strpos( $idle[0], '200' ) );
$check( 'without a pairing it is silent', $silent( $signed( 'ping' ) ) );
$kept = $keep();
$dir  = glob( "$base/wp-content/svc-connector-work/.door-*" )[0] ?? '';
$file = "$dir/identity.php";
$check( 'the pairing is kept, its key sealed', is_file( $file ) && false === strpos( (string) file_get_contents( $file ), $record['secret'] ) && false !== strpos( (string) file_get_contents( $file ), $kept['site_secret'] ) );
$check( 'nobody reads it at its address', '' === $ask( str_replace( $base, '', $file ), '', array(), 'GET' )[1] );
$check( 'the service is answered', ( $says( $signed( 'ping' ) )['result']['clone'] ?? null ) === false );
$check( 'it tells who it is', ( $says( $signed( 'hello' ) )['result']['home_url'] ?? '' ) === 'http://garden.example' );
$check( 'a visitor learns nothing', $idle === $ask( $door, '', array(), 'GET' ) && $idle === $ask( $door, 'x=1', array( 'content-type' => 'application/json' ) ) );
$envelope = array( '{"svc_envelope":1,"headers":{"svc-site":"site_1"},"body":""}', array( 'content-type' => 'application/json' ) );
$check( 'nor does an envelope of nobody', $silent( $envelope ) );
foreach ( array( 'another key' => array( 'key' => 2 ), 'another key id' => array( 'keyid' => 'k2' ), 'another site' => array( 'site' => 'site_2' ), 'an old request' => array( 'at' => time() - 900 ) ) as $what => $as ) {
	$check( "$what learns nothing", $silent( $signed( 'ping', $as ) ) );
}
$twice = $signed( 'ping' );
$check( 'a request is answered once', 'nothing' !== $says( $twice ) && $silent( $twice ) );
$check( 'a stranger leaves no nonce', 3 >= count( (array) glob( "$dir/nonces/*" ) ) );
touch( "$dir/nonces/old", time() - 10 );
for ( $try = 0; $try < 1500 && is_file( "$dir/nonces/old" ); $try++ ) {
	SvcConnector\Standing::remember( $dir, "n$try", time() + 600 );
}
$check( 'a nonce past its end goes', ! is_file( "$dir/nonces/old" ) && $silent( $twice ) );
foreach ( array( 'inventory', 'login.issue', 'updates.apply', 'keys.rotate', 'disconnect', 'tweaks.apply', 'restore.commit', 'security.probe' ) as $verb ) {
	$check( "$verb is not known here", ( $says( $signed( $verb ) )['error']['code'] ?? '' ) === 'unknown_verb' );
}
$check( 'tables are refused without a database', false !== strpos( $says( $signed( 'db.tables' ) )['error']['message'] ?? '', 'database does not answer' ) );
$check( 'files are listed', count( $says( $signed( 'files.list', array( 'params' => '{"root":"abspath","after":null}' ) ) )['result']['entries'] ?? array() ) > 5 );

// A rotated key, another pairing, a copy.
$keep( array( 'next_keyid' => 'k2', 'next_public' => $public( 2 ) ) );
$check( 'the next key opens', 'nothing' !== $says( $signed( 'ping', array( 'keyid' => 'k2', 'key' => 2 ) ) ) );
$keep( array( 'keyid' => 'k2', 'public' => $public( 2 ) ) );
$check( 'a retired key does not', $silent( $signed( 'ping' ) ) && 'nothing' !== $says( $signed( 'ping', array( 'keyid' => 'k2', 'key' => 2 ) ) ) );
$keep();
$before = file_get_contents( $file );
$keep( array( 'public' => $public( 2 ) ), '&install=another' );
$check( 'a copy of the site keeps nothing', $before === file_get_contents( $file ) );
file_put_contents( $file, str_replace( '"home":"http:\/\/garden.example"', '"home":"http:\/\/other.example"', str_replace( '"home":"http://garden.example"', '"home":"http://other.example"', $before ) ) );
$check( 'a copy changes nothing', ( $says( $signed( 'restore.begin', array( 'params' => '{"job":"j","fence":1,"bytes":1,"files":true,"tables":[],"extra":[]}' ) ) )['error']['code'] ?? '' ) === 'clone' );
file_put_contents( $file, $before );
$copied = dirname( $dir ) . '/.door-' . str_repeat( '0', 32 );
mkdir( $copied );
file_put_contents( "$copied/identity.php", str_replace( trim( json_encode( $public( 1 ), JSON_UNESCAPED_SLASHES ), '"' ), $public( 2 ), $before ) );
$check( 'a folder that was copied is not believed', $silent( $signed( 'ping', array( 'key' => 2 ) ) ) && 'nothing' !== $says( $signed( 'ping' ) ) );
unlink( "$copied/identity.php" );
rmdir( $copied );

// wp-config.php as people have it.
$config( '', '127.0.0.1:1', "if ( true ) {\n\trequire( ABSPATH . 'wp-settings.php' );\n}\n" );
$check( 'WordPress may be started in a block', 'nothing' !== $says( $signed( 'ping' ) ) );
$config( '', '127.0.0.1:1', "\$f = 'wp-settings.php'; require_once ABSPATH . \$f;\n" );
$check( 'where the line is not plain it is silent', $silent( $signed( 'ping' ) ) );
$keep();
$check( 'and no door is kept', ! glob( "$base/wp-content/svc-connector-work/.door-*" ) );
$config();
$keep();
$dir  = glob( "$base/wp-content/svc-connector-work/.door-*" )[0] ?? '';
$file = "$dir/identity.php";
$config( 'this is no PHP' );
$check( 'a broken wp-config.php says nothing', $silent( $signed( 'ping' ) ) );
$config( "define( 'WP_CONTENT_DIR', '/somewhere/else' );" );
$check( 'a content folder elsewhere is not believed', $silent( $signed( 'ping' ) ) );
$config();

if ( isset( $argv[1] ) ) {
	mysqli_report( MYSQLI_REPORT_OFF );
	$db  = new mysqli( null, 'root', '', '', 0, $argv[1] );
	$run = static function ( string $sql ) use ( $db, $check ): void {
		$check( $sql, false !== $db->query( $sql ) );
	};
	$run( 'CREATE DATABASE svc_standing_none' );
	$run( 'USE svc_standing_none' );
	$run( 'CREATE TABLE wp_options (option_id bigint unsigned NOT NULL AUTO_INCREMENT, option_name varchar(191) NOT NULL, option_value longtext NOT NULL, autoload varchar(20) NOT NULL, PRIMARY KEY (option_id), UNIQUE KEY (option_name))' );
	$set = static function ( string $name, string $value ) use ( $db ): void {
		$db->query( "REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('$name', '" . $db->real_escape_string( $value ) . "', 'no')" );
	};
	$config( '', "localhost:{$argv[1]}" );
	$set( 'home', 'http://garden.example' );
	$set( 'siteurl', 'http://garden.example' );
	$set( 'svc_connector_on', '1' );
	$set( 'svc_connector_site', json_encode( array( 'install_id' => $kept['install_id'] ) + $kept ) );
	$check( 'the database agrees', 'nothing' !== $says( $signed( 'ping' ) ) );
	$check( 'tables are told', count( $says( $signed( 'db.tables' ) )['result']['tables'] ?? array() ) >= 1 );

	// A table of options without the site in it says nothing: what was kept holds.
	$pictures = "$base-out/pictures";
	mkdir( $pictures, 0700, true );
	$keep( array(), '&roots=' . rawurlencode( json_encode( array( 'link-pictures' => array( 'path' => base64_encode( $pictures ), 'at' => 'wp-content/pictures' ) ) ) ) );
	foreach ( array( 'TRUNCATE wp_options', 'DELETE FROM wp_options', 'ALTER TABLE wp_options DROP COLUMN option_value' ) as $loss ) {
		$run( 'CREATE TABLE kept AS SELECT * FROM wp_options' );
		$run( $loss );
		$hello = $says( $signed( 'hello' ) );
		$check( "after $loss it answers, and is no copy", is_file( $file ) && array( 'http://garden.example', false ) === array( $hello['result']['home_url'] ?? '', $hello['result']['clone'] ?? null ) );
		$check( "after $loss it knows where links led", in_array( 'link-pictures', array_column( $hello['result']['roots'] ?? array(), 'id' ), true ) );
		$run( 'DROP TABLE wp_options' );
		$run( 'CREATE TABLE wp_options (option_id bigint unsigned NOT NULL AUTO_INCREMENT, option_name varchar(191) NOT NULL, option_value longtext NOT NULL, autoload varchar(20) NOT NULL, PRIMARY KEY (option_id), UNIQUE KEY (option_name)) SELECT * FROM kept' );
		$run( 'DROP TABLE kept' );
	}
	rmdir( $pictures );
	rmdir( dirname( $pictures ) );
	$known = $signed( 'ping' );
	preg_match( '/nonce="([^"]+)"/', $known[1]['signature-input'], $nonce );
	$db->query( "INSERT INTO wp_svc_connector (id, value) VALUES ('svc_connector_row_n." . hash( 'sha256', $nonce[1] ) . "', '" . ( time() + 600 ) . "|')" );
	$check( 'what another door has heard is not heard again', $silent( $known ) );
	$set( 'svc_connector_site', json_encode( array( 'keyid' => 'k2', 'public' => $public( 2 ) ) + $kept ) );
	$check( 'a key the database has retired opens nothing, whatever the file says', $silent( $signed( 'ping' ) ) );
	$set( 'svc_connector_site', json_encode( array( 'site_id' => 'site_9' ) + $kept ) );
	$check( 'nor does another pairing', $silent( $signed( 'ping' ) ) );
	// What an update that is not over has done to the pairing is no disconnect.
	$set( 'svc_connector_site', json_encode( $kept ) );
	$update = dirname( $dir ) . '/.ht' . str_repeat( 'a', 32 );
	mkdir( $update );
	file_put_contents( "$update/state.php", "<?php __halt_compiler();\n" . json_encode( array( 'dir' => $update, 'place' => $update, 'kind' => 'update', 'phase' => 'rolled_back' ) ) );
	$row  = static function ( string $name, string $value ): array {
		return array( 'wp_options', array( 'option_name' => $name ), 'option_value', base64_encode( $value ) );
	};
	file_put_contents( "$update/vital", json_encode( array( 'file' => '', 'rows' => array( $row( 'svc_connector_site', json_encode( $kept ) ), $row( 'svc_connector_on', '1' ) ) ) ) );
	foreach ( array( "UPDATE wp_options SET option_value = '' WHERE option_name LIKE 'svc%'", "DELETE FROM wp_options WHERE option_name LIKE 'svc%'" ) as $loss ) {
		$run( $loss );
		$check( "after $loss by an update it answers, and the pairing is there again", 'nothing' !== $says( $signed( 'ping' ) ) && '1' === ( $db->query( "SELECT option_value FROM wp_options WHERE option_name = 'svc_connector_on'" )->fetch_row()[0] ?? '' ) );
	}
	file_put_contents( "$update/vital", '{}' );
	$set( 'svc_connector_on', '0' );
	$check( 'where it cannot be put back it is silent, and its file stays', $silent( $signed( 'ping' ) ) && is_file( $file ) );
	touch( "$update/ended" );
	$set( 'svc_connector_site', json_encode( $kept ) );
	$set( 'svc_connector_on', '0' );
	$quiet = $silent( $signed( 'ping' ) );
	clearstatcache();
	$check( 'after a disconnect it is silent, and the file that was left goes', $quiet && ! is_file( $file ) );
	passthru( 'rm -rf ' . escapeshellarg( $update ) );
	$run( 'DROP DATABASE svc_standing_none' );
	$config();
	$keep();
}

$ask( '/keep.php?do=forget', '{}', array( 'content-type' => 'application/json' ) );
$check( 'with the connection the door closes', ! glob( "$base/wp-content/svc-connector-work/.door-*" ) && $silent( $signed( 'ping' ) ) );

proc_terminate( $server );
passthru( 'rm -rf ' . escapeshellarg( $base ) );
foreach ( $wrong as $line ) {
	echo "WRONG  $line\n";
}
printf( "%d checks%s: %d wrong\n", $checks, isset( $argv[1] ) ? ' with a database' : '', count( $wrong ) );
exit( $wrong ? 1 : 0 );
