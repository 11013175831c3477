<?php
/**
 * A database drop-in that reads from one server and writes to another, and has some tables in a third place: what is read and what is told.
 *
 *   php drop-ins.php <socket>      a MariaDB or MySQL whose user root needs no password; makes and drops databases of its own
 *
 * @package SvcConnector
 */

namespace {
	require __DIR__ . '/database.php';

	/** As HyperDB and LudicrousDB: `dbh` is the connection of the last statement. */
	final class Spread {
		public $prefix      = 'wp_';
		public $base_prefix = 'wp_';
		public $options     = 'wp_options';
		public $last_error  = '';
		public $dbh;
		public $servers = array();

		public function query( string $sql ) {
			return $this->ask( 'master', $sql );
		}

		public function get_results( string $sql, string $kind = ARRAY_A ) {
			$result = $this->ask( preg_match( '/wp_2_/', $sql ) ? 'more' : 'replica', $sql );
			return $result ? $result->fetch_all( ARRAY_N === $kind ? MYSQLI_NUM : MYSQLI_ASSOC ) : null;
		}

		public function suppress_errors() {
			return false;
		}

		public function tables(): array {
			return array( 'posts' => 'wp_posts', 'links' => 'wp_links', 'options' => 'wp_options' );
		}

		public function get_blog_prefix( int $site ): string {
			return 1 === $site ? 'wp_' : ( $site > 3 ? "wp_2_{$site}_" : "wp_{$site}_" );
		}

		private function ask( string $server, string $sql ) {
			$this->dbh        = $this->servers[ $server ];
			$result           = $this->dbh->query( $sql );
			$this->last_error = $result ? '' : $this->dbh->error;
			return $result;
		}
	}

	function get_sites(): array {
		return range( 1, $GLOBALS['svc_sites'] ?? 3 );
	}
}

namespace SvcConnector {
	$wrong  = array();
	$checks = 0;
	$is     = static function ( string $what, $wanted, $found ) use ( &$wrong, &$checks ): void {
		++$checks;
		if ( $wanted !== $found ) {
			$wrong[] = "$what: " . json_encode( $found ) . ' instead of ' . json_encode( $wanted );
		}
	};
	$svc_network = true;
	$wpdb        = new \Spread();
	$name        = 'svc_dropins_' . getmypid();
	foreach ( array( 'master', 'replica', 'more' ) as $server ) {
		$db = new \mysqli( null, 'root', '', '', 0, $argv[1] ?? '' );
		$db->query( "CREATE DATABASE {$name}_$server CHARACTER SET utf8mb4" );
		$db->select_db( "{$name}_$server" );
		$db->query( "SET time_zone = '+00:00'" );
		foreach ( 'more' === $server ? array( 'wp_2_options', 'wp_2_posts', 'other_options' ) : array( 'wp_options', 'wp_posts' ) as $table ) {
			$db->query( "CREATE TABLE $table (id int PRIMARY KEY, option_name varchar(20), at timestamp NULL)" );
			$db->query( "INSERT INTO $table VALUES (1, '$server', '2026-01-02 03:04:05')" );
		}
		$db->query( "SET time_zone = '+05:00', sql_mode = 'ANSI_QUOTES'" ); // As the host has it.
		$wpdb->servers[ $server ] = $db;
	}
	$wpdb->get_results( 'SELECT 1' );

	$told = Tables::describe();
	$is( 'whose tables', array( 'wp_options', 'wp_posts' ), array_column( $told['tables'], 'name' ) );
	$is( 'what lies elsewhere; what is lost does not', array( 'wp_2_options', 'wp_2_posts' ), $told['elsewhere'] );
	foreach ( range( 4, 60 ) as $svc_site ) {
		$wpdb->servers['more']->query( "CREATE TABLE wp_2_{$svc_site}_options (id int)" );
		$wpdb->servers['more']->query( "CREATE TABLE wp_2_{$svc_site}_posts (id int)" );
	}
	$svc_sites = 60;
	$told      = Tables::describe();
	$is( 'of many that lie elsewhere the first, and how many more', array( 100, 16, 0 ), array( count( $told['elsewhere'] ), $told['unnamed']['elsewhere'], $told['unnamed']['beside'] ) );
	$slice = Database::rows( array( 'table' => 'wp_posts', 'after' => null, 'offset' => 0, 'max_items' => 10, 'max_bytes' => 65536, 'budget_ms' => 1000 ) );
	$size  = unpack( 'N', $slice )[1];
	$is( 'a row of where it was written, its time in UTC', "INSERT INTO `wp_posts` (`id`,`option_name`,`at`) VALUES (1,'master','2026-01-02 03:04:05');\n", substr( $slice, 4 + $size ) );
	$is( 'a snapshot of the same', true, false !== strpos( Snapshot::take( array( 'tables' => array( array( 'table' => 'wp_options', 'bounds' => array(), 'step' => 10 ), array( 'table' => 'wp_posts', 'bounds' => array(), 'step' => 10 ) ), 'bytes' => 65536, 'max_bytes' => 65536, 'budget_ms' => 1000 ) ), "'master','2026-01-02 03:04:05'" ) );

	$wpdb->options = 'wp_2_options';
	try {
		Tables::describe();
		$said = '';
	} catch ( Problem $problem ) {
		$said = $problem->getMessage();
	}
	$is( 'without its options', 'The database does not show the table wp_2_options, which WordPress reads: it lies in another one, or under another name.', $said );

	foreach ( $wpdb->servers as $server => $db ) {
		$db->query( "DROP DATABASE {$name}_$server" );
	}
	printf( "%d checks, %d wrong\n%s", $checks, count( $wrong ), $wrong ? implode( "\n", $wrong ) . "\n" : '' );
	exit( $wrong ? 1 : 0 );
}
