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
		list( , , $base, $dir, $query, $harm, $where ) = $argv;
		define( 'ABSPATH', "$base/www/" );
		function add_filter() {}
		parse_str( $query, $_GET );
		require "$dir/rescue/door.php";
		if ( in_array( $where, array( 'web', 'heals' ), true ) ) { // What the door does in the web server's PHP.
			require_once "$dir/rescue/class-journal.php";
			require_once "$dir/rescue/class-gates.php";
			$state = json_decode( (string) strstr( (string) file_get_contents( "$dir/state.php" ), "\n" ), true );
			'swapped' === $state['phase'] && SvcConnector\Gates::begin( $state );
		}
		if ( 'dies' === $where ) {
			file_put_contents( "$base/www/$harm", 'broken' );
			posix_kill( getmypid(), 9 );
		}
		register_shutdown_function( // As code does that is loaded later.
			static function () use ( $base, $harm, $dir, $where ): void {
				foreach ( '' === $harm ? array() : explode( ',', $harm ) as $name ) {
					is_dir( dirname( "$base/www/$name" ) ) || mkdir( dirname( "$base/www/$name" ) );
					is_file( "$base/www/$name" ) && 'gone.php' === basename( $name ) ? unlink( "$base/www/$name" ) : file_put_contents( "$base/www/$name", 'heals' === $where ? "RewriteEngine On\n" : 'broken' );
				}
				if ( 'late' === $where ) {
					SvcConnector\Journal::open( $dir )->put( array( 'phase' => 'swapped' ) );
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
	require __DIR__ . '/is.php';
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
		$journal = Journal::create( "$base/work", $more + array( 'kind' => 'update', 'phase' => 'armed', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'before' => '1.0', 'type' => 'plugin', 'file' => 'garden/garden.php', 'names' => array( 'garden' ), 'roots' => array( 'item' => ABSPATH . 'wp-content/plugins' ), 'deadline' => time() + 300, 'echo' => 'e', 'doors' => array( WPMU_PLUGIN_DIR . '/' . Door::NAME ), 'gates' => Gates::of( Around::gates() ) ) );
		Journal::write( $journal->data( 'plan' ), '' );
		mkdir( $journal->data( 'trial' ) );
		Door::prepare( $journal );
		Around::note( $journal );
		return $journal;
	};
	$visitor = static function ( Journal $journal, string $query = '', array $harm = array(), string $where = 'web' ) use ( $base ) {
		return proc_open( array( PHP_BINARY, __FILE__, 'visit', $base, $journal->dir, $query, implode( ',', $harm ), $where ), array(), $pipes );
	};
	$visit   = static function ( Journal $journal, string $query = '', array $harm = array(), string $where = 'web' ) use ( $visitor ): int {
		return proc_close( $visitor( $journal, $query, $harm, $where ) );
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
	// What was another one when a request began is not its doing, though it writes there as well.
	$put( array( '.htaccess' => 'of an administrator' ) );
	$visit( $journal, $trial(), array( '.htaccess', 'wp-content/object-cache.php' ) );
	$is( 'what somebody had changed before', array( is_file( "$www/wp-content/object-cache.php" ), Around::back( $journal ), $picture() ), array( false, array( '.htaccess' ), $was ) );
	// One that is ended before it could leaves word of that, and one that outlives its look takes nothing from what is installed by then.
	$untouched = $guarded( array( 'before' => null ) );
	$visit( $untouched, $trial(), array( '.htaccess' ) );
	$is( 'a trial that ended', Around::is_touched( $untouched ), false );
	$visit( $untouched, $trial(), array( '.htaccess' ), 'dies' );
	$is( 'one that was ended', array( Around::is_touched( $untouched ), Around::back( $untouched ), $picture() ), array( true, array( '.htaccess' ), $was ) );
	$late = $guarded( array( 'late' => true ) );
	$visit( $late, $trial(), array( '.htaccess' ), 'late' );
	$is( 'one that ends when it is installed', array( file_get_contents( "$www/.htaccess" ), Around::back( $late ) ), array( 'broken', array( '.htaccess' ) ) );

	// What nobody has touched is not put back, and what could not be is tried again.
	$nobody = $guarded( array( 'before' => null ) );
	$put( array( 'wp-content/mu-plugins/of-somebody.php' => 'else' ) );
	$is( 'nothing was installed', array( FileSwap::mend( $nobody ), is_file( "$www/wp-content/mu-plugins/of-somebody.php" ) ), array( '', true ) );
	unlink( "$www/wp-content/mu-plugins/of-somebody.php" );
	$put( array( '.htaccess' => 'broken', 'wp-content/advanced-cache.php' => 'broken', 'wp-content/mu-plugins/own.php' => 'broken' ) );
	$nobody->put( array( 'before' => '1.0' ) );
	$copy = (array) json_decode( substr( (string) file_get_contents( $nobody->data( 'around/list.php' ) ), strlen( Around::SHUT ) ), true );
	$n    = array_search( "$www/wp-content/advanced-cache.php", array_map( 'base64_decode', array_column( $copy['files'], 0 ) ), true );
	rename( $nobody->data( "around/$n.php" ), $nobody->data( 'away' ) );
	file_put_contents( $nobody->data( "around/$n.php" ), '' );
	$swap = new FileSwap( $nobody, 10.0 );
	$is( 'one cannot be put back', array( $swap->back( true ), $nobody->get( 'unmended' ), file_get_contents( "$www/.htaccess" ), file_get_contents( "$www/wp-content/mu-plugins/own.php" ) ), array( true, 'The copy of a file beside the item is not whole.', "RewriteEngine On\n", 'own' ) );
	$is( 'nor the next time', FileSwap::mend( $nobody ), 'The copy of a file beside the item is not whole.' );
	rename( $nobody->data( 'away' ), $nobody->data( "around/$n.php" ) );
	$nobody->put( array( 'swapped_at' => microtime( true ) - 1000 ) );
	$is( 'then it can', array( FileSwap::mend( $nobody ), $picture() ), array( '', $was ) );
	$nobody->put( array( 'unmended' => '' ) );
	$put( array( '.htaccess' => 'of an administrator' ) );
	$is( 'long after that', array( FileSwap::mend( $nobody ), Around::back( $nobody ), $picture() ), array( '', array( '.htaccess' ), $was ) );

	// Nothing half-written may lie where WordPress loads each PHP file.
	$journal->put( array( 'phase' => 'armed' ) );
	mkdir( WPMU_PLUGIN_DIR . '/whole.php' );
	foreach ( array( '.part', '.part.php' ) as $end ) {
		try {
			Journal::write( WPMU_PLUGIN_DIR . '/whole.php', 'half', $end );
		} catch ( Problem $problem ) {
			unset( $problem );
		}
	}
	rmdir( WPMU_PLUGIN_DIR . '/whole.php' );
	$is( 'nothing half-written stays', $picture(), $was );

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
	$was   = $picture();
	$waits = static function ( Journal $journal ) use ( $www, $visitor ): array {
		$process = $visitor( $journal, '', array( '.htaccess' ) );
		do {
			clearstatcache();
			$runs = proc_get_status( $process )['running'];
		} while ( $runs && ( file_exists( $journal->dir . '/came' ) || 'broken' !== file_get_contents( "$www/.htaccess" ) ) );
		return array( $process, $runs );
	};
	$of    = static function ( Journal $journal ) use ( $www ): array {
		return array( Journal::open( $journal->dir )->phase(), file_get_contents( "$www/.htaccess" ) );
	};
	$journal = $guarded( array( 'phase' => 'swapped' ) );
	$is( 'where there may be one worker alone nobody waits', array( $visit( $journal, '', array( '.htaccess' ) ), is_file( $journal->dir . '/came' ), $of( $journal ) ), array( 0, true, array( 'swapped', 'broken' ) ) );
	Around::back( $journal );
	// Two requests at the same time tell that there are several.
	$here = fopen( $journal->dir . '/here', 'cbe' );
	flock( $here, LOCK_SH );
	$visit( $journal );
	fclose( $here );
	$is( 'there are several', is_file( $journal->dir . '/several' ), true );
	list( $writes, $runs ) = $waits( $journal );
	$is( 'who broke it waits', array( $runs, file_exists( $journal->dir . '/came' ) ), array( true, false ) );
	$is( 'the command line is nobody', array( $visit( $journal, '', array(), 'cli' ), file_exists( $journal->dir . '/came' ), proc_get_status( $writes )['running'] ), array( 0, false, true ) );
	$visit( $journal ); // He may have passed the web server before.
	usleep( 600000 );
	$is( 'one who was on the way is nobody', proc_get_status( $writes )['running'], true );
	do {
		$visit( $journal );
	} while ( proc_get_status( $writes )['running'] );
	$is( 'somebody came', $of( $journal ), array( 'swapped', 'broken' ) );
	Around::back( $journal );
	$journal = $guarded( array( 'phase' => 'swapped', 'gates' => array( 'patience' => 0 ) + Gates::of( Around::gates() ) ) );
	touch( $journal->dir . '/several' );
	$put( array( '.htaccess' => 'broken' ) );
	$is( 'what is as it was noted shuts nobody out', array( $visit( $journal, '', array( '.htaccess' ), 'heals' ), $of( $journal ) ), array( 0, array( 'swapped', "RewriteEngine On\n" ) ) );
	$lock = fopen( $journal->dir . '/waits', 'cbe' );
	flock( $lock, LOCK_EX );
	$visit( $journal, '', array( '.htaccess' ) );
	fclose( $lock );
	$is( 'one waits, no other', $of( $journal ), array( 'swapped', 'broken' ) );
	$put( array( '.user.ini' => 'of before' ) );
	$visit( $journal );
	$is( 'nor what was another one before', $of( $journal )[0], 'swapped' );
	Around::back( $journal );
	touch( "$www/.htaccess", $was['.htaccess'][2] );
	foreach ( array( '.htaccess', 'wp-config.php', '.user.ini' ) as $name ) {
		$journal = $guarded( array( 'phase' => 'swapped', 'gates' => array( 'patience' => 0 ) + Gates::of( Around::gates() ) ) );
		touch( $journal->dir . '/several' );
		$is( "nobody comes: $name", $visit( $journal, '', array( $name ) ), 0 );
		$left = Journal::open( $journal->dir );
		$is( "then it is taken back: $name", array( $left->phase(), $left->told()['shut'], $left->told()['hung'], $picture() ), array( 'rolled_back', true, false, $was ) );
	}
	// A request that began before may have the last worker: nobody can tell whether anybody could come.
	$journal = $guarded( array( 'phase' => 'swapped', 'gates' => array( 'patience' => 0 ) + Gates::of( Around::gates() ) ) );
	$here    = fopen( $journal->dir . '/here', 'cbe' );
	flock( $here, LOCK_SH );
	list( $writes, $runs ) = $waits( $journal );
	$is( 'another is at work', array( $runs, Journal::open( $journal->dir )->phase() ), array( true, 'swapped' ) );
	fclose( $here );
	$is( 'and has ended', array( proc_close( $writes ), Journal::open( $journal->dir )->phase(), $picture() ), array( 0, 'rolled_back', $was ) );

	// Who has let go of an update keeps nobody from it.
	$journal = $guarded();
	$journal->hold();
	$journal->let_go();
	$is( 'it is held no longer', Journal::open( $journal->dir )->is_held(), false );

	// The file that sees the errors of must-use plugins is ours: it comes and goes with the connection.
	$put( array( 'wp-content/mu-plugins/' . MustUse::NAME => 'ours' ) );
	$journal = $guarded();
	unlink( WPMU_PLUGIN_DIR . '/' . MustUse::NAME );
	$is( 'what is ours', array( Around::back( $journal ), $picture() ), array( array(), $was ) );

	exec( 'rm -rf ' . escapeshellarg( $base ) );
	echo "$checks checks: $wrong wrong\n";
	exit( $wrong > 0 ? 1 : 0 );
}
