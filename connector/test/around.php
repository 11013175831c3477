<?php
/**
 * What a version writes outside of its folder and that runs by itself: .htaccess, wp-config.php, drop-ins, must-use plugins. A trial leaves nothing of
 * it, whenever it was written; a way back puts back what was there and takes away what came; where such a file shuts every door, who wrote it does.
 *
 *   php around.php
 *
 * @package SvcConnector
 */

namespace {
	if ( 'visit' === ( $argv[1] ?? '' ) ) {
		list( , , $base, $dir, $query, $harm ) = $argv;
		define( 'ABSPATH', "$base/www/" );
		function add_filter() {}
		parse_str( $query, $_GET );
		require "$dir/rescue/door.php";
		register_shutdown_function( // As code does that is loaded later.
			static function () use ( $base, $harm ): void {
				foreach ( '' === $harm ? array() : explode( ',', $harm ) as $name ) {
					is_dir( dirname( "$base/www/$name" ) ) || mkdir( dirname( "$base/www/$name" ) );
					is_file( "$base/www/$name" ) && 'gone.php' === basename( $name ) ? unlink( "$base/www/$name" ) : file_put_contents( "$base/www/$name", 'broken' );
				}
			}
		);
		exit( 0 );
	}
	$base = sys_get_temp_dir() . '/svc-around-' . bin2hex( random_bytes( 6 ) );
	foreach ( array( 'www/wp-admin', 'www/wp-includes', 'www/wp-content/plugins/garden', 'www/wp-content/themes', 'www/wp-content/uploads', 'www/wp-content/mu-plugins', 'www/wp-content/many' ) as $folder ) {
		mkdir( "$base/$folder", 0755, true );
	}
	define( 'ABSPATH', "$base/www/" );
	define( 'WP_CONTENT_DIR', "$base/www/wp-content" );
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	require __DIR__ . '/a-site.php';
}

namespace SvcConnector {
	require __DIR__ . '/load.php';
	$checks = 0;
	$wrong  = 0;
	$is     = static function ( string $what, $found, $expected ) use ( &$checks, &$wrong ): void {
		++$checks;
		if ( $found !== $expected ) {
			++$wrong;
			echo "WRONG  $what: ", json_encode( $found ), ' instead of ', json_encode( $expected ), "\n";
		}
	};
	$www    = "$base/www";
	$put    = static function ( array $files ) use ( $www ): void {
		foreach ( $files as $name => $text ) {
			file_put_contents( "$www/$name", $text );
		}
	};
	$put( array( '.htaccess' => "RewriteEngine On\n", 'wp-config.php' => "<?php // secret\n", 'index.php' => 'index', 'wp-content/advanced-cache.php' => 'cache', 'wp-content/gone.php' => 'it may go', 'wp-content/mu-plugins/own.php' => 'own' ) );
	chmod( "$www/wp-config.php", 0640 );
	touch( "$www/wp-config.php", time() - 1000 );
	symlink( "$www/index.php", "$www/wp-content/linked.php" );
	file_put_contents( "$www/wp-content/large.php", str_repeat( 'x', Around::BYTES + 1 ) );
	$picture = static function () use ( $www ): array {
		clearstatcache();
		$found = array();
		foreach ( new \RecursiveIteratorIterator( new \RecursiveDirectoryIterator( $www, \FilesystemIterator::SKIP_DOTS ) ) as $path => $file ) {
			$found[ substr( (string) $path, strlen( $www ) + 1 ) ] = array( sha1_file( $path ), $file->getPerms() & 0777, $file->getMTime() );
		}
		ksort( $found );
		return $found;
	};
	$guarded = static function ( array $more = array() ) use ( $base ): Journal {
		$journal = Journal::create( "$base/work", $more + array( 'kind' => 'update', 'phase' => 'armed', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'type' => 'plugin', 'file' => 'garden/garden.php', 'names' => array( 'garden' ), 'roots' => array( 'item' => ABSPATH . 'wp-content/plugins' ), 'deadline' => time() + 300, 'echo' => 'e', 'doors' => array( WPMU_PLUGIN_DIR . '/' . Door::NAME ), 'gates' => array( 'paths' => Around::gates(), 'patience' => 60 ) ) );
		Journal::write( $journal->data( 'plan' ), '' );
		mkdir( $journal->data( 'trial' ) );
		Door::prepare( $journal );
		Around::note( $journal );
		return $journal;
	};
	$visitor = static function ( Journal $journal, string $query = '', array $harm = array() ) use ( $base ) {
		return proc_open( array( PHP_BINARY, __FILE__, 'visit', $base, $journal->dir, $query, implode( ',', $harm ) ), array(), $pipes );
	};
	$visit   = static function ( Journal $journal, string $query = '', array $harm = array() ) use ( $visitor ): int {
		return proc_close( $visitor( $journal, $query, $harm ) );
	};
	$trial   = static function (): string {
		$nonce = bin2hex( random_bytes( 16 ) );
		return 'svc-connector-trial=' . $nonce . hash_hmac( 'sha256', "trial $nonce", 'e' );
	};
	$harm    = array( '.htaccess', '.user.ini', 'wp-config.php', 'wp-content/object-cache.php', 'wp-content/advanced-cache.php', 'wp-content/gone.php', 'wp-content/mu-plugins/own.php', 'wp-content/mu-plugins/aaa.php', 'wp-content/uploads/.htaccess', 'wp-admin/.htaccess' );
	$beside  = array( 'wp-content/notes.txt', 'index.php', 'wp-content/large.php' ); // What is no code that runs by itself, or was not noted.
	$was     = $picture();

	// Where nothing was written, nothing happens.
	$journal = $guarded();
	$is( 'nothing changed', array( Around::back( $journal ), $picture() ), array( array(), $was ) );
	$is( 'a password is not shown by the copy', array_unique( array_map( static function ( $path ) { return strtok( (string) file_get_contents( $path ), "\n" ); }, glob( $journal->data( 'around' ) . '/*' ) ) ), array( '<?php __halt_compiler();' ) );

	// A trial leaves nothing, though it writes when its page has ended.
	$is( 'a trial', array( $visit( $journal, $trial(), $harm ), $picture() ), array( 0, $was ) );
	file_put_contents( "$www/wp-content/mu-plugins/of-somebody.php", 'else' );
	$visit( $journal, $trial(), array( 'wp-content/object-cache.php' ) );
	$is( 'what somebody else has made meanwhile', array_keys( array_diff_key( $picture(), $was ) ), array( 'wp-content/mu-plugins/of-somebody.php' ) );
	unlink( "$www/wp-content/mu-plugins/of-somebody.php" );

	// Once it is installed it may: a way back undoes it, whoever takes it.
	$journal->put( array( 'phase' => 'swapped', 'gates' => array() ) );
	$visit( $journal, '', array_merge( $harm, $beside ) );
	$left = $picture();
	$is( 'they are there', array_diff( array_merge( $harm, $beside ), array_keys( $left ) ), array( 5 => 'wp-content/gone.php' ) );
	file_put_contents( WPMU_PLUGIN_DIR . '/' . Door::NAME, '<?php // of the update' );
	$journal->put( array( 'deadline' => 0 ) );
	$is( 'a visitor after the deadline', $visit( $journal ), 0 );
	$is( 'the door is none of them', is_file( WPMU_PLUGIN_DIR . '/' . Door::NAME ), true );
	unlink( WPMU_PLUGIN_DIR . '/' . Door::NAME );
	$expected = $was;
	foreach ( $beside as $name ) {
		$expected[ $name ] = $left[ $name ];
	}
	$expected['wp-content/linked.php'] = $left['wp-content/linked.php'];
	ksort( $expected );
	$is( 'as it was', array( Journal::open( $journal->dir )->phase(), Journal::open( $journal->dir )->get( 'unmended' ), $picture() ), array( 'rolled_back', '', $expected ) );

	// A folder with too many of them is left alone.
	for ( $n = 0; $n <= Around::MOST; $n++ ) {
		file_put_contents( WPMU_PLUGIN_DIR . "/$n.php", (string) $n );
	}
	$journal = $guarded();
	$put( array( 'wp-content/mu-plugins/0.php' => 'another' ) );
	$is( 'one of very many', Around::back( $journal ), array() );
	array_map( 'unlink', glob( WPMU_PLUGIN_DIR . '/*.php' ) );
	$put( array( 'wp-content/mu-plugins/own.php' => 'own' ) );

	// Who breaks what every request needs waits for somebody who gets through.
	$was     = $picture();
	$journal = $guarded( array( 'phase' => 'swapped' ) );
	$writes  = $visitor( $journal, '', array( '.htaccess' ) );
	while ( proc_get_status( $writes )['running'] ) {
		$visit( $journal );
	}
	$is( 'somebody came', array( Journal::open( $journal->dir )->phase(), file_get_contents( "$www/.htaccess" ) ), array( 'swapped', 'broken' ) );
	proc_close( $writes );
	Around::back( $journal );
	foreach ( array( '.htaccess', 'wp-config.php', '.user.ini' ) as $name ) {
		$journal = $guarded( array( 'phase' => 'swapped', 'gates' => array( 'paths' => Around::gates(), 'patience' => 0 ) ) );
		$is( "nobody comes: $name", $visit( $journal, '', array( $name ) ), 0 );
		$left = Journal::open( $journal->dir );
		$is( "then it is taken back: $name", array( $left->phase(), $left->get( 'hung' ), $picture() ), array( 'rolled_back', true, $was ) );
	}

	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
