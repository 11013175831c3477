<?php
/**
 * Gives whoever requires it `$is( what, found, expected )`, which says what is not as it should be, and the counts `$checks` and `$wrong`.
 *
 * @package SvcConnector
 */

$checks = 0;
$wrong  = 0;
$is     = static function ( string $what, $found, $expected ) use ( &$checks, &$wrong ): void {
	++$checks;
	if ( $found !== $expected ) {
		++$wrong;
		echo "WRONG  $what: ", json_encode( $found, JSON_INVALID_UTF8_SUBSTITUTE ), ' instead of ', json_encode( $expected, JSON_INVALID_UTF8_SUBSTITUTE ), "\n";
	}
};
