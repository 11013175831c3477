<?php
// On PHP 8 a function a host has disabled does not exist, and the upgraders of older WordPress call this one without asking.
defined( 'ABSPATH' ) || exit;
if ( ! function_exists( 'set_time_limit' ) ) {
	/** Does nothing, as the host wants. */
	function set_time_limit( int $seconds ): bool { // phpcs:ignore
		return false;
	}
}
