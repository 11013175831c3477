<?php
/**
 * PHP errors are seen whatever becomes of the page, told without what belongs to a visitor, and nobody else who listens notices.
 *
 *   php errors.php
 *
 * @package SvcConnector
 */

namespace {
	$base = $argv[1] ?? sys_get_temp_dir() . '/svc-errors-' . bin2hex( random_bytes( 6 ) );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', ABSPATH . 'wp-content' );
	define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
	define( 'WPMU_PLUGIN_DIR', WP_CONTENT_DIR . '/mu-plugins' );
	define( 'SvcConnector\FILE', WP_PLUGIN_DIR . '/svc-connector/svc-connector.php' );
	define( 'AUTH_KEY', 'the salt of this very site 4711' );
	$may_change = true;
	function add_filter() {}
	function is_multisite() { return false; }
	function wp_installing() { return false; }
	function wp_is_file_mod_allowed() { return $GLOBALS['may_change']; }
	function plugin_basename( $file ) { return basename( dirname( $file ) ) . '/' . basename( $file ); }
	function get_option( $name ) {
		$how = $GLOBALS['argv'][3] ?? '';
		return array( 'active_plugins' => 'inactive' === $how ? array() : array( 'svc-connector/svc-connector.php' ), 'svc_connector_on' => 'unpaired' === $how ? '0' : '1' )[ $name ];
	}
	function wp_check_invalid_utf8( $text ) { return $text; }
	function wp_convert_hr_to_bytes( $text ) { return 268435456; }
	require __DIR__ . '/load.php';
	set_error_handler( null );

	if ( isset( $argv[2] ) ) { // One page, in a process of its own: its plugin, and what stands before it.
		if ( in_array( $argv[3] ?? '', array( 'must-use', 'inactive', 'unpaired' ), true ) ) { // With what WordPress loads before.
			array_map( 'class_exists', array( 'SvcConnector\Plugin', 'SvcConnector\Identity', 'SvcConnector\Incoming', 'SvcConnector\Capture' ) ); // The plugin needs them anyway.
			$from = getrusage();
			foreach ( glob( WPMU_PLUGIN_DIR . '/*.php' ) as $file ) {
				require $file;
				$used = 0;
				foreach ( array( 'u', 's' ) as $whose ) {
					$used += 1000 * ( getrusage()[ "ru_{$whose}time.tv_sec" ] - $from[ "ru_{$whose}time.tv_sec" ] ) + ( getrusage()[ "ru_{$whose}time.tv_usec" ] - $from[ "ru_{$whose}time.tv_usec" ] ) / 1000;
				}
				$took = $took ?? $used; // The first, in milliseconds of the processor.
			}
			if ( 'must-use' === $argv[3] ) {
				SvcConnector\Plugin::watch();
			}
		} elseif ( 'off' !== ( $argv[3] ?? '' ) ) {
			if ( 'before' === ( $argv[3] ?? '' ) ) {
				set_error_handler(
					static function ( ...$all ) {
						echo "[heard $all[0] $all[1]]";
						return 'mine' === $all[1];
					}
				);
			}
			SvcConnector\Capture::start();
		}
		require $argv[2];
		exit;
	}
}

namespace SvcConnector {

	foreach ( array( 'plugins/garden', 'plugins/shed', 'themes/meadow', 'svc-connector-work/.errors-' . str_repeat( 'a', 32 ) ) as $folder ) {
		mkdir( WP_CONTENT_DIR . "/$folder", 0755, true );
	}
	mkdir( ABSPATH . 'wp-includes' );
	require __DIR__ . '/is.php';
	// What a page prints; its code is that of a plugin.
	$page = static function ( string $code, string $how = '', string $set = '' ) use ( $base ): string {
		$file = WP_PLUGIN_DIR . '/garden/garden.php';
		file_put_contents( $file, "<?php\n$code\n" );
		return (string) shell_exec( PHP_BINARY . " -d display_errors=0 -d log_errors=0 -d zend.exception_ignore_args=0 -d zend.exception_string_param_max_len=15 $set " . implode( ' ', array_map( 'escapeshellarg', array( __FILE__, $base, $file, $how ) ) ) . ' 2>&1' );
	};
	$told = static function ( bool $drop = true ): array {
		$told = Kept::waiting( new Budget( 60000 ) );
		if ( $drop ) {
			Kept::drop( array_map( static function ( array $one ): string { return "$one[id]:$one[count]"; }, $told ) );
		}
		return $told;
	};
	$on   = array( 'type' => 'plugin', 'slug' => 'garden' );

	// What is told of one.
	$page( "function water( \$can ) {\n\techo \$none;\n}\nwater( 'x' );\nfor ( \$n = 0; \$n < 9; \$n++ ) { water( \$n ); }" );
	list( $one ) = $told() + array( array() );
	$is( 'a warning', array( $one['level'], $one['message'], $one['file'], $one['line'], $one['count'], $one['component'] ), array( 'warning', 'Undefined variable $none', 'wp-content/plugins/garden/garden.php', 3, 10, $on ) );
	$is( 'the way to it', $one['frames'][0] ?? '', 'wp-content/plugins/garden/garden.php:5' );
	$is( 'it was told', $told(), array() );
	$page( '@file_get_contents( "/none" ); error_reporting( E_ALL & ~E_WARNING ); echo $none; trigger_error( "old", E_USER_DEPRECATED );' );
	$is( 'what is silenced, or not wanted, is let be', $told(), array() );
	file_put_contents( ABSPATH . 'wp-includes/functions.php', '<?php function in_core() { echo $none; }' );
	$page( 'require ABSPATH . "wp-includes/functions.php"; in_core();' );
	$one = $told()[0] ?? array();
	$is( 'a plugin that calls WordPress wrongly', array( $one['file'] ?? '', $one['component'] ?? '' ), array( 'wp-includes/functions.php', $on ) );

	// Must-use plugins too, by a file that comes and goes.
	symlink( dirname( __DIR__ ) . '/svc-connector', WP_PLUGIN_DIR . '/svc-connector' );
	$watch = WPMU_PLUGIN_DIR . '/' . MustUse::NAME;
	$must  = static function ( string $code ) { file_put_contents( WPMU_PLUGIN_DIR . '/orchard.php', "<?php\n$code\n" ); };
	$may_change = &$GLOBALS['may_change'];
	$may_change = false;
	MustUse::write();
	$is( 'where files may not be changed none is written', file_exists( WPMU_PLUGIN_DIR ), false );
	$may_change = true;
	MustUse::write();
	$is( 'it is all there is', Leftovers::names( WPMU_PLUGIN_DIR ), array( MustUse::NAME ) );
	$inode = fileinode( $watch );
	clearstatcache();
	MustUse::write();
	$is( 'it is written once', fileinode( $watch ), $inode );
	$in = array( 'type' => 'mu_plugin', 'slug' => 'orchard' );
	$must( 'no_such_function();' );
	$page( '', 'must-use' );
	$one = $told()[0] ?? array();
	$is( 'one that fails while it loads', array( $one['level'] ?? '', $one['message'] ?? '', $one['component'] ?? '' ), array( 'fatal', 'Uncaught Error: Call to undefined function no_such_function()', $in ) );
	$must( 'echo $none;' );
	foreach ( array( 'inactive', 'unpaired' ) as $how ) {
		$is( "where this plugin is $how it does nothing", array( $page( 'echo "whole";', $how ), $told() ), array( 'whole', array() ) );
	}
	$page( '', 'must-use' );
	$is( 'a warning', array_column( $told(), 'component' ), array( $in ) );
	$must( '$before = set_error_handler( function ( ...$all ) use ( &$before ) { echo "[heard $all[1]]"; return $before ? $before( ...$all ) : false; } ); echo $here;' );
	$is( 'one that listens as well is asked', $page( 'echo $none; echo $none;', 'must-use' ), '[heard Undefined variable $here][heard Undefined variable $none][heard Undefined variable $none]' );
	$is( 'and each is seen once', array_column( $told(), 'count', 'message' ), array( 'Undefined variable $here' => 1, 'Undefined variable $none' => 2 ) );
	$is( 'in a flood it hears all of it', substr_count( $page( 'for ( $n = 0; $n < 5000; $n++ ) { $x = $none; }', 'must-use' ), '[heard Undefined variable $none' ), 5000 );
	$told();
	$must( 'set_error_handler( function () { return true; } );' );
	$page( 'echo $none;', 'must-use' );
	$is( 'one that asks nobody hides nothing of plugins', array_column( $told(), 'message' ), array( 'Undefined variable $none' ) );
	$must( 'set_error_handler( null );' );
	$page( 'echo $none;', 'must-use' );
	$is( 'nor one that wants no handler', array_column( $told(), 'message' ), array( 'Undefined variable $none' ) );
	unlink( WP_PLUGIN_DIR . '/svc-connector' );
	$must( 'echo "here ";' );
	$is( 'without this plugin the page is whole', $page( 'echo "whole";', 'inactive' ), 'here whole' );
	mkdir( WP_PLUGIN_DIR . '/svc-connector/src/wire', 0755, true );
	file_put_contents( WP_PLUGIN_DIR . '/svc-connector/src/wire/autoload.php', '<?php function (' );
	$is( 'and with one that is half written', $page( 'echo "whole";', 'must-use' ), 'here whole' );
	shell_exec( 'rm -r ' . escapeshellarg( WP_PLUGIN_DIR . '/svc-connector' ) );
	symlink( dirname( __DIR__ ) . '/svc-connector', WP_PLUGIN_DIR . '/svc-connector' );
	$must( '' );
	$cost = INF;
	for ( $n = 0; $n < 40 && ( $n < 10 || $cost > 1 ); $n++ ) { // What is least had the processor to itself.
		$cost = min( $cost, (float) $page( 'echo $took - 0;', 'must-use' ) ?: INF );
	}
	$is( "it takes $cost ms", $cost < 1, true );
	$told();
	$is( 'from its time on', MustUse::since(), filemtime( $watch ) );
	touch( WPMU_PLUGIN_DIR . '/' . Door::NAME );
	$is( 'behind the door of an update too', MustUse::since(), filemtime( $watch ) );
	touch( WPMU_PLUGIN_DIR . '/000-other.php' );
	$is( 'but not behind another', MustUse::since(), PHP_INT_MAX );
	unlink( WPMU_PLUGIN_DIR . '/' . Door::NAME );
	unlink( WPMU_PLUGIN_DIR . '/000-other.php' );
	MustUse::forget();
	$is( 'it goes alone', Leftovers::names( WPMU_PLUGIN_DIR ), array( 'orchard.php' ) );
	MustUse::write();
	MustUse::forget();
	unlink( WPMU_PLUGIN_DIR . '/orchard.php' );
	MustUse::write();
	MustUse::forget();
	$is( 'a folder that was there stays', Leftovers::names( WPMU_PLUGIN_DIR ), array() );
	rmdir( WPMU_PLUGIN_DIR );
	MustUse::write();
	MustUse::forget();
	$is( 'one that was made for it goes too', file_exists( WPMU_PLUGIN_DIR ), false );

	// Nobody else notices.
	$is( 'who listened before is asked, and decides', $page( 'echo $none; trigger_error( "mine", E_USER_WARNING ); trigger_error( "old", E_USER_DEPRECATED ); echo error_get_last()["message"];', 'before' ), '[heard 2 Undefined variable $none][heard 512 mine][heard 16384 old]old' );
	$is( 'both were seen', count( $told() ), 2 );
	foreach ( array( 'echo $none; trigger_error( "twice", E_USER_WARNING );', 'throw new Exception( "out" );', 'trigger_error( "end", E_USER_ERROR );' ) as $code ) {
		$set = '-d display_errors=1 -d html_errors=0';
		$is( "what PHP prints stays: $code", $page( $code, '', $set ), $page( $code, 'off', $set ) );
	}
	$told();
	$is( 'a handler that comes later is whole, and so is what is put back', $page( 'set_error_handler( function ( $no, $text ) { echo "[$text]"; return true; } ); echo $none; restore_error_handler(); echo $more; echo is_array( set_error_handler( null ) ) ? "ours" : "other";' ), '[Undefined variable $none]ours' );
	$is( 'behind it one is seen', array_column( $told(), 'message' ), array( 'Undefined variable $more' ) );

	// Whatever ends the page.
	$page( 'ini_set( "memory_limit", "24M" ); $all = array(); while ( true ) { $all[] = str_repeat( "x", 4096 ); }' );
	$one = $told()[0] ?? array();
	$is( 'memory ran out', array( $one['level'] ?? '', substr( $one['message'] ?? '', 0, 19 ), $one['component'] ?? '' ), array( 'fatal', 'Allowed memory size', $on ) );
	$page( "function sign_in( \$name, \$word ) { throw new LogicException( 'No way in' ); }\nsign_in( 'ann', 'hunter2hunter2' );" );
	$one = $told( false )[0] ?? array();
	$is( 'an exception', array( $one['level'] ?? '', $one['message'] ?? '', $one['line'] ?? 0, $one['frames'][0] ?? '' ), array( 'fatal', 'Uncaught LogicException: No way in', 2, 'wp-content/plugins/garden/garden.php:3' ) );
	$is( 'without the arguments in its trace', strpos( implode( '', array_map( 'file_get_contents', glob( WP_CONTENT_DIR . '/svc-connector-work/.errors-*/*.php' ) ) ), 'hunter2' ), false );
	$told();
	$page( 'set_time_limit( 1 ); while ( true ) { $n = 1; }' );
	$is( 'time ran out', substr( $told()[0]['message'] ?? '', 0, 22 ), 'Maximum execution time' );
	$page( 'register_shutdown_function( function () { echo $late; } );' );
	$is( 'what comes while it ends', array_column( $told(), 'message' ), array( 'Undefined variable $late' ) );
	$page( 'function twice() {} eval( "function twice() {}" );' );
	$is( 'code that does not compile', $told()[0]['component'] ?? '', $on );

	// By which PHP, and on which page.
	$page( 'echo $none;' );
	$one = $told()[0] ?? array();
	$is( 'by which PHP, and that there was no page', array( $one['php'] ?? '', array_key_exists( 'path', $one ), $one['path'] ?? null ), array( PHP_VERSION, true, null ) );

	// A flood costs next to nothing, and is counted as far as it was listened to.
	$flood = static function ( string $how ) use ( $page ): float { // Time of the processor: others may be at work.
		return (float) $page( '$used = function () { $u = getrusage(); return $u["ru_utime.tv_sec"] + $u["ru_utime.tv_usec"] / 1e6; }; $from = $used(); for ( $n = 0; $n < 600000; $n++ ) { $x = $none; } echo $used() - $from;', $how );
	};
	list( $off, $with, $ratio, $rounds ) = array( INF, INF, INF, 0 );
	while ( $rounds < 5 || ( $ratio >= 1.25 && $rounds < 40 ) ) { // What is least in many rounds had the processor to itself.
		$off   = min( $off, $flood( 'off' ) );
		$with  = min( $with, $flood( '' ) );
		$ratio = $with / $off;
		$rounds++;
	}
	$is( "600,000 warnings, with it $ratio times as long", $ratio < 1.25, true );
	$one = $told()[0] ?? array();
	$is( 'the flood', array( $one['count'] ?? 0, $one['message'] ?? '' ), array( $rounds * Met::CALLS, 'Undefined variable $none' ) );
	$is( 'in a flood who listened before hears all of it', substr_count( $page( 'for ( $n = 0; $n < 5000; $n++ ) { $x = $none; }', 'before' ), 'heard' ), 5000 );
	$told();
	$page( 'for ( $n = 0; $n < 70; $n++ ) { eval( str_repeat( "\n", $n ) . "\$x = \$none;" ); }' );
	$is( 'of one page', count( $told( false ) ), Met::DISTINCT );
	for ( $round = 1; $round < 6; $round++ ) {
		$page( "for ( \$n = 0; \$n < 50; \$n++ ) { eval( str_repeat( \"\\n\", \$n + 100 * $round ) . '\$x = \$none;' ); }" );
	}
	$is( 'of one site', array( count( $told( false ) ), Kept::is_full() ), array( Kept::MOST, true ) );
	$page( 'no_such_function();' );
	$all = $told();
	$is( 'a fatal error has room still', array( count( $all ), count( preg_grep( '/^fatal/', array_column( $all, 'level' ) ) ) ), array( Kept::MOST + 1, 1 ) );
	$is( 'there is room again', array( count( $told() ), Kept::is_full() ), array( 0, false ) );

	// What was told twice is counted once, and what came meanwhile is not lost.
	$code = 'echo $none;';
	$page( $code );
	$first = $told( false );
	$page( $code );
	Kept::drop( array( $first[0]['id'] . ':' . $first[0]['count'] ) );
	$again = $told( false );
	$is( 'it was met again meanwhile', array( count( $again ), $again[0]['id'] === $first[0]['id'], $again[0]['count'] ), array( 1, true, 2 ) );
	Kept::drop( array( $again[0]['id'] . ':2' ) );
	Kept::drop( array( $again[0]['id'] . ':2' ) );
	$is( 'now it is gone', $told(), array() );
	try {
		Kept::drop( array( '../../wp-config:1' ) );
		$is( 'a path is no id', true, false );
	} catch ( Problem $problem ) {
		$is( 'a path is no id', $problem->reason(), 'bad_request' );
	}

	// Nothing of who came.
	$scrubbed = static function ( string $message ): string {
		return Scrub::text( $message );
	};
	$_GET    = array( 'page' => 'shop', 'q' => array( 'deep' => 'wintermute' ) );
	$_POST   = array( 'pwd' => "it\\'s me!", 'n' => '123' );
	$_COOKIE = array( 'sid' => 'abcdwxyz' );
	$_SERVER = array( 'HTTP_AUTHORIZATION' => 'Basic YW5uOmh1bnRlcjI', 'REMOTE_ADDR' => '203.0.113.9', 'HTTP_HOST' => 'garden.example' ) + $_SERVER;
	foreach ( array(
		'No user wintermute, it\'s me! or abcdwxyz'      => 'No user [input], [input] or [input]',
		'Undefined variable $shop and shop()'            => 'Undefined variable $shop and shop()',
		'Undefined array key "shop"'                     => 'Undefined array key "[input]"',
		'Basic YW5uOmh1bnRlcjI from 203.0.113.9'         => '[input] from [input]',
		'mail to ann@example.com failed'                 => 'mail to [email] failed',
		'fopen(https://x.example/a?key=1&b=2): failed'   => 'fopen(https://x.example/a?[query]): failed',
		'Call to undefined function shop_of() in the shop'  => 'Call to undefined function shop_of() in the shop',
		'Uncaught TypeError: f(): Argument #1 ($x) must be of type int, string given' => 'Uncaught TypeError: f(): Argument #1 ($x) must be of type int, string given',
		'at garden.example'                              => 'at garden.example',
		'mysql://root:secret@db/x'                       => 'mysql://[secret]@db/x',
		'password=hunter2 token: "abcd1234"'             => 'password=[secret] token: "[secret]"',
		'key ' . AUTH_KEY . ' is bad'                    => 'key [secret] is bad',
		'hash 5f4dcc3b5aa765d61d8327deb882cf99 unknown'  => 'hash [hash] unknown',
		'from 198.51.100.7 and +49 170 1234567890'       => 'from [address] and [number]',
		'Allowed memory size of 134217728 bytes exhausted (tried to allocate 4096 bytes)' => 'Allowed memory size of 134217728 bytes exhausted (tried to allocate 4096 bytes)',
		'Call to undefined function acf_get_field_groups_of_location_rules()' => 'Call to undefined function acf_get_field_groups_of_location_rules()',
		'Class "Automattic\WooCommerce\Internal\DataStores2\Orders\OrdersTableDataStore" not found' => 'Class "Automattic\WooCommerce\Internal\DataStores2\Orders\OrdersTableDataStore" not found',
	) as $message => $expected ) {
		$is( $message, $scrubbed( $message ), $expected );
	}
	$is( 'folders of the server', Told::of( 'warning', 'include(/home/ann.smith/private/keys.php): failed, ' . ABSPATH . 'x.php', array( '/opt/lib/deep/x.php', 1 ), array() )['message'], 'include(.../private/keys.php): failed, x.php' );

	// The log that is there anyway.
	$log  = WP_CONTENT_DIR . '/debug.log';
	$read = static function ( ?array $from, int $seen = PHP_INT_MAX ): array { return ErrorLog::since( $from, new Budget( 60000 ), $seen ); };
	ini_set( 'error_log', '' );
	$is( 'there is none', $read( null ), array( 'log' => null, 'logged' => array() ) );
	$plugin = WP_PLUGIN_DIR . '/shed/shed.php';
	file_put_contents( $log, "half a line\n[23-Nov-2026 06:00:00 UTC] PHP Warning:  Undefined variable \$a in $plugin on line 12\n[23-Nov-2026 06:05:00 UTC] PHP Warning:  Undefined variable \$a in $plugin on line 12\n[23-Nov-2026 06:06:00 UTC] something a plugin said\n[23-Nov-2026 06:07:00 UTC] PHP Warning:  Theirs in /var/www/other/x.php on line 1\n[23-Nov-2026 06:08:00 UTC] PHP Fatal error:  Uncaught Error: Call to undefined function f() in $plugin:40\nStack trace:\n#0 " . ABSPATH . "wp-includes/x.php(3): shed('hunter2')\n#1 {main}\n  thrown in $plugin on line 40\n[23-Nov-2026 06:09:00 UTC] PHP Warn" );
	$found = $read( null );
	$is( 'the log', array_map( static function ( array $e ): array { return array( $e['level'], $e['message'], $e['line'], $e['count'], $e['last'] - $e['first'], $e['component']['slug'] ); }, $found['logged'] ), array( array( 'warning', 'Undefined variable $a', 12, 2, 300, 'shed' ), array( 'fatal', 'Uncaught Error: Call to undefined function f()', 40, 1, 0, 'shed' ) ) );
	$is( 'what it captured is told alike', Told::key( Told::of( 'fatal', "Uncaught Error: Call to undefined function f() in $plugin:40\nStack trace:\n#0 {main}\n  thrown", array( $plugin, 40 ), array() ) ), Told::key( $found['logged'][1] ) );
	$is( 'again from the beginning of the half line', $read( $found['log'] )['logged'], array() );
	file_put_contents( $log, "ing:  Undefined variable \$late in $plugin on line 9\n", FILE_APPEND );
	$more = $read( $found['log'] );
	$is( 'and then the rest of it', array_column( $more['logged'], 'message' ), array( 'Undefined variable $late' ) );
	$mine = WP_CONTENT_DIR . '/mu-plugins/mine.php';
	$said = static function ( string $message, string $level = 'Warning', int $seen = PHP_INT_MAX ) use ( $log, $read, $plugin ): array {
		$from = $read( null )['log'];
		file_put_contents( $log, "[23-Nov-2026 06:30:00 UTC] PHP $level:  $message in $plugin on line 3\n", FILE_APPEND );
		clearstatcache();
		return array_column( $read( $from, $seen )['logged'], 'message' );
	};
	foreach ( array(
		'No user ann.smith with hunter2'                       => 'Words of a plugin that stand in the log alone',
		'Uncaught RuntimeException: No user ann with hunter2'  => 'Uncaught RuntimeException',
		'Undefined array key "hunter2"'                        => 'Undefined array key [quoted]',
		'Uncaught TypeError: strlen(): Argument #1 ($string) must be of type string, array given' => 'Uncaught TypeError: strlen(): Argument #1 ($string) must be of type string, array given',
		'Uncaught Error: Class "Shed\\Door" not found'          => 'Uncaught Error: Class "Shed\\Door" not found',
		'include(): Failed opening \'/x/hunter2.php\' for inclusion' => 'include(): Failed opening [quoted] for inclusion',
	) as $message => $expected ) {
		$is( "in the log: $message", $said( $message ), array( $expected ) );
	}
	$is( 'what is seen as it happens is not read from the log', $said( 'Undefined variable $x', 'Warning', 1 ), array() );
	$plugin = $mine;
	file_put_contents( $log, "[23-Nov-2026 06:31:00 UTC] PHP Warning:  Undefined variable \$m in $mine on line 3\n", FILE_APPEND );
	clearstatcache();
	$is( 'but what comes before it is', end( $read( null, 1 )['logged'] )['component'], array( 'type' => 'mu_plugin', 'slug' => 'mine' ) );
	MustUse::write();
	touch( $watch, strtotime( '23-Nov-2026 06:30:59 UTC' ) );
	$is( 'unless the must-use file sees it', array_column( array_column( $read( null, 1 )['logged'], 'component' ), 'type' ), array() );
	touch( $watch, strtotime( '23-Nov-2026 06:31:00 UTC' ) );
	clearstatcache();
	$is( 'of the time before it is read still', array_column( array_column( $read( null, 1 )['logged'], 'component' ), 'type' ), array( 'mu_plugin' ) );
	MustUse::forget();
	$plugin = WP_PLUGIN_DIR . '/shed/shed.php';
	clearstatcache();
	$more = $read( null );
	rename( $log, "$log.1" );
	file_put_contents( $log, "[23-Nov-2026 07:00:00 UTC] PHP Notice:  Undefined offset: 1 in $plugin on line 1\n" );
	$is( 'a new log', array_column( $read( $more['log'] )['logged'], 'message' ), array( 'Undefined offset: 1' ) );
	$at = $read( $more['log'] )['log'];
	file_put_contents( $log, str_repeat( "[23-Nov-2026 07:00:00 UTC] PHP Notice:  Undefined offset: 1 in $plugin on line 1\n", 40000 ), FILE_APPEND );
	$used = static function (): float {
		$u = getrusage();
		return $u['ru_utime.tv_sec'] + $u['ru_utime.tv_usec'] / 1e6;
	};
	$from = $used();
	clearstatcache();
	$huge = $read( $at );
	$is( 'a log that grew by more than is read', array( $huge['log']['skipped'] > 1000000, $huge['log']['offset'] === filesize( $log ), count( $huge['logged'] ), $used() - $from < 5 ), array( true, true, 1, true ) );
	foreach ( array( array( 'inode' => -1, 'offset' => -5 ), array( 'offset' => PHP_INT_MAX ), array() ) as $odd ) {
		$is( 'an odd place to go on', is_int( $read( $odd )['log']['offset'] ), true );
	}

	// Of a page without its query.
	$paths = array(
		'/market/10-ways-to-plant-2024-roses/'                  => '/market/10-ways-to-plant-2024-roses/',
		'/reset/k3y9fQw81LmZ0pTbX2/'                          => '/reset/[hash]/',
		'/o/0b9f2d4e-77aa-4c1e-9d7b-2f0a5c3e8b11/'            => '/o/[hash]/',
		'/by/ann@garden.example'                             => '[email]',
	);
	foreach ( $paths as $path => $clean ) {
		$is( "of the path $path", Scrub::path( $path ), $clean );
	}

	Kept::forget();
	$is( 'nothing stays', glob( WP_CONTENT_DIR . '/svc-connector-work/.errors-*' ), array() );
	shell_exec( 'rm -rf ' . escapeshellarg( $base ) );
	printf( "%d checks, a flood %.2f times as long: %d wrong\n", $checks, $ratio, $wrong );
	exit( $wrong ? 1 : 0 );
}
