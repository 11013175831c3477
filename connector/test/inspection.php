<?php
/**
 * A look into wp-admin, on a MariaDB or MySQL: whatever a screen asks of the database, not a row and not a table is another one afterwards.
 *
 *   php inspection.php <socket>
 *
 * @package SvcConnector
 */

namespace {
	$name    = 'svc_inspection_' . getmypid();
	$filters = array();
	foreach ( array( 'ARRAY_A' => 'ARRAY_A', 'AUTH_COOKIE' => 'a', 'SECURE_AUTH_COOKIE' => 's', 'LOGGED_IN_COOKIE' => 'l' ) as $constant => $value ) {
		define( $constant, $value );
	}
	function add_filter( $name, $act ) { $GLOBALS['filters'][ $name ] = $act; }
	function remove_filter( $name ) { unset( $GLOBALS['filters'][ $name ] ); }
	function remove_action() {}
	function wp_generate_auth_cookie() { return 'a cookie'; }
	function wp_generate_password() { return 'a password'; }
	function wp_cache_delete() {}
	function wp_cache_set( $key, $value, $group ) { $GLOBALS['wp_object_cache']->set( $key, $value, $group ); }
	function get_current_blog_id() { return 1; }
	function wp_using_ext_object_cache() { return $GLOBALS['outlives']; }
	function wp_cache_flush() { ++$GLOBALS['flushed']; }
	$outlives = false;
	$flushed  = 0;
	function clean_user_cache() {}
	function apply_filters( $name, $value ) { return $GLOBALS['refuses'] === $name ? new WP_Error() : $value; }
	$refuses  = '';
	class WP_REST_Request {
		public $asked = array();
		public function __construct( $method, $route ) { $this->asked = array( $method, $route ); }
		public function set_param( $name, $value ) { $this->asked[] = "$name=$value"; }
	}
	class WP_Error {
		public function get_error_data() { return array( 'status' => 403 ); }
	}
	function is_wp_error( $thing ) { return $thing instanceof WP_Error; }
	/** Refuses everybody where it is told to. */
	function rest_get_server() {
		return new class() { public function check_authentication() { return 'refused' === $GLOBALS['rest'] ? new WP_Error() : null; } };
	}
	/** Answers as it is told, and wants a table first where that is what it is told. */
	function rest_do_request( $request ) {
		$GLOBALS['asked'] = $request->asked;
		if ( 'dies' === $GLOBALS['rest'] ) { throw new Error( 'dead' ); }
		if ( '' !== $GLOBALS['wants'] ) { $GLOBALS['wpdb']->query( $GLOBALS['wants'] ); }
		return new class() { public function get_status() { return $GLOBALS['rest']; } };
	}
	class WP_User {
		public $ID         = 1;
		public $user_login = 'admin';
	}
	/** Sessions as WordPress keeps them: a row. */
	class WP_Session_Tokens {
		public static function get_instance() { return new self(); }
		public function create() { return $GLOBALS['wpdb']->query( "INSERT INTO wp_usermeta VALUES ('session_tokens')" ) ? 'a token' : ''; }
		public function verify( $token ) { return '' !== $token; }
		public function destroy() { $GLOBALS['wpdb']->query( 'DELETE FROM wp_usermeta' ); }
	}
	/** As much of WordPress's database class as is asked. */
	class Database {
		public $prefix = 'wp_';
		public $dbh;
		public $reconnect_retries = 5;
		public function query( $sql ) { return $this->dbh->query( isset( $GLOBALS['filters']['query'] ) ? call_user_func( $GLOBALS['filters']['query'], $sql ) : $sql ); }
		public function get_var( $sql ) { return $this->query( $sql )->fetch_row()[0] ?? null; }
		public function prepare( $sql, $value ) { return sprintf( str_replace( '%s', "'%s'", $sql ), $value ); }
		public function esc_like( $text ) { return addcslashes( $text, '_%\\' ); }
		public function suppress_errors() { return true; }
		public function get_results() { return array( array( 'mariadb' ) ); }
	}
	mysqli_report( MYSQLI_REPORT_OFF );
	$db = new \mysqli( null, 'root', '', '', 0, $argv[1] ?? '' );
	$db->query( "CREATE DATABASE $name CHARACTER SET utf8mb4" );
	$wpdb     = new Database();
	$wpdb->dbh = new \mysqli( null, 'root', '', $name, 0, $argv[1] ?? '' );
	$db->select_db( $name );
	$db->multi_query( 'CREATE TABLE wp_usermeta (a varchar(99)) ENGINE=InnoDB; CREATE TABLE wp_options (a varchar(99)) ENGINE=InnoDB; INSERT INTO wp_options VALUES (\'as it was\')' );
	while ( $db->more_results() && $db->next_result() ) {
		continue;
	}
}

namespace SvcConnector {
	/** Who looks. */
	final class Login {
		public static function inspector(): \WP_User {
			return new \WP_User();
		}
	}
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	$picture = static function () use ( $db ): array {
		$found = array();
		foreach ( $db->query( 'SHOW TABLES' )->fetch_all() as list( $table ) ) {
			$found[] = array( $db->query( "SHOW CREATE TABLE $table" )->fetch_row()[1], $db->query( "SELECT * FROM $table" )->fetch_all() );
		}
		return $found;
	};
	$held    = new \ReflectionProperty( Inspection::class, 'held' );
	$held->setAccessible( true );
	$was     = $picture();
	foreach ( array(
		''                                                    => '',
		'CREATE TABLE wp_new (a int)'                         => 'a statement that begins with CREATE',
		'CREATE TABLE IF NOT EXISTS wp_options (a int)'       => '', // It would do nothing.
		'CREATE TABLE IF NOT EXISTS `wp_other` (a int)'       => 'a statement that begins with CREATE',
		'ALTER TABLE wp_options ADD b int'                    => 'a statement that begins with ALTER',
		'/* upgrade */ DROP TABLE wp_options'                 => 'a statement that begins with DROP',
		'TRUNCATE wp_options'                                 => 'a statement that begins with TRUNCATE',
		'RENAME TABLE wp_options TO wp_gone'                  => 'a statement that begins with RENAME',
		'LOCK TABLES wp_options WRITE'                        => 'a statement that begins with LOCK',
		'SET autocommit = 1'                                  => 'a statement that begins with SET',
		'START TRANSACTION'                                   => '',
		'COMMIT'                                              => '',
		'CREATE TEMPORARY TABLE t (a int)'                    => '',
		'SELECT a FROM wp_options'                            => '',
	) as $sql => $without ) {
		$held->setValue( null, '' );
		Inspection::begin();
		$wpdb->query( "UPDATE wp_options SET a = 'of a screen'" );
		if ( '' !== $sql ) {
			$wpdb->query( $sql );
		}
		$wpdb->query( "INSERT INTO wp_options VALUES ('after it')" );
		$is( "what was held back: $sql", Inspection::held(), $without );
		http_response_code( 500 );
		$told = '';
		try {
			Inspection::told();
		} catch ( Problem $problem ) {
			$told = $problem->reason();
		}
		$is( "a page that failed: $sql", $told, '' === $without ? '' : 'bad_request' );
		http_response_code( 200 );
		$is( "a page that did not: $sql", Inspection::told(), array() );
		Inspection::end();
		$is( "afterwards: $sql", $picture(), $was );
		$is( "who writes then: $sql", $wpdb->query( "INSERT INTO wp_usermeta VALUES ('kept')" ), true );
		$db->query( 'DELETE FROM wp_usermeta' );
	}
	// What a cache that outlives the request was told of rows that were never written goes.
	foreach ( array( array( false, true, 0 ), array( true, false, 0 ), array( true, true, 1 ) ) as list( $outlives, $writes, $flushes ) ) {
		$flushed = 0;
		Inspection::begin();
		if ( $writes ) {
			$wpdb->query( "UPDATE wp_options SET a = 'of a screen'" );
		}
		Inspection::end();
		$is( 'the cache: ' . json_encode( array( $outlives, $writes ) ), $flushed, $flushes );
	}
	// Where it can be kept from hearing of it, it need not be emptied.
	$wp_object_cache = new class() {
		public $kept = array( 'options home' => 'as it was' );
		public function get( $key, $group ) { return $this->kept[ "$group $key" ] ?? false; }
		public function set( $key, $value, $group ) { $this->kept[ "$group $key" ] = $value; }
	};
	$shared  = $wp_object_cache;
	$flushed = 0;
	Inspection::begin();
	$wpdb->query( "UPDATE wp_options SET a = 'of a screen'" );
	wp_cache_set( 'home', 'of a screen', 'options' );
	$is( 'what the screen reads', $wp_object_cache->get( 'home', 'options' ), 'of a screen' );
	Inspection::end();
	$is( 'what all others read', array( $shared === $wp_object_cache, $shared->kept, $flushed, $picture() ), array( true, array( 'options home' => 'as it was' ), 0, $was ) );
	$wp_object_cache = null;
	$outlives        = false;

	// The database ends the transaction before its time: nothing is written after that.
	$run  = static function ( string $sql ) use ( $wpdb ) {
		return $wpdb->query( $sql );
	};
	$lost = array(
		'without a word'                  => static function () use ( $wpdb ): void {
			$wpdb->dbh->query( 'ROLLBACK' );
		},
		'because a visitor has the row'   => static function () use ( $db, $wpdb, $run ): void {
			$db->query( 'START TRANSACTION' );
			$db->query( "INSERT INTO wp_usermeta VALUES ('of a visitor')" );
			$db->query( 'SELECT * FROM wp_options FOR UPDATE' );
			$wpdb->dbh->query( 'SET SESSION innodb_lock_wait_timeout = 1' );
			$run( "UPDATE wp_options SET a = 'too late'" );
			$db->query( 'ROLLBACK' );
		},
		'because the connection has died' => static function () use ( $db, $wpdb, $run ): void {
			$db->query( 'KILL ' . $wpdb->dbh->thread_id );
			$run( 'SELECT 1' );
		},
	);
	foreach ( $lost as $how => $lose ) {
		$held->setValue( null, '' );
		Inspection::begin();
		$is( "no connection is made again: $how", $wpdb->reconnect_retries, 0 );
		$run( "INSERT INTO wp_usermeta VALUES ('before it')" );
		$lose();
		$run( "UPDATE wp_options SET a = 'after it'" );
		$run( "INSERT INTO wp_usermeta VALUES ('after it')" );
		$run( 'SELECT 1' );
		$is( "what was held back: $how", Inspection::held(), 'a transaction that the database ended' );
		Inspection::end();
		$is( "afterwards: $how", array( $picture(), $wpdb->reconnect_retries ), array( $was, 5 ) );
		if ( 'because the connection has died' === $how ) {
			$wpdb->dbh = new \mysqli( null, 'root', '', $name, 0, $argv[1] );
		}
		$is( "who writes then: $how", $run( "INSERT INTO wp_usermeta VALUES ('kept')" ), true );
		$db->query( 'DELETE FROM wp_usermeta' );
	}

	// What hangs with what it has locked: another request ends its connection, where it is to the same server.
	Transaction::begin( 1 );
	$run( "UPDATE wp_options SET a = 'locked'" );
	$noted     = Transaction::connection();
	$hangs     = $wpdb->dbh;
	$wpdb->dbh = new \mysqli( null, 'root', '', $name, 0, $argv[1] );
	$locked    = static function () use ( $db ): bool {
		return false === $db->query( 'SELECT * FROM wp_options FOR UPDATE NOWAIT' );
	};
	foreach ( array( '' => true, strtok( $noted, ' ' ) . ' another' => true, Transaction::connection() => true, $noted => false ) as $connection => $is_locked ) {
		Transaction::cut( $connection );
		for ( $try = 0; ! $is_locked && $try < 50 && $locked(); $try++ ) {
			usleep( 100000 ); // The server ends it in its own time.
		}
		$is( "what it has locked: $connection", array( $locked(), $run( 'SELECT 1' ) instanceof \mysqli_result ), array( $is_locked, true ) );
	}

	// Whoever may refuse a sign-in is asked.
	$pagenow = 'index.php';
	foreach ( array( '' => true, 'wp_authenticate_user' => false, 'authenticate' => false ) as $refuses => $lets_in ) {
		$held->setValue( null, '' );
		Inspection::begin();
		$is( "a sign-in that is refused by: $refuses", Inspection::told(), array( 'lets_in' => $lets_in ) );
		Inspection::end();
	}
	$refuses = '';

	// What the REST API says to an administrator, on one screen alone.
	$pagenow = 'plugins.php';
	foreach ( array( array( 200, '', array( 'rest' => 200 ) ), array( 500, '', array( 'rest' => 500 ) ), array( 'dies', '', array( 'rest' => 500 ) ), array( 'refused', '', array( 'rest' => 403 ) ), array( 500, 'ALTER TABLE wp_options ADD c int', array() ), array( 200, 'ALTER TABLE wp_options ADD c int', array( 'rest' => 200 ) ) ) as list( $rest, $wants, $says ) ) {
		$held->setValue( null, '' );
		Inspection::begin();
		$is( "the REST API $rest $wants", Inspection::told(), $says );
		$is( 'what it was asked', $asked, array( 'GET', '/wp/v2/types', 'context=edit' ) );
		Inspection::end();
		$is( "afterwards: $rest $wants", $picture(), $was );
	}
	$db->query( "DROP DATABASE $name" );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
