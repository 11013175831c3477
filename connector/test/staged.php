<?php
/**
 * A new version laid ready: among what stands beside it, with room for it, whole or not there; and who stays awake for it once it is installed.
 *
 *   php staged.php
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-staged-' . bin2hex( random_bytes( 6 ) );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', "$base/site/wp-content" );
	define( 'FQDB', "$base/none" );
	define( 'DB_ENGINE', 'sqlite' );
	require __DIR__ . '/a-site.php';
	function get_stylesheet() { return 'harbour'; }
	function get_template() { return $GLOBALS['answers']['template'] ?? 'harbour'; }
	function is_plugin_active() { return true; }
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function wp_mkdir_p( $path ) { return is_dir( $path ) || mkdir( $path, 0755, true ); }
	$wpdb = new class() {};
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	require __DIR__ . '/is.php';
	/** As much as the test says. */
	function disk_free_space() { return $GLOBALS['free']; }
	/** Another disk, where it is one. */
	function rename( $from, $to ) { return $GLOBALS['apart'] === basename( dirname( $from ) ) ? false : \rename( $from, $to ); }
	$free  = INF;
	$apart = '';
	$write = static function ( string $path, string $text ) use ( $base ): void {
		wp_mkdir_p( dirname( "$base/site/wp-content/$path" ) );
		file_put_contents( "$base/site/wp-content/$path", $text );
	};
	$write( 'plugins/shop/shop.php', '<?php return "the shop";' );
	$write( 'plugins/garden/garden.php', '<?php return "old";' );
	$write( 'plugins/single.php', '<?php' );
	$new     = '<?php return array( is_file( dirname( __DIR__ ) . "/shop/shop.php" ) ? require dirname( __DIR__ ) . "/shop/shop.php" : "no shop", "new" );';
	$journal = Journal::create( "$base/site/wp-content/svc-connector-work", array( 'kind' => 'update', 'id' => 'x', 'job' => 'job_1', 'phase' => 'armed', 'type' => 'plugin', 'file' => 'garden/garden.php', 'roots' => array( 'item' => WP_PLUGIN_DIR ), 'names' => array( 'garden' ), 'was_active' => true, 'maintained' => false ) );
	$trial   = $journal->data( 'trial' );
	mkdir( $journal->data( 'staged' ) );

	// As core leaves it: on the same disk, and on another, where a run that is killed leaves half a copy.
	$fetch = static function ( string $text ) use ( $write, $journal ): void {
		$write( 'upgrade/garden/garden.php', $text );
		Staged::take( WP_CONTENT_DIR . '/upgrade/garden', $journal->data( 'staged/garden' ) );
	};
	$is( 'it is not there yet', array( Staged::is_there( $journal ), Staged::hand_over( $journal ) ), array( false, '' ) );
	mkdir( $journal->data( 'staged/garden.part' ) );
	$is( 'half a copy', Staged::is_there( $journal ), false );
	$apart = 'upgrade';
	$fetch( $new );
	$is( 'a whole copy', array( Staged::is_there( $journal ), scandir( $journal->data( 'staged' ) ), file_get_contents( $journal->data( 'staged/garden/garden.php' ) ) ), array( true, array( '.', '..', 'garden' ), $new ) );

	// In its trial.
	$is( 'it is laid out', Staged::lay_out( $journal ), '' );
	$is( 'what stands beside it is found from it', require "$trial/garden/garden.php", array( 'the shop', 'new' ) );
	$is( 'beside it are links', array( is_link( "$trial/shop" ), is_link( "$trial/garden" ), is_file( "$trial/single.php" ) ), array( true, false, true ) );
	$is( 'once more', array( Staged::lay_out( $journal ), Staged::is_there( $journal ), require "$trial/garden/garden.php" ), array( '', true, array( 'the shop', 'new' ) ) );
	$is( 'core takes it from a folder of its own', array( Staged::hand_over( $journal ), scandir( $journal->data( 'staged' ) ), is_dir( "$trial/garden" ) ), array( $journal->data( 'staged' ), array( '.', '..', 'garden' ), false ) );
	$is( 'asked twice', Staged::hand_over( $journal ), $journal->data( 'staged' ) );

	/** Core's, which deletes file by file. */
	class Upgrader {
		public $found;
		public function clear_destination( $folder ) {
			$this->found = $this->state( 'core' );
			return is_dir( $folder ) && rmdir( $folder );
		}
		public function install_package() {
			$done = $this->clear_destination( WP_PLUGIN_DIR . '/herbs/' );
			return array( $done, $this->found ?? $this->state( 'moved' ) );
		}
		private function state( string $by ): array {
			return array( $by, ! flock( fopen( $this->journal->dir . '/gate.lock', 'c' ), LOCK_SH | LOCK_NB ), $GLOBALS['is_shut']() );
		}
	}
	$is_shut  = static function (): bool {
		return 1 === preg_match( '/\$upgrading = [1-9]/', (string) file_get_contents( ABSPATH . '.maintenance' ) );
	};
	$exchange = static function () use ( $journal ): array {
		mkdir( WP_PLUGIN_DIR . '/herbs' );
		$upgrader = new class() extends Upgrader {
			use Brief;
		};
		list( $upgrader->journal, $upgrader->away ) = array( $journal, $journal->side( 'new', 1000000 ) );
		return $upgrader->install_package();
	};
	class_exists( Upgrade::class ); // Brief stands beside it.
	eval( 'namespace { function move_dir() {} }' );
	$is( 'a folder that can be moved: nobody loads code, and nobody is sent away', $exchange(), array( true, array( 'moved', true, false ) ) );
	$apart = 'plugins';
	$is( 'one of another disk: it takes core longer than anybody waits, so the site is shut', $exchange(), array( true, array( 'core', true, true ) ) );
	Door::open( $journal );
	$is( 'and open again', $is_shut(), false );
	$apart = '';

	// A theme whose parent lies in another folder of themes is tried by no trial.
	$theme   = new Item( 'theme', 'harbour' );
	$journal->put( array( 'fetching' => false ) );
	$answers['themes'] = WP_CONTENT_DIR . '/themes';
	$is( 'a theme', Staged::obstacle( $theme, $journal ), '' );
	$answers['template'] = 'parent';
	$answers['roots']    = array( 'parent' => "$base/elsewhere" );
	$is( 'a child whose parent lies elsewhere', Staged::obstacle( $theme, $journal ), 'parent_lies_elsewhere' );

	// Room for a copy, a package, and what comes out of it.
	$write( 'plugins/garden/large', str_repeat( 'x', 1000000 ) );
	$item = new Item( 'plugin', 'garden/garden.php' );
	foreach ( array( array( INF, false ), array( false, false ), array( Item::LEAST + 2900000, true ), array( Item::LEAST + 3100000, false ) ) as list( $free, $lacks ) ) {
		$is( 'free: ' . json_encode( is_float( $free ) ? 'much' : $free ), $item->lacks_room(), $lacks );
	}

	// Who exchanged the files stays awake where that helps, and where it keeps nobody from coming.
	$pending = static function ( array $changes, bool $several = true ) use ( $journal ): bool {
		$journal->put( $changes + array( 'phase' => 'swapped', 'watched' => true, 'type' => 'plugin', 'was_active' => true ) );
		$several ? touch( $journal->dir . '/several' ) : @unlink( $journal->dir . '/several' );
		return null !== Watch::pending();
	};
	$is( 'on a server that cannot let go', $pending( array() ), false );
	/** LiteSpeed. */
	eval( 'namespace { function litespeed_finish_request() { $GLOBALS["finished"] = true; } }' );
	Answer::finish();
	$is( 'on LiteSpeed', array( $pending( array() ), Answer::can_finish(), $finished ), array( true, true, true ) );
	$is( 'with one worker', $pending( array(), false ), false );
	$is( 'after a trial', $pending( array( 'watched' => false ) ), false );
	$is( 'of what no page runs', array( $pending( array( 'was_active' => false ) ), $pending( array( 'was_active' => false, 'type' => 'translations' ) ), $pending( array( 'was_active' => false, 'type' => 'theme', 'file' => 'other' ) ) ), array( false, false, false ) );
	$is( 'of a theme, and of WordPress', array( $pending( array( 'was_active' => false, 'type' => 'theme', 'file' => 'harbour' ) ), $pending( array( 'was_active' => false, 'type' => 'core' ) ) ), array( true, true ) );

	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
