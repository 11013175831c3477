<?php
// Where this site keeps its files.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Finds the roots: what WordPress itself has, then what lies around it, then what settings and links lead to. */
final class Layout {

	const NAMES   = 1000; // Of one folder that are looked at for links.
	const PROJECT = array( '.env', '.env.development', '.env.local', '.env.production', '.env.staging', 'composer.json', 'composer.lock', 'config', 'vendor', 'wp-cli.yml' );

	/** @var Roots Where they go. */
	private $roots;

	/** @var string The folder of uploads, however it is written. */
	private $uploads = '';

	/** Works for one list of roots. */
	public function __construct( Roots $roots ) {
		$this->roots = $roots;
	}

	/** Tells all of them. Where paths are written in another way only those of WordPress itself are known. */
	public function take_all(): void {
		$this->roots->take( 'abspath', untrailingslashit( ABSPATH ), null, '' );
		$content = untrailingslashit( WP_CONTENT_DIR );
		if ( false !== realpath( $content ) && null === $this->roots->whose( realpath( $content ) ) ) {
			$this->roots->take( 'content', $content, null, 'wp-content' );
		}
		$is_usual = '/' === DIRECTORY_SEPARATOR;
		$found    = $is_usual ? self::docroot() : null;
		$docroot  = $found ?? ( $is_usual ? Remembered::around( 'docroot' ) : null ); // Its index.php may be what was lost.
		$why      = null === $docroot ? '' : $this->roots->objection( $docroot, true );
		if ( null !== $docroot && '' === $why ) {
			$this->roots->take( 'docroot', $docroot, null, '' );
			if ( null === $found ) {
				$this->roots->mark_as_before( 'docroot' );
			}
		} elseif ( null !== $docroot ) {
			$this->roots->say( $docroot, 'index.php', $why );
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above; these are the questions WordPress asks.
		$parent = dirname( ABSPATH );
		if ( ! @file_exists( ABSPATH . 'wp-config.php' ) && @file_exists( $parent . '/wp-config.php' ) && ! @file_exists( $parent . '/wp-settings.php' ) && null === $this->roots->whose( realpath( $parent ) . '/wp-config.php' ) ) {
			$this->roots->take( 'config', $parent, array( 'wp-config.php' ), '' );
		}
		if ( null !== $this->roots->get( 'docroot' ) ) {
			$project = dirname( $docroot );
			$is_one  = @is_file( "$project/composer.json" ) && @is_file( "$project/config/application.php" );
			if ( $is_one || Remembered::around( 'project' ) === $project ) {
				$this->roots->take( 'project', $project, self::PROJECT, '' );
				if ( ! $is_one ) {
					$this->roots->mark_as_before( 'project' );
				}
			}
		}
		// phpcs:enable
		if ( $is_usual ) {
			$this->uploads = (string) ( wp_upload_dir( null, false )['basedir'] ?? '' );
			$this->take_settings();
			$this->take_links();
		}
	}

	/** What constants and options name, where it lies elsewhere. */
	private function take_settings(): void {
		foreach ( array( 'plugins' => WP_PLUGIN_DIR, 'mu-plugins' => WPMU_PLUGIN_DIR, 'uploads' => $this->uploads ) as $id => $path ) {
			$real = Links::place( $path );
			if ( null !== $real && null !== $this->roots->whose( $real ) ) {
				continue;
			}
			$why = $this->roots->offer( $id, $real, "wp-content/$id" );
			// What stands behind a link is told where the link is.
			if ( '' !== $why && '' !== $path && null === $this->roots->whose( $path ) ) {
				$this->roots->say( $path, "wp-content/$id", $why );
			}
		}
	}

	/** What links lead to that stand where sites have them. */
	private function take_links(): void {
		$folders = array_fill_keys( array( ABSPATH, WP_CONTENT_DIR, WP_PLUGIN_DIR, WPMU_PLUGIN_DIR, get_theme_root(), $this->uploads ), null );
		// Of a network each site's uploads, as it has them today and as it had them before WordPress 3.5.
		$folders += array_fill_keys( array( $this->uploads . '/sites', WP_CONTENT_DIR . '/blogs.dir' ), null );
		foreach ( array( 'docroot', 'project' ) as $id ) {
			$root     = $this->roots->get( $id );
			$folders += null === $root ? array() : array( $root['path'] => $root['only'] );
		}
		foreach ( $folders as $folder => $names ) {
			$real = realpath( $folder );
			foreach ( false === $real ? array() : Links::in( $real, $names, self::NAMES ) as $link ) {
				$place = $this->roots->whose( $link );
				$to    = Links::place( $link );
				if ( null !== $place && ( null === $to || null === $this->roots->whose( $to ) ) ) {
					$this->roots->offer( self::id( $place ), $to, $this->roots->at( $place ) );
				}
			}
		}
	}

	/** Of where the link stands: what it leads to may be another folder with each release. */
	private static function id( array $place ): string {
		$slug = trim( (string) preg_replace( '/[^a-z0-9]+/', '-', strtolower( basename( $place[1] ) ) ), '-' );
		return 'link-' . rtrim( substr( $slug, 0, 24 ), '-' ) . '-' . substr( md5( "$place[0]/$place[1]" ), 0, 8 );
	}

	/** Folders of a folder that hold a WordPress; around this site's core only what is configured: a copy of its files is its own. */
	public static function wordpresses( string $folder, bool $is_core ): array {
		$found = array();
		foreach ( array_diff( (array) @scandir( $folder ), array( '.', '..', false ) ) as $name ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- An unreadable folder holds none.
			if ( is_file( "$folder/$name/wp-load.php" ) && ( ! $is_core || is_file( "$folder/$name/wp-config.php" ) ) ) {
				$found[] = "$folder/$name";
			}
		}
		return $found;
	}

	/**
	 * Whether a WordPress that is configured lies in a folder: in it or one above is its wp-config.php, as WordPress looks for it, or the core is
	 * one below. This site's own configuration makes a copy of its core no other installation.
	 *
	 * @param string[] $names What is in the folder.
	 */
	public static function is_installation( string $folder, array $names ): bool {
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
		$is_core = in_array( 'wp-load.php', $names, true );
		if ( in_array( 'wp-config.php', $names, true ) ) {
			if ( $is_core ) {
				return true;
			}
			foreach ( in_array( 'wp-settings.php', $names, true ) ? array() : $names as $name ) {
				if ( @is_file( "$folder/$name/wp-load.php" ) && ! @is_file( "$folder/$name/wp-config.php" ) ) {
					return true;
				}
			}
			return false;
		}
		$above = $is_core ? realpath( dirname( $folder ) ) : false;
		$core  = (string) realpath( ABSPATH );
		return false !== $above && $above !== $core && dirname( $core ) !== $above && @is_file( "$above/wp-config.php" ) && ! @is_file( "$above/wp-settings.php" );
		// phpcs:enable
	}

	/** The folder whose index.php loads WordPress from a folder of its own; null where both are one. */
	private static function docroot(): ?string {
		$home = untrailingslashit( (string) wp_parse_url( home_url(), PHP_URL_PATH ) );
		$site = untrailingslashit( (string) wp_parse_url( site_url(), PHP_URL_PATH ) );
		$core = (string) realpath( ABSPATH );
		if ( $home === $site || 0 !== strpos( "$site/", "$home/" ) ) {
			return null;
		}
		$below  = substr( $site, strlen( $home ) );
		$places = array( substr( $core, -strlen( $below ) ) === $below ? substr( $core, 0, -strlen( $below ) ) : '' );
		if ( isset( $_SERVER['DOCUMENT_ROOT'] ) && is_string( $_SERVER['DOCUMENT_ROOT'] ) && '' !== $_SERVER['DOCUMENT_ROOT'] ) {
			$places[] = (string) realpath( $_SERVER['DOCUMENT_ROOT'] . $home ); // phpcs:ignore WordPress.Security -- A path of the server.
		}
		foreach ( $places as $place ) {
			$index = '' === $place || $place === $core ? '' : (string) @file_get_contents( "$place/index.php", false, null, 0, 8192 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
			if ( false !== strpos( $index, 'wp-blog-header.php' ) ) {
				return $place;
			}
		}
		return null;
	}
}
