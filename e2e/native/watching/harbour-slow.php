<?php
/**
 * Plugin Name: Harbour Slow
 * Description: Keeps every visitor waiting, and no processor. For tests only.
 */

add_action(
	'template_redirect',
	function () {
		usleep( 3000000 );
	}
);
