<?php
/**
 * The end of a connection, and what goes by itself: nothing of a restore or an update outlives the service that began it, its key opens no
 * door any more, and the site is never left between two states.
 *
 *   php ending.php
 *
 * Needs the extensions sodium and sqlite3.
 *
 * @package SvcConnector
 */

namespace {
	$svc_base = $argv[2] ?? sys_get_temp_dir() . '/svc-ending-' . bin2hex( random_bytes( 6 ) );
	define( 'ABSPATH', "$svc_base/www/" );
	define( 'WP_CONTENT_DIR', "$svc_base/www/wp-content" );
	define( 'HOUR_IN_SECONDS', 3600 );
	define( 'DB_ENGINE', 'sqlite' );
	define( 'AUTH_KEY', 'a salt of this site' );
	define( 'SVC_PAIR', sodium_crypto_sign_seed_keypair( str_repeat( "\x07", 32 ) ) );
	require __DIR__ . '/options.php';
	$wpdb    = new class() {
		public $prefix = 'wp_';
		public $options = 'wp_options';
		public function suppress_errors() {
			return false;
		}
		public function query() {
			return 0;
		}
	};
	function wp_cache_flush() {}
	function did_action() { return 0; }
}

namespace SvcConnector {
	/** What php://input has in a request. */
	final class Sent {
		public $context;
		private $left;
		public function stream_open(): bool {
			$this->left = $GLOBALS['argv'][4];
			return true;
		}
		public function stream_read( int $most ): string {
			list( $bytes, $this->left ) = array( substr( $this->left, 0, $most ), substr( $this->left, $most ) );
			return $bytes;
		}
		public function stream_eof(): bool {
			return '' === $this->left;
		}
		public function stream_stat(): array {
			return array();
		}
	}

	// One visit of a site: first what is asked before every plugin, then the page.
	if ( 'visit' === ( $argv[1] ?? '' ) ) {
		if ( isset( $argv[3] ) ) {
			$_GET = array( 'svc-connector' => 'rescue' );
			foreach ( json_decode( $argv[3], true ) as $name => $value ) {
				$_SERVER[ 'content-type' === $name ? 'CONTENT_TYPE' : 'HTTP_' . strtoupper( strtr( $name, '-', '_' ) ) ] = $value;
			}
			$_SERVER['REQUEST_METHOD'] = 'POST';
			stream_wrapper_unregister( 'php' );
			stream_wrapper_register( 'php', Sent::class );
		}
		foreach ( array( ABSPATH . '.maintenance', WP_CONTENT_DIR . '/mu-plugins/000-svc-connector-recovery.php' ) as $door ) {
			if ( is_file( $door ) ) {
				include $door;
			}
		}
		echo 'the page';
		exit;
	}
	// The end of a page that began before: the plugin has loaded its classes by then, and WordPress asks the notice once more.
	if ( 'late' === ( $argv[1] ?? '' ) ) {
		require __DIR__ . '/load.php';
		array_map( 'class_exists', array( Incoming::class, Wire::class, FileSwap::class ) );
		$_GET = array( 'svc-connector' => 'rescue' );
		include ABSPATH . '.maintenance';
		include ABSPATH . '.maintenance';
		echo 'the page';
		exit;
	}
	// A visit that found the folder of an update, or of a restore, overdue, in the moment in which the service takes it away.
	if ( 'overtaken' === ( $argv[1] ?? '' ) ) {
		require "$argv[3]/rescue/rescue.php"; // With all that it needs, as it lies there.
		$journal = Journal::open( $argv[3] );
		rename( $argv[3], "$argv[3]-away" );
		$give_up = new \ReflectionMethod( Rescue::class, 'give_up' );
		$give_up->setAccessible( true );
		$give_up->invoke( null, $journal );
		echo 'the page';
		exit;
	}
	// Pages that note what they met in the folder of an update, for as long as it is there.
	if ( 'notes' === ( $argv[1] ?? '' ) ) {
		for ( $n = 0; $n < 5000 && @touch( "$argv[3]/note-$n" ); $n++ ) {
			continue;
		}
		exit;
	}
	const FILE = __FILE__;
	require __DIR__ . '/load.php';
	$wrong  = array();
	$checks = 0;
	$check  = static function ( string $what, bool $holds ) use ( &$wrong, &$checks ): void {
		++$checks;
		if ( ! $holds ) {
			$wrong[] = $what;
		}
	};
	mkdir( WP_CONTENT_DIR . '/mu-plugins', 0755, true );
	mkdir( ABSPATH . 'wp-admin/includes', 0755, true );
	touch( ABSPATH . 'wp-admin/includes/plugin.php' );
	$work    = Root::work();
	$visit   = static function ( array $headers = array(), string $body = '' ) use ( $svc_base ): string {
		$command = array_merge( array( PHP_BINARY, '-d', 'error_log=/dev/null', __FILE__, 'visit', $svc_base ), $headers ? array( json_encode( $headers ), $body ) : array() );
		$pipes   = array();
		$run     = proc_open( $command, array( 1 => array( 'pipe', 'w' ) ), $pipes );
		$said    = stream_get_contents( $pipes[1] );
		proc_close( $run );
		return $said;
	};
	$seal    = new \ReflectionMethod( Identity::class, 'seal' );
	$seal->setAccessible( true );
	$sealed  = $seal->invoke( null, sodium_crypto_sign_secretkey( SVC_PAIR ) );
	$make    = static function ( array $state ) use ( $work, $sealed ): Journal {
		$public = base64_encode( sodium_crypto_sign_publickey( SVC_PAIR ) );
		return Journal::create( $work, $state + array( 'kind' => 'restore', 'phase' => 'staging', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'roots' => array( 'abspath' => rtrim( ABSPATH, '/' ), 'item' => WP_CONTENT_DIR . '/plugins' ), 'deadline' => time() + 600, 'echo' => 'e', 'identity' => array( 'site_id' => 'site_1', 'keyid' => 'k1', 'public' => $public, 'site_secret' => $sealed ) ) );
	};
	$live    = WP_CONTENT_DIR . '/live.txt';
	$planned = static function ( Journal $journal, string $root, string $path ): void {
		Journal::write( $journal->data( 'plan' ), json_encode( array( 'k' => 'put', 'r' => $root, 'p' => $path ) ) . "\n" );
		Door::prepare( $journal );
	};
	// A site in the middle of a restore: its file is the new one, its notice is the door.
	$restore = static function () use ( $make, $planned, $live ): Journal {
		$db = WP_CONTENT_DIR . '/db.sqlite';
		is_file( $db ) && unlink( $db );
		( new \SQLite3( $db ) )->exec( 'CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT, autoload TEXT)' );
		file_put_contents( $live, 'old' );
		$journal = $make( array( 'phase' => 'armed', 'engine' => 'sqlite', 'file' => $db, 'prefix' => 'wp_', 'doors' => array( ABSPATH . '.maintenance' ) ) );
		$planned( $journal, 'abspath', 'wp-content/live.txt' );
		file_put_contents( $journal->side( 'new', 0 ), 'new' );
		file_put_contents( $journal->side( 'sql', 0 ), 'rows of people' );
		$swap = new FileSwap( $journal, 5.0 );
		$swap->forward();
		Door::place( ABSPATH . '.maintenance', Door::notice( $journal, time() + 600, 600, str_repeat( '0', 64 ) ) );
		return $journal;
	};
	// A site with a new version of a plugin that is not judged yet; its door is a must-use plugin.
	$update  = static function () use ( $make, $planned ): Journal {
		$door    = WP_CONTENT_DIR . '/mu-plugins/' . Door::NAME;
		$journal = $make( array( 'kind' => 'update', 'phase' => 'swapped', 'type' => 'plugin', 'file' => 'garden/garden.php', 'doors' => array( $door ) ) );
		foreach ( array( WP_CONTENT_DIR . '/plugins/garden' => 'new', $journal->side( 'old', 0 ) => 'old' ) as $folder => $version ) {
			mkdir( $folder, 0755, true );
			file_put_contents( "$folder/garden.php", $version );
		}
		$planned( $journal, 'item', 'garden' );
		Door::arm( $journal, array( $door ) );
		return $journal;
	};
	$request = static function ( string $body = '' ): array {
		$headers                   = array( 'content-type' => 'application/json', 'content-digest' => Wire::digest( $body ), 'svc-protocol' => '1', 'svc-site' => 'site_1', 'svc-request-id' => 'req_1' );
		$params                    = Wire::COVERED_REQUEST . ';created=' . time() . ';expires=' . ( time() + 60 ) . ';nonce="' . Wire::nonce() . '";keyid="k1";alg="ed25519";tag="svc-connector-v1"';
		$headers['signature-input'] = "svc=$params";
		$headers['signature']       = 'svc=' . Wire::sign( Wire::request_base( $headers, $params ), sodium_crypto_sign_secretkey( SVC_PAIR ) );
		return $headers;
	};
	$asks    = static function ( array $params ) use ( $request, $visit ): string {
		$body = json_encode( array( 'method' => 'restore.rollback', 'params' => $params ) );
		$said = json_decode( $visit( $request( $body ), $body ), true );
		return (string) ( $said['error']['code'] ?? json_encode( $said['result'] ?? null ) );
	};
	$garden  = WP_CONTENT_DIR . '/plugins/garden';
	$version = static function () use ( $garden ): string {
		return (string) file_get_contents( "$garden/garden.php" );
	};
	$gone    = static function () use ( $garden ): void {
		Leftovers::clear( $garden );
		rmdir( $garden );
	};

	// What is not at work goes with the connection, also what would have been kept for an undo.
	$make( array( 'phase' => 'committed', 'kept_until' => time() + 86400 ) );
	$make( array( 'phase' => 'staging' ) );
	touch( $make( array( 'kind' => 'update', 'phase' => 'rolled_back', 'type' => 'plugin', 'file' => 'a/a.php' ) )->dir . '/heard' );
	Enrolment::disconnect();
	$check( 'what is not at work goes with the connection', array() === Journal::folders( $work ) );

	foreach ( array( 'the page' => 'plugin', '' => 'core' ) as $said => $type ) {
		$journal = $make( array( 'kind' => 'update', 'phase' => 'swapped', 'type' => $type, 'file' => 'garden/garden.php' ) );
		Door::prepare( $journal );
		$check( "an update of $type that the service ends in that moment", (string) shell_exec( implode( ' ', array_map( 'escapeshellarg', array( PHP_BINARY, '-d', 'error_log=/dev/null', FILE, 'overtaken', $svc_base, $journal->dir ) ) ) ) === $said );
		rename( "$journal->dir-away", $journal->dir );
		Leftovers::wipe( $journal, 5.0 );
	}
	$check( 'leaves nothing', array() === Journal::folders( $work ) );

	// A restore that is at work: its door knows the service until the connection ends, then the next visitor makes the site take itself back.
	$journal = $restore();
	$check( 'the door of a restore knows the service', false !== strpos( $visit( $request() ), '"refused":"body"' ) && 'new' === file_get_contents( $live ) ); // The empty body is read only behind the signature.
	$check( 'it knows the job', 'failed' === $asks( array( 'job' => 'job_2', 'fence' => 9 ) ) && 'failed' === $asks( array( 'fence' => 1 ) ) && 'new' === file_get_contents( $live ) );
	$check( 'and the fence', 'fence' === $asks( array( 'job' => 'job_1', 'fence' => 0 ) ) && 'new' === file_get_contents( $live ) );
	$check( 'whoever has the job is heard', '{"done":true}' === $asks( array( 'job' => 'job_1', 'fence' => 2 ) ) && 'old' === file_get_contents( $live ) );
	foreach ( array( 'job_1' => 'fence', 'job_2' => '' ) as $job => $reason ) {
		try {
			Journal::current( $work, 'restore', $job, 1 );
			$said = '';
		} catch ( Problem $problem ) {
			$said = $problem->reason();
		}
		$check( "once fence 2 was seen, fence 1 of $job is as it should be", $reason === $said );
	}
	Leftovers::wipe( $journal, 5.0 );
	$restore();
	Enrolment::disconnect();
	$said = $visit( $request() );
	$check( 'then it does not', false === strpos( $said, 'refused' ) && false === strpos( $said, 'result' ) );
	$restore();
	$check( 'the notice may be asked twice, and late', 'the page' === shell_exec( PHP_BINARY . ' ' . escapeshellarg( __FILE__ ) . ' late ' . escapeshellarg( $svc_base ) . ' 2>&1' ) );
	Enrolment::disconnect();
	$visit(); // Anybody.
	$check( 'the site took itself back', 'old' === file_get_contents( $live ) && ! is_file( ABSPATH . '.maintenance' ) && 'the page' === $visit() );
	$check( 'no row of a restore stays', array() === Journal::folders( $work ) );

	// A notice that somebody left: told from that of an update that runs, out of the way while a restore is at work, and then where it was.
	$notice = ABSPATH . '.maintenance';
	foreach ( array( time() => true, time() - 60 => true, time() - 3600 => false, time() + 86400 => false, 'time()' => false ) as $time => $is_at_work ) {
		file_put_contents( $notice, "<?php \$upgrading = $time; ?>" );
		$check( "a notice of $time", $is_at_work === Door::is_at_work( $notice ) );
	}
	$is_shut = new \ReflectionMethod( Survey::class, 'is_shut' );
	$is_shut->setAccessible( true );
	file_put_contents( $notice, '<?php $upgrading = ' . ( time() - 60 ) . ';' );
	$passes = array( gmdate( 'H:i', time() + 540 ), gmdate( 'H:i', time() + 600 ) );
	$check( 'which is an obstacle that passes, as no other does', Survey::passes( Door::at_work( $notice ) ) && ! Survey::passes( Survey::NO_FILES ) && ! Survey::passes( '' ) );
	$check( 'a survey knows an update that may be running, and the minute at which that passes', $is_shut->invoke( null ) && preg_match( '/until (\d\d:\d\d) UTC$/D', Door::at_work( $notice ), $told ) && in_array( $told[1], $passes, true ) );
	$journal = $restore();
	file_put_contents( $notice, "<?php // {$journal->tag()}\n\$upgrading = " . time() . ';' );
	$check( 'the connector’s own notice is no such update', ! $is_shut->invoke( null ) );
	Leftovers::wipe( $journal, 5.0 );
	is_file( $notice ) && unlink( $notice );
	$check( 'nor is none', ! $is_shut->invoke( null ) );
	foreach ( array( array( 'rolled_back', true, true ), array( 'committed', false, true ), array( 'committed', true, false ) ) as list( $phase, $opens, $stays ) ) {
		$journal = $restore();
		file_put_contents( $journal->data( 'notice' ), 'left' );
		$journal->put( array( 'phase' => $phase, 'opens' => $opens ) );
		FileSwap::open_site( $journal );
		$check( "after $phase the notice is as it should be", $stays === ( is_file( $notice ) && 'left' === file_get_contents( $notice ) ) && is_file( $notice ) === $stays );
		is_file( $notice ) && unlink( $notice );
		Leftovers::wipe( $journal, 5.0 );
		is_file( $notice ) && unlink( $notice );
		$journal = null;
	}

	// An update: the visitor who finds it sees the page of the old version.
	$journal = $update();
	$check( 'an update waits for its judge', 'the page' === $visit() && 'new' === $version() );
	$check( 'the door of an update knows the service', false !== strpos( $visit( $request() ), '"refused":"body"' ) );
	$journal->hold();
	Enrolment::disconnect();
	$check( 'while a request is at work on it, visitors wait for nothing', 'the page' === $visit() && 'new' === $version() );
	$check( 'and the service has no say', 'the page' === $visit( $request() ) );
	$journal = null;
	$check( 'then the visitor sees the old version', 'the page' === $visit() && 'old' === $version() && ! is_file( WP_CONTENT_DIR . '/mu-plugins/' . Door::NAME ) );
	Leftovers::sweep( 5.0 );
	$check( 'and nothing of the update stays', array() === Journal::folders( $work ) );

	// Somebody has removed the doors: the site takes the update back when it tidies up.
	$gone();
	$journal = $update();
	unlink( WP_CONTENT_DIR . '/mu-plugins/' . Door::NAME );
	$journal = null;
	Enrolment::disconnect();
	$check( 'without doors it is taken back at once', 'old' === $version() && array() === Journal::folders( $work ) );

	// A site that was copied in the middle of an update: the copy ends its own connection, and touches nothing of the site.
	$gone();
	$journal = $update();
	$journal->put( array( 'dir' => '/elsewhere/' . basename( $journal->dir ) ) );
	$journal = null;
	Enrolment::disconnect();
	$check( 'a copy throws its own folder away', array() === Journal::folders( $work ) );
	$check( 'and leaves the door and the files of the site alone', 'new' === $version() && is_file( WP_CONTENT_DIR . '/mu-plugins/' . Door::NAME ) );

	// By itself, at most once an hour, and only what is over.
	$clock = "$work/index.php";
	$old   = $make( array( 'phase' => 'committed', 'kept_until' => time() - 30 * 86400 ) )->dir;
	$kept  = $make( array( 'phase' => 'committed', 'kept_until' => time() + 3600 ) )->dir;
	$fresh = "$work/.ht" . str_repeat( 'a', 32 );
	$stale = "$work/.ht" . str_repeat( 'b', 32 );
	array_map( 'mkdir', array( $fresh, $stale ) );
	touch( $stale, time() - 7 * 3600 );
	Plugin::tidy();
	$check( 'within the hour nothing is looked for', is_dir( $old ) );
	touch( $clock, time() - 3700 );
	Plugin::tidy();
	clearstatcache();
	$check( 'after it, what is over goes and the rest stays', array( false, true, true, false ) === array_map( 'is_dir', array( $old, $kept, $fresh, $stale ) ) );
	$check( 'and the hour begins anew', filemtime( $clock ) > time() - 60 );

	// A page that began before notes what it met, again and again, while the folder is thrown away.
	$folders = Journal::folders( $work );
	$whole   = true;
	for ( $round = 0; $round < 20; $round++ ) {
		$journal = $make( array( 'kind' => 'update', 'phase' => 'committed' ) );
		$pipes   = array();
		$notes   = proc_open( array( PHP_BINARY, FILE, 'notes', $svc_base, $journal->dir ), array(), $pipes );
		while ( ! file_exists( "$journal->dir/note-50" ) ) {
			usleep( 500 );
		}
		$whole = Leftovers::wipe( $journal, 5.0 ) && $whole;
		proc_close( $notes );
	}
	$check( 'what a page notes meanwhile keeps no folder', $whole && Journal::folders( $work ) === $folders );

	Leftovers::clear( $svc_base );
	rmdir( $svc_base );
	foreach ( $wrong as $line ) {
		echo "WRONG  $line\n";
	}
	printf( "%d checks: %d wrong\n", $checks, count( $wrong ) );
	exit( $wrong || $checks < 32 ? 1 : 0 );
}
