<?php
// Where the plugin's classes are.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

spl_autoload_register(
	static function ( string $name ): void {
		if ( ! preg_match( '/^SvcConnector\\\\([A-Za-z]+)$/D', $name, $found ) ) {
			return;
		}
		$file = strtolower( (string) preg_replace( '/\B[A-Z]/', '-$0', $found[1] ) );
		foreach ( array( 'wire', 'errors', 'tweaks', 'admin', 'read', 'restore', 'update', 'security' ) as $folder ) { // An ordinary page finds its classes in the first four.
			if ( is_file( dirname( __DIR__ ) . "/$folder/class-$file.php" ) ) {
				require dirname( __DIR__ ) . "/$folder/class-$file.php";
				return;
			}
		}
	}
);
