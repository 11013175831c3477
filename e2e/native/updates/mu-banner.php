<?php
// A banner that is another one with each view, and a clock.
add_action(
	'wp_body_open',
	function () {
		$bars = '';
		for ( $bar = 0; $bar < 40; $bar++ ) {
			$bars .= sprintf( '<rect x="%d" y="%d" width="%d" height="9" fill="#%06x"/>', wp_rand( 0, 1200 ), wp_rand( 0, 190 ), wp_rand( 9, 300 ), wp_rand( 0, 0xffffff ) );
		}
		echo '<svg width="1280" height="200" role="img" aria-label="Banner">' . $bars . '</svg><p id="clock">' . esc_html( microtime( true ) ) . '</p>';
		echo '<script>setInterval(function () { document.getElementById("clock").textContent = new Date().toISOString() + Math.random() }, 50)</script>';
	}
);
