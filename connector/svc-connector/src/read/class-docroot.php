<?php
// Where the web server begins.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** The folder whose index.php loads WordPress from a folder of its own, around it or beside it. */
final class Docroot {

	/**
	 * That folder; null where both are one, or it is a part of the site anyway.
	 *
	 * @return array{path:string,why:string}|null With why it cannot be taken, or ''.
	 */
	public static function find( Roots $roots ): ?array {
		$below  = self::below();
		$core   = (string) realpath( ABSPATH );
		$served = self::served();
		if ( '' !== $below ) {
			foreach ( array( substr( $core, -strlen( $below ) ) === $below ? substr( $core, 0, -strlen( $below ) ) : '', $served ) as $place ) {
				if ( '' !== $place && $place !== $core && false !== strpos( self::index( $place ), 'wp-blog-header.php' ) ) {
					return array( 'path' => $place, 'why' => '' ); // The addresses say that it is this one.
				}
			}
			return null;
		}
		$index = '' === $served || null !== $roots->whose( $served ) ? '' : self::index( $served );
		$loads = '' === $index ? '/' : self::loads( $served, $index );
		if ( '' === $loads && Remembered::around( 'docroot', $served ) === $served ) {
			return array( 'path' => $served, 'why' => '' ); // A request for the front page told it, which this one is not.
		}
		if ( '' === $loads ) {
			return array( 'path' => $served, 'why' => 'nobody can tell which WordPress it loads' );
		}
		return 0 === strpos( $loads, "$core/" ) ? array( 'path' => $served, 'why' => '' ) : null;
	}

	/** Where WordPress lies below the address of the front page; '' where that is its own. */
	public static function below(): string {
		$home = untrailingslashit( (string) wp_parse_url( home_url(), PHP_URL_PATH ) );
		$site = untrailingslashit( (string) wp_parse_url( site_url(), PHP_URL_PATH ) );
		return 0 === strpos( "$site/", "$home/" ) ? substr( $site, strlen( $home ) ) : '';
	}

	/** The beginning of a folder's index.php. */
	private static function index( string $folder ): string {
		return (string) @file_get_contents( "$folder/index.php", false, null, 0, 8192 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
	}

	/** The same as it was before, where its index.php is gone. */
	public static function before(): ?string {
		$served = self::served(); // PHP may see it, or it is ''.
		return Remembered::around( 'docroot', '' !== $served && ! file_exists( "$served/index.php" ) ? $served : '' );
	}

	/** What the web server has for the address of the front page, as far as PHP is told. */
	private static function served(): string {
		$root = $_SERVER['DOCUMENT_ROOT'] ?? ''; // phpcs:ignore WordPress.Security -- A path of the server.
		// phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		return is_string( $root ) && '' !== $root ? (string) @realpath( $root . untrailingslashit( (string) wp_parse_url( home_url(), PHP_URL_PATH ) ) ) : '';
	}

	/** The file of a core that an index.php loads: by the path that it names, or because this request came that way. '' where it names none that is there, '/' where it loads none. */
	private static function loads( string $place, string $index ): string {
		if ( realpath( get_included_files()[0] ) === realpath( "$place/index.php" ) ) {
			return realpath( ABSPATH ) . '/wp-blog-header.php';
		}
		if ( ! preg_match( '/wp-(?:blog-header|load)\.php/', $index ) ) {
			return '/';
		}
		preg_match_all( '~[\'"]([^\'"]*wp-(?:blog-header|load)\.php)[\'"]~', $index, $found );
		foreach ( $found[1] as $path ) {
			$folders = '/' === $path[0] ? array( '', $place, dirname( $place ), dirname( $place, 2 ) ) : array( $place );
			foreach ( $folders as $folder ) {
				$real = @realpath( '' === $folder ? $path : "$folder/$path" ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
				if ( false !== $real ) {
					return $real;
				}
			}
		}
		return '';
	}
}
