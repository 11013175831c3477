<?php
/**
 * Which folders are this site's: each file in one root, each root by the same id whatever release the site is at, what cannot be one said by
 * name, and nothing restored beside them.
 *
 *   php roots.php
 *
 * @package SvcConnector
 */

namespace {
	/** By name: what is made in an empty folder, what WordPress is told, the roots that come of it (id => place), and what is said to lie outside (path of the link or of the setting => begin of the reason); what is listed as excluded (path => reason), and what cannot be read. */
	$cases = array(
		'plain' => array( '', array(), array(), array() ),
		'a link to storage, whatever the release' => array(
			'mkdir -p shared/uploads; ln -s ../../shared/uploads site/wp-content/uploads',
			array(),
			array( 'uploads' => 'shared/uploads' ),
			array(),
		),
		'storage that is gone' => array(
			'ln -s ../../shared/uploads site/wp-content/uploads',
			array(),
			array( 'uploads' => 'shared/uploads' ),
			array( 'wp-content/uploads' => 'it leads to nothing' ),
		),
		'a setting' => array( 'mkdir media', array( 'uploads' => '{base}/media' ), array( 'uploads' => 'media' ), array() ),
		'a setting that leads to the system' => array( '', array( 'uploads' => '/etc/ssl' ), array(), array( 'wp-content/uploads' => 'it is a folder of the system' ) ),
		'a disk that is mounted at the top of the machine' => array(
			'mkdir {top} {top}/2026; echo f > {top}/2026/f; ln -s {top} site/all',
			array( 'uploads' => '{top}' ),
			array( 'uploads' => '{top}' ),
			array(),
		),
		'a link to what is mounted there' => array( 'ln -s /data-of-many site/all', array(), array(), array( 'all' => 'it is a folder of the system' ) ),
		'a setting that leads to what many share' => array( '', array( 'uploads' => '/srv' ), array(), array( 'wp-content/uploads' => 'it is a folder of the system' ) ),
		'a setting that names no folder of this machine' => array( '', array( 'uploads' => 's3://bucket/uploads' ), array(), array( 'wp-content/uploads' => 'it leads to nothing' ) ),
		'links at the usual places' => array(
			'mkdir -p shared/p themes/t site/wp-content/plugins site/wp-content/themes site/wp-content/uploads old; echo x > shared/.htaccess; echo c > shared/wp-config.php; rm site/wp-config.php
			ln -s "$PWD/shared/p" site/wp-content/plugins/own; ln -s "$PWD/themes/t" site/wp-content/themes/t; ln -s ../shared/.htaccess site/.htaccess; ln -s ../shared/wp-config.php site/wp-config.php; ln -s "$PWD/old" site/wp-content/uploads/old',
			array(),
			array( '.htaccess' => 'shared/.htaccess', 'wp-config.php' => 'shared/wp-config.php', 'wp-content/plugins/own' => 'shared/p', 'wp-content/themes/t' => 'themes/t', 'wp-content/uploads/old' => 'old' ),
			array(),
		),
		'links of a network, for each site' => array(
			'mkdir -p shared/2 shared/old site/wp-content/uploads/sites site/wp-content/blogs.dir; ln -s "$PWD/shared/2" site/wp-content/uploads/sites/2; ln -s "$PWD/shared/old" site/wp-content/blogs.dir/2',
			array(),
			array( 'wp-content/blogs.dir/2' => 'shared/old', 'wp-content/uploads/sites/2' => 'shared/2' ),
			array(),
		),
		'a link to what another root has already' => array( 'mkdir -p shared/a/b site/wp-content; ln -s "$PWD/shared/a" site/a; ln -s "$PWD/shared/a/b" site/b', array(), array( 'a' => 'shared/a' ), array() ),
		'links in what another link leads to' => array(
			'mkdir -p shared/blogs x site/wp-content; ln -s "$PWD/shared/blogs" site/wp-content/blogs.dir; ln -s "$PWD/x" shared/blogs/2',
			array(),
			array( 'wp-content/blogs.dir' => 'shared/blogs', 'wp-content/blogs.dir/2' => 'x' ),
			array(),
		),
		'a link to a folder behind one to what it holds' => array( 'mkdir -p shared/f/x shared/f/y; ln -s "$PWD/shared/f/x" site/a; ln -s "$PWD/shared/f" site/b; echo y > shared/f/y/y', array(), array( 'b' => 'shared/f' ), array() ),
		'links into another WordPress, and beside one around the site' => array(
			'mkdir -p other/wp-content/plugins/p other/wp-includes around/wp-content/media around/media; touch other/wp-load.php around/wp-load.php; mv site around; ln -s "$PWD/other/wp-content/plugins" around/site/x; ln -s "$PWD/around/wp-content/media" around/site/theirs; ln -s "$PWD/around/media" around/site/ours
			mkdir -p bed/web/wp bed/web/app/uploads; touch bed/web/wp-config.php bed/web/wp/wp-load.php; ln -s "$PWD/bed/web/app/uploads" around/site/wp-content/uploads',
			array( 'abspath' => 'around/site/' ),
			array( 'ours' => 'around/media' ),
			array( 'theirs' => 'it lies in another WordPress', 'wp-content/uploads' => 'it lies in another WordPress', 'x' => 'it lies in another WordPress' ),
		),
		'folders of themes, languages, and uploads of each site' => array(
			'mkdir -p elsewhere/themes elsewhere/more elsewhere/lang media/2 media/3 site/wp-content/themes',
			array( 'themes' => '{base}/elsewhere/themes', 'more themes' => '{base}/elsewhere/more', 'languages' => '{base}/elsewhere/lang', 'upload_path' => array( 2 => '{base}/media/2', 3 => '/etc/ssl', 4 => 'wp-content/blogs.dir/4/files' ) ),
			array( 'languages' => 'elsewhere/lang', 'themes' => 'elsewhere/themes', 'themes-' => 'elsewhere/more', 'uploads-2' => 'media/2' ),
			array( 'wp-content/uploads/sites/3' => 'it is a folder of the system' ),
		),
		'links that lead to no root' => array(
			'mkdir -p site/deep/er secret other/wp-includes shared/uploads/x; ln -s "$PWD/secret" site/deep/er/out; ln -s "$PWD" site/all; ln -s "$PWD/other" site/other; ln -s /etc/ssl site/ssl; ln -s / site/everything
			ln -s nowhere site/dangling; ln -s ../../shared/uploads/x site/wp-content/uploads',
			array(),
			array( 'uploads' => 'shared/uploads/x' ),
			array( 'all' => 'it holds other', 'deep/er/out' => 'it leads out of the site', 'everything' => 'it is a folder of the system', 'other' => 'it holds another WordPress', 'ssl' => 'it is a folder of the system' ),
		),
		'core in a folder of its own' => array(
			'mkdir docs; mv site core; mkdir site; mv core site/core; echo "<?php require \'core/wp-blog-header.php\';" > site/index.php; mv site/core/wp-config.php site; mkdir -p site/assets site/blog; echo "<?php" > site/blog/wp-load.php; echo b > site/blog/b',
			array( 'abspath' => 'site/core/', 'site' => 'http://a.test/core' ),
			array( 'docroot' => 'site' ),
			array(),
			array( 'blog' => 'another WordPress' ),
		),
		'another WordPress, however deep' => array(
			'cd site; mkdir -p clients/a/wp-includes clients/b two/wp two/content copies/one/wp-content old/wp-content wp-content/uploads/kept/x; for at in clients/a two/wp copies/one old wp-content/uploads/kept/x; do echo "<?php" > $at/wp-load.php; done
			echo "<?php" > clients/a/wp-config.php; echo "<?php" > two/wp-config.php; echo f > two/content/f; echo "<?php" > wp-content/uploads/kept/x/wp-config.php; echo f > clients/b/f; echo f > clients/a/wp-includes/f; echo c > copies/wp-config.php; echo l > copies/wp-settings.php; mkdir notes; echo "<?php" > notes/wp-config.php',
			array(),
			array(),
			array(),
			array( 'clients/a' => 'another WordPress', 'two' => 'another WordPress', 'wp-content/uploads/kept/x' => 'another WordPress' ),
		),
		'another WordPress that is laid out in releases' => array(
			'cd site; mkdir -p b/releases/1/wp-content b/releases/0 b/shared/uploads p/releases/3/web c/releases/v/public c/files assets/v1; ln -s releases/1 b/current; ln -s releases/v c/live; ln -s releases/3 p/current; ln -s v1 assets/current
			ln -s ../../shared/wp-config.php b/releases/1/wp-config.php; ln -s ../../../shared/uploads b/releases/1/wp-content/uploads; echo S=1 > b/shared/.env; for at in b/shared/wp-config.php b/releases/1/wp-load.php c/releases/v/public/wp-load.php c/releases/v/public/wp-config.php; do echo "<?php" > $at; done
			mkdir p/releases/3/config; echo {} > p/releases/3/composer.json; echo "<?php" > p/releases/3/config/application.php; echo "<?php" > p/releases/3/web/wp-config.php; echo f > b/shared/uploads/f; echo f > c/files/f; echo f > p/f; echo f > assets/v1/f',
			array(),
			array(),
			array(),
			array( 'b' => 'another WordPress', 'c' => 'another WordPress', 'p' => 'another WordPress' ),
		),
		'another WordPress with a project around it, and uploads beside it' => array(
			'cd site; mkdir -p bed/config bed/web/wp bed/vendor/x bed/.private blog/wp-content blog-files wp-content/uploads notes/config; echo {} > bed/composer.json; echo "<?php" > bed/config/application.php; echo S=1 > bed/.env; echo {} > notes/composer.json; echo "<?php" > notes/config/application.php
			for at in bed/web/wp-config.php bed/web/wp/wp-load.php blog/wp-load.php blog/wp-config.php; do echo "<?php" > $at; done; ln -s ../../blog-files blog/wp-content/uploads; ln -s ../../wp-content/uploads blog/wp-content/ours; ln -s .. blog/all; echo f > blog-files/f',
			array(),
			array(),
			array(),
			array( 'bed' => 'another WordPress', 'blog' => 'another WordPress', 'blog-files' => 'another WordPress' ),
		),
		'a folder that nobody may list, whatever its mode says' => array(
			'mkdir -p site/wp-content/plugins/shut/x site/open/shut; echo f > site/wp-content/plugins/shut/x/f; echo f > site/open/f',
			array(),
			array(),
			array(),
			array( 'open/shut' => 'x', 'wp-content/plugins/shut' => 'x' ),
		),
		'a WordPress unpacked into folders of this one' => array(
			'cd site; mkdir -p wp-content/plugins/p wp-content/themes wp-content/mu-plugins wp-content/uploads wp-includes wp-admin; for at in wp-content wp-content/plugins wp-content/themes wp-content/mu-plugins wp-content/uploads wp-includes wp-admin; do echo "<?php" > $at/wp-load.php; echo "<?php" > $at/wp-config.php; echo f > $at/f; done',
			array(),
			array(),
			array(),
		),
		'a configuration beside folders of this one' => array(
			'cd site; mkdir -p wp-content/plugins/p wp-content/x files/media files/y; for at in wp-content/x files/y; do echo "<?php" > $at/wp-load.php; echo "<?php" > $at/../wp-config.php; done; echo f > wp-content/plugins/p/f; echo f > files/media/f',
			array( 'uploads' => '{base}/site/files/media' ),
			array(),
			array(),
			array( 'files/y' => 'another WordPress', 'wp-content/x' => 'another WordPress' ),
		),
		'links that are named by settings as well' => array(
			'mkdir -p shared/themes shared/lang shared/bp/themes site/wp-content/plugins; cd site/wp-content; ln -s ../../shared/themes themes; ln -s ../../shared/lang languages; ln -s ../../../shared/bp plugins/bp; echo f > ../../shared/bp/f',
			array( 'themes' => '{base}/site/wp-content/themes', 'more themes' => '{base}/site/wp-content/plugins/bp/themes', 'languages' => '{base}/site/wp-content/languages/' ),
			array( 'wp-content/languages' => 'shared/lang', 'wp-content/plugins/bp' => 'shared/bp', 'wp-content/themes' => 'shared/themes' ),
			array(),
		),
		'a link that only a setting names' => array(
			'mkdir -p shared/lang site/wp-content/deep; ln -s ../../../shared/lang site/wp-content/deep/lang',
			array( 'themes' => '{base}/site/wp-content/themes', 'more themes' => '{base}/site/wp-content/themes', 'languages' => '{base}/site/wp-content/deep/lang' ),
			array( 'languages' => 'shared/lang' ),
			array(),
		),
		'uploads that a theme leads elsewhere' => array( 'mkdir cdn', array( 'filtered' => '{base}/cdn' ), array( 'uploads-filtered' => 'cdn' ), array() ),
		'uploads that a theme leads to the system' => array( '', array( 'filtered' => '/etc/ssl' ), array(), array( 'wp-content/uploads-filtered' => 'it is a folder of the system' ) ),
		'uploads that a theme leads to where they are backed up' => array( 'mkdir site/media', array( 'filtered' => '{base}/site/media' ), array(), array() ),
		'uploads that a theme leads to where nothing is yet' => array( '', array( 'filtered' => '{base}/cdn' ), array( 'uploads-filtered' => 'cdn' ), array() ),
		'uploads that no theme leads elsewhere any more' => array( 'mkdir old', array( 'filtered' => '{base}/site/wp-content', 'remembered' => array( 'uploads-filtered' => '{base}/old' ) ), array(), array() ),
		'uploads of a network that are gone' => array(
			'mkdir -p media/3',
			array( 'upload_path' => array( 2 => '{base}/gone/2', 3 => '{base}/media/3', 4 => '{base}/lost/4' ), 'remembered' => array( 'uploads-4' => '{base}/lost/4' ) ),
			array( 'uploads-3' => 'media/3', 'uploads-4' => 'lost/4' ),
			array(),
		),
		'uploads of a network whose setting is gone' => array(
			'mkdir -p media/6',
			array( 'upload_path' => array(), 'remembered' => array( 'uploads-6' => '{base}/media/6' ) ),
			array( 'uploads-6' => 'media/6' ),
			array(),
		),
		'uploads of the last of 450 sites, and 60 that may be no root' => array(
			'mkdir -p media/450',
			array( 'sites' => 450, 'upload_path' => array( 450 => '{base}/media/450' ) + array_fill( 200, 60, '/etc/ssl' ) ),
			array( 'uploads-450' => 'media/450' ),
			array_fill_keys( array_map( static function ( $number ) { return "wp-content/uploads/sites/$number"; }, range( 200, 238 ) ), 'it is a folder of the system' ) + array( 'wp-content/uploads/sites/239' => 'it is a folder of the system; 20 more like it are not named' ),
		),
		'more links than there are roots' => array(
			'for n in $(seq 10 30); do mkdir -p shared/$n; ln -s "$PWD/shared/$n" site/$n; done',
			array(),
			array_combine( range( 10, 28 ), array_map( static function ( $number ) { return "shared/$number"; }, range( 10, 28 ) ) ),
			array( 29 => 'there are too many places like it', 30 => 'there are too many places like it' ),
		),
		'more sites than are asked' => array(
			'mkdir -p media/2',
			array( 'sites' => 10001, 'upload_path' => array( 2 => '{base}/media/2' ) ),
			array( 'uploads-2' => 'media/2' ),
			array( 'wp-content/uploads/sites' => 'where uploads lie was asked of 10000 sites of this network, and there are more' ),
		),
		'twelve files that a configuration loads from elsewhere' => array(
			'mkdir secret; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "<?php" > secret/$n.php; echo "require \'$PWD/secret/$n.php\';" >> requires; done; ( echo "<?php"; cat requires ) > site/wp-config.php; rm requires',
			array( 'load' => true ),
			array(),
			array( 'wp-config.php' => 'it is loaded from outside of the site; ' ),
		),
		'core that others have as well' => array(
			'mkdir -p srv t1/data/uploads; mv site srv/core; touch srv/core/wp-load.php; mv srv/core/wp-config.php t1; ln -s ../srv/core t1/wp',
			array( 'abspath' => 't1/wp/', 'uploads' => '{base}/t1/data/uploads' ),
			array( 'uploads' => 't1/data/uploads' ),
			array(),
		),
		'another WordPress above' => array(
			'mv site core; mkdir site; mv core site/blog; echo "<?php // another" > site/index.php; echo x > site/mine.txt',
			array( 'abspath' => 'site/blog/', 'site' => 'http://a.test/blog' ),
			array(),
			array(),
		),
		'core beside the folder of the web server, with one address' => array(
			'mv site core; mkdir -p public/blog public/assets; echo "<?php require dirname( __DIR__ ) . \'/core/wp-blog-header.php\';" > public/index.php; touch core/wp-blog-header.php public/robots.txt; echo "<?php" > public/blog/wp-load.php',
			array( 'abspath' => 'core/', 'served' => '{base}/public' ),
			array( 'docroot' => 'public' ),
			array(),
			array( 'blog' => 'another WordPress' ),
		),
		'uploads in the folder of the web server, with one address' => array(
			'mv site core; mkdir -p public/media public/assets/p; echo "<?php require dirname( __DIR__ ) . \'/core/wp-blog-header.php\';" > public/index.php; touch core/wp-blog-header.php public/robots.txt public/media/m; mv core/wp-config.php .',
			array( 'abspath' => 'core/', 'served' => '{base}/public', 'uploads' => '{base}/public/media' ),
			array( 'docroot' => 'public', 'uploads' => 'public/media' ),
			array(),
		),
		'core below it, with one address' => array(
			'mv site core; mkdir site; mv core site/wp; echo "<?php require __DIR__ . \'/wp/wp-blog-header.php\';" > site/index.php; touch site/wp/wp-blog-header.php site/robots.txt',
			array( 'abspath' => 'site/wp/', 'served' => '{base}/site' ),
			array( 'docroot' => 'site' ),
			array(),
		),
		'the folder of the web server is another WordPress’s' => array(
			'mv site core; mkdir private; echo "<?php require __DIR__ . \'/wp-blog-header.php\';" > private/index.php; touch core/wp-blog-header.php private/wp-blog-header.php',
			array( 'abspath' => 'core/', 'served' => '{base}/private' ),
			array(),
			array(),
		),
		'nobody can tell whose it is' => array(
			'mv site core; mkdir private; echo "<?php require getenv( \'CORE\' ) . \'/wp-blog-header.php\';" > private/index.php; touch core/wp-blog-header.php',
			array( 'abspath' => 'core/', 'served' => '{base}/private' ),
			array(),
			array( 'index.php' => 'nobody can tell which WordPress it loads' ),
		),
		'what a request for the front page told of it' => array(
			'mv site core; mkdir public; echo "<?php require getenv( \'CORE\' ) . \'/wp-blog-header.php\';" > public/index.php; touch core/wp-blog-header.php',
			array( 'abspath' => 'core/', 'served' => '{base}/public', 'remembered' => array( 'docroot' => '{base}/public' ) ),
			array( 'docroot' => 'public' ),
			array(),
		),
		'a configuration that loads what lies elsewhere' => array(
			'mkdir secret; echo "<?php" > secret/db.php; echo "<?php" > site/more.php; echo "<?php require \'$PWD/secret/db.php\'; require __DIR__ . \'/more.php\';" > site/wp-config.php',
			array( 'load' => true ),
			array(),
			array( 'wp-config.php' => 'it is loaded from outside of the site' ),
		),
		'Bedrock' => array(
			'mkdir -p web config vendor private; mv site web/wp; mv web/wp/wp-config.php web; mv web/wp/wp-content web/app; echo "<?php require \'wp/wp-blog-header.php\';" > web/index.php; echo {} > composer.json; echo "<?php" > config/application.php; echo S=1 > .env; echo m > private/mail',
			array( 'abspath' => 'web/wp/', 'content' => 'web/app', 'site' => 'http://a.test/wp' ),
			array( 'docroot' => 'web', 'project' => '' ),
			array(),
		),
	);
	if ( ! isset( $argv[1] ) ) {
		$failed = 0;
		foreach ( array_keys( $cases ) as $name ) {
			passthru( PHP_BINARY . ' ' . escapeshellarg( __FILE__ ) . ' ' . escapeshellarg( $name ), $code );
			$failed += 0 === $code ? 0 : 1;
		}
		printf( "%d layouts: %d wrong\n", count( $cases ), $failed );
		exit( $failed ? 1 : 0 );
	}
	$top = '/svc-roots-' . bin2hex( random_bytes( 6 ) ); // Only root can make it.
	if ( ! is_writable( '/' ) && false !== strpos( $cases[ $argv[1] ][0], '{top}' ) ) {
		exit( 0 );
	}
	list( $script, $told, $expected, $outside, $left ) = json_decode( str_replace( '{top}', trim( json_encode( $top ), '"' ), json_encode( $cases[ $argv[1] ] ) ), true ) + array( 4 => array() );
	$base = sys_get_temp_dir() . '/svc-roots-' . bin2hex( random_bytes( 6 ) );
	mkdir( "$base/site/wp-content", 0755, true );
	$base = realpath( $base );
	file_put_contents( "$base/site/wp-config.php", '<?php' );
	passthru( 'cd ' . escapeshellarg( $base ) . " && set -e; $script", $code );
	define( 'ABSPATH', "$base/" . ( $told['abspath'] ?? 'site/' ) );
	define( 'WP_CONTENT_DIR', isset( $told['content'] ) ? "$base/{$told['content']}" : ABSPATH . 'wp-content' );
	define( 'DB_ENGINE', 'sqlite' );
	$GLOBALS['answers'] = array_map( static function ( $text ) use ( $base ) { return str_replace( '{base}', $base, $text ); }, array_diff_key( $told, array( 'abspath' => 0, 'content' => 0 ) ) );
	if ( isset( $answers['served'] ) ) {
		$_SERVER['DOCUMENT_ROOT'] = $answers['served'];
	}
	if ( isset( $answers['remembered'] ) ) {
		$answers['options'] = array( 'svc_connector_roots' => json_encode( array_map( static function ( $path ) { return array( 'path' => base64_encode( $path ), 'at' => '' ); }, $answers['remembered'] ) ) );
	}
	if ( isset( $answers['load'] ) ) {
		require ABSPATH . 'wp-config.php';
	}
	require __DIR__ . '/a-site.php';
	define( 'ARRAY_A', 'ARRAY_A' );
	$wpdb = new Sites();
	if ( isset( $answers['upload_path'] ) ) {
		$wpdb->blogs = 'wp_blogs';
	}
	if ( isset( $answers['languages'] ) ) {
		define( 'WP_LANG_DIR', $answers['languages'] );
		$wp_theme_directories = array( $answers['themes'], $answers['more themes'], WP_CONTENT_DIR . '/themes' );
	}
	/** As much of WordPress's database class as is asked for the settings of a network's sites; that of one cannot be read. */
	final class Sites {
		public $prefix = 'wp_';
		public $blogs;
		public $last_error = '';
		public $asked      = 0;
		public function suppress_errors( $on ) { return false; }
		public function get_col( $sql ) {
			preg_match( '/LIMIT (\d+)/', $sql, $limit );
			return isset( $GLOBALS['answers']['sites'] ) ? range( 1, min( $GLOBALS['answers']['sites'], (int) $limit[1] ) ) : array( '1', '5', '2', '3', '4' );
		}
		public function get_blog_prefix( $number ) { return "wp_{$number}_"; }
		public function get_results( $sql, $kind ) {
			++$this->asked;
			preg_match_all( '/`wp_(\d+)_options`/', $sql, $found );
			$paths = array_intersect_key( $GLOBALS['answers']['upload_path'], array_flip( $found[1] ) );
			if ( count( $found[1] ) > 200 ) {
				throw new \Exception( 'More tables in one query than a database likes.' );
			}
			$this->last_error = in_array( '5', $found[1], true ) ? 'no such table' : '';
			return '' !== $this->last_error ? array() : array_map( static function ( $site, $path ) { return array( 'site' => $site, 'path' => $path ); }, array_keys( $paths ), $paths );
		}
	}
	function untrailingslashit( $path ) { return rtrim( $path, '/' ); }
	function plugin_basename( $file ) { return 'svc-connector/svc-connector.php'; }
	function wp_convert_hr_to_bytes( $value ) { return 0; }
	function wp_json_encode( $value ) { return json_encode( $value ); }
}

namespace SvcConnector {

	/** What an access list, a policy or another machine forbids, which modes do not tell. */
	function opendir( $folder ) {
		return isset( $GLOBALS['shut'] ) && 'shut' === basename( $folder ) ? false : \opendir( $folder );
	}

	const FILE = __FILE__;
	require __DIR__ . '/load.php';
	$wrong = array();
	$usual = array( 'abspath' => 0, 'content' => 0, 'config' => 0 );
	Roots::find();
	if ( isset( $answers['filtered'] ) ) {
		$usually            = $answers['uploads'];
		$answers['uploads'] = $answers['filtered'];
		Roots::forget();
		Layout::note_uploads();
		$answers['uploads'] = $usually;
		Roots::find();
	}
	$told  = Roots::told();
	$named = static function () { return array( Roots::told(), array_filter( Roots::outside(), static function ( $place ) { return 'wp-config.php' !== $place['at']; } ) ); };
	$first = $named();
	$shut  = true;

	// The roots there are, by where their link stands.
	$found = array();
	foreach ( $told as $root ) {
		if ( isset( $usual[ $root['id'] ] ) ) {
			continue;
		}
		$is_link = 0 === strpos( $root['id'], 'link-' );
		$place   = 'project' === $root['id'] || ! isset( $root['only'] ) ? $root['path'] : $root['path'] . '/' . $root['only'][0];
		$found[ $is_link ? $root['at'] : (string) preg_replace( '/^themes-\K[0-9a-f]{8}$/D', '', $root['id'] ) ] = 0 === strpos( $place, $top ) ? $place : (string) substr( $place, strlen( $base ) + 1 );
		if ( ! preg_match( '/^[a-z][a-z0-9-]{0,40}$/D', $root['id'] ) ) {
			$wrong[] = "the id {$root['id']}";
		}
	}
	ksort( $found );
	ksort( $expected );
	if ( $found !== $expected ) {
		$wrong[] = 'roots ' . json_encode( $found );
	}

	// Each file once; what leads out is said.
	$said  = array();
	$files = array();
	$not   = array();
	foreach ( $told as $root ) {
		for ( $after = null, $done = false; ! $done; $after = $page['after'], $done = $page['done'] ) {
			$page = Listing::after( array( 'root' => $root['id'], 'after' => $after, 'max_items' => 3, 'budget_ms' => 5000 ) );
			foreach ( $page['entries'] as $entry ) {
				if ( 'f' === $entry['t'] ) {
					$files[] = realpath( "{$root['path']}/{$entry['p']}" );
				} elseif ( 'x' === $entry['t'] ) {
					$not[ $entry['p'] ] = 'x';
				}
			}
			$not  += array_column( $page['excluded'], 'why', 'p' );
			$said += array_column( $page['outside'], 'why', 'p' );
		}
	}
	foreach ( Roots::outside() as $place ) {
		$said[ $place['at'] ] = $place['why'];
	}
	ksort( $said );
	if ( array_keys( $said ) !== array_keys( $outside ) || array_filter( $outside, static function ( $why, $path ) use ( $said ) { return 0 !== strpos( $said[ $path ], $why ); }, ARRAY_FILTER_USE_BOTH ) ) {
		$wrong[] = 'outside ' . json_encode( $said );
	}
	ksort( $not );
	if ( $not !== $left ) {
		$wrong[] = 'left out ' . json_encode( $not );
	}
	if ( count( $files ) !== count( array_unique( $files ) ) ) {
		$wrong[] = 'twice ' . json_encode( array_values( array_diff_assoc( $files, array_unique( $files ) ) ) );
	}
	foreach ( array( 'private', 'docs', 'secret', 'site/blog/b', 'web/blog/b', 'site/clients/a', 'site/two', 'site/open/shut' ) as $foreign ) {
		if ( preg_grep( '~^' . preg_quote( "$base/$foreign", '~' ) . '(/|$)~', $files ) ) {
			$wrong[] = "$foreign is read";
		}
	}

	// Nothing beside a root is written, and the secrets beside wp-config.php as little as that.
	foreach ( $told as $root ) {
		foreach ( array_merge( isset( $root['only'] ) ? array( 'beside', 'beside/x', "{$root['only'][0]}x" ) : array(), array( 'wp-config.php', '.env' ) ) as $path ) {
			if ( '.env' === $path && 'project' !== $root['id'] ) {
				continue;
			}
			try {
				Plan::path( array( 'k' => 'put', 'r' => $root['id'], 'p' => $path ), Roots::all(), Survey::shut(), Roots::names() );
				$is_own = 'wp-config.php' !== $path || ( is_file( "{$root['path']}/$path" ) && realpath( "{$root['path']}/$path" ) === Links::place( ABSPATH . 'wp-config.php' ) );
				if ( $is_own ) {
					$wrong[] = "{$root['id']} takes $path";
				}
			} catch ( Problem $problem ) {
				continue;
			}
		}
	}

	// What the sites of a network were asked is remembered for the requests that come, which ask none of them.
	Roots::remember();
	$asked = $wpdb->asked;
	Roots::forget();
	if ( Roots::told() !== $told || $wpdb->asked !== $asked ) {
		$wrong[] = 'the next request has ' . json_encode( Roots::told() );
	}

	// What `hello` sees itself is not told again because an inventory saw it too.
	if ( ! isset( $answers['filtered'] ) ) {
		Roots::forget();
		Layout::note_uploads();
		Roots::find();
		if ( $named() !== $first ) {
			$wrong[] = 'after an inventory: ' . json_encode( $named() );
		}
	}

	// What is gone is remembered, told as such, and comes back under its id; a link may lead there again.
	$uploads = "$base/site/wp-content/uploads";
	if ( isset( $expected['uploads'] ) && is_link( $uploads ) ) {
		$target = readlink( $uploads );
		unlink( $uploads );
		Roots::find();
		$was = array_column( array_filter( Roots::told(), static function ( $root ) { return isset( $root['was'] ); } ), 'path', 'id' );
		if ( array( 'uploads' => dirname( "$base/{$expected['uploads']}" ) ) !== $was || ! Roots::known()->has_target( dirname( $uploads ), $target ) ) {
			$wrong[] = 'forgotten: ' . json_encode( $was );
		}
	}
	if ( isset( $expected['docroot'] ) ) {
		unlink( "$base/{$expected['docroot']}/index.php" );
		Roots::find();
		$was = array_column( array_filter( Roots::told(), static function ( $root ) { return isset( $root['was'] ); } ), 'path', 'id' );
		if ( "$base/{$expected['docroot']}" !== ( $was['docroot'] ?? '' ) ) {
			$wrong[] = 'its index.php is gone: ' . json_encode( $was );
		}
	}
	foreach ( array( '../../../outside', '/etc/passwd', "$base/nowhere", "$base/site/wp-content/../../secret", '../wp-content/../../secret', '' ) as $target ) {
		if ( Roots::known()->has_target( "$base/site/wp-content", $target ) ) {
			$wrong[] = "a link to $target";
		}
	}

	if ( is_dir( $top ) ) {
		$live = new \ReflectionMethod( FileSwap::class, 'live' );
		$live->setAccessible( true );
		$swap = new FileSwap( Journal::create( "$base/work", array( 'roots' => Roots::all(), 'names' => Roots::names() ) ), 1.0 );
		if ( "$top/2026/f" !== $live->invoke( $swap, array( 'k' => 'put', 'r' => 'uploads', 'p' => basename( $top ) . '/2026/f' ) ) || array_diff( $files, array( "$base/site/wp-config.php", "$top/2026/f" ) ) ) {
			$wrong[] = 'what is mounted at the top of the machine: ' . json_encode( $files );
		}
		Leftovers::discard( $top );
	}
	unset( $shut );
	Leftovers::clear( $base );
	rmdir( $base );
	foreach ( $wrong as $line ) {
		echo "WRONG  {$argv[1]}: $line\n";
	}
	exit( $wrong ? 1 : 0 );
}
