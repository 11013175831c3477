<?php
/**
 * Plugin Name: Harbour Faults
 * Version: 2.4.0
 * Description: Fails for `?fault=…` in the ways plugins do. For tests only.
 */

/** Milliseconds of the processor: others may be at work. */
function harbour_used() {
	$all = getrusage();
	return 1000 * $all['ru_utime.tv_sec'] + $all['ru_utime.tv_usec'] / 1000;
}
define( 'HARBOUR_FROM', harbour_used() );

add_action(
	'template_redirect',
	function () {
		$asked = $_GET['fault'] ?? '';
		if ( 'warning' === $asked ) {
			echo $harbour_undefined;
		} elseif ( 'secret' === $asked ) {
			harbour_sign_in( $_POST['user'] ?? '', $_POST['word'] ?? '' );
		} elseif ( 'memory' === $asked ) {
			$all = array();
			while ( true ) {
				$all[] = str_repeat( 'x', 10000 );
			}
		} elseif ( 'call' === $asked ) {
			harbour_no_such_function();
		} elseif ( 'core' === $asked ) {
			get_post( 1 )->post_title = array_merge( 'not a list' );
		} elseif ( 'flood' === $asked ) {
			ini_set( 'log_errors', '0' ); // Else what is measured is the log.
			for ( $n = 0; $n < 600000; $n++ ) {
				$x = $harbour_flood;
			}
			exit( (string) ( harbour_used() - HARBOUR_FROM ) );
		}
	}
);

function harbour_sign_in( $user, $word ) {
	throw new RuntimeException( "Harbour does not know $user with $word, write to captain@harbour.example" );
}
