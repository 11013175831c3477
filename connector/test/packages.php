<?php
/**
 * What a package of an update holds is judged before it is unpacked, with the extension zip and without it.
 *
 *   php packages.php
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-packages-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/wp-admin/includes", 0755, true );
	file_put_contents( "$base/wp-admin/includes/class-pclzip.php", '<?php' );
	define( 'ABSPATH', "$base/" );
	$filters = array();
	function add_filter( $name, $act ) { $GLOBALS['filters'][ $name ] = $act; }
	function is_wp_error( $what ) { return $what instanceof WP_Error; }
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	class WP_Error {
		private $code;
		public function __construct( $code ) { $this->code = $code; }
		public function get_error_code() { return $this->code; }
	}
	/** Reads a list of names in place of a zip; where the extension is there, ZipArchive does. */
	class Names {
		public $numFiles = 0;
		private $names;
		public function __construct( $file = '' ) { '' !== $file && $this->open( $file ); }
		public function open( $file ) {
			$this->names    = json_decode( (string) file_get_contents( $file ), true );
			$this->numFiles = is_array( $this->names ) ? count( $this->names ) : 0;
			return is_array( $this->names ) ? true : 19;
		}
		public function getNameIndex( $n ) { return $this->names[ $n ]; }
		public function close() {}
		public function listContent() {
			return is_array( $this->names ) ? array_map( static function ( $name ) { return array( 'filename' => $name, 'stored_filename' => $name ); }, $this->names ) : 0;
		}
	}
	class_alias( 'Names', 'PclZip' );
	/** As much of an upgrader of core as is asked: before WordPress 6.4 it asks nobody. */
	class Upgrader {
		public function unpack_package( $package, $delete_package = true ) { return 'unpacked'; }
	}
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$code   = static function ( $answer ): string {
		return is_wp_error( $answer ) ? $answer->get_error_code() : (string) json_encode( $answer );
	};
	$careful = new class() extends \Upgrader {
		use Careful;
	};
	$items  = array( array( 'plugin', 'garden/garden.php' ), array( 'plugin', 'single.php' ), array( 'theme', 'harbour' ), array( 'translations', 'translations' ), array( 'core', 'core' ) );
	$names  = array(
		'garden/garden.php'         => false,
		'garden/..hidden/a...b.php' => false,
		'../climbed.php'            => true,
		'garden/../../climbed.php'  => true,
		'garden\\..\\climbed.php'   => true,
		'/etc/cron.d/climbed'       => true,
		'C:/climbed.php'            => true,
		'garden/..'                 => true,
	);
	$real   = class_exists( 'ZipArchive', false );
	$pack   = static function ( array $names ) use ( $base, $real ): void {
		if ( ! $real ) {
			file_put_contents( "$base/package", json_encode( $names ) );
			return;
		}
		$zip = new \ZipArchive();
		$zip->open( "$base/package", \ZipArchive::CREATE );
		foreach ( $names as $name ) {
			$zip->addFromString( $name, 'x' );
		}
		$zip->close();
	};
	// Real zips where the extension is there; that of WordPress itself is asked where it is not.
	foreach ( $real ? array( 'zip' ) : array( 'no zip', 'zip' ) as $with ) {
		if ( 'zip' === $with && ! $real ) {
			class_alias( 'Names', 'ZipArchive' );
		}
		foreach ( $names as $name => $climbs ) {
			@unlink( "$base/package" );
			$pack( array( 'garden/readme.txt', $name ) );
			$is( "$with: $name", array( $code( $careful->unpack_package( "$base/package" ) ), is_file( "$base/package" ) ), $climbs ? array( 'svc_connector_climbs_out', false ) : array( '"unpacked"', true ) );
		}
		file_put_contents( "$base/package", 'no zip' );
		$is( "$with: no zip", $code( $careful->unpack_package( "$base/package" ) ), '"unpacked"' );
		$is( "$with: what is laid ready", $careful->unpack_package( $base ), $base );
		foreach ( $items as list( $type, $file ) ) {
			$filters = array();
			Package::watch( new Item( $type, $file ) );
			$is( "$with, $type $file: the folder is asked for", isset( $filters['upgrader_source_selection'] ), 'core' !== $type && 'translations' !== $type );
		}
	}
	$filters = array();
	Package::watch( new Item( 'plugin', 'single.php' ) );
	foreach ( array( '/up/x/' => false, '/up/x/single/' => true ) as $source => $is_folder ) {
		$is( "a single file out of $source", $code( $filters['upgrader_source_selection']( $source, '/up/x' ) ), $is_folder ? 'svc_connector_folder_for_a_file' : json_encode( $source ) );
	}
	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
