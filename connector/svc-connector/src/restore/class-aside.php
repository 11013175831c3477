<?php
// What is kept beside the site's folders: what stood there before, and what is to come. Knows nothing of WordPress.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/**
 * A file or a folder is kept as it is, at the path of its side. A link is written down, at that path with `.link` behind it: the link itself
 * would lead elsewhere from another folder, and open_basedir, which judges a link by where it leads, would let nobody move it back.
 */
final class Aside {

	/** Whether something stands at a path; that nothing is there is an answer. */
	public static function exists( string $path ): bool {
		return false !== @lstat( $path ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
	}

	/** Whether a link is written down for a side. */
	public static function has_link( string $side ): bool {
		return is_file( "$side.link" );
	}

	/** Whether what was there is kept already, so that what stands there now came later. */
	public static function has( string $live, string $side ): bool {
		return self::exists( $side ) || ( self::has_link( $side ) && ! self::still_stands( $live, $side ) );
	}

	/** Takes what is there from its place. */
	public static function take( string $live, string $side ): void {
		$target = is_link( $live ) && function_exists( 'readlink' ) && function_exists( 'symlink' ) ? readlink( $live ) : false;
		if ( false === $target ) {
			self::move( $live, $side );
			return;
		}
		Journal::write( "$side.link", $target );
		self::remove( $live );
	}

	/** Gives a file that is there a second name; where that cannot be, what is there is taken away. */
	public static function keep( string $live, string $side ): void {
		if ( is_file( $live ) && ! is_link( $live ) && function_exists( 'link' ) && @link( $live, $side ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Not every file system has hard links.
			return;
		}
		self::take( $live, $side );
	}

	/** Makes the link that is written down for a side, in place of a file or a link. */
	public static function make_link( string $side, string $live ): void {
		if ( ! self::still_stands( $live, $side ) ) {
			if ( is_link( $live ) || is_file( $live ) ) {
				self::remove( $live );
			}
			$target = (string) file_get_contents( "$side.link" );
			if ( ! @symlink( $target, $live ) && ! self::make_elsewhere( $target, "$side.made", $live ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- There is another way.
				throw new Problem( 'failed', 'A link cannot be made.' );
			}
		}
		self::remove( "$side.link" );
	}

	/** PHP looks where a link leads before it makes it, and makes none that leads to a link to itself: elsewhere its target is not there. */
	private static function make_elsewhere( string $target, string $made, string $live ): bool {
		if ( is_link( $made ) ) {
			self::remove( $made );
		}
		return symlink( $target, $made ) && rename( $made, $live );
	}

	/** Moves a file, a link or a folder. */
	public static function move( string $from, string $to ): void {
		if ( ! @rename( $from, $to ) && ! self::make_anew( $from, $to ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Said in words.
			throw new Problem( 'failed', 'A file cannot be moved.' );
		}
	}

	/** PHP moves no folder from one disk to another, also where nobody lets it see that it is another one. One that is empty can be made there. */
	private static function make_anew( string $from, string $to ): bool {
		$names = is_dir( $from ) && ! is_link( $from ) ? scandir( $from ) : false;
		return is_array( $names ) && count( $names ) <= 2 && mkdir( $to, 0700 ) && chmod( $to, fileperms( $from ) & 07777 ) && rmdir( $from );
	}

	/** Removes a file or a link. */
	public static function remove( string $path ): void {
		if ( ! unlink( $path ) ) {
			throw new Problem( 'failed', 'A file cannot be removed.' );
		}
	}

	/** It was written down, and then came a kill; or it was made, and its note is still here. */
	private static function still_stands( string $live, string $side ): bool {
		return is_link( $live ) && function_exists( 'readlink' ) && readlink( $live ) === file_get_contents( "$side.link" );
	}
}
