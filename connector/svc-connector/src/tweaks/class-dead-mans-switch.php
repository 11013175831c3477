<?php
// A dead man's handle for changes that could shut the site, and this plugin with it.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * Who changed such a file stays awake after the answer. When the service does not come back through the web server
 * in time, because that now refuses everything, the file is put back.
 */
final class DeadMansSwitch {

	const PATIENCE = 12; // Seconds; less than a host lets a request live.

	/** @var array<string,mixed>|null What this request changed. */
	private static $change = null;

	/**
	 * Changes a file.
	 *
	 * @param array{0:string,1:string|null,2:string} $file Path, what is there or null, what is to be there.
	 * @param callable                                $undo What else is to be taken back.
	 */
	public static function change( string $name, array $file, callable $undo ): void {
		list( $path, $before, $after ) = $file;
		foreach ( array( 'h', 'k' ) as $kind ) {
			Facts::remove( "$kind.$name" );
		}
		Facts::add( "h.$name", 'open', time() + 3600 );
		Replace::file( $path, $after );
		self::$change = compact( 'name', 'path', 'before', 'after', 'undo' );
	}

	/** What is left to do when the answer is on its way. */
	public static function pending(): ?callable {
		return null === self::$change ? null : array( self::class, 'wait' );
	}

	/** The service came back: the change stays. False when it was too late. */
	public static function confirm( string $name ): bool {
		if ( ! Facts::remove( "h.$name" ) ) {
			return false;
		}
		Facts::add( "k.$name", '', time() + 3600 );
		return true;
	}

	/** Waits; whoever removes the row first, this or the confirmation, has decided. */
	public static function wait(): void {
		if ( function_exists( 'ignore_user_abort' ) ) {
			ignore_user_abort( true );
		}
		$name = (string) self::$change['name'];
		for ( $ends = microtime( true ) + self::PATIENCE; microtime( true ) < $ends; usleep( 250000 ) ) {
			if ( null !== Facts::get( "k.$name" ) ) {
				return;
			}
		}
		if ( Facts::remove( "h.$name" ) ) {
			self::put_back();
		}
	}

	private static function put_back(): void {
		$path = (string) self::$change['path'];
		if ( ! is_file( $path ) || file_get_contents( $path ) !== self::$change['after'] ) {
			return; // Somebody else has changed it meanwhile.
		}
		if ( null === self::$change['before'] ) {
			unlink( $path ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		} else {
			Replace::file( $path, (string) self::$change['before'] );
		}
		call_user_func( self::$change['undo'] );
	}
}
