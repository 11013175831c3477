<?php
/**
 * Plans that try to leave the site: whatever a plan names, nothing outside the site changes, and what a restore leaves alone stays.
 *
 *   php paths.php [rounds] [seed]
 *
 * @package SvcConnector
 */

namespace {
	$base = sys_get_temp_dir() . '/svc-paths-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/site/wp-content/plugins/svc-connector", 0755, true );
	mkdir( "$base/outside" );
	define( 'ABSPATH', "$base/site/" );
	define( 'WP_CONTENT_DIR', "$base/site/wp-content" );
	define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
	define( 'DB_ENGINE', 'sqlite' );
	define( 'FQDB', WP_CONTENT_DIR . '/database/.ht.sqlite' );
	require __DIR__ . '/a-site.php';
	$wpdb = (object) array( 'prefix' => 'wp_' );
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function plugin_basename( $file ) { return 'svc-connector/svc-connector.php'; }
	function wp_convert_hr_to_bytes( $value ) { return 0; }
	function wp_is_file_mod_allowed() { return $GLOBALS['file_mods'] ?? true; }
}

namespace SvcConnector {

	const FILE = __FILE__;
	require __DIR__ . '/load.php';
	$rounds = (int) ( $argv[1] ?? 1000 );
	$seed   = (int) ( $argv[2] ?? 1 );
	mt_srand( $seed );
	set_error_handler( static function (): bool { return true; } ); // Files that cannot be moved are answers here.

	file_put_contents( "$base/outside/sentinel", 'untouched' );
	file_put_contents( "$base/outside/wp-load.php", 'of another WordPress' ); // So it is no root of this site, though a link leads there.
	file_put_contents( "$base/site/wp-config.php", 'config' );
	file_put_contents( WP_CONTENT_DIR . '/plugins/svc-connector/own.php', 'own' );
	mkdir( dirname( FQDB ) );
	$db = new \SQLite3( FQDB );
	$db->exec( 'CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT, autoload TEXT)' );
	$db->close();
	symlink( "$base/outside", "$base/site/way-out" );
	$kept = static function () use ( $base ): array {
		$names = scandir( "$base/outside" );
		return array( $names, file_get_contents( "$base/outside/sentinel" ), scandir( $base ), file_get_contents( "$base/site/wp-config.php" ), file_get_contents( WP_CONTENT_DIR . '/plugins/svc-connector/own.php' ), is_file( FQDB ) );
	};
	$before = $kept();

	$paths   = array( '../outside/x', '/etc/x', "$base/outside/x", 'a/../../outside/x', '..', '.', '', 'a//b', './a', 'a/.', "a\0b", "..\0", str_repeat( 'n', 256 ), 'way-out/x', 'way-out/deeper/x', 'way-out/sentinel', 'wp-config.php', '.maintenance', 'wp-content/plugins/svc-connector/own.php', 'wp-content/plugins/svc-connector', 'wp-content/svc-connector-work/x', 'wp-content/database/.ht.sqlite', 'wp-content/database/.ht.sqlite-wal', array( 'b64' => base64_encode( '../outside/x' ) ), array( 'b64' => '!!' ), array( 'b64' => 7 ), 7, null, true, 'a\\..\\b', '..\\b', 'a\\..', 'a/..\\b', 'a\\../b' );
	$fine    = array( 'fine.txt', 'wp-content/fine.txt', 'a b', '-rf', "new\nline", '...', '..x', 'x..', 'a\\b', 'a\\...\\b', 'C:\\x', 'c:x' );
	$targets = array( '../outside', '/etc/passwd', "$base/outside/sentinel", '../../..', 'a/../../..', '', '/' );
	$work    = WP_CONTENT_DIR . '/svc-connector-work';
	$begin   = static function ( array $ops ) use ( $work ): array {
		$current = Journal::current( $work, 'restore' );
		if ( null !== $current ) {
			Leftovers::clear( $current->dir );
			rmdir( $current->dir );
		}
		$journal = Journal::create( $work, array( 'phase' => 'staging', 'id' => 'x', 'job' => 'job_1', 'fence' => 1, 'engine' => 'sqlite', 'file' => FQDB, 'prefix' => 'wp_' ) );
		$body    = hash( 'sha256', 'content' );
		$plan    = implode( '', array_map( static function ( array $op ): string { return json_encode( $op, JSON_PARTIAL_OUTPUT_ON_ERROR ) . "\n"; }, $ops ) );
		Journal::write( $journal->data( "stage/$body" ), 'content' );
		Journal::write( $journal->data( 'stage/' ) . hash( 'sha256', $plan ), $plan );
		return array( 'job' => 'job_1', 'fence' => 1, 'plan' => hash( 'sha256', $plan ) );
	};
	$swap    = static function () use ( $work ): string {
		$journal = Journal::current( $work, 'restore' );
		$journal->put( array( 'phase' => 'armed', 'at' => 0 ) );
		try {
			$swap = new FileSwap( $journal, 5.0 );
			$swap->forward();
			return 'swapped';
		} catch ( \Throwable $error ) {
			$swap = new FileSwap( $journal, 5.0 );
			return $swap->back() ? 'refused' : 'not taken back';
		}
	};
	$stage   = static function ( array $ops, int $from = 0 ) use ( $begin, $swap ): string {
		try {
			Staging::prepare( $begin( $ops ) + array( 'from' => $from ) );
		} catch ( Problem $problem ) {
			return 'refused';
		}
		return $swap();
	};
	// As if the plan had become another one after it was checked: what acts must judge by itself.
	$later   = static function ( array $ops, int $laid = 0 ) use ( $begin, $swap, $work, &$op ): string {
		Staging::prepare( $begin( array( $op( 'put', 'fine.txt' ) ) ) );
		$journal = Journal::current( $work, 'restore' );
		Journal::write( $journal->data( 'plan' ), implode( '', array_map( static function ( array $op ): string { return json_encode( $op, JSON_PARTIAL_OUTPUT_ON_ERROR ) . "\n"; }, $ops ) ) );
		Leftovers::clear( $journal->data( 'new' ) );
		foreach ( 0 === $laid ? array() : $ops as $n => $each ) {
			Journal::write( $journal->side( 'new', $n ), 'of a stranger' );
		}
		return $swap();
	};
	$arms    = static function () use ( $base ): string {
		try {
			Restore::arm( array( 'job' => 'job_1', 'fence' => 1, 'probe' => str_repeat( '0', 64 ) ), Identity::of( array() ) );
			return 'armed';
		} catch ( \Throwable $error ) {
			return false === strpos( $error->getMessage(), 'not checked' ) ? 'armed' : 'refused'; // Beyond that question WordPress is needed.
		}
	};
	$op      = static function ( string $kind, $path, string $target = 'fine.txt' ): array {
		return array( 'k' => $kind, 'r' => 'abspath', 'p' => $path, 'm' => 0644, 't' => 1, 'h' => hash( 'sha256', 'content' ), 's' => 7, 'to' => $target );
	};

	$wrong = array();
	$tried = 0;
	foreach ( $paths as $path ) {
		foreach ( array( 'put', 'link', 'dir', 'del', 'rmdir' ) as $kind ) {
			++$tried;
			foreach ( array( 'from the first line' => array( $stage, 0 ), 'from the ninth line' => array( $stage, 9 ), 'when it acts' => array( $later, 1 ), 'when it acts, with nothing laid ready' => array( $later, 0 ) ) as $when => list( $do, $from ) ) {
				if ( 'refused' !== $do( array( $op( $kind, $path ) ), $from ) || $kept() !== $before ) {
					$wrong[] = "$kind " . json_encode( $path, JSON_PARTIAL_OUTPUT_ON_ERROR ) . " $when";
				}
			}
		}
	}
	// Folders that hold what is left alone do not go with it inside.
	foreach ( array( 'wp-content', 'wp-content/plugins', 'wp-content/database', 'wp-content/svc-connector-work' ) as $path ) {
		foreach ( array( 'put', 'link', 'del' ) as $kind ) {
			foreach ( array( $stage, $later ) as $do ) {
				++$tried;
				if ( 'refused' !== $do( array( $op( $kind, $path ) ), 1 ) || $kept() !== $before ) {
					$wrong[] = "$kind $path, with what is in it";
				}
			}
		}
	}
	// Links that lead out together.
	mkdir( "$base/site/real/deep", 0755, true );
	symlink( 'real/deep', "$base/site/in" );
	foreach ( array(
		'refused' => array(
			array( array( 'y', '.' ), array( 'l', 'y/../outside' ) ),
			array( array( 'l', 'y/../outside' ), array( 'y', '.' ) ),
			array( array( 'real/y', '..' ), array( 'l', 'real/y/../outside' ) ),
			array( array( 'z', 'y' ), array( 'y', 'real/..' ), array( 'l', 'z/../outside' ) ),
			array( array( 'l', 'way-out/../outside' ) ),
			array( array( 'y', "$base/site/real/.." ), array( 'l', 'y/../outside' ) ),
		),
		'swapped' => array(
			array( array( 'y', 'real/deep' ), array( 'l', 'y/../fine.txt' ) ),
			array( array( 'l', 'in/../../fine.txt' ) ),
			array( array( 'l', 'l' ) ),
			array( array( 'l', 'nowhere/at/all' ) ),
			array( array( 'real/deep/l', '../../real/./deep' ) ),
		),
	) as $expected => $cases ) {
		foreach ( $cases as $case ) {
			++$tried;
			$links = array_map( static function ( array $link ) use ( $op ): array { return $op( 'link', $link[0], $link[1] ); }, $case );
			$found = $stage( $links );
			if ( $found !== $expected || $kept() !== $before || false !== strpos( (string) realpath( "$base/site/l" ), '/outside' ) ) {
				$wrong[] = "$found: " . json_encode( $case );
			}
			foreach ( array( 'y', 'l', 'z', 'real/y', 'real/deep/l' ) as $name ) {
				is_link( "$base/site/$name" ) && unlink( "$base/site/$name" );
			}
		}
	}
	// A folder that becomes a link on the way.
	++$tried;
	if ( 'refused' !== $stage( array( $op( 'put', 'real/a' ), $op( 'del', 'real' ), $op( 'link', 'real', '.' ), $op( 'put', 'real/wp-config.php' ) ) ) || $kept() !== $before || ! is_dir( "$base/site/real/deep" ) || is_link( "$base/site/real" ) ) {
		$wrong[] = 'through a link that the plan made';
	}
	// Another WordPress, however deep it lies; one that a link leads to makes no neighbour of the folder that takes the link's place.
	mkdir( "$base/site/clients/old/a/wp-content", 0755, true );
	touch( "$base/site/clients/old/a/wp-load.php" );
	file_put_contents( "$base/site/clients/old/a/wp-config.php", 'theirs' );
	symlink( 'old/a', "$base/site/clients/to-them" );
	foreach ( array( $op( 'put', 'clients/old/a/new.php' ), $op( 'put', 'clients/old/a/wp-content/new.php' ), $op( 'del', 'clients/old/a/wp-config.php' ), $op( 'dir', 'clients/old/a/new' ), $op( 'link', 'clients/old/a/new' ), $op( 'del', 'clients/old/a' ), $op( 'put', 'clients/old/a' ) ) as $each ) {
		++$tried;
		if ( 'refused' !== $stage( array( $each ) ) || array( '.', '..', 'wp-config.php', 'wp-content', 'wp-load.php' ) !== scandir( "$base/site/clients/old/a" ) ) {
			$wrong[] = "{$each['k']} {$each['p']} of a neighbour";
		}
	}
	mkdir( "$base/site/clients/kept/releases/1", 0755, true );
	mkdir( "$base/site/clients/kept/shared" );
	touch( "$base/site/clients/kept/releases/1/wp-load.php" );
	touch( "$base/site/clients/kept/releases/1/wp-config.php" );
	symlink( 'releases/1', "$base/site/clients/kept/current" );
	foreach ( array( $op( 'put', 'clients/kept/shared/new' ), $op( 'link', 'clients/kept/current', 'releases' ), $op( 'del', 'clients/kept/current' ) ) as $each ) {
		++$tried;
		if ( 'refused' !== $stage( array( $each ) ) || array( '.', '..' ) !== scandir( "$base/site/clients/kept/shared" ) || 'releases/1' !== readlink( "$base/site/clients/kept/current" ) ) {
			$wrong[] = "{$each['k']} {$each['p']} beside the releases of a neighbour";
		}
	}
	foreach ( array( array( $op( 'put', 'clients/old/fine.txt' ) ), array( $op( 'del', 'clients/to-them' ), $op( 'dir', 'clients/to-them' ), $op( 'put', 'clients/to-them/fine.txt' ) ) ) as $ops ) {
		++$tried;
		if ( 'swapped' !== $stage( $ops ) ) {
			$wrong[] = "{$ops[0]['k']} {$ops[0]['p']} beside a neighbour";
		}
	}
	// A plan that was not looked at to its end is not armed, whatever another one was.
	$two    = array( $op( 'put', 'fine.txt' ), $op( 'put', 'wp-content/fine.txt' ) );
	$states = array();
	Staging::prepare( $begin( $two ) );
	$states[] = $arms();
	$half     = Staging::prepare( $begin( $two ) + array( 'budget_ms' => 0 ) )['done'];
	$states[] = $arms();
	$plan     = $begin( $two );
	Staging::prepare( $plan );
	Journal::write( Journal::current( $work, 'restore' )->data( 'stage/' ) . hash( 'sha256', 'another' ), 'another' );
	try {
		Staging::prepare( array( 'plan' => hash( 'sha256', 'another' ) ) + $plan );
	} catch ( Problem $problem ) {
		$states[] = $arms();
	}
	$tried += 3;
	if ( array( 'armed', 'refused', 'refused' ) !== $states || $half ) {
		$wrong[] = 'armed without a look at the plan: ' . implode( ' ', $states );
	}
	// Where files may not be changed a plan may be empty, and nothing else.
	$GLOBALS['file_mods'] = false;
	$tried               += 2;
	if ( 'refused' !== $stage( array( $op( 'put', 'planted.php' ) ) ) || is_file( "$base/site/planted.php" ) || 'swapped' !== $stage( array() ) ) {
		$wrong[] = 'a file, though files may not be changed';
	}
	$GLOBALS['file_mods'] = true;
	foreach ( $targets as $target ) {
		++$tried;
		if ( 'refused' !== $stage( array( $op( 'link', 'a-link', $target ) ) ) || $kept() !== $before ) {
			$wrong[] = "link to $target";
		}
	}
	foreach ( $fine as $path ) {
		++$tried;
		is_file( "$base/site/$path" ) && unlink( "$base/site/$path" );
		if ( 'swapped' !== $stage( array( $op( 'put', $path ) ), 9 ) || 'content' !== file_get_contents( "$base/site/$path" ) ) {
			$wrong[] = "not restored: $path";
		}
	}
	$any = array_merge( $paths, $fine, array( 'a', 'a/b', 'a/b/c', 'b' ) );
	for ( $round = 0; $round < $rounds; $round++ ) {
		$ops = array();
		for ( $n = mt_rand( 1, 6 ); $n > 0; $n-- ) {
			$ops[] = $op( array( 'put', 'link', 'dir', 'del', 'rmdir', 'exec' )[ mt_rand( 0, 5 ) ], $any[ mt_rand( 0, count( $any ) - 1 ) ], mt_rand( 0, 1 ) ? 'a' : $targets[ mt_rand( 0, count( $targets ) - 1 ) ] );
		}
		$stage( $ops );
		if ( $kept() !== $before ) {
			$wrong[] = json_encode( $ops, JSON_PARTIAL_OUTPUT_ON_ERROR );
			break;
		}
	}
	foreach ( array_slice( $wrong, 0, 20 ) as $line ) {
		echo "WRONG  $line\n";
	}
	Leftovers::clear( $base );
	rmdir( $base );
	printf( "seed %d: %d paths by hand, %d plans at random: %d wrong\n", $seed, $tried, $rounds, count( $wrong ) );
	exit( $wrong ? 1 : 0 );
}
