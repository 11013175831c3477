<?php
/**
 * A trial of a version: only whom the service lets in gets there, nothing that a transaction cannot take back is carried out, and only what hangs is ended.
 *
 *   php trial.php
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-trial-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/site/wp-content/plugins/garden", 0755, true );
	mkdir( "$base/place/trial/garden", 0755, true );
	mkdir( "$base/dir/rescue", 0755, true );
	mkdir( "$base/dir/nonces", 0755, true );
	define( 'ABSPATH', "$base/site/" );
	$filters = array();
	function add_filter( $name, $act ) { $GLOBALS['filters'][ $name ] = $act; }
	function __() { return ''; }
	class WP_Error {}
	/** Carries nothing out, and tells what it was asked to. */
	class Heard {
		public $ran = array();
		public function query( $sql ) {
			$sql         = call_user_func( $GLOBALS['filters']['query'], $sql );
			$this->ran[] = $sql;
			return true;
		}
		public function suppress_errors() { return true; }
	}
	$wpdb = new Heard();
}

namespace SvcConnector {

	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$state = array(
		'dir'      => "$base/dir",
		'place'    => "$base/place",
		'phase'    => 'armed',
		'type'     => 'plugin',
		'echo'     => bin2hex( random_bytes( 16 ) ),
		'roots'    => array( 'item' => "$base/site/wp-content/plugins" ),
		'names'    => array( 'garden' ),
		'keeps'    => array( 'wp_old_counter' ),
		'deadline' => time() + 300,
	);
	foreach ( Door::FILES as $name ) {
		copy( dirname( __DIR__ ) . "/svc-connector/src/$name.php", "$base/dir/rescue/" . basename( $name ) . '.php' );
	}
	$write = static function ( array $changes ) use ( $base, $state ): void {
		file_put_contents( "$base/dir/state.php", "<?php __halt_compiler();\n" . json_encode( $changes + $state ) );
	};

	// Who gets there: each in a process of its own, as each request is.
	$nonce = bin2hex( random_bytes( 16 ) );
	$mark  = static function ( string $word, string $nonce, string $echo ): string {
		return $nonce . hash_hmac( 'sha256', "$word $nonce", $echo );
	};
	$ask   = static function ( string $query, string $more = '', string $says = '' ) use ( $base ): string {
		$code = 'define( "ABSPATH", ' . var_export( ABSPATH, true ) . ' ); function add_filter( $name, $act ) { $GLOBALS["added"][ $name ] = $act; } ' . $more . ' parse_str( ' . var_export( $query, true ) . ', $_GET ); require ' . var_export( "$base/dir/rescue/door.php", true )
			. '; ' . $says . ' echo class_exists( "SvcConnector\\\\Trial", false ) && SvcConnector\\Trial::is_on() ? WP_PLUGIN_DIR : "a visitor";';
		return (string) shell_exec( PHP_BINARY . ' -r ' . escapeshellarg( $code ) );
	};
	$write( array() );
	$good = $mark( 'trial', $nonce, $state['echo'] );
	$is( 'a stranger', $ask( 'svc-connector-trial=1' ), 'a visitor' );
	$is( 'another echo', $ask( 'svc-connector-trial=' . $mark( 'trial', $nonce, bin2hex( random_bytes( 16 ) ) ) ), 'a visitor' );
	$is( 'the mark of a probe', $ask( 'svc-connector-trial=' . $mark( 'probe', $nonce, $state['echo'] ) ), 'a visitor' );
	$is( 'a list', $ask( "svc-connector-trial[]=$good" ), 'a visitor' );
	$is( 'a folder of plugins that is set by hand', $ask( 'svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ), 'define( "WP_PLUGIN_DIR", "/elsewhere" );' ), 'a visitor' );
	$is( 'the service', $ask( "svc-connector-trial=$good" ), "$base/place/trial" );
	$as = 'echo defined( "DOING_CRON" ) ? "as WP-Cron " : "";';
	$is( 'as WP-Cron', $ask( 'svc-connector-as=cron&svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ), '', $as ), "as WP-Cron $base/place/trial" );
	$is( 'as WP-Cron, for a look', $ask( 'svc-connector-as=cron&svc-connector-probe=' . $mark( 'probe', bin2hex( random_bytes( 16 ) ), $state['echo'] ), '', $as ), 'as WP-Cron a visitor' );
	$is( 'as WP-Cron, for a stranger', $ask( 'svc-connector-as=cron', '', $as ), 'a visitor' );
	$cart = 'echo $added["woocommerce_checkout_redirect_empty_cart"] ?? "as ever", " ";';
	$is( 'a checkout without a cart, for a look', $ask( 'svc-connector-probe=' . $mark( 'probe', bin2hex( random_bytes( 16 ) ), $state['echo'] ), '', $cart ), '__return_false a visitor' );
	$is( 'a checkout without a cart, in a trial', $ask( 'svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ), '', $cart ), "__return_false $base/place/trial" );
	$is( 'a checkout without a cart, for a stranger', $ask( '', '', $cart ), 'as ever a visitor' );
	file_put_contents( "$base/headers.php", '<?php namespace SvcConnector; function header_register_callback( $act ) { $GLOBALS["last"] = $act; } function header( $line ) { $GLOBALS["headers"][] = $line; }' );
	$heads = "require '$base/headers.php';";
	$told  = 'if ( isset( $last ) ) { header( "Cache-Control: public" ); $last(); } echo isset( $last ) ? end( $headers ) . " " . ( in_array( "Cache-Control: no-store, private, max-age=0", $headers, true ) ? "no-store " : "" ) : "";';
	foreach ( array( 'probe' => 'a visitor', 'trial' => "$base/place/trial" ) as $word => $who ) {
		$is( "no cache keeps a $word", $ask( "svc-connector-$word=" . $mark( $word, bin2hex( random_bytes( 16 ) ), $state['echo'] ), $heads, $told ), "X-LiteSpeed-Cache-Control: no-cache no-store $who" );
	}
	$is( 'what a visitor gets is kept as ever', $ask( '', $heads, $told ), 'a visitor' );
	$write( array( 'phase' => 'swapped' ) );
	$is( 'whatever hangs once it is installed is known', $ask( '', '', 'echo class_exists( "SvcConnector\\\\Hanging", false ) ? "may be ended " : "";' ), 'may be ended a visitor' );
	$write( array() );
	$auto = 'echo $added["automatic_updater_disabled"] ?? "as ever", " ";';
	$is( 'nothing else updates by itself', $ask( '', '', $auto ), '__return_true a visitor' );
	$write( array( 'phase' => 'rolled_back' ) );
	$is( 'until it is over', $ask( '', '', $auto ), 'as ever a visitor' );
	$write( array() );
	$is( 'as something else', $ask( 'svc-connector-as=ajax&svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ), '', $as ), "$base/place/trial" );
	$is( 'the same mark again', $ask( "svc-connector-trial=$good" ), 'a visitor' );
	foreach ( array( 'swapped', 'rolled_back', 'staging' ) as $phase ) {
		$write( array( 'phase' => $phase ) );
		$is( "while it is $phase", $ask( 'svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ) ), 'a visitor' );
	}

	// What a request met that had to go without something is not the version's doing.
	$write( array() );
	file_put_contents( "$base/place/trial/garden/garden.php", '<?php function garden( callable $act ) { return $act(); }' );
	$deaf = 'class Deaf { function query( $sql ) {} function suppress_errors( $on ) { return $on; } } $wpdb = new Deaf(); ini_set( "display_errors", "0" ); ini_set( "log_errors", "0" );';
	$load = 'require ' . var_export( "$base/place/trial/garden/garden.php", true ) . '; $now = new ReflectionProperty( "SvcConnector\\Trial", "now" ); $now->setAccessible( true );';
	$met  = "$base/place/fatals-look-trial";
	$fail = static function ( string $first ) use ( $ask, $mark, $state, $deaf, $load, $met ): bool {
		@unlink( $met );
		$ask( 'svc-connector-trial=' . $mark( 'trial', bin2hex( random_bytes( 16 ) ), $state['echo'] ), $deaf, "$load $first nobody();" );
		return is_file( $met );
	};
	$is( 'a fatal error', $fail( '' ), true );
	$is( 'a fatal error of a request that had to go without something', $fail( 'garden( function () use ( $now ) { $now->getValue()->query( "CREATE TABLE t (a int)" ); } );' ), false );
	array_map( 'unlink', array_filter( array( "$base/place/held", "$base/place/without" ), 'is_file' ) );

	// What is carried out.
	$is( 'it begins', Trial::begin( $state, $nonce ), true );
	$state_of = Journal::open( "$base/dir" );
	$nothing = 'DO 0';
	$same    = array(
		'SELECT * FROM wp_options',
		'  (SELECT 1) UNION (SELECT 2)',
		"/* a comment */ SELECT 1",
		"-- a comment\nSHOW TABLES",
		'SET NAMES utf8mb4',
		"INSERT INTO wp_options (option_name) VALUES ('CREATE TABLE x')",
		'update wp_posts set post_title = 1',
		'DELETE FROM wp_posts',
		'REPLACE INTO wp_posts VALUES (1)',
		'CREATE TEMPORARY TABLE t (a int)',
		'drop temporary table t',
	);
	$held    = array(
		'CREATE TABLE wp_new (a int)'           => 'a statement that begins with CREATE',
		"\n\t alter table wp_posts add b int"   => 'a statement that begins with ALTER',
		'/* x */ DROP TABLE wp_posts'           => 'a statement that begins with DROP',
		"# x\nTRUNCATE wp_posts"                => 'a statement that begins with TRUNCATE',
		'/*!40000 ALTER TABLE wp_posts ENGINE=InnoDB */' => 'a statement that begins with /*!40000',
		'RENAME TABLE a TO b'                   => 'a statement that begins with RENAME',
		'LOCK TABLES wp_posts WRITE'            => 'a statement that begins with LOCK',
		'SET autocommit=1'                      => 'a statement that begins with SET',
		'ROLLBACK'                              => 'a statement that begins with ROLLBACK',
		'UPDATE `wp_old_counter` SET n = n + 1' => 'rows of wp_old_counter',
		'START TRANSACTION'                     => null,
		'COMMIT;'                               => null,
		'BEGIN'                                 => null,
		'SAVEPOINT a'                           => null,
	);
	require "$base/place/trial/garden/garden.php";
	$wpdb->query( 'SELECT 0' );
	$is( 'its transaction', $wpdb->ran, array( 'START TRANSACTION', 'SELECT 0' ) );
	$lines = static function () use ( $base ): array {
		return is_file( "$base/place/held" ) ? file( "$base/place/held", FILE_IGNORE_NEW_LINES ) : array();
	};
	foreach ( $same as $sql ) {
		$wpdb->query( $sql );
		$is( $sql, end( $wpdb->ran ), $sql );
	}
	$is( 'nothing was held back', $lines(), array() );
	$is( 'nor did the new version write', Trial::wrote( $state_of ), false );
	\garden( static function () use ( $wpdb ) { $wpdb->query( 'SELECT 1' ); } );
	$is( 'it reads', Trial::wrote( $state_of ), false );
	\garden( static function () use ( $wpdb ) { $wpdb->query( 'UPDATE wp_posts SET post_title = 1' ); } );
	$is( 'it writes', Trial::wrote( $state_of ), true );
	foreach ( array_keys( $held ) as $sql ) {
		$wpdb->query( $sql );
		$is( $sql, end( $wpdb->ran ), $nothing );
	}
	call_user_func( $filters['pre_http_request'], false );
	$is( 'what other code had to go without', $lines(), array() );
	$is( 'that says nothing of the request', array( Trial::lacks(), Trial::without( $state_of ) ), array( false, array() ) );
	foreach ( array_keys( $held ) as $sql ) {
		\garden( static function () use ( $wpdb, $sql ) { $wpdb->query( $sql ); } );
		$is( "$sql of the new version", end( $wpdb->ran ), $nothing );
	}
	$is( 'what was held back', $lines(), array_values( array_filter( $held ) ) );
	\garden( static function () use ( $filters ) { call_user_func( $filters['pre_http_request'], false ); } );
	$is( 'the request that had to go without', array( Trial::lacks(), Trial::without( $state_of ) ), array( true, array( $nonce ) ) );
	$is( 'whom the new version asks', array_slice( $lines(), -1 ), array( 'a request to another server' ) );
	$is( 'nobody is asked', get_class( call_user_func( $filters['pre_http_request'], false ) ), 'WP_Error' );
	\garden( static function () use ( $filters ) { call_user_func( $filters['request_filesystem_credentials'], '' ); } );
	$is( 'what the new version deletes', array( array_slice( $lines(), -1 ), call_user_func( $filters['request_filesystem_credentials'], '' ) ), array( array( 'a change of plugins or themes' ), false ) );
	file_put_contents( "$base/picture.jpg", 'x' );
	touch( "$base/picture.jpg", time() - 60 );
	file_put_contents( "$base/made.tmp", 'x' );
	$_SERVER['REQUEST_TIME'] = time() - 5;
	\garden( static function () use ( $filters, $base ) { call_user_func( $filters['wp_delete_file'], "$base/picture.jpg" ); } );
	$goes = static function ( string $name ) use ( $filters, $base ): string { return basename( call_user_func( $filters['wp_delete_file'], "$base/$name" ) ); };
	$is( 'a file that was there stays, one that this request has made goes', array( array_slice( $lines(), -1 ), $goes( 'picture.jpg' ), $goes( 'made.tmp' ), $goes( 'none' ) ), array( array( 'a file that goes' ), '', 'made.tmp', 'none' ) );
	$is( 'mails are taken', call_user_func( $filters['pre_wp_mail'], null ), true );
	$is( 'closed folders have no name', Trial::told( "in $base/place/trial/garden/garden.php:3" ), "in $base/site/wp-content/plugins/garden/garden.php:3" );
	Trial::end(
		static function () use ( $wpdb ): void {
			$wpdb->query( 'INSERT INTO wp_svc_connector VALUES (1)' );
		}
	);
	$is( 'its end', array_slice( $wpdb->ran, -2 ), array( 'ROLLBACK', 'INSERT INTO wp_svc_connector VALUES (1)' ) );
	$wpdb->query( 'UPDATE wp_options SET option_value = 1' );
	$is( 'afterwards', end( $wpdb->ran ), $nothing );

	// A database that begins no transaction, one that ends it, and that of SQLite, which lets nobody else write from its beginning on.
	$asked = static function ( array $more, array $statements ) use ( $base, $state ): array {
		@unlink( "$base/place/held" );
		$code = 'define( "ABSPATH", ' . var_export( ABSPATH, true ) . ' ); function add_filter( $name, $act ) { if ( "query" === $name ) { $GLOBALS["query"] = $act; } }'
			. ' class Driver { public $in = false; function inTransaction() { return $this->in; } }'
			. ' class Heard { public $ran = array(); public $last_error = ""; public $dbh; function suppress_errors() {} function query( $sql ) { $sql = $GLOBALS["query"]( $sql ); $this->ran[] = $sql;'
			. ' if ( "START TRANSACTION" === $sql ) { $this->dbh->in = ! $GLOBALS["refuses"]; return ! $GLOBALS["refuses"]; } if ( "SELECT broken" === $sql ) { $this->dbh->in = false; $this->last_error = "broken"; return false; } return true; } }'
			. ' $refuses = ' . var_export( $more['refuses'] ?? false, true ) . '; $wpdb = new Heard(); $wpdb->dbh = ' . ( $more['dbh'] ?? 'new Driver()' ) . '; require ' . var_export( __DIR__ . '/load.php', true )
			. '; SvcConnector\\Trial::begin( json_decode( ' . var_export( json_encode( array( 'sqlite' => $more['sqlite'] ) + $state ), true ) . ', true ) ); foreach ( json_decode( ' . var_export( json_encode( $statements ), true ) . ' ) as $sql ) { "first" === $sql ? SvcConnector\\Trial::before( function () use ( $wpdb ) { return $wpdb->query( "INSERT a nonce" ); } ) : $wpdb->query( $sql ); }'
			. ' echo json_encode( $wpdb->ran );';
		$ran = json_decode( (string) shell_exec( PHP_BINARY . ' -r ' . escapeshellarg( $code ) ), true );
		return array( $ran, is_file( "$base/place/held" ) ? file( "$base/place/held", FILE_IGNORE_NEW_LINES ) : array() );
	};
	$lost = array( 'a transaction that the database ended' );
	$is( 'MySQL that begins none', $asked( array( 'sqlite' => false, 'refuses' => true ), array( 'SELECT 0', 'INSERT a' ) ), array( array( 'START TRANSACTION', 'SELECT 0', 'DO 0' ), $lost ) );
	$is( 'SQLite that begins none', $asked( array( 'sqlite' => true, 'refuses' => true ), array( 'SELECT 0', 'INSERT a', 'UPDATE a' ) ), array( array( 'SELECT 0', 'START TRANSACTION', 'SELECT 1', 'SELECT 1' ), $lost ) );
	$is( 'SQLite: it begins with what is written', $asked( array( 'sqlite' => true ), array( 'SELECT 0', 'first', 'SELECT 1', 'INSERT a', 'UPDATE a' ) ), array( array( 'SELECT 0', 'INSERT a nonce', 'SELECT 1', 'START TRANSACTION', 'INSERT a', 'UPDATE a' ), array() ) );
	$is( 'SQLite: what fails before that', $asked( array( 'sqlite' => true ), array( 'SELECT broken', 'INSERT a' ) ), array( array( 'SELECT broken', 'START TRANSACTION', 'INSERT a' ), array() ) );
	$is( 'SQLite: what fails after that ends it', $asked( array( 'sqlite' => true ), array( 'INSERT a', 'SELECT broken', 'SELECT 0', 'UPDATE a' ) ), array( array( 'START TRANSACTION', 'INSERT a', 'SELECT broken', 'SELECT 0', 'SELECT 1' ), $lost ) );
	$is( 'an older SQLite', $asked( array( 'sqlite' => true, 'dbh' => 'new class() { public $in; }' ), array( 'INSERT a', 'SELECT broken', 'UPDATE a' ) ), array( array( 'START TRANSACTION', 'INSERT a', 'SELECT broken', 'SELECT 1' ), $lost ) );

	// What other code had to go without counts once that code has died, and not when the new version has.
	$dies = static function ( string $first, string $then ) use ( $base, $state ): array {
		@unlink( "$base/place/held" );
		$code = 'define( "ABSPATH", ' . var_export( ABSPATH, true ) . ' ); function add_filter() {} class Deaf { function query() {} function suppress_errors() {} } $wpdb = new Deaf(); require ' . var_export( __DIR__ . '/load.php', true )
			. '; SvcConnector\\Trial::begin( json_decode( ' . var_export( json_encode( $state ), true ) . ', true ) ); $now = ( new ReflectionProperty( "SvcConnector\\Trial", "now" ) ); $now->setAccessible( true ); require '
			. var_export( "$base/place/trial/garden/garden.php", true ) . "; $first; $then;";
		shell_exec( PHP_BINARY . ' -d display_errors=0 -d log_errors=0 -r ' . escapeshellarg( $code ) );
		return is_file( "$base/place/held" ) ? file( "$base/place/held", FILE_IGNORE_NEW_LINES ) : array();
	};
	$want = '$now->getValue()->query( "CREATE TABLE t (a int)" )';
	$is( 'other code that lives without it', $dies( $want, '' ), array() );
	$is( 'other code that dies without it', $dies( $want, 'nobody()' ), array( 'a statement that begins with CREATE, for want of which other code may have died' ) );
	$is( 'other code that dies, and had to go without nothing', $dies( '', 'nobody()' ), array() );
	// The same of code that ends the page by a message: what it lies in tells whose it is.
	foreach ( array( 'shop', 'quiet' ) as $plugin ) {
		mkdir( "$base/site/wp-content/plugins/$plugin" );
		file_put_contents( "$base/site/wp-content/plugins/$plugin/$plugin.php", "<?php function $plugin( callable \$act ) { return \$act(); }" );
	}
	$load  = implode( ' ', array_map( static function ( string $plugin ) use ( $base ): string { return "require '$base/site/wp-content/plugins/$plugin/$plugin.php';"; }, array( 'shop', 'quiet' ) ) );
	$lacks = "$load shop( function () { \$GLOBALS['now']->getValue()->query( 'ALTER TABLE t ADD a int' ); } )";
	$ends  = "function () { \$GLOBALS['now']->getValue()->given_up( 'a handler' ); }";
	$is( 'other code that gives up without it', $dies( $lacks, "shop( $ends )" ), array( 'a statement that begins with ALTER, for want of which other code may have given up' ) );
	$is( 'other code that gives up, and had to go without nothing', $dies( $lacks, "quiet( $ends )" ), array() );
	$is( 'WordPress that gives up beside it', $dies( $lacks, "( $ends )()" ), array() );
	$is( 'the new version that gives up by its code', $dies( $lacks, "garden( function () { shop( $ends ); } )" ), array() );
	$is( 'the new version that dies beside it', $dies( $want, 'garden( function () { nobody(); } )' ), array() );

	// What hangs: a process that holds its lock, as a request does.
	mkdir( "$base/dir/hanging" );
	$hang = static function () use ( $base ): array {
		$pipes   = array();
		$code    = '$f = fopen( ' . var_export( "$base/dir/hanging/trial-", true ) . ' . getmypid(), "cb" ); flock( $f, LOCK_EX ); echo "held"; fclose( STDOUT ); sleep( 60 );';
		$process = proc_open( array( PHP_BINARY, '-r', $code ), array( 1 => array( 'pipe', 'w' ) ), $pipes );
		stream_get_contents( $pipes[1] );
		return array( $process, "$base/dir/hanging/trial-" . proc_get_status( $process )['pid'] );
	};
	list( $process, $path ) = $hang();
	file_put_contents( $path, "another host\n" );
	touch( $path, time() - 30 );
	$is( 'it hangs on another host that shares the disk', array( Hanging::kill( "$base/dir", 'trial', 5 ), Hanging::$hung ), array( 1, 1 ) );
	proc_terminate( $process, 15 );
	do {
		$ended = proc_get_status( $process );
	} while ( $ended['running'] );
	$is( 'nobody else has ended it', $ended['termsig'], 15 );
	Hanging::$hung = 0;
	list( $process, $path ) = $hang();
	file_put_contents( $path, gethostname() . "\n" );
	$is( 'it has just begun', array( Hanging::kill( "$base/dir", 'trial', 5 ), proc_get_status( $process )['running'] ), array( 1, true ) );
	touch( $path, time() - 30 );
	$is( 'another kind', array( Hanging::kill( "$base/dir", 'judged', 5 ), proc_get_status( $process )['running'] ), array( 0, true ) );
	$is( 'none has hung', Hanging::$hung, 0 );
	$is( 'it hangs', array( Hanging::kill( "$base/dir", 'trial', 5 ), Hanging::$hung ), array( 1, 1 ) );
	proc_close( $process ); // Waits until it has ended, which it would do in a minute.
	$is( 'it has ended', array( Hanging::kill( "$base/dir", 'trial', 5 ), is_file( $path ) ), array( 0, false ) );
	// The request that looks for them.
	$own  = fopen( "$base/dir/hanging/trial-" . getmypid(), 'cb' );
	$held = flock( $own, LOCK_EX ) && touch( "$base/dir/hanging/trial-" . getmypid(), time() - 30 );
	$is( 'itself', array( $held, Hanging::kill( "$base/dir", 'trial', 5 ) ), array( true, 0 ) );
	fclose( $own );
	unlink( "$base/dir/hanging/trial-" . getmypid() );
	// A request that ended, and whose number another process has now.
	$other = proc_open( array( 'sleep', '60' ), array(), $pipes );
	$path  = "$base/dir/hanging/trial-" . proc_get_status( $other )['pid'];
	touch( $path, time() - 30 );
	$is( 'another process of that number', array( Hanging::kill( "$base/dir", 'trial', 5 ), proc_get_status( $other )['running'], is_file( $path ) ), array( 0, true, false ) );
	proc_terminate( $other, 9 );
	proc_close( $other );

	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
