<?php
/**
 * What Plugin Check asks of a plugin, as far as it can be seen by reading: its checks by their names there.
 *
 *   php plugin-check.php
 *
 * A plugin that breaks each of them is read first, and each must be told of it.
 *
 * @package SvcConnector
 */

/** Code of a file without comments and without what stands in quotes; with `$texts` what stands in quotes stays. */
function code_of( string $source, bool $texts = false ): string {
	$code = '';
	foreach ( token_get_all( $source ) as $token ) {
		$is_quiet = is_array( $token ) && in_array( $token[0], $texts ? array( T_COMMENT, T_DOC_COMMENT ) : array( T_COMMENT, T_DOC_COMMENT, T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE, T_INLINE_HTML ), true );
		$code    .= $is_quiet ? str_repeat( "\n", substr_count( $token[1], "\n" ) ) : ( is_array( $token ) ? $token[1] : $token );
	}
	return $code;
}

/** Lines of a file that say nothing to a reviewer: each says itself why it does what it does. */
function answered( string $source ): array {
	$lines = array();
	$open  = false;
	foreach ( explode( "\n", $source ) as $number => $line ) {
		$open = ( $open || false !== strpos( $line, 'phpcs:disable' ) ) && false === strpos( $line, 'phpcs:enable' );
		if ( $open || false !== strpos( $line, 'phpcs:ignore' ) ) {
			$lines[ $number + 1 ] = true;
		}
	}
	return $lines;
}

/** Functions that a plugin may not call at all, by the check that says so. */
const FORBIDDEN = array(
	'plugin_review_phpcs'  => 'move_uploaded_file|passthru|proc_open|shell_exec|popen|create_function|str_rot13|query_posts|wp_reset_query|extract|goto|phpinfo|dl|date_default_timezone_set|get_currentuserinfo|mysql_\w+|var_dump|print_r|debug_print_backtrace|curl_\w+|fsockopen|strip_tags|rand|srand|mt_srand|parse_str',
	'code_obfuscation'     => 'zend_loader\w*|ioncube\w*|sg_load',
	'setting_sanitization' => 'register_setting',
);

/** What is said of one file of PHP, as check => words. */
function read_file_of( string $name, string $source, bool $is_run_by_wordpress ): array {
	$wrong    = array();
	$code     = code_of( $source );
	$whole    = code_of( $source, true );
	$answered = answered( $source );
	foreach ( FORBIDDEN as $check => $words ) {
		if ( preg_match( "/(?<![\w>:$\\\\])(?:$words)\b(?=\s*\(|\s*,|\s*;|\s+\w)/", $code, $found ) && ! preg_match( "/function\s+{$found[0]}\b/", $code ) ) {
			$wrong[] = "$check: {$found[0]}";
		}
	}
	if ( "\xEF\xBB\xBF" === substr( $source, 0, 3 ) ) {
		$wrong[] = 'plugin_review_phpcs: a byte-order mark';
	}
	if ( false !== strpos( $whole, 'ALLOW_UNFILTERED_UPLOADS' ) ) {
		$wrong[] = 'no_unfiltered_uploads: ALLOW_UNFILTERED_UPLOADS';
	}
	foreach ( token_get_all( $source ) as $token ) {
		if ( is_array( $token ) && ( ( T_OPEN_TAG === $token[0] && 0 !== strpos( $token[1], '<?php' ) ) || T_CLOSE_TAG === $token[0] || ( T_INLINE_HTML === $token[0] && false !== strpos( $token[1], '<?' ) ) ) ) {
			$wrong[] = 'plugin_review_phpcs: a short tag or a closing one';
		}
		if ( '`' === $token || ( is_array( $token ) && T_START_HEREDOC === $token[0] ) ) {
			$wrong[] = 'plugin_review_phpcs: a backtick, a heredoc or a nowdoc';
		}
	}
	if ( preg_match( '/\beval\s*\(\s*\w*(?:base64_decode|gzinflate|gzuncompress|str_rot13)/', $whole ) ) {
		$wrong[] = 'code_obfuscation: code that is unpacked and run';
	}
	// What is loaded comes from the plugin, by the functions that queue it.
	if ( preg_match( '/<link\b[^>]*stylesheet|<script\b[^>]*\bsrc\b|<img\b[^>]*https?:/i', $whole ) || preg_match( '/wp_(?:enqueue|register)_(?:script|style)\s*\([^;]*https?:/', $whole ) ) {
		$wrong[] = 'offloading_files, enqueued_resources: a file from elsewhere, or one that is not queued';
	}
	if ( preg_match( '#https?://(?:localhost|127\.0\.0\.1)#', $whole ) ) {
		$wrong[] = 'localhost: an address of this machine';
	}
	if ( preg_match( "/'(?:posts_per_page|numberposts)'\s*=>\s*-1|'post__not_in'\s*=>|'suppress_filters'\s*=>\s*true/", $whole ) ) {
		$wrong[] = 'performant_query_params: a question that grows with the site';
	}
	// A text is one literal under the plugin's own name; where something is put into it, translators are told what.
	preg_match_all( '/\b(__|_e|_x|_ex|_n|_nx|_n_noop|esc_html__|esc_html_e|esc_html_x|esc_attr__|esc_attr_e|esc_attr_x)\s*\(((?:[^()\']|\'(?:[^\'\\\\]|\\\\.)*\'|\([^()]*\))*)\)/', $whole, $texts, PREG_SET_ORDER | PREG_OFFSET_CAPTURE );
	$lines = explode( "\n", $source );
	foreach ( $texts as $text ) {
		if ( ! preg_match( "/^\s*'(?:[^'\\\\]|\\\\.)*'\s*,(?:.*,)?\s*'svc-connector'\s*$/s", $text[2][0] ) ) {
			$wrong[] = "i18n_usage: {$text[0][0]}";
		}
		$line = substr_count( $whole, "\n", 0, $text[0][1] );
		if ( preg_match( '/%(?:\d\$)?[sd]/', $text[2][0] ) && ! preg_match( '#/\* translators:.*\*/#', $lines[ max( 0, $line - 1 ) ] . $lines[ $line ] ) ) {
			$wrong[] = "i18n_usage: nobody tells translators what stands in {$text[0][0]}";
		}
	}
	// What is printed is escaped where it is printed, or says there why not.
	preg_match_all( '/(?<![\w>$])(?:echo|print)\s+((?:[^;\']|\'(?:[^\'\\\\]|\\\\.)*\')+);/', $whole, $printed, PREG_OFFSET_CAPTURE );
	foreach ( $printed[1] as list( $text, $at ) ) {
		$lines_of = range( substr_count( $whole, "\n", 0, $at ) + 1, substr_count( $whole, "\n", 0, $at + strlen( $text ) ) + 1 );
		$bare     = preg_replace( array( "/'(?:[^'\\\\]|\\\\.)*'/", '/\b(?:esc_html|esc_attr|esc_url|esc_html__|esc_attr__|esc_textarea|wp_kses\w*|absint|intval)\s*(\((?:[^()]|(?1))*\))/', '/[\s.\d*+()-]/' ), '', $text );
		if ( '' !== $bare && ! array_intersect_key( $answered, array_flip( $lines_of ) ) ) {
			$wrong[] = "late_escaping: $bare";
		}
	}
	// A statement with something put into it is prepared, or says why it need not be. Files that stand in for WordPress have no $wpdb of it.
	preg_match_all( '/\$wpdb->(?:query|get_results|get_var|get_col|get_row)\s*(\((?:[^()\'"]|\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"|(?1))*\))/s', $whole, $asked, PREG_OFFSET_CAPTURE );
	foreach ( $is_run_by_wordpress ? $asked[0] : array() as list( $text, $at ) ) {
		$lines_of = range( substr_count( $whole, "\n", 0, $at ) + 1, substr_count( $whole, "\n", 0, $at + strlen( $text ) ) + 1 );
		if ( false === strpos( $text, '$wpdb->prepare(' ) && preg_match( '/\$(?!wpdb\b)\w+|\. *[\w\\\\]+::|\$wpdb->\w+(?= *\.)/', substr( $text, 6 ) ) && ! array_intersect_key( $answered, array_flip( $lines_of ) ) ) {
			$wrong[] = "direct_db: $text";
		}
	}
	// Each form that is taken is one of ours, sent by somebody who may.
	preg_match_all( "/add_action\(\s*'(?:admin_post|wp_ajax)_[^']*',\s*array\(\s*(?:\w+::class|self::class|__CLASS__),\s*'(\w+)'/", $whole, $doors );
	foreach ( $doors[1] as $door ) {
		$wrong[] = "door: $door";
	}
	return array_map( static fn( $what ) => "$name: $what", $wrong );
}

/** Names of files that no plugin is shipped with. */
const STRANGE = '#(?:^|/)\.|\.(?:zip|gz|tgz|rar|7z|phar|exe|sh|bat|dll|so|sql|min\.js|min\.css|DS_Store)$|(?:^|/)(?:node_modules|vendor|tests?|bin|\.git|\.svn)/|[^A-Za-z0-9._/-]|class-phpmailer|jquery#i';

/** @return string[] What is wrong with the plugin in a folder. */
function reviewed( string $root ): array {
	$wrong = array();
	$slug  = basename( $root );
	$all   = array();
	foreach ( new RecursiveIteratorIterator( new RecursiveDirectoryIterator( $root, FilesystemIterator::SKIP_DOTS ) ) as $file ) {
		$all[] = substr( $file->getPathname(), strlen( $root ) + 1 );
	}
	$doors   = array();
	$sources = '';
	foreach ( $all as $name ) {
		if ( preg_match( STRANGE, $name ) ) {
			$wrong[] = "file_type: $name";
		}
		if ( '.php' !== substr( $name, -4 ) ) {
			continue;
		}
		$source   = (string) file_get_contents( "$root/$name" );
		$sources .= $source;
		foreach ( read_file_of( $name, $source, ! in_array( basename( $name ), array( 'without-wordpress.php', 'class-bare-database.php' ), true ) ) as $what ) {
			if ( preg_match( '/: door: (\w+)$/', $what, $door ) ) {
				$doors[] = $door[1];
			} else {
				$wrong[] = $what;
			}
		}
	}
	foreach ( $doors as $door ) {
		$is_held = preg_match( "/function $door\(\)[^{]*\{\s*(?:self::authorize|check_admin_referer|check_ajax_referer)\(/", $sources );
		if ( ! $is_held || ! preg_match( '/current_user_can\(|user_can\(|may_pair\(/', $sources ) || ! preg_match( '/check_(?:admin|ajax)_referer\(/', $sources ) ) {
			$wrong[] = "nonce_verification: $door";
		}
	}
	return array_merge( $wrong, headers_of( $root, $slug ) );
}

/** @return string[] plugin_header_fields, plugin_readme, trademarks. */
function headers_of( string $root, string $slug ): array {
	$main   = (string) @file_get_contents( "$root/$slug.php" );
	$readme = (string) @file_get_contents( "$root/readme.txt" );
	$field  = static function ( string $text, string $name ): string {
		return preg_match( '/^(?: \* )?' . $name . ': *(.+)$/m', $text, $found ) ? trim( $found[1] ) : '';
	};
	preg_match( '/^=== (.+) ===$/m', $readme, $title );
	preg_match( '/^License URI:.*\n\n(.+)\n\n== /m', $readme, $short );
	$tags  = array_filter( array_map( 'trim', explode( ',', $field( $readme, 'Tags' ) ) ) );
	$asked = array(
		'plugin_header_fields: name'         => strlen( $field( $main, 'Plugin Name' ) ) >= 5 && ! preg_match( '/^(?:plugin|my|the|a) /i', $field( $main, 'Plugin Name' ) ),
		'plugin_header_fields: description'  => '' !== $field( $main, 'Description' ) && strlen( $field( $main, 'Description' ) ) <= 150,
		'plugin_header_fields: version'      => 1 === preg_match( '/^\d+(?:\.\d+){1,3}$/D', $field( $main, 'Version' ) ),
		'plugin_header_fields: requires'     => 1 === preg_match( '/^\d+\.\d+(?:\.\d+)?$/D', $field( $main, 'Requires at least' ) ) && 1 === preg_match( '/^\d+\.\d+(?:\.\d+)?$/D', $field( $main, 'Requires PHP' ) ),
		'plugin_header_fields: text domain'  => $slug === $field( $main, 'Text Domain' ),
		'plugin_header_fields: licence'      => 1 === preg_match( '/^GPL-?(?:v?2|v?3)|^(?:MIT|Apache-2\.0)/', $field( $main, 'License' ) ),
		'plugin_header_fields: addresses'    => '' === $field( $main, 'Plugin URI' ) || $field( $main, 'Plugin URI' ) !== $field( $main, 'Author URI' ),
		'plugin_readme: one name'            => ( $title[1] ?? '' ) === $field( $main, 'Plugin Name' ),
		'plugin_readme: stable tag'          => 'trunk' !== $field( $readme, 'Stable tag' ) && $field( $main, 'Version' ) === $field( $readme, 'Stable tag' ),
		'plugin_readme: tested up to'        => 1 === preg_match( '/^\d+\.\d+$/D', $field( $readme, 'Tested up to' ) ) && version_compare( $field( $readme, 'Tested up to' ), $field( $main, 'Requires at least' ), '>=' ),
		'plugin_readme: licence'             => '' !== $field( $readme, 'License' ) && $field( $readme, 'License' ) === $field( $main, 'License' ),
		'plugin_readme: contributors'        => 1 === preg_match( '/^[a-z0-9]+(?:, [a-z0-9]+)*$/D', $field( $readme, 'Contributors' ) ),
		'plugin_readme: five tags at most'   => count( $tags ) >= 1 && count( $tags ) <= 5,
		'plugin_readme: short description'   => isset( $short[1] ) && strlen( $short[1] ) <= 150 && false === stripos( $short[1], 'here is a short description' ),
		'plugin_readme: sections'            => false !== strpos( $readme, "\n== Description ==\n" ) && false !== strpos( $readme, "\n== Changelog ==\n" ),
		'trademarks: name and folder'        => ! preg_match( '/^(?:wordpress|wp|woo\w*|google|facebook|jetpack|elementor|gutenberg)\b|wordpress/i', "$slug " . $field( $main, 'Plugin Name' ) ),
	);
	return array_keys( $asked, false, true );
}

// A plugin that does all of it: what is not told of it would not be told of ours.
$bad   = sys_get_temp_dir() . '/plugin-check-' . getmypid() . '/wordpress-helper';
$files = array(
	'wordpress-helper.php' => "\xEF\xBB\xBF<?php\n/**\n * Plugin Name: My\n * Version: one\n * Plugin URI: https://a.example\n * Author URI: https://a.example\n */\nmove_uploaded_file( \$a, \$b );\n",
	'readme.txt'           => "=== Other ===\nTags: a, b, c, d, e, f\nStable tag: trunk\nTested up to: soon\nContributors: A B\nLicense URI: x\n\nHere is a short description of it.\n\n== Nothing ==\n",
	'.hidden'              => '',
	'a.zip'                => '',
	'texts.php'            => "<?php\n__( \$text, 'svc-connector' );\n__( 'Text' );\n_nx( 'One', 'Two', \$n, 'words', 'other' );\n\$a = __( 'All of %s', 'svc-connector' );\n",
	'print.php'            => "<?php\necho \$name;\necho '<p>' . esc_html( \$a ) . \$b;\nprint_r( \$a );\n",
	'ask.php'              => "<?php\n\$wpdb->query( \"DELETE FROM \$table\" );\n\$wpdb->get_var( 'SELECT ' . \$name );\nquery_posts( 'a' );\n\$q = array( 'posts_per_page' => -1 );\n",
	'load.php'             => "<?php\nwp_enqueue_script( 'a', 'https://cdn.example/a.js' );\n\$a = '<script src=\"a.js\">';\n\$b = 'http://localhost/';\n",
	'run.php'              => "<?php\neval( base64_decode( \$a ) );\n\$b = `ls`;\ndefine( 'ALLOW_UNFILTERED_UPLOADS', true );\ncurl_init();\n",
	'short.php'            => "<? echo 1;\n",
	'form.php'             => "<?php\nadd_action( 'admin_post_a', array( self::class, 'take' ) );\nclass A { public static function take(): void { delete_option( 'a' ); } }\n",
	'heredoc.php'          => "<?php\n\$a = <<<HTML\n<p>\nHTML;\n",
);
mkdir( $bad, 0777, true );
foreach ( $files as $name => $text ) {
	file_put_contents( "$bad/$name", $text );
}
$told = implode( "\n", reviewed( $bad ) );
foreach ( array_keys( $files ) as $name ) {
	unlink( "$bad/$name" );
}
rmdir( $bad );
rmdir( dirname( $bad ) );

$wanted = array( 'move_uploaded_file', 'byte-order', 'file_type: .hidden', 'file_type: a.zip', 'i18n_usage: __( $text', "i18n_usage: __( 'Text' )", 'i18n_usage: _nx(', 'nobody tells translators', 'late_escaping: $name', 'late_escaping: $b', 'print_r', 'direct_db: $wpdb->query( "DELETE', "direct_db: \$wpdb->get_var( 'SELECT", 'query_posts', 'performant_query_params: a', 'offloading_files', 'localhost: an', 'code_obfuscation: code', 'backtick', 'heredoc.php: plugin_review_phpcs', 'no_unfiltered_uploads', 'curl_init', 'short.php: plugin_review_phpcs: a short tag', 'nonce_verification: take', 'header_fields: name', 'header_fields: description', 'header_fields: version', 'header_fields: requires', 'header_fields: text domain', 'header_fields: licence', 'header_fields: addresses', 'readme: one name', 'readme: stable tag', 'readme: tested', 'readme: licence', 'readme: contributors', 'readme: five tags', 'readme: short', 'readme: sections', 'trademarks:' );
$wrong  = reviewed( dirname( __DIR__ ) . '/svc-connector' );
foreach ( $wanted as $what ) {
	if ( false === strpos( $told, $what ) ) {
		$wrong[] = "of a bad plugin this is not told: $what";
	}
}
foreach ( $wrong as $line ) {
	echo "WRONG  $line\n";
}
printf( "%d checks: %d are not kept\n", count( $wanted ), count( $wrong ) );
exit( $wrong ? 1 : 0 );
