<?php
/**
 * Loads the connector's classes when they are first named.
 *
 * @package SvcConnector
 */

defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
spl_autoload_register(
	static function ( string $name ): void {
		$words = preg_split( '/\B(?=[A-Z])/', substr( (string) strrchr( $name, '\\' ), 1 ) );
		foreach ( glob( dirname( __DIR__ ) . '/svc-connector/src/*/class-' . strtolower( implode( '-', $words ) ) . '.php' ) as $file ) {
			require $file;
		}
	}
);
