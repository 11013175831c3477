<?php
// Where this site keeps its files.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Finds the roots: what WordPress itself has, then what lies around it, then what settings and links lead to. */
final class Layout {

	const NAMES   = 1000; // Of one folder that are looked at for links.
	const AT_ONCE = 200; // Sites of a network that one query asks for their own setting.
	const SITES   = 10000; // That are asked.

	const OF_A_SITE = '/^uploads-\d+$/D'; // The id of what such a setting names.

	const PROJECT = array( '.env', '.env.development', '.env.local', '.env.production', '.env.staging', 'composer.json', 'composer.lock', 'config', 'vendor', 'wp-cli.yml' );

	/** @var Roots Where they go. */
	private $roots;

	/** Works for one list of roots. */
	public function __construct( Roots $roots ) {
		$this->roots = $roots;
	}

	/**
	 * Tells all of them. Where paths are written in another way only those of WordPress itself are known.
	 *
	 * @param bool $asks_sites Whether each site of a network is asked where its uploads lie.
	 */
	public function take_all( bool $asks_sites ): void {
		$this->roots->take( 'abspath', untrailingslashit( ABSPATH ), null, '' );
		$content = untrailingslashit( WP_CONTENT_DIR );
		if ( false !== realpath( $content ) && null === $this->roots->whose( realpath( $content ) ) ) {
			$this->roots->take( 'content', $content, null, 'wp-content' );
		}
		$is_usual = '/' === DIRECTORY_SEPARATOR;
		if ( $is_usual ) {
			$settings = array( array( 'plugins', WP_PLUGIN_DIR ), array( 'mu-plugins', WPMU_PLUGIN_DIR ), array( 'uploads', self::uploads() ) );
			$later    = Remembered::filtered();
			$settings = '' === $later || Links::place( self::uploads() ) === $later ? $settings : array_merge( $settings, array( array( Remembered::FILTERED, $later ) ) );
			if ( '' !== Docroot::below() ) {
				$this->take_docroot();
				$this->take_settings( $settings );
			} else {
				$this->take_settings( $settings ); // Where only its index.php tells of the folder, they are roots of their own in it.
				$this->take_docroot();
			}
		}
		// phpcs:disable WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above; these are the questions WordPress asks.
		$parent = dirname( ABSPATH );
		if ( ! @file_exists( ABSPATH . 'wp-config.php' ) && @file_exists( $parent . '/wp-config.php' ) && ! @file_exists( $parent . '/wp-settings.php' ) && null === $this->roots->whose( realpath( $parent ) . '/wp-config.php' ) ) {
			$this->roots->take( 'config', $parent, array( 'wp-config.php' ), '' );
		}
		// phpcs:enable
		if ( $is_usual ) {
			$more   = self::more_settings();
			$linked = array_filter( $more, array( $this, 'is_linked' ) );
			$this->take_settings( array_diff_key( $more, $linked ) );
			$this->take_links();
			$this->take_settings( array_merge( $linked, $asks_sites ? $this->uploads_of_sites() : array() ) );
		}
	}

	/** The folder where the web server begins, if that is another one than WordPress's. */
	private function take_docroot(): void {
		$found = Docroot::find( $this->roots );
		$path  = $found['path'] ?? Docroot::before(); // Its index.php may be what was lost.
		if ( null === $path ) {
			return;
		}
		$why = $found['why'] ?? '';
		$why = '' === $why ? $this->roots->objection( $path, true ) : $why;
		if ( '' !== $why ) {
			$this->roots->say( $path, 'index.php', $why );
			return;
		}
		$this->roots->take( 'docroot', $path, null, '' );
		if ( null === $found ) {
			$this->roots->mark_as_before( 'docroot' );
		}
		$this->take_project( dirname( $path ) );
	}

	/** What Bedrock has around that folder. */
	private function take_project( string $project ): void {
		// phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above.
		$is_one = @is_file( "$project/composer.json" ) && @is_file( "$project/config/application.php" );
		if ( $is_one || Remembered::around( 'project' ) === $project ) {
			$this->roots->take( 'project', $project, self::PROJECT, '' );
			if ( ! $is_one ) {
				$this->roots->mark_as_before( 'project' );
			}
		}
	}

	/** The folders that WordPress has as its own, wherever they lie. */
	public static function own(): array {
		return array_filter( array_merge( self::folders(), array( ABSPATH . 'wp-admin', ABSPATH . 'wp-includes' ) ) );
	}

	/** Those in which each entry is a thing of its own. */
	private static function folders(): array {
		return array( WP_CONTENT_DIR, WP_PLUGIN_DIR, WPMU_PLUGIN_DIR, get_theme_root(), self::uploads() );
	}

	private static function uploads(): string {
		return (string) ( wp_upload_dir( null, false )['basedir'] ?? '' );
	}

	/** Remembers uploads that a theme, or a plugin once all are loaded, leads elsewhere: `hello` is answered before they are. */
	public static function note_uploads(): void {
		$real  = Links::place( self::uploads() );
		$place = null === $real ? null : Roots::known()->whose( $real );
		$is_it = null !== $real && ( null === $place || in_array( $place[0], array( 'uploads', Remembered::FILTERED ), true ) ); // Seen so late it is the root of uploads itself.
		$told  = Remembered::places()['uploads'] ?? array( 'was' => true ); // By `hello`, which sees what a setting or a link says: a second root at that place would be in its way when that is lost.
		Remembered::note_filtered( $is_it && ( $told['was'] || $told['path'] !== $real ) ? $real : '' );
	}

	/**
	 * What constants and options name, where it lies elsewhere.
	 *
	 * @param array<int,string[]> $settings Of each the id, the path, and where it is in the usual layout, if that is not its id below wp-content.
	 */
	private function take_settings( array $settings ): void {
		foreach ( $settings as $setting ) {
			list( $id, $path ) = $setting;
			$at   = 'wp-content/' . ( $setting[2] ?? $id );
			$real = Links::place( $path );
			if ( null !== $real && null !== $this->roots->whose( $real ) ) {
				continue;
			}
			$why = $this->roots->offer( $id, $real, $at );
			// What stands behind a link is told where the link is.
			if ( '' !== $why && '' !== $path && null === $this->roots->whose( $path ) ) {
				$this->roots->say( $path, $at, $why );
			}
		}
	}

	/**
	 * Whether a setting leads out of a root by a link: the id is of where that stands, as it is where nothing tells of the setting.
	 *
	 * @param string[] $setting As take_settings() has them.
	 */
	private function is_linked( array $setting ): bool {
		for ( $path = $setting[1]; dirname( $path ) !== $path; $path = dirname( $path ) ) {
			if ( @is_link( $path ) && null !== $this->roots->whose( Links::itself( $path ) ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
				return true;
			}
		}
		return false;
	}

	/** Languages, and each folder of themes there is. */
	private static function more_settings(): array {
		$settings = defined( 'WP_LANG_DIR' ) ? array( array( 'languages', untrailingslashit( WP_LANG_DIR ) ) ) : array();
		$themes   = untrailingslashit( get_theme_root() );
		$folders  = array_filter( (array) ( $GLOBALS['wp_theme_directories'] ?? array() ), 'is_string' );
		foreach ( array_unique( array_merge( array( $themes ), array_map( 'untrailingslashit', $folders ) ) ) as $folder ) {
			$settings[] = array( $themes === $folder ? 'themes' : 'themes-' . substr( md5( $folder ), 0, 8 ), $folder, 'themes' );
		}
		return $settings;
	}

	/** Of a network the folders of uploads that options of its sites name, where they are there or were. */
	private function uploads_of_sites(): array {
		global $wpdb;
		if ( ! is_multisite() || empty( $wpdb->blogs ) ) {
			return array(); // The door that stands without WordPress knows what is remembered.
		}
		$before  = $wpdb->suppress_errors( true );
		$rows    = array();
		$numbers = $wpdb->get_col( "SELECT blog_id FROM $wpdb->blogs ORDER BY blog_id LIMIT " . ( self::SITES + 1 ) ); // phpcs:ignore WordPress.DB
		if ( count( $numbers ) > self::SITES ) {
			$this->roots->say( self::uploads() . '/sites', 'wp-content/uploads/sites', 'where uploads lie was asked of ' . self::SITES . ' sites of this network, and there are more' );
		}
		foreach ( array_chunk( array_slice( $numbers, 0, self::SITES ), self::AT_ONCE ) as $some ) {
			$rows = array_merge( $rows, self::settings_of( $some ) );
		}
		$wpdb->suppress_errors( $before );
		$found  = array();
		$before = Remembered::places();
		foreach ( $rows as $row ) {
			$id   = "uploads-{$row['site']}";
			$path = trim( (string) $row['path'] );
			$path = '' === $path || '/' === $path[0] ? $path : ABSPATH . $path;
			if ( ABSPATH . 'wp-content/uploads' !== $path && ( isset( $before[ $id ] ) || @file_exists( $path ) ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.
				$found[] = array( $id, $path, "uploads/sites/{$row['site']}" );
			}
		}
		return $found;
	}

	/** The setting of each of these sites, as far as it can be read. */
	private static function settings_of( array $numbers ): array {
		global $wpdb;
		$queries = array();
		foreach ( $numbers as $number ) {
			$queries[] = 'SELECT ' . (int) $number . ' AS site, option_value AS path FROM ' . Tables::quote( $wpdb->get_blog_prefix( (int) $number ) . 'options' ) . " WHERE option_name = 'upload_path'";
		}
		$rows = (array) $wpdb->get_results( implode( ' UNION ALL ', $queries ), ARRAY_A ); // phpcs:ignore WordPress.DB
		if ( '' === (string) $wpdb->last_error ) {
			return $rows;
		}
		$rows = array(); // The table of one was lost, perhaps.
		foreach ( $queries as $query ) {
			$rows = array_merge( $rows, (array) $wpdb->get_results( $query, ARRAY_A ) ); // phpcs:ignore WordPress.DB
		}
		return $rows;
	}

	/** What links lead to that stand where sites have them: the shortest places first, because they hold the others. */
	private function take_links(): void {
		$folders = array_fill_keys( array_merge( array( ABSPATH ), self::folders() ), null );
		// Of a network each site's uploads, as it has them today and as it had them before WordPress 3.5.
		$folders += array_fill_keys( array( self::uploads() . '/sites', WP_CONTENT_DIR . '/blogs.dir' ), null );
		foreach ( array( 'docroot', 'project' ) as $id ) {
			$root     = $this->roots->get( $id );
			$folders += null === $root ? array() : array( $root['path'] => $root['only'] );
		}
		$links = array();
		foreach ( $folders as $folder => $names ) {
			$real = realpath( $folder );
			foreach ( false === $real ? array() : Links::in( $real, $names, self::NAMES ) as $link ) {
				$links[ $link ] = Links::place( $link );
			}
		}
		$order = array_flip( array_keys( $links ) );
		uksort(
			$links,
			static function ( string $a, string $b ) use ( $links, $order ): int {
				return array( strlen( (string) $links[ $a ] ), $order[ $a ] ) <=> array( strlen( (string) $links[ $b ] ), $order[ $b ] );
			}
		);
		// A link may stand in what another one leads to.
		do {
			$before = count( $links );
			foreach ( $links as $link => $to ) {
				$place = $this->roots->whose( (string) $link );
				if ( null !== $place ) {
					unset( $links[ $link ] );
					if ( null === $to || null === $this->roots->whose( $to ) ) {
						$this->roots->offer( self::id( $place ), $to, $this->roots->at( $place ) );
					}
				}
			}
		} while ( count( $links ) < $before );
	}

	/** Files that the configuration and what comes after it load from outside of all roots, as of now. */
	public static function loaded( Roots $roots ): array {
		$files = get_included_files();
		// phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide the folder above.
		$configs = array_keys( array_intersect( $files, array_filter( array( @realpath( ABSPATH . 'wp-config.php' ), @realpath( dirname( ABSPATH ) . '/wp-config.php' ) ) ) ) );
		$found   = array();
		// What comes before is the host's, and what lies where PHP looks for libraries is the machine's.
		foreach ( $configs ? array_slice( $files, $configs[0] + 1 ) : array() as $file ) {
			foreach ( explode( PATH_SEPARATOR, (string) get_include_path() ) as $folder ) {
				if ( '/' === substr( $folder, 0, 1 ) && 0 === strpos( $file, rtrim( $folder, '/' ) . '/' ) ) {
					continue 2;
				}
			}
			if ( '/' === $file[0] && null === $roots->whose( $file ) ) {
				$found[] = $file;
			}
		}
		return $found;
	}

	/** Of where the link stands: what it leads to may be another folder with each release. */
	private static function id( array $place ): string {
		$slug = trim( (string) preg_replace( '/[^a-z0-9]+/', '-', strtolower( basename( $place[1] ) ) ), '-' );
		return 'link-' . rtrim( substr( $slug, 0, 24 ), '-' ) . '-' . substr( md5( "$place[0]/$place[1]" ), 0, 8 );
	}
}
