<?php
/**
 * Holds the connector to its own rules by reading its source.
 *
 *   php rules.php
 *
 * @package SvcConnector
 */

$root  = dirname( __DIR__ ) . '/svc-connector';
$files = array_merge( array( "$root/svc-connector.php", "$root/standing-door.php", "$root/uninstall.php" ), glob( "$root/src/*/*.php" ) );
$wrong = array();

// Where a word of danger may stand, and how often; nowhere else.
$allowed = array(
	'exit'            => array( 'rescue.php' => 1, 'class-answer.php' => 1, 'class-login.php' => 1, 'class-settings.php' => 1, 'class-hardening.php' => 1, 'class-privacy.php' => 1 ),
	'$_POST'          => array( 'class-login.php' => 1, 'class-settings.php' => 4, 'class-scrub.php' => 1 ), // In class-scrub.php what was sent is looked for in messages, to take it out of them.
	'$_GET'           => array( 'door.php' => 4, 'rescue.php' => 2, 'class-incoming.php' => 6, 'class-login.php' => 1, 'class-plugin.php' => 1, 'class-health.php' => 1, 'class-scrub.php' => 1 ),
	'$_REQUEST'       => array(),
	'$_COOKIE'        => array( 'class-inspection.php' => 1, 'class-scrub.php' => 1 ), // Written, for the session that ends with the request.
	'eval'            => array( 'class-configuration.php' => 1 ), // Of wp-config.php, as every page of WordPress runs it.
	'unserialize'     => array(),
	'maybe_unserialize' => array(),
	'call_user_func'  => array( 'class-gate.php' => 1, 'class-answer.php' => 1, 'class-verbs.php' => 1, 'class-dead-mans-switch.php' => 1 ),
	'create_function' => array(),
	'extract'         => array(),
	'assert'          => array(),
	'exec'            => array( 'class-sqlite-swap.php' => 11 ), // Of SQLite3: a statement, no program.
	'shell_exec'      => array(),
	'system'          => array(),
	'passthru'        => array(),
	'proc_open'       => array(),
	'popen'           => array(),
	'wp_set_auth_cookie' => array( 'class-login.php' => 1 ),
	'wp_set_current_user' => array( 'class-login.php' => 1 ),
	'wp_insert_user'  => array(),
	'wp_create_user'  => array(),
	'wp_update_user'  => array(),
	'wp_set_password' => array(),
	'set_role'        => array(),
	'add_role'        => array(),
	'add_cap'         => array(),
	'readfile'        => array(),
	'fpassthru'       => array(),
	'register_rest_route' => array(),
	'file_put_contents' => array(),
);

// Functions a host may have disabled; PHP 8 then does not know them.
$guarded = array( 'set_time_limit', 'ini_set', 'disk_free_space', 'ignore_user_abort', 'fastcgi_finish_request', 'gzencode', 'link', 'symlink', 'chgrp', 'opcache_reset', 'opcache_invalidate' );

foreach ( $files as $file ) {
	$name   = basename( $file );
	$source = (string) file_get_contents( $file );
	// Who asks for a file by its address gets nothing: its first statement ends what WordPress has not begun.
	$source = (string) preg_replace( "/^(<\?php\n(?:\/\/[^\n]*\n|\/\*\*\n(?: \*[^\n]*\n)+\n)?(?:namespace SvcConnector;\n\n?)?)defined\( '" . ( 'uninstall.php' === $name ? 'WP_UNINSTALL_PLUGIN' : 'ABSPATH' ) . "' \) \|\| exit;\n/", '$1', $source, 1, $guards );
	// One file is meant to be asked for: it ends by itself where nothing of a request of ours is to be seen.
	if ( ( 'standing-door.php' === $name ? false === strpos( $source, "if ( ! defined( 'ABSPATH' ) && isset( \$_SERVER['REQUEST_METHOD']" ) : 1 !== $guards ) ) {
		$wrong[] = "$name can be asked for by its address";
	}
	$counts = array();
	$names  = array();
	foreach ( token_get_all( $source, TOKEN_PARSE ) as $token ) {
		if ( ! is_array( $token ) || ! in_array( $token[0], array( T_STRING, T_VARIABLE, T_EXIT, T_EVAL, T_INCLUDE, T_INCLUDE_ONCE, T_REQUIRE, T_REQUIRE_ONCE ), true ) ) {
			continue;
		}
		$word            = strtolower( $token[1] ) === 'die' ? 'exit' : $token[1];
		$counts[ $word ] = ( $counts[ $word ] ?? 0 ) + 1;
	}
	foreach ( $allowed as $word => $places ) {
		if ( ( $counts[ $word ] ?? 0 ) > ( $places[ $name ] ?? 0 ) ) {
			$wrong[] = "$name uses $word " . $counts[ $word ] . ' times';
		}
	}
	foreach ( $guarded as $function ) {
		if ( isset( $counts[ $function ] ) && 'polyfills.php' !== $name && false === strpos( $source, "function_exists( '$function' )" ) ) {
			$wrong[] = "$name calls $function without asking whether it exists";
		}
	}
	// What is global in WordPress, in PHP or on the site has the whole prefix; words of the protocol have their own.
	preg_match_all( '/(?<![\w-])(?:svc|SVC|Svc)[_-]\w*/', (string) preg_replace( '/svc[_-]connector|Svc-Connector|SVC_CONNECTOR/', '', $source ), $short );
	foreach ( array_diff( $short[0], array( 'svc-protocol', 'svc-site', 'svc-request', 'svc_envelope', 'SVC-BEGIN', 'SVC-END', 'svc-plain', 'svc-readme', 'svc-' ) ) as $word ) {
		$wrong[] = "$name says $word, which is no prefix of ours";
	}
	if ( ! in_array( $name, array( 'polyfills.php', 'without-wordpress.php' ), true ) && ! preg_match( '/^namespace SvcConnector;$/m', $source ) ) {
		$wrong[] = "$name is not in the namespace";
	}
	// Every text for people can be translated, under the plugin's own name.
	preg_match_all( '/\b(?:_e|__|_x|_n|esc_html__|esc_html_e|esc_attr__|esc_attr_e)\( (.*?)(?=\b__\(|$)/m', $source, $texts );
	foreach ( $texts[1] as $text ) {
		if ( ! preg_match( "/^'(?:[^'\\\\]|\\\\.)*', 'svc-connector' \)/", $text ) ) {
			$wrong[] = "$name has a text that nobody can translate: $text";
		}
	}
	if ( preg_match( '/\$_(?:GET|POST|REQUEST|COOKIE|FILES)\b(?!\[)/', $source ) && ! in_array( $name, array( 'class-health.php', 'class-scrub.php' ), true ) ) {
		$wrong[] = "$name takes all that was sent";
	}
	preg_match_all( '/\bfunction &?(\w*)\s*\(((?:[^()]|\([^()]*\))*)\)/', $source, $functions, PREG_SET_ORDER );
	foreach ( $functions as list( , $function, $parameters ) ) {
		if ( substr_count( $parameters, '$' ) > 4 ) {
			$wrong[] = "$name: $function() has more than four parameters";
		}
	}
	// An include is a fixed path, or what the loader makes of the name of a class.
	preg_match_all( '/\b(?:include|require)(?:_once)?\s+([^;]+);/', $source, $includes );
	foreach ( $includes[1] as $path ) {
		if ( ! preg_match( "/^(?:ABSPATH|__DIR__) \. '[^']+'$/", $path ) && ! in_array( "$name $path", array( 'autoload.php dirname( __DIR__ ) . "/$folder/class-$file.php"', 'rescue.php __DIR__ . "/class-$svc_connector_name.php"', 'door.php __DIR__ . "/class-$name.php"' ), true ) ) {
			$wrong[] = "$name includes $path";
		}
	}
	// Only the two buttons of the settings page listen to a session, and nothing listens to a heartbeat.
	preg_match_all( "/'((?:wp_ajax|admin_post|heartbeat|rest_api_init|parse_request)[a-z_]*)'/", $source, $hooks );
	foreach ( array_diff( $hooks[1], 'class-plugin.php' === $name ? array( 'admin_post_svc_connector_connect', 'admin_post_svc_connector_disconnect' ) : array() ) as $hook ) {
		$wrong[] = "$name listens to $hook";
	}
	if ( preg_match( '/\?->|\bmatch\s*\(|\breadonly\b|\benum\s|: (?:static|mixed|never)\b|\bfn\s*\(/', $source, $found ) && false === strpos( $source, '@return mixed' ) ) {
		$wrong[] = "$name uses {$found[0]}, which PHP 7.4 or the style does not know";
	}
}

// What WordPress's reviewers ask of a plugin's header and readme.
$main   = (string) file_get_contents( "$root/svc-connector.php" );
$readme = (string) file_get_contents( "$root/readme.txt" );
$field  = static function ( string $text, string $name ): string {
	return preg_match( '/^(?: \* )?' . $name . ': *(.+)$/m', $text, $found ) ? trim( $found[1] ) : '';
};
preg_match( '/^License URI:.*\n\n(.+)\n\n== /m', $readme, $short );
$asked = array(
	'the readme names its contributors'    => 1 === preg_match( '/^[a-z0-9]+(?:, [a-z0-9]+)*$/D', $field( $readme, 'Contributors' ) ),
	'it has five tags at most, all true'   => count( explode( ',', $field( $readme, 'Tags' ) ) ) <= 5 && false === stripos( $field( $readme, 'Tags' ), 'multisite' ),
	'its first words are 150 at most'      => isset( $short[1] ) && strlen( $short[1] ) <= 150,
	'it tells what is sent to whom'        => false !== strpos( $readme, '== External services ==' ),
	'the stable tag is the version'        => $field( $main, 'Version' ) === $field( $readme, 'Stable tag' ) && false !== strpos( $main, "const VERSION = '" . $field( $main, 'Version' ) . "';" ),
	'the text domain is the folder'        => basename( $root ) === $field( $main, 'Text Domain' ) && '' === $field( $main, 'Domain Path' ),
	'the plugin has an author'             => '' !== $field( $main, 'Author' ),
	'there is a licence file'              => 'GPL-2.0-or-later' === $field( $main, 'License' ) && is_file( "$root/LICENSE" ),
);
foreach ( array( 'Requires at least', 'Requires PHP', 'License', 'License URI' ) as $name ) {
	$asked[ "both say the same as $name" ] = '' !== $field( $main, $name ) && $field( $main, $name ) === $field( $readme, $name );
}
foreach ( array_keys( $asked, false, true ) as $what ) {
	$wrong[] = "not so: $what";
}

// New versions come from the service: no directory of plugins may offer one under this name.
if ( ! preg_match( '/^ \* Update URI: +false$/m', (string) file_get_contents( "$root/svc-connector.php" ) ) ) {
	$wrong[] = 'the header has no "Update URI: false"';
}

// Every class stands where the loader looks for it, and no two files have one name: some are copied into one folder.
preg_match_all( "/'(\w+)' +=> '([\w ]+)',$/m", (string) file_get_contents( "$root/src/wire/autoload.php" ), $folders );
$classes = array_map( static fn( $names ) => explode( ' ', $names ), array_combine( $folders[1], $folders[2] ) );
foreach ( glob( "$root/src/*/class-*.php" ) as $file ) {
	preg_match( '/^(?:final class|trait) (\w+)/m', (string) file_get_contents( $file ), $class );
	if ( ! in_array( $class[1] ?? '-', $classes[ basename( dirname( $file ) ) ] ?? array(), true ) || 'class-' . strtolower( implode( '-', preg_split( '/\B(?=[A-Z])/', $class[1] ?? '' ) ) ) . '.php' !== basename( $file ) ) {
		$wrong[] = "the loader does not find $file";
	}
}
foreach ( array_diff_assoc( array_map( 'basename', $files ), array_unique( array_map( 'basename', $files ) ) ) as $name ) {
	$wrong[] = "two files are called $name";
}

// Every verb leads to a method that exists.
preg_match_all( "/'([a-z.]+)'\s*=> array\( '(\w+)::(\w+)', '\w+', (true|false) \)/", (string) file_get_contents( "$root/src/wire/class-verbs.php" ), $verbs, PREG_SET_ORDER );
foreach ( $verbs as list( , $verb, $class, $method ) ) {
	$target = glob( "$root/src/*/class-" . strtolower( $class ) . '.php' )[0] ?? '';
	if ( '' === $target || ! preg_match( "/public static function $method\(/", (string) file_get_contents( $target ) ) ) {
		$wrong[] = "the verb $verb leads to $class::$method, which does not exist";
	}
}

foreach ( $wrong as $line ) {
	echo "WRONG  $line\n";
}
printf( "%d files, %d verbs: %d broken rules\n", count( $files ), count( $verbs ), count( $wrong ) );
exit( $wrong || count( $verbs ) < 40 ? 1 : 0 );
