<?php
/**
 * What the reading of tables needs of WordPress, for scripts that ask a MariaDB or MySQL by its socket, their first argument.
 *
 * @package SvcConnector
 */

define( 'ARRAY_A', 'ARRAY_A' );
define( 'ARRAY_N', 'ARRAY_N' );

$svc_network = false;
function is_multisite(): bool {
	return $GLOBALS['svc_network'];
}

function wp_json_encode( $value ) {
	return json_encode( $value );
}

function wp_convert_hr_to_bytes( $value ) {
	return '-1' === $value ? -1 : (int) $value * 1048576; // Only whole megabytes are used here.
}

/** As much of WordPress's database class as the reading of tables needs. */
final class wpdb {
	public $prefix     = 'wp_';
	public $options    = 'wp_options';
	public $last_error = '';
	public $dbh;

	public function suppress_errors() {
		return false;
	}

	public function get_results( string $sql, string $kind ) {
		$result = $this->dbh->query( $sql );
		return $result ? $result->fetch_all( ARRAY_N === $kind ? MYSQLI_NUM : MYSQLI_ASSOC ) : null;
	}

	public function query( string $sql ) {
		return $this->dbh->query( $sql ) ? 1 : false;
	}
}

mysqli_report( MYSQLI_REPORT_OFF );
$wpdb      = new wpdb();
$wpdb->dbh = new mysqli( null, 'root', '', '', 0, $argv[1] ?? '' );

require __DIR__ . '/load.php';
