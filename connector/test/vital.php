<?php
/**
 * The options without which a site is another one: each is put back after an update changed it, emptied it or took its row, by a visitor of
 * the door that knows nothing of WordPress, and by WordPress itself; what an update may change stays as it left it. Settings of a theme that nobody
 * had go.
 *
 *   php vital.php [socket]      on SQLite; with the socket of a MariaDB or MySQL there, in a database of its own
 *
 * Needs the extension sqlite3.
 *
 * @package SvcConnector
 */

namespace {
	const CONSTANTS = array( 'DB_HOST', 'DB_USER', 'DB_PASSWORD', 'DB_NAME' );
	if ( 'visit' === ( $argv[1] ?? '' ) ) {
		foreach ( array_slice( $argv, 3 ) as $n => $value ) {
			define( CONSTANTS[ $n ], $value );
		}
		define( 'ABSPATH', '/' );
		if ( '' !== (string) getenv( 'CACHE' ) ) {
			/** WordPress has begun its cache. */
			function wp_cache_flush() {
				file_put_contents( (string) getenv( 'CACHE' ), 'flushed ', FILE_APPEND );
			}
		}
		require "$argv[2]/rescue/door.php";
		exit( 0 );
	}
	$base   = sys_get_temp_dir() . '/svc-vital-' . bin2hex( random_bytes( 6 ) );
	$server = isset( $argv[1] ) ? array( "localhost:$argv[1]", 'root', '', 'svc_vital_' . getmypid() ) : array();
	mkdir( $base );
	define( 'FQDB', "$base/site.sqlite" );
	define( 'DB_ENGINE', $server ? 'mysql' : 'sqlite' );
	foreach ( $server as $n => $value ) {
		define( CONSTANTS[ $n ], $value );
	}
	$network = false;
	$forgot  = array();
	function is_multisite(): bool {
		return $GLOBALS['network'];
	}
	function get_current_network_id(): int {
		return 1;
	}
	function wp_load_alloptions(): array {
		return array_column( $GLOBALS['run']( 'SELECT option_name, option_value FROM wp_options' ), 1, 0 );
	}
	function wp_salt(): string {
		return 'a salt';
	}
	if ( 'visit' !== ( $argv[1] ?? '' ) ) { // There the door is asked before WordPress has it.
		function wp_cache_delete( string $name, string $group ): void {
			$GLOBALS['forgot'][] = "$group $name";
		}
	}
	/** As much of WordPress's database class as is asked. */
	class Database {
		public $prefix      = 'wp_';
		public $base_prefix = 'wp_';
		public $options     = 'wp_options';
		public $sitemeta    = 'wp_sitemeta';
		public function suppress_errors() {
			return true;
		}
		public function get_results() {
			return array( array( 'mariadb' ) );
		}
	}
	define( 'ARRAY_A', 'ARRAY_A' );
	$wpdb = new Database();
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	if ( $server ) {
		mysqli_report( MYSQLI_REPORT_OFF );
		$db = new \mysqli( null, 'root', '', '', 0, $argv[1] );
		$db->query( 'CREATE DATABASE ' . DB_NAME . ' CHARACTER SET utf8mb4' );
		$db->select_db( DB_NAME );
		$db->set_charset( 'utf8mb4' );
	} else {
		$db = new \SQLite3( FQDB );
		$db->busyTimeout( 5000 );
	}
	$run     = static function ( string $sql ) use ( $db ): array {
		$result = $db->query( $sql );
		if ( $result instanceof \mysqli_result ) {
			return $result->fetch_all( MYSQLI_NUM );
		}
		$rows = array();
		while ( $result instanceof \SQLite3Result && $result->numColumns() > 0 && $row = $result->fetchArray( SQLITE3_NUM ) ) {
			$rows[] = $row;
		}
		return $rows;
	};
	$text    = static function ( string $value ) use ( $server ): string {
		return ( $server ? '_utf8mb4 ' : 'CAST(' ) . "X'" . bin2hex( $value ) . "'" . ( $server ? '' : ' AS TEXT)' );
	};
	$set     = static function ( string $name, string $value ) use ( $run, $text ): void {
		$run( "UPDATE wp_options SET option_value = {$text( $value )} WHERE option_name = '$name'" );
	};
	$picture = static function () use ( $run ): array {
		return array_column( $run( 'SELECT option_name, option_value, autoload FROM wp_options ORDER BY option_name' ), null, 0 ) + array( '' => $run( 'SELECT * FROM wp_sitemeta ORDER BY meta_id' ) );
	};
	$serial  = $server ? 'bigint AUTO_INCREMENT PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
	$due     = serialize( array( 1700000000 => array( 'wp_version_check' => array( 'a' => array( 'schedule' => 'twicedaily', 'args' => array() ) ) ), 'version' => 2 ) );
	$later   = str_replace( '1700000000', '1700043200', $due );
	$options = array( 'active_plugins', 'template', 'stylesheet', 'siteurl', 'home', 'permalink_structure', 'show_on_front', 'page_on_front', 'default_role', 'users_can_register', 'cron', 'wp_user_roles', 'svc_connector_site', 'svc_connector_on' );
	$record  = static function ( string $keyid, string $site = 'site_1' ): string {
		return (string) json_encode( array( 'site_id' => $site, 'keyid' => $keyid ) );
	};
	/** A site with contents that a careless hand would spoil. */
	$furnish = static function () use ( $run, $text, $options, $serial, $due, $record ): void {
		foreach ( array( 'wp_options', 'wp_sitemeta' ) as $table ) {
			$run( "DROP TABLE IF EXISTS $table" );
		}
		$run( "CREATE TABLE wp_options (option_id $serial, option_name varchar(191) NOT NULL UNIQUE, option_value longtext NOT NULL, autoload varchar(20) NOT NULL DEFAULT 'yes')" );
		$run( "CREATE TABLE wp_sitemeta (meta_id $serial, site_id bigint NOT NULL, meta_key varchar(255), meta_value longtext)" );
		foreach ( array_merge( $options, array( 'blogname', 'users', 'theme_mods_old', 'theme_modsx' ) ) as $name ) {
			$value = array( 'cron' => $due, 'svc_connector_site' => $record( 'k1' ), 'svc_connector_on' => '1' )[ $name ] ?? "a:1:{i:0;s:9:\"$name\";} it's \\ \"so\" – 🌱\r\n%s";
			$run( "INSERT INTO wp_options (option_name, option_value) VALUES ('$name', {$text( $value )})" );
		}
		foreach ( array( 1, 2 ) as $site ) {
			$run( "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES ($site, 'active_sitewide_plugins', 'a:0:{}')" );
		}
	};
	/** An update at work, as the guard leaves it. */
	$guarded = static function () use ( $base ): Journal {
		$journal = Journal::create( "$base/work", array( 'kind' => 'update', 'phase' => 'armed', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'type' => 'plugin', 'file' => 'a/a.php', 'names' => array( 'a' ), 'roots' => array( 'item' => $base ), 'deadline' => time() - 1, 'echo' => 'e', 'doors' => array() ) );
		Journal::write( $journal->data( 'plan' ), '' );
		Door::prepare( $journal );
		Vital::note( $journal );
		$journal->put( array( 'phase' => 'swapped' ) );
		return $journal;
	};
	$visit   = static function ( Journal $journal, array $constants ): int {
		return proc_close( proc_open( array_merge( array( PHP_BINARY, __FILE__, 'visit', $journal->dir ), $constants ), array(), $pipes ) );
	};
	$ways    = array(
		'others'  => static function ( string $name ) use ( $set ): void {
			$set( $name, 'cron' === $name ? 'a:1:{s:7:"version";i:2;}' : 'another' );
		},
		'empty'   => static function ( string $name ) use ( $set ): void {
			$set( $name, '' );
		},
		'no rows' => static function ( string $name ) use ( $run ): void {
			$run( "DELETE FROM wp_options WHERE option_name = '$name'" );
		},
	);

	foreach ( array( false, true ) as $network ) {
		foreach ( $ways as $way => $change ) {
			$what = "$way" . ( $network ? ' in a network' : '' );
			$furnish();
			$was     = $picture();
			$journal = $guarded();
			$is( "nothing changed: $what", Vital::changed( $journal ), array() );
			foreach ( $options as $name ) {
				$change( $name );
			}
			$run( "UPDATE wp_sitemeta SET meta_value = 'another' WHERE site_id = 1" );
			$set( 'blogname', 'of the update' );
			$set( 'theme_mods_old', 'of the update' );
			foreach ( array( 'theme_mods_none', 'theme_mods_it\'s' ) as $name ) {
				$run( "INSERT INTO wp_options (option_name, option_value) VALUES ({$text( $name )}, 'a:0:{}')" );
			}
			$is( "what changed: $what", Vital::changed( $journal ), array_merge( $options, $network ? array( 'active_sitewide_plugins' ) : array() ) );
			$left = $picture();
			if ( $server ) {
				// The door beside WordPress: it knows no database.
				$is( "a visitor where nothing is known of the database: $what", array( $visit( $journal, array() ), $picture() ), array( 0, $left ) );
				$journal = Journal::open( $journal->dir );
				$is( "which takes the files back: $what", $journal->phase(), 'rolled_back' );
				$journal->put( array( 'phase' => 'swapped' ) );
			}
			$is( "a visitor: $what", $visit( $journal, $server ), 0 );
			$expected     = $was;
			foreach ( array( 'blogname', 'theme_mods_old' ) as $name ) {
				$expected[ $name ] = $left[ $name ];
			}
			$expected[''] = $network ? $was[''] : $left[''];
			$is( "as it was: $what", $picture(), $expected );
			$is( "and nothing differs: $what", array( Journal::open( $journal->dir )->phase(), Vital::changed( $journal ) ), array( 'rolled_back', array() ) );
		}
	}

	// Within WordPress, which may still hold what it read.
	$network = false;
	$furnish();
	$was     = $picture();
	$journal = $guarded();
	$set( 'home', 'https://elsewhere.example' );
	$set( 'cron', $later );
	Vital::back( $journal );
	$is( 'events are others all the time', $picture()['cron'][1], $later );
	$is( 'the address', $picture()['home'], $was['home'] );
	$is( 'what WordPress held', $forgot, array( 'options alloptions', 'options notoptions', 'options home' ) );
	$forgot = array();
	Vital::back( $journal );
	$is( 'again', $forgot, array() );
	$is( 'no cache that nobody could tell', is_file( $journal->dir . Journal::UNCACHED ), false );
	$network = true;
	$journal = $guarded();
	$run( "UPDATE wp_sitemeta SET meta_value = 'another' WHERE site_id = 1" );
	$forgot = array();
	Vital::back( $journal );
	$is( 'what WordPress held of a network', $forgot, array( 'site-options 1:notoptions', 'site-options 1:active_sitewide_plugins' ) );
	$network = false;

	// Before WordPress nobody can tell a cache that outlives the request: the door that knows it empties it, once, and stays for that.
	$door    = "$base/" . FileSwap::QUIET;
	$cached  = static function ( Journal $journal ) use ( $visit, $server, $base, $door ): array {
		putenv( "CACHE=$base/flushed" );
		$visit( $journal, $server );
		putenv( 'CACHE' );
		return array( is_file( "$base/flushed" ) ? file_get_contents( "$base/flushed" ) : '', is_file( $door ) );
	};
	$journal = $guarded();
	$journal->put( array( 'doors' => array( $door ) ) );
	file_put_contents( $door, $journal->tag() );
	$set( 'active_plugins', '' );
	$visit( $journal, $server );
	$is( 'it is put back, and the door stays', array( $picture()['active_plugins'], is_file( $door ) ), array( $was['active_plugins'], true ) );
	$is( 'with a cache', $cached( $journal ), array( 'flushed ', false ) );
	$is( 'once', $cached( $journal ), array( 'flushed ', false ) );

	// Of the events of others one may go by itself; two that are gone come back.
	$journal = $guarded();
	Journal::write( $journal->data( 'others' ), json_encode( array( 'plugins' => array(), 'events' => array( 'wp_version_check', 'rotate', 'water' ) ) ) );
	$set( 'cron', str_replace( 'twicedaily', 's:6:"rotate";', $later ) );
	$is( 'one event is gone', array( Vital::lost_events( $journal, $picture()['cron'][1] ), Vital::changed( $journal ) ), array( array( 'water' ), array() ) );
	$set( 'cron', $due );
	$is( 'two events are gone', array( Vital::lost_events( $journal, $due ), Vital::changed( $journal ) ), array( array( 'rotate', 'water' ), array( 'cron' ) ) );
	Vital::back( $journal );
	$is( 'they come back', $picture()['cron'][1], $later );
	unlink( $journal->data( 'others' ) );

	// A visitor whose request had begun writes the address again when all was put back: that makes no copy of the site, and a copy is left alone.
	$site = Identity::of( array( 'install_id' => Install::id() ) );
	$copy = Identity::of( array( 'install_id' => Install::id( 'other salts' ) ) );
	$journal->put( array( 'phase' => 'rolled_back' ) );
	$set( 'home', 'https://elsewhere.example' );
	$set( 'siteurl', 'https://elsewhere.example' );
	$moved = $picture();
	$is( 'the site is taken for a copy', $site->is_clone(), true );
	Vital::settle( $journal, $copy );
	$is( 'a copy', array( $copy->is_clone(), $picture() ), array( true, $moved ) );
	Vital::settle( null, $site );
	$is( 'no update', $picture(), $moved );
	Vital::settle( $journal, $site );
	$is( 'the site', array( $site->is_clone(), $picture()['home'], $picture()['siteurl'] ), array( false, $was['home'], $was['siteurl'] ) );
	$journal->put( array( 'dir' => '/elsewhere' ) );
	$set( 'home', 'https://elsewhere.example' );
	Vital::settle( $journal, $site );
	$is( 'a folder that was copied with its update', array( $site->is_clone(), $picture()['home'][1] ), array( true, 'https://elsewhere.example' ) );
	$journal->put( array( 'dir' => $journal->dir ) );

	// The pairing: its keys are rotated by others, another one is none of it, and one that has ended does not come back.
	$furnish();
	$journal = $guarded();
	$set( 'svc_connector_site', $record( 'k2' ) );
	$is( 'a key that was rotated', Vital::changed( $journal ), array() );
	foreach ( array( $record( 'k1', 'site_2' ), '', 'no JSON' ) as $value ) {
		$set( 'svc_connector_site', $value );
		$is( "another record: $value", Vital::changed( $journal ), array( 'svc_connector_site' ) );
	}
	$set( 'svc_connector_on', '0' );
	$is( 'what it says of the pairing', array( Vital::has_pairing( "$base/work-of-none" ), array_column( $run( "SELECT option_value FROM wp_options WHERE option_name = 'svc_connector_on'" ), 0 ) ), array( false, array( '0' ) ) );
	$is( 'a visitor, where the pairing is gone', array( $visit( $journal, $server ), $picture()['svc_connector_site'][1], $picture()['svc_connector_on'][1] ), array( 0, $record( 'k1' ), '1' ) );
	$journal = $guarded();
	$run( "DELETE FROM wp_options WHERE option_name = 'svc_connector_site'" );
	$set( 'svc_connector_on', '0' );
	touch( $journal->dir . Journal::ENDED );
	$is( 'a pairing that has ended', Vital::changed( $journal ), array() );

	// What an update did to all the others is not known here, but that it did is told.
	$furnish();
	$journal = $guarded();
	$set( 'blogname', str_repeat( 'a long name ', 100 ) );
	$longer = $guarded();
	$set( 'blogname', '' );
	$is( 'a little is gone', Vital::try_back( $journal ), '' );
	$is( 'one that held more than all the others is gone', Vital::try_back( $longer ), '' );
	for ( $n = 0; $n < 40; $n++ ) {
		$run( "INSERT INTO wp_options (option_name, option_value) VALUES ('of_the_site_$n', 'a'), ('_transient_$n', 'a')" );
	}
	$more = $guarded();
	$run( "DELETE FROM wp_options WHERE option_name LIKE '%transient%'" );
	$is( 'what was kept for a while is gone', Vital::try_back( $more ), '' );
	$run( "UPDATE wp_options SET option_value = ''" );
	$is( 'most of them are empty', Vital::try_back( $more ), 'Most of what was in the table of options is gone.' );
	foreach ( array( $longer, $more ) as $one ) {
		Leftovers::wipe( $one, INF );
	}

	// What the database does not take back leaves the files taken back, and is told.
	$furnish();
	$journal = $guarded();
	$run( 'DROP TABLE wp_options' );
	$is( 'a visitor, where the table is gone', $visit( $journal, $server ), 0 );
	$left = Journal::open( $journal->dir );
	$is( 'the files are back, and why the rest is not', array( $left->phase(), 0 === strpos( (string) $left->get( 'unmended' ), 'The database says: ' ) ), array( 'rolled_back', true ) );

	// Where it cannot be read nothing is noted, which is told, and nothing put back.
	$journal = $guarded();
	$is( 'no options', array( is_file( $journal->data( 'vital' ) ), Vital::note( $journal ), Vital::changed( $journal ), $visit( $journal, $server ) ), array( false, false, array(), 0 ) );

	if ( $server ) {
		$run( 'DROP DATABASE ' . DB_NAME );
	}
	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
