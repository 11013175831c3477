<?php
/**
 * Plugin Name: Harbour Strangers
 * Description: Has a page name this site where WordPress and its themes name theirs, so that a test asks nobody else. For tests only.
 */

add_action(
	'template_redirect',
	function () {
		ob_start(
			function ( $page ) {
				return preg_replace( '~https?://(?:[\w-]+\.)*(?:wordpress\.org|w\.org|gmpg\.org|gravatar\.com)[^"\'\s<]*~', home_url( '/' ), $page );
			}
		);
	}
);
