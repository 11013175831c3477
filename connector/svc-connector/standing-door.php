<?php
// The door that stands when WordPress does not: the web server runs this file itself. Whoever is not the service gets the empty page of a file that does nothing.
namespace SvcConnector;

if ( ! defined( 'ABSPATH' ) && isset( $_SERVER['REQUEST_METHOD'], $_SERVER['SCRIPT_FILENAME'] ) && 'POST' === $_SERVER['REQUEST_METHOD'] ) {
	( static function (): void {
		// The plugin's folder may be a link: the web server knows it by another path than PHP.
		foreach ( array( dirname( __DIR__, 2 ), dirname( (string) $_SERVER['SCRIPT_FILENAME'], 3 ) ) as $content ) { // phpcs:ignore WordPress.Security -- A path of the server.
			$work = $content . '/svc-connector-work';
			// phpcs:disable WordPress.PHP.NoSilencedErrors -- Nobody learns that there is nothing here.
			foreach ( preg_grep( '/^\.door-[0-9a-f]{32}$/D', (array) @scandir( $work ) ) as $name ) {
				$state = json_decode( (string) strstr( (string) @file_get_contents( "$work/$name/identity.php" ), "\n" ), true, 8 );
				if ( is_array( $state ) && is_string( $state['abspath'] ?? null ) && realpath( "$work/$name" ) === ( $state['dir'] ?? '' ) ) {
					define( 'ABSPATH', $state['abspath'] );
					require __DIR__ . '/src/wire/autoload.php';
					StandingDoor::answer( $state );
					return;
				}
			}
			// phpcs:enable
		}
	} )();
}
